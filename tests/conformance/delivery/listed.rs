//! Cases that someone thought of.

use std::collections::BTreeMap;

use super::{Files, Question, manifest};

const HOME: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: home}\nspec:\n  project: default\n  \
    source: {repoURL: x/deploy, path: home}\n  destination: {name: in-cluster}\n";

/// An ApplicationSet with these generators beside folders, files of parameters and Secrets.
fn set(go: bool, generators: &str, path: &str, to: &str, rest: &str) -> Question {
    let mut files = Files::new();
    for path in [
        "apps/web/a.yaml",
        "apps/web/inner/b.yaml",
        "apps/api/a.yaml",
        "apps/My_App/a.yaml",
        "apps/old/a.yaml",
        "one.yaml",
    ] {
        files.insert(path.to_owned(), manifest(path));
    }
    for (path, text) in [
        ("home/app.yaml", HOME),
        (
            "config/eu/c.json",
            r#"{"name": "eu", "id": 123456789012, "app": "web", "on": true, "path": "lost"}"#,
        ),
        (
            "config/us/c.json",
            r#"[{"name": "us", "id": 1.0, "app": "api"}, {"name": "us-2", "id": 0.00001, "app": "api"}]"#,
        ),
        ("config/x.yaml", "name: x\napp: old\n---\nname: second\n"),
        ("config/empty.yaml", ""),
        (
            "secrets/eu.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  labels: {argocd.argoproj.io/secret-type: cluster, env: prod}\n  \
             annotations: {acme.com/app: web}\nstringData: {name: eu, server: 'https://eu', project: p}\n",
        ),
        (
            "secrets/us.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n  labels: {argocd.argoproj.io/secret-type: cluster}\n\
             stringData: {name: us, server: 'https://us'}\n",
        ),
    ] {
        files.insert(path.to_owned(), text.to_owned());
    }
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: top}}\nspec:\n  goTemplate: {go}\n{rest}  \
         generators: {generators}\n  template:\n    metadata: {{name: one}}\n    spec:\n      project: default\n      \
         source: {{repoURL: x/deploy, path: '{path}'}}\n      destination: {to}\n"
    );
    files.insert("argocd/top.yaml".to_owned(), text);
    Question {
        files,
        top: "argocd/top.yaml".to_owned(),
        text: None,
        variables: BTreeMap::new(),
    }
}

