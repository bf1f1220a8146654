//! Charts that contain other charts: aliases, conditions, tags, global values and defaults, each as Helm counts them.

use std::fs;
use std::path::Path;

use super::filled::compared;
use super::written::as_read;
use super::{Answer, ORACLE, Question};
use crate::builtin::TABLE;
use crate::questions::{self, oracle};
use kubetaint::extract::{self, ChartName, ChartSources, ChartTemplates, made_of_values};
use kubetaint::source::{Source, SourceId};
use kubetaint::yaml;
use serde_json::{Value as Json, json};

/// The files of the chart. A chart in it has the same templates under two names, and contains another chart itself.
const FILES: [(&str, &str); 14] = [
    (
        "Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n\
         - {name: web, version: 1.0.0, alias: front, condition: front.use}\n\
         - {name: web, version: 1.0.0, alias: back, condition: 'off.use,back.use', tags: [services]}\n\
         - {name: job, version: 1.0.0, tags: [batch, nightly]}\n\
         - {name: web, version: 1.0.0}\n",
    ),
    (
        "values.yaml",
        "name: shop\nglobal: {pool: general, keys: {team: shop}}\nfront: {name: front}\nback: {name: back, use: true, pool: big}\n\
         web: {name: plain, global: {pool: own}}\n",
    ),
    ("templates/shop.yaml", POD),
    (
        "charts/web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    ),
    (
        "charts/web/values.yaml",
        "name: web\npool: ''\nglobal: {pool: web, keys: {team: web, tier: web}}\nkeys: {a: one}\ndb: {name: of-web}\n",
    ),
    ("charts/web/templates/web.yaml", POD),
    (
        "charts/web/charts/db/Chart.yaml",
        "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    ),
    (
        "charts/web/charts/db/values.yaml",
        "name: db\npool: db\nkeys: {}\n",
    ),
    ("charts/web/charts/db/templates/db.yaml", POD),
    (
        "charts/job/Chart.yaml",
        "apiVersion: v2\nname: job\nversion: 1.0.0\n",
    ),
    ("charts/job/values.yaml", "name: job\n"),
    ("charts/job/templates/job.yaml", POD),
    (
        "charts/loose/Chart.yaml",
        "apiVersion: v2\nname: loose\nversion: 1.0.0\n",
    ),
    ("charts/loose/templates/loose.yaml", POD),
];

/// A pod of which values decide everything.
const POD: &str = r#"apiVersion: v1
kind: Pod
metadata: {name: {{ .Values.name | default "loose" }}}
spec:
  nodeSelector:
    pool: {{ .Values.pool | default .Values.global.pool | quote }}
    {{- with .Values.keys }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  tolerations:
  {{- range $key, $value := .Values.global.keys }}
  - {key: {{ $key }}, operator: Equal, value: {{ $value }}, effect: NoSchedule}
  {{- end }}
  containers: [{name: main, image: main}]
"#;

/// Values of releases.
fn values() -> Vec<Json> {
    vec![
        json!({}),
        json!({"front": {"use": false}, "back": {"use": false}}),
        json!({"front": {"use": true, "pool": "x"}, "off": {"use": false}}),
        json!({"off": {"use": "no"}, "back": {"use": false}, "tags": {"services": true}}),
        json!({"tags": {"services": false, "batch": false}}),
        json!({"tags": {"batch": false, "nightly": true}, "back": {"use": null}}),
        json!({"tags": {"batch": false, "nightly": false}}),
        json!({"global": {"pool": "all", "keys": {"tier": "top", "more": "one"}}}),
        json!({"web": {"global": {"pool": "inner", "keys": {"own": "web"}}, "db": {"pool": "y", "keys": {"b": "two"}}}}),
        json!({"web": {"keys": null, "db": null}, "loose": {"name": "found", "keys": {"c": "three"}}}),
        json!({"front": {"global": {"pool": null, "keys": {"team": "front"}}}}),
    ]
}

/// What the program knows of the chart.
fn sources() -> ChartSources {
    let mut sources = ChartSources::default();
    let ids = || (1..).map(SourceId);
    let at = |path: &str| format!("shop/{path}");
    let charts = FILES.iter().filter_map(|(path, text)| {
        let folder = at(path).strip_suffix("/Chart.yaml")?.to_owned();
        Some((folder, *text))
    });
    for (folder, text) in charts {
        let source = Source::new(format!("{folder}/Chart.yaml"), text);
        let facts = extract::extract(&source, SourceId(0), &TABLE);
        sources.add_dependencies(&folder, &facts.dependencies);
        let name = facts.chart.clone().map(|chart| chart.name);
        let chart = ChartName {
            name: name.unwrap_or_default(),
            version: None,
        };
        sources.add_chart(&folder, Some(&chart), Vec::new());
        let own = FILES.iter().zip(ids()).filter_map(|((path, text), id)| {
            let path = at(path);
            let inside = path.strip_prefix(&folder)?.strip_prefix('/')?.to_owned();
            Some((inside, *text, id))
        });
        let own: Vec<_> = own.collect();
        let templates = own
            .iter()
            .filter(|(inside, ..)| inside.starts_with("templates/"));
        let templates = templates.map(|(inside, text, id)| {
            (
                Source::new(format!("{folder}/{inside}"), *text).rendered(true),
                *id,
            )
        });
        let defaults = own.iter().find(|(inside, ..)| inside == "values.yaml");
        let defaults = defaults.map(|(_, text, id)| ((*text).to_owned(), *id));
        let parsed = ChartTemplates::parse(templates, [], defaults);
        sources.add_templates(&folder, parsed.expect("templates"));
    }
    sources
}

#[test]
#[ignore = "needs the oracle"]
fn charts_in_charts_are_filled_in_as_helm_renders_them() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in FILES {
        let path = folder.path().join("shop").join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let questions = values().into_iter().map(|values| Question {
        chart: folder.path().join("shop"),
        values,
    });
    let sources = sources();
    let (mut asked, mut pods) = (0, 0);
    questions::ask(
        &mut oracle(ORACLE),
        questions,
        |question, answer: Answer| {
            let said = &question.values;
            assert!(answer.refused.is_empty(), "{said}: {}", answer.refused);
            let written = yaml::parse(&said.to_string(), SourceId(100));
            let root = written.documents.first().map(|one| one.root());
            let made = made_of_values((&sources, "shop"), root.as_slice(), &TABLE);
            let mut made = made.unwrap_or_else(|| panic!("{said}: is not filled in"));
            asked += 1;
            let templates = answer.templates.unwrap_or_default();
            for pod in templates.iter().flat_map(|one| &one.pods) {
                let real = as_read(pod).expect("a pod");
                let at = made.iter().position(|one| {
                    one.component.as_deref() == Some(&pod.name)
                        && compared(one, &real) == Some((2, 0))
                });
                let at = at.unwrap_or_else(|| panic!("{said}: {} has {:?}", pod.name, pod.fields));
                made.swap_remove(at);
                pods += 1;
            }
            let names: Vec<_> = made.iter().map(|one| &one.component).collect();
            assert!(made.is_empty(), "{said}: {names:?} are made");
        },
    );
    println!("{asked} releases with {pods} pods");
    assert!(asked == values().len() && pods > 40, "{asked}, {pods}");
}
