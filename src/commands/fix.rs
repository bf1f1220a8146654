//! `check --fix` and `check --diff`: applies fixes, looks again until nothing changes, and writes files or a patch.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use similar::TextDiff;

use super::inputs::Inputs;
use super::{CommandError, write};
use crate::cli::Check;
use crate::finding::{Fix, Problem, Report};
use crate::lint::fixes::mend;
use crate::lint::{Content, Input, Settings, lint};
use crate::source::SourceId;

/// One fix may make room for another; a chain that is longer than this has no end.
const ROUNDS: usize = 10;

/// A file's text, at first.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What is to be done with fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Also those that may change where pods run.
    unsafe_too: bool,
    /// Show a patch, and change nothing.
    show: bool,
}

impl Mode {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Standard input cannot be mended.
    pub fn of(arguments: &Check) -> Result<Option<Mode>, CommandError> {
        let wanted = arguments.fix || arguments.unsafe_fixes || arguments.diff;
        if wanted && arguments.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(CommandError::Message(
                "standard input cannot be mended: give files or folders to --fix and --diff"
                    .to_owned(),
            ));
        }
        Ok(wanted.then_some(Mode {
            unsafe_too: arguments.unsafe_fixes,
            show: arguments.diff,
        }))
    }

    /// Whether a patch is shown in place of a report.
    pub fn shows_patch(self) -> bool {
        self.show
    }
}

/// Files that are to be written, by input.
#[derive(Debug, Default)]
pub struct Mended {
    texts: BTreeMap<usize, (String, String)>,
    fixes: usize,
}

/// Judges and mends by turns until nothing changes. Gives the report to show: of a patch the one before it, else the one
/// after the fixes. `accepts` takes out of a report what is accepted, which is not mended.
pub fn run(
    inputs: &[Input],
    load: &(dyn Fn(usize) -> Content + Sync),
    settings: Settings<'_>,
    mode: Mode,
    accepts: &dyn Fn(&mut Report),
) -> (Report, Mended) {
    let mut mended = Mended::default();
    let first = lint(inputs, load, settings);
    let mut report = first.clone();
    for _ in 0..ROUNDS {
        let mut open = report.clone();
        accepts(&mut open);
        let mut changed = false;
        let mut by_source: BTreeMap<SourceId, Vec<&Fix>> = BTreeMap::new();
        for finding in &open.findings {
            let fix = finding.fix.as_ref();
            if let Some(fix) = fix.filter(|fix| fix.safe || mode.unsafe_too) {
                by_source.entry(finding.span.source).or_default().push(fix);
            }
        }
        for (id, fixes) in by_source {
            let index = id.0 as usize;
            let Some(source) = open.sources.get(&id).filter(|_| index < inputs.len()) else {
                continue;
            };
            let Some((text, applied)) = mend(source, fixes) else {
                continue;
            };
            changed = true;
            mended.fixes += applied;
            mended
                .texts
                .entry(index)
                .and_modify(|(_, new)| new.clone_from(&text))
                .or_insert_with(|| (source.text.to_string(), text));
        }
        if !changed {
            break;
        }
        let texts = &mended.texts;
        report = lint(
            inputs,
            &|index| match texts.get(&index) {
                Some((_, new)) => Content::Text(new.clone()),
                None => load(index),
            },
            settings,
        );
    }
    let report = if mode.show { first } else { report };
    (report, mended)
}

/// Writes the files. One that is no longer what was read, or is not UTF-8, is left as it is and told.
pub fn save(mended: &Mended, inputs: &Inputs, quiet: bool, problems: &mut Vec<Problem>) {
    let mut written = 0;
    for (index, (old, new)) in &mended.texts {
        let Some(file) = inputs.discovery.files.get(*index) else {
            continue;
        };
        if let Err(why) = save_one(&file.absolute, old, new) {
            problems.push(Problem {
                file: Some(file.path.clone()),
                position: None,
                message: format!("not mended: {why}"),
            });
        } else {
            written += 1;
        }
    }
    if !quiet {
        let plural = |number: usize| if number == 1 { "" } else { "s" };
        let fixes = mended.fixes;
        eprintln!(
            "{fixes} fix{} applied in {written} file{}",
            if fixes == 1 { "" } else { "es" },
            plural(written)
        );
    }
}

fn save_one(path: &Path, old: &str, new: &str) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let (mark, text) = match bytes.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) if text == old.as_bytes() => (BYTE_ORDER_MARK, text),
        _ => (&[][..], bytes.as_slice()),
    };
    if text != old.as_bytes() {
        return Err("it changed meanwhile, or is not UTF-8".to_owned());
    }
    write::replace(path, &[mark, new.as_bytes()].concat()).map_err(|error| error.to_string())
}

/// Writes a patch that `git apply` takes at the repository's root.
///
/// # Errors
/// Output that cannot be written.
pub fn show(mended: &Mended, inputs: &Inputs, out: &mut dyn Write) -> std::io::Result<()> {
    for (index, (old, new)) in &mended.texts {
        let Some(file) = inputs.discovery.files.get(*index) else {
            continue;
        };
        let (before, after) = (named("a", &file.path), named("b", &file.path));
        writeln!(out, "diff --git {before} {after}")?;
        // Lines as git counts them: a carriage return alone ends none.
        let (old, new): (Vec<&str>, Vec<&str>) = (
            old.split_inclusive('\n').collect(),
            new.split_inclusive('\n').collect(),
        );
        let diff = TextDiff::configure()
            .newline_terminated(true)
            .diff_slices(&old, &new);
        let mut patch = diff.unified_diff();
        write!(out, "{}", patch.context_radius(3).header(&before, &after))?;
    }
    Ok(())
}

/// A path as git writes it: in quotes when it holds what would end it.
fn named(side: &str, path: &str) -> String {
    let path = format!("{side}/{path}");
    let odd = |byte: u8| byte < b' ' || byte == 0x7f || byte == b'"' || byte == b'\\';
    if !path.bytes().any(odd) {
        return path;
    }
    let mut quoted = String::from("\"");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            byte if odd(byte) || byte >= 0x80 => quoted.push_str(&format!("\\{byte:03o}")),
            byte => quoted.push(char::from(byte)),
        }
    }
    quoted.push('"');
    quoted
}
