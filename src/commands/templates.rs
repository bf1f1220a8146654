//! The templates that helm names in what it prints: finds them in the repository, so that findings in standard input lead to
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::Inputs;
use crate::discover::{self, CONFIG_FILE, File};
use crate::rendering::{self, COMMENT};
use crate::source::Source;
use crate::yaml;

/// Finds the templates that the comments in standard input name, by the text of the comment. A template that several charts
/// of the repository may have is left out.
pub fn named_in_stdin(inputs: &Inputs) -> BTreeMap<String, Source> {
    let text = inputs.stdin().unwrap_or_default();
    if !text.contains(COMMENT) {
        return BTreeMap::new();
    }
    let sections = rendering::sections(&text).into_iter();
    let wanted: BTreeSet<&str> = sections.filter_map(|section| section.template).collect();
    let files = files(inputs);
    let charts: Vec<(String, &str)> = files.iter().filter_map(chart).collect();
    let mut found = BTreeMap::new();
    for comment in wanted {
        let Some((name, inside)) = comment.split_once('/') else {
            continue;
        };
        let of_chart = charts
            .iter()
            .filter(|(own, _)| own == name)
            .filter_map(|(_, folder)| {
                let path = match *folder {
                    "" => inside.to_owned(),
                    folder => format!("{folder}/{inside}"),
                };
                let at = files
                    .binary_search_by(|file| (*file.path).cmp(&path))
                    .ok()?;
                files.get(at)
            });
        let of_chart: Vec<&File> = of_chart.collect();
        if let [file] = of_chart.as_slice()
            && let Some(text) = read(file)
        {
            found.insert(comment.to_owned(), Source::new(&*file.path, text));
        }
    }
    found
}

/// The files of the run, or all files of the repository if it is known where it begins. Sorted by path.
fn files(inputs: &Inputs) -> Vec<File> {
    let root = &inputs.place.root;
    let is_repository = root.join(".git").exists() || root.join(CONFIG_FILE).is_file();
    if inputs.discovery.whole || !is_repository {
        return inputs.discovery.files.clone();
    }
    let exclude = |path: &str| inputs.place.config.exclude.matches(path);
    discover::discover(root, std::slice::from_ref(root), &exclude).files
}

/// The name and the folder of the chart that a file describes.
fn chart(file: &File) -> Option<(String, &str)> {
    let folder = file.path.strip_suffix("Chart.yaml")?;
    let folder = folder
        .strip_suffix('/')
        .or(folder.is_empty().then_some(""))?;
    let stream = yaml::parse(&read(file)?, crate::source::SourceId(0));
    let root = stream.documents.first()?.root();
    Some((root.get("name")?.as_str()?.to_owned(), folder))
}

fn read(file: &File) -> Option<String> {
    String::from_utf8(discover::read_bytes(&file.absolute).ok()?).ok()
}
