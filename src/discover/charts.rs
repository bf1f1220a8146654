//! Finds the folders of Helm charts around the files of a run, even if the file that makes a folder a chart is not read
//! itself, such as when only a template or a folder of templates is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{File, shown};

/// Returns the charts with some of the files in their template folders, as folder paths that are prefixes of file paths.
/// `is_file` says whether there is a file at an absolute path.
pub fn charts(root: &Path, files: &[File], is_file: &dyn Fn(&Path) -> bool) -> BTreeSet<String> {
    let mut asked: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for file in files {
        for folder in file.absolute.ancestors().skip(1) {
            let is_templates = folder.file_name().is_some_and(|name| name == "templates");
            let Some(chart) = folder.parent().filter(|_| is_templates) else {
                continue;
            };
            if !asked.contains_key(chart) {
                let is_chart = is_file(&chart.join("Chart.yaml"));
                asked.insert(chart.to_path_buf(), is_chart);
            }
        }
    }
    asked
        .iter()
        .filter(|(_, is_chart)| **is_chart)
        .map(|(folder, _)| shown(root, folder))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::discover;
    use std::fs;

    #[test]
    fn a_chart_is_known_when_only_one_of_its_templates_is_asked_for() {
        let folder = tempfile::TempDir::new().unwrap();
        for (path, text) in [
            ("web/Chart.yaml", "name: web\n"),
            ("web/templates/a.yaml", "a: 1\n"),
            ("plain/templates/a.yaml", "a: 1\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let paths =
            ["web/templates/a.yaml", "plain/templates"].map(|path| folder.path().join(path));
        let found = discover(folder.path(), &paths, &|_| false);
        assert_eq!(
            charts(folder.path(), &found.files, &Path::is_file),
            BTreeSet::from(["web".to_owned()])
        );
    }
}