pub fn argo() -> Vec<Question> {
    let by_folder = "[{git: {repoURL: x/deploy, directories: [{path: 'apps/*'}]}}]";
    let by_file = "[{git: {repoURL: x/deploy, files: [{path: 'config/**/c.json'}]}}]";
    let to_name = "{name: '{{name}}'}";
    let to_go_name = "{name: '{{.name}}'}";
    vec![
        set(false, by_folder, "{{path}}", "{name: eu}", ""),
        set(true, by_folder, "{{.path.path}}", "{name: eu}", ""),
        set(
            true,
            by_folder,
            "apps/{{index .path.segments 1}}",
            "{name: '{{.path.basenameNormalized}}'}",
            "",
        ),
        // Numbers are printed as Go prints floats.
        set(false, by_file, "apps/{{app}}", "{name: 'c{{id}}'}", ""),
        set(true, by_file, "apps/{{.app}}", "{name: 'c{{.id}}'}", ""),
        set(
            true,
            by_file,
            "apps/{{.app}}",
            "{name: '{{.path.basename}}-{{.path.filenameNormalized}}'}",
            "",
        ),
        // The first document of a file counts, and an empty file has the parameters of its path.
        set(
            false,
            "[{git: {repoURL: x/deploy, files: [{path: 'config/*.yaml'}]}}]",
            "apps/old",
            "{name: 'x{{path.filename}}{{name}}'}",
            "",
        ),
        set(
            false,
            "[{git: {repoURL: x/deploy, files: [{path: one.yaml}]}}]",
            "{{path}}",
            "{name: '{{path.basename}}'}",
            "",
        ),
        set(
            false,
            "[{git: {repoURL: x/deploy, pathParamPrefix: my, directories: [{path: 'apps/w*'}]}}]",
            "{{my.path}}",
            "{name: '{{my.path.basename}}'}",
            "",
        ),
        set(
            true,
            "[{git: {repoURL: x/deploy, pathParamPrefix: my, directories: [{path: 'apps/w*'}]}}]",
            "{{.my.path.path}}",
            "{name: '{{.my.path.basename}}'}",
            "",
        ),
        set(
            false,
            "[{git: {repoURL: x/deploy}}]",
            "apps/web",
            "{name: eu}",
            "",
        ),
        // Clusters.
        set(
            false,
            "[{clusters: {}}]",
            "apps/web",
            "{server: '{{server}}'}",
            "",
        ),
        set(
            true,
            "[{clusters: {selector: {matchLabels: {env: prod}}}}]",
            "apps/{{index .metadata.annotations \"acme.com/app\"}}",
            to_go_name,
            "",
        ),
        set(
            false,
            "[{clusters: {selector: {matchExpressions: [{key: env, operator: DoesNotExist}]}}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            false,
            "[{clusters: {values: {app: 'w{{project}}'}}, selector: {matchLabels: {name: eu}}}]",
            "apps/web",
            "{name: '{{values.app}}'}",
            "",
        ),
        set(
            false,
            "[{clusters: {flatList: true}}]",
            "apps/web",
            "{name: eu}",
            "",
        ),
        // Lists.
        set(
            false,
            "[{list: {elements: [{name: eu, n: 3}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu, n: 1234567}]}}]",
            "apps/web",
            "{name: 'n{{.n}}'}",
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu}], elementsYaml: '[{name: us, n: 3}]'}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            true,
            "[{list: {elements: [], elementsYaml: '[{name: us, a: {b: web}}]'}}]",
            "apps/{{.a.b}}",
            to_go_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu}, {name: us}]}, selector: {matchExpressions: [{key: name, operator: NotIn, values: [eu]}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu}]}, clusters: {selector: {matchLabels: {env: prod}}}}]",
            "apps/web",
            to_name,
            "",
        ),
        // What both generators of a matrix set is refused, or the first counts.
        set(
            false,
            "[{matrix: {generators: [{list: {elements: [{name: eu}]}}, {list: {elements: [{name: us}]}}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            true,
            "[{matrix: {generators: [{list: {elements: [{name: eu, l: [a]}]}}, {list: {elements: [{name: us, l: [b, web]}]}}]}}]",
            "apps/web",
            "{name: '{{.name}}-{{index .l 0}}'}",
            "",
        ),
        set(
            true,
            "[{matrix: {generators: [{clusters: {}}, {git: {repoURL: x/deploy, directories: [{path: 'apps/{{ .name | trunc 1 }}*'}]}}]}}]",
            "{{.path.path}}",
            to_go_name,
            "",
        ),
        set(
            false,
            "[{matrix: {generators: [{git: {repoURL: x/deploy, files: [{path: 'config/eu/*'}]}}, {list: {elements: [{to: '{{name}}-{{app}}'}]}}]}}]",
            "apps/web",
            "{name: '{{to}}'}",
            "",
        ),
        set(
            false,
            "[{matrix: {generators: [{clusters: {}}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        // What is missing is the same as what is missing elsewhere.
        set(
            false,
            "[{merge: {mergeKeys: [none], generators: [{list: {elements: [{name: eu, app: web}]}}, {list: {elements: [{app: api}]}}]}}]",
            "apps/{{app}}",
            to_name,
            "",
        ),
        set(
            false,
            "[{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: eu}, {name: eu}]}}, {list: {elements: [{name: eu}]}}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            true,
            "[{merge: {mergeKeys: [a.b], generators: [{list: {elements: [{name: eu, a: {b: x}}]}}, {list: {elements: [{name: us, a: {b: y}}]}}]}}]",
            "apps/web",
            to_go_name,
            "",
        ),
        set(
            false,
            "[{merge: {mergeKeys: [], generators: [{list: {elements: []}}, {list: {elements: []}}]}}]",
            "apps/web",
            to_name,
            "",
        ),
        // Templates.
        set(
            false,
            "[{list: {elements: [{name: eu}]}}]",
            "apps/{{ name }}{{-name-}}",
            to_name,
            "",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu}]}}]",
            " apps/ {{- \"web\" -}} ",
            to_go_name,
            "",
        ),
        set(
            true,
            "[{list: {elements: [{name: EU_1}]}}]",
            "apps/web",
            "{name: '{{ .name | lower | normalize }}'}",
            "",
        ),
        set(
            true,
            "[{list: {elements: [{a-b: eu}]}}]",
            "apps/web",
            "{name: '{{ .a-b }}'}",
            "",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu}]}}]",
            "apps/web",
            "{name: 'x{{ .none }}'}",
            "",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu}]}}]",
            "apps/web",
            "{name: 'x{{ .none }}'}",
            "  goTemplateOptions: [missingkey=error]\n",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu}], template: {metadata: {}, spec: {project: '', source: {path: apps/api, repoURL: x/deploy}, destination: {}}}}}]",
            "apps/web",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu}]}}]",
            "apps/web",
            to_name,
            "  templatePatch: |\n    spec: {source: {path: 'apps/{{name}}/../api'}}\n",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu}, {name: us}]}}]",
            "apps/web",
            to_go_name,
            "  templatePatch: |\n    spec:\n      source: {directory: {recurse: true}}\n    {{- if eq .name \"eu\" }}\n      destination: {name: x}\n    {{- end }}\n",
        ),
        set(
            true,
            "[{list: {elements: [{name: eu}]}}]",
            "apps/web",
            to_go_name,
            "  templatePatch: |\n    metadata: {labels: {a: '{{ .none | quote }}'}}\n",
        ),
        // Paths.
        set(
            false,
            "[{list: {elements: [{name: eu, path: /apps/web}]}}]",
            "{{path}}",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu, path: ../x}]}}]",
            "{{path}}",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu, path: apps/../apps//web/}]}}]",
            "{{path}}",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu, path: one.yaml}]}}]",
            "{{path}}",
            to_name,
            "",
        ),
        set(
            false,
            "[{list: {elements: [{name: eu, path: .}]}}]",
            "{{path}}",
            to_name,
            "",
        ),
    ]
}

