//! All provider tables of a run: finds the rows for a kind.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, HashMap};

use super::pool_rows::PoolRow;
use super::rows::{
    BorrowRow, DeviceRow, IgnoredRow, InjectRow, ManifestRow, Provider, ValuesTextRow, WorkloadRow,
};
use super::table_files;
use crate::finding::Problem;
use crate::model::well_known::WellKnownTaint;
use crate::source::Source;
use crate::yaml::{Node, Path, join};

/// All rows, indexed by API group and kind.
#[derive(Debug, Default)]
pub struct Table {
    pub(super) providers: Vec<Provider>,
    pub(super) by_kind: BTreeMap<(String, String), Vec<RowRef>>,
    /// The kinds of all groups, and whether one declares pools.
    kinds: HashMap<String, bool>,
    /// Rows for documents without a kind: provider and row.
    kindless: Vec<(usize, usize)>,
    /// Patterns of Terraform modules, each with its provider and row.
    modules: Vec<(String, usize, usize)>,
    identity: u128,
}

/// In a row for modules, any module that no other row names.
pub(super) const ANY_MODULE: &str = "*";

/// The API group for types of Terraform resources. No real group has such a name.
pub(super) const TERRAFORM: &str = "terraform resource";

#[derive(Debug, Clone, Copy)]
pub(super) enum RowRef {
    Workload(usize, usize),
    Pool(usize, usize),
    Manifest(usize, usize),
    /// A cluster as a whole. The index is that of its provider.
    Cluster(usize),
}

