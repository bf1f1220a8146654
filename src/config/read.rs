//! From the nodes of `.kubetaint.yaml` to a `Config`. Reads on after an error, so that all are told at once.
//!
//! The nodes are read directly, not through serde: it stops at the first error, does not tell where a key stands, and
//! makes 1.3 of `kubernetes: 1.30` and `false` of `off`.

use std::collections::{BTreeMap, HashSet};

use super::nodes::{Reader, spoken, unknown};
use super::releases::RELEASES;
use super::{
    Config, ConfiguredPool, Except, KubernetesVersion, Located, Pattern, Patterns, RuleSetting,
};
use crate::finding::{Problem, Severity};
use crate::model::taint::Taint;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, Field, Kind, Node, Scalar};

pub(super) const ADMISSION_PLUGINS: [&str; 3] = [
    "ExtendedResourceToleration",
    "PodNodeSelector",
    "PodTolerationRestriction",
];
/// What may stand at the top of a configuration.
pub const KEYS: [&str; 11] = [
    "kubernetes",
    "feature-gates",
    "admission",
    "exclude",
    "clusters",
    "pools",
    "rules",
    "rule-dirs",
    "providers",
    "require-reason",
    "test-paths",
];
const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

pub(super) fn read(source: Source, id: SourceId) -> Result<Config, Vec<Problem>> {
    let mut reader = Reader::new(&source);
    let stream = yaml::parse(&source.text, id);
    for error in &stream.errors {
        reader.problem(error.span, format!("not valid YAML: {}", error.message));
    }
    let mut config = Config::default();
    let mut documents = stream
        .documents
        .iter()
        .filter(|document| !document.is_empty());
    if let Some(document) = documents.next() {
        config = reader.config(document.root());
    }
    if let Some(second) = documents.next() {
        reader.problem(
            second.span(),
            "the configuration must be a single YAML document".to_owned(),
        );
    }
    let mut problems = reader.problems;
    if problems.is_empty() {
        config.source = Some(source);
        Ok(config)
    } else {
        problems.sort_by(|one, other| {
            (one.position, &one.message).cmp(&(other.position, &other.message))
        });
        problems.dedup();
        Err(problems)
    }
}

