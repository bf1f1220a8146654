//! Configuration claims that cannot be true: a complete cluster without any node pool.

use std::collections::BTreeMap;

use super::cluster::configured_clusters;
use super::gather::Gathered;
use crate::config::Config;
use crate::finding::Problem;
use crate::source::Span;

/// A problem for each `complete: true` of a cluster without node pools.
pub fn complete_without_pools(gathered: &Gathered, config: &Config) -> Vec<Problem> {
    let mut bare: BTreeMap<Span, Vec<&str>> = BTreeMap::new();
    let clusters = configured_clusters(gathered, config, true);
    for (at, (cluster, written)) in clusters.iter().zip(&config.clusters).enumerate() {
        let claimed = written.complete_span.filter(|_| written.complete);
        // An unreadable document may contain pools; the report counts it.
        let may_have = || {
            gathered
                .first_unread(config, at, |unread| unread.pools)
                .is_some()
        };
        if let Some(span) = claimed
            && cluster.pools.is_empty()
            && !may_have()
        {
            bare.entry(span).or_default().push(&written.name);
        }
    }
    bare.into_iter()
        .filter_map(|(span, names)| {
            let (first, others) = names.split_first()?;
            let more = match others.len() {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            let message = format!(
                "`complete: true` says that all node pools of cluster `{first}`{more} are known, but none was found; list \
                 them under `pools`, name an `inventory`, or remove `complete`"
            );
            Some(config.problem(span, message))
        })
        .collect()
}
