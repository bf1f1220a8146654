//! Places in files: which workloads and pools belong to an object.

use std::collections::BTreeMap;

use crate::extract::ReadPool;
use crate::model::workload::Workload;
use crate::source::{SourceId, Span};

/// Places that do not overlap.
#[derive(Default)]
pub struct Spans(BTreeMap<(SourceId, u32), u32>);

impl Spans {
    /// Adds a place.
    pub fn add(&mut self, span: Span) {
        self.0.insert((span.source, span.start), span.end);
    }

    /// Whether a place is in one of them.
    pub fn contain(&self, span: Span) -> bool {
        let before = self.0.range(..=(span.source, span.start)).next_back();
        before.is_some_and(|((source, _), end)| *source == span.source && *end >= span.end)
    }
}

/// The workloads of an object.
pub fn within(workloads: &[Workload], origin: Span) -> impl Iterator<Item = &Workload> {
    let in_object = move |workload: &&Workload| is_within(workload.span, origin);
    workloads.iter().filter(in_object)
}

/// The pools of an object.
pub fn pools_within(pools: &[ReadPool], origin: Span) -> impl Iterator<Item = &ReadPool> {
    pools.iter().filter(move |read| {
        let own = read.pool.span.or(read.pool.name_span);
        own.is_some_and(|own| is_within(own, origin))
    })
}

/// Whether a place is in an object.
pub fn is_within(span: Span, origin: Span) -> bool {
    span.source == origin.source && span.start >= origin.start && span.end <= origin.end
}
