//! `kubetaint check`: from paths to a report.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;

use super::cache::CacheFolder;
use super::changes::{self, Edits};
use super::comparing::{compare, today};
use super::inputs::{Inputs, Place};
use super::only::Only;
use super::reports::Reports;
use super::states::States;
use super::{
    CommandError, Exit, add_ignores, baseline, configured_rules, files, fix, load_rules, render,
    settings, templates,
};
use crate::baseline::Entry;
use crate::cli::{Check, Cli};
use crate::config::{self, Config};
use crate::finding::{Problem, Report, Severity};
use crate::lint::session::Session;
use crate::lint::{Settings, Suppressions, lint};
use crate::model::near_miss::nearest_word;
use crate::rendering::Rendered;
use crate::rule::RuleSet;

/// Checks the files that the arguments name.
///
/// # Errors
/// Returns an error if the configuration, rules or formats are invalid, or if there is nothing to check.
pub fn run(cli: &Cli, arguments: &Check, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let reports = Reports::asked_for(cli, arguments)?;
    let job = Job::of(arguments)?;
    let mut place = Place::find(&arguments.paths, &arguments.beside)?;
    if let Some(version) = &arguments.kubernetes {
        place.config.kubernetes = version.parse().map_err(|error: config::VersionError| {
            CommandError::Message(format!("--kubernetes: {error}"))
        })?;
    }
    let cache = arguments.cache.as_deref();
    let cache = cache.and_then(|folder| CacheFolder::open(folder, &place.root));
    place.cache = cache.map(Arc::new);
    let rules = load_selected_rules(arguments, &place.config, &place.root)?;
    // Loaded before the files are read, so that a mistyped path fails early.
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
    if let Some(base) = &arguments.base
        && inputs.has_stdin()
    {
        return Err(CommandError::Message(format!(
            "--base {base}: standard input has no revisions"
        )));
    }
    let suppress = |report: &mut Report| {
        if let Some((_, known)) = &known {
            known.apply(report);
        }
        if let Some(only) = &only {
            report.keep_touching(|file| only.covers(file));
        }
    };
    let (inputs, mut report, edits) = match &arguments.base {
        Some(base) => {
            let (inputs, report) = since(base, inputs, arguments, &rules, cli.quiet)?;
            (inputs, report, Edits::default())
        }
        None => {
            let (renderings, not_rendered) = render::run(&arguments.render, &inputs);
            let rendered = Rendered {
                renderings,
                templates: templates::named_in_stdin(&inputs),
            };
            let settings = Settings {
                rendered: Some(&rendered),
                ..inputs.settings(&rules, suppressions(arguments))
            };
            let (mut report, edits) = job.run(&inputs, settings, cli.quiet, &suppress);
            report.problems.extend(not_rendered);
            (inputs, report, edits)
        }
    };
    let is_told = !(report.findings.is_empty() && report.problems.is_empty());
    let empty = inputs.check_stdin(&report.counts, is_told);
    report.problems.extend(empty);
    inputs.add_problems(&mut report.problems);
    inputs.place.say("warning", &edits.not_suppressed);
    let threshold = arguments.fail_on.threshold();
    if arguments.diff {
        suppress(&mut report);
        let shown = edits.changes.show(&inputs, out, &mut report.problems)?;
        if !cli.quiet {
            job.summarize(&edits, &shown, Done::Planned);
        }
        inputs.place.say("error", &report.problems);
        return Ok(exit(&report, threshold));
    }
    job.save(&edits, &inputs, cli.quiet, &mut report.problems);
    let root = &inputs.place.root;
    if let Some(path) = &arguments.write_baseline {
        baseline::write(baseline::File { root, path }, &mut report, cli.quiet)?;
    }
    if let Some((path, known)) = known {
        let was_judged = |one: &Entry| was_judged(one, &inputs, &rules);
        let (file, prune) = (baseline::File { root, path }, arguments.prune_baseline);
        baseline::apply(file, known, &mut report, &was_judged, cli.quiet, prune)?;
    }
    if let Some(only) = &only {
        report.keep_touching(|file| only.covers(file));
    }
    if !cli.quiet {
        inputs.place.say("note", &ages(&report));
    }
    inputs.place.say("warning", &report.warnings);
    inputs.place.say("error", &report.problems);
    let exit = exit(&report, threshold);
    reports.write(&report, &rules, exit, &inputs.place, out)?;
    if let Some(cache) = &inputs.place.cache {
        cache.save();
        if cli.verbose {
            cache.say_counts();
        }
    }
    // The run is over, and the operating system frees everything at once.
    std::mem::forget((report, rules, inputs));
    Ok(exit)
}