impl Table {
    /// Loads provider files, given as name and text.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Table, Vec<Problem>> {
        let files: Vec<Source> = files
            .into_iter()
            .map(|(file, text)| Source::new(file, text))
            .collect();
        Table::load_beside(&[], &files)
    }

    /// Does the same together with the tables that the program carries, given as name and JSON. A file replaces a table with
    /// the same name.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn load_beside(carried: &[(&str, &str)], files: &[Source]) -> Result<Table, Vec<Problem>> {
        let mut table = Table {
            identity: table_files::identity(carried, files),
            ..Table::default()
        };
        for provider in table_files::read(carried, files)? {
            table.add(provider);
        }
        Ok(table)
    }

    /// A digest of what it was read from. It identifies it among the tables of one program.
    pub fn identity(&self) -> u128 {
        self.identity
    }

    fn add(&mut self, provider: Provider) {
        let at = self.providers.len();
        let mut rows: Vec<((String, String), RowRef)> = Vec::new();
        for (row_at, row) in provider.workloads.iter().enumerate() {
            for kind in &row.kinds {
                rows.push((
                    (row.group.clone(), kind.clone()),
                    RowRef::Workload(at, row_at),
                ));
            }
        }
        for (row_at, row) in provider.pools.iter().enumerate() {
            let reference = RowRef::Pool(at, row_at);
            for kind in &row.kinds {
                rows.push(((row.group.clone(), kind.clone()), reference));
            }
            for of_type in &row.terraform {
                rows.push(((TERRAFORM.to_owned(), of_type.clone()), reference));
            }
            for module in &row.modules {
                self.modules.push((module.clone(), at, row_at));
            }
            let of_terraform = !row.terraform.is_empty() || !row.modules.is_empty();
            if row.kinds.is_empty() && !of_terraform {
                self.kindless.push((at, row_at));
            }
        }
        for (row_at, row) in provider.manifests.iter().enumerate() {
            for of_type in &row.terraform {
                let reference = RowRef::Manifest(at, row_at);
                rows.push(((TERRAFORM.to_owned(), of_type.clone()), reference));
            }
        }
        for row in &provider.clusters {
            for kind in &row.kinds {
                rows.push(((row.group.clone(), kind.clone()), RowRef::Cluster(at)));
            }
            for of_type in &row.terraform {
                let key = (TERRAFORM.to_owned(), of_type.clone());
                rows.push((key, RowRef::Cluster(at)));
            }
        }
        for (key, row) in rows {
            let is_pool = self.kinds.entry(key.1.clone()).or_default();
            *is_pool |= matches!(row, RowRef::Pool(..));
            self.by_kind.entry(key).or_default().push(row);
        }
        self.providers.push(provider);
    }

    pub(super) fn rows(&self, group: &str, kind: &str) -> &[RowRef] {
        // The map has owned pairs as keys. Allocating one per document is cheap compared to parsing it.
        self.by_kind
            .get(&(group.to_owned(), kind.to_owned()))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether objects of a kind contain pods or pools, in any group.
    pub fn knows_kind(&self, kind: &str) -> bool {
        self.kinds.contains_key(kind)
    }

    /// Workload rows for a kind.
    pub fn workload_rows(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> impl Iterator<Item = &WorkloadRow> {
        let version = version.to_owned();
        self.rows(group, kind)
            .iter()
            .filter_map(move |row| match *row {
                RowRef::Workload(provider, at) => Some(&self.providers[provider].workloads[at]),
                RowRef::Pool(..) | RowRef::Manifest(..) | RowRef::Cluster(_) => None,
            })
            .filter(move |row| row.versions.is_empty() || row.versions.contains(&version))
    }

    /// Where the kind can contain tolerations, or `None` if not all places are known.
    pub fn only_places(&self, group: &str, version: &str, kind: &str) -> Option<Vec<String>> {
        let mut places = None;
        for row in self.workload_rows(group, version, kind) {
            if !row.all_paths {
                return None;
            }
            let key = &row.tolerations_key;
            places
                .get_or_insert_with(Vec::new)
                .extend(row.pods.iter().map(|path| join(&path.to_string(), key)));
        }
        places
    }

    /// The labels by which providers name the pool of a node, the most specific first.
    pub fn node_pool_labels(&self) -> &[String] {
        let rows = self.providers.iter().flat_map(|provider| &provider.pools);
        let mut labels = rows.map(|row| row.fold_by.as_slice());
        labels.find(|labels| !labels.is_empty()).unwrap_or_default()
    }

    /// Device rows for a kind. There are few of them.
    pub fn device_rows(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> impl Iterator<Item = &DeviceRow> {
        let (group, version, kind) = (group.to_owned(), version.to_owned(), kind.to_owned());
        self.providers
            .iter()
            .flat_map(|provider| &provider.devices)
            .filter(move |row| row.group == group && row.kinds.contains(&kind))
            .filter(move |row| row.versions.is_empty() || row.versions.contains(&version))
    }

    /// Whether any group has a kind of this name that declares pools.
    pub fn may_have_pools(&self, kind: &str) -> bool {
        self.kinds.get(kind).copied().unwrap_or_default()
    }

    /// Pool rows for a kind, with the provider's name.
    pub fn pool_rows(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> impl Iterator<Item = (&str, &PoolRow)> {
        let version = version.to_owned();
        self.rows(group, kind)
            .iter()
            .filter_map(move |row| match *row {
                RowRef::Pool(provider, at) => Some((
                    self.providers[provider].name.value.as_str(),
                    &self.providers[provider].pools[at],
                )),
                RowRef::Workload(..) | RowRef::Manifest(..) | RowRef::Cluster(_) => None,
            })
            .filter(move |(_, row)| row.versions.is_empty() || row.versions.contains(&version))
    }

    /// Pool rows for a document without a kind, with the name of the provider: those for files with this path whose
    /// first fields exist.
    pub fn kindless_rows<'t>(
        &'t self,
        root: Node<'t>,
        file: &'t str,
    ) -> impl Iterator<Item = (&'t str, &'t PoolRow)> {
        self.kindless
            .iter()
            .map(|(provider, at)| {
                let provider = &self.providers[*provider];
                (provider.name.value.as_str(), &provider.pools[*at])
            })
            .filter(move |(_, row)| {
                let is_there =
                    |path: &Path| path.first_key().is_none_or(|key| root.field(key).is_some());
                let written = row
                    .match_written
                    .iter()
                    .filter(|path| path.from_root || row.each == Path::default());
                is_there(&row.each)
                    && written.map(|path| &path.path).all(is_there)
                    && row.covers_file(file)
            })
    }

    /// Where a kind contains objects of other kinds, and the reason why their pools are not fully known.
    pub fn held(&self, group: &str, kind: &str) -> Vec<(&[Path], Option<&String>)> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.holds)
            .filter(|row| row.group == group && row.kinds.iter().any(|known| known == kind))
            .map(|row| (row.objects.as_slice(), row.incomplete.as_ref()))
            .collect()
    }

    /// Where a kind contains Helm values, or similar data, as texts.
    pub fn values_texts(&self, group: &str, kind: &str) -> impl Iterator<Item = &ValuesTextRow> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.values_texts)
            .filter(move |row| row.group == group && row.kinds.iter().any(|known| known == kind))
    }

    /// Pool rows for a type of Terraform resource, with the provider's name.
    pub fn resource_rows(&self, of_type: &str) -> impl Iterator<Item = (&str, &PoolRow)> {
        self.pool_rows(TERRAFORM, "", of_type)
    }

    /// Manifest rows for a type of Terraform resource.
    pub fn manifest_rows(&self, of_type: &str) -> impl Iterator<Item = &ManifestRow> {
        let rows = self.rows(TERRAFORM, of_type).iter();
        rows.filter_map(|row| match *row {
            RowRef::Manifest(provider, at) => Some(&self.providers[provider].manifests[at]),
            RowRef::Workload(..) | RowRef::Pool(..) | RowRef::Cluster(_) => None,
        })
    }

    /// Manifest rows for a Terraform module.
    pub fn module_manifest_rows(&self, module: &str) -> impl Iterator<Item = &ManifestRow> {
        let module = module.to_owned();
        let rows = self.providers.iter().flat_map(|one| &one.manifests);
        rows.filter(move |row| row.modules.iter().any(|one| is_module_of(one, &module)))
    }

    /// Rows about arguments without effect, for a type of Terraform resource or for a module.
    pub fn ignored_rows(
        &self,
        of_type: &str,
        is_module: bool,
    ) -> impl Iterator<Item = &IgnoredRow> {
        let of_type = of_type.to_owned();
        let rows = self.providers.iter().flat_map(|one| &one.ignored);
        rows.filter(move |row| match is_module {
            true => row
                .modules
                .iter()
                .any(|pattern| is_module_of(pattern, &of_type)),
            false => row.terraform.contains(&of_type),
        })
    }

    /// Pool rows for a Terraform module, with the provider's name.
    pub fn module_rows(&self, module: &str) -> impl Iterator<Item = (&str, &PoolRow)> {
        // Rows for any module apply to modules without rows of their own.
        let is_known = self
            .modules
            .iter()
            .any(|(pattern, ..)| pattern != ANY_MODULE && is_module_of(pattern, module));
        let module = module.to_owned();
        self.modules
            .iter()
            .filter(move |(pattern, ..)| match pattern.as_str() {
                ANY_MODULE => !is_known,
                pattern => is_module_of(pattern, &module),
            })
            .map(|(_, provider, row)| {
                let provider = &self.providers[*provider];
                (provider.name.value.as_str(), &provider.pools[*row])
            })
    }

    /// Whether a type of Terraform resource has a row or runs the scripts of one.
    pub fn has_resource(&self, of_type: &str) -> bool {
        let runs = |row: &ManifestRow| row.run_by.iter().any(|one| one == of_type);
        !self.rows(TERRAFORM, of_type).is_empty()
            || self
                .providers
                .iter()
                .flat_map(|one| &one.manifests)
                .any(runs)
    }

    /// Whether a kind is never read.
    pub fn is_skipped(&self, group: &str, kind: &str) -> bool {
        self.providers
            .iter()
            .flat_map(|provider| &provider.skip)
            .any(|row| row.covers(group, kind))
    }

    /// Whether a kind's `tolerations` are about something other than nodes.
    pub fn has_other_tolerations(&self, group: &str, kind: &str) -> bool {
        self.providers
            .iter()
            .flat_map(|provider| &provider.no_node_tolerations)
            .any(|row| row.covers(group, kind))
    }

    /// The row for an object with this text, or `None` if it does not add tolerations to other pods.
    pub fn injects(&self, group: &str, kind: &str, text: &str) -> Option<&InjectRow> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.injects)
            .find(|row| {
                row.group == group
                    && row.kinds.iter().any(|known| known == kind)
                    && row
                        .when_text
                        .as_ref()
                        .is_none_or(|word| text.contains(word))
            })
    }

    /// The rows for objects of a kind that make pods of the pod templates of others.
    pub(super) fn borrows(&self, group: &str, kind: &str) -> impl Iterator<Item = &BorrowRow> {
        let rows = self.providers.iter().flat_map(|one| &one.borrows);
        rows.filter(move |row| row.group == group && row.kinds.iter().any(|known| known == kind))
    }

    /// Admission plugins beyond Kubernetes' defaults that the API servers of a provider's clusters run.
    pub fn admission(&self, provider: &str) -> &[String] {
        self.providers
            .iter()
            .find(|one| one.name.value == provider)
            .map_or(&[], |one| &one.admission)
    }

    /// All well-known taints of all tables.
    pub fn well_known_taints(&self) -> Vec<WellKnownTaint> {
        self.providers
            .iter()
            .flat_map(|provider| provider.well_known_taints.iter().cloned())
            .collect()
    }

    /// Whether no current release sets taints with this key.
    pub fn is_dead_taint(&self, key: &str) -> bool {
        self.providers
            .iter()
            .flat_map(|provider| &provider.well_known_taints)
            .any(|row| row.dead && row.key == key)
    }
}

/// Whether a module matches the pattern of a table.
pub(super) fn is_module_of(pattern: &str, module: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => module.starts_with(start),
        None => module == pattern,
    }
}
