//! Reads objects that say what runs where.

use super::data::{Data, Value};
use super::facts::{
    Application, ArgoCluster, ArgoSource, Chosen, Customization, Directory, Fleet, FleetGroup,
    Flux, Pointer, Release, Says, Set, SourceName, Word,
};
use super::fleet::is_bundle;
use crate::source::{SourceId, Span};
use crate::yaml::Node;

/// The label of Secrets that describe clusters to Argo CD.
const CLUSTER_LABEL: &str = "argocd.argoproj.io/secret-type";

/// The maximum number of variables in one ConfigMap.
const MAX_VARIABLES: usize = 500;

/// Reads an object of this group and kind.
pub fn read(root: Node<'_>, group: &str, kind: &str) -> Option<Pointer> {
    let reader: fn(&Data) -> Option<Says> = match (group, kind) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => |data| flux(data).map(Says::Flux),
        ("source.toolkit.fluxcd.io", "GitRepository" | "OCIRepository" | "Bucket") => source,
        ("helm.toolkit.fluxcd.io", "HelmRelease") => release,
        ("argoproj.io", "Application") => |data| {
            let spec = data.get("spec")?;
            Some(Says::Application(application(spec)))
        },
        ("argoproj.io", "ApplicationSet") => set,
        ("", "Secret") => cluster,
        ("", "ConfigMap") => variables,
        ("fleet.cattle.io", "GitRepo") => fleet,
        ("fleet.cattle.io", "Cluster") => |data| {
            let labels = pairs(data.find(&["metadata", "labels"]));
            Some(Says::FleetCluster(labels))
        },
        ("fleet.cattle.io", "ClusterGroup") => |data| {
            let selector = data.find(&["spec", "selector"])?.clone();
            let labels = pairs(data.find(&["metadata", "labels"]));
            Some(Says::FleetGroup(FleetGroup { labels, selector }))
        },
        _ => return None,
    };
    // Most Secrets are not about clusters.
    if kind == "Secret" {
        root.get("metadata")?.get("labels")?.get(CLUSTER_LABEL)?;
    }
    // Most ConfigMaps hold files.
    if kind == "ConfigMap" {
        let data = root.get("data")?.fields();
        let is_variable = |name: &str| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        };
        let mut names = data.iter().map(|field| field.name());
        if data.len() > MAX_VARIABLES || !names.all(|name| name.is_some_and(is_variable)) {
            return None;
        }
    }
    let data = Data::of(root)?;
    let says = reader(&data)?;
    Some(pointer(&data, kind, says))
}

/// Reads an object of Argo CD as a template makes it. It has the place of the template.
pub fn read_made(root: Node<'_>, at: Span) -> Option<Pointer> {
    let data = Data::of(root)?.placed(at);
    let version = data.text_at(&["apiVersion"])?;
    let kind = data.text_at(&["kind"])?;
    let says = match (version.split_once('/')?.0, kind) {
        ("argoproj.io", "Application") => Says::Application(application(data.get("spec")?)),
        ("argoproj.io", "ApplicationSet") => set(&data)?,
        _ => return None,
    };
    Some(pointer(&data, kind, says))
}

/// The template of a chart with this text, if it makes such objects.
pub fn read_template(text: &str, id: SourceId) -> Option<Pointer> {
    let makes = text.contains("argoproj.io/") && text.contains("kind: Application");
    let whole = Span::new(id, 0..0);
    makes.then(|| Pointer {
        kind: String::new(),
        name: String::new(),
        namespace: String::new(),
        whole,
        at: whole,
        says: Says::Template,
    })
}

fn pointer(data: &Data, kind: &str, says: Says) -> Pointer {
    let text = |key| data.text_at(&["metadata", key]);
    let name = data.find(&["metadata", "name"]);
    Pointer {
        kind: kind.to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
        namespace: text("namespace").unwrap_or_default().to_owned(),
        whole: data.at,
        at: name.map_or(data.at, |name| name.at),
        says,
    }
}

pub fn words(list: Option<&Data>) -> Vec<Word> {
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
    let from = spec.find(&["postBuild", "substituteFrom"]);
    let from = from.map_or(&[][..], Data::items);
    Some(Flux {
        path: Word::of(spec.get("path")),
        components: words(spec.get("components")),
        source: source_name(spec, data),
        remote: Word::of(spec.find(&["kubeConfig", "secretRef", "name"])),
        variables: pairs(spec.find(&["postBuild", "substitute"]))
            .into_iter()
            .map(without_newlines)
            .collect(),
        variables_from: from
            .iter()
            .filter(|one| one.text_at(&["kind"]) == Some("ConfigMap"))
            .filter_map(|one| Some(one.text_at(&["name"])?.to_owned()))
            .collect(),
        has_secret_variables: from
            .iter()
            .any(|one| one.text_at(&["kind"]) != Some("ConfigMap")),
        changes: ["components", "patches", "targetNamespace"]
            .iter()
            .filter_map(|key| spec.get(key).filter(|value| !value.is_empty()))
            .map(|value| {
                let mut value = value.clone();
                value.relocate(&|_| Span::new(SourceId(0), 0..0));
                value
            })
            .collect(),
        is_unclear: false,
    })
}

/// Flux takes newlines out of variables.
fn without_newlines((name, value): (String, String)) -> (String, String) {
    (name, value.replace('\n', ""))
}

