//! `check --fix` and `check --diff`: applies fixes and checks again until nothing changes.

use std::collections::BTreeMap;

use super::CommandError;
use super::changes::{Edits, problem};
use super::inputs::Inputs;
use crate::cli::Check;
use crate::finding::{Fix, Problem, Report};
use crate::lint::caught::{bug_text, caught};
use crate::lint::check;
use crate::lint::fixes::apply;
use crate::lint::session::Session;
use crate::source::SourceId;

/// A fix may enable another one. A longer chain is assumed to be endless.
const ROUNDS: usize = 10;

/// How to apply fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Whether to include fixes that may change where pods run.
    unsafe_too: bool,
    /// Whether to print a patch instead of changing files.
    show: bool,
}

impl Mode {
    /// Reads the mode from the arguments.
    ///
    /// # Errors
    /// Returns an error if standard input is to be fixed.
    pub fn of(arguments: &Check) -> Result<Option<Mode>, CommandError> {
        // With --add-ignores the patch contains comments.
        let shown = arguments.diff && arguments.add_ignores.is_none();
        let wanted = arguments.fix || arguments.unsafe_fixes || shown;
        if wanted && arguments.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(CommandError::Message(
                "standard input cannot be fixed: give files or folders to --fix and --diff"
                    .to_owned(),
            ));
        }
        Ok(wanted.then_some(Mode {
            unsafe_too: arguments.unsafe_fixes,
            show: arguments.diff,
        }))
    }
}

/// Checks and fixes in turn until nothing changes. Returns the report to show: the first for a patch, otherwise the last.
/// `suppress` removes findings that are not fixed. `obstacle` returns the reason why an input cannot be written.
pub fn run(
    session: &mut Session<'_>,
    mode: Mode,
    suppress: &dyn Fn(&mut Report),
    obstacle: &dyn Fn(usize, &str) -> Option<String>,
) -> (Report, Edits) {
    let mut fixed = Edits::default();
    let first = check(session);
    let mut report = first.clone();
    for _ in 0..ROUNDS {
        let mut open = report.clone();
        suppress(&mut open);
        let mut changed = false;
        let mut by_source: BTreeMap<SourceId, Vec<&Fix>> = BTreeMap::new();
        for finding in &open.findings {
            let fix = finding.fix.as_ref();
            if let Some(fix) = fix.filter(|fix| fix.safe || mode.unsafe_too) {
                by_source.entry(finding.span.source).or_default().push(fix);
            }
        }
        for (id, fixes) in by_source {
            let (Some(source), Some(index)) = (open.sources.get(&id), session.index(id)) else {
                continue;
            };
            if fixed.refused.contains_key(&index) {
                continue;
            }
            let (text, applied) = match caught(|| apply(source, fixes)) {
                Ok(Some(done)) => done,
                Ok(None) => continue,
                Err(why) => {
                    fixed.refused.insert(index, bug_text("fixed", &why));
                    continue;
                }
            };
            let is_new = !fixed.counts.contains_key(&index);
            if is_new
                && !mode.show
                && let Some(why) = obstacle(index, &source.text)
            {
                fixed.refused.insert(index, why);
                continue;
            }
            changed = true;
            *fixed.counts.entry(index).or_default() += applied;
            fixed.changes.set(index, &source.text, text.clone());
            session.write(id, text);
        }
        if !changed {
            break;
        }
        report = check(session);
    }
    let report = if mode.show { first } else { report };
    (report, fixed)
}

/// Reports the files that could not be fixed.
pub fn report_refused(fixed: &Edits, inputs: &Inputs, problems: &mut Vec<Problem>) {
    for (index, why) in &fixed.refused {
        let file = inputs.discovery.files.get(*index);
        problems.extend(file.map(|file| problem(file, "fixed", why)));
    }
}

/// Prints how many fixes were, or would be, applied to some files.
pub fn summarize(fixed: &Edits, files: &[usize], done: &str) {
    let (fixes, files) = (fixed.count(files), files.len());
    if fixes == 0 {
        let nothing = fixed.counts.is_empty() && fixed.refused.is_empty();
        super::say(match nothing {
            true => "Nothing to fix",
            false => "Nothing was fixed",
        });
        return;
    }
    super::say(format_args!(
        "{fixes} fix{} {done} in {files} file{}",
        if fixes == 1 { "" } else { "es" },
        if files == 1 { "" } else { "s" },
    ));
}
