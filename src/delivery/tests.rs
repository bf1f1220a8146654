//! Tests of the graph over small repositories.

use std::collections::BTreeMap;

use super::*;
use crate::source::SourceId;
use crate::yaml;

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

fn set(generators: &str, path: &str, cluster: &str, rest: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  {rest}\n  \
         generators: {generators}\n  template:\n    spec:\n      \
         source: {{repoURL: 'https://example.com/acme/deploy.git', path: '{path}'}}\n      \
         destination: {{name: '{cluster}'}}\n"
    )
}

#[test]
fn folders_that_git_finds_are_deployed_each() {
    let git = "[{git: {repoURL: 'https://example.com/acme/deploy.git', directories: [{path: 'apps/*'}, {path: apps/old, exclude: true}]}}]";
    for (path, rest) in [
        ("{{path}}", "goTemplate: false"),
        ("{{.path.path}}", "goTemplate: true"),
    ] {
        let all = set(git, path, "east", rest);
        let (clusters, troubles) = shown(&[
            ("argocd/set.yaml", &all),
            ("apps/web/web.yaml", ""),
            ("apps/old/old.yaml", ""),
            ("apps/web/inner/deep.yaml", ""),
        ]);
        assert_eq!(troubles, NOTHING);
        assert_eq!(clusters, ["east: apps/web/web.yaml"]);
    }
}

#[test]
fn a_matrix_of_clusters_and_folders_puts_each_into_each() {
    let secret = |name: &str, label: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  labels: {{argocd.argoproj.io/secret-type: cluster, env: {label}}}\n\
             stringData: {{name: {name}, server: 'https://{name}'}}\n"
        )
    };
    let generators = "[{matrix: {generators: [{clusters: {selector: {matchLabels: {env: prod}}}}, \
                      {git: {repoURL: 'https://example.com/acme/deploy.git', directories: [{path: 'apps/{{name}}/*'}]}}]}}]";
    let all = set(generators, "{{path}}", "{{name}}", "goTemplate: false");
    let (east, west, test) = (
        secret("east", "prod"),
        secret("west", "prod"),
        secret("lab", "test"),
    );
    let (clusters, troubles) = shown(&[
        ("set.yaml", &all),
        ("secrets/a.yaml", &east),
        ("secrets/b.yaml", &west),
        ("secrets/c.yaml", &test),
        ("apps/east/web/a.yaml", ""),
        ("apps/west/web/b.yaml", ""),
        ("apps/lab/web/c.yaml", ""),
    ]);
    assert_eq!(troubles, NOTHING);
    assert_eq!(
        clusters,
        ["east: apps/east/web/a.yaml", "west: apps/west/web/b.yaml"]
    );
}

#[test]
fn files_that_git_finds_hold_the_names_of_clusters() {
    let git = "[{git: {repoURL: 'https://example.com/acme/deploy.git', files: [{path: 'config/**/cluster.json'}]}}]";
    let all = set(
        git,
        "apps/{{cluster.size}}",
        "{{cluster.name}}",
        "goTemplate: false",
    );
    let (clusters, troubles) = shown(&[
        ("set.yaml", &all),
        (
            "config/eu/cluster.json",
            r#"{"cluster": {"name": "eu", "size": "big"}}"#,
        ),
        ("apps/big/web.yaml", ""),
        ("apps/small/web.yaml", ""),
    ]);
    assert_eq!(troubles, NOTHING);
    assert_eq!(clusters, ["eu: apps/big/web.yaml"]);
}

#[test]
fn merged_generators_and_lists_are_read_and_others_are_named() {
    let generators = "[{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: a, path: small}, {name: b, path: small}]}}, \
                      {list: {elements: [{name: b, path: big}, {name: c, path: big}]}}]}}]";
    let merged = set(generators, "apps/{{path}}", "{{name}}", "goTemplate: false");
    let other = set(
        "[{pullRequest: {github: {}}}]",
        "apps/{{number}}",
        "x",
        "goTemplate: false",
    );
    let (clusters, troubles) = shown(&[
        ("a.yaml", &merged),
        ("b.yaml", &other),
        ("apps/small/s.yaml", ""),
        ("apps/big/b.yaml", ""),
    ]);
    assert_eq!(
        troubles,
        ["the generator `pullRequest` is not read, so what it deploys where is not known"]
    );
    assert_eq!(clusters, ["a: apps/small/s.yaml", "b: apps/big/b.yaml"]);
}

#[test]
fn a_generator_with_thousands_of_clusters_is_followed_in_time() {
    let elements: Vec<String> = (0..4_000).map(|at| format!("{{name: c{at}}}")).collect();
    let list = format!("[{{list: {{elements: [{}]}}}}]", elements.join(", "));
    let all = set(&list, "apps", "{{name}}", "goTemplate: false");
    let files: Vec<String> = (0..500).map(|at| format!("apps/{at}.yaml")).collect();
    let mut given: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "")).collect();
    given.push(("set.yaml", &all));
    let started = std::time::Instant::now();
    let graph = found(&given);
    assert_eq!(graph.clusters.len(), 4_000);
    let why = &graph.troubles[0].why;
    assert!(why.contains("too much to too many clusters"), "{why}");
    assert!(started.elapsed().as_secs() < 60);
}
