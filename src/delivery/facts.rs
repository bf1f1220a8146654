//! What one object says of what runs where: objects of Flux, Argo CD and Fleet that name folders, sources or clusters.

use super::data::Data;
use super::substitution::{Variables, substitute};
use crate::source::Span;

/// A text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Its place.
    pub at: Span,
}

impl Word {
    /// The text of a value.
    pub fn of(data: Option<&Data>) -> Option<Word> {
        let data = data?;
        let text = data.text()?.to_owned();
        Some(Word { text, at: data.at })
    }
}

/// An object that says what runs where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: String,
    /// The object.
    pub whole: Span,
    /// The place of its name.
    pub at: Span,
    /// What it says.
    pub says: Says,
}

impl Pointer {
    /// The names of the environments of a helmfile.
    pub fn environments(&self) -> impl Iterator<Item = &str> {
        let declared = match &self.says {
            Says::Helmfile(one) => one.environments.as_slice(),
            _ => &[],
        };
        declared.iter().map(|(name, _)| name.as_str())
    }

    /// Its name as a source.
    pub fn source_name(&self) -> SourceName {
        SourceName {
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// Moves the places in an object that kustomize made: the object as a whole is written at `whole`.
    pub fn relocate(&mut self, whole: Span, place: &dyn Fn(Span) -> Span) {
        self.whole = whole;
        self.at = place(self.at);
        self.says
            .for_each_word(&mut |word| word.at = place(word.at));
        self.says.for_each_data(&mut |data| data.relocate(place));
    }

    /// Notes what patches change in an object, of which another one is the form without them.
    pub fn compare(&mut self, before: &Pointer) {
        if let (Says::Flux(new), Says::Flux(old)) = (&mut self.says, &before.says) {
            new.is_unclear = new.changes != old.changes;
        }
    }

    /// Whether it has words that the Kustomization that applies it may fill in.
    pub fn needs_variables(&self) -> bool {
        let mut needs = false;
        self.says.clone().for_each_word(&mut |word| {
            needs |= word.text.contains("${");
        });
        needs
    }

    /// The same object with these variables filled in, as far as they are known.
    #[must_use]
    pub fn filled(&self, variables: &Variables) -> Pointer {
        let mut filled = self.clone();
        filled.says.for_each_word(&mut |word| {
            if let Some(text) = substitute(&word.text, variables) {
                word.text = text;
            }
        });
        filled
    }
}

/// Whether a text is filled in by something that was not read.
pub fn is_open(text: &str) -> bool {
    text.contains("{{") || text.contains("${") || text.contains("$(")
}

/// Whether an address is that of the cluster in which Argo CD runs.
pub fn is_local(server: &str) -> bool {
    let host = server.strip_prefix("https://").unwrap_or(server);
    let host = host.strip_suffix(":443").unwrap_or(host);
    [
        "kubernetes.default.svc",
        "kubernetes.default",
        "kubernetes.default.svc.cluster.local",
    ]
    .contains(&host)
}

/// What an object says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// A Kustomization of Flux applies folders.
    Flux(Flux),
    /// A source of Flux has this address.
    Source(String),
    /// A HelmRelease of Flux installs a chart.
    Release(Release),
    /// An Application of Argo CD.
    Application(Application),
    /// An ApplicationSet of Argo CD: its generators, and its template.
    Set(Set),
    /// A Secret describes a cluster to Argo CD.
    Cluster(ArgoCluster),
    /// A GitRepo of Rancher Fleet.
    Fleet(Fleet),
    /// A Cluster of Rancher Fleet, with its labels.
    FleetCluster(Vec<(String, String)>),
    /// A ClusterGroup of Rancher Fleet.
    FleetGroup(FleetGroup),
    /// What a `fleet.yaml` says of the clusters of one target, or of all.
    Customization(Customization),
    /// A document of a helmfile.
    Helmfile(Helmfile),
    /// A template of a chart makes Applications or ApplicationSets of Argo CD.
    Template,
    /// A ConfigMap that may hold variables for Kustomizations of Flux.
    Variables(Vec<(String, String)>),
}

impl Says {
    /// Calls a function with each word that says what goes where.
    fn for_each_word(&mut self, take: &mut dyn FnMut(&mut Word)) {
        match self {
            Says::Flux(flux) => {
                let words = flux.path.iter_mut().chain(&mut flux.remote);
                words.chain(&mut flux.components).for_each(take);
            }
            Says::Release(release) => {
                let words = release.chart.iter_mut().chain(&mut release.remote);
                words.chain(&mut release.values).for_each(take);
            }
            Says::Application(one) => {
                let to = one.cluster.iter_mut().chain(&mut one.server);
                to.for_each(&mut *take);
                for source in &mut one.sources {
                    let helm = source.helm.iter_mut().flatten();
                    source.path.iter_mut().chain(helm).for_each(&mut *take);
                }
            }
            Says::Fleet(fleet) => fleet.paths.iter_mut().for_each(take),
            Says::Set(set) => set.patch.iter_mut().for_each(take),
            Says::Source(_)
            | Says::Cluster(_)
            | Says::FleetCluster(_)
            | Says::FleetGroup(_)
            | Says::Customization(_)
            | Says::Helmfile(_)
            | Says::Template
            | Says::Variables(_) => {}
        }
    }

    /// Calls a function with each value whose meaning is not known yet.
    fn for_each_data(&mut self, take: &mut dyn FnMut(&mut Data)) {
        match self {
            Says::Set(set) => {
                set.generators
                    .iter_mut()
                    .chain(&mut set.template)
                    .for_each(take);
            }
            Says::Application(one) => {
                let given = one
                    .sources
                    .iter_mut()
                    .filter_map(|source| source.given.as_mut());
                given.for_each(take);
            }
            _ => {}
        }
    }

