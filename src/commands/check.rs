//! `kubetaint check`: from paths to a report.

use std::io::Write;
use std::path::Path;

use super::changes::{self, Changes};
use super::inputs::{Inputs, Place};
use super::only::Only;
use super::reports::Reports;
use super::{
    CommandError, Exit, accept, baseline, configured_rules, files, fix, load_rules, settings,
};
use crate::baseline::Accepted;
use crate::cli::{Check, Cli};
use crate::config::{self, Config};
use crate::finding::{Report, Severity};
use crate::lint::session::Session;
use crate::lint::{Acceptance, lint};
use crate::model::near_miss::nearest_word;
use crate::rule::RuleSet;

/// Checks what the arguments name.
///
/// # Errors
/// Whatever keeps the job from being started: configuration, rules, formats, nothing to check.
pub fn run(cli: &Cli, arguments: &Check, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let reports = Reports::asked_for(cli, arguments)?;
    let mode = fix::Mode::of(arguments)?;
    let acceptance = acceptance(arguments);
    let asked = accept::Asked::of(arguments, acceptance)?;
    if arguments.threads > 0 {
        // Fails only when a pool exists already, which then serves as well.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(arguments.threads))
            .build_global();
    }
    let mut place = Place::find(&arguments.paths, &arguments.beside)?;
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
        place.say("error", &place.misnamed);
        return Ok(match place.misnamed.is_empty() {
            true => Exit::Clean,
            false => Exit::Problems,
        });
    }
    let only = Only::named(&arguments.only, &place.root)?;
    if arguments.show_files {
        return files::show(cli, &Inputs::gather(place, &arguments.beside.pools)?, out);
    }
    let inputs = Inputs::find(place, &arguments.beside.pools)?;

    let settings = inputs.settings(&rules, acceptance);
    let accepts = |report: &mut Report| {
        if let Some((_, known)) = &known {
            known.apply(report);
        }
        if let Some(only) = &only {
            report.keep_touching(|file| only.covers(file));
        }
    };
    let (mut report, edits) = inputs.read(cli.quiet, |list, load| match (mode, &asked) {
        (Some(mode), _) => {
            let obstacle = |index: usize, text: &str| {
                let file = inputs.discovery.files.get(index)?;
                changes::obstacle(&inputs.place.root, file, text)
            };
            let mut session = Session::open(list, load, settings);
            let (report, fixed) = fix::run(&mut session, mode, &accepts, &obstacle);
            (report, Edits::Fixes(fixed))
        }
        (None, Some(asked)) => {
            let mut session = Session::open(list, load, settings);
            let (report, accepted) = accept::run(&mut session, settings, asked, &accepts);
            (report, Edits::Ignores(accepted))
        }
        (None, None) => (lint(list, load, settings), Edits::None),
    });
    let is_told = !(report.findings.is_empty() && report.problems.is_empty());
    let empty = inputs.check_stdin(&report.counts, is_told);
    report.problems.extend(empty);
    inputs.add_problems(&mut report.problems);
    if let Edits::Ignores(accepted) = &edits {
        accept::tell(accepted, &inputs.place);
    }
    if arguments.diff {
        accepts(&mut report);
        let shown = match edits.changes() {
            Some(changes) => changes.show(&inputs, out, &mut report.problems)?,
            None => Vec::new(),
        };
        match &edits {
            Edits::Fixes(fixed) if !cli.quiet => fix::tell(fixed, &shown),
            Edits::Ignores(accepted) if !cli.quiet => accept::tell_planned(accepted, &shown),
            _ => {}
        }
        inputs.place.say("error", &report.problems);
        return Ok(exit(&report, arguments.fail_on.threshold()));
    }
    match &edits {
        Edits::Fixes(fixed) => fix::save(fixed, &inputs, cli.quiet, &mut report.problems),
        Edits::Ignores(accepted) => {
            accept::save(accepted, &inputs, cli.quiet, &mut report.problems);
        }
        Edits::None => {}
    }
    if let Some(path) = &arguments.write_baseline {
        let file = baseline::File {
            root: &inputs.place.root,
            path,
        };
        baseline::write(file, &mut report, cli.quiet)?;
    }
    if let Some((path, known)) = known {
        let discovery = &inputs.discovery;
        let was_judged = |one: &Accepted| {
            let read = || discovery.files.iter().any(|file| file.path == one.file);
            match rules.get(&one.rule) {
                Some(rule) => discovery.whole || (!rule.may_rest_on_other_files() && read()),
                // One that is off has not looked; one that is no more never will.
                None => discovery.whole && !rules.loaded().contains(&one.rule),
            }
        };
        let prune = arguments.prune_baseline;
        let file = baseline::File {
            root: &inputs.place.root,
            path,
        };
        baseline::apply(file, known, &mut report, &was_judged, cli.quiet, prune)?;
    }
    if let Some(only) = &only {
        report.keep_touching(|file| only.covers(file));
    }
    inputs.place.say("warning", &report.warnings);
    inputs.place.say("error", &report.problems);
    let exit = exit(&report, arguments.fail_on.threshold());
    reports.write(&report, &rules, exit, &inputs.place, out)?;
    Ok(exit)
}

/// What a run changes in files.
enum Edits {
    Fixes(fix::Fixed),
    Ignores(accept::Accepted),
    None,
}

impl Edits {
    fn changes(&self) -> Option<&Changes> {
        match self {
            Edits::Fixes(fixed) => Some(&fixed.changes),
            Edits::Ignores(accepted) => Some(&accepted.changes),
            Edits::None => None,
        }
    }
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

fn load_selected_rules(
    arguments: &Check,
    config: &Config,
    root: &Path,
) -> Result<RuleSet, CommandError> {
    let mut folders = configured_rules(config, root)?;
    folders.extend(arguments.rules.iter().cloned());
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
        if wanted.iter().any(String::is_empty) {
            return Err(CommandError::Message(format!(
                "{flag}: the id of a rule is missing; write RULE or RULE,RULE"
            )));
        }
        if let Some(id) = wanted.iter().find(|id| !ids.contains(&id.as_str())) {
            let hint = nearest_word(id, &ids)
                .map(|near| format!(" (did you mean `{near}`?)"))
                .unwrap_or_default();
            return Err(CommandError::Message(format!(
                "{flag}: unknown rule `{id}`{hint}"
            )));
        }
    }
    // Whoever names a rule wants to see what it finds.
    rules.ask_for(&arguments.select);
    let with_severity = config.rules.iter();
    let with_severity = with_severity.filter(|(_, setting)| setting.severity.is_some());
    let named: Vec<String> = with_severity.map(|(id, _)| id.clone()).collect();
    rules.ask_for(&named);
    rules.retain(|rule| {
        (arguments.select.is_empty() || arguments.select.contains(&rule.id))
            && !arguments.ignore.contains(&rule.id)
    });
    Ok(rules)
}
