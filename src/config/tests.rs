//! All possible errors in a configuration, with the exact place that is reported.

use super::*;

const NAME: &str = ".kubetaint.yaml";

fn read(text: &str) -> Result<Config, Vec<Problem>> {
    parse(Source::new(NAME, text), SourceId(7))
}

fn config(text: &str) -> Config {
    read(text).unwrap()
}

/// Returns `line:column message` of each problem.
fn shown(problems: &[Problem]) -> Vec<String> {
    problems
        .iter()
        .map(|problem| {
            let text = problem.to_string();
            text.strip_prefix(".kubetaint.yaml:").unwrap().to_owned()
        })
        .collect()
}

fn errors(text: &str) -> Vec<String> {
    shown(&read(text).unwrap_err())
}

const COMPLETE: &str = r#"# comment
kubernetes: "1.36"
feature-gates: {TaintTolerationComparisonOperators: true}
admission: [ExtendedResourceToleration]
exclude: ["vendor/**", "**/testdata/**"]
clusters:
  prod:
    paths: ["clusters/prod/**", "apps/**/values-prod.yaml"]
    complete: true
    inventory: ["inventory/prod-nodes.yaml"]
  dev:
    paths: [dev/]
pools:
  - name: gpu
    cluster: prod
    labels: {node.example.com/pool: gpu}
    taints: ["nvidia.com/gpu=present:NoSchedule"]
rules:
  blanket-exists: {severity: error, except: [{kind: DaemonSet, namespace: "kube-*"}]}
  toleration-without-selector: off
  orphan-toleration: note
rule-dirs: [policies]
"#;

#[test]
fn everything_that_can_be_said_is_understood() {
    let config = config(COMPLETE);
    assert_eq!(config.kubernetes, KubernetesVersion { minor: 36 });
    assert!(config.comparison_operators());
    assert_eq!(config.runs("ExtendedResourceToleration"), Some(true));
    assert!(config.exclude.matches("a/testdata/b.yaml"));
    assert!(!config.exclude.matches("a/b.yaml"));

    let prod = &config.clusters[0];
    assert_eq!((prod.name.as_str(), prod.complete), ("prod", true));
    assert_eq!(prod.inventory[0].value, "inventory/prod-nodes.yaml");
    assert!(!config.clusters[1].complete);
    assert_eq!(config.clusters_of("apps/web/values-prod.yaml"), [0]);
    assert_eq!(config.clusters_of("dev/x/y.yaml"), [1]);
    assert_eq!(config.clusters_of("apps/web/values.yaml"), [0usize; 0]);

    let pool = &config.pools[0];
    assert_eq!(
        (pool.name.as_str(), pool.cluster.as_deref()),
        ("gpu", Some("prod"))
    );
    assert_eq!(pool.labels["node.example.com/pool"], "gpu");
    let source = config.source.as_ref().unwrap();
    assert_eq!(source.slice(pool.span), "gpu");
    let (taint, span) = &pool.taints[0];
    assert_eq!(taint.key.text(), Some("nvidia.com/gpu"));
    assert_eq!(taint.value.text(), Some("present"));
    assert_eq!(taint.effect.text(), Some("NoSchedule"));
    assert_eq!(source.slice(*span), "\"nvidia.com/gpu=present:NoSchedule\"");
    assert_eq!(span.source, SourceId(7));

    let blanket = &config.rules["blanket-exists"];
    assert_eq!(
        (blanket.off, blanket.severity),
        (false, Some(Severity::Error))
    );
    assert_eq!(source.slice(blanket.span), "blanket-exists");
    assert!(config.rules["toleration-without-selector"].off);
    assert_eq!(
        config.rules["orphan-toleration"].severity,
        Some(Severity::Note)
    );
    assert_eq!(config.rule_dirs[0].value, "policies");
}

#[test]
fn nothing_written_means_the_defaults() {
    for text in [
        "",
        "# nothing\n",
        "---\n",
        "{}",
        "rules:\npools:\nclusters:\nexclude:\nadmission:\n",
    ] {
        let config = config(text);
        assert_eq!(config.kubernetes.to_string(), "1.37");
        assert!(
            config.rules.is_empty() && config.pools.is_empty(),
            "{text:?}"
        );
        assert!(!config.comparison_operators());
    }
    assert!(Config::default().source.is_none());
}

#[test]
fn comparison_operators_need_the_release_and_the_gate() {
    let available = |version: &str, gate: &str| {
        config(&format!(
            "kubernetes: {version}\nfeature-gates:\n  TaintTolerationComparisonOperators: {gate}\n"
        ))
        .comparison_operators()
    };
    assert!(available("1.35", "true"));
    assert!(available("1.37", "true"));
    assert!(!available("1.34", "true"));
    assert!(!available("1.35", "false"));
    assert!(!config("kubernetes: 1.37").comparison_operators());
}

