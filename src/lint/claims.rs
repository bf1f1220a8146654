//! Claims of the configuration that cannot be: a cluster without node pools whose pools are all known.

use std::collections::BTreeMap;

use super::cluster::configured_clusters;
use super::gather::Gathered;
use crate::config::Config;
use crate::finding::Problem;
use crate::source::Span;

/// A problem for each place of the configuration that says of a cluster without node pools that these are all.
pub fn complete_without_pools(gathered: &Gathered, config: &Config) -> Vec<Problem> {
    let mut bare: BTreeMap<Span, Vec<&str>> = BTreeMap::new();
    let clusters = configured_clusters(gathered, config, true);
    for (at, (cluster, written)) in clusters.iter().zip(&config.clusters).enumerate() {
        let claimed = written.complete_span.filter(|_| written.complete);
        // Of a document that could not be read nobody knows whether it holds some; the report counts that.
        let may_have = || gathered.is_unread(config, at, |unread| unread.pools);
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
                one_more => format!(" (and of {one_more} more)"),
            };
            let message = format!(
                "`complete: true` says that all node pools of cluster `{first}`{more} are known, and none was read; name them \
                 under `pools`, give an `inventory`, or leave `complete` out"
            );
            Some(config.problem(span, message))
        })
        .collect()
}
