//! Tests of the graph over small repositories.

use std::collections::BTreeMap;

use super::*;
use crate::source::SourceId;
use crate::yaml;

mod bundles;
mod helmfiles;
mod sets;

/// The graph of a repository.
fn found(files: &[(&str, &str)]) -> Graph {
    let mut pointers = Vec::new();
    let mut forms = BTreeMap::new();
    for (number, (path, text)) in (0..).zip(files) {
        for document in yaml::parse(text, SourceId(number)).documents {
            let root = document.root();
            let of = |key| {
                root.get(key)
                    .and_then(|node| node.as_str())
                    .unwrap_or_default()
                    .to_owned()
            };
            let (version, kind) = (of("apiVersion"), of("kind"));
            let group = version.split_once('/').map_or("", |(group, _)| group);
            pointers.extend(read(root, group, &kind).map(|pointer| (*path, pointer)));
            let bundle = read_bundle(root, path).into_iter();
            let bundle = bundle.chain(read_helmfile(root));
            pointers.extend(bundle.map(|pointer| (*path, pointer)));
            let entries = root
                .get("resources")
                .into_iter()
                .flat_map(|list| list.items());
            let entries: Vec<String> = entries
                .filter_map(|one| Some(one.as_str()?.to_owned()))
                .collect();
            if path.ends_with("kustomization.yaml") {
                forms.insert(*path, entries);
            }
        }
    }
    let repository = Repository {
        tree: Tree::new(files.iter().map(|(path, _)| *path).collect(), forms),
        pointers: pointers.iter().map(|(path, one)| (*path, one)).collect(),
        parse: &|text| {
            let documents = yaml::parse(text, SourceId(0)).documents;
            documents.iter().map(|one| Data::of(one.root())).collect()
        },
        fill: &|_, _, _| None,
        is_test: &|_| false,
        read: &|wanted| {
            let (_, text) = files.iter().find(|(path, _)| *path == wanted)?;
            let documents = yaml::parse(text, SourceId(0)).documents;
            documents.iter().map(|one| Data::of(one.root())).collect()
        },
    };
    graph(&repository)
}

/// `cluster: files` of a repository, and what is not known.
fn shown(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let graph = found(files);
    let of = |cluster: usize| -> Vec<&str> {
        let files = graph.of_file.iter().filter(|(_, of)| of.contains(&cluster));
        files.map(|(path, _)| path.as_str()).collect()
    };
    let clusters = graph.clusters.iter().enumerate();
    let lines = clusters.map(|(at, one)| format!("{}: {}", one.name, of(at).join(" ")));
    let troubles = graph.troubles.iter().map(|one| one.why.clone());
    (lines.collect(), troubles.collect())
}

fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

