//! The baseline of a run of `check`: its file, and what is said about it.

use std::path::Path;

use super::{CommandError, read_file, write};
use crate::baseline::{Accepted, Baseline};
use crate::finding::{Problem, Report};

/// So many entries that match nothing are told one by one.
const TOLD: usize = 10;

/// The file that a baseline is written to.
#[derive(Clone, Copy)]
pub struct File<'f> {
    /// The repository's root.
    pub root: &'f Path,
    /// As it was named.
    pub path: &'f Path,
}

/// Reads a baseline.
///
/// # Errors
/// A file that cannot be read, or is no baseline.
pub fn read(path: &Path) -> Result<Baseline, CommandError> {
    Baseline::read(&read_file(path)?).map_err(CommandError::Problems)
}

/// Accepts all findings of a report: they are written, and taken out of it. A report with problems is not written, since
/// nobody knows what it lacks.
///
/// # Errors
/// A file that cannot be written.
pub fn write(file: File<'_>, report: &mut Report, quiet: bool) -> Result<(), CommandError> {
    if !report.problems.is_empty() {
        report.problems.push(Problem {
            file: None,
            position: None,
            message: format!(
                "{}: not written, as not everything could be read",
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
            "{}: written, accepts {}",
            file.path.display(),
            findings(report.counts.baselined)
        ));
    }
    Ok(())
}

/// Takes what is accepted out of a report, tells what matches nothing any more, and takes that out of the file if asked.
/// `was_judged` says whether an entry could have matched: what was not read has not gone away.
///
/// # Errors
/// A file that cannot be written.
pub fn apply(
    file: File<'_>,
    mut baseline: Baseline,
    report: &mut Report,
    was_judged: &dyn Fn(&Accepted) -> bool,
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
                "{shown}: {} taken out, which no finding matches any more",
                entries(number)
            ));
        }
        return Ok(());
    }
    if !quiet {
        super::say(format_args!(
            "{shown}: no finding matches {} any more; --prune-baseline takes that out",
            entries(number)
        ));
        for one in stale.iter().take(TOLD) {
            super::say(format_args!("  {one}"));
        }
        if stale.len() > TOLD {
            super::say(format_args!("  and {} more", stale.len() - TOLD));
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

fn entries(number: u32) -> String {
    if number == 1 {
        "1 entry".to_owned()
    } else {
        format!("{number} entries")
    }
}
