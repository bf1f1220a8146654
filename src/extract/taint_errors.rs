//! What the schemas of Nodes and other objects refuse or drop in a list of taints, besides invalid taints.

use super::pool_facts::{Element, PoolFacts};
use super::read::{TAINT_FIELDS, describe, is_filled_in, is_placeholder};
use crate::model::near_miss::nearest_word;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::Level;
use crate::yaml::{self, Node, Scalar};

/// Reports misspelt names of taint lists where the schema of a Node or a Karpenter pool drops or refuses them.
pub(super) fn misspelt_lists(element: &Element<'_, '_>) -> PoolFacts {
    let mut facts = PoolFacts::default();
    let object = element.document.object;
    let (holder, owner, lists): (&[&str], _, &[&str]) = match object.kind.as_str() {
        "Node" if object.api_version == "v1" => (&["spec"], "a Node's spec", &["taints"]),
        "NodePool" if object.api_version.starts_with("karpenter.sh/") => (
            &["spec", "template", "spec"],
            "a NodePool's template",
            &["taints", "startupTaints"],
        ),
        _ => return facts,
    };
    let mut node = Some(element.document.root);
    let mut path = element.document.base.to_owned();
    for name in holder {
        node = node.and_then(|node| node.get(name));
        path = yaml::join(&path, name);
    }
    let fields = node.map(|node| node.fields()).unwrap_or_default();
    for field in &fields {
        if field
            .name()
            .is_some_and(|name| nearest_word(name, lists).is_some())
        {
            let level = strict_level(element).unwrap_or(Level::Custom);
            let mut context = element.context(level, &mut facts.notices);
            context.unknown_field(field, &path, owner, lists);
            facts.doubt("a list of taints has a name that is never read");
        }
    }
    facts
}

/// Reports unknown fields. The schemas of Nodes and Karpenter pools have four fields of a taint, and drop or refuse others.
pub(super) fn unknown_fields(element: &Element<'_, '_>, item: Node<'_>, path: &str) -> Vec<Notice> {
    let mut notices = Vec::new();
    let api_version = element.document.object.api_version.as_str();
    let level = match api_version {
        "v1" => Level::Typed,
        other if other.starts_with("karpenter.sh/") => Level::Typed,
        _ => return notices,
    };
    let mut context = element.context(level, &mut notices);
    for field in item.fields() {
        let known = field
            .name()
            .is_none_or(|name| TAINT_FIELDS.contains(&name) || is_placeholder(name));
        if !known {
            context.unknown_field(&field, path, "a taint", &TAINT_FIELDS);
        }
    }
    notices
}

/// Whether taints must be lists of maps, as in a Node and a Karpenter pool.
pub(super) fn wants_maps(element: &Element<'_, '_>) -> bool {
    let api_version = element.document.object.api_version.as_str();
    !element.node.is_assembled()
        && (api_version == "v1" || api_version.starts_with("karpenter.sh/"))
}

/// Reports a taint that is not a map where it must be one.
pub(super) fn malformed(element: &Element<'_, '_>, item: Node<'_>, path: String) -> PoolFacts {
    let mut facts = PoolFacts::default();
    let level = strict_level(element).unwrap_or(Level::Custom);
    let kind = NoticeKind::MisshapenField {
        what: "a taint".to_owned(),
        found: describe(item),
        wanted: "a map",
    };
    let mut context = element.context(level, &mut facts.notices);
    context.note(kind, item.span(), path);
    facts.doubt("a taint is not a map");
    facts
}

/// Reports a wrong time. Nobody writes times by hand, but dumps contain them.
pub(super) fn wrong_time(element: &Element<'_, '_>, item: Node<'_>, path: &str) -> Vec<Notice> {
    let mut notices = Vec::new();
    let field = item.field("timeAdded").filter(|_| wants_maps(element));
    let Some(field) = field.filter(|field| !is_filled_in(field.value)) else {
        return notices;
    };
    let level = strict_level(element).unwrap_or(Level::Custom);
    let at = yaml::join(path, "timeAdded");
    let good = match field.value.scalar() {
        Some(Scalar::Null) => true,
        Some(Scalar::Str(text)) => yaml::time::is_rfc3339(text),
        _ => false,
    };
    if !good {
        let wanted = "a time such as 2024-01-31T00:00:00Z";
        let mut context = element.context(level, &mut notices);
        context.misshapen(&field, &at, wanted);
    }
    notices
}

/// The level for objects that an API server decodes. It refuses `value: true`; tools that read files accept it as a string.
pub(super) fn strict_level(element: &Element<'_, '_>) -> Option<Level> {
    // Patches of another program's settings are passed on unchanged.
    if !element.row.patches.is_empty() {
        return None;
    }
    let api_version = element.document.object.api_version.as_str();
    let group = api_version.split('/').next().unwrap_or_default();
    match group {
        "v1" => Some(Level::Typed),
        // Their schemas decode a taint like the built-in kinds do.
        "karpenter.sh" => Some(Level::Typed),
        other => other.ends_with("cluster.x-k8s.io").then_some(Level::Typed),
    }
}
