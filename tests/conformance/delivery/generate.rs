//! Random repositories with one ApplicationSet, Application or Kustomization, and random texts with variables.

use std::collections::BTreeMap;

use super::{Files, Question, manifest};
use crate::random::Random;

const URL: &str = "https://example.com/acme/deploy.git";

const FOLDERS: [&str; 12] = [
    "apps/web",
    "apps/api",
    "apps/My_App",
    "apps/old",
    "apps/web/inner",
    "apps/web/inner/deep",
    "clusters/east",
    "clusters/west",
    "web",
    "apps",
    ".hidden/web",
    "apps/.hidden",
];

const NAMES: [&str; 7] = [
    "a.yaml",
    "b.yml",
    "c.json",
    "notes.txt",
    "ab.yaml",
    "dd.yaml",
    ".d.yaml",
];

const CLUSTERS: [&str; 3] = ["east", "west", "lab"];

pub struct Generator {
    random: Random,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
        }
    }

    pub fn question(&mut self, is_flux: bool) -> Question {
        if is_flux && self.random.chance(60) {
            return self.text();
        }
        let mut files = self.files(!is_flux);
        let top = match is_flux {
            true => self.kustomization(&mut files),
            false => self.of_argo(&mut files),
        };
        Question {
            files,
            top,
            text: None,
            variables: BTreeMap::new(),
        }
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.random.below(list.len())]
    }

    /// Folders with manifests. Some are kustomizations or charts.
    fn files(&mut self, has_charts: bool) -> Files {
        let mut files = Files::new();
        for folder in FOLDERS {
            if !self.random.chance(80) {
                continue;
            }
            let mut own = Vec::new();
            for name in NAMES {
                if self.random.chance(35) {
                    let path = format!("{folder}/{name}");
                    files.insert(path.clone(), manifest(&path));
                    own.push(name);
                }
            }
            own.retain(|name| name.ends_with("ml"));
            if !own.is_empty() && self.random.chance(12) {
                let named = 1 + self.random.below(own.len());
                let named = own[..named].join(", ");
                let text = format!("resources: [{named}]\n");
                files.insert(format!("{folder}/kustomization.yaml"), text);
            } else if has_charts && !own.is_empty() && self.random.chance(6) {
                let text = "apiVersion: v2\nname: a\nversion: 1.0.0\n";
                files.insert(format!("{folder}/Chart.yaml"), text.to_owned());
                let template = format!("{folder}/templates/web.yaml");
                files.insert(template.clone(), manifest(&template));
            }
        }
        files
    }

    fn of_argo(&mut self, files: &mut Files) -> String {
        // What shows that this repository is meant.
        let home = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: home}}\nspec:\n  project: default\n  \
             source: {{repoURL: '{URL}', path: home}}\n  destination: {{name: in-cluster}}\n"
        );
        files.insert("home/app.yaml".to_owned(), home);
        let top = "argocd/top.yaml".to_owned();
        if self.random.chance(25) {
            let path = self.pick(&[
                "apps/web",
                "./apps/web",
                "apps/web/",
                "apps",
                "apps/../web",
                "apps/web/inner/..",
                "none",
                "../x",
                "a/../../apps/web",
                "apps//web",
            ]);
            let directory = self.directory();
            let text = format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: top}}\nspec:\n  project: default\n  \
                 source:\n    repoURL: '{URL}'\n    path: '{path}'\n{directory}  destination: {{name: east}}\n"
            );
            files.insert(top.clone(), text);
            return top;
        }
        for name in CLUSTERS {
            if self.random.chance(70) {
                let env = self.pick(&["prod", "test"]);
                let text = format!(
                    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  labels: {{argocd.argoproj.io/secret-type: cluster, env: {env}}}\n  \
                     annotations: {{app: web, acme.com/dir: apps}}\nstringData: {{name: {name}, server: 'https://{name}'}}\n"
                );
                files.insert(format!("secrets/{name}.yaml"), text);
            }
            if self.random.chance(70) {
                let text = self.parameters(name);
                let inner = self.pick(&["config.json", "config.yaml", "more/config.json"]);
                files.insert(format!("config/{name}/{inner}"), text);
            }
        }
        let go = self.random.chance(50);
        let count = if self.random.chance(15) { 2 } else { 1 };
        let (mut generators, mut known) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (written, of) = self.generator(go, 0);
            generators.push(written);
            known = of;
        }
        let path = self.path(go, &known);
        let to = self.destination(go, &known);
        let patch = if self.random.chance(8) {
            "  templatePatch: |\n    spec: {destination: {name: lab, server: null}}\n"
        } else {
            ""
        };
        let directory = self.directory();
        let text = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: top}}\nspec:\n  goTemplate: {go}\n{patch}  \
             generators: [{}]\n  template:\n    metadata: {{name: one}}\n    spec:\n      project: default\n      source:\n        \
             repoURL: '{URL}'\n        path: '{path}'\n{}      destination: {to}\n",
            generators.join(", "),
            directory.replace("    directory", "        directory"),
        );
        files.insert(top.clone(), text);
        top
    }

    /// Which files of a folder are read.
    fn directory(&mut self) -> String {
        if !self.random.chance(40) {
            return String::new();
        }
        const PATTERNS: [&str; 16] = [
            "*.yaml",
            "{a,b}.*",
            "inner/*",
            "**/a.yaml",
            "[!a]*",
            "[^a]*",
            "*/[a-c].*",
            "{*.yml,a*}",
            "a",
            "[",
            "?.yaml",
            "inner/**/*.yaml",
            "{a.yaml,inner/{a.yaml,b.yml}}",
            "*",
            "*b.y*ml",
            "[ab].y[a]ml",
        ];
        let mut parts = Vec::new();
        if self.random.chance(70) {
            parts.push(format!("recurse: {}", self.random.chance(80)));
        }
        for key in ["include", "exclude"] {
            if self.random.chance(40) {
                parts.push(format!("{key}: '{}'", self.pick(&PATTERNS)));
            }
        }
        format!("    directory: {{{}}}\n", parts.join(", "))
    }

    /// A file of parameters.
    fn parameters(&mut self, name: &str) -> String {
        let app = self.pick(&["web", "api", "My_App", ""]);
        let number = self.pick(&[
            "1",
            "1.0",
            "1234567",
            "123456789012",
            "0.5",
            "true",
            "100000",
            "1e3",
        ]);
        let one = format!(
            "{{\"name\": \"{name}\", \"app\": \"{app}\", \"cluster\": {{\"name\": \"{name}\", \"size\": {number}}}, \
             \"list\": [\"web\", \"api\"]}}"
        );
        match self.random.below(10) {
            0 => String::new(),
            1 => format!("[{one}, {{\"name\": \"lab\", \"app\": \"api\"}}]"),
            _ => one,
        }
    }

    /// A generator, and which parameters it makes.
    fn generator(&mut self, go: bool, depth: usize) -> (String, Vec<&'static str>) {
        let selector = if self.random.chance(12) {
            self.pick(&[
                ", selector: {matchLabels: {name: east}}",
                ", selector: {matchExpressions: [{key: name, operator: In, values: [east, lab]}]}",
                ", selector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}",
                ", selector: {matchExpressions: [{key: cluster.name, operator: Exists}]}",
                ", selector: {matchExpressions: [{key: cluster.name, operator: DoesNotExist}]}",
            ])
        } else {
            ""
        };
        let kinds = if depth < 2 { 6 } else { 4 };
        let (text, known) = match self.random.below(kinds) {
            0 => (self.list(go), vec!["name", "app"]),
            1 => (self.folders(go, depth), vec!["path"]),
            2 => (
                self.parameter_files(go, depth),
                vec!["path", "name", "app", "cluster"],
            ),
            3 => {
                let chosen = self.pick(&[
                    "",
                    "selector: {}",
                    "selector: {matchLabels: {env: prod}}",
                    "selector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}",
                    "selector: {matchExpressions: [{key: env, operator: Exists}]}",
                ]);
                let chosen = if chosen.is_empty() {
                    "values: {}"
                } else {
                    chosen
                };
                let values = match (depth, self.random.below(3)) {
                    (0, 0) if go => {
                        ", values: {dir: 'apps/{{.metadata.annotations.app}}', cluster: '{{.name}}'}"
                    }
                    (0, 0) => {
                        ", values: {dir: 'apps/{{metadata.annotations.app}}', cluster: '{{name}}'}"
                    }
                    _ => "",
                };
                if chosen == "values: {}" && !values.is_empty() {
                    (
                        format!("clusters: {{selector: {{}}{values}}}"),
                        vec!["name", "server", "meta", "values"],
                    )
                } else {
                    let known = if values.is_empty() {
                        vec!["name", "server", "meta"]
                    } else {
                        vec!["name", "server", "meta", "values"]
                    };
                    (format!("clusters: {{{chosen}{values}}}"), known)
                }
            }
            4 => {
                let (first, mut known) = self.generator(go, depth + 1);
                let (second, more) = match self.random.chance(30) {
                    true => {
                        let path = match (go, known.contains(&"name")) {
                            (true, true) => "clusters/{{.name}}*",
                            (false, true) => "clusters/{{name}}*",
                            _ => "apps/*",
                        };
                        let text = format!(
                            "{{git: {{repoURL: '{URL}', directories: [{{path: '{path}'}}]}}}}"
                        );
                        (text, vec!["path"])
                    }
                    false => self.generator(go, depth + 1),
                };
                known.extend(more);
                (
                    format!("matrix: {{generators: [{first}, {second}]}}"),
                    known,
                )
            }
            _ => {
                let (first, mut known) = self.generator(go, depth + 1);
                let (second, more) = self.generator(go, depth + 1);
                known.extend(more);
                let keys = self.pick(&["name", "name", "name", "app", "name, app", "path", "none"]);
                (
                    format!("merge: {{mergeKeys: [{keys}], generators: [{first}, {second}]}}"),
                    known,
                )
            }
        };
        (format!("{{{text}{selector}}}"), known)
    }

    fn list(&mut self, go: bool) -> String {
        let mut elements = Vec::new();
        for name in CLUSTERS {
            if self.random.chance(60) {
                let app = self.pick(&["web", "api", "My_App", "''"]);
                let more = match self.random.below(6) {
                    0 => ", values: {dir: apps/old, cluster: lab}",
                    1 if go => ", cluster: {name: lab, size: 1234567}",
                    2 if self.random.chance(20) => ", size: 3",
                    _ => "",
                };
                elements.push(format!("{{name: {name}, app: {app}{more}}}"));
            }
        }
        let elements = elements.join(", ");
        match self.random.chance(12) {
            true => format!(
                "list: {{elements: [], elementsYaml: '[{}]'}}",
                elements.replace('\'', "\"")
            ),
            false => format!("list: {{elements: [{elements}]}}"),
        }
    }

    fn folders(&mut self, go: bool, depth: usize) -> String {
        const PATTERNS: [&str; 18] = [
            "apps/*",
            "apps/*",
            "apps/*",
            "apps/**",
            "*",
            "*/*",
            "apps/w*",
            "apps/[a-w]*",
            "apps/[^o]*",
            "apps/[!o]*",
            "ap?s/*",
            "apps/web",
            "[",
            "apps/{web,api}",
            "./apps/*",
            "apps/*/*",
            "clusters/*",
            "apps/*/",
        ];
        let mut entries = vec![format!("{{path: '{}'}}", self.pick(&PATTERNS))];
        if self.random.chance(40) {
            let path = self.pick(&["apps/old", "apps/*p*", "apps/w*", "*"]);
            entries.push(format!("{{path: '{path}', exclude: true}}"));
        }
        let values = match (depth, self.random.below(4)) {
            (0, 0) if go => ", values: {cluster: 'c-{{.path.basename}}'}",
            (0, 0) => ", values: {cluster: 'c-{{path.basename}}'}",
            _ => "",
        };
        format!(
            "git: {{repoURL: '{URL}', directories: [{}]{values}}}",
            entries.join(", ")
        )
    }

    fn parameter_files(&mut self, _go: bool, _depth: usize) -> String {
        const PATTERNS: [&str; 12] = [
            "config/*/config.json",
            "config/**/config.json",
            "config/**",
            "**/config.*",
            "config",
            "config/east/",
            "./config/*",
            "config/[ew]*/config.json",
            "config/{east,west}/config.json",
            "config/?ast/*",
            "config/east/config.json",
            "config/[!e]*",
        ];
        let mut entries = vec![format!("{{path: '{}'}}", self.pick(&PATTERNS))];
        if self.random.chance(25) {
            let path = self.pick(&["config/west/*", "**/config.yaml", "config/lab"]);
            entries.push(format!("{{path: '{path}', exclude: true}}"));
        }
        format!("git: {{repoURL: '{URL}', files: [{}]}}", entries.join(", "))
    }

    /// A template for the path of an Application, mostly with parameters that there are.
    fn path(&mut self, go: bool, known: &[&str]) -> String {
        let mut all = vec![("", "apps/web", "apps/web")];
        all.extend([
            ("path", "{{path}}", "{{.path.path}}"),
            ("path", "{{ path }}", "{{ .path.path }}"),
            ("path", "apps/{{path.basename}}", "apps/{{.path.basename}}"),
            (
                "path",
                "{{path[0]}}/{{path[1]}}",
                "{{index .path.segments 0}}/{{index .path.segments 1}}",
            ),
            (
                "path",
                "apps/{{path.basenameNormalized}}",
                "apps/{{normalize .path.basename}}",
            ),
            ("name", "clusters/{{name}}", "clusters/{{.name}}"),
            ("name", "clusters/{{name}}", "clusters/{{ .name | lower }}"),
            ("app", "apps/{{app}}", "apps/{{.app}}"),
            ("app", "apps/{{app}}", "apps/{{- .app -}} "),
            ("app", "apps/{{-app-}}", "apps/{{-.app}}"),
            (
                "cluster",
                "clusters/{{cluster.name}}",
                "clusters/{{.cluster.name}}",
            ),
            ("cluster", "apps/{{list.0}}", "apps/{{index .list 0}}"),
            ("values", "{{values.dir}}", "{{.values.dir}}"),
            (
                "meta",
                "apps/{{metadata.annotations.app}}",
                "apps/{{.metadata.annotations.app}}",
            ),
            (
                "meta",
                "{{metadata.annotations.acme.com/dir}}",
                "{{index .metadata.annotations \"acme.com/dir\"}}",
            ),
        ]);
        self.template(go, known, &all)
    }

    fn destination(&mut self, go: bool, known: &[&str]) -> String {
        let mut all = vec![
            ("", "{name: east}", "{name: east}"),
            ("", "{name: in-cluster}", "{name: in-cluster}"),
            (
                "",
                "{server: https://kubernetes.default.svc}",
                "{server: https://kubernetes.default.svc}",
            ),
        ];
        all.extend([
            (
                "path",
                "{name: '{{path.basename}}'}",
                "{name: '{{.path.basename}}'}",
            ),
            ("name", "{name: '{{name}}'}", "{name: '{{.name}}'}"),
            ("name", "{name: 'c-{{name}}'}", "{name: 'c-{{.name}}'}"),
            (
                "server",
                "{server: '{{server}}'}",
                "{server: '{{.server}}'}",
            ),
            (
                "cluster",
                "{name: 's{{cluster.size}}'}",
                "{name: 's{{.cluster.size}}'}",
            ),
            (
                "values",
                "{name: '{{values.cluster}}'}",
                "{name: '{{.values.cluster}}'}",
            ),
            (
                "meta",
                "{name: '{{metadata.labels.env}}'}",
                "{name: '{{.metadata.labels.env}}'}",
            ),
        ]);
        self.template(go, known, &all)
    }

    fn template(&mut self, go: bool, known: &[&str], all: &[(&str, &str, &str)]) -> String {
        let of_any = self.random.chance(10);
        let fitting: Vec<_> = all
            .iter()
            .filter(|(needs, _, _)| of_any || known.contains(needs))
            .collect();
        let chosen = match fitting.is_empty() || self.random.chance(15) {
            true => &all[0],
            false => *self.random.pick(&fitting),
        };
        if go { chosen.2 } else { chosen.1 }.to_owned()
    }

    fn kustomization(&mut self, files: &mut Files) -> String {
        let object = |name: &str, path: &str| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
                 spec: {{path: '{path}', sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
            )
        };
        let source = format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: flux-system, namespace: flux-system}}\n\
             spec: {{url: '{URL}'}}\n"
        );
        let top = "clusters/prod/top.yaml".to_owned();
        let path = self.pick(&[
            "./apps",
            "apps",
            "/apps/web",
            "./apps/web/inner/..",
            "../../apps",
            "./",
            "./apps/none/../web",
            "apps/My_App/",
            "./web",
            "./none",
            "apps/web/a.yaml",
        ]);
        files.insert("clusters/prod/source.yaml".to_owned(), source);
        files.insert(
            "clusters/prod/sync.yaml".to_owned(),
            object("flux-system", "./clusters/prod"),
        );
        files.insert(top.clone(), object("top", path));
        top
    }

    fn text(&mut self) -> Question {
        const PIECES: [&str; 19] = [
            "${a}",
            "${b_2}",
            "${none}",
            "${a:=x}",
            "${none:-y}",
            "${empty:=z}",
            "${none=w}",
            "${none:+v}",
            "${a:?u}",
            "$",
            "$$",
            "$${a}",
            "./",
            "apps",
            "${a:0:2}",
            "${a",
            "${}",
            "$a",
            "-}",
        ];
        let count = 1 + self.random.below(4);
        let pieces: Vec<&str> = (0..count).map(|_| self.pick(&PIECES)).collect();
        let mut variables = BTreeMap::new();
        for (name, value) in [
            ("a", "one"),
            ("b_2", "two/x"),
            ("empty", ""),
            ("unused", "1"),
        ] {
            if self.random.chance(80) {
                variables.insert(name.to_owned(), value.to_owned());
            }
        }
        variables.insert("always".to_owned(), "x".to_owned());
        Question {
            files: Files::new(),
            top: String::new(),
            text: Some(format!("x{}", pieces.concat())),
            variables,
        }
    }
}
