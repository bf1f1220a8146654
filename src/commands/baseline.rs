//! The baseline of a `check` run: its file and the messages about it.

use std::path::Path;

use super::{CommandError, read_file, write};
use crate::baseline::{Baseline, Entry};
use crate::finding::{Problem, Report};

/// The most outdated entries that are listed.
const LISTED: usize = 10;

/// The file to write a baseline to.
#[derive(Clone, Copy)]
pub struct File<'f> {
    /// The repository's root.
    pub root: &'f Path,
    /// The path as given by the user.
    pub path: &'f Path,
}

/// Reads a baseline.
///
/// # Errors
/// Returns an error if the file cannot be read or is not a baseline.
pub fn read(path: &Path) -> Result<Baseline, CommandError> {
    Baseline::read(&read_file(path)?).map_err(CommandError::Problems)
}

/// Writes all findings of a report to a baseline and removes them from the report. A report with problems is not written,
/// because it may lack findings.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write(file: File<'_>, report: &mut Report, quiet: bool) -> Result<(), CommandError> {
    if !report.problems.is_empty() {
        report.problems.push(Problem {
            file: None,
            position: None,
            message: format!(
                "{}: not written, because not everything could be read",
                file.path.display()
            ),
        });
        return Ok(());
    }
    let baseline = Baseline::of(report);
    save(file, &baseline)?;
    baseline.apply(report);
    if !quiet {
        super::say(format_args!(
            "{}: written with {}",
            file.path.display(),
            findings(report.counts.baselined)
        ));
    }
    Ok(())
}

/// Removes the findings of a baseline from a report, lists outdated entries, and removes those from the file if asked.
/// `was_judged` says whether an entry could have matched: a finding in a file that was not read may still exist.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn apply(
    file: File<'_>,
    mut baseline: Baseline,
    report: &mut Report,
    was_judged: &dyn Fn(&Entry) -> bool,
    quiet: bool,
    prune: bool,
) -> Result<(), CommandError> {
    let mut stale = baseline.apply(report);
    stale.retain(was_judged);
    if stale.is_empty() {
        return Ok(());
    }
    let number = u32::try_from(stale.len()).unwrap_or(u32::MAX);
    let shown = file.path.display();
    if prune && report.problems.is_empty() {
        baseline.prune(&stale);
        save(file, &baseline)?;
        if !quiet {
            super::say(format_args!(
                "{shown}: removed {} that no longer match{}",
                entries(number),
                third_person(number)
            ));
        }
        return Ok(());
    }
    if !quiet {
        super::say(format_args!(
            "{shown}: {} no longer match{}; --prune-baseline removes {}",
            entries(number),
            third_person(number),
            if number == 1 { "it" } else { "them" }
        ));
        for one in stale.iter().take(LISTED) {
            super::say(format_args!("  {one}"));
        }
        if stale.len() > LISTED {
            super::say(format_args!("  and {} more", stale.len() - LISTED));
        }
    }
    Ok(())
}

fn save(file: File<'_>, baseline: &Baseline) -> Result<(), CommandError> {
    let failed = |why: String| CommandError::Message(format!("{}: {why}", file.path.display()));
    let text = baseline.text().map_err(|error| failed(error.to_string()))?;
    write::replace(file.root, file.path, text.as_bytes()).map_err(|error| failed(error.to_string()))
}

fn findings(number: u32) -> String {
    if number == 1 {
        "1 finding".to_owned()
    } else {
        format!("{number} findings")
    }
}

fn third_person(number: u32) -> &'static str {
    if number == 1 { "es" } else { "" }
}

fn entries(number: u32) -> String {
    if number == 1 {
        "1 entry".to_owned()
    } else {
        format!("{number} entries")
    }
}
