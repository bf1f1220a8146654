//! What provider tables say about clusters as a whole and about the programs in them, by kind and by name.

use memchr::memmem;

use super::placeholders::is_placeholder;
use super::rows::{Provider, RowLevel};
use super::table::{RowRef, TERRAFORM, Table, is_module_of};
use crate::source::text::Cut as _;

impl Table {
    /// Whether the provider of these pools runs the control plane of their clusters itself.
    pub fn is_managed(&self, provider: &str) -> bool {
        let mut all = self.providers.iter();
        all.any(|one| one.name.value == provider && one.managed_control_plane)
    }

    /// Whether a text that is not YAML yet has a line that makes it an object with pools.
    pub fn names_pools(&self, text: &str) -> bool {
        kinds_in(text).any(|kind| self.may_have_pools(kind))
    }

    /// Whether a text that is not YAML yet has a line that makes it an object with pods or pools, or an object of a kind that
    /// is filled in.
    pub(super) fn names_kinds(&self, text: &str) -> bool {
        kinds_in(text).any(|kind| kind.is_empty() || self.knows_kind(kind) || is_placeholder(kind))
    }

    /// Whether any row is about objects of a kind.
    pub(super) fn has_rows(&self, group: &str, kind: &str) -> bool {
        let is_one =
            |of: &str, kinds: &[String]| of == group && kinds.iter().any(|one| one == kind);
        !self.rows(group, kind).is_empty()
            || self.providers.iter().any(|one| {
                one.devices.iter().any(|row| is_one(&row.group, &row.kinds))
                    || one.injects.iter().any(|row| is_one(&row.group, &row.kinds))
                    || one.borrows.iter().any(|row| is_one(&row.group, &row.kinds))
                    || one.holds.iter().any(|row| is_one(&row.group, &row.kinds))
                    || one
                        .values_texts
                        .iter()
                        .any(|row| is_one(&row.group, &row.kinds))
                    || one
                        .releases
                        .iter()
                        .any(|row| is_one(&row.group, &row.kinds))
                    || one
                        .chart_sources
                        .iter()
                        .any(|row| is_one(&row.group, &row.kinds))
            })
    }

    /// The `apiVersion` of a built-in kind with pods, or `None` for other kinds.
    pub fn built_in_version(&self, kind: &str) -> Option<String> {
        let is_built_in = |row: &RowRef| match *row {
            RowRef::Workload(provider, at) => {
                let row = self
                    .providers
                    .get(provider)
                    .and_then(|one| one.workloads.get(at));
                row.is_some_and(|row| row.level == RowLevel::Typed)
            }
            RowRef::Pool(..) | RowRef::Manifest(..) | RowRef::Cluster(_) => false,
        };
        let mut rows = self.by_kind.iter();
        let (group, _) = rows
            .find(|((_, known), rows)| known == kind && rows.iter().any(is_built_in))?
            .0;
        Some(match group.as_str() {
            "" => "v1".to_owned(),
            group => format!("{group}/v1"),
        })
    }

    /// Whether objects of a kind declare a cluster, or pools of one, whose control plane the provider runs.
    pub(super) fn declares_managed(&self, group: &str, kind: &str) -> bool {
        self.rows(group, kind).iter().any(|row| match *row {
            RowRef::Cluster(provider) | RowRef::Pool(provider, _) => self
                .providers
                .get(provider)
                .is_some_and(|one| one.managed_control_plane),
            RowRef::Workload(..) | RowRef::Manifest(..) => false,
        })
    }

    /// Like [`Table::declares_managed`], for a type of Terraform resource.
    pub(super) fn resource_declares_managed(&self, of_type: &str) -> bool {
        self.declares_managed(TERRAFORM, of_type)
    }

    /// Like [`Table::declares_managed`], for a Terraform module.
    pub(super) fn module_declares_managed(&self, module: &str) -> bool {
        let named = |pattern: &str| pattern != "*" && is_module_of(pattern, module);
        self.managed().any(|provider| {
            let rows = provider.pools.iter();
            rows.flat_map(|row| &row.modules)
                .any(|pattern| named(pattern))
        })
    }

    fn managed(&self) -> impl Iterator<Item = &Provider> {
        let all = self.providers.iter();
        all.filter(|provider| provider.managed_control_plane)
    }

    /// Whether an object is an add-on of a provider that runs the control plane of its clusters. `labels` are keys.
    pub(super) fn is_managed_add_on(&self, name: &str, labels: &[&str], images: &[&str]) -> bool {
        let begins = |text: &str, starts: &[String]| starts.iter().any(|one| text.starts_with(one));
        let mut add_ons = self.managed().filter_map(|one| one.add_ons.as_ref());
        add_ons.any(|add_ons| {
            begins(name, &add_ons.names)
                || labels.iter().any(|label| begins(label, &add_ons.labels))
                || images.iter().any(|image| begins(image, &add_ons.images))
        })
    }

    /// Whether one of these names belongs to a program that runs on every node.
    pub(super) fn is_node_agent(&self, names: &[&str]) -> bool {
        let all = self.providers.iter();
        let known = all.flat_map(|provider| &provider.node_agents);
        is_named(known, names)
    }

    /// Whether one of these names belongs to a program that is part of the cluster itself.
    pub(super) fn is_cluster_part(&self, names: &[&str]) -> bool {
        let all = self.providers.iter();
        let known = all.flat_map(|provider| &provider.cluster_parts);
        is_named(known, names)
    }

    /// Whether a program reads files of this kind itself, so that no API server ever sees them.
    pub fn is_own_file(&self, group: &str, kind: &str) -> bool {
        let all = self.providers.iter();
        all.flat_map(|provider| &provider.own_files)
            .any(|row| row.covers(group, kind))
    }
}

/// Whether a known word is one of the names, or part of one between dashes: `node-exporter` matches
/// `prometheus-node-exporter-main`.
fn is_named<'k>(known: impl Iterator<Item = &'k String>, names: &[&str]) -> bool {
    let names: Vec<String> = names
        .iter()
        .map(|name| name.to_ascii_lowercase().replace(['_', '.'], "-"))
        .collect();
    let contains = |name: &str, word: &str| {
        name.match_indices(word).any(|(at, _)| {
            let (before, after) = (name.until(at), name.since(at + word.len()));
            (before.is_empty() || before.ends_with('-'))
                && (after.is_empty() || after.starts_with('-'))
        })
    };
    let mut known = known;
    known.any(|word| names.iter().any(|name| contains(name, word)))
}

/// The kinds that lines of a text name, whether the text is YAML or not.
fn kinds_in(text: &str) -> impl Iterator<Item = &str> {
    const KEY: &str = "kind:";
    memmem::find_iter(text.as_bytes(), KEY).filter_map(|at| {
        let before = text.until(at).trim_end_matches(['-', ' ']);
        if !(before.is_empty() || before.ends_with('\n')) {
            return None;
        }
        let rest = text.since(at + KEY.len());
        let line = rest.split(['\n', '#']).next()?;
        Some(line.trim().trim_matches(['"', '\'']))
    })
}
