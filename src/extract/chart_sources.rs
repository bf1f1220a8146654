//! What other files say about the charts of a file: addresses in objects of their own, such as HelmRepositories, and the
//! dependencies of a chart, whose values stand in the values of that chart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chart_inputs;
use super::chart_templates::{ChartTemplates, map_of};
use super::generated_keys::GeneratedKey;
use crate::charts::{Edition, Group};
use crate::source::{SourceId, path};
use crate::yaml::Document;

/// How deeply charts may contain each other.
pub(super) const MAX_DEPTH: usize = 6;

/// An object that names the address of charts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartSource {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace, if it says so.
    pub namespace: Option<String>,
    /// The address of a repository, or of a single chart.
    pub address: String,
    /// The address is that of a single chart.
    pub whole: bool,
    /// The version of that chart.
    pub version: Option<String>,
}

/// A chart that another chart contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The key of its values among those of the other chart.
    pub key: String,
    /// Its name.
    pub chart: String,
    /// The address of its repository, if that is known.
    pub address: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its folder, from that of the other chart, if it is in the same repository.
    pub folder: Option<String>,
    /// The paths of the values that switch it on or off. The first one that says so decides.
    pub conditions: Vec<String>,
    /// Its tags. Without a condition that decides, any of them switches it on.
    pub tags: Vec<String>,
    /// Whether some of its values become those of the other chart.
    pub imports: bool,
}

/// The name and the version of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartName {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
}

/// A chart whose templates are in the repository.
#[derive(Debug)]
pub(super) struct OwnChart {
    /// Its name.
    pub(super) name: String,
    /// What its templates say about its values.
    pub(super) edition: Arc<Edition>,
    /// Its folder.
    pub(super) folder: String,
}

/// A chart of the repository as a part of another one.
#[derive(Debug)]
pub struct Part<'s> {
    /// The key of its values among those of the other chart.
    pub(super) key: &'s str,
    /// What the other chart says of it.
    pub(super) dependency: Option<&'s Dependency>,
    /// The chart.
    pub(super) chart: &'s OwnChart,
}

impl<'s> Part<'s> {
    /// The folder of the chart.
    pub fn folder(&self) -> &'s str {
        &self.chart.folder
    }
}

/// What the files of a repository say about charts.
#[derive(Debug, Default)]
pub struct ChartSources {
    /// Addresses, by kind and name.
    objects: BTreeMap<(String, String), Vec<ChartSource>>,
    /// The dependencies of charts, by folder.
    dependencies: BTreeMap<String, Vec<Dependency>>,
    /// The charts of the repository, by folder.
    charts: BTreeMap<String, OwnChart>,
    /// Paths of files in ConfigMaps and Secrets, by the folder of the Kustomization, the name and the key.
    generated: BTreeMap<(String, String, String), String>,
    /// The same by the name and the key. `None` if several Kustomizations make such an object of different files.
    made: BTreeMap<(String, String), Option<String>>,
    /// The names of environments in helmfiles.
    environments: BTreeSet<String>,
    /// Files of values that releases name, by path. `None` if one cannot be read.
    values: BTreeMap<String, Option<Arc<Document>>>,
    /// The templates of charts that releases install, by folder.
    templates: BTreeMap<String, ChartTemplates>,
}

impl ChartSources {
    /// Adds an object that names an address.
    pub fn add(&mut self, source: &ChartSource) {
        let key = (source.kind.clone(), source.name.clone());
        self.objects.entry(key).or_default().push(source.clone());
    }

