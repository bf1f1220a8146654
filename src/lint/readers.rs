//! Who reads an object: an API server, whatever fills in Helm values, or a program that has a decoder of its own.

use super::facts::owner_fact;
use crate::extract::{Table, api_group};
use crate::model::notice::{Notice, NoticeValue};
use crate::model::path_words::is_broken_on_purpose;
use crate::model::workload::Level;
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// Who reads an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// An API server, strictly by the type of each field.
    ApiServer,
    /// A chart, which usually hands on what it is given.
    Values,
    /// Some program of its own.
    Program,
    /// Nobody knows.
    Unknown,
}

impl Reader {
    /// The word that rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Reader::ApiServer => "api-server",
            Reader::Values => "values",
            Reader::Program => "program",
            Reader::Unknown => "unknown",
        }
    }
}

/// Who reads the object in which something was noticed, in the file of this path.
pub fn of(notice: &Notice, path: &str, table: &Table) -> Reader {
    let object = &notice.object;
    let is_own_file = table.is_own_file(api_group(&object.api_version), &object.kind);
    // What an API server keeps has a name.
    let has_name = object.name.is_some();
    match notice.level {
        _ if is_own_file => Reader::Program,
        Level::Typed | Level::Custom => Reader::ApiServer,
        Level::Other if !object.kind.is_empty() && !has_name => Reader::Program,
        Level::Values => Reader::Values,
        Level::Other if !object.kind.is_empty() => Reader::Values,
        Level::Other if is_for_values(path) => Reader::Values,
        Level::Other => Reader::Unknown,
    }
}

/// Whether a file without a kind holds Helm values, by its path.
fn is_for_values(path: &str) -> bool {
    const WORDS: [&str; 5] = ["values", "helm", "chart", "charts", "releases"];
    let parts = path.split(['/', '.', '-', '_']);
    parts
        .map(str::to_ascii_lowercase)
        .any(|part| WORDS.contains(&part.as_str()))
}

/// `notice`, and `workload` as far as it is known.
///
/// `reader` is who reads the object, in the file of this path below the scanned folder.
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
