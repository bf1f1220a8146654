//! `kubetaint check --show-settings`: what a run would go by, as YAML.

use std::io::Write;

use crate::config::{Config, RuleSetting};
use crate::model::cluster::rehearsal_words;
use crate::rule::RuleSet;

/// Writes the settings in effect: the configuration with its defaults, the rules that run, and the words of paths that
/// lower findings.
///
/// # Errors
/// Output that cannot be written.
pub fn write(config: &Config, rules: &RuleSet, out: &mut dyn Write) -> std::io::Result<()> {
    let file = config.source.as_ref().map(|source| &*source.path);
    writeln!(
        out,
        "# {}",
        file.unwrap_or("no configuration file: these are the defaults")
    )?;
    writeln!(
        out,
        "kubernetes: {}",
        quoted(&config.kubernetes.to_string())
    )?;
    write_gates(config, out)?;
    let plugins = config.admission.iter().map(|name| quoted(name));
    writeln!(
        out,
        "# Beyond the API server's defaults.\nadmission: {}",
        list(plugins)
    )?;
    let excluded = config.exclude.iter().map(|pattern| quoted(&pattern.text));
    writeln!(out, "exclude: {}", list(excluded))?;
    write_clusters(config, out)?;
    write_pools(config, out)?;
    for (name, folders) in [
        ("rule-dirs", &config.rule_dirs),
        ("providers", &config.providers),
    ] {
        let folders = folders.iter().map(|folder| quoted(&folder.value));
        writeln!(out, "{name}: {}", list(folders))?;
    }
    write_rules(config, rules, out)?;
    writeln!(
        out,
        "# Paths with these words are tests, examples or archives: what workloads and node pools say of each other\n\
         # is a note there. Only the part of a path below the scanned folder counts.\n\
         rehearsal-paths: {}",
        list(rehearsal_words().map(quoted))
    )
}

fn write_gates(config: &Config, out: &mut dyn Write) -> std::io::Result<()> {
    let gates = config.feature_gates.iter();
    let gates: Vec<String> = gates.map(|(name, on)| format!("{name}: {on}")).collect();
    let accepted = if config.comparison_operators() {
        "accepted"
    } else {
        "rejected"
    };
    writeln!(out, "# The operators Gt and Lt are {accepted}.")?;
    writeln!(out, "feature-gates: {{{}}}", gates.join(", "))
}

fn write_clusters(config: &Config, out: &mut dyn Write) -> std::io::Result<()> {
    if config.clusters.is_empty() {
        return writeln!(
            out,
            "# None is configured: folders say which node pools serve which workloads.\nclusters: {{}}"
        );
    }
    writeln!(out, "clusters:")?;
    for cluster in &config.clusters {
        let paths = cluster.paths.iter().map(|pattern| quoted(&pattern.text));
        let inventory = cluster.inventory.iter().map(|file| quoted(&file.value));
        writeln!(out, "  {}:", quoted(&cluster.name))?;
        writeln!(out, "    paths: {}", list(paths))?;
        writeln!(out, "    complete: {}", cluster.complete)?;
        writeln!(out, "    inventory: {}", list(inventory))?;
    }
    Ok(())
}

fn write_pools(config: &Config, out: &mut dyn Write) -> std::io::Result<()> {
    if config.pools.is_empty() {
        return writeln!(out, "pools: []");
    }
    writeln!(out, "pools:")?;
    for pool in &config.pools {
        writeln!(out, "  - name: {}", quoted(&pool.name))?;
        if let Some(cluster) = &pool.cluster {
            writeln!(out, "    cluster: {}", quoted(cluster))?;
        }
        let labels = pool.labels.iter();
        let labels: Vec<String> = labels
            .map(|(key, value)| format!("{}: {}", quoted(key), quoted(value)))
            .collect();
        let taints = pool.taints.iter();
        let taints = taints.map(|(taint, _)| quoted(&taint.to_string()));
        writeln!(out, "    labels: {{{}}}", labels.join(", "))?;
        writeln!(out, "    taints: {}", list(taints))?;
    }
    Ok(())
}

fn write_rules(config: &Config, rules: &RuleSet, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# The severity is where nothing lowers it.\nrules:")?;
    for rule in rules.iter() {
        let setting = config.rules.get(&rule.id);
        let severity = match setting {
            Some(RuleSetting { off: true, .. }) => "off",
            Some(RuleSetting {
                severity: Some(severity),
                ..
            }) => severity.as_str(),
            _ => rule.severity.as_str(),
        };
        let except = setting.map_or(&[][..], |setting| &setting.except);
        if except.is_empty() {
            writeln!(out, "  {}: {severity}", rule.id)?;
            continue;
        }
        let excepts: Vec<String> = except
            .iter()
            .map(|one| {
                let patterns = [
                    ("kind", &one.kind),
                    ("namespace", &one.namespace),
                    ("name", &one.name),
                    ("path", &one.path),
                ];
                let written: Vec<String> = patterns
                    .into_iter()
                    .filter_map(|(name, pattern)| {
                        Some(format!("{name}: {}", quoted(&pattern.as_ref()?.text)))
                    })
                    .collect();
                format!("{{{}}}", written.join(", "))
            })
            .collect();
        let except = list(excepts.into_iter());
        writeln!(
            out,
            "  {}: {{severity: {severity}, except: {except}}}",
            rule.id
        )?;
    }
    Ok(())
}

/// A text as a YAML string whatever it holds: JSON strings are YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