    /// Whether it names the clusters for its own folder, so that nothing else has to apply that folder.
    pub fn names_its_clusters(&self) -> bool {
        matches!(self, Says::Customization(_) | Says::Helmfile(_))
    }
}

/// A Kustomization of Flux.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flux {
    /// The folder that it applies, or `None` for the root.
    pub path: Option<Word>,
    /// Folders of components, relative to that folder.
    pub components: Vec<Word>,
    /// Its source.
    pub source: SourceName,
    /// The Secret with the address of another cluster.
    pub remote: Option<Word>,
    /// Variables for what it applies.
    pub variables: Vec<(String, String)>,
    /// The names of ConfigMaps with more variables. Each goes before those that stand earlier.
    pub variables_from: Vec<String>,
    /// Secrets have more variables.
    pub has_secret_variables: bool,
    /// How it changes what it applies: patches, components and a namespace, each with its place taken away.
    pub changes: Vec<Data>,
    /// Kustomizations change how it changes what it applies.
    pub is_unclear: bool,
}

impl Flux {
    /// Whether it fills in variables.
    pub fn has_variables(&self) -> bool {
        !self.variables.is_empty() || !self.variables_from.is_empty() || self.has_secret_variables
    }

    /// Whether objects that it applies may differ from what is written.
    pub fn changes_objects(&self) -> bool {
        !self.changes.is_empty() || self.has_variables()
    }
}

/// A source of Flux, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceName {
    /// Kind.
    pub kind: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// A HelmRelease of Flux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The folder of the chart, if it comes from a repository of files.
    pub chart: Option<Word>,
    /// Its source.
    pub source: SourceName,
    /// Files of values in that source.
    pub values: Vec<Word>,
    /// The Secret with the address of another cluster.
    pub remote: Option<Word>,
}

/// An Application of Argo CD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// What it deploys.
    pub sources: Vec<ArgoSource>,
    /// The name of the cluster that it deploys to.
    pub cluster: Option<Word>,
    /// The address of that cluster.
    pub server: Option<Word>,
}

/// A source of an Application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgoSource {
    /// The address of the repository.
    pub url: String,
    /// The folder.
    pub path: Option<Word>,
    /// It is a chart of a repository of charts.
    pub is_chart: bool,
    /// How a folder of manifests is read, if something says so.
    pub directory: Option<Directory>,
    /// Files of values, if something says how Helm is run.
    pub helm: Option<Vec<Word>>,
    /// Something says how kustomize is run.
    pub kustomize: bool,
    /// Values that are laid over the files of values.
    pub given: Option<Data>,
    /// The same as a text, below those.
    pub text: Option<String>,
}

/// Which files of a folder Argo CD applies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Directory {
    /// Those of inner folders, too.
    pub recurse: bool,
    /// Only those that match this pattern.
    pub include: String,
    /// None that match this pattern.
    pub exclude: String,
}

/// An ApplicationSet of Argo CD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its generators.
    pub generators: Vec<Data>,
    /// The Application that it makes for each set of parameters.
    pub template: Option<Data>,
    /// What is laid over each Application, as a text with a template.
    pub patch: Option<Word>,
    /// Whether its template is one of Go.
    pub go_template: bool,
}

/// A cluster that a Secret describes to Argo CD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgoCluster {
    /// Its name.
    pub name: String,
    /// Its address.
    pub server: String,
    /// Its project.
    pub project: String,
    /// The labels of the Secret.
    pub labels: Vec<(String, String)>,
    /// The annotations of the Secret.
    pub annotations: Vec<(String, String)>,
}

/// A GitRepo of Rancher Fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    /// The address of the repository.
    pub url: String,
    /// The folders.
    pub paths: Vec<Word>,
    /// What chooses the clusters.
    pub targets: Vec<Chosen>,
}

/// What a target of Rancher Fleet says of the clusters that it chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The name of the target.
    pub name: Option<String>,
    /// The name of a cluster.
    pub cluster: Option<String>,
    /// A selector of labels of clusters.
    pub selector: Option<Data>,
    /// The name of a ClusterGroup.
    pub group: Option<String>,
    /// A selector of labels of ClusterGroups.
    pub groups: Option<Data>,
}

/// A ClusterGroup of Rancher Fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetGroup {
    /// Its own labels.
    pub labels: Vec<(String, String)>,
    /// The labels of its clusters.
    pub selector: Data,
}

/// What a `fleet.yaml` says of the clusters of one target, or of all. Its paths start at the folder of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customization {
    /// The clusters, or `None` for all.
    pub chosen: Option<Chosen>,
    /// Files of values.
    pub values: Vec<Word>,
    /// Names of folders in `overlays`.
    pub overlays: Vec<Word>,
    /// The folder of a kustomization.
    pub kustomize: Option<Word>,
    /// Nothing is deployed.
    pub is_off: bool,
}

/// A document of a helmfile. Its paths start at the folder of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helmfile {
    /// The environments, each with its own files of values.
    pub environments: Vec<(String, Vec<Word>)>,
    /// Files that it is laid over.
    pub bases: Vec<Word>,
    /// Other helmfiles that it names.
    pub helmfiles: Vec<Word>,
    /// Files of values of its releases.
    pub values: Vec<Word>,
    /// Folders of charts.
    pub charts: Vec<Word>,
}
