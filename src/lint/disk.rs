//! The files of a run, for building kustomizations.

use std::collections::HashMap;

use super::Content;
use super::kept::{Kept, Load};
use crate::kustomize::Files;
use crate::source::{FileKind, SourceId};

/// The files of a run, for building kustomizations.
pub struct Disk<'f> {
    files: &'f [Kept],
    load: &'f Load<'f>,
    by_path: HashMap<&'f str, &'f Kept>,
}

impl Files for Disk<'_> {
    fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    fn matters(&self, path: &str) -> bool {
        let kept = self.by_path.get(path);
        kept.is_some_and(|kept| kept.read.facts.is_some())
    }

    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        let kept = self.by_path.get(path)?;
        if FileKind::of(path).is_some_and(FileKind::holds_commands) {
            return None;
        }
        match kept.content(self.load) {
            Content::Text(text) => Some((kept.id, text)),
            _ => None,
        }
    }
}

impl<'f> Disk<'f> {
    /// These files.
    pub fn new(files: &'f [Kept], load: &'f Load<'f>) -> Self {
        let by_path = files.iter().map(|kept| (&*kept.input.path, kept));
        Disk {
            files,
            load,
            by_path: by_path.collect(),
        }
    }

    /// A file.
    pub fn find(&self, path: &str) -> Option<&'f Kept> {
        self.by_path.get(path).copied()
    }

    /// The path of a file.
    pub fn path(&self, id: SourceId) -> &str {
        let kept = self.files.binary_search_by_key(&id, |kept| kept.id).ok();
        let kept = kept.and_then(|at| self.files.get(at));
        kept.map_or("", |kept| &kept.input.path)
    }
}
