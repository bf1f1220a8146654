//! Node pools and manifests in Terraform configurations. Files are parsed one by one, but evaluated together.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the range was taken from the list before it grew"
    )
)]

use std::sync::Arc;

use super::ignored;
use super::manifests::Manifests;
use super::plans::{RESOURCE, read_declared};
use super::pool_document::PoolDocument;
use super::table::Table;
use super::{FileFacts, broken, template_files};
use crate::finding::{Because, Object, Open};
use crate::source::{Source, SourceId, Span};
use crate::terraform::{self, Declared, DeclaredKind, Folder, Repository, Used};

/// The `apiVersion` of modules in reports.
const MODULE: &str = "terraform/module";

/// Reads one file of a configuration. [`read_configuration`] reads what it declares.
pub(super) fn read_file(source: &Source, id: SourceId, table: &Table) -> FileFacts {
    let mut facts = FileFacts::default();
    let wanted = |of_type: &str| table.has_resource(of_type);
    let (file, errors) = terraform::parse(&source.path, &source.text, id, &wanted);
    let count = |text: &str| terraform::parse(&source.path, text, id, &wanted).1.len();
    let is_broken = !errors.is_empty();
    if is_broken && template_files::is_template_configuration(source, errors.len(), &count) {
        let whole = Span::new(id, 0..0);
        facts.not_judged.push(Open::part(whole, Because::Template));
    } else {
        let broken = errors.iter().map(|error| broken::configuration(id, error));
        facts.notices.extend(broken);
    }
    facts.documents = 1;
    facts.configuration = Some(Arc::new(file));
    facts
}

/// Reads the pools and manifests that one configuration declares, and returns what it was read from.
pub fn read_configuration(
    repository: &Repository<'_>,
    top: &Folder,
    table: &Table,
) -> (FileFacts, Used) {
    let mut facts = FileFacts::default();
    let evaluated = repository.evaluate(top);
    let all = evaluated.declared;
    if let Some(call) = evaluated.left_out {
        let why = "modules call modules too often or too deep; this call is not followed".into();
        let open = Open::part(call, Because::Terraform(why));
        facts.not_judged.push(open);
    }
    // Launch templates and similar resources whose user data taints their nodes, and the ranges of pools by resource.
    let mut tainting = Vec::new();
    let mut ranges = Vec::new();
    for declared in &all {
        let rows: Vec<_> = match declared.kind {
            DeclaredKind::Resource => table.resource_rows(&declared.of_type).collect(),
            DeclaredKind::Module => table.module_rows(&declared.of_type).collect(),
        };
        facts.managed_cluster |= match declared.kind {
            DeclaredKind::Resource => table.resource_declares_managed(&declared.of_type),
            DeclaredKind::Module => table.module_declares_managed(&declared.of_type),
        };
        let object = object_of(declared);
        let manifests: Vec<_> = match declared.kind {
            DeclaredKind::Resource => table.manifest_rows(&declared.of_type).collect(),
            DeclaredKind::Module => table.module_manifest_rows(&declared.of_type).collect(),
        };
        for row in manifests {
            let reader = Manifests {
                resource: &object,
                source: declared.source,
                path: repository.path(declared.source),
                doubt: declared.doubt.as_deref(),
                table,
                repository,
            };
            if reader.read(row, declared.tree.root(), &mut facts) {
                tainting.push(declared.address.as_str());
            }
        }
        let document = PoolDocument {
            root: declared.tree.root(),
            object: &object,
            text: "",
            source: declared.source,
            file: "",
            base: "",
            after_unknown: None,
        };
        let is_module = declared.kind == DeclaredKind::Module;
        let ignored = table.ignored_rows(&declared.of_type, is_module);
        ignored::note(ignored, &document, &mut facts.notices);
        let before = facts.pools.len();
        let doubt = declared.doubt.as_deref();
        facts.absorb(read_declared(&rows, &document, doubt, table));
        ranges.push((declared, before..facts.pools.len()));
    }
    for (declared, range) in ranges {
        for read in &mut facts.pools[range] {
            if let Some(other) = tainting.iter().find(|other| speaks_of(declared, other)) {
                let why = format!("its machines register with taints from {other}");
                read.pool.doubt(why);
            }
        }
    }
    (facts, evaluated.used)
}

/// Whether the arguments of one resource mention another, regardless of the instance.
fn speaks_of(declared: &Declared, other: &str) -> bool {
    declared.mentions.iter().any(|name| {
        let rest = other.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    })
}

fn object_of(declared: &Declared) -> Object {
    let (api_version, name) = match declared.kind {
        DeclaredKind::Resource => {
            let of_type = format!("{}.", declared.of_type);
            (RESOURCE, declared.address.replacen(&of_type, "", 1))
        }
        DeclaredKind::Module => (MODULE, declared.address.clone()),
    };
    Object {
        api_version: api_version.to_owned(),
        kind: declared.of_type.clone(),
        namespace: None,
        name: Some(name),
    }
}
