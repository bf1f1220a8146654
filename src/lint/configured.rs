//! Node pools that are declared in the kubetaint configuration.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};

/// The node pools declared in a configuration.
pub fn pools(config: &Config) -> impl Iterator<Item = NodePool> {
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
                span: Some(*span),
                path: "pools".to_owned(),
                spelled: None,
                fields: BTreeMap::new(),
            })
            .collect(),
        complete: true,
        span: Some(pool.span),
        name_span: Some(pool.span),
        ..NodePool::default()
    })
}
