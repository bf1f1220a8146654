//! Documents that cannot matter: objects that say nothing of pods or nodes, in YAML that is surely valid. They are counted and
//! not parsed, which saves most of the work on many repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::ignores::Ignores;
use super::notation::api_group;
use super::table::Table;
use crate::builtin;
use crate::source::SourceId;
use crate::source::text::Cut as _;
use crate::yaml::{self, Outline, Stream};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    words: Words,
    kinds: Vec<Row>,
}

#[derive(Deserialize)]
struct Words {
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Row {
    group: String,
    kinds: BTreeSet<String>,
    /// The field whose keys must include one that is the name of a file.
    #[serde(default)]
    with_file_in: Option<String>,
    /// More words that an object may not contain.
    #[serde(default)]
    without: Vec<String>,
}

static KINDS: LazyLock<File> = LazyLock::new(|| builtin::table(builtin::QUIET_KINDS));

/// Finds a word by which any object may matter.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = KINDS.words.words.iter();
    let words: Vec<String> = words.map(|word| regex::escape(word)).collect();
    Regex::new(&words.join("|")).ok()
});

impl File {
    fn row(&self, group: &str, kind: &str) -> Option<&Row> {
        let mut rows = self.kinds.iter();
        rows.find(|row| row.group == group && row.kinds.contains(kind))
    }
}

/// The kinds of documents that cannot matter, with their number.
pub(super) type Quiet = BTreeMap<String, u32>;

/// A file without the documents that cannot matter.
pub(super) struct Parsed {
    /// The other documents.
    pub(super) stream: Stream,
    /// Those that cannot matter.
    pub(super) quiet: Quiet,
}

/// Parses a file, except for documents that cannot matter.
pub(super) fn parse(text: &str, id: SourceId, table: &Table) -> Parsed {
    if let Some((parts, quiet)) = parts(text, table) {
        let mut stream = Stream::default();
        for part in parts {
            stream.append(yaml::parse(text.within(part.clone()), id), part.start);
        }
        // What is wrong with a document may depend on the next one.
        if stream.errors.is_empty() {
            return Parsed { stream, quiet };
        }
    }
    parse_all(text, id)
}

/// Parses all of a file.
pub(super) fn parse_all(text: &str, id: SourceId) -> Parsed {
    Parsed {
        stream: yaml::parse(text, id),
        quiet: Quiet::new(),
    }
}

/// The parts of a text to be parsed, and the kinds of the documents between them. `None` if all of it must be.
fn parts(text: &str, table: &Table) -> Option<(Vec<Range<usize>>, Quiet)> {
    if Ignores::may_be_in(text) {
        return None;
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut quiet = Quiet::new();
    for document in yaml::split(text)? {
        if let Some(kind) = quiet_kind(text.within(document.clone()), table) {
            *quiet.entry(kind.to_owned()).or_default() += 1;
            continue;
        }
        match parts.last_mut() {
            Some(last) if last.end == document.start => last.end = document.end,
            _ => parts.push(document),
        }
    }
    (!quiet.is_empty()).then_some((parts, quiet))
}

/// The kind of a document that cannot matter.
fn quiet_kind<'t>(text: &'t str, table: &Table) -> Option<&'t str> {
    // Most documents that matter are told by their kind, which is cheaper to find than the rest.
    let named = text.match_indices("kind:").find_map(|(at, key)| {
        let is_top = at == 0 || text.until(at).ends_with('\n');
        let line = text.since(at + key.len()).split('\n').next()?;
        is_top.then(|| line.trim_matches([' ', '"', '\'']))
    })?;
    let mut rows = KINDS.kinds.iter().filter(|row| row.kinds.contains(named));
    let is_skipped = rows.clone().any(|row| table.is_skipped(&row.group, named));
    rows.next()?;
    if !is_skipped && WORDS.as_ref()?.is_match(text) {
        return None;
    }
    let outline = yaml::outline(text)?;
    let group = api_group(only_value(&outline, "apiVersion")?);
    let row = KINDS.row(group, only_value(&outline, "kind")?)?;
    let is_told_apart = row.without.iter().all(|word| !text.contains(word));
    if !is_told_apart
        || table.has_rows(group, named)
        || (is_skipped && !table.is_skipped(group, named))
    {
        return None;
    }
    let has_file = |field: &str| {
        let mut below = outline.below.iter();
        below.any(|(at, key)| {
            let owner = outline.fields.get(*at);
            key.contains(['.', '-']) && owner.is_some_and(|(name, _)| *name == field)
        })
    };
    row.with_file_in
        .as_deref()
        .is_none_or(has_file)
        .then_some(named)
}

/// The value of a key of the root, if it is written once and as a word.
fn only_value<'t>(outline: &Outline<'t>, key: &str) -> Option<&'t str> {
    let mut all = outline.fields.iter().filter(|(name, _)| *name == key);
    let (_, value) = all.next().filter(|_| all.next().is_none())?;
    let value = value.trim_end_matches(' ');
    let quotes = ['"', '\''];
    let value = quotes
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-');
    value.bytes().all(is_word).then_some(value)
}
