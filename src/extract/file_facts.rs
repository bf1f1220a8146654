//! The facts of one file, and their combination with those of other files.

use std::collections::BTreeSet;
use std::sync::Arc;

use thin_vec::ThinVec;

use super::borrowed::Borrowed;
use super::chart_sources::{ChartName, ChartSource, Dependency};
use super::generated_keys::GeneratedKey;
use super::ignores;
use super::namespaces::{Namespace, RuntimeClass};
use super::overlays::{Kustomization, Overlay};
use super::pool_facts::ReadPool;
use super::values_files::ValuesFile;
use crate::charts::{Group, ValuePath};
use crate::delivery::Pointer;
use crate::finding::Open;
use crate::inventory::ReadInventory;
use crate::model::clouds::Clouds;
use crate::model::device::PlacedDeviceEntry;
use crate::model::notice::Notice;
use crate::model::workload::Workload;
use crate::source::{SourceId, Span};
use crate::terraform::File;
use crate::terraform::VarFiles;
use crate::yaml;

/// The facts from one file.
#[derive(Debug, Clone, Default)]
pub struct FileFacts {
    /// The number of non-empty documents.
    pub documents: u32,
    /// Pod templates, and lists of tolerations whose owner is unknown.
    pub workloads: Vec<Workload>,
    /// Node pools and parts of them.
    pub pools: Vec<ReadPool>,
    /// Taints and tolerations of devices.
    pub devices: ThinVec<PlacedDeviceEntry>,
    /// Notices from reading.
    pub notices: Vec<Notice>,
    /// Documents that could not be read: what they seem to contain, and where each error is.
    pub unread: ThinVec<(Span, Unread)>,
    /// What could not be checked. Lists and selectors are not included: workloads record their own unknown parts.
    pub not_judged: Vec<Open>,
    /// Objects that may change other objects' tolerations or selectors.
    pub overlays: Vec<Overlay>,
    /// The entries of Kustomizations.
    pub kustomizations: ThinVec<Kustomization>,
    /// A Terraform file, which can be evaluated only together with the others in its folder.
    pub configuration: Option<Arc<File>>,
    /// Comments and annotations that suppress findings.
    pub ignores: ignores::Ignores,
    /// Inventories of pools that other tools listed.
    pub inventories: ThinVec<ReadInventory>,
    /// Errors in such inventories.
    pub unreadable: ThinVec<yaml::DeError>,
    /// Namespaces.
    pub namespaces: ThinVec<Namespace>,
    /// RuntimeClasses.
    pub runtime_classes: ThinVec<RuntimeClass>,
    /// Pod templates of other objects that its objects make pods of.
    pub borrowed: ThinVec<Borrowed>,
    /// The clouds that files with workloads mention, if any.
    pub clouds: ThinVec<(SourceId, Clouds)>,
    /// Chart templates that do more with `tolerations` than copy it.
    pub reshaping: ThinVec<SourceId>,
    /// Keys that are nearly `tolerations`, with the file that uses them.
    pub near_keys: ThinVec<(SourceId, String)>,
    /// Texts in heredocs of a Terraform file, with the place of each. An evaluated configuration says more about those that
    /// it uses.
    pub heredocs: Vec<(Span, FileFacts)>,
    /// Objects that name the address of charts.
    pub chart_sources: ThinVec<ChartSource>,
    /// The dependencies of the chart that the file describes.
    pub dependencies: ThinVec<Dependency>,
    /// The chart that the file describes.
    pub chart: Option<ChartName>,
    /// Values of the chart that reach the pods of its template.
    pub chart_groups: ThinVec<Group>,
    /// The places of actions that print something for the scheduling of pods, and whether it is known which values of the
    /// chart that is.
    pub expressions: ThinVec<(Span, bool)>,
    /// Named templates about scheduling that the file defines.
    pub defines: ThinVec<String>,
    /// Values of the chart that its template changes.
    pub changed_values: ThinVec<ValuePath>,
    /// Files of values that its releases name.
    pub values_files: ThinVec<ValuesFile>,
    /// The folders of charts that its releases install.
    pub installs: ThinVec<String>,
    /// Files whose values it overrides.
    pub laid_over: ThinVec<SourceId>,
    /// Files that its Kustomizations put into objects.
    pub generated: ThinVec<GeneratedKey>,
    /// It has words in the form of Flux's variables.
    pub has_variables: bool,
    /// The file may have values for tolerations, node selectors or affinity.
    pub schedules: bool,
    /// It has releases of charts. Patches may add values to those that say nothing of scheduling.
    pub has_releases: bool,
    /// Files with releases that refer to such objects.
    pub referring: ThinVec<SourceId>,
    /// Objects that say what runs in which cluster.
    pub pointers: ThinVec<Pointer>,
    /// The file declares a cluster whose control plane the provider runs.
    pub managed_cluster: bool,
    /// Variables files of Terraform that its commands name.
    pub var_files: ThinVec<VarFiles>,
    /// Files of Terraform modules that nothing here calls.
    pub libraries: ThinVec<SourceId>,
    /// Clusters in Terraform configurations whose control plane the provider runs.
    pub declared_clusters: ThinVec<DeclaredCluster>,
}

/// A cluster as a whole in a Terraform configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredCluster {
    /// Its file.
    pub source: SourceId,
    /// The type of the resource, or the module's name in the registry.
    pub of_type: String,
    /// What its name comes from, if that stands in a file that several configurations share.
    pub shared_name: Option<String>,
}

