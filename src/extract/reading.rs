//! The file that is being read, for everything that reads a part of it.

use super::table::Table;
use crate::source::{Source, SourceId};

/// A file, and the tables that it is read by.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) source: &'r Source,
    pub(super) id: SourceId,
    pub(super) table: &'r Table,
}