/// The report with what the changes since a revision bring in, and the files that it is about.
fn since(
    base: &str,
    inputs: Inputs,
    arguments: &Check,
    rules: &RuleSet,
    quiet: bool,
) -> Result<(Inputs, Report), CommandError> {
    let states = States::since(base, inputs, &arguments.beside)?;
    for warning in &states.warnings {
        super::say(format_args!("warning: {warning}"));
    }
    let (found, (before, _)) = compare(&states, rules, suppressions(arguments), quiet);
    states.base.inputs.place.say("warning", &before);
    let mut report = found.findings.into_news();
    report.counts.base = Some(states.base.name.clone());
    Ok((states.head.inputs, report))
}

/// What a run does with its findings.
enum Job {
    /// Reports them.
    Report,
    /// Fixes them.
    Fix(fix::Mode),
    /// Suppresses them.
    AddIgnores(add_ignores::Asked),
}

/// Whether files were changed or would be changed.
#[derive(Clone, Copy)]
enum Done {
    Written,
    Planned,
}

impl Job {
    /// Reads the job from the arguments.
    fn of(arguments: &Check) -> Result<Job, CommandError> {
        if let Some(mode) = fix::Mode::of(arguments)? {
            return Ok(Job::Fix(mode));
        }
        let asked = add_ignores::Asked::of(arguments, suppressions(arguments))?;
        Ok(asked.map_or(Job::Report, Job::AddIgnores))
    }

    fn run(
        &self,
        inputs: &Inputs,
        settings: Settings<'_>,
        quiet: bool,
        suppress: &dyn Fn(&mut Report),
    ) -> (Report, Edits) {
        inputs.read(quiet, |list, load| match self {
            Job::Report => (lint(list, load, settings), Edits::default()),
            Job::Fix(mode) => {
                let obstacle = |index: usize, text: &str| {
                    let file = inputs.discovery.files.get(index)?;
                    changes::obstacle(&inputs.place.root, file, text)
                };
                let mut session = Session::open(list, load, settings);
                fix::run(&mut session, *mode, suppress, &obstacle)
            }
            Job::AddIgnores(asked) => {
                let mut session = Session::open(list, load, settings);
                add_ignores::run(&mut session, settings, asked, suppress)
            }
        })
    }

    /// Writes the changed files.
    fn save(&self, edits: &Edits, inputs: &Inputs, quiet: bool, problems: &mut Vec<Problem>) {
        let done = match self {
            Job::Report => return,
            Job::Fix(_) => {
                fix::report_refused(edits, inputs, problems);
                "fixed"
            }
            Job::AddIgnores(_) => "written",
        };
        let written = edits.changes.save(inputs, done, problems);
        if !quiet {
            self.summarize(edits, &written, Done::Written);
        }
    }

    /// Prints how much changed in some files.
    fn summarize(&self, edits: &Edits, files: &[usize], done: Done) {
        match (self, done) {
            (Job::Report, _) => {}
            (Job::Fix(_), Done::Written) => fix::summarize(edits, files, "applied"),
            (Job::Fix(_), Done::Planned) => fix::summarize(edits, files, "would be applied"),
            (Job::AddIgnores(_), Done::Written) => {
                add_ignores::summarize(edits, files, "suppressed");
            }
            (Job::AddIgnores(_), Done::Planned) => {
                add_ignores::summarize(edits, files, "would be suppressed");
            }
        }
    }
}

/// Whether this run could have matched an entry of a baseline.
fn was_judged(entry: &Entry, inputs: &Inputs, rules: &RuleSet) -> bool {
    let discovery = &inputs.discovery;
    let was_read = || discovery.files.iter().any(|file| *file.path == *entry.file);
    match rules.get(&entry.rule) {
        Some(rule) => discovery.whole || (!rule.may_rest_on_other_files() && was_read()),
        // A disabled rule did not run. A rule that no longer exists never will.
        None => discovery.whole && !rules.loaded().contains(&entry.rule),
    }
}

fn suppressions(arguments: &Check) -> Suppressions {
    if arguments.no_ignores {
        return Suppressions::Off;
    }
    Suppressions::On(today())
}

/// How old the inventories are that pools were read from.
fn ages(report: &Report) -> Vec<Problem> {
    let age = |taken: &Date| match taken.until(today()).map_or(0, |age| age.get_days()) {
        ..=0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let inventories = report.inventories.iter();
    let problems = inventories.map(|(path, taken)| Problem {
        file: Some(path.clone()),
        position: None,
        message: format!("this inventory was taken on {taken}, {}", age(taken)),
    });
    problems.collect()
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
    // A rule that is named explicitly must run.
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
