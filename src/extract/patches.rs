//! Configuration inside strings (kind's patches with kubeadm's kinds, Talos' configuration in Cluster API), read by the
//! rows for such documents, with places in the file and not in the string.

use std::collections::{BTreeMap, HashSet};

use super::embedded::Embedded;
use super::notation::api_group;
use super::pool_document::{Condition, PoolDocument};
use super::pool_rows::{PoolRow, Values};
use super::pools::{PoolReader, read_pools};
use super::read::is_template_action;
use crate::finding::Object;
use crate::model::Truth;
use crate::model::node_pool::NodePool;
use crate::yaml::{self, Found, Node, Path};

impl<'a> PoolReader<'_, 'a> {
    /// Documents inside a string.
    pub(super) fn read_patch(&mut self, found: &Found<'a>) {
        let Some(inner) = found.node.raw() else {
            if is_template_action(found.node) {
                self.incomplete("an embedded configuration is filled in by a template");
            }
            return;
        };
        let stream = yaml::parse(inner, self.document.source);
        // A closing `}}` alone is how maps in maps end.
        let has_gaps = ["{{", "${", "{%"].iter().any(|open| inner.contains(open));
        if !stream.errors.is_empty() || has_gaps {
            self.incomplete("an embedded configuration could not be read");
        }
        let embedded = Embedded::new(self.document.text, found.node, inner);
        for document in &stream.documents {
            let object = self.patch_object(document.root());
            let meant = &self.row.patch_kinds;
            if !meant.is_empty() && !meant.contains(&object.kind) {
                continue;
            }
            let inner_document = PoolDocument {
                root: document.root(),
                object: &object,
                text: inner,
                source: self.document.source,
                file: "",
                base: "",
                after_unknown: None,
            };
            if let Some((provider, row)) = self.patch_row(&inner_document) {
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
                let mut ignored = Vec::new();
                for read in read_pools(self.table, provider, &row, &inner_document, &mut ignored) {
                    self.taints_written |= read.taints_written;
                    self.adopt(read.pool, found, &embedded);
                }
            }
        }
    }

    /// Who an embedded document says it is; kubeadm's may leave out their group.
    fn patch_object(&self, root: Node<'_>) -> Object {
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

    /// Rows of one kind differ in what they match and imply, not in where taints are: the first will do.
    fn patch_row<'p>(&'p self, document: &'p PoolDocument<'_>) -> Option<(&'p str, &'p PoolRow)> {
        let object = document.object;
        if object.kind.is_empty() {
            return self
                .table
                .kindless_rows(document.root, "")
                .find(|(_, row)| {
                    let holds = Condition::of_row(row).holds(document, document.root);
                    row.each == Path::default() && holds == Truth::Yes
                });
        }
        let group = api_group(&object.api_version);
        self.table.pool_rows(group, "", &object.kind).next()
    }

    fn adopt(&mut self, patch: NodePool, found: &Found<'a>, embedded: &Embedded<'_>) {
        if !patch.complete {
            let why = patch.incomplete_because.as_deref();
            self.incomplete(why.unwrap_or("an embedded configuration could not be read"));
        }
        self.pool.labels.labels.extend(patch.labels.labels);
        let known: HashSet<_> = self
            .pool
            .taints
            .iter()
            .map(|one| one.taint.clone())
            .collect();
        for mut taint in patch.taints {
            taint.span = taint.span.map(|span| embedded.place(span));
            for span in taint.fields.values_mut() {
                *span = embedded.place(*span);
            }
            taint.path = found.path.clone();
            if !known.contains(&taint.taint) {
                self.pool.taints.push(taint);
            }
        }
    }
}
