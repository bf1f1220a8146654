//! Finds the built-in kind that makes the pods of Helm values and custom resources, from a switch next to the list:
//! `kind: DaemonSet`, `mode: daemonset`, `useDaemonSet: true`, `daemonset: {enabled: true}`.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::yaml::{Field, Kind, Node, NodeId, Scalar};

/// Kinds that make pods, as normalized by [`plain`].
const KINDS: [(&str, &str); 6] = [
    ("daemonset", "DaemonSet"),
    ("deployment", "Deployment"),
    ("statefulset", "StatefulSet"),
    ("replicaset", "ReplicaSet"),
    ("cronjob", "CronJob"),
    ("job", "Job"),
];

/// Suffixes of the names of fields whose value is such a kind.
const SWITCHES: [&str; 6] = ["kind", "type", "mode", "controller", "workload", "as"];

/// Fields of a map that say whether its object is created at all.
const MADE: [&str; 4] = ["enabled", "enable", "create", "install"];

/// A map on the way from an object to the list, with its key.
pub(super) type Step<'a> = (Node<'a>, Option<&'a str>);

/// Returns the kind that makes the pods of a map that contains tolerations: from the map itself, or else from the nearest
/// map around it. `way` goes from the map outward and ends with the whole object. `None` if nothing names a kind.
pub(super) fn beside<'a>(
    way: impl IntoIterator<Item = Step<'a>>,
    switches: &Switches,
) -> Option<String> {
    let mut way = way.into_iter().peekable();
    let (own, name) = way.next()?;
    let is_root = way.peek().is_none();
    let said = switches
        .of(own, is_root)
        .or_else(|| made_switch(own))
        .or_else(|| kind_of(name?));
    let said = said.or_else(|| {
        while let Some((node, name)) = way.next() {
            let is_root = way.peek().is_none();
            let said = switches.of(node, is_root).or_else(|| kind_of(name?));
            if said.is_some() {
                return said;
            }
        }
        None
    });
    said.map(str::to_owned)
}

/// What the switches of the maps of one document say, for those that were asked for: many lists have the same maps around
/// them.
#[derive(Debug, Default)]
pub(super) struct Switches(RefCell<HashMap<(NodeId, bool), Option<&'static str>>>);

impl Switches {
    fn of(&self, map: Node<'_>, is_root: bool) -> Option<&'static str> {
        let mut known = self.0.borrow_mut();
        let said = known.entry((map.id(), is_root));
        *said.or_insert_with(|| own_switch(map, is_root))
    }
}

/// What a switch among the fields of a map says: `kind: DaemonSet`, `controller: {type: daemonset}`, `useDaemonSet: true`.
fn own_switch(map: Node<'_>, is_root: bool) -> Option<&'static str> {
    // The `kind` of an object is not a switch.
    let is_object = is_root && map.get("apiVersion").is_some();
    let mut found = None;
    for field in map.written_fields() {
        let Some(name) = field.name() else { continue };
        let said = if is_object && name == "kind" {
            None
        } else {
            switch(name, &field)
        };
        match (found, said) {
            (None, said) => found = said,
            // Contradicting switches say nothing.
            (Some(one), Some(other)) if one != other => return None,
            _ => {}
        }
    }
    found
}

fn switch(name: &str, field: &Field<'_>) -> Option<&'static str> {
    let plain = plain(name);
    match (field.value.kind(), field.value.scalar()) {
        (Kind::Scalar, Some(Scalar::Bool(on))) => {
            let kind = kind_of(name)?;
            match (on, kind) {
                (true, kind) => Some(kind),
                // If it is not a DaemonSet although it could be one, assume the most common kind.
                (false, "DaemonSet") if plain != "daemonset" => Some("Deployment"),
                (false, _) => None,
            }
        }
        (Kind::Scalar, _) => {
            let is_switch = SWITCHES.iter().any(|end| plain.ends_with(end));
            is_switch.then(|| named(field.value.raw()?)).flatten()
        }
        (Kind::Mapping, _) if ["controller", "workload"].contains(&plain.as_str()) => {
            let own = ["kind", "type", "mode"];
            let said = own.iter().filter_map(|key| field.value.get(key)?.raw());
            said.filter_map(named).next()
        }
        _ => None,
    }
}

/// The only kind that a map creates: `daemonset: {enabled: true}` next to the list.
fn made_switch(map: Node<'_>) -> Option<&'static str> {
    let mut made = map.written_fields().filter_map(|field| {
        let kind = named(field.name()?)?;
        let is_made = MADE.iter().any(|key| {
            let value = field.value.get(key);
            value.is_some_and(|value| value.scalar() == Some(Scalar::Bool(true)))
        });
        is_made.then_some(kind)
    });
    match (made.next(), made.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The kind at the end of a name: `useDaemonSet`, `nodeDaemonset`, `deployment`.
fn kind_of(name: &str) -> Option<&'static str> {
    let name = plain(name);
    let found = KINDS.iter().find(|(kind, _)| name.ends_with(kind));
    found.map(|(_, kind)| *kind)
}

/// The kind that a text names.
fn named(text: &str) -> Option<&'static str> {
    let text = plain(text);
    let found = KINDS.iter().find(|(kind, _)| *kind == text);
    found.map(|(_, kind)| *kind)
}

/// Normalizes a name for comparison.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|one| one.to_ascii_lowercase()).collect()
}
