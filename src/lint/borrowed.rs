//! Pod templates that other objects make pods of, such as those of ProvisioningRequests: they are judged like Pods.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::extract::{Borrowed, is_placeholder};
use crate::model::workload::{Stands, Workload};

/// By kind and name, and then by namespace.
type ByName<'b> = HashMap<(&'b str, &'b str), BTreeMap<Option<&'b str>, &'b Borrowed>>;

/// Treats templates that something makes pods of as pods.
pub fn run(workloads: &mut [Workload], borrowed: &[Borrowed]) {
    let mut by_name = ByName::new();
    for one in borrowed {
        let in_namespaces = by_name.entry((&one.kind, &one.name)).or_default();
        in_namespaces.insert(one.namespace.as_deref(), one);
    }
    for workload in workloads {
        if workload.stands != Stands::ForOthers {
            continue;
        }
        let Some(by) = of(workload, &by_name) else {
            continue;
        };
        workload.stands = Stands::Alone;
        let shape = Arc::make_mut(&mut workload.shape);
        shape.possible.extend(by.gives.iter().cloned());
    }
}

/// The object that makes pods of a template. It is in the same namespace, which either of them may leave to others.
fn of<'b>(workload: &Workload, by_name: &ByName<'b>) -> Option<&'b Borrowed> {
    let object = &workload.object;
    let found = by_name.get(&(object.kind.as_str(), object.name.as_deref()?))?;
    let own = object.namespace.as_deref();
    let by = match own.filter(|one| !is_placeholder(one)) {
        Some(own) => found.get(&Some(own)).or_else(|| found.get(&None)),
        None => found.values().next(),
    };
    by.copied()
}
