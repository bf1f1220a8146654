//! Files that a run changes: their new texts, until they are written or shown as a patch.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use similar::TextDiff;

use super::inputs::Inputs;
use super::write;
use crate::discover::{self, File};
use crate::finding::Problem;

/// A file's text, at first.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What a run changes in files.
#[derive(Debug, Default)]
pub struct Edits {
    /// The files.
    pub changes: Changes,
    /// How many fixes, or suppressed findings, each file holds.
    pub counts: BTreeMap<usize, usize>,
    /// Files that cannot be written, and why.
    pub refused: BTreeMap<usize, String>,
    /// Findings that cannot be suppressed where they are.
    pub not_suppressed: Vec<Problem>,
}

impl Edits {
    /// What the counts of some files add up to.
    pub fn count(&self, files: &[usize]) -> usize {
        files.iter().filter_map(|at| self.counts.get(at)).sum()
    }
}

/// Old and new texts, by input.
#[derive(Debug, Default)]
pub struct Changes(BTreeMap<usize, (String, String)>);

impl Changes {
    /// Gives a file a new text. `old` counts when it has none so far.
    pub fn set(&mut self, index: usize, old: &str, new: String) {
        match self.0.get_mut(&index) {
            Some((_, known)) => *known = new,
            None => {
                self.0.insert(index, (old.to_owned(), new));
            }
        }
    }

    /// Writes the files, and says which. One that is no longer what was read, or is not UTF-8, is left as it is and told
    /// as not `done`.
    pub fn save(&self, inputs: &Inputs, done: &str, problems: &mut Vec<Problem>) -> Vec<usize> {
        let mut written = Vec::new();
        for (index, (old, new)) in &self.0 {
            let Some(file) = inputs.discovery.files.get(*index) else {
                continue;
            };
            if let Err(why) = save_one(&inputs.place.root, &file.absolute, old, new) {
                problems.push(problem(file, done, &why));
            } else {
                written.push(*index);
            }
        }
        written
    }

    /// Writes a patch that `git apply` takes at the repository's root, and gives the files in it. A file of which there can be
    /// none is told.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn show(
        &self,
        inputs: &Inputs,
        out: &mut dyn Write,
        problems: &mut Vec<Problem>,
    ) -> std::io::Result<Vec<usize>> {
        let mut shown = Vec::new();
        for (index, (old, new)) in &self.0 {
            let Some(file) = inputs.discovery.files.get(*index) else {
                continue;
            };
            let mark = match mark_before(&file.absolute, old) {
                Ok(mark) => mark,
                Err(why) => {
                    problems.push(problem(file, "shown", &why));
                    continue;
                }
            };
            // The first line has the mark, for git.
            let (old, new) = (format!("{mark}{old}"), format!("{mark}{new}"));
            let (before, after) = (named("a", &file.path), named("b", &file.path));
            // git refuses a patch of a file in which nothing differs.
            if old == new {
                continue;
            }
            writeln!(out, "diff --git {before} {after}")?;
            writeln!(out, "--- {before}\n+++ {after}")?;
            write_hunks(out, &old, &new)?;
            shown.push(*index);
        }
        Ok(shown)
    }
}

/// What differs between two texts, as `git apply` reads it. Lines are those of git: a carriage return alone ends none, so
/// that a last line that ends in one is a line without an end.
fn write_hunks(out: &mut dyn Write, old: &str, new: &str) -> std::io::Result<()> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_inclusive('\n').collect(),
        new.split_inclusive('\n').collect(),
    );
    let diff = TextDiff::configure().diff_slices(&old, &new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        writeln!(out, "{}", hunk.header())?;
        for change in hunk.iter_changes() {
            let line = change.value();
            write!(out, "{}{line}", change.tag())?;
            if !line.ends_with('\n') {
                writeln!(out, "\n\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

fn save_one(root: &Path, path: &Path, old: &str, new: &str) -> Result<(), String> {
    let mark = mark_before(path, old)?;
    write::replace(root, path, format!("{mark}{new}").as_bytes()).map_err(|error| error.to_string())
}

/// What stands before the text of a file: its byte order mark, or nothing. An error when the file does not hold this text.
fn mark_before(path: &Path, text: &str) -> Result<&'static str, String> {
    let bytes = discover::read_bytes(path).map_err(|error| error.to_string())?;
    let Ok(whole) = std::str::from_utf8(&bytes) else {
        return Err("it is not UTF-8".to_owned());
    };
    if whole == text {
        return Ok("");
    }
    match whole.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if rest == text => Ok(BYTE_ORDER_MARK),
        _ => Err("it changed meanwhile".to_owned()),
    }
}

/// What keeps a file with this text from being written, as far as that can be told beforehand.
pub fn obstacle(root: &Path, file: &File, text: &str) -> Option<String> {
    let known = mark_before(&file.absolute, text).err();
    known.or_else(|| write::obstacle(root, &file.absolute))
}

/// What is told of a file that was not written or `done` something else with.
pub fn problem(file: &File, done: &str, why: &str) -> Problem {
    Problem {
        file: Some(file.path.clone()),
        position: None,
        message: format!("not {done}: {why}"),
    }
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
