//! `whatif` for people and for programs: numbers first, then workloads.

mod json;
mod markdown;
mod text;

use std::collections::HashMap;

use crate::finding::{Affected, ChangedCluster, Effect, PoolNumbers, Stay, WhatIf};
use crate::output::count;

pub use json::write_whatif_json;
pub use markdown::write_whatif_markdown;
pub use text::WhatIfText;

/// One line that counts.
fn verdict(found: &WhatIf) -> String {
    let all: usize = found.clusters.iter().map(|one| one.workloads).sum();
    let parts = Effect::ALL.iter().filter_map(|effect| {
        let many = found.count(*effect);
        (many > 0).then(|| format!("{many} {}", effect.words()))
    });
    let parts: Vec<String> = parts.collect();
    let workloads = count(all, "workload", "workloads");
    match parts.as_slice() {
        [] if all == 0 => "nothing changes".to_owned(),
        [] => format!("nothing changes for {workloads}"),
        parts => format!(
            "of {workloads}: {}; {} unchanged",
            parts.join(", "),
            all.saturating_sub(found.affected.len())
        ),
    }
}

/// The pools that are changed, or that other workloads can run on.
fn worth_showing(cluster: &ChangedCluster) -> impl Iterator<Item = &PoolNumbers> {
    let pools = cluster.pools.iter();
    pools.filter(|pool| pool.changed || pool.before != pool.after)
}

/// Workloads that the same happens to, for the same reasons and in the same cluster.
fn grouped(found: &WhatIf) -> Vec<Vec<&Affected>> {
    let mut known = HashMap::new();
    let mut groups: Vec<Vec<&Affected>> = Vec::new();
    for one in &found.affected {
        let reasons = one.reasons.iter();
        let reasons: Vec<_> = reasons
            .map(|why| (&why.pool, why.stay.map(when), &why.reason, &why.taint))
            .collect();
        let key = (one.effect, &one.cluster, &one.before, &one.after, reasons);
        let next = groups.len();
        let at = *known.entry(key).or_insert(next);
        match groups.get_mut(at) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// When pods are evicted.
fn when(stay: Stay) -> String {
    match stay {
        Stay::Forever => "never".to_owned(),
        Stay::Evicted => "at once".to_owned(),
        Stay::For(seconds) => {
            let seconds = usize::try_from(seconds).unwrap_or(usize::MAX);
            format!("after {}", count(seconds, "second", "seconds"))
        }
        Stay::Unknown => "unknown".to_owned(),
    }
}
