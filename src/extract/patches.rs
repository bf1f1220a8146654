//! kubeadm configuration inside block strings (kind's patches), with places in the file and not in the string.

use std::collections::BTreeMap;

use super::pools::{PoolDocument, PoolReader, read_pools};
use super::rows::PoolRow;
use crate::finding::Object;
use crate::model::node_pool::NodePool;
use crate::source::Span;
use crate::yaml::{self, Found, Node, Style};

impl<'a> PoolReader<'_, 'a> {
    /// kubeadm configuration inside a block string.
    pub(super) fn read_patch(&mut self, found: &Found<'a>) {
        let Some(inner) = found.node.raw() else {
            return;
        };
        let stream = yaml::parse(inner, self.document.source);
        if !stream.errors.is_empty() {
            self.incomplete("a kubeadm patch is not valid YAML");
        }
        for document in &stream.documents {
            let root = document.root();
            let Some(kind) = root.get("kind").and_then(|node| node.as_str()) else {
                continue;
            };
            let meant = &self.row.patch_kinds;
            if !meant.is_empty() && !meant.iter().any(|one| one == kind) {
                continue;
            }
            let group = match kind {
                "KubeletConfiguration" => "kubelet.config.k8s.io",
                _ => "kubeadm.k8s.io",
            };
            let object = Object {
                api_version: group.to_owned(),
                kind: kind.to_owned(),
                ..Object::default()
            };
            let inner_document = PoolDocument {
                root,
                object: &object,
                text: inner,
                source: self.document.source,
                base: "",
            };
            // Rows of one kind differ in what they match and imply, not in where taints are: the first will do.
            let row = self.table.pool_rows(group, "", kind).next();
            if let Some((provider, row)) = row {
                let row = PoolRow {
                    match_written: Vec::new(),
                    match_absent: Vec::new(),
                    default_taints: Vec::new(),
                    implied_labels: BTreeMap::new(),
                    incomplete: None,
                    ..row.clone()
                };
                let mut ignored = Vec::new();
                for read in read_pools(self.table, provider, &row, &inner_document, &mut ignored) {
                    self.taints_written |= read.taints_written;
                    self.adopt(read.pool, found, inner);
                }
            }
        }
    }

    fn adopt(&mut self, patch: NodePool, found: &Found<'a>, inner: &str) {
        if !patch.complete {
            self.incomplete("a kubeadm patch could not be read");
        }
        self.pool.labels.labels.extend(patch.labels.labels);
        let known: Vec<_> = self
            .pool
            .taints
            .iter()
            .map(|one| one.taint.clone())
            .collect();
        for mut taint in patch.taints {
            taint.span = taint
                .span
                .map(|span| embedded_span(self.document.text, found.node, inner, span));
            taint.path = found.path.clone();
            if !known.contains(&taint.taint) {
                self.pool.taints.push(taint);
            }
        }
    }
}

/// The place in the file of a place inside a literal block string; the whole string for other styles.
fn embedded_span(text: &str, node: Node<'_>, inner: &str, span: Span) -> Span {
    let whole = node.span();
    if node.style() != Style::Literal {
        return whole;
    }
    let Some(content) = text.get(whole.range()).and_then(|block| block.find('\n')) else {
        return whole;
    };
    let content_start = whole.start as usize + content + 1;
    let first_line = text[content_start..].lines().next().unwrap_or_default();
    let inner_first = inner.lines().next().unwrap_or_default();
    let indent = first_line.len().saturating_sub(inner_first.len());
    let outer = |offset: usize| {
        let before = &inner.as_bytes()[..offset.min(inner.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        let mut at = content_start;
        for _ in 0..line {
            at += text[at..].find('\n')? + 1;
        }
        Some(at + indent + column)
    };
    match (outer(span.start as usize), outer(span.end as usize)) {
        (Some(start), Some(end)) if end <= whole.end as usize + 1 && start <= end => {
            Span::new(whole.source, start..end)
        }
        _ => whole,
    }
}
