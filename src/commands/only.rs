//! `kubetaint check --only`: the files and folders that findings must touch to be reported.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::CommandError;
use crate::discover;

/// Files and folders, as paths in reports.
pub struct Only(Vec<String>);

impl Only {
    /// The paths that the user names, or `None` for all findings.
    ///
    /// # Errors
    /// Returns an error if a path does not exist.
    pub fn named(paths: &[PathBuf], root: &Path) -> Result<Option<Only>, CommandError> {
        let names = paths
            .iter()
            .map(|path| discover::report_path(root, path).map_err(|error| (path, error)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|(path, error)| {
                let why = match error.kind() {
                    ErrorKind::NotFound => "path does not exist".to_owned(),
                    _ => format!("cannot be read: {error}"),
                };
                CommandError::Message(format!("--only: {}: {why}", path.display()))
            })?;
        Ok((!names.is_empty()).then_some(Only(names)))
    }

    /// Whether a file is one of the named paths or below one.
    pub fn covers(&self, file: &str) -> bool {
        self.0.iter().any(|name| {
            // The root has the empty name.
            name.is_empty()
                || file
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_is_below_it_and_not_what_begins_alike() {
        let only = Only(vec!["apps".to_owned(), "infra/pools.yaml".to_owned()]);
        assert!(only.covers("apps/web.yaml") && only.covers("infra/pools.yaml"));
        assert!(!only.covers("apps-old/web.yaml") && !only.covers("infra/pools.yaml.bak"));
        assert!(Only(vec![String::new()]).covers("anything"));
    }
}
