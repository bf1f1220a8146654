//! Node pools and manifests in Terraform configurations. Files are parsed one by one, but evaluated together.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "ranges and indices come from the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ignored;
use super::manifests::Manifests;
use super::plans::{RESOURCE, read_declared};
use super::pool_document::PoolDocument;
use super::pool_facts::ReadPool;
use super::table::Table;
use super::{DeclaredCluster, FileFacts, broken, template_files};
use crate::finding::{Because, Object, Open};
use crate::model::cluster::environments;
use crate::model::node_pool::Variant;
use crate::model::notice::Notice;
use crate::source::{Source, SourceId, Span};
use crate::terraform::{
    self, Declared, DeclaredKind, Evaluated, File, Folder, Repository, Used, Values, VarFiles,
};

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

/// The maximum number of steps in the evaluation of all variants of one configuration.
const BUDGET: u32 = 8 * terraform::BUDGET;

/// Sorts the files of configurations into their folders. `named` is what commands say of variables files.
pub fn configurations<'t>(
    files: Vec<(String, Arc<File>)>,
    named: &BTreeSet<VarFiles>,
) -> Repository<'t> {
    Repository::new(files, named, environments)
}

/// Reads the pools and manifests that one configuration declares, and returns what it was read from. With several variants,
/// each has pools of its own. Everything else is read once, with the values that all variants have in common.
pub fn read_configuration(
    repository: &Repository<'_>,
    top: &Folder,
    table: &Table,
) -> (FileFacts, Used) {
    let evaluated = repository.evaluate(top, None, None, terraform::BUDGET);
    let mut used = evaluated.used.clone();
    let workspaces = evaluated.workspaces.clone();
    let mut facts = read_evaluated(repository, evaluated, table);
    if !top.is_top() {
        let files = facts.pools.iter().map(|read| read.source);
        facts.libraries = files.collect();
        // Whoever calls the module has the cluster.
        facts.declared_clusters.clear();
    }
    let of_workspaces: Vec<Values>;
    let variants = match top.variants() {
        [] => {
            let named = workspaces.iter().map(|(name, at)| (name.clone(), *at));
            of_workspaces = named
                .map(|(name, at)| Values::of_workspace(name, at))
                .collect();
            &of_workspaces
        }
        variants => variants,
    };
    if variants.is_empty() || facts.pools.iter().all(|read| read.pool.weak) {
        return (facts, used);
    }
    let mut steps = BUDGET;
    let mut left_out = top.left_out();
    let mut pools = Vec::new();
    let mut told = Told::of(&facts.notices);
    for values in variants {
        if steps == 0 {
            left_out = left_out.or(Some(values.at));
            break;
        }
        let budget = steps.min(terraform::BUDGET);
        // A workspace often has the name of the variables file that is applied in it.
        let name = values.name.as_str();
        let workspace = workspaces.contains_key(name).then_some(name);
        let evaluated = repository.evaluate(top, Some(values), workspace, budget);
        steps = steps - budget + evaluated.steps_left;
        used.absorb(evaluated.used.clone());
        let one = read_evaluated(repository, evaluated, table);
        for mut read in one.pools {
            if !read.pool.weak {
                read.pool.variant = Some(Variant {
                    name: values.name.clone(),
                    at: values.at,
                });
                pools.push(read);
            }
        }
        for notice in one.notices {
            told.add(notice, &mut facts.notices);
        }
    }
    match left_out {
        // The pools with the common values stand for those of the remaining variants.
        Some(at) => {
            let why = "there are too many variables files; the pools with the values from this one and later ones are unknown";
            let open = Open::part(at, Because::Terraform(why.into()));
            facts.not_judged.push(open);
        }
        None => facts.pools.retain(|read| read.pool.weak),
    }
    facts.pools.extend(pools);
    (facts, used)
}

/// The notices so far, by place.
struct Told(BTreeMap<Span, Vec<usize>>);

impl Told {
    fn of(notices: &[Notice]) -> Told {
        let mut told = Told(BTreeMap::new());
        for (at, notice) in notices.iter().enumerate() {
            told.0.entry(notice.span).or_default().push(at);
        }
        told
    }