fn application(name: &str, path: &str, destination: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  \
         source: {{repoURL: https://example.com/acme/deploy.git, path: {path}}}\n  destination: {destination}\n"
    )
}

const NOTHING: [&str; 0] = [];

#[test]
fn each_cluster_of_flux_has_its_overlay_and_the_bases_that_it_takes_in() {
    let (prod, staging) = (
        flux("flux-system", "./clusters/prod"),
        flux("flux-system", "./clusters/staging"),
    );
    let (apps, tests) = (flux("apps", "./apps/prod"), flux("apps", "./apps/staging"));
    let overlay = "resources: [../base]\n";
    let (clusters, troubles) = shown(&[
        ("clusters/prod/flux-system/gotk-sync.yaml", &prod),
        ("clusters/prod/apps.yaml", &apps),
        ("clusters/staging/flux-system/gotk-sync.yaml", &staging),
        ("clusters/staging/apps.yaml", &tests),
        ("apps/base/kustomization.yaml", "resources: [web.yaml]\n"),
        ("apps/base/web.yaml", ""),
        ("apps/base/unused.yaml", ""),
        ("apps/prod/kustomization.yaml", overlay),
        ("apps/staging/kustomization.yaml", overlay),
    ]);
    assert_eq!(troubles, NOTHING);
    assert_eq!(
        clusters,
        [
            "prod: apps/base/kustomization.yaml apps/base/web.yaml apps/prod/kustomization.yaml \
             clusters/prod/apps.yaml clusters/prod/flux-system/gotk-sync.yaml",
            "staging: apps/base/kustomization.yaml apps/base/web.yaml apps/staging/kustomization.yaml \
             clusters/staging/apps.yaml clusters/staging/flux-system/gotk-sync.yaml",
        ]
    );
}

#[test]
fn an_application_of_applications_delivers_to_the_clusters_that_it_names() {
    let here = "{server: 'https://kubernetes.default.svc'}";
    let root = application("root", "apps", here);
    let inner = application("tools", "tools", here);
    let (east, west) = (
        application("e", "web", "{name: east}"),
        application("w", "web", "{name: west}"),
    );
    let (clusters, troubles) = shown(&[
        ("root.yaml", &root),
        ("apps/tools.yaml", &inner),
        ("apps/east.yaml", &east),
        ("apps/west.yaml", &west),
        ("apps/inner/not-applied.yaml", ""),
        ("tools/agent.yaml", ""),
        ("web/web.yaml", ""),
    ]);
    assert_eq!(troubles, NOTHING);
    assert_eq!(
        clusters,
        [
            "in-cluster: apps/east.yaml apps/tools.yaml apps/west.yaml root.yaml tools/agent.yaml",
            "east: web/web.yaml",
            "west: web/web.yaml",
        ]
    );
}

#[test]
fn circles_and_paths_that_lead_nowhere_are_told() {
    let here = "{name: in-cluster}";
    let (a, b) = (application("a", "b", here), application("b", "a", here));
    let (gone, out) = (
        application("gone", "missing", here),
        application("out", "../x", here),
    );
    let (clusters, troubles) = shown(&[
        ("a/a.yaml", &a),
        ("b/b.yaml", &b),
        ("gone.yaml", &gone),
        ("out.yaml", &out),
    ]);
    assert_eq!(
        clusters,
        ["in-cluster: a/a.yaml b/b.yaml gone.yaml out.yaml"]
    );
    assert_eq!(
        troubles,
        [
            "`a` is delivered only by what it delivers itself",
            "there is nothing to deploy at `missing`",
            "the path `../x` leads out of the repository",
        ]
    );
}

#[test]
fn clusters_of_one_name_in_two_folders_are_two() {
    let (east, west) = (
        flux("flux-system", "./east/clusters/prod"),
        flux("flux-system", "./west/clusters/prod"),
    );
    let (clusters, troubles) = shown(&[
        ("east/clusters/prod/sync.yaml", &east),
        ("west/clusters/prod/sync.yaml", &west),
    ]);
    assert_eq!(troubles.len(), 2);
    assert_eq!(
        clusters,
        [
            "east/clusters/prod: east/clusters/prod/sync.yaml",
            "west/clusters/prod: west/clusters/prod/sync.yaml"
        ]
    );
}

#[test]
fn each_cluster_fills_in_variables_of_its_own_config_map() {
    let sync = |cluster: &str, rest: &str| {
        let whole = flux("flux-system", &format!("./clusters/{cluster}"));
        whole.replace(
            "spec: {",
            &format!("spec: {{postBuild: {{substitute: {{KIND: web}}, substituteFrom: [{{kind: ConfigMap, name: settings}}{rest}]}}, "),
        )
    };
    let settings = |tier: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, namespace: flux-system}}\ndata: {{TIER: {tier}, KIND: no}}\n"
        )
    };
    let apps = flux("apps", "'./apps/${TIER}/${KIND}/${NONE}'");
    let (prod, lab) = (
        sync("prod", ""),
        sync("lab", ", {kind: Secret, name: secrets}"),
    );
    let (big, small) = (settings("big"), settings("small"));
    let (clusters, troubles) = shown(&[
        ("clusters/prod/sync.yaml", &prod),
        ("clusters/prod/settings.yaml", &big),
        ("clusters/prod/apps.yaml", &apps),
        ("clusters/lab/sync.yaml", &lab),
        ("clusters/lab/settings.yaml", &small),
        ("clusters/lab/apps.yaml", &apps),
        ("apps/big/web/w.yaml", ""),
        ("apps/small/web/w.yaml", ""),
    ]);
    assert_eq!(
        clusters,
        [
            "prod: apps/big/web/w.yaml clusters/prod/apps.yaml clusters/prod/settings.yaml clusters/prod/sync.yaml",
            "lab: clusters/lab/apps.yaml clusters/lab/settings.yaml clusters/lab/sync.yaml",
        ]
    );
    // A Secret may set the last of them.
    assert_eq!(
        troubles,
        [
            "the path `./apps/${TIER}/${KIND}/${NONE}` is filled in later, so what it applies is not known"
        ]
    );
}

#[test]
fn flux_does_not_search_kustomizations_inside_kustomizations() {
    let sync = flux("flux-system", "./clusters/prod");
    let (clusters, _) = shown(&[
        ("clusters/prod/sync.yaml", &sync),
        (
            "clusters/prod/in/kustomization.yaml",
            "resources: [a.yaml]\n",
        ),
        ("clusters/prod/in/a.yaml", ""),
        (
            "clusters/prod/in/deep/kustomization.yaml",
            "resources: [b.yaml]\n",
        ),
        ("clusters/prod/in/deep/b.yaml", ""),
    ]);
    assert_eq!(
        clusters,
        [
            "prod: clusters/prod/in/a.yaml clusters/prod/in/kustomization.yaml clusters/prod/sync.yaml"
        ]
    );
}
