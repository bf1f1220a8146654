//! The pods that the values of a chart reach.

use std::collections::BTreeSet;

use super::chart_values::Instance;
use crate::charts;
use crate::model::Truth;

/// The pods that a group reaches.
pub(super) struct Reached<'p> {
    /// The built-in kind that makes the pods; `DaemonSet` if one of several is. Empty for custom resources.
    pub(super) kind: &'p str,
    /// The only kind, if it is a built-in one.
    pub(super) only: bool,
    /// The name of the only object.
    pub(super) name: Option<&'p str>,
    /// Its namespace, if its template says one.
    pub(super) namespace: Option<&'p str>,
}

/// The pods that the values reach, or `None` if there are none.
pub(super) fn reached<'g>(of: &Instance<'g, '_>) -> Option<Reached<'g>> {
    let group = of.group;
    let under: Vec<(&charts::Pod, Truth)> = group
        .pods_if
        .iter()
        .flat_map(|one| {
            let truth = of.values.holds(&one.condition, of.caught);
            one.pods.iter().map(move |pod| (pod, truth))
        })
        .collect();
    // The same name under another condition is another kind of the same program.
    let is_replaced = |pod: &charts::Pod| {
        under.iter().any(|(other, truth)| {
            *truth == Truth::Yes && other.name == pod.name && other.kind != pod.kind
        })
    };
    let always = group.pods.iter().filter(|pod| !is_replaced(pod));
    let perhaps = under.iter().filter(|(_, truth)| *truth != Truth::No);
    let pods: Vec<&charts::Pod> = always.chain(perhaps.map(|(pod, _)| *pod)).collect();
    let first = *pods.first()?;
    let built_in: BTreeSet<&str> = pods
        .iter()
        .filter(|pod| pod.place.is_none())
        .map(|pod| pod.kind.as_str())
        .collect();
    let is_custom = pods.iter().any(|pod| pod.place.is_some());
    let kind = match built_in.get("DaemonSet") {
        Some(kind) => *kind,
        None if is_custom => "",
        None => first.kind.as_str(),
    };
    let name = Some(first.name.as_str())
        .filter(|name| !name.starts_with(['*', '(']))
        .filter(|name| pods.iter().all(|pod| pod.name == **name));
    Some(Reached {
        kind,
        only: built_in.len() == 1 && !is_custom,
        name,
        namespace: first.namespace.as_deref().filter(|_| name.is_some()),
    })
}
