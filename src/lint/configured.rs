//! Node pools that stand in the configuration only.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::source::{SourceId, Span};

/// The pools of a configuration, which is this source.
pub fn pools(config: &Config, source: SourceId) -> impl Iterator<Item = NodePool> {
    let here = move |span: Span| Some(Span { source, ..span });
    config.pools.iter().map(move |pool| NodePool {
        name: pool.name.clone(),
        provider: "configuration".to_owned(),
        cluster: pool.cluster.clone(),
        labels: NodeLabels {
            labels: pool
                .labels
                .iter()
                .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
                .collect(),
            requirements: Vec::new(),
            others: OtherLabels::WellKnownOnly,
        },
        taints: pool
            .taints
            .iter()
            .map(|(taint, span)| PoolTaint {
                taint: taint.clone(),
                origin: Origin::Declared,
                span: here(*span),
                path: "pools".to_owned(),
                spelled: None,
                fields: BTreeMap::new(),
            })
            .collect(),
        complete: true,
        span: here(pool.span),
        name_span: here(pool.span),
        ..NodePool::default()
    })
}
