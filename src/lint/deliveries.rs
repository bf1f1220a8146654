//! What the files of a repository say of deliveries to clusters.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomizations::Kustomizations;
use crate::delivery::Pointer;
use crate::extract::{ChartSources, FileFacts, GeneratedKey, Kustomization};
use crate::source::{SourceId, Span};

/// What files say of deliveries.
#[derive(Debug, Default)]
pub struct Deliveries<'d> {
    /// Objects that point to folders, sources or clusters.
    pub pointers: Vec<&'d Pointer>,
    /// Such objects as patches make them, each with the file of a kustomization that makes it.
    pub patched: Vec<(SourceId, &'d Pointer)>,
    /// Kustomization files, with what they name.
    pub kustomizations: Vec<&'d Kustomization>,
    /// Files that kustomizations put into objects.
    pub generated: Vec<&'d GeneratedKey>,
    /// The folders of the charts that a chart depends on, by its folder.
    pub charts: BTreeMap<String, Vec<String>>,
}

impl<'d> Deliveries<'d> {
    /// Takes them from the facts of all files, and from what these say of charts and kustomizations make of them.
    pub fn of(
        facts: impl Iterator<Item = &'d FileFacts>,
        sources: &ChartSources,
        kustomizations: &'d Kustomizations,
    ) -> Self {
        let mut found = Deliveries {
            charts: sources.own_dependencies(),
            ..Deliveries::default()
        };
        let mut in_heredocs = Vec::new();
        for one in facts {
            found.pointers.extend(&one.pointers);
            found.kustomizations.extend(&one.kustomizations);
            found.generated.extend(&one.generated);
            in_heredocs.extend(one.heredocs.iter().flat_map(|(_, inner)| &inner.pointers));
        }
        // A configuration that was evaluated says more of those that it uses.
        let known: BTreeSet<Span> = found.pointers.iter().map(|one| one.whole).collect();
        in_heredocs.retain(|one| !known.contains(&one.whole));
        found.pointers.extend(in_heredocs);
        found
            .pointers
            .retain(|one| !kustomizations.points_elsewhere(one));
        let patched = kustomizations.pointers().iter();
        found
            .patched
            .extend(patched.map(|(place, one)| (*place, one)));
        found
    }
}