#[test]
fn a_version_without_quotes_keeps_its_last_zero() {
    assert_eq!(config("kubernetes: 1.30").kubernetes.minor, 30);
}

#[test]
fn versions_that_are_not_known_are_errors_at_the_version() {
    assert_eq!(
        errors("kubernetes: \"1.38\""),
        ["1:13: Kubernetes 1.38 is not supported yet; supported releases are 1.20 to 1.37"]
    );
    assert_eq!(
        errors("# x\nkubernetes:   1.19"),
        ["2:15: Kubernetes 1.19 is no longer supported; supported releases are 1.20 to 1.37"]
    );
    assert_eq!(
        errors("kubernetes: latest"),
        ["1:13: invalid Kubernetes version `latest`; expected a version such as \"1.37\""]
    );
    assert_eq!(
        errors("kubernetes: [1.30]"),
        ["1:13: `kubernetes` must be a string; found a list"]
    );
}

#[test]
fn unknown_keys_are_errors_at_the_key_on_every_level() {
    assert_eq!(
        errors("kuberntes: 1.30\nfrobnicate: 1\nExclude: []\n"),
        [
            "1:1: unknown key `kuberntes` in the configuration; did you mean `kubernetes`?",
            "2:1: unknown key `frobnicate` in the configuration; expected `kubernetes`, `feature-gates`, `admission`, \
             `exclude`, `clusters`, `pools`, `rules`, `rule-dirs`, \
             `providers`, `test-paths` or `require-reason`",
            "3:1: unknown key `Exclude` in the configuration; did you mean `exclude`?",
        ]
    );
    assert_eq!(
        errors("clusters:\n  prod:\n    path: [a]\n"),
        ["3:5: unknown key `path` in `prod`; did you mean `paths`?"]
    );
    assert_eq!(
        errors("pools:\n- name: gpu\n  taint: []\n"),
        ["3:3: unknown key `taint` in an entry of `pools`; did you mean `taints`?"]
    );
    assert_eq!(
        errors("rules:\n  a: {severty: error}\n"),
        ["2:7: unknown key `severty` in `a`; did you mean `severity`?"]
    );
    assert_eq!(
        errors("rules:\n  a:\n    except:\n    - kinds: DaemonSet\n"),
        ["4:7: unknown key `kinds` in an entry of `except`; did you mean `kind`?"]
    );
}

#[test]
fn unknown_gates_and_plugins_are_errors_at_their_names() {
    assert_eq!(
        errors("feature-gates:\n  TaintTolerationComparisonOperator: true\n"),
        [
            "2:3: unknown feature gate `TaintTolerationComparisonOperator`; did you mean \
             `TaintTolerationComparisonOperators`?"
        ]
    );
    assert_eq!(
        errors("feature-gates: {TaintTolerationComparisonOperators: \"true\"}\n"),
        ["1:53: `TaintTolerationComparisonOperators` must be true or false; found `\"true\"`"]
    );
    assert_eq!(
        errors(
            "admission:\n  - PodTolerationRestriction\n  - PodNodeSelectr\n  - AlwaysPullImages\n"
        ),
        [
            "3:5: unknown admission plugin `PodNodeSelectr`; did you mean `PodNodeSelector`?",
            "4:5: unknown admission plugin `AlwaysPullImages`; expected one of `ExtendedResourceToleration`, \
             `PodNodeSelector`, `PodTolerationRestriction`",
        ]
    );
}

#[test]
fn wrong_patterns_are_errors_at_the_pattern() {
    assert_eq!(
        errors("exclude: [ok/**, \"a[\"]\n"),
        ["1:18: invalid pattern `a[`: unclosed character class; missing ']'"]
    );
    assert_eq!(
        errors("clusters:\n  prod:\n    paths:\n    - \"{a\"\n    - ''\n"),
        [
            "4:7: invalid pattern `{a`: unclosed alternate group; missing '}' \
             (maybe escape '{' with '[{]'?)",
            "5:7: the pattern is empty",
        ]
    );
    assert_eq!(
        errors("rules:\n  a: {except: [{name: \"[b-a]\"}]}\n"),
        ["2:23: invalid pattern `[b-a]`: invalid range; 'b' > 'a'"]
    );
    assert_eq!(
        errors("exclude: vendor/**\n"),
        ["1:10: `exclude` must be a list; found `vendor/**`"]
    );
}

