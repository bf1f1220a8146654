//! A word of a repository: a key or a value in one role, who declares it and how many places use it.

use std::collections::BTreeSet;

use crate::source::{SourceId, Span};

/// How many places must use a word that nothing declares, so that it has standing.
const USED: usize = 2;
/// How many times as many places must use a word as the one that may be mistaken: so that it is worth a word, and so that it
/// is very probably mistaken.
const ODDS: [usize; 2] = [2, 4];

/// One word of a lexicon.
#[derive(Debug, Default)]
pub(super) struct Word<'g> {
    pub(super) pool: Option<&'g str>,
    pub(super) declared_at: Option<Span>,
    pub(super) well_known: bool,
    pub(super) places: usize,
    pub(super) files: BTreeSet<SourceId>,
    pub(super) used_at: Option<Span>,
}

impl Word<'_> {
    /// Whether a pool declares it or it is well known.
    pub(super) fn exists(&self) -> bool {
        self.pool.is_some() || self.well_known
    }

    pub(super) fn has_standing(&self) -> bool {
        self.exists() || self.places >= USED
    }

    /// Whether so few places write it, compared with another word, that they may be mistaken.
    pub(super) fn is_odd_beside(&self, other: &Word<'_>) -> bool {
        !self.exists() && (other.places >= ODDS[0] * self.places || self.is_alone_beside(other))
    }

    /// Whether they are very probably mistaken.
    pub(super) fn is_alone_beside(&self, other: &Word<'_>) -> bool {
        other.places >= ODDS[1] * self.places || (other.exists() && self.files.len() <= 1)
    }
}

/// Whether a person or a tool writes another value in place of this one.
pub(super) fn is_stand_in(value: &str) -> bool {
    const WORDS: [&str; 6] = [
        "changeme",
        "fixme",
        "placeholder",
        "replaceme",
        "tbd",
        "todo",
    ];
    const BEGINNINGS: [&str; 3] = ["replace-with-", "replaced-by-", "set-by-"];
    let plain = value.to_ascii_lowercase().replace(['_', '.'], "-");
    WORDS.contains(&plain.replace('-', "").as_str())
        || BEGINNINGS.iter().any(|start| plain.starts_with(start))
}
