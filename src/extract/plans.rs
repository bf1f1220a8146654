//! Node pools in Terraform plans and states, which are read as they are.

use super::FileFacts;
use super::pool_document::PoolDocument;
use super::pool_rows::PoolRow;
use super::pools::read_pools;
use super::reading::Reading;
use super::subject::Subject;
use super::table::{ANY_MODULE, Table};
use crate::finding::Object;
use crate::yaml::{Kind, Node, Path};

/// The `apiVersion` of resources in reports.
pub(super) const RESOURCE: &str = "terraform/resource";

/// The maximum number of modules that are read from a plan or state.
const MAX_MODULES: usize = 10_000;

/// Reads the pools that rows find in a resource. `doubt` is the reason if it is unknown whether the resource exists.
pub(super) fn read_declared(
    rows: &[(&str, &PoolRow)],
    document: &PoolDocument<'_>,
    doubt: Option<&str>,
    table: &Table,
) -> FileFacts {
    let mut facts = FileFacts::default();
    let mut told: Vec<Option<String>> = Vec::new();
    for (provider, row) in rows {
        let found = read_pools(table, provider, row, document);
        facts.notices.extend(found.notices);
        for mut read in found.pools {
            // One placeholder for an unknown list also covers the lists of other rows. An unknown module may not have
            // such a list at all.
            if row.each != Path::default() && read.pool.span == Some(document.root.span()) {
                let is_any = row.modules.iter().any(|module| module == ANY_MODULE);
                let why = &read.pool.incomplete_because;
                if told.contains(why) || (is_any && !writes(document.root, &row.each)) {
                    continue;
                }
                told.push(why.clone());
            }
            if let Some(doubt) = doubt {
                let because = format!("it may not exist: {doubt}");
                read.pool.doubt_keys(because, []);
            }
            facts.pools.push(read);
        }
    }
    facts
}

/// Whether a document has the first field of a path.
fn writes(root: Node<'_>, path: &Path) -> bool {
    let path = path.to_string();
    let first = path.split(['.', '[']).next();
    first.is_some_and(|first| root.get(first).is_some())
}

/// Reads the output of `terraform show -json` for a plan or a state, or a state file. `None` if the document is neither.
pub(super) fn read_state(subject: &Subject<'_>) -> Option<FileFacts> {
    let root = subject.root;
    let Reading {
        source, id, table, ..
    } = subject.reading;
    let mut facts = FileFacts::default();
    let mut read = |of_type: &str, name: &str, values: Node<'_>, unknown: Option<Node<'_>>| {
        let rows: Vec<_> = table.resource_rows(of_type).collect();
        if rows.is_empty() || values.kind() != Kind::Mapping {
            return;
        }
        let object = Object {
            api_version: RESOURCE.to_owned(),
            kind: of_type.to_owned(),
            namespace: None,
            name: Some(name.replacen(&format!("{of_type}."), "", 1)),
        };
        let document = PoolDocument {
            root: values,
            object: &object,
            text: &source.text,
            source: id,
            file: &source.path,
            base: "",
            after_unknown: unknown,
        };
        facts.absorb(read_declared(&rows, &document, None, table));
    };
    let text = |node: Node<'_>, key: &str| {
        let found = node.get(key).and_then(|node| node.raw());
        found.unwrap_or_default().to_owned()
    };
    if root.get("terraform_version").is_some() && root.get("lineage").is_some() {
        for resource in root.get("resources").into_iter().flat_map(Node::items) {
            if text(resource, "mode") == "data" {
                continue;
            }
            let of_type = text(resource, "type");
            for instance in resource.get("instances").into_iter().flat_map(Node::items) {
                if let Some(values) = instance.get("attributes") {
                    read(&of_type, &text(resource, "name"), values, None);
                }
            }
        }
        return Some(facts);
    }
    let values = root.get("planned_values").or_else(|| root.get("values"));
    let module = values.and_then(|values| values.get("root_module"))?;
    root.get("format_version")?;
    let changes: Vec<_> = root
        .get("resource_changes")
        .into_iter()
        .flat_map(Node::items)
        .map(|change| (text(change, "address"), change))
        .collect();
    let mut open = vec![module];
    let mut modules = 0;
    while let Some(module) = open.pop() {
        modules += 1;
        if modules > MAX_MODULES {
            break;
        }
        for resource in module.get("resources").into_iter().flat_map(Node::items) {
            let (Some(values), false) = (resource.get("values"), text(resource, "mode") == "data")
            else {
                continue;
            };
            let of_type = text(resource, "type");
            if !table.has_resource(&of_type) {
                continue;
            }
            let address = text(resource, "address");
            let unknown = changes
                .iter()
                .find(|(known, _)| *known == address)
                .and_then(|(_, change)| change.get("change")?.get("after_unknown"));
            read(&of_type, &address, values, unknown);
        }
        let children: Vec<_> = module
            .get("child_modules")
            .into_iter()
            .flat_map(Node::items)
            .collect();
        open.extend(children.into_iter().rev());
    }
    Some(facts)
}
