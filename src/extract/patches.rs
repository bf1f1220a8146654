//! kubeadm configuration inside block strings (kind's patches), with places in the file and not in the string.

use std::collections::{BTreeMap, HashSet};

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
        let embedded = Embedded::new(self.document.text, found.node, inner);
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
                    self.adopt(read.pool, found, &embedded);
                }
            }
        }
    }

    fn adopt(&mut self, patch: NodePool, found: &Found<'a>, embedded: &Embedded<'_>) {
        if !patch.complete {
            self.incomplete("a kubeadm patch could not be read");
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

/// A text inside a literal block string, and where its lines stand in the file.
struct Embedded<'t> {
    inner: &'t str,
    whole: Span,
    /// Offsets at which lines start in the text, and where the same lines start in the file, behind their indentation;
    /// none for other styles of strings.
    lines: Option<(Vec<usize>, Vec<usize>)>,
}

impl<'t> Embedded<'t> {
    fn new(text: &str, node: Node<'_>, inner: &'t str) -> Self {
        let whole = node.span();
        Embedded {
            inner,
            whole,
            lines: (node.style() == Style::Literal)
                .then(|| block_lines(text, whole, inner))
                .flatten(),
        }
    }

    /// The place in the file of a place in the text; the whole string where that cannot be told.
    fn place(&self, span: Span) -> Span {
        let Some((inside, outside)) = &self.lines else {
            return self.whole;
        };
        let outer = |offset: u32| {
            let offset = (offset as usize).min(self.inner.len());
            let line = inside
                .partition_point(|start| *start <= offset)
                .checked_sub(1)?;
            Some(outside.get(line)? + offset - inside[line])
        };
        match (outer(span.start), outer(span.end)) {
            (Some(start), Some(end)) if end <= self.whole.end as usize + 1 && start <= end => {
                Span::new(self.whole.source, start..end)
            }
            _ => self.whole,
        }
    }
}

fn block_lines(text: &str, whole: Span, inner: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let header = text.get(whole.range())?.find('\n')?;
    let content_start = whole.start as usize + header + 1;
    let content = text.get(content_start..)?;
    // Blank lines may lack the indentation; the first that is not blank tells it.
    let indent = content
        .lines()
        .zip(inner.lines())
        .find(|(_, inner)| !inner.is_empty())
        .map_or(0, |(outer, inner)| outer.len().saturating_sub(inner.len()));
    let starts = |text: &str, from: usize, skip: usize| -> Vec<usize> {
        let mut at = from;
        text.split_inclusive('\n')
            .map(|line| {
                let start = at + skip;
                at += line.len();
                start
            })
            .collect()
    };
    Some((starts(inner, 0, 0), starts(content, content_start, indent)))
}
