//! Converts the parsed configuration to a [`Config`], with all checks that the types cannot express. All errors are
//! collected.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;

use super::clusters::{Cluster, PLACEHOLDER, Template, TemplatePath};
use super::form::{
    ADMISSION_PLUGINS, ClusterForm, ConfigFile, Exception, PoolForm, RuleForm, Settings,
};
use super::patterns::{Pattern, PatternError, Patterns};
use super::releases::RELEASES;
use super::test_paths::{Entry, TestPaths};
use super::{Config, ConfiguredPool, Except, Exceptions, Located, RuleSetting};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::model::taint::Taint;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, DeError, NonEmpty, Reading, Spanned};

pub(super) fn read(source: Source, id: SourceId) -> Result<Config, Vec<Problem>> {
    let reading = yaml::read::<ConfigFile>(&source, id, "the configuration");
    let mut checks = Checks {
        errors: reading.errors,
    };
    let config = checks.config(reading.value.unwrap_or_default());
    let reading = Reading {
        value: Some(config),
        errors: checks.errors,
    };
    let mut config = reading.whole(&source, Problem::at)?.unwrap_or_default();
    config.source = Some(source);
    Ok(config)
}

/// Checks values and collects errors.
struct Checks {
    errors: Vec<DeError>,
}

impl Checks {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        let message = message.into();
        self.errors.push(DeError { message, span });
    }

    /// Returns the value, or records the error with its place and returns `None`.
    fn keep<T, E: Display>(&mut self, result: Result<T, E>, span: Span) -> Option<T> {
        result
            .map_err(|error| self.error(span, error.to_string()))
            .ok()
    }

    /// Whether everything within a span could be read, so that its value is complete.
    fn is_clean(&self, span: Span) -> bool {
        !self
            .errors
            .iter()
            .any(|error| span.start <= error.span.start && error.span.end <= span.end)
    }

    fn unknown(&mut self, span: Span, sort: &str, word: &str, known: &[&str]) {
        let hint = match nearest_word(word, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "none are configured".to_owned(),
            None => format!("expected one of `{}`", known.join("`, `")),
        };
        self.error(span, format!("unknown {sort} `{word}`; {hint}"));
    }

    fn config(&mut self, form: ConfigFile) -> Config {
        // Pools may name clusters that were dropped because of errors.
        let mut knows_clusters = true;
        let (mut clusters, mut templates) = (Vec::new(), Vec::new());
        if let Some(forms) = form.clusters {
            knows_clusters = self.is_clean(forms.span);
            (clusters, templates) = self.clusters(forms.value);
        }
        // The clusters that templates create are only known together with the files.
        knows_clusters &= templates.is_empty();
        let names: Vec<&str> = clusters.iter().map(|one| one.name.as_str()).collect();
        let pools = self.pools(form.pools, knows_clusters.then_some(&names));
        let kubernetes = form
            .kubernetes
            .and_then(|version| self.keep(version.value.0.parse(), version.span));
        Config {
            kubernetes: kubernetes.unwrap_or_default(),
            feature_gates: self.feature_gates(form.feature_gates),
            admission: form.admission.map(|plugins| self.admission(plugins)),
            exclude: self.path_patterns(form.exclude.unwrap_or_default()),
            clusters,
            templates,
            made: Vec::new(),
            pools,
            rules: self.rules(form.rules),
            rule_dirs: located(form.rule_dirs),
            providers: located(form.providers),
            test_paths: form.test_paths.map(|texts| self.test_paths(texts)),
            require_reason: form.require_reason,
            ..Config::default()
        }
    }

    fn feature_gates(
        &mut self,
        gates: Option<BTreeMap<Spanned<String>, bool>>,
    ) -> BTreeMap<String, bool> {
        let known: Vec<&str> = RELEASES.feature_gates.keys().map(String::as_str).collect();
        let mut kept = BTreeMap::new();
        for (name, on) in gates.into_iter().flatten() {
            if !known.contains(&name.value.as_str()) {
                self.unknown(name.span, "feature gate", &name.value, &known);
            }
            kept.insert(name.value, on);
        }
        kept
    }

    fn admission(&mut self, plugins: Vec<Spanned<String>>) -> Vec<String> {
        let mut kept = Vec::new();
        for plugin in plugins {
            if !ADMISSION_PLUGINS.contains(&plugin.value.as_str()) {
                let known = &ADMISSION_PLUGINS;
                self.unknown(plugin.span, "admission plugin", &plugin.value, known);
            } else if !kept.contains(&plugin.value) {
                kept.push(plugin.value);
            }
        }
        kept
    }

    fn test_paths(&mut self, texts: Vec<Spanned<NonEmpty>>) -> TestPaths {
        let entry = |text: Spanned<NonEmpty>| {
            let entry = Entry::new(&text.value.0, text.span);
            self.keep(entry, text.span)
        };
        TestPaths(texts.into_iter().filter_map(entry).collect())
    }

    fn path_patterns(&mut self, texts: Vec<Spanned<String>>) -> Patterns {
        let pattern = |text| self.pattern(Some(text), Pattern::over_paths);
        texts.into_iter().filter_map(pattern).collect()
    }

    fn pattern(
        &mut self,
        text: Option<Spanned<String>>,
        compile: fn(&str, Span) -> Result<Pattern, PatternError>,
    ) -> Option<Pattern> {
        let Spanned { value, span } = text?;
        self.keep(compile(&value, span), span)
    }

    fn clusters(
        &mut self,
        forms: BTreeMap<Spanned<NonEmpty>, Spanned<ClusterForm>>,
    ) -> (Vec<Cluster>, Vec<Template>) {
        let mut clusters = Vec::new();
        let mut templates = Vec::new();
        let mut forms: Vec<_> = forms.into_iter().collect();
        forms.sort_by_key(|(name, _)| name.span);
        for (name, form) in forms {
            let (name, span) = (name.value.0, name.span);
            let is_clean = self.is_clean(form.span);
            let form = form.value;
            if form.paths.is_empty() && is_clean {
                let message = format!("`{name}` has no `paths`; list the files that belong to it");
                self.error(span, message);
            }
            let complete_span = form.complete.map(|complete| complete.span);
            let complete = form.complete.is_some_and(|complete| complete.value);
            let inventory = self.inventory(form.inventory);
            if name.contains(PLACEHOLDER) {
                templates.push(Template {
                    paths: self.template_paths(&name, span, form.paths),
                    name,
                    span,
                    complete,
                    complete_span,
                    inventory,
                });
                continue;
            }
            for text in &form.paths {
                if text.value.contains(PLACEHOLDER) {
                    let message = format!(
                        "`{PLACEHOLDER}` is allowed here only if the cluster's name contains it too"
                    );
                    self.error(text.span, message);
                }
            }
            clusters.push(Cluster {
                paths: self.path_patterns(form.paths),
                name,
                span,
                complete,
                complete_span,
                inventory,
                made: false,
            });
        }
        (clusters, templates)
    }

    fn template_paths(
        &mut self,
        name: &str,
        span: Span,
        texts: Vec<Spanned<String>>,
    ) -> Vec<TemplatePath> {
        let path = |text: Spanned<String>| {
            let path = TemplatePath::new(&text.value, text.span);
            self.keep(path, text.span)
        };
        let paths: Vec<TemplatePath> = texts.into_iter().filter_map(path).collect();
        if !paths.is_empty() && !paths.iter().any(TemplatePath::names_clusters) {
            let message =
                format!("no entry in `paths` of cluster `{name}` contains `{PLACEHOLDER}`");
            self.error(span, message);
        }
        paths
    }

    /// Returns files with their paths in canonical form.
    fn inventory(&mut self, files: Option<Vec<Spanned<NonEmpty>>>) -> Vec<Located> {
        let mut files = located(files);
        let mut seen = BTreeSet::new();
        for file in &mut files {
            while let Some(rest) = file.value.strip_prefix("./") {
                file.value = rest.to_owned();
            }
            if !seen.insert(file.value.clone()) {
                let message = format!("duplicate entry `{}` in `inventory`", file.value);
                self.error(file.span, message);
            }
        }
        files
    }

    /// Checks pools. `clusters` contains all cluster names, or `None` if they are not known.
    fn pools(
        &mut self,
        forms: Option<Vec<PoolForm>>,
        clusters: Option<&Vec<&str>>,
    ) -> Vec<ConfiguredPool> {
        let mut pools = Vec::new();
        let mut taken = HashSet::new();
        for form in forms.into_iter().flatten() {
            let span = form.name.span;
            let name = form.name.value.0;
            let (cluster, cluster_span) = match form.cluster {
                Some(cluster) => (Some(cluster.value.0), Some(cluster.span)),
                None => (None, None),
            };
            if let (Some(cluster), Some(at), Some(clusters)) = (&cluster, cluster_span, clusters)
                && !clusters.contains(&cluster.as_str())
            {
                self.unknown(at, "cluster", cluster, clusters);
            }
            if !taken.insert((cluster.clone(), name.clone())) {
                let place = match &cluster {
                    Some(cluster) => format!("in cluster `{cluster}`"),
                    None => "without a cluster".to_owned(),
                };
                self.error(span, format!("duplicate pool `{name}` {place}"));
            }
            let labels = form.labels.into_iter().flatten();
            pools.push(ConfiguredPool {
                name,
                cluster,
                cluster_span,
                labels: labels.map(|(key, value)| (key.0, value)).collect(),
                taints: self.taints(form.taints),
                span,
            });
        }
        pools
    }

    fn taints(&mut self, texts: Option<Vec<Spanned<NonEmpty>>>) -> Vec<(Taint, Span)> {
        let taint = |text: Located| {
            let taint = self.keep(Taint::parse_flag(&text.value), text.span)?;
            Some((taint, text.span))
        };
        located(texts).into_iter().filter_map(taint).collect()
    }

    fn rules(
        &mut self,
        forms: Option<BTreeMap<Spanned<NonEmpty>, RuleForm>>,
    ) -> BTreeMap<String, RuleSetting> {
        let mut rules = BTreeMap::new();
        for (id, form) in forms.into_iter().flatten() {
            let (off, severity, except) = match form {
                RuleForm::Level(level) => {
                    let severity = level.severity();
                    (severity.is_none(), severity, Exceptions::default())
                }
                RuleForm::Settings(Settings { severity, except }) => {
                    let except = except.into_iter().flatten();
                    let except = except.map(|one| self.exception(one)).collect();
                    (false, severity, except)
                }
            };
            let setting = RuleSetting {
                off,
                severity,
                except,
                span: id.span,
            };
            rules.insert(id.value.0, setting);
        }
        rules
    }

    fn exception(&mut self, form: Spanned<Exception>) -> Except {
        let Spanned { value: form, span } = form;
        let patterns = [&form.kind, &form.namespace, &form.name, &form.path];
        if patterns.into_iter().all(Option::is_none) && self.is_clean(span) {
            let message = "an empty exception matches everything; set the rule to `off` instead";
            self.error(span, message);
        }
        Except {
            kind: self.pattern(form.kind, Pattern::over_names),
            namespace: self.pattern(form.namespace, Pattern::over_names),
            name: self.pattern(form.name, Pattern::over_names),
            path: self.pattern(form.path, Pattern::over_paths),
            span: Some(span),
        }
    }
}

fn located(texts: Option<Vec<Spanned<NonEmpty>>>) -> Vec<Located> {
    let one = |text: Spanned<NonEmpty>| Located {
        value: text.value.0,
        span: text.span,
    };
    texts.into_iter().flatten().map(one).collect()
}