impl Reader<'_> {
    fn config(&mut self, root: Node<'_>) -> Config {
        let mut config = Config::default();
        let mut pools = None;
        for (key, field) in self.known_fields(root, "the configuration", &KEYS) {
            let value = field.value;
            match key {
                "kubernetes" => config.kubernetes = self.version(value).unwrap_or_default(),
                "feature-gates" => config.feature_gates = self.feature_gates(value),
                "admission" => config.admission = self.admission(value),
                "exclude" => config.exclude = self.path_patterns(value, "`exclude`"),
                "clusters" => (config.clusters, config.templates) = self.clusters(value),
                "pools" => pools = Some(value),
                "rules" => config.rules = self.rules(value),
                "rule-dirs" => config.rule_dirs = self.located_texts(value, "`rule-dirs`"),
                "test-paths" => config.test_paths = self.test_paths(value),
                "require-reason" => {
                    config.require_reason =
                        self.boolean(value, "`require-reason`").unwrap_or(false);
                }
                "providers" => config.providers = self.located_texts(value, "`providers`"),
                _ => {}
            }
        }
        if let Some(pools) = pools {
            // Last, because pools name clusters.
            let clusters: Vec<&str> = config
                .clusters
                .iter()
                .map(|one| one.name.as_str())
                .collect();
            // Which clusters templates make is only known with the files.
            let all = config.templates.is_empty();
            config.pools = self.pools(pools, all.then_some(&clusters));
        }
        config
    }

    fn version(&mut self, node: Node<'_>) -> Option<KubernetesVersion> {
        // The raw text: without quotes YAML reads 1.30 as the number 1.3.
        let Some(text) = node.raw() else {
            self.wrong_kind(node, "`kubernetes`", "a version such as \"1.36\"");
            return None;
        };
        self.keep(text.parse(), node.written_at())
    }

    fn feature_gates(&mut self, node: Node<'_>) -> BTreeMap<String, bool> {
        let mut gates = BTreeMap::new();
        for (name, field) in self.named_fields(node, "`feature-gates`") {
            if !RELEASES.feature_gates.contains_key(name) {
                let known: Vec<&str> = RELEASES.feature_gates.keys().map(String::as_str).collect();
                self.unknown(field.key, "feature gate", name, &known);
            } else if let Some(on) = self.boolean(field.value, &format!("`{name}`")) {
                gates.insert(name.to_owned(), on);
            }
        }
        gates
    }

    /// A list without entries says that none runs; a key without a value says nothing.
    fn admission(&mut self, node: Node<'_>) -> Option<Vec<String>> {
        if node.is_null() {
            return None;
        }
        let mut plugins = Vec::new();
        for plugin in self.located_texts(node, "`admission`") {
            let name = plugin.value.as_str();
            if !ADMISSION_PLUGINS.contains(&name) {
                let message = unknown("admission plugin", name, &ADMISSION_PLUGINS);
                self.problem(plugin.span, message);
            } else if !plugins.contains(&plugin.value) {
                plugins.push(plugin.value);
            }
        }
        Some(plugins)
    }

    /// `clusters` are all that there are, when that is known.
    fn pools(&mut self, node: Node<'_>, clusters: Option<&Vec<&str>>) -> Vec<ConfiguredPool> {
        let mut pools = Vec::new();
        let mut taken = HashSet::new();
        for item in self.items(node, "`pools`") {
            let Some(pool) = self.pool(item) else {
                continue;
            };
            let name = &pool.value.name;
            if let (Some(cluster), Some(clusters)) = (&pool.cluster, clusters)
                && !clusters.contains(&cluster.value.as_str())
            {
                self.problem(cluster.span, unknown("cluster", &cluster.value, clusters));
            }
            if !taken.insert((pool.value.cluster.clone(), name.clone())) {
                let place = match &pool.value.cluster {
                    Some(cluster) => format!("in cluster `{cluster}`"),
                    None => "without a cluster".to_owned(),
                };
                self.problem(pool.value.span, format!("duplicate pool `{name}` {place}"));
            }
            pools.push(pool.value);
        }
        pools
    }

    fn pool(&mut self, node: Node<'_>) -> Option<ReadPool> {
        const KEYS: [&str; 4] = ["name", "cluster", "labels", "taints"];
        let mut name = None;
        let mut cluster = None;
        let mut labels = BTreeMap::new();
        let mut taints = Vec::new();
        let before = self.problems.len();
        for (key, field) in self.known_fields(node, "a pool", &KEYS) {
            let value = field.value;
            match key {
                "name" => name = self.located_text(value, "the `name` of a pool"),
                "cluster" => cluster = self.located_text(value, "the `cluster` of a pool"),
                "labels" => labels = self.labels(value),
                "taints" => taints = self.taints(value),
                _ => {}
            }
        }
        let Some(name) = name else {
            if self.is_clean_since(before) {
                self.problem(node.written_at(), "a pool has no `name`".to_owned());
            }
            return None;
        };
        Some(ReadPool {
            value: ConfiguredPool {
                name: name.value,
                cluster: cluster.as_ref().map(|cluster| cluster.value.clone()),
                cluster_span: cluster.as_ref().map(|cluster| cluster.span),
                labels,
                taints,
                span: name.span,
            },
            cluster,
        })
    }

    fn labels(&mut self, node: Node<'_>) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::new();
        for (key, field) in self.named_fields(node, "`labels`") {
            let what = format!("the value of label `{key}`");
            if let Some(value) = self.text(field.value, &what) {
                labels.insert(key.to_owned(), value.to_owned());
            }
        }
        labels
    }

    fn taints(&mut self, node: Node<'_>) -> Vec<(Taint, Span)> {
        let mut taints = Vec::new();
        for taint in self.located_texts(node, "`taints`") {
            if let Some(parsed) = self.keep(Taint::parse_flag(&taint.value), taint.span) {
                taints.push((parsed, taint.span));
            }
        }
        taints
    }

    fn rules(&mut self, node: Node<'_>) -> BTreeMap<String, RuleSetting> {
        let mut rules = BTreeMap::new();
        for (id, field) in self.named_fields(node, "`rules`") {
            if let Some(setting) = self.rule(id, &field) {
                rules.insert(id.to_owned(), setting);
            }
        }
        rules
    }

    fn rule(&mut self, id: &str, field: &Field<'_>) -> Option<RuleSetting> {
        let mut setting = RuleSetting {
            off: false,
            severity: None,
            except: Vec::new(),
            span: field.key.written_at(),
        };
        let node = field.value;
        match (node.kind(), node.scalar()) {
            (Kind::Mapping, _) => {
                let owner = format!("rule `{id}`");
                for (key, field) in self.known_fields(node, &owner, &["severity", "except"]) {
                    match key {
                        "severity" => setting.severity = self.severity(field.value, false),
                        "except" => setting.except = self.exceptions(field.value),
                        _ => {}
                    }
                }
            }
            // YAML's own reading of a plain `off`.
            (_, Some(Scalar::Bool(false))) => setting.off = true,
            (_, Some(Scalar::Str("off"))) => setting.off = true,
            (Kind::Scalar, Some(_)) => setting.severity = Some(self.severity(node, true)?),
            _ => {
                self.wrong_kind(
                    node,
                    &format!("rule `{id}`"),
                    "`off`, a severity, or a mapping with `severity` and `except`",
                );
                return None;
            }
        }
        Some(setting)
    }

    fn severity(&mut self, node: Node<'_>, or_off: bool) -> Option<Severity> {
        let words = SEVERITIES.map(Severity::as_str);
        let written = node.raw().filter(|text| !text.is_empty());
        let Some(text) = written else {
            self.wrong_kind(node, "a severity", &spoken(&words));
            return None;
        };
        let found = SEVERITIES.into_iter().find(|one| one.as_str() == text);
        if found.is_none() {
            let mut allowed = words.to_vec();
            if or_off {
                allowed.push("off");
            }
            self.problem(node.written_at(), unknown("severity", text, &allowed));
        }
        found
    }

    fn exceptions(&mut self, node: Node<'_>) -> Vec<Except> {
        let mut exceptions = Vec::new();
        for item in self.items(node, "`except`") {
            let mut except = Except {
                span: Some(item.written_at()),
                ..Except::default()
            };
            let before = self.problems.len();
            let mut any = false;
            for (key, field) in
                self.known_fields(item, "an exception", &["kind", "namespace", "name", "path"])
            {
                any = true;
                let compile = match key {
                    "path" => Pattern::over_paths,
                    _ => Pattern::over_names,
                };
                let pattern = self.pattern(field.value, &format!("`{key}`"), compile);
                match key {
                    "kind" => except.kind = pattern,
                    "namespace" => except.namespace = pattern,
                    "name" => except.name = pattern,
                    _ => except.path = pattern,
                }
            }
            if !any && self.is_clean_since(before) {
                self.problem(
                    item.written_at(),
                    "an empty exception matches everything; set the rule to `off` instead"
                        .to_owned(),
                );
            }
            exceptions.push(except);
        }
        exceptions
    }

    pub(super) fn path_patterns(&mut self, node: Node<'_>, what: &str) -> Patterns {
        self.items(node, what)
            .into_iter()
            .filter_map(|item| {
                self.pattern(item, &format!("an entry of {what}"), Pattern::over_paths)
            })
            .collect()
    }
}

/// A pool, and where its cluster is named.
struct ReadPool {
    value: ConfiguredPool,
    cluster: Option<Located>,
}