#[test]
fn wrong_taints_are_errors_at_the_taint() {
    let problems = errors(
        "pools:\n- name: a\n  taints: [\"k=v:NoSchedule\", \"k=v\", \"k:NoSchedul\"]\n- name: b\n  taints:\n  - =v:NoSchedule\n",
    );
    let places: Vec<_> = problems
        .iter()
        .map(|text| text.split_once(' ').unwrap().0)
        .collect();
    assert_eq!(places, ["3:30:", "3:37:", "6:5:"], "{problems:?}");
    assert_eq!(
        errors("pools:\n- name: a\n  taints:\n  - {key: k, effect: NoSchedule}\n"),
        ["4:5: an entry of `taints` must be a string; found a mapping"]
    );
}

#[test]
fn label_values_must_be_text() {
    assert_eq!(
        errors(
            "pools:\n- name: a\n  labels:\n    spot: true\n    zone: 1\n    none:\n    ok: \"true\"\n"
        ),
        [
            "4:11: `spot` must be a string; write \"true\"",
            "5:11: `zone` must be a string; write \"1\"",
            "6:10: `none` must be a string; found nothing",
        ]
    );
}

#[test]
fn pools_need_names_that_are_unique_in_their_cluster() {
    let clusters = "clusters: {a: {paths: [a/]}, b: {paths: [b/]}}\n";
    assert_eq!(
        errors(&format!(
            "{clusters}pools:\n- {{name: x, cluster: a}}\n- {{name: x, cluster: b}}\n- {{name: x}}\n\
             - {{name: x, cluster: a}}\n- {{name: x}}\n- {{cluster: a}}\n- {{name: ''}}\n"
        )),
        [
            "6:10: duplicate pool `x` in cluster `a`",
            "7:10: duplicate pool `x` without a cluster",
            "8:3: missing key `name` in an entry of `pools`",
            "9:10: `name` must be a non-empty string; found `''`",
        ]
    );
}

#[test]
fn a_pool_belongs_to_a_cluster_that_exists() {
    assert_eq!(
        errors("pools:\n- name: x\n  cluster: prdo\nclusters: {prod: {paths: [a/]}}\n"),
        ["3:12: unknown cluster `prdo`; did you mean `prod`?"]
    );
    assert_eq!(
        errors("pools:\n- name: x\n  cluster: prod\n"),
        ["3:12: unknown cluster `prod`; none are configured"]
    );
}

#[test]
fn a_cluster_without_paths_is_an_error_at_its_name() {
    assert_eq!(
        errors("clusters:\n  prod:\n    complete: true\n  dev:\n  qa:\n    paths: []\n"),
        [
            "2:3: missing key `paths` in `prod`",
            "4:3: missing key `paths` in `dev`",
            "5:3: `qa` has no `paths`; list the files that belong to it",
        ]
    );
}

#[test]
fn a_rule_is_off_or_has_a_severity() {
    let config = config("rules: {a: off, b: 'off', c: false, d: warning, e: {severity: note}}\n");
    let set = |rule: &str| (config.rules[rule].off, config.rules[rule].severity);
    assert_eq!(set("a"), (true, None));
    assert_eq!(set("b"), (true, None));
    assert_eq!(set("c"), (true, None));
    assert_eq!(set("d"), (false, Some(Severity::Warning)));
    assert_eq!(set("e"), (false, Some(Severity::Note)));
    assert_eq!(
        errors("rules:\n  a: warn\n  b: on\n  c:\n  d: []\n  e: {severity: off}\n"),
        [
            "2:6: `a` must be `error`, `warning`, `note` or `off`; found `warn`",
            "3:6: `b` must be `error`, `warning`, `note` or `off`; found `on`",
            "4:5: `c` must be a string or a mapping; found nothing",
            "5:6: `d` must be a string or a mapping; found a list",
            "6:17: `severity` must be `note`, `warning` or `error`; found `off`",
        ]
    );
}

#[test]
fn exceptions_cover_what_matches_all_their_patterns() {
    let config = config(
        "rules: {a: {except: [{kind: DaemonSet, namespace: 'kube-*'}, {name: web, path: 'apps/*'}]}}\n",
    );
    let except: Vec<&Except> = config.rules["a"].except.iter().collect();
    let agent = |namespace| except[0].covers(Some("DaemonSet"), namespace, Some("agent"), "x.yaml");
    assert!(agent(Some("kube-system")));
    assert!(!agent(Some("shop")));
    assert!(!agent(None));
    assert!(!except[0].covers(Some("Deployment"), Some("kube-system"), None, "x.yaml"));
    assert!(except[1].covers(None, None, Some("web"), "apps/a.yaml"));
    assert!(!except[1].covers(None, None, Some("web"), "apps/b/a.yaml"));
}