/// A Kustomization of Flux among these files.
fn kustomization(path: &str, files: &[(&str, Option<&str>)]) -> Question {
    let object = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
             spec: {{path: '{path}', sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        )
    };
    let given = files.iter().map(|(path, text)| {
        let text = text.map_or_else(|| manifest(path), str::to_owned);
        ((*path).to_owned(), text)
    });
    let mut files: Files = given.collect();
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\n\
        spec: {url: 'https://example.com/x/deploy'}\n";
    files.insert("clusters/prod/source.yaml".to_owned(), source.to_owned());
    files.insert(
        "clusters/prod/sync.yaml".to_owned(),
        object("flux-system", "./clusters/prod"),
    );
    files.insert("clusters/prod/top.yaml".to_owned(), object("top", path));
    Question {
        files,
        top: "clusters/prod/top.yaml".to_owned(),
        text: None,
        variables: BTreeMap::new(),
    }
}

pub fn flux() -> Vec<Question> {
    let text = |text: &str| Question {
        files: Files::new(),
        top: String::new(),
        text: Some(text.to_owned()),
        variables: [("a", "one"), ("empty", ""), ("_b2", "two")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    };
    let mut cases: Vec<Question> = [
        "./${a}/x",
        "./${b}/x",
        "./${b:=two}/x",
        "x${empty:-y}",
        "x${b=z}",
        "x${b-z}",
        "x${a:+z}",
        "x${b:?z}",
        "x$${a}",
        "x$$${a}",
        "x${_b2}",
        "x${a b}",
        "x${}",
        "x${a",
        "x$a",
        "x${a:0:1}",
        "x${a:=}",
        "x}{",
        "x${b:=a-b/c.d}",
        "x${1}",
        "x${a}${a}",
    ]
    .map(text)
    .into();
    // A kustomization inside is built; what is in it and below it is not searched.
    cases.push(kustomization(
        "./apps",
        &[
            ("apps/a.yaml", None),
            ("apps/b.json", None),
            ("apps/in/kustomization.yaml", Some("resources: [x.yaml]\n")),
            ("apps/in/x.yaml", None),
            ("apps/in/y.yaml", None),
            ("apps/in/deep/z.yaml", None),
            (
                "apps/in/more/kustomization.yaml",
                Some("resources: [m.yaml]\n"),
            ),
            ("apps/in/more/m.yaml", None),
            ("apps/deep/er/z.yml", None),
        ],
    ));
    let overlay = [
        (
            "apps/prod/kustomization.yaml",
            Some("resources: [../base, own.yaml]\n"),
        ),
        ("apps/prod/own.yaml", None),
        ("apps/prod/other.yaml", None),
        (
            "apps/base/kustomization.yaml",
            Some("resources: [web.yaml]\n"),
        ),
        ("apps/base/web.yaml", None),
    ];
    for path in [
        "./apps/prod",
        "apps/prod/",
        "/apps/prod",
        "../../apps/prod",
        "./none",
        "apps/../apps/prod",
    ] {
        cases.push(kustomization(path, &overlay));
    }
    cases
}
