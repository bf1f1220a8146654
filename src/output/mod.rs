//! Writes a finished report in one of several formats. Decides nothing: what is found, how bad it is and how the
//! run ends are settled before a report gets here.

mod concise;
mod escape;
mod json;
mod place;
mod pools;
mod snippet;
mod summary;
#[cfg(test)]
mod tests;
mod text;

use std::io::{self, BufWriter, Write};
use std::str::FromStr;

use crate::finding::{Finding, Report, Severity};

pub use pools::PoolTable;
pub use summary::{problem_lines, summary_line};

/// A report and how the user wants to look at it.
pub struct View<'a> {
    /// What to write.
    pub report: &'a Report,
    /// Put before each file's path in what people read, so that paths can be followed from where the user stands:
    /// `""` or `"../infra/"`. Machine formats never use it.
    pub prefix: String,
    /// Only findings at least this bad. `None` means that nothing was asked: machine formats hold everything and
    /// text folds notes to one line per rule; `Some(Severity::Note)` shows them in full.
    pub min_severity: Option<Severity>,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// Whether terminal hyperlinks may be used.
    pub hyperlinks: bool,
    /// Columns of the terminal; sentences are wrapped and long source lines cropped to it. 0 means unknown.
    pub width: usize,
    /// The program's version.
    pub version: &'static str,
    /// Findings only: no folded notes, no closing lines.
    pub quiet: bool,
}

impl View<'_> {
    /// The findings to show, in the report's order.
    fn findings(&self) -> impl Iterator<Item = &Finding> {
        let least = self.min_severity.unwrap_or(Severity::Note);
        self.report
            .findings
            .iter()
            .filter(move |finding| finding.severity >= least)
    }
}

type Writer = fn(&View, &mut dyn Write) -> io::Result<()>;

/// Builds the enum, its table and nothing else, so that a format is registered by one line.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $write:path;)+) => {
        /// A way to write a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format { $($(#[$doc])* $variant,)+ }

        /// Every format by the name that users give, in the order of the enum.
        pub const FORMATS: &[(&str, Writer)] = &[$(($name, $write),)+];

        impl Format {
            /// Every format, in the order of [`FORMATS`].
            pub const ALL: &[Format] = &[$(Format::$variant,)+];
        }
    };
}

formats! {
    /// Source snippets with the place marked, for people.
    Text = "text" => text::write;
    /// One line per finding, for people and editors.
    Concise = "concise" => concise::write;
    /// One JSON object that holds all that is known, for programs.
    Json = "json" => json::write;
}

impl Format {
    /// The name that users give.
    pub fn name(self) -> &'static str {
        // The enum and the table are made from one list, so every variant has its row.
        FORMATS[self as usize].0
    }
}

/// A format's name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{given}`, expected one of {}", known_names())]
pub struct UnknownFormat {
    given: String,
}

fn known_names() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == given)
            .ok_or_else(|| UnknownFormat {
                given: given.to_owned(),
            })
    }
}

/// Writes the report; fails only when `out` does.
pub fn write(format: Format, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    (FORMATS[format as usize].1)(view, &mut out)?;
    out.flush()
}