#[test]
fn an_exception_that_says_nothing_is_an_error() {
    assert_eq!(
        errors("rules:\n  a:\n    except:\n    - {}\n"),
        ["4:7: an empty exception matches everything; set the rule to `off` instead"]
    );
}

#[test]
fn a_key_that_is_written_twice_is_an_error_at_the_second() {
    assert_eq!(
        errors("rules:\n  a: off\n  b: off\n  a: note\nexclude: []\nexclude: []\n"),
        [
            "4:3: duplicate key `a` in `rules`",
            "6:1: duplicate key `exclude` in the configuration",
        ]
    );
}

#[test]
fn all_problems_are_told_at_once_in_file_order() {
    let problems = errors(
        "pools:\n- name: x\n  cluster: nope\n  taints: [bad]\nkubernetes: 9\nrules: {a: fatal}\nclusters: {b: {paths: ['[']}}\n",
    );
    let lines: Vec<_> = problems
        .iter()
        .map(|text| text.split_once(':').unwrap().0)
        .collect();
    assert_eq!(lines, ["3", "4", "5", "6", "7"], "{problems:?}");
}

#[test]
fn what_is_no_mapping_is_no_configuration() {
    assert_eq!(
        errors("- a\n- b\n"),
        ["1:1: the configuration must be a mapping; found a list"]
    );
    assert_eq!(
        errors("rules: [a]\n"),
        ["1:8: `rules` must be a mapping; found a list"]
    );
    assert_eq!(
        errors("? [a]\n: b\n"),
        ["1:3: not valid YAML: invalid map key: a map or a list"]
    );
}

#[test]
fn broken_yaml_and_second_documents_are_told_with_their_place() {
    let problems = errors("rules:\n  a: [b\n");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains(": not valid YAML: "), "{problems:?}");
    assert_eq!(
        errors("rules: {}\n---\nrules: {}\n"),
        ["2:1: the configuration must be a single YAML document"]
    );
}

#[test]
fn aliases_and_merges_are_read_at_the_place_they_stand_for() {
    let config = config(
        "pools:\n- &base {name: a, taints: &t ['k:NoSchedule']}\n- {<<: *base, name: b}\n- {name: c, taints: *t}\n",
    );
    let taints: Vec<usize> = config.pools.iter().map(|pool| pool.taints.len()).collect();
    assert_eq!(taints, [1, 1, 1]);
}

#[test]
fn a_small_file_that_expands_without_end_is_refused() {
    let labels: String = (0..400).map(|n| format!("l{n}: x, ")).collect();
    let pools: String = (0..300)
        .map(|n| format!("- {{name: p{n}, labels: *l}}\n"))
        .collect();
    let problems = errors(&format!(
        "pools:\n- {{name: a, labels: &l {{{labels}}}}}\n{pools}"
    ));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].ends_with("the configuration has more than 100000 entries"),
        "{problems:?}"
    );
}

#[test]
fn rule_ids_that_do_not_exist_are_errors_at_the_id() {
    let config =
        config("rules:\n  blanket-exist: off\n  our-rule: error\n  blanket-exists: note\n");
    assert_eq!(
        shown(&config.check_names(&["blanket-exists", "orphan-toleration"])),
        [
            "2:3: unknown rule `blanket-exist`; did you mean `blanket-exists`?",
            "3:3: unknown rule `our-rule`; `kubetaint rules` lists all rules",
        ]
    );
    assert!(
        config
            .check_names(&["blanket-exists", "blanket-exist", "our-rule"])
            .is_empty()
    );
}

#[test]
fn patterns_that_match_nothing_are_errors_at_the_pattern() {
    let config = config(
        "exclude: [vendor/**, gone/**, apps]\nclusters:\n  prod:\n    paths: [apps/**, 'prd/**']\n\
         rules: {a: {except: [{path: 'x/*'}, {path: 'apps/*', kind: Job}]}}\n",
    );
    assert!(config.exclude.matches("vendor/a.yaml"));
    assert_eq!(
        shown(&config.check_used(&["apps/a.yaml"])),
        [
            "1:22: `gone/**` matches no file",
            "1:31: `apps` matches no file; write `apps/` to match everything in that folder",
            "4:22: `prd/**` matches no file",
            "5:29: `x/*` matches no file",
        ]
    );
    assert!(
        config
            .check_used(&["apps", "apps/a.yaml", "gone/b", "prd/c", "x/d"])
            .is_empty()
    );
}

