//! Reads the pools in an inventory. Their spans refer to the inventory, since that is the available file. Each entry
//! contains the place where its pool was declared.

use super::{API_VERSION, Inventory, KIND, Origin, Pool, Taint};
use crate::model::node_pool::{AutoscalerTemplate, NodePool, PoolTaint};
use crate::model::node_selection::NodeLabels;
use crate::model::taint;
use crate::source::SourceId;
use crate::yaml::{DeError, Node, from_node};

/// A parsed inventory.
#[derive(Clone, Debug)]
pub struct ReadInventory {
    /// Its file.
    pub source: SourceId,
    /// The inventory itself; the other field `pools` contains its pools.
    pub inventory: Inventory,
    /// The pools, for comparison with workloads, in the order of the inventory.
    pub pools: Vec<NodePool>,
}

/// Parses a document as an inventory, or returns `None` if it is not one.
///
/// # Errors
/// Returns all errors in the inventory.
pub fn read(root: Node<'_>, source: SourceId) -> Option<Result<ReadInventory, Vec<DeError>>> {
    let text = |key: &str| root.get(key).and_then(|node| node.raw());
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    if kind != KIND || !api_version.starts_with("kubetaint.io/") {
        return None;
    }
    if api_version != API_VERSION {
        return Some(Err(vec![DeError {
            message: format!(
                "unsupported inventory version {api_version}; this version of kubetaint reads {API_VERSION}"
            ),
            span: root
                .get("apiVersion")
                .map_or(root.span(), |node| node.span()),
        }]));
    }
    let reading = from_node::<Inventory>(root, "the inventory");
    let inventory = match reading.value {
        Some(inventory) if reading.errors.is_empty() => inventory,
        _ => return Some(Err(reading.errors)),
    };
    let nodes: Vec<Node<'_>> = root
        .get("pools")
        .map(|pools| pools.items().collect())
        .unwrap_or_default();
    let pools = inventory
        .pools
        .iter()
        .zip(nodes)
        .map(|(pool, node)| understand(pool, node))
        .collect();
    Some(Ok(ReadInventory {
        source,
        inventory,
        pools,
    }))
}

fn understand(pool: &Pool, node: Node<'_>) -> NodePool {
    let autoscaler = pool.autoscaler.as_ref().map(|template| AutoscalerTemplate {
        taints: understand_taints(&template.taints, node.get("autoscaler")),
        labels: template
            .labels
            .iter()
            .map(|(key, value)| (key.clone(), (value.clone(), node.span())))
            .collect(),
        complete: template.complete,
    });
    NodePool {
        open_labels: false,
        admission: Vec::new(),
        name: pool.name.clone(),
        provider: pool.provider.clone(),
        cluster: pool.cluster.clone(),
        variant: None,
        labels: NodeLabels {
            labels: pool.labels.clone(),
            requirements: pool.requirements.clone(),
            others: pool.other_labels,
        },
        taints: understand_taints(&pool.taints, Some(node)),
        weak: pool.weak,
        removes: pool.removes.iter().map(understand_taint).collect(),
        autoscaler,
        complete: pool.complete,
        open_keys: None,
        made_on_demand: false,
        incomplete_because: pool.incomplete_because.clone(),
        unschedulable: pool.unschedulable,
        span: Some(node.span()),
        name_span: node.field("name").map(|field| field.span()),
        object: pool.object.clone(),
    }
}

fn understand_taint(taint: &Taint) -> taint::Taint {
    taint::Taint {
        key: taint.key.clone(),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
    }
}

/// Converts taints, with their places in `owner`, which contains them under `taints`.
fn understand_taints(taints: &[Taint], owner: Option<Node<'_>>) -> Vec<PoolTaint> {
    let nodes: Vec<Node<'_>> = owner
        .and_then(|owner| owner.get("taints"))
        .map(|taints| taints.items().collect())
        .unwrap_or_default();
    taints
        .iter()
        .zip(nodes)
        .map(|(taint, node)| {
            PoolTaint {
                taint: understand_taint(taint),
                origin: taint.origin,
                // An implied taint is not declared anywhere, so findings point to the pool.
                span: (taint.origin != Origin::Implied).then(|| node.span()),
                path: taint.field.clone(),
                spelled: taint.spelled.clone(),
                fields: ["key", "value", "effect"]
                    .into_iter()
                    .filter_map(|name| Some((name, node.field(name)?.span())))
                    .collect(),
            }
        })
        .collect()
}
