//! Manifests and Helm values inside Terraform: texts and values in a resource, and resources that are Kubernetes objects in
//! Terraform notation. Each one is converted to the text that reaches the cluster, and that is read like a file.

use std::ops::Range;

use super::chart_sources::ChartSources;
use super::commands::{self, Script};
use super::helm_sets;
use super::installed::Installed;
use super::reading::Reading;
use super::releases;
use super::relocation::{Text, text_of, unknown_manifest};
use super::rows::{ManifestRow, ObjectRow};
use super::scripts;
use super::subject::Subject;
use super::table::Table;
use super::{FileFacts, document};
use crate::finding::{Object, Open};
use crate::source::{FileKind, Source, SourceId, Span};
use crate::template::Templates;
use crate::terraform::Repository;
use crate::yaml::{self, Document, Kind, Leaf, Node, NodeId, Notation, Pieces, Style, TreeBuilder};

/// Values nested deeper than this are not manifests.
const MAX_DEPTH: u32 = 100;

/// Reads the contents of one resource.
pub(super) struct Manifests<'m> {
    /// The resource.
    pub(super) resource: &'m Object,
    /// The file of the resource.
    pub(super) source: SourceId,
    /// The path of that file.
    pub(super) path: &'m str,
    /// Why it is unknown whether the resource exists, if so.
    pub(super) doubt: Option<&'m str>,
    pub(super) table: &'m Table,
    pub(super) repository: &'m Repository<'m>,
}

