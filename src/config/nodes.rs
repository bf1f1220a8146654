//! Nodes as the values that a configuration expects, with a problem wherever one is something else.

use std::collections::HashSet;
use std::fmt::Display;

use super::{Located, Pattern, PatternError};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::source::{Source, Span};
use crate::yaml::{Field, Kind, Node, Scalar};

/// How many entries are looked at in all. Aliases can make a small file say very much.
const ENTRY_LIMIT: usize = 100_000;

/// Reads nodes and keeps what is wrong with them; whoever asks goes on with less.
pub(super) struct Reader<'s> {
    source: &'s Source,
    pub(super) problems: Vec<Problem>,
    entries: usize,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Reader {
            source,
            problems: Vec::new(),
            entries: 0,
        }
    }

    /// Nothing was left unread since there were `problems` of them, so that what is missing was not written.
    pub(super) fn is_clean_since(&self, problems: usize) -> bool {
        self.problems.len() == problems && self.entries <= ENTRY_LIMIT
    }

    pub(super) fn pattern(
        &mut self,
        node: Node<'_>,
        what: &str,
        compile: fn(&str, Span) -> Result<Pattern, PatternError>,
    ) -> Option<Pattern> {
        let text = self.text(node, what)?;
        self.keep(compile(text, node.written_at()), node.written_at())
    }

    pub(super) fn located_texts(&mut self, node: Node<'_>, what: &str) -> Vec<Located> {
        self.items(node, what)
            .into_iter()
            .filter_map(|item| self.located_text(item, &format!("an entry of {what}")))
            .collect()
    }

    /// A text that may not be empty.
    pub(super) fn located_text(&mut self, node: Node<'_>, what: &str) -> Option<Located> {
        let value = self.text(node, what)?.to_owned();
        let span = node.written_at();
        if value.is_empty() {
            self.problem(span, format!("{what} must not be empty"));
            return None;
        }
        Some(Located { value, span })
    }

    pub(super) fn text<'d>(&mut self, node: Node<'d>, what: &str) -> Option<&'d str> {
        match (node.scalar(), node.raw()) {
            (Some(Scalar::Str(text)), _) => Some(text),
            (Some(scalar), Some(raw)) if scalar != Scalar::Null => {
                self.problem(
                    node.written_at(),
                    format!("{what} must be a string; write \"{raw}\""),
                );
                None
            }
            _ => {
                self.wrong_kind(node, what, "a string");
                None
            }
        }
    }

    pub(super) fn boolean(&mut self, node: Node<'_>, what: &str) -> Option<bool> {
        let value = node.as_bool();
        if value.is_none() {
            self.wrong_kind(node, what, "true or false");
        }
        value
    }

    /// The items of a list. A value that is not written is an empty list.
    pub(super) fn items<'d>(&mut self, node: Node<'d>, what: &str) -> Vec<Node<'d>> {
        if node.kind() == Kind::Sequence {
            let items: Vec<_> = node.items().collect();
            if self.may_read(items.len(), node) {
                return items;
            }
        } else if !node.is_null() {
            self.wrong_kind(node, what, "a list");
        }
        Vec::new()
    }

    /// The fields of a mapping whose keys are names that the user chose.
    pub(super) fn named_fields<'d>(
        &mut self,
        node: Node<'d>,
        what: &str,
    ) -> Vec<(&'d str, Field<'d>)> {
        if node.kind() != Kind::Mapping {
            if !node.is_null() {
                self.wrong_kind(node, what, "a mapping");
            }
            return Vec::new();
        }
        let mut seen = HashSet::new();
        for field in node.written_fields().filter(|field| !field.is_merge()) {
            if let Some(name) = field.name()
                && !seen.insert(name)
            {
                self.problem(
                    field.key.written_at(),
                    format!("duplicate key `{name}` in {what}"),
                );
            }
        }
        let fields = node.fields();
        if !self.may_read(fields.len(), node) {
            return Vec::new();
        }
        let mut named = Vec::new();
        for field in fields {
            match field.name() {
                Some("") | None => {
                    self.problem(
                        field.key.written_at(),
                        format!("a key in {what} is empty or not a string"),
                    );
                }
                Some(name) => named.push((name, field)),
            }
        }
        named
    }

    /// The fields of a mapping that may hold these keys only.
    pub(super) fn known_fields<'d>(
        &mut self,
        node: Node<'d>,
        what: &str,
        keys: &[&'static str],
    ) -> Vec<(&'static str, Field<'d>)> {
        let mut known = Vec::new();
        for (name, field) in self.named_fields(node, what) {
            match keys.iter().find(|key| **key == name) {
                Some(key) => known.push((*key, field)),
                None => self.unknown(field.key, &format!("key in {what}"), name, keys),
            }
        }
        known
    }

    fn may_read(&mut self, entries: usize, node: Node<'_>) -> bool {
        let before = self.entries;
        self.entries = before.saturating_add(entries);
        let may = self.entries <= ENTRY_LIMIT;
        if !may && before <= ENTRY_LIMIT {
            self.problem(
                node.written_at(),
                format!("the configuration has more than {ENTRY_LIMIT} entries"),
            );
        }
        may
    }

    pub(super) fn unknown(&mut self, key: Node<'_>, sort: &str, word: &str, known: &[&str]) {
        self.problem(key.written_at(), unknown(sort, word, known));
    }

    pub(super) fn wrong_kind(&mut self, node: Node<'_>, what: &str, expected: &str) {
        const LONGEST: usize = 40;
        let written = self.source.slice(node.written_at());
        let found = match node.kind() {
            Kind::Mapping => "a mapping".to_owned(),
            Kind::Sequence => "a list".to_owned(),
            Kind::Scalar if node.is_null() => "nothing".to_owned(),
            Kind::Scalar if written.len() <= LONGEST && !written.contains('\n') => {
                format!("`{written}`")
            }
            Kind::Scalar => "a string".to_owned(),
        };
        self.problem(
            node.written_at(),
            format!("{what} must be {expected}; found {found}"),
        );
    }

    /// The value, or its error as a problem.
    pub(super) fn keep<T, E: Display>(&mut self, result: Result<T, E>, span: Span) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problem(span, error.to_string());
                None
            }
        }
    }

    pub(super) fn problem(&mut self, span: Span, message: String) {
        self.problems.push(Problem {
            file: Some(self.source.path.clone()),
            position: Some(self.source.position(span.start)),
            message,
        });
    }
}

/// The message for a word that is none of those known.
pub(super) fn unknown(sort: &str, word: &str, known: &[&str]) -> String {
    match nearest_word(word, known) {
        Some(near) => format!("unknown {sort}: `{word}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("unknown {sort}: `{word}`; none are configured"),
        None => format!(
            "unknown {sort}: `{word}`; expected one of {}",
            spoken(known)
        ),
    }
}

pub(super) fn spoken(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
