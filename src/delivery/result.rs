//! The result: the clusters, and what runs in each.

use std::collections::BTreeMap;

use super::clusters::Known;
use super::trouble::Trouble;
use crate::source::{SourceId, Span};

/// What runs where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The clusters.
    pub clusters: Vec<Known>,
    /// For each file that some cluster reaches, the clusters.
    pub of_file: BTreeMap<String, Vec<usize>>,
    /// For objects whose pods run in other clusters than the object itself, by their start: their end, and the clusters.
    pub of_object: BTreeMap<(SourceId, u32), (u32, Vec<usize>)>,
    /// What is not known.
    pub troubles: Vec<Trouble>,
}

impl Graph {
    /// The clusters of what is at a place in a file.
    pub fn clusters_of(&self, path: &str, span: Span) -> &[usize] {
        let before = self
            .of_object
            .range(..=(span.source, span.start))
            .next_back();
        if let Some(((source, _), (end, clusters))) = before
            && *source == span.source
            && *end >= span.end
        {
            return clusters;
        }
        self.of_file.get(path).map_or(&[], Vec::as_slice)
    }
}
