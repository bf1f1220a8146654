//! Node pools in Helm values: whole objects that a chart prints as they are, and those that templates make of values.

// A test that cannot set up its files must fail.
#![allow(clippy::expect_used)]

use crate::program::{repo, run};

/// `name: taints` of the pools of a repository. Pools that are not fully known end with `, ...`.
fn pools(files: &[(&str, &str)]) -> Vec<String> {
    let folder = repo(files);
    let listed = run(folder.path(), &["pools", "-o", "json"]).json();
    let pools = listed["pools"].as_array().expect("a list").iter();
    let line = |pool: &serde_json::Value| {
        let taints = pool["taints"].as_array().expect("a list").iter();
        let taint = |one: &serde_json::Value| {
            let text = |key: &str| one[key].as_str().unwrap_or("?").to_owned();
            format!("{}={}:{}", text("key"), text("value"), text("effect"))
        };
        let mut taints: Vec<String> = taints.map(taint).collect();
        if pool["complete"] != true {
            taints.push("...".to_owned());
        }
        format!(
            "{}: {}",
            pool["name"].as_str().unwrap_or("?"),
            taints.join(", ")
        )
    };
    pools.map(line).collect()
}

/// A NodePool with a taint, whose lines begin with these spaces.
fn node_pool(name: &str, indent: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\n{indent}kind: NodePool\n{indent}metadata: {{name: {name}}}\n\
         {indent}spec: {{template: {{spec: {{taints: [{{key: a.com/a, value: v, effect: NoSchedule}}]}}}}}}\n"
    )
}

#[test]
fn whole_objects_in_values_are_pools() {
    let list = format!("extraObjects:\n- {}", node_pool("list", "  "));
    let text = format!("extraDeploy:\n- |\n  {}", node_pool("text", "  "));
    let map = format!("extraManifests:\n  a:\n    {}", node_pool("map", "    "));
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  values:\n    objects:\n    - {}",
        node_pool("release", "      ")
    );
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  source:\n    helm:\n      values: |\n        \
         objects:\n        - {}",
        node_pool("application", "          ")
    );
    // Near misses: part of an object, and a kind that has no pools.
    let part = "pool: {kind: NodePool, spec: {template: {spec: {taints: [{key: b}]}}}}\n";
    let other = node_pool("other", "  ").replace("NodePool", "EC2NodeClass");
    let found = pools(&[
        ("application.yaml", &application),
        ("part/values.yaml", part),
        ("release.yaml", &release),
        ("values.yaml", &format!("{list}{text}{map}more:\n- {other}")),
    ]);
    let names = ["application", "release", "list", "text", "map"];
    assert_eq!(
        found,
        names.map(|name| format!("{name}: a.com/a=v:NoSchedule"))
    );
}

/// A template of NodePools for each entry of `pools`, with these lines for its taints.
fn template(taints: &str) -> String {
    format!(
        "{{{{- range $name, $pool := .Values.pools }}}}\n---\napiVersion: karpenter.sh/v1\nkind: NodePool\n\
         metadata:\n  name: {{{{ $name }}}}\n  labels: {{{{- include \"c.labels\" $ | nindent 4 }}}}\n\
         spec:\n  template:\n    spec:\n{taints}{{{{- end }}}}\n"
    )
}

const CHART: &str = "apiVersion: v2\nname: c\nversion: 0.1.0\n";

const VALUES: &str =
    "pools:\n  gpu:\n    taints:\n    - {key: a.com/gpu, value: true}\n  web: {}\n";

const COPIED: &str =
    "      {{- with $pool.taints }}\n      taints: {{- toYaml . | nindent 8 }}\n      {{- end }}\n";

const WRITTEN: &str = "      taints:\n      {{- range .taints }}\n      - key: {{ .key }}\n        value: {{ .value | quote }}\n        \
    effect: {{ .effect | default \"NoSchedule\" }}\n      {{- end }}\n";

const JSON: &str = "      taints: {{ .taints | default list | toJson }}\n";

/// The pools of a chart with this template of taints and these files beside its own.
fn of_chart(taints: &str, beside: &[(&str, &str)]) -> Vec<String> {
    let template = template(taints);
    let own = [
        ("c/Chart.yaml", CHART),
        ("c/templates/pools.yaml", template.as_str()),
    ];
    let mut found = pools(&[&own[..], beside].concat());
    found.sort();
    found
}