fn variables(data: &Data) -> Option<Says> {
    let pairs = pairs(data.get("data"));
    let variables: Vec<_> = pairs.into_iter().map(without_newlines).collect();
    (!variables.is_empty()).then_some(Says::Variables(variables))
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

/// Reads the `spec` of an Application.
pub fn application(spec: &Data) -> Application {
    let many = spec.get("sources").map_or(&[][..], Data::items);
    // Argo CD ignores `source` where there are `sources`.
    let one = spec.get("source").filter(|_| many.is_empty());
    Application {
        sources: many.iter().chain(one).map(argo_source).collect(),
        cluster: Word::of(spec.find(&["destination", "name"])).filter(is_said),
        server: Word::of(spec.find(&["destination", "server"])).filter(is_said),
    }
}

fn is_said(word: &Word) -> bool {
    !word.text.is_empty()
}

fn argo_source(source: &Data) -> ArgoSource {
    let directory = source.get("directory").filter(|one| one.is_map());
    let directory = directory.map(|directory| {
        let text = |key| directory.text_at(&[key]).unwrap_or_default().to_owned();
        Directory {
            recurse: text("recurse") == "true",
            include: text("include"),
            exclude: text("exclude"),
        }
    });
    let helm = source.get("helm").filter(|one| one.is_map());
    ArgoSource {
        url: source.text_at(&["repoURL"]).unwrap_or_default().to_owned(),
        path: Word::of(source.get("path")),
        is_chart: source
            .text_at(&["chart"])
            .is_some_and(|chart| !chart.is_empty()),
        directory,
        helm: helm.map(|helm| words(helm.get("valueFiles"))),
        kustomize: source.get("kustomize").is_some_and(Data::is_map),
        given: helm.and_then(given),
        // An object goes before a text.
        text: helm
            .filter(|helm| helm.get("valuesObject").is_none())
            .and_then(|helm| Some(helm.text_at(&["values"])?.to_owned())),
    }
}

/// The values that Argo CD passes to Helm, without those in files and texts.
fn given(helm: &Data) -> Option<Data> {
    let object = helm.get("valuesObject").filter(|one| one.is_map()).cloned();
    let parameters = helm.get("parameters").map_or(&[][..], Data::items);
    let parameters = parameters.iter().filter_map(|one| {
        let value = one.get("value")?.clone();
        let keys = one.text_at(&["name"])?.rsplit('.');
        Some(keys.fold(value, |value, key| Data {
            at: one.at,
            value: Value::Map(vec![(key.to_owned(), value)]),
        }))
    });
    let all = object.into_iter().chain(parameters);
    all.reduce(|below, above| below.merged(&above))
}

fn set(data: &Data) -> Option<Says> {
    let spec = data.get("spec")?;
    let generators = spec.get("generators").map_or(&[][..], Data::items);
    Some(Says::Set(Set {
        generators: generators.to_vec(),
        template: spec.get("template").cloned(),
        patch: Word::of(spec.get("templatePatch")),
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
        project: text("project").to_owned(),
        labels,
        annotations: pairs(data.find(&["metadata", "annotations"])),
    }))
}

fn fleet(data: &Data) -> Option<Says> {
    let spec = data.get("spec")?;
    let targets = spec.get("targets").map_or(&[][..], Data::items);
    Some(Says::Fleet(Fleet {
        url: spec.text_at(&["repo"]).unwrap_or_default().to_owned(),
        paths: words(spec.get("paths")),
        targets: targets.iter().filter_map(chosen).collect(),
    }))
}

/// What a target says of its clusters, or `None` if it chooses none.
fn chosen(target: &Data) -> Option<Chosen> {
    let text = |key| {
        let text = target.text_at(&[key]).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let map = |key| target.get(key).filter(|one| one.is_map()).cloned();
    let chosen = Chosen {
        name: text("name"),
        cluster: text("clusterName"),
        selector: map("clusterSelector"),
        group: text("clusterGroup"),
        groups: map("clusterGroupSelector"),
    };
    let is_empty = chosen.cluster.is_none()
        && chosen.selector.is_none()
        && chosen.group.is_none()
        && chosen.groups.is_none();
    (!is_empty).then_some(chosen)
}

/// Reads what a `fleet.yaml` says of all clusters and of those of each target. `path` is that of the file.
pub fn read_bundle(root: Node<'_>, path: &str) -> Vec<Pointer> {
    if !is_bundle(path) {
        return Vec::new();
    }
    let Some(data) = Data::of(root) else {
        return Vec::new();
    };
    let pointer = |one: &Data, chosen: Option<Chosen>| {
        let name = chosen.as_ref().and_then(|chosen| chosen.name.clone());
        let is_off = one.text_at(&["doNotDeploy"]) == Some("true");
        let values = match chosen {
            Some(_) => words(one.find(&["helm", "valuesFiles"])),
            None => Vec::new(),
        };
        let says = Customization {
            chosen,
            values,
            overlays: words(one.find(&["yaml", "overlays"])),
            kustomize: Word::of(one.find(&["kustomize", "dir"])),
            is_off,
        };
        Pointer {
            kind: "fleet.yaml".to_owned(),
            name: name.unwrap_or_default(),
            namespace: String::new(),
            whole: one.at,
            at: one.get("name").map_or(one.at, |name| name.at),
            says: Says::Customization(says),
        }
    };
    let mut found = Vec::new();
    let targets = data
        .get("targetCustomizations")
        .map_or(&[][..], Data::items);
    for target in targets {
        found.extend(chosen(target).map(|chosen| pointer(target, Some(chosen))));
    }
    let for_all = pointer(&data, None);
    let has_folder = data.find(&["kustomize", "dir"]).is_some();
    found.extend((!found.is_empty() && has_folder).then_some(for_all));
    found
}
