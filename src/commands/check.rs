//! `kubetaint check`: from paths to a report.

use std::fs::File as OutputFile;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::inputs::{Inputs, Place, Screen};
use super::{CommandError, Exit, baseline, fix, load_rules, settings};
use crate::baseline::Accepted;
use crate::cli::{Check, Cli, FormatTarget};
use crate::config::{self, Config};
use crate::finding::{Report, Severity};
use crate::lint::{Acceptance, Settings, lint};
use crate::model::near_miss::nearest_word;
use crate::output::{self, Format, View};
use crate::rule::RuleSet;

/// Checks what the arguments name.
///
/// # Errors
/// Whatever keeps the job from being started: configuration, rules, formats, nothing to check.
pub fn run(cli: &Cli, arguments: &Check, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let formats = parse_formats(&arguments.formats)?;
    let mode = fix::Mode::of(arguments)?;
    if arguments.threads > 0 {
        // Fails only when a pool exists already, which then serves as well.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(arguments.threads)
            .build_global();
    }
    let mut place = Place::find(
        &arguments.paths,
        arguments.config.as_deref(),
        arguments.isolated,
    )?;
    if let Some(version) = &arguments.kubernetes {
        place.config.kubernetes = version.parse().map_err(|error: config::VersionError| {
            CommandError::Message(format!("--kubernetes: {error}"))
        })?;
    }
    let rules = load_selected_rules(arguments, &place.config, &place.root)?;
    // Before everything is read: a run must not end in a typing mistake.
    let known = match &arguments.baseline {
        Some(path) => Some((path.as_path(), baseline::read(path)?)),
        None => None,
    };
    if arguments.show_settings {
        settings::write(&place.config, &rules, out)?;
        return Ok(Exit::Clean);
    }
    let inputs = Inputs::find(place, &arguments.pools)?;

    let settings = Settings {
        rules: &rules,
        table: &inputs.table,
        config: &inputs.place.config,
        whole: inputs.discovery.whole,
        acceptance: acceptance(arguments),
    };
    let accepts = |report: &mut Report| {
        if let Some((_, known)) = &known {
            known.apply(report);
        }
    };
    let (mut report, mended) = inputs.read(cli.quiet, |list, load| match mode {
        Some(mode) => fix::run(list, load, settings, mode, &accepts),
        None => (lint(list, load, settings), fix::Mended::default()),
    });
    inputs.add_problems(&mut report.problems);
    if mode.is_some_and(fix::Mode::shows_patch) {
        for line in output::problem_lines(&report.problems, &inputs.place.prefix) {
            eprintln!("error: {line}");
        }
        accepts(&mut report);
        fix::show(&mended, &inputs, out)?;
        return Ok(exit(&report, arguments.fail_on.threshold()));
    }
    if mode.is_some() {
        fix::save(&mended, &inputs, cli.quiet, &mut report.problems);
    }
    if let Some(path) = &arguments.write_baseline {
        baseline::write(path, &mut report, cli.quiet)?;
    }
    if let Some((path, known)) = known {
        let discovery = &inputs.discovery;
        let was_judged = |one: &Accepted| {
            let read = discovery.whole || discovery.files.iter().any(|file| file.path == one.file);
            read && rules.get(&one.rule).is_some()
        };
        let prune = arguments.prune_baseline;
        baseline::apply(path, known, &mut report, &was_judged, cli.quiet, prune)?;
    }
    for line in output::problem_lines(&report.problems, &inputs.place.prefix) {
        eprintln!("error: {line}");
    }
    let prefix = inputs.place.prefix.clone();
    write_reports(&report, &formats, cli, arguments, prefix, out)?;
    Ok(exit(&report, arguments.fail_on.threshold()))
}

fn acceptance(arguments: &Check) -> Acceptance {
    if arguments.no_ignores {
        return Acceptance::Off;
    }
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    Acceptance::On(now.date())
}

fn exit(report: &Report, threshold: Option<Severity>) -> Exit {
    if !report.problems.is_empty() {
        return Exit::Problems;
    }
    match (report.worst(), threshold) {
        (Some(worst), Some(threshold)) if worst >= threshold => Exit::Findings,
        _ => Exit::Clean,
    }
}

fn parse_formats(targets: &[FormatTarget]) -> Result<Vec<(Format, Option<PathBuf>)>, CommandError> {
    if targets.is_empty() {
        return Ok(vec![(Format::Text, None)]);
    }
    targets
        .iter()
        .map(|target| {
            let format: Format = target
                .name
                .parse()
                .map_err(|error: output::UnknownFormat| CommandError::Message(error.to_string()))?;
            Ok((format, target.file.clone()))
        })
        .collect()
}

fn load_selected_rules(
    arguments: &Check,
    config: &Config,
    root: &Path,
) -> Result<RuleSet, CommandError> {
    let folders: Vec<PathBuf> = config
        .rule_dirs
        .iter()
        .map(|folder| root.join(&folder.value))
        .chain(arguments.rules.iter().cloned())
        .collect();
    let mut rules = load_rules(&folders)?;
    let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let problems = config.check_names(&ids);
    if !problems.is_empty() {
        return Err(CommandError::Problems(problems));
    }
    for (flag, wanted) in [
        ("--select", &arguments.select),
        ("--ignore", &arguments.ignore),
    ] {
        if let Some(id) = wanted.iter().find(|id| !ids.contains(&id.as_str())) {
            let hint = nearest_word(id, &ids)
                .map(|near| format!(" (did you mean `{near}`?)"))
                .unwrap_or_default();
            return Err(CommandError::Message(format!(
                "{flag}: there is no rule `{id}`{hint}"
            )));
        }
    }
    rules.retain(|rule| {
        (arguments.select.is_empty() || arguments.select.contains(&rule.id))
            && !arguments.ignore.contains(&rule.id)
    });
    Ok(rules)
}

fn write_reports(
    report: &Report,
    formats: &[(Format, Option<PathBuf>)],
    cli: &Cli,
    arguments: &Check,
    prefix: String,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let screen = Screen::of(cli);
    for (format, file) in formats {
        let view = View {
            report,
            prefix: prefix.clone(),
            min_severity: arguments.min_severity.map(Severity::from),
            color: screen.color && file.is_none(),
            hyperlinks: false,
            width: screen.width,
            version: env!("CARGO_PKG_VERSION"),
            quiet: cli.quiet,
        };
        match file {
            None => output::write(*format, &view, out)?,
            Some(path) => {
                let file = OutputFile::create(path).map_err(|error| {
                    CommandError::Message(format!("{}: {error}", path.display()))
                })?;
                output::write(*format, &view, &mut BufWriter::new(file))?;
            }
        }
        if *format != Format::Text && file.is_none() && !cli.quiet {
            eprintln!("{}", output::summary_line(report));
        }
    }
    Ok(())
}
