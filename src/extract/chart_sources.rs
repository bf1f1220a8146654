//! What other files say about the charts of a file: addresses in objects of their own, such as HelmRepositories, and the
//! dependencies of a chart, whose values stand in the values of that chart.

use std::collections::BTreeMap;

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
}

/// What the files of a repository say about charts.
#[derive(Debug, Default)]
pub struct ChartSources {
    /// Addresses, by kind and name.
    objects: BTreeMap<(String, String), Vec<ChartSource>>,
    /// The dependencies of charts, by folder.
    dependencies: BTreeMap<String, Vec<Dependency>>,
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
        self.objects.is_empty() && self.dependencies.is_empty()
    }

    /// The dependencies of the chart whose values are in a file.
    pub fn dependencies_of(&self, path: &str) -> &[Dependency] {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let found = self.dependencies.get(folder);
        found
            .filter(|_| names_values(path))
            .map_or(&[], Vec::as_slice)
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
