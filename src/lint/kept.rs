//! One file of a session, with its facts.

use std::sync::Arc;

use super::caught::{bug, caught};
use super::digest::Digest;
use super::read::{ReadFile, read_or_find};
use super::shapes::Shapes;
use super::{Content, Input};
use crate::cache::Cache;
use crate::extract::Table;
use crate::source::{FileKind, SourceId};

/// Loads the file with this index among the inputs. A session calls it once for each file that it reads, and once more for
/// each file that a report points into.
pub type Load<'l> = dyn Fn(usize) -> Content + Sync + 'l;

/// What reading files takes.
#[derive(Clone, Copy)]
pub struct Means<'m> {
    /// Loads a file.
    pub load: &'m Load<'m>,
    /// Where workloads and pools are declared.
    pub table: &'m Table,
    /// The pod shapes seen so far.
    pub shapes: &'m Shapes,
    /// What files said in earlier runs.
    pub cache: Option<&'m Cache>,
}

/// A file of a session.
pub struct Kept {
    /// Its id in spans.
    pub id: SourceId,
    /// Its path.
    pub input: Input,
    /// Its index among the inputs.
    pub index: usize,
    /// The text that replaces the loaded one.
    pub buffer: Option<Arc<str>>,
    /// Whether a tool renders it before it is used.
    pub rendered: bool,
    /// Its facts.
    pub read: ReadFile,
}

impl Kept {
    /// Reads a file, or reuses its `known` facts if its text is unchanged. A panic becomes a problem of that file.
    pub fn read(
        (index, id, input): (usize, SourceId, &Input),
        rendered: bool,
        known: Option<Kept>,
        means: Means<'_>,
    ) -> Kept {
        let known = known.filter(|known| known.rendered == rendered);
        let read = caught(|| {
            let content = (means.load)(index);
            let digest = Digest::of(&content);
            let same = known.filter(|known| known.read.digest == digest);
            match same.filter(|_| digest != Digest::default()) {
                Some(known) => known.read,
                None => read_or_find((id, input), content, rendered, means.table, means.cache),
            }
        });
        let mut read = read.unwrap_or_else(|why| ReadFile {
            problems: vec![bug(&input.path, "read", &why)],
            counted: true,
            ..ReadFile::default()
        });
        if let Some(facts) = &mut read.facts {
            means.shapes.share(&mut facts.workloads);
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

    /// Whether it is what reading the file again would give, if its text has not changed.
    pub fn is_as_loaded(&self, rendered: bool, input: &Input) -> bool {
        self.buffer.is_none() && self.rendered == rendered && self.input == *input
    }

    /// The same file at another place among the inputs.
    pub fn at(self, index: usize) -> Kept {
        Kept { index, ..self }
    }

    /// Reads the file again in its current state.
    pub fn read_again(&mut self, means: Means<'_>) {
        let buffer = self.buffer.take();
        let now = |index: usize| match &buffer {
            Some(text) => Content::Text(text.to_string()),
            None => (means.load)(index),
        };
        let who = (self.index, self.id, &self.input);
        let means = Means {
            load: &now,
            ..means
        };
        let read = Kept::read(who, self.rendered, None, means);
        *self = Kept { buffer, ..read };
    }

    /// Whether its name says that it is a template that a tool fills in.
    pub fn is_template(&self) -> bool {
        FileKind::of(&self.input.path) == Some(FileKind::Template)
    }

    /// Its current content.
    pub fn content(&self, load: &Load<'_>) -> Content {
        match &self.buffer {
            Some(text) => Content::Text(text.to_string()),
            None => load(self.index),
        }
    }

    /// Its content, if it has not changed since it was read.
    pub fn unchanged(&self, load: &Load<'_>) -> Option<Content> {
        let content = self.content(load);
        (Digest::of(&content) == self.read.digest).then_some(content)
    }

    /// The text of a manifest or a template, if it has not changed since it was read.
    pub fn unchanged_text(&self, load: &Load<'_>) -> Option<String> {
        match self.unchanged(load)? {
            Content::Text(text) | Content::Template(text) => Some(text),
            Content::Irrelevant
            | Content::Parameters(_)
            | Content::Unusable(_)
            | Content::Unreadable(_) => None,
        }
    }
}
