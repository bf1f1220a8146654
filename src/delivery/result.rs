//! The result: the clusters, and what runs in each.

use std::collections::BTreeMap;

use super::applied::Applied;
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
    /// Objects that some clusters get in another form. The key is the file where an object is used, and where the object starts;
    /// the value is where it ends, and these clusters.
    pub replaced: BTreeMap<(SourceId, SourceId, u32), (u32, Vec<usize>)>,
    /// What Kustomizations of Flux apply, if any of them changes it.
    pub applied: Vec<Applied>,
    /// What is not known.
    pub troubles: Vec<Trouble>,
}

impl Graph {
    /// The clusters of what is said at a place of a file, perhaps by a part of another file.
    pub fn clusters_of(&self, (source, path): (SourceId, &str), span: Span) -> Vec<usize> {
        if let Some(clusters) = at(&self.of_object, span) {
            return clusters.to_vec();
        }
        let of_file = self.of_file.get(path).map_or(&[][..], Vec::as_slice);
        let before = self
            .replaced
            .range(..=(source, span.source, span.start))
            .next_back();
        let is_in = |object: &(SourceId, SourceId, u32), end: u32| {
            (object.0, object.1) == (source, span.source) && end >= span.end
        };
        let own = before.filter(|(object, (end, _))| is_in(object, *end));
        let without = own.map_or(&[][..], |(_, (_, clusters))| clusters);
        let clusters = of_file.iter().copied();
        clusters.filter(|one| !without.contains(one)).collect()
    }

    /// Notes that some clusters get another form of an object that is used in a file.
    pub fn replace(
        &mut self,
        used: SourceId,
        object: Span,
        clusters: impl IntoIterator<Item = usize>,
    ) {
        let start = (used, object.source, object.start);
        let (_, known) = self
            .replaced
            .entry(start)
            .or_insert_with(|| (object.end, Vec::new()));
        known.extend(clusters);
        known.sort_unstable();
        known.dedup();
    }
}

/// The clusters of the object that a place is in.
fn at(objects: &BTreeMap<(SourceId, u32), (u32, Vec<usize>)>, span: Span) -> Option<&[usize]> {
    let before = objects.range(..=(span.source, span.start)).next_back();
    let ((source, _), (end, clusters)) = before?;
    (*source == span.source && *end >= span.end).then_some(clusters)
}