impl Manifests<'_> {
    /// Reads everything that one row names. Returns whether machines that run its scripts register with taints.
    pub(super) fn read(&self, row: &ManifestRow, root: Node<'_>, facts: &mut FileFacts) -> bool {
        if row.each.is_empty() {
            return self.read_one(row, root, facts);
        }
        let mut taints = false;
        for path in &row.each {
            if let Some(why) = path.find_open(root) {
                facts.not_judged.push(self.open(root.span(), why));
            }
            for found in path.find(root) {
                if found.node.unknown_because().is_none() {
                    taints |= self.read_one(row, found.node, facts);
                }
            }
        }
        taints
    }

    fn read_one(&self, row: &ManifestRow, root: Node<'_>, facts: &mut FileFacts) -> bool {
        let mut taints = false;
        let installed = row.release.as_ref().and_then(|release| {
            let (file, sources) = (Source::new(self.path, ""), ChartSources::default());
            let subject = Subject {
                root,
                base: String::new(),
                object: self.resource.clone(),
                reading: self.reading(&file, &sources, None),
            };
            releases::installed(&subject, release)
        });
        let installed = installed.as_ref();
        if let Some(object) = &row.object {
            let tree = Recast {
                row,
                object: Some(object),
            }
            .tree(root);
            self.read_value(tree.root(), None, facts);
        }
        for found in row.scripts.iter().flat_map(|path| path.find(root)) {
            if let Some(pieces) = text_of(found.node) {
                taints |= self.read_script(&pieces, found.node.span(), facts);
            }
        }
        if let Some(values) = helm_sets::values(row, root) {
            self.read_value(values.root(), installed, facts);
        }
        for path in &row.texts {
            if let Some(why) = path.find_open(root) {
                let whole = path.find(root);
                let told = |node: Node<'_>| node.pieces().is_some() || node.kind() != Kind::Scalar;
                if !whole.iter().all(|found| told(found.node)) || whole.is_empty() {
                    facts.not_judged.push(self.open(root.span(), why));
                }
            }
            for found in path.find(root) {
                let node = found.node;
                match (node.kind(), text_of(node)) {
                    (Kind::Scalar, Some(pieces)) => {
                        self.read_text(&pieces, node.span(), installed, facts);
                    }
                    (Kind::Scalar, None) => {}
                    _ => {
                        let tree = Recast { row, object: None }.tree(node);
                        self.read_value(tree.root(), installed, facts);
                    }
                }
            }
        }
        taints
    }

    /// Reads a script that a machine runs at startup. Returns whether it mentions taints that the machine registers with.
    fn read_script(&self, pieces: &Pieces, whole: Span, facts: &mut FileFacts) -> bool {
        const SIGNS: [&str; 4] = [
            "register-with-taints",
            "registerWithTaints",
            "node-taint",
            "node.taint",
        ];
        let text = pieces.text();
        let taints = SIGNS.iter().any(|sign| text.contains(sign));
        if self.is_read_itself(pieces) || !text.contains("aint") {
            return taints;
        }
        let parts = node_configurations(text);
        let place = |from, to| pieces.place(from..to).unwrap_or(whole);
        let script = Script {
            text,
            place: &place,
            object: self.resource,
            flags_known: !parts.is_empty(),
        };
        let pools = commands::read(&script, &mut facts.notices);
        facts.pools.extend(scripts::weak(pools, self.source, ""));
        for part in parts {
            let mut read = FileFacts::default();
            self.read_text(&pieces.slice(part), whole, None, &mut read);
            let mut pools = std::mem::take(&mut read.pools);
            for read in &mut pools {
                // The script does not show which nodes run it.
                read.pool.weak = true;
                read.pool.complete = false;
                read.pool.open_keys = None;
            }
            facts.pools.extend(pools);
        }
        taints
    }

    /// Whether the text comes from a file that is read as a manifest or script anyway.
    fn is_read_itself(&self, pieces: &Pieces) -> bool {
        pieces.file().is_some_and(|file| self.is_other_file(file))
    }

    fn is_other_file(&self, file: SourceId) -> bool {
        let path = self.repository.path(file);
        let is_ours = |kind: FileKind| kind == FileKind::Terraform || kind.is_read_by_others();
        !path.is_empty() && !FileKind::of(path).is_some_and(is_ours)
    }

    fn read_value(&self, node: Node<'_>, installed: Option<&Installed>, facts: &mut FileFacts) {
        // A value decoded from a file has its place there.
        let first = node.written_fields().next();
        let at = first.map_or(node.span(), |field| field.key.span());
        if self.is_other_file(at.source) {
            return;
        }
        let pieces = yaml::print(node, Notation::Json);
        self.read_text(&pieces, node.span(), installed, facts);
    }

    fn reading<'r>(
        &'r self,
        source: &'r Source,
        sources: &'r ChartSources,
        installed: Option<&'r Installed>,
    ) -> Reading<'r> {
        Reading {
            source,
            id: self.source,
            table: self.table,
            sources,
            installed,
            templates: Templates::none(),
            is_values: true,
            depth: 0,
        }
    }

    fn read_text(
        &self,
        pieces: &Pieces,
        whole: Span,
        installed: Option<&Installed>,
        facts: &mut FileFacts,
    ) {
        if self.is_read_itself(pieces) {
            return;
        }
        let (file, sources) = (Source::new(self.path, ""), ChartSources::default());
        let text = Text {
            pieces,
            whole,
            owner: self.resource,
            reading: self.reading(&file, &sources, installed),
        };
        let mut read = text.read(false, &document::read).unwrap_or_default();
        // An inventory that Terraform passes on is not about this cluster.
        read.inventories.clear();
        read.unreadable.clear();
        self.cast_doubt(&mut read);
        facts.absorb(read);
    }

    /// Reports a text that only running Terraform would produce.
    fn open(&self, span: Span, why: &str) -> Open {
        Open::object(span, self.resource, unknown_manifest(why))
    }

    fn cast_doubt(&self, read: &mut FileFacts) {
        let Some(doubt) = self.doubt else { return };
        for read in &mut read.pools {
            let because = format!("it may not exist: {doubt}");
            read.pool.doubt_keys(because, []);
        }
    }
}

/// The ranges of nodeadm configuration in user data: all of it, or a part between boundaries, which begin with `--`.
fn node_configurations(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("apiVersion: node.eks.aws/") {
            from.get_or_insert(at);
        } else if line.trim_start().starts_with("--") {
            parts.extend(from.take().map(|from| from..at));
        }
        at += line.len();
    }
    parts.extend(from.map(|from| from..at));
    parts
}

/// Converts a value to the object that reaches the cluster.
struct Recast<'r> {
    row: &'r ManifestRow,
    /// How the resource maps to the object, if it is the object itself.
    object: Option<&'r ObjectRow>,
}

