//! What the files of a repository say of deliveries to clusters.

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::Pointer;
use crate::extract::{ChartSources, FileFacts, GeneratedKey, Kustomization};
use crate::source::Span;

/// What files say of deliveries.
#[derive(Debug, Default)]
pub struct Deliveries<'d> {
    /// Objects that point to folders, sources or clusters.
    pub pointers: Vec<&'d Pointer>,
    /// Kustomization files, with what they name.
    pub kustomizations: Vec<&'d Kustomization>,
    /// Files that kustomizations put into objects.
    pub generated: Vec<&'d GeneratedKey>,
    /// The folders of the charts that a chart depends on, by its folder.
    pub charts: BTreeMap<String, Vec<String>>,
}

impl<'d> Deliveries<'d> {
    /// Takes them from the facts of all files, and from what these say of charts.
    pub fn of(facts: impl Iterator<Item = &'d FileFacts>, sources: &ChartSources) -> Self {
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
    }
}