impl FileFacts {
    /// Whether the file contains no facts besides its number of documents.
    pub fn is_empty(&self) -> bool {
        let FileFacts {
            documents: _,
            workloads,
            pools,
            devices,
            notices,
            not_judged,
            unread,
            overlays,
            kustomizations,
            configuration,
            ignores,
            inventories,
            unreadable,
            namespaces,
            runtime_classes,
            borrowed,
            clouds,
            reshaping,
            near_keys,
            heredocs,
            chart_sources,
            dependencies,
            chart,
            chart_groups,
            expressions,
            defines,
            changed_values,
            values_files,
            installs,
            laid_over,
            generated,
            has_variables: _,
            schedules,
            has_releases,
            referring,
            pointers,
            managed_cluster,
            var_files,
            libraries: _,
            declared_clusters: _,
        } = self;
        workloads.is_empty()
            && pools.is_empty()
            && devices.is_empty()
            && notices.is_empty()
            && not_judged.is_empty()
            && unread.is_empty()
            && overlays.is_empty()
            && kustomizations.is_empty()
            && configuration.is_none()
            && *ignores == ignores::Ignores::default()
            && inventories.is_empty()
            && unreadable.is_empty()
            && namespaces.is_empty()
            && runtime_classes.is_empty()
            && borrowed.is_empty()
            && clouds.is_empty()
            && reshaping.is_empty()
            && near_keys.is_empty()
            && heredocs.is_empty()
            && chart_sources.is_empty()
            && dependencies.is_empty()
            && chart.is_none()
            && chart_groups.is_empty()
            && expressions.is_empty()
            && defines.is_empty()
            && changed_values.is_empty()
            && values_files.is_empty()
            && installs.is_empty()
            && laid_over.is_empty()
            && generated.is_empty()
            && !schedules
            && !has_releases
            && referring.is_empty()
            && pointers.is_empty()
            && !managed_cluster
            && var_files.is_empty()
    }

    /// Takes in the texts in heredocs that no other fact comes from.
    pub fn take_in_heredocs(&mut self) {
        let heredocs = std::mem::take(&mut self.heredocs);
        if heredocs.is_empty() {
            return;
        }
        let lists = self.workloads.iter().filter_map(|one| one.list);
        let mut spans: BTreeSet<Span> = lists.collect();
        spans.extend(self.workloads.iter().map(|one| one.span));
        spans.extend(self.notices.iter().map(|one| one.span));
        spans.extend(self.not_judged.iter().map(|one| one.span));
        spans.extend(self.pools.iter().filter_map(|read| read.pool.span));
        for (lines, facts) in heredocs {
            let start = Span {
                end: lines.start,
                ..lines
            };
            let next = spans.range(start..).next();
            let is_read = next.is_some_and(|span| {
                span.source == lines.source && (lines.start..lines.end).contains(&span.start)
            });
            if !is_read {
                self.absorb(facts);
            }
        }
    }

    /// Appends the facts from another file, except for Terraform files, which are combined elsewhere.
    pub fn absorb(&mut self, other: FileFacts) {
        // Most readers find nothing in most objects.
        let has_parts = !other.libraries.is_empty() || !other.declared_clusters.is_empty();
        if other.documents == 0 && !has_parts && other.is_empty() {
            return;
        }
        let FileFacts {
            documents,
            workloads,
            pools,
            devices,
            notices,
            not_judged,
            unread,
            overlays,
            kustomizations,
            configuration: _,
            ignores,
            inventories,
            unreadable,
            namespaces,
            runtime_classes,
            borrowed,
            clouds,
            reshaping,
            near_keys,
            heredocs,
            chart_sources,
            dependencies,
            chart,
            chart_groups,
            expressions,
            defines,
            changed_values,
            values_files,
            installs,
            laid_over,
            generated,
            has_variables,
            schedules,
            has_releases,
            referring,
            pointers,
            managed_cluster,
            var_files,
            libraries,
            declared_clusters,
        } = other;
        self.managed_cluster |= managed_cluster;
        self.var_files.extend(var_files);
        self.libraries.extend(libraries);
        self.declared_clusters.extend(declared_clusters);
        self.has_variables |= has_variables;
        self.schedules |= schedules;
        self.has_releases |= has_releases;
        self.documents += documents;
        self.workloads.extend(workloads);
        self.pools.extend(pools);
        self.devices.extend(devices);
        self.notices.extend(notices);
        self.not_judged.extend(not_judged);
        self.unread.extend(unread);
        self.overlays.extend(overlays);
        self.kustomizations.extend(kustomizations);
        self.ignores.ignores.extend(ignores.ignores);
        self.ignores.misspelt.extend(ignores.misspelt);
        self.ignores.unread.extend(ignores.unread);
        self.inventories.extend(inventories);
        self.unreadable.extend(unreadable);
        self.namespaces.extend(namespaces);
        self.runtime_classes.extend(runtime_classes);
        self.borrowed.extend(borrowed);
        self.clouds.extend(clouds);
        self.reshaping.extend(reshaping);
        self.near_keys.extend(near_keys);
        self.heredocs.extend(heredocs);
        self.chart_sources.extend(chart_sources);
        self.dependencies.extend(dependencies);
        self.chart = self.chart.take().or(chart);
        self.chart_groups.extend(chart_groups);
        self.expressions.extend(expressions);
        self.defines.extend(defines);
        self.changed_values.extend(changed_values);
        self.values_files.extend(values_files);
        self.installs.extend(installs);
        self.laid_over.extend(laid_over);
        self.generated.extend(generated);
        self.referring.extend(referring);
        self.pointers.extend(pointers);
    }
}

/// Guesses about documents that could not be read, from their text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unread {
    /// They contain node pools.
    pub pools: bool,
    /// They mention tolerations.
    pub tolerations: bool,
}