    /// Adds a notice unless it is known.
    fn add(&mut self, notice: Notice, notices: &mut Vec<Notice>) {
        let there = self.0.entry(notice.span).or_default();
        if there.iter().all(|at| notices[*at] != notice) {
            there.push(notices.len());
            notices.push(notice);
        }
    }
}

/// Reads what one evaluation found.
fn read_evaluated(repository: &Repository<'_>, evaluated: Evaluated, table: &Table) -> FileFacts {
    let mut facts = FileFacts::default();
    let all = evaluated.declared;
    if let Some(call) = evaluated.left_out {
        let why = "modules call modules too often or too deep; this call is not followed".into();
        let open = Open::part(call, Because::Terraform(why));
        facts.not_judged.push(open);
    }
    // Launch templates and similar resources whose user data taints their nodes, and the ranges of pools by resource.
    let mut tainting = Vec::new();
    let mut scripts = Vec::new();
    let mut ranges = Vec::new();
    for declared in &all {
        let rows: Vec<_> = match declared.kind {
            DeclaredKind::Resource => table.resource_rows(&declared.of_type).collect(),
            DeclaredKind::Module => table.module_rows(&declared.of_type).collect(),
        };
        let is_cluster = match declared.kind {
            DeclaredKind::Resource => table.resource_declares_managed(&declared.of_type),
            DeclaredKind::Module => table.module_declares_managed(&declared.of_type),
        };
        facts.managed_cluster |= is_cluster;
        // Resources and modules for node pools alone belong to a cluster that is declared elsewhere.
        let is_whole = match declared.kind {
            DeclaredKind::Resource => declared.of_type.ends_with("_cluster"),
            DeclaredKind::Module => {
                let part = declared.of_type.split_once("//");
                part.is_none_or(|(_, part)| part.contains("cluster"))
            }
        };
        if is_cluster && is_whole {
            facts.declared_clusters.push(DeclaredCluster {
                source: declared.source,
                of_type: declared.of_type.clone(),
                shared_name: shared_name(declared),
            });
        }
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
            let before = facts.pools.len();
            if reader.read(row, declared.tree.root(), &mut facts) {
                tainting.push(declared.address.as_str());
            }
            // Several commands may be alternatives.
            if facts.pools.len() == before + 1 && !row.run_by.is_empty() {
                scripts.push((declared.address.as_str(), row.run_by.as_slice(), before));
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
    let groups = all.iter().filter(|one| one.kind == DeclaredKind::Resource);
    let mut run = BTreeSet::new();
    for group in groups {
        let runs = |(address, run_by, _): &&(&str, &[String], usize)| {
            run_by.contains(&group.of_type) && speaks_of(group, address)
        };
        if let Some((_, _, at)) = scripts.iter().find(runs) {
            run.insert(*at);
            facts.pools.push(of_group(group, &facts.pools[*at]));
        }
    }
    let mut at = 0;
    facts.pools.retain(|_| {
        at += 1;
        !run.contains(&(at - 1))
    });
    facts
}

/// The arguments with the name of a cluster.
const NAMES: [&str; 2] = ["name", "cluster_name"];

/// What a cluster takes its name from, if its own configuration does not declare that.
fn shared_name(declared: &Declared) -> Option<String> {
    let root = declared.tree.root();
    let mut named = NAMES.iter().filter_map(|name| root.get(name));
    let why = named.next()?.unknown_because()?;
    terraform::undeclared(why).map(str::to_owned)
}

/// The pool of machines that run a script, from what the script says.
fn of_group(group: &Declared, script: &ReadPool) -> ReadPool {
    let mut read = script.clone();
    let name = group.tree.root().get("name").and_then(|name| name.raw());
    name.unwrap_or(&group.label).clone_into(&mut read.pool.name);
    read.source = group.source;
    read.pool.object = object_of(group);
    read.pool.weak = false;
    if let Some(doubt) = &group.doubt {
        read.pool.doubt(format!("it may not exist: {doubt}"));
    }
    read
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
