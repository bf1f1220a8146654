//! The paths of a run's files, by source.

use super::Input;
use crate::source::SourceId;

/// The paths of all sources of a run, in order.
#[derive(Debug, Default)]
pub struct Paths(Vec<(SourceId, Input)>);

impl Paths {
    /// The paths of files, whose ids ascend. The configuration is also a source.
    pub fn new(
        files: impl Iterator<Item = (SourceId, Input)>,
        configuration: Option<&str>,
    ) -> Self {
        let mut paths: Vec<_> = files.collect();
        let path = configuration.unwrap_or_default();
        let configuration = Input {
            path: path.into(),
            scanned_from: path.len(),
        };
        paths.push((SourceId::CONFIGURATION, configuration));
        Paths(paths)
    }

    /// The path of a source in the repository, or an empty path if the source is unknown.
    pub fn of(&self, source: SourceId) -> &str {
        self.find(source).map_or("", |input| &input.path)
    }

    /// The path of a source below the scanned folder. Empty for an unknown source and for the configuration.
    pub fn scanned(&self, source: SourceId) -> &str {
        self.find(source).map_or("", Input::scanned)
    }

    /// Whether one of the files has this path.
    pub fn contains(&self, path: &str) -> bool {
        self.iter().any(|one| one == path)
    }

    /// All paths in the repository.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, input)| &*input.path)
    }

    fn find(&self, source: SourceId) -> Option<&Input> {
        let at = self.0.binary_search_by_key(&source, |(id, _)| *id).ok()?;
        self.0.get(at).map(|(_, input)| input)
    }
}
