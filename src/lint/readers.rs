//! The consumer of an object: an API server, whatever fills in Helm values, or a program with its own decoder.

use super::facts::owner_fact;
use crate::extract::{Table, api_group};
use crate::model::notice::{Notice, NoticeValue};
use crate::model::path_words::is_broken_on_purpose;
use crate::model::workload::Level;
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// The consumer of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// An API server, which checks the type of each field strictly.
    ApiServer,
    /// A chart, which usually passes on what it gets.
    Values,
    /// A program with its own decoder.
    Program,
    /// The consumer is unknown.
    Unknown,
}

impl Reader {
    /// The name that rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Reader::ApiServer => "api-server",
            Reader::Values => "values",
            Reader::Program => "program",
            Reader::Unknown => "unknown",
        }
    }
}

/// The consumer of the object with a notice, in the file at this path.
pub fn of(notice: &Notice, path: &str, table: &Table) -> Reader {
    let object = &notice.object;
    let is_own_file = table.is_own_file(api_group(&object.api_version), &object.kind);
    // Objects stored by an API server have names.
    let has_name = object.name.is_some();
    match notice.level {
        _ if is_own_file => Reader::Program,
        Level::Typed | Level::Custom => Reader::ApiServer,
        Level::Other if !object.kind.is_empty() && !has_name => Reader::Program,
        Level::Chart | Level::Values => Reader::Values,
        Level::Other if !object.kind.is_empty() => Reader::Values,
        Level::Other if is_for_values(path) => Reader::Values,
        Level::Other => Reader::Unknown,
    }
}

/// Whether a file without a kind contains Helm values, judging by its path.
fn is_for_values(path: &str) -> bool {
    const WORDS: [&str; 5] = ["values", "helm", "chart", "charts", "releases"];
    let parts = path.split(['/', '.', '-', '_']);
    parts
        .map(str::to_ascii_lowercase)
        .any(|part| WORDS.contains(&part.as_str()))
}

/// The facts `notice` and `workload`, as far as the workload is known.
///
/// `reader` is the consumer of the object, in the file at this path below the scanned folder.
pub fn facts(notice: &Notice, reader: Reader, path: &str) -> (Fact, Fact) {
    let head = FactBuilder::new(FactKind::Notice)
        .text("kind", notice.kind.as_str())
        .text("reader", reader.as_str())
        .bool("brokenOnPurpose", is_broken_on_purpose(path));
    let fields = notice.kind.fields().into_iter();
    let fact = fields.fold(head, |fact, (name, value)| match value {
        NoticeValue::Text(text) => fact.text(name, text),
        NoticeValue::Bool(value) => fact.bool(name, value),
    });
    let fact = fact.build();
    let group = api_group(&notice.object.api_version);
    let owner = owner_fact(&notice.object.kind, group, notice.level).build();
    (fact, owner)
}