fn made(text: &str, paths: &[&str]) -> (Config, Vec<String>) {
    let mut config = config(text);
    let problems = shown(&config.make_clusters(paths));
    (config, problems)
}

fn names(config: &Config) -> Vec<&str> {
    config
        .clusters
        .iter()
        .map(|one| one.name.as_str())
        .collect()
}

#[test]
fn a_template_makes_a_cluster_for_each_name_that_its_paths_capture() {
    let paths = [
        "clusters/eu/pools.yaml",
        "clusters/us/apps/web.yaml",
        "terraform/asia.tfvars",
        "apps/web/values-eu.yaml",
        "apps/base/web.yaml",
    ];
    let (config, problems) = made(
        "clusters:\n  \"{cluster}\":\n    paths: [\"clusters/{cluster}/**\", \"terraform/{cluster}.tfvars\", \
         \"**/values-{cluster}.yaml\", apps/base/]\n    complete: true\n    inventory: [\"./nodes/{cluster}.yaml\"]\n\
         pools: [{name: x, cluster: us}, {name: z, cluster: asai}]\n",
        &paths,
    );
    assert_eq!(names(&config), ["asia", "eu", "us"]);
    assert_eq!(config.clusters[1].inventory[0].value, "nodes/eu.yaml");
    assert!(config.clusters.iter().all(|cluster| cluster.complete));
    let of: Vec<Vec<usize>> = paths.iter().map(|path| config.clusters_of(path)).collect();
    assert_eq!(of, [vec![1], vec![2], vec![0], vec![1], vec![0, 1, 2]]);
    assert_eq!(
        problems,
        ["6:52: unknown cluster `asai`: it appears in no file path; did you mean `asia`?"]
    );
    // A pattern need not match a file in each of them.
    assert_eq!(config.check_used(&paths), []);
    assert_eq!(
        shown(&config.check_used(&paths[..4])),
        ["3:96: `apps/base/` matches no file"]
    );
}

#[test]
fn one_name_stands_wherever_the_placeholder_does() {
    let paths = ["a/eu/eu.yaml", "a/us/eu.yaml", "b/x{1}/y.yaml"];
    let (config, _) = made(
        "clusters: {\"k-{cluster}\": {paths: [\"a/{cluster}/{cluster}.yaml\", \"b/{cluster}/*\"]}}\n",
        &paths,
    );
    assert_eq!(names(&config), ["k-eu", "k-x{1}"]);
    let of: Vec<Vec<usize>> = paths.iter().map(|path| config.clusters_of(path)).collect();
    assert_eq!(of, [vec![0], vec![], vec![1]]);
}

#[test]
fn a_cluster_that_is_written_by_name_is_none_of_a_templates() {
    let (config, _) = made(
        "clusters: {\"{cluster}\": {paths: [\"c/{cluster}/\"], complete: true}, eu: {paths: [c/eu/]}}\n",
        &["c/eu/a.yaml", "c/us/a.yaml"],
    );
    assert_eq!(names(&config), ["eu", "us"]);
    assert!(!config.clusters[0].complete);
}

#[test]
fn a_placeholder_where_it_stands_for_nothing_is_an_error_at_its_place() {
    assert_eq!(
        errors(
            "clusters:\n  a:\n    paths: [x/, \"c/{cluster}/\"]\n  \"{cluster}\": {paths: [y/]}\n"
        ),
        [
            "3:17: `{cluster}` is allowed here only if the cluster's name contains it too",
            "4:3: no entry in `paths` of cluster `{cluster}` contains `{cluster}`",
        ]
    );
    let config = config("clusters: {\"{cluster}\": {paths: [\"c/{cluster}/\"]}}\n");
    assert_eq!(
        shown(&config.check_used(&["d/x.yaml"])),
        ["1:34: `c/{cluster}/` matches no file"]
    );
}

#[test]
fn a_name_beside_a_wildcard_is_found_wherever_its_clusters_patterns_match() {
    let paths = [
        "x/eu-web.yaml",
        "x/us-web.yaml",
        "y/a/eu/b.yaml",
        "y/us/eu.yaml",
    ];
    let (config, _) = made(
        "clusters: {\"{cluster}\": {paths: [\"x/{cluster}-*.yaml\", \"y/**/{cluster}/*\"]}}\n",
        &paths,
    );
    assert_eq!(names(&config), ["eu", "us"]);
    let of: Vec<Vec<usize>> = paths.iter().map(|path| config.clusters_of(path)).collect();
    assert_eq!(of, [vec![0], vec![1], vec![0], vec![1]]);
}
