//! The file that is being read, as shared by all readers of its parts.

use super::chart_sources::ChartSources;
use super::installed::Installed;
use super::table::Table;
use crate::source::{Source, SourceId};
use crate::template::Templates;

/// A file, and the tables for reading it.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) source: &'r Source,
    pub(super) id: SourceId,
    pub(super) table: &'r Table,
    /// Addresses of charts in other files, as far as they have been read.
    pub(super) sources: &'r ChartSources,
    /// The chart whose values these are.
    pub(super) installed: Option<&'r Installed>,
    /// Templates of other files that the file includes.
    pub(super) templates: &'r Templates,
    /// Documents that are not objects are Helm values.
    pub(super) is_values: bool,
    /// How many texts contain this text.
    pub(super) depth: u8,
}

impl<'r> Reading<'r> {
    /// A file that is read without values and templates of others.
    pub(super) fn alone(
        source: &'r Source,
        id: SourceId,
        table: &'r Table,
        sources: &'r ChartSources,
    ) -> Reading<'r> {
        Reading {
            source,
            id,
            table,
            sources,
            installed: None,
            templates: Templates::none(),
            is_values: false,
            depth: 0,
        }
    }
}