#[test]
fn a_template_makes_the_pools_that_its_values_say() {
    let values = VALUES.replace("value: true", "value: 'true', effect: NoSchedule");
    for taints in [COPIED, WRITTEN] {
        assert_eq!(
            of_chart(taints, &[("c/values.yaml", &values)]),
            ["gpu: a.com/gpu=true:NoSchedule", "web: "],
            "{taints}"
        );
    }
    // What a function puts into a text is a text, and so is the default.
    assert_eq!(
        of_chart(WRITTEN, &[("c/values.yaml", VALUES)]),
        ["gpu: a.com/gpu=true:NoSchedule", "web: "]
    );
    let found = of_chart(JSON, &[("c/values.yaml", &values)]);
    assert_eq!(
        found.first().map(String::as_str),
        Some("gpu: a.com/gpu=true:NoSchedule")
    );
}

#[test]
fn each_environment_of_a_chart_has_the_pools_that_its_values_make() {
    let prod = "pools:\n  web:\n    taints: [{key: a.com/web, value: x, effect: NoExecute}]\n  gpu: null\n";
    let dev = "other: 1\n";
    assert_eq!(
        of_chart(
            WRITTEN,
            &[
                ("c/values-dev.yaml", dev),
                ("c/values-prod.yaml", prod),
                ("c/values.yaml", VALUES),
            ]
        ),
        [
            "gpu: a.com/gpu=true:NoSchedule",
            "web: ",
            "web: a.com/web=x:NoExecute"
        ]
    );
}

#[test]
fn pools_stay_unknown_where_something_else_may_decide() {
    // No values, none that make pools, other values of a release, a function that is not known, and a condition on the cluster.
    assert_eq!(of_chart(WRITTEN, &[]).len(), 1);
    let found = of_chart(WRITTEN, &[("c/values.yaml", "pools: {}\n")]);
    assert!(
        found.iter().all(|line| line.ends_with("...")) && !found.is_empty(),
        "{found:?}"
    );
    let release = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    \
        repoURL: https://example.com/a\n    path: c\n    helm: {valuesObject: {pools: {gpu: {taints: []}}, tolerations: []}}\n";
    let found = of_chart(WRITTEN, &[("c/values.yaml", VALUES), ("app.yaml", release)]);
    assert!(found.iter().any(|line| line.ends_with("...")), "{found:?}");
    let random = WRITTEN.replace(".value | quote", ".value | lookup");
    let found = of_chart(&random, &[("c/values.yaml", VALUES)]);
    assert!(
        found
            .iter()
            .any(|line| line.starts_with("gpu: a.com/gpu=?")),
        "{found:?}"
    );
    let cluster = format!(
        "      {{{{- if $.Capabilities.APIVersions.Has \"a\" }}}}\n{WRITTEN}      {{{{- end }}}}\n"
    );
    let found = of_chart(&cluster, &[("c/values.yaml", VALUES)]);
    assert!(found.iter().any(|line| line.ends_with("...")), "{found:?}");
}

#[test]
fn values_of_a_chart_in_another_one_are_not_taken_for_those_that_count() {
    let template = template(WRITTEN);
    let found = pools(&[
        ("up/Chart.yaml", CHART),
        ("up/charts/c/Chart.yaml", CHART),
        ("up/charts/c/templates/pools.yaml", &template),
        ("up/charts/c/values.yaml", VALUES),
    ]);
    assert_eq!(found.len(), 1);
    assert!(found.iter().all(|line| line.ends_with("...")), "{found:?}");
}

#[test]
fn the_workers_of_a_shoot_in_a_template_are_those_of_its_values() {
    let shoot = "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: shop}\nspec:\n  provider:\n    workers:\n    \
        {{- range .Values.workers }}\n    - name: {{ .name }}\n      taints: {{ toYaml .taints | nindent 8 }}\n    {{- end }}\n";
    let values = "workers:\n- name: gpu\n  taints:\n  - key: a.com/gpu\n    value: big\n    effect: NoSchedule\n- {name: web, taints: []}\n";
    let mut found = pools(&[
        ("c/Chart.yaml", CHART),
        ("c/templates/shoot.yaml", shoot),
        ("c/values.yaml", values),
    ]);
    found.sort();
    assert_eq!(found, ["gpu: a.com/gpu=big:NoSchedule", "web: "]);
}
