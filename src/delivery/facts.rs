//! What one object says of what runs where: objects of Flux, Argo CD and Fleet that name folders, sources or clusters.

use super::data::Data;
use crate::source::Span;
use crate::yaml::Node;

/// A text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Its place.
    pub at: Span,
}

impl Word {
    fn of(data: Option<&Data>) -> Option<Word> {
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
    /// Its name as a source.
    pub fn source_name(&self) -> SourceName {
        SourceName {
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// Whether it has a path that what applies it fills in.
    pub fn needs_variables(&self) -> bool {
        match &self.says {
            Says::Flux(flux) => flux.path.as_ref().is_some_and(|path| is_open(&path.text)),
            _ => false,
        }
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
    /// The clusters, as far as they are named.
    pub clusters: Vec<String>,
}

/// The label of Secrets that describe clusters to Argo CD.
const CLUSTER_LABEL: &str = "argocd.argoproj.io/secret-type";

/// Reads an object of this group and kind.
pub fn read(root: Node<'_>, group: &str, kind: &str) -> Option<Pointer> {
    let reader: fn(&Data) -> Option<Says> = match (group, kind) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => |data| flux(data).map(Says::Flux),
        ("source.toolkit.fluxcd.io", "GitRepository" | "OCIRepository" | "Bucket") => source,
        ("helm.toolkit.fluxcd.io", "HelmRelease") => release,
        ("argoproj.io", "Application") => |data| {
            let spec = data.get("spec")?;
            Some(Says::Application(Application::of(spec)))
        },
        ("argoproj.io", "ApplicationSet") => set,
        ("", "Secret") => cluster,
        ("fleet.cattle.io", "GitRepo") => fleet,
        _ => return None,
    };
    // Most Secrets are not about clusters.
    if kind == "Secret" {
        root.get("metadata")?.get("labels")?.get(CLUSTER_LABEL)?;
    }
    let data = Data::of(root)?;
    let says = reader(&data)?;
    let text = |key| data.text_at(&["metadata", key]);
    let name = data.find(&["metadata", "name"]);
    Some(Pointer {
        kind: kind.to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
        namespace: text("namespace").unwrap_or_default().to_owned(),
        whole: root.span(),
        at: name.map_or(root.span(), |name| name.at),
        says,
    })
}

fn words(list: Option<&Data>) -> Vec<Word> {
    let items = list.into_iter().flat_map(Data::items);
    items.filter_map(|item| Word::of(Some(item))).collect()
}

fn pairs(map: Option<&Data>) -> Vec<(String, String)> {
    let fields = map.into_iter().flat_map(Data::fields);
    fields
        .filter_map(|(name, value)| Some((name.to_owned(), value.text()?.to_owned())))
        .collect()
}

fn source_name(spec: &Data, own: &Data) -> SourceName {
    let text = |key| spec.text_at(&["sourceRef", key]).unwrap_or_default();
    let namespace = match text("namespace") {
        "" => own.text_at(&["metadata", "namespace"]).unwrap_or_default(),
        named => named,
    };
    SourceName {
        kind: text("kind").to_owned(),
        namespace: namespace.to_owned(),
        name: text("name").to_owned(),
    }
}

fn flux(data: &Data) -> Option<Flux> {
    let spec = data.get("spec")?;
    Some(Flux {
        path: Word::of(spec.get("path")),
        components: words(spec.get("components")),
        source: source_name(spec, data),
        remote: Word::of(spec.find(&["kubeConfig", "secretRef", "name"])),
        variables: pairs(spec.find(&["postBuild", "substitute"])),
    })
}

fn source(data: &Data) -> Option<Says> {
    let url = data.text_at(&["spec", "url"]).unwrap_or_default();
    Some(Says::Source(url.to_owned()))
}

fn release(data: &Data) -> Option<Says> {
    let spec = data.get("spec")?;
    let chart = spec.find(&["chart", "spec"]);
    let is_file = |chart: &&Data| {
        let kind = chart.text_at(&["sourceRef", "kind"]);
        matches!(kind, Some("GitRepository" | "Bucket"))
    };
    let chart = chart.filter(is_file);
    let remote = Word::of(spec.find(&["kubeConfig", "secretRef", "name"]));
    if chart.is_none() && remote.is_none() {
        return None;
    }
    let own = |chart| source_name(chart, data);
    let mut values = words(chart.and_then(|chart| chart.get("valuesFiles")));
    values.extend(Word::of(chart.and_then(|chart| chart.get("valuesFile"))));
    Some(Says::Release(Release {
        chart: Word::of(chart.and_then(|chart| chart.get("chart"))),
        source: chart.map(own).unwrap_or_default(),
        values,
        remote,
    }))
}

impl Application {
    /// Reads the `spec` of an Application.
    pub fn of(spec: &Data) -> Application {
        let many = spec.get("sources").map_or(&[][..], Data::items);
        // Argo CD ignores `source` where there are `sources`.
        let one = spec.get("source").filter(|_| many.is_empty());
        Application {
            sources: many.iter().chain(one).map(argo_source).collect(),
            cluster: Word::of(spec.find(&["destination", "name"])).filter(is_said),
            server: Word::of(spec.find(&["destination", "server"])).filter(is_said),
        }
    }
}

fn is_said(word: &Word) -> bool {
    !word.text.is_empty()
}

fn argo_source(source: &Data) -> ArgoSource {
    let directory = source.get("directory").map(|directory| {
        let text = |key| directory.text_at(&[key]).unwrap_or_default().to_owned();
        Directory {
            recurse: text("recurse") == "true",
            include: text("include"),
            exclude: text("exclude"),
        }
    });
    let helm = source.get("helm");
    ArgoSource {
        url: source.text_at(&["repoURL"]).unwrap_or_default().to_owned(),
        path: Word::of(source.get("path")),
        is_chart: source
            .text_at(&["chart"])
            .is_some_and(|chart| !chart.is_empty()),
        directory,
        helm: helm.map(|helm| words(helm.get("valueFiles"))),
        kustomize: source.get("kustomize").is_some(),
    }
}

fn set(data: &Data) -> Option<Says> {
    let spec = data.get("spec")?;
    let generators = spec.get("generators").map_or(&[][..], Data::items);
    Some(Says::Set(Set {
        generators: generators.to_vec(),
        template: spec.get("template").cloned(),
        go_template: spec.text_at(&["goTemplate"]) == Some("true"),
    }))
}

fn cluster(data: &Data) -> Option<Says> {
    let labels = pairs(data.find(&["metadata", "labels"]));
    let is_cluster = |(key, value): &(String, String)| key == CLUSTER_LABEL && value == "cluster";
    if !labels.iter().any(is_cluster) {
        return None;
    }
    let text = |key| data.text_at(&["stringData", key]).unwrap_or_default();
    Some(Says::Cluster(ArgoCluster {
        name: text("name").to_owned(),
        server: text("server").to_owned(),
        labels,
        annotations: pairs(data.find(&["metadata", "annotations"])),
    }))
}

fn fleet(data: &Data) -> Option<Says> {
    let spec = data.get("spec")?;
    let targets = spec.get("targets").map_or(&[][..], Data::items);
    let names = targets
        .iter()
        .filter_map(|target| target.text_at(&["clusterName"]));
    Some(Says::Fleet(Fleet {
        url: spec.text_at(&["repo"]).unwrap_or_default().to_owned(),
        paths: words(spec.get("paths")),
        clusters: names.map(str::to_owned).collect(),
    }))
}
