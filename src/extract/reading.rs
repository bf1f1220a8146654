//! The file that is being read, as shared by all readers of its parts.

use super::table::Table;
use crate::source::{Source, SourceId};

/// A file, and the tables for reading it.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) source: &'r Source,
    pub(super) id: SourceId,
    pub(super) table: &'r Table,
    /// Documents that are not objects are Helm values.
    pub(super) is_values: bool,
    /// How many texts contain this text.
    pub(super) depth: u8,
}

/// Whether the names in a path mark a file of Helm values: `values.yaml`, `web-values.yml`, `values/prod.yaml`.
pub(super) fn names_values(path: &str) -> bool {
    path.split(['/', '-', '_', '.'])
        .any(|word| word.eq_ignore_ascii_case("values"))
}
