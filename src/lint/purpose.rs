//! The purpose that a pool is reserved for. Pods that tolerate everything can run on such nodes, but seldom should.

use crate::model::node_pool::{NodePool, Origin};
use crate::model::well_known::{Meaning, WellKnown};

/// Keys of the taints and labels that separate Windows nodes.
const SYSTEMS: [&str; 4] = [
    "os",
    "kubernetes.io/os",
    "node.kubernetes.io/os",
    "beta.kubernetes.io/os",
];

/// `virtual`, `windows` or `dedicated`, or empty if nothing sets the pool apart.
pub fn of(pool: &NodePool, well_known: &WellKnown) -> &'static str {
    let label = |key: &str| pool.labels.labels.get(key).and_then(|value| value.text());
    let is_fargate = label("eks.amazonaws.com/compute-type") == Some("fargate");
    if is_fargate || label("type") == Some("virtual-kubelet") {
        return "virtual";
    }
    let runs_windows =
        |value: Option<&str>| value.is_some_and(|os| os.eq_ignore_ascii_case("windows"));
    if SYSTEMS.iter().any(|key| runs_windows(label(key))) {
        return "windows";
    }
    let mut dedicated = false;
    for (_, taint) in pool.blocking_taints() {
        let Some(key) = taint.taint.key.text() else {
            continue;
        };
        if SYSTEMS.contains(&key) && runs_windows(taint.taint.value.text()) {
            return "windows";
        }
        match well_known.find(key) {
            Some(row) if row.means == Meaning::Virtual => return "virtual",
            Some(_) => {}
            None => dedicated |= taint.origin == Origin::Declared,
        }
    }
    if dedicated { "dedicated" } else { "" }
}
