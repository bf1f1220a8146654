//! `kubetaint check --show-settings`: prints the settings in effect as YAML.

use std::io::Write;

use crate::config::{Config, Except, RuleSetting};
use crate::rule::RuleSet;

/// Writes the settings in effect, as an equivalent configuration.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn write(config: &Config, rules: &RuleSet, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(
        out,
        "# What this run goes by. As `.kubetaint.yaml` it says the same."
    )?;
    writeln!(
        out,
        "kubernetes: {}",
        quoted(&config.kubernetes.to_string())
    )?;
    write_gates(config, out)?;
    write_admission(config, out)?;
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
    writeln!(out, "require-reason: {}", config.require_reason)?;
    write_rules(config, rules, out)?;
    writeln!(
        out,
        "# Tests, examples and archives: what workloads and node pools say of each other is a note there, outside of the\n\
         # clusters above. An entry without / means names of folders and files below the scanned folder, and words in them.\n\
         test-paths: {}",
        list(config.test_paths_in_effect().texts().map(quoted))
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

fn write_admission(config: &Config, out: &mut dyn Write) -> std::io::Result<()> {
    match &config.admission {
        Some(plugins) => {
            let plugins = list(plugins.iter().map(|name| quoted(name)));
            writeln!(
                out,
                "# Beyond the API server's defaults these run, and no others.\nadmission: {plugins}"
            )
        }
        None => writeln!(
            out,
            "# Nobody says which plugins run beyond the API server's defaults; [] says that none does.\nadmission:"
        ),
    }
}

fn write_clusters(config: &Config, out: &mut dyn Write) -> std::io::Result<()> {
    let mut written = config.written_clusters().peekable();
    if written.peek().is_none() {
        return writeln!(
            out,
            "# None is configured: folders say which node pools serve which workloads.\nclusters: {{}}"
        );
    }
    writeln!(out, "clusters:")?;
    for cluster in written {
        let paths = cluster.paths.iter().map(|pattern| quoted(pattern));
        let inventory = cluster.inventory.iter().map(|file| quoted(&file.value));
        writeln!(out, "  {}:", quoted(cluster.name))?;
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
    writeln!(
        out,
        "# The severity is where nothing lowers it. A rule in a comment decides from case to case.\nrules:"
    )?;
    // Rules that the command line excludes do not run.
    let mut left_out: Vec<&String> = rules.loaded().iter().collect();
    left_out.retain(|id| rules.get(id).is_none());
    left_out.sort();
    for id in left_out {
        writeln!(out, "  {}: off", quoted(id))?;
    }
    for rule in rules.iter() {
        let id = quoted(&rule.id);
        match config.rules.get(&rule.id) {
            Some(RuleSetting { off: true, .. }) => writeln!(out, "  {id}: off")?,
            Some(setting) if !setting.except.is_empty() => {
                let severity = setting
                    .severity
                    .map_or_else(String::new, |one| format!("severity: {}, ", one.as_str()));
                let except = list(setting.except.iter().map(except));
                writeln!(out, "  {id}: {{{severity}except: {except}}}")?;
            }
            Some(RuleSetting {
                severity: Some(severity),
                ..
            }) => writeln!(out, "  {id}: {}", severity.as_str())?,
            // Writing the severity of a rule with several would apply one to all its cases.
            _ if rule.severities().next().is_some() => {
                writeln!(out, "  # {}: {}", rule.id, rule.severity.as_str())?;
            }
            _ => writeln!(out, "  {id}: {}", rule.severity.as_str())?,
        }
    }
    Ok(())
}

fn except(one: &Except) -> String {
    let patterns = [
        ("kind", &one.kind),
        ("namespace", &one.namespace),
        ("name", &one.name),
        ("path", &one.path),
    ];
    let written: Vec<String> = patterns
        .into_iter()
        .filter_map(|(name, pattern)| Some(format!("{name}: {}", quoted(&pattern.as_ref()?.text))))
        .collect();
    format!("{{{}}}", written.join(", "))
}

/// Quotes any text as a YAML string. JSON strings are valid YAML, except for characters that YAML treats as line breaks or
/// as not printable.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