    /// Adds the dependencies of the chart in a folder.
    pub fn add_dependencies(&mut self, folder: &str, dependencies: &[Dependency]) {
        let all = self.dependencies.entry(folder.to_owned()).or_default();
        all.extend(dependencies.iter().cloned());
    }

    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.dependencies.is_empty() && self.charts.is_empty()
    }

    /// Adds the chart in a folder, with the values that its templates read.
    pub fn add_chart(&mut self, folder: &str, chart: Option<&ChartName>, groups: Vec<Group>) {
        let last = folder.rsplit('/').next().unwrap_or_default();
        let edition = Edition {
            published: Vec::new(),
            version: chart
                .and_then(|chart| chart.version.clone())
                .unwrap_or_default(),
            source: None,
            values: chart_inputs::join(groups),
        };
        let own = OwnChart {
            name: chart.map_or(last, |chart| &chart.name).to_owned(),
            edition: Arc::new(edition),
            folder: folder.to_owned(),
        };
        self.charts.insert(folder.to_owned(), own);
    }

    /// The charts of the repository that a file has values for, each with the key of its values unless it is the chart that
    /// the file belongs to.
    pub(super) fn charts_of<'s>(&'s self, path: &str) -> Vec<(Option<&'s str>, &'s OwnChart)> {
        if self.charts.is_empty() || !names_values(path) {
            return Vec::new();
        }
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            if let Some(own) = self.charts.get(folder) {
                return self.with_parts(folder, own);
            }
        }
        self.charts
            .get("")
            .map_or_else(Vec::new, |own| self.with_parts("", own))
    }

    /// The chart in a folder.
    pub(super) fn chart_at(&self, folder: &str) -> Option<&OwnChart> {
        self.charts.get(folder)
    }

    /// Adds the templates of the chart in a folder.
    pub fn add_templates(&mut self, folder: &str, templates: ChartTemplates) {
        self.templates.insert(folder.to_owned(), templates);
    }

    /// The templates of the chart in a folder.
    pub(super) fn templates_at(&self, folder: &str) -> Option<&ChartTemplates> {
        self.templates.get(folder)
    }

    /// Adds a file that the Kustomization in a folder puts into an object.
    pub fn add_generated(&mut self, folder: &str, key: &GeneratedKey) {
        let at = (folder.to_owned(), key.name.clone(), key.key.clone());
        self.generated.insert(at, key.path.clone());
        let known = self.made.entry((key.name.clone(), key.key.clone()));
        known
            .and_modify(|path| *path = path.take().filter(|path| *path == key.path))
            .or_insert_with(|| Some(key.path.clone()));
    }

    /// Adds an environment of helmfiles.
    pub fn add_environment(&mut self, name: &str) {
        self.environments.insert(name.to_owned());
    }

    /// The names of environments in helmfiles.
    pub(super) fn environments(&self) -> impl Iterator<Item = &str> {
        self.environments.iter().map(String::as_str)
    }

    /// Adds a file of values that a release names.
    pub fn add_values(&mut self, path: &str, text: &str, id: SourceId) {
        let map = map_of(text, id).map(Arc::new);
        self.values.insert(path.to_owned(), map);
    }

    /// The values in a file that a release names.
    pub(super) fn values_at(&self, path: &str) -> Option<&Arc<Document>> {
        self.values.get(path)?.as_ref()
    }

    /// Whether a release names a file of values.
    pub(super) fn has_values(&self, path: &str) -> bool {
        self.values.contains_key(path)
    }

    /// The path of the file in an object, for a release in a folder: the Kustomization of this folder counts, or else of the
    /// nearest one above it, or else the only one that makes such an object.
    pub(super) fn generated(&self, folder: &str, name: &str, key: &str) -> Option<&str> {
        let mut at = folder;
        loop {
            let wanted = (at.to_owned(), name.to_owned(), key.to_owned());
            if let Some(path) = self.generated.get(&wanted) {
                return Some(path);
            }
            if at.is_empty() {
                break;
            }
            at = path::folder(at);
        }
        let all = self.made.get(&(name.to_owned(), key.to_owned()))?;
        all.as_deref()
    }

    /// Whether a file has values for charts of the repository.
    pub fn has_charts_of(&self, path: &str) -> bool {
        !self.charts_of(path).is_empty()
    }

    /// Whether a file has what one environment sets for a chart: `values-prod.yaml` beside the chart's `values.yaml`.
    pub fn is_environment(&self, path: &str) -> bool {
        let folder = path::folder(path);
        self.charts.contains_key(folder) && names_environment(path)
    }

    /// A chart and the charts in it.
    fn with_parts<'s>(
        &'s self,
        folder: &str,
        own: &'s OwnChart,
    ) -> Vec<(Option<&'s str>, &'s OwnChart)> {
        let parts = self.parts_of(folder).into_iter();
        let parts = parts.map(|part| (Some(part.key), part.chart));
        std::iter::once((None, own)).chain(parts).collect()
    }

    /// The charts of the repository that the chart in a folder contains: those in its `charts`, and those that it names.
    pub fn parts_of<'s>(&'s self, folder: &str) -> Vec<Part<'s>> {
        let start = match folder {
            "" => "charts/".to_owned(),
            folder => format!("{folder}/charts/"),
        };
        let inside = self.charts.range(start.clone()..);
        let inside = inside.take_while(|(path, _)| path.starts_with(&start));
        let inside = inside.filter_map(|(path, chart)| {
            let own = path.strip_prefix(&start)?;
            (!own.contains('/')).then_some((own, chart))
        });
        let inside: Vec<(&str, &OwnChart)> = inside.collect();
        let named = self.dependencies.get(folder).map_or(&[][..], Vec::as_slice);
        let mut parts = Vec::new();
        for dependency in named {
            let vendored = inside.iter().find(|(_, one)| one.name == dependency.chart);
            let beside = || {
                let at = path::join(folder, dependency.folder.as_deref()?)?;
                self.charts.get(&at)
            };
            let chart = vendored.map(|(_, chart)| *chart).or_else(beside);
            parts.extend(chart.map(|chart| Part {
                key: &dependency.key,
                dependency: Some(dependency),
                chart,
            }));
        }
        let is_named = |chart: &OwnChart| named.iter().any(|one| one.chart == chart.name);
        let others = inside.into_iter().filter(|(_, chart)| !is_named(chart));
        parts.extend(others.map(|(key, chart)| Part {
            key,
            dependency: None,
            chart,
        }));
        parts
    }

    /// The folders of the chart in a folder and of the charts of the repository in it, as deep as charts are filled in.
    pub fn all_parts_of<'s>(&'s self, folder: &'s str) -> BTreeSet<&'s str> {
        let mut all = BTreeSet::from([folder]);
        let mut level = vec![folder];
        for _ in 1..MAX_DEPTH {
            let parts = level.iter().flat_map(|at| self.parts_of(at));
            let new = parts.map(|part| part.folder());
            level = new.filter(|at| all.insert(*at)).collect();
        }
        all
    }

    /// The folders of the charts in the repository that charts depend on, by their folders.
    pub fn own_dependencies(&self) -> BTreeMap<String, Vec<String>> {
        let all = self.dependencies.iter().map(|(folder, all)| {
            let own = all.iter().filter_map(|one| one.folder.as_deref());
            let own = own.filter_map(|own| path::join(folder, own));
            (folder.clone(), own.collect())
        });
        all.filter(|(_, own): &(_, Vec<String>)| !own.is_empty())
            .collect()
    }

    /// The dependencies from elsewhere of the chart in a folder, apart from those that lie in it.
    pub(super) fn dependencies_from_elsewhere(
        &self,
        folder: &str,
    ) -> impl Iterator<Item = &Dependency> {
        let parts = self.parts_of(folder).into_iter();
        let own: BTreeSet<&str> = parts.map(|part| part.key).collect();
        let named = self.dependencies.get(folder).into_iter().flatten();
        named.filter(move |one| one.folder.is_none() && !own.contains(one.key.as_str()))
    }

    /// The dependencies from elsewhere of the chart whose values are in a file.
    pub fn dependencies_of(&self, path: &str) -> impl Iterator<Item = &Dependency> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let found = self.dependencies.get(folder);
        let named = found.filter(|_| names_values(path)).into_iter().flatten();
        named.filter(|one| one.folder.is_none())
    }

    /// The source that a reference means. `None` if it is not in the repository, or if several with different addresses
    /// have this name.
    pub(super) fn find(
        &self,
        kind: &str,
        name: &str,
        namespace: Option<&str>,
    ) -> Option<&ChartSource> {
        let all = self.objects.get(&(kind.to_owned(), name.to_owned()))?;
        let near = all
            .iter()
            .filter(|one| one.namespace.as_deref() == namespace);
        only(near).or_else(|| only(all.iter()))
    }
}

/// The first of some sources, if all have the same address.
fn only<'s>(mut all: impl Iterator<Item = &'s ChartSource>) -> Option<&'s ChartSource> {
    let first = all.next()?;
    all.all(|one| one.address == first.address && one.version == first.version)
        .then_some(first)
}

/// Whether the names in a path mark a file of Helm values: `values.yaml`, `web-values.yml`, `values/prod.yaml`.
pub(super) fn names_values(path: &str) -> bool {
    path.split(['/', '-', '_', '.'])
        .any(|word| word.eq_ignore_ascii_case("values"))
}

/// Whether a file is called `values-NAME.yaml` or the like, with a name that an environment can have.
pub fn names_environment(path: &str) -> bool {
    const OTHERS: [&str; 5] = ["schema", "example", "sample", "template", "default"];
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, "yaml" | "yml")) = name.rsplit_once('.') else {
        return false;
    };
    let rest = stem.strip_prefix("values");
    let rest = rest.and_then(|rest| rest.strip_prefix(['-', '_', '.']));
    rest.is_some_and(|rest| {
        let mut words = rest.split(['-', '_', '.']);
        !rest.is_empty() && words.all(|word| !OTHERS.iter().any(|other| word.starts_with(other)))
    })
}
