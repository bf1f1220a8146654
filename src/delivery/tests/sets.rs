//! ApplicationSets and their generators.

use super::{NOTHING, found, shown};

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

#[test]
fn a_patch_and_the_template_of_a_generator_change_what_goes_where() {
    let generators = "[{list: {elements: [{name: a}], template: {spec: {destination: {name: own}}}}}, {list: {elements: [{name: b}]}}]";
    let patch = "templatePatch: '{spec: {source: {path: \"apps/{{name}}\"}}}'";
    let all = set(generators, "apps", "c-{{name}}", patch);
    let (clusters, troubles) = shown(&[
        ("set.yaml", &all),
        ("apps/a/a.yaml", ""),
        ("apps/b/b.yaml", ""),
    ]);
    assert_eq!(troubles, NOTHING);
    assert_eq!(clusters, ["own: apps/a/a.yaml", "c-b: apps/b/b.yaml"]);
    let patch = "templatePatch: '{{if .x}}{spec: {source: {}}}{{end}}'\n  goTemplate: true";
    let all = set(generators, "apps", "c-{{.name}}", patch);
    let (_, troubles) = shown(&[("set.yaml", &all), ("apps/a.yaml", "")]);
    assert_eq!(
        troubles,
        ["the patch is not read, so what is deployed where is not known"]
    );
}

#[test]
fn a_cluster_that_two_secrets_describe_is_not_guessed() {
    let secret = |name: &str, cluster: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  labels: {{argocd.argoproj.io/secret-type: cluster}}\n\
             stringData: {{name: {cluster}, server: 'https://{name}'}}\n"
        )
    };
    let all = set("[{clusters: {}}]", "apps", "{{name}}", "goTemplate: false");
    let (one, other, west) = (
        secret("a", "east"),
        secret("b", "east"),
        secret("c", "west"),
    );
    let (clusters, troubles) = shown(&[
        ("set.yaml", &all),
        ("a.yaml", &one),
        ("b.yaml", &other),
        ("c.yaml", &west),
        ("apps/a.yaml", ""),
    ]);
    assert_eq!(
        clusters,
        ["in-cluster: apps/a.yaml set.yaml", "west: apps/a.yaml"]
    );
    assert_eq!(troubles.len(), 2);
    assert!(troubles[0].contains("several Secrets describe a cluster `east`"));
}