impl Recast<'_> {
    fn tree(&self, root: Node<'_>) -> Document {
        let mut tree = TreeBuilder::default();
        let mut fields = Vec::new();
        let top = match self.object {
            Some(object) => {
                let at = root.span();
                let given = [("apiVersion", &object.api_version), ("kind", &object.kind)];
                for (name, text) in given {
                    let key = tree.scalar(Leaf::Text(name), at);
                    fields.push((key, tree.scalar(Leaf::Text(text), at)));
                }
                self.fields(root, &mut fields, &mut tree, 0);
                tree.mapping(&fields, at)
            }
            None => self.node(root, None, &mut tree, 0),
        };
        tree.finish(top)
    }

    /// Writes the fields of a block under the names that the object uses.
    fn fields(
        &self,
        block: Node<'_>,
        fields: &mut Vec<(NodeId, NodeId)>,
        tree: &mut TreeBuilder,
        depth: u32,
    ) {
        for field in block.written_fields() {
            let name = field.name().unwrap_or_default();
            let key_at = field.key.span();
            if let Some(why) = field.key.unknown_because() {
                let key = tree.scalar(Leaf::Unknown(why), key_at);
                fields.push((key, tree.scalar(Leaf::Unknown(why), key_at)));
                continue;
            }
            let Some((name, is_block, is_list)) = self.name(name, field.value) else {
                continue;
            };
            if field.value.is_null() {
                continue;
            }
            let value = if is_block {
                self.blocks(field.value, is_list, tree, depth + 1)
            } else {
                self.node(field.value, Some(&name), tree, depth + 1)
            };
            let key = tree.scalar(Leaf::Text(&name), key_at);
            fields.push((key, value));
        }
    }

    /// The name of a field in the object, whether it contains blocks, and whether they are a list.
    fn name(&self, name: &str, value: Node<'_>) -> Option<(String, bool, bool)> {
        let object = self.object?;
        if let Some(field) = object.blocks.get(name) {
            let list = field.strip_suffix("[]");
            return Some((list.unwrap_or(field).to_owned(), true, list.is_some()));
        }
        let is_block = value.items().any(|item| item.kind() == Kind::Mapping);
        let known = object.names.get(name).cloned();
        (!is_block).then(|| (known.unwrap_or_else(|| camel_case(name)), false, false))
    }

    fn blocks(&self, value: Node<'_>, is_list: bool, tree: &mut TreeBuilder, depth: u32) -> NodeId {
        let blocks: Vec<Node<'_>> = match value.kind() {
            Kind::Sequence => value.items().collect(),
            _ => vec![value],
        };
        let items: Vec<NodeId> = blocks
            .iter()
            .map(|block| {
                if block.kind() != Kind::Mapping || depth > MAX_DEPTH {
                    return self.node(*block, None, tree, depth);
                }
                let mut fields = Vec::new();
                self.fields(*block, &mut fields, tree, depth);
                tree.mapping(&fields, block.span())
            })
            .collect();
        match items.as_slice() {
            [only] if !is_list => *only,
            _ => tree.sequence(&items, value.span()),
        }
    }

    /// Writes a value unchanged, except for types that Terraform converts.
    fn node(
        &self,
        node: Node<'_>,
        name: Option<&str>,
        tree: &mut TreeBuilder,
        depth: u32,
    ) -> NodeId {
        let span = node.span();
        if let Some(why) = node.unknown_because() {
            return tree.scalar(Leaf::Unknown(why), span);
        }
        if depth > MAX_DEPTH {
            return tree.scalar(Leaf::Unknown("it is nested too deeply"), span);
        }
        match node.kind() {
            Kind::Scalar => {
                let text = node.raw().unwrap_or_default();
                let is_in =
                    |names: &[String]| name.is_some_and(|name| names.iter().any(|one| one == name));
                let leaf = match node.style() {
                    Style::Plain if !node.is_null() && is_in(&self.row.strings) => Leaf::Text(text),
                    Style::Plain => Leaf::Plain(text),
                    _ if is_in(&self.row.integers) && text.parse::<i64>().is_ok() => {
                        Leaf::Plain(text)
                    }
                    _ => Leaf::Text(text),
                };
                tree.scalar(leaf, span)
            }
            Kind::Sequence => {
                let items: Vec<NodeId> = node
                    .items()
                    .map(|item| self.node(item, name, tree, depth + 1))
                    .collect();
                tree.sequence(&items, span)
            }
            Kind::Mapping => {
                let mut fields = Vec::new();
                for field in node.written_fields() {
                    let own = field.name();
                    // In a map of strings every value is a string, whatever its key.
                    let of_map = name.filter(|name| self.row.strings.iter().any(|one| one == name));
                    let value = self.node(field.value, of_map.or(own), tree, depth + 1);
                    let key = match field.key.unknown_because() {
                        Some(why) => tree.scalar(Leaf::Unknown(why), field.key.span()),
                        None => tree.scalar(Leaf::Text(own.unwrap_or_default()), field.key.span()),
                    };
                    fields.push((key, value));
                }
                tree.mapping(&fields, span)
            }
        }
    }
}

fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for one in name.chars() {
        if one == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            camel.extend(one.to_uppercase());
        } else {
            camel.push(one);
        }
    }
    camel
}
