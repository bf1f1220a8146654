//! How the facts of a file are kept. Those of Terraform files and inventories are not.

use std::sync::Arc;

use super::bytes::{Reader, Stored, Writer};
use super::values::stored;
use crate::charts::{Condition, Group, Input, Pod, PodsIf, Step, ValuePath};
use crate::delivery::{
    Application, ArgoCluster, ArgoSource, Chosen, Customization, Data, Directory, Fleet,
    FleetGroup, Flux, Helmfile, Pointer, Release, Says, Set, SourceName, Value, Word,
};
use crate::extract::ignores::{Covers, Ignore, Ignores, Misspelt};
use crate::extract::{
    Borrowed, ChartName, ChartSource, DeclaredCluster, Dependency, FileFacts, GeneratedKey,
    Injection, Kustomization, Namespace, Overlay, ReadPool, Referred, RuntimeClass, Target, Unread,
    ValuesFile, ValuesFileParts, Words,
};
use crate::inventory::ReadInventory;
use crate::terraform::{File, VarFiles};
use crate::yaml::DeError;

// The texts in heredocs have facts of their own.
stored!(nested struct FileFacts {
    documents, workloads, pools, devices, notices, unread, not_judged, overlays, kustomizations, configuration, ignores,
    inventories, unreadable, namespaces, runtime_classes, borrowed, clouds, reshaping, near_keys, heredocs, chart_sources,
    dependencies, chart, chart_groups, expressions, defines, changed_values, values_files, installs, laid_over, generated, has_variables,
    schedules, has_releases, referring, pointers, managed_cluster, var_files, libraries, declared_clusters,
});

/// Values that are not kept. A file with one is read each time.
macro_rules! not_kept {
    ($($type:ty),* $(,)?) => {$(
        impl Stored for $type {
            fn put(&self, to: &mut Writer) {
                to.refuse();
            }

            fn get(_: &mut Reader<'_>) -> Option<Self> {
                None
            }
        }
    )*};
}

not_kept!(Arc<File>, DeclaredCluster, DeError, ReadInventory);

stored!(struct Unread { pools, tolerations });
stored!(struct Referred { kind, name, optional });
stored!(struct ReadPool {
    pool, source, refers, part, part_kind, whole, lists_all, named_by, seen, taints_written, delivered_to,
});
stored!(struct Namespace { name, source, span, word });
stored!(struct RuntimeClass { name, source, span, schedules });
stored!(struct Borrowed { kind, name, namespace, gives });
stored!(struct GeneratedKey { name, key, path });
stored!(struct VarFiles { folder, path, is_for_backend });

stored!(struct Ignores { ignores, misspelt, unread });
stored!(struct Ignore { span, covers, rules, reason, until, object });
stored!(struct Misspelt { span, why, object });
stored!(enum Covers { 0 => Line(range), 1 => Below(range) });

stored!(struct Overlay { source, target, what, span, within, is_part });
stored!(struct Kustomization { source, entries, patches, changes, transforms, applies });
stored!(struct Injection { by, label, kinds, namespaces, adds });
stored!(enum Target { 0 => Injected(injection), 1 => Object { kind, name } });
stored!(enum Words { 0 => Exactly(word) } else Words::Fitting(_));

stored!(struct ChartSource { kind, name, namespace, address, whole, version });
stored!(struct Dependency { key, chart, address, version, folder, conditions, tags, imports });
stored!(struct ChartName { name, version });
stored!(struct Group { tolerations, node_selector, affinity, pods, pods_if, copied_into });
stored!(struct PodsIf { condition, pods });
stored!(struct Pod { kind, place, name, namespace, written });
stored!(struct Condition { written, all });
stored!(struct Input {
    path, only_if, default, default_at, when_empty, keeps, joins, falls_back_to, stands_in_for, text, uncertain,
});
stored!(struct ValuesFileParts { paths, object, chart, edition, version, sure, open, namespace });

impl Stored for ValuesFile {
    fn put(&self, to: &mut Writer) {
        match self.parts() {
            Some(parts) => parts.put(to),
            None => to.refuse(),
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        ValuesFileParts::get(from).and_then(ValuesFile::of_parts)
    }
}

stored!(enum Step { 0 => Key(key), 1 => AnyKey, 2 => Items });

impl Stored for ValuePath {
    fn put(&self, to: &mut Writer) {
        let steps = self.steps().to_vec();
        // Other spellings of these steps are those of tables and of people.
        if ValuePath::from_steps(steps.clone()) == *self {
            steps.put(to);
        } else {
            to.refuse();
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Vec::get(from).map(ValuePath::from_steps)
    }
}

stored!(struct Word { text, at });
stored!(struct Pointer { kind, name, namespace, whole, at, says });
stored!(enum Says {
    0 => Flux(flux),
    1 => Source(address),
    2 => Release(release),
    3 => Application(application),
    4 => Set(set),
    5 => Cluster(cluster),
    6 => Fleet(fleet),
    7 => Variables(variables),
    8 => FleetCluster(labels),
    9 => FleetGroup(group),
    10 => Customization(one),
    11 => Helmfile(one),
    12 => Template,
});
stored!(struct Flux { path, components, source, remote, variables, variables_from, has_secret_variables, changes, is_unclear });
stored!(struct SourceName { kind, namespace, name });
stored!(struct Release { chart, source, values, remote });
stored!(struct Application { sources, cluster, server });
stored!(struct ArgoSource { url, path, is_chart, directory, helm, kustomize, given, text });
stored!(struct Directory { recurse, include, exclude });
stored!(struct Set { generators, template, patch, go_template });
stored!(struct ArgoCluster { name, server, project, labels, annotations });
stored!(struct Fleet { url, paths, targets });
stored!(struct Chosen { name, cluster, selector, group, groups });
stored!(struct FleetGroup { labels, selector });
stored!(struct Helmfile { environments, bases, helmfiles, values, charts });
stored!(struct Customization { chosen, values, overlays, kustomize, is_off });
stored!(struct Data { at, value });

impl Stored for Value {
    fn put(&self, to: &mut Writer) {
        to.nested(|to| match self {
            Value::Text(text) => (0_u32, text.clone()).put(to),
            Value::Plain(text) => (1_u32, text.clone()).put(to),
            Value::List(items) => {
                2_u32.put(to);
                items.put(to);
            }
            Value::Map(fields) => {
                3_u32.put(to);
                fields.put(to);
            }
            Value::Other => 4_u32.put(to),
        });
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.nested(|from| match u32::get(from)? {
            0 => Stored::get(from).map(Value::Text),
            1 => Stored::get(from).map(Value::Plain),
            2 => Stored::get(from).map(Value::List),
            3 => Stored::get(from).map(Value::Map),
            4 => Some(Value::Other),
            _ => None,
        })
    }
}
