//! The file that is being read, for everything that reads a part of it.

use super::table::Table;
use crate::source::{Source, SourceId};

/// A file, and the tables that it is read by.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) source: &'r Source,
    pub(super) id: SourceId,
    pub(super) table: &'r Table,
    /// What is no object in it is values of a chart.
    pub(super) is_values: bool,
}

/// Whether a file is one of values, by the names in its path: `values.yaml`, `web-values.yml`, `values/prod.yaml`.
pub(super) fn names_values(path: &str) -> bool {
    path.split(['/', '-', '_', '.'])
        .any(|word| word.eq_ignore_ascii_case("values"))
}
