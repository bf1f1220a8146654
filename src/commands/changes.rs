//! Changes to files: holds the new texts until they are written or printed as a patch.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use similar::TextDiff;

use super::inputs::Inputs;
use super::write;
use crate::discover::{self, File};
use crate::finding::Problem;

/// The byte order mark at the start of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The changes of a run to files.
#[derive(Debug, Default)]
pub struct Edits {
    /// The files.
    pub changes: Changes,
    /// The number of fixes or suppressed findings in each file.
    pub counts: BTreeMap<usize, usize>,
    /// Files that cannot be written, with the reason.
    pub refused: BTreeMap<usize, String>,
    /// Findings that cannot be suppressed at their place.
    pub not_suppressed: Vec<Problem>,
}

impl Edits {
    /// The sum of the counts of some files.
    pub fn count(&self, files: &[usize]) -> usize {
        files.iter().filter_map(|at| self.counts.get(at)).sum()
    }
}

/// Old and new texts, by index of the input.
#[derive(Debug, Default)]
pub struct Changes(BTreeMap<usize, (String, String)>);

impl Changes {
    /// Sets the new text of a file. `old` is used only if the file has no change yet.
    pub fn set(&mut self, index: usize, old: &str, new: String) {
        match self.0.get_mut(&index) {
            Some((_, known)) => *known = new,
            None => {
                self.0.insert(index, (old.to_owned(), new));
            }
        }
    }

    /// Writes the files and returns their indices. A file that has changed since it was read, or is not UTF-8, is left
    /// alone and reported as not `done`.
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

    /// Prints a patch that `git apply` accepts at the repository's root, and returns the files in it. Reports a file that
    /// cannot be part of a patch.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
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
            // git expects the byte order mark in the first line.
            let (old, new) = (format!("{mark}{old}"), format!("{mark}{new}"));
            let (before, after) = (named("a", &file.path), named("b", &file.path));
            // git refuses a patch for a file without differences.
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

/// Writes the differences between two texts in the format of `git apply`. Lines are those of git: a lone carriage return
/// does not end a line, so a last line that ends in one has no line break.
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

/// The byte order mark of a file, or an empty text if it has none. `Err` if the file does not contain this text.
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

/// The reason why a file with this text cannot be written, or `None` if none is known before writing.
pub fn obstacle(root: &Path, file: &File, text: &str) -> Option<String> {
    let known = mark_before(&file.absolute, text).err();
    known.or_else(|| write::obstacle(root, &file.absolute))
}

/// The problem for a file that was not written, or not otherwise `done`.
pub fn problem(file: &File, done: &str, why: &str) -> Problem {
    Problem {
        file: Some(file.path.to_string()),
        position: None,
        message: format!("not {done}: {why}"),
    }
}

/// A path as git writes it: quoted if it contains special characters.
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
