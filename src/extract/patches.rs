//! Configuration inside strings (kind patches with kubeadm kinds, Talos configuration in Cluster API). It is read by
//! the rows for such documents, with places in the file instead of the string.

use std::collections::BTreeMap;

use super::FileFacts;
use super::notation::api_group;
use super::pool_document::{Condition, PoolDocument};
use super::pool_facts::{Element, PoolFacts};
use super::pool_rows::{PoolRow, Values};
use super::read::is_template_action;
use super::table::Table;
use crate::finding::Object;
use crate::model::Truth;
use crate::model::node_pool::PoolTaint;
use crate::yaml::{self, Embedded, Found, Node, Path};

/// Reads what a row finds in a document.
type ReadPools<'r> = &'r dyn Fn(&Table, &str, &PoolRow, &PoolDocument<'_>) -> FileFacts;

/// Reads the documents inside a string. Skips taints in `known`.
pub(super) fn read(
    element: &Element<'_, '_>,
    found: &Found<'_>,
    known: &[PoolTaint],
    read_pools: ReadPools<'_>,
) -> PoolFacts {
    let mut facts = PoolFacts::default();
    let Some(inner) = found.node.raw() else {
        if is_template_action(found.node) {
            facts.doubt("an embedded configuration is filled in by a template");
        }
        return facts;
    };
    let source = element.document.source;
    let stream = yaml::parse(inner, source);
    // A closing `}}` alone is the end of nested maps.
    let has_gaps = ["{{", "${", "{%"].iter().any(|open| inner.contains(open));
    if !stream.errors.is_empty() || has_gaps {
        facts.doubt("an embedded configuration could not be read");
    }
    let embedded = Embedded::new(element.document.text, found.node, inner);
    for document in &stream.documents {
        let object = object_of(document.root());
        let meant = &element.row.patch_kinds;
        if !meant.is_empty() && !meant.contains(&object.kind) {
            continue;
        }
        let document = PoolDocument {
            root: document.root(),
            object: &object,
            text: inner,
            source,
            file: "",
            base: "",
            after_unknown: None,
        };
        let Some((provider, row)) = row_of(element.table, &document) else {
            continue;
        };
        let row = PoolRow {
            matches: Values::new(),
            unless: Values::new(),
            match_written: Vec::new(),
            match_absent: Vec::new(),
            default_taints: Vec::new(),
            implied: Vec::new(),
            implied_labels: BTreeMap::new(),
            incomplete: None,
            ..row.clone()
        };
        for read in read_pools(element.table, provider, &row, &document).pools {
            let mut part = PoolFacts {
                labels: read.pool.labels.labels,
                taints_written: read.taints_written,
                ..PoolFacts::default()
            };
            if !read.pool.complete {
                let why = read.pool.incomplete_because.as_deref();
                part.doubt(why.unwrap_or("an embedded configuration could not be read"));
            }
            for mut taint in read.pool.taints {
                taint.span = taint.span.map(|span| embedded.place(span));
                for span in taint.fields.values_mut() {
                    *span = embedded.place(*span);
                }
                taint.path.clone_from(&found.path);
                let mut known = known.iter().chain(&facts.taints);
                if !known.any(|known| known.taint == taint.taint) {
                    part.taints.push(taint);
                }
            }
            facts.absorb(part);
        }
    }
    facts
}

/// The identity of an embedded document. kubeadm allows leaving out its API group.
fn object_of(root: Node<'_>) -> Object {
    let text = |name: &str| root.get(name).and_then(Node::as_str).unwrap_or_default();
    let kind = text("kind").to_owned();
    let api_version = match (text("apiVersion"), kind.as_str()) {
        ("", "KubeletConfiguration") => "kubelet.config.k8s.io/v1beta1",
        ("", "") => "",
        ("", _) => "kubeadm.k8s.io/v1beta4",
        (written, _) => written,
    };
    Object {
        api_version: api_version.to_owned(),
        kind,
        ..Object::default()
    }
}

/// Rows of one kind differ in what they match and imply, but not in where taints are, so the first one is enough.
fn row_of<'p>(table: &'p Table, document: &'p PoolDocument<'_>) -> Option<(&'p str, &'p PoolRow)> {
    let object = document.object;
    if object.kind.is_empty() {
        let mut rows = table.kindless_rows(document.root, "");
        return rows.find(|(_, row)| {
            let holds = Condition::of_row(row).holds(document, document.root);
            row.each == Path::default() && holds == Truth::Yes
        });
    }
    let group = api_group(&object.api_version);
    table.pool_rows(group, "", &object.kind).next()
}
