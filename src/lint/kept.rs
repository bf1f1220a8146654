//! One file of a session: what it is, and what it says.

use std::sync::Arc;

use super::caught::{bug, caught};
use super::digest::Digest;
use super::read::{ReadFile, read_one};
use super::shapes::Shapes;
use super::{Content, Input};
use crate::extract::Table;
use crate::source::SourceId;

/// Loads the file with this index among the inputs. A session calls it once for each file that it reads, and once more for
/// each that a report points into.
pub type Load<'l> = dyn Fn(usize) -> Content + Sync + 'l;

/// A file of a session.
pub struct Kept {
    /// Who it is in spans.
    pub id: SourceId,
    /// Its path.
    pub input: Input,
    /// Its index among the inputs.
    pub index: usize,
    /// The text that counts instead of what is loaded.
    pub buffer: Option<Arc<str>>,
    /// A tool renders it before anyone reads it.
    pub rendered: bool,
    /// What it says.
    pub read: ReadFile,
}

impl Kept {
    /// Reads a file, or takes over what was `known` of it when its text is the same. A mistake of ours is a problem of that
    /// file.
    pub fn read(
        (index, id, input): (usize, SourceId, &Input),
        rendered: bool,
        known: Option<Kept>,
        load: &Load<'_>,
        table: &Table,
        shapes: &Shapes,
    ) -> Kept {
        let known = known.filter(|known| known.rendered == rendered);
        let read = caught(|| {
            let content = load(index);
            let digest = Digest::of(&content);
            let same = known.filter(|known| known.read.digest == digest);
            match same.filter(|_| digest != Digest::default()) {
                Some(known) => known.read,
                None => read_one(id, input, content, table, rendered),
            }
        });
        let mut read = read.unwrap_or_else(|why| ReadFile {
            problems: vec![bug(&input.path, "read", &why)],
            counted: true,
            ..ReadFile::default()
        });
        if let Some(facts) = &mut read.facts {
            shapes.share(&mut facts.workloads);
        }
        Kept {
            id,
            input: input.clone(),
            index,
            buffer: None,
            rendered,
            read,
        }
    }

    /// Reads the file as it is now.
    pub fn read_again(&mut self, load: &Load<'_>, table: &Table, shapes: &Shapes) {
        let buffer = self.buffer.take();
        let now = |index: usize| match &buffer {
            Some(text) => Content::Text(text.to_string()),
            None => load(index),
        };
        let who = (self.index, self.id, &self.input);
        let read = Kept::read(who, self.rendered, None, &now, table, shapes);
        *self = Kept { buffer, ..read };
    }

    /// What it holds now.
    pub fn content(&self, load: &Load<'_>) -> Content {
        match &self.buffer {
            Some(text) => Content::Text(text.to_string()),
            None => load(self.index),
        }
    }
}
