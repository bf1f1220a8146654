//! Writes a finished report in one of several formats. Makes no decisions: findings, severities and the exit code are
//! settled before.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each variant"
    )
)]

mod clusters;
mod concise;
mod escape;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod not_judged;
mod place;
mod placement;
mod pools;
mod rdjson;
mod rows;
mod sarif;
mod snippet;
mod standpoint;
mod statistics;
mod summary;
mod telling;
#[cfg(test)]
mod tests;
mod text;
mod visible;
mod wrap;

use std::io::{self, BufWriter, Write};
use std::str::FromStr;

use crate::finding::{Finding, Report, Severity};

pub use clusters::{ClusterTable, clusters_schema};
pub use not_judged::not_judged_lines;
pub use placement::{
    DiffText, MatrixTable, WhatIfText, WhyText, write_diff_json, write_diff_markdown,
    write_matrix_csv, write_matrix_html, write_matrix_json, write_matrix_markdown,
    write_whatif_json, write_whatif_markdown, write_who_json, write_why_json,
};
pub use pools::PoolTable;
pub use rows::report_schema;
pub use standpoint::Standpoint;
pub use statistics::write_statistics;
pub use summary::{count, problem_lines, summary_line};
pub use wrap::wrap;

/// A report with the user's display options.
pub struct View<'a> {
    /// The report to write.
    pub report: &'a Report,
    /// The user's working directory, to make paths in formats for people relative to it. Machine formats ignore it.
    pub standpoint: &'a Standpoint,
    /// Only findings at least this severe. `None` if the user did not choose: machine formats contain everything and text
    /// folds notes to one line per rule. `Some(Severity::Note)` shows notes in full.
    pub min_severity: Option<Severity>,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// Whether terminal hyperlinks may be used.
    pub hyperlinks: bool,
    /// The width of the terminal in columns. Sentences are wrapped and long source lines cropped to it. 0 means unknown.
    pub width: usize,
    /// Whether formats that mark suppressed findings include them at all.
    pub with_suppressed: bool,
    /// The program's version.
    pub version: &'static str,
    /// Findings only, without folded notes and closing lines.
    pub quiet: bool,
    /// Whether to list what was not judged.
    pub verbose: bool,
    /// The rules that ran, for formats that describe them.
    pub rules: &'a [RulePage<'a>],
    /// The exit code of the run, for formats that contain it.
    pub exit_code: u8,
}

/// The description of a rule for readers of a report.
pub struct RulePage<'a> {
    /// The rule's id.
    pub id: String,
    /// A one-line title.
    pub title: String,
    /// The default severity.
    pub severity: Severity,
    /// The rule's tags.
    pub tags: Vec<String>,
    /// Why the rule matters: a few paragraphs of Markdown.
    pub why: String,
    /// Writes the whole page, as Markdown. Few formats contain it.
    pub page: Box<dyn Fn() -> String + 'a>,
    /// The URI of the page, if it has one.
    pub uri: Option<String>,
}

impl View<'_> {
    /// The findings to show, in report order.
    fn findings(&self) -> impl Iterator<Item = &Finding> {
        let least = self.min_severity.unwrap_or(Severity::Note);
        self.report
            .findings
            .iter()
            .filter(move |finding| finding.severity >= least)
    }

    /// The findings to show, most severe first, for people and for readers with a limit.
    fn worst_first(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.findings().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings
    }

    /// The description of a rule, or `None` if it is unknown.
    fn rule(&self, id: &str) -> Option<&RulePage<'_>> {
        self.rules.iter().find(|page| page.id == id)
    }
}

type Writer = fn(&View, &mut dyn Write) -> io::Result<()>;

/// Builds only the enum and its table, so that one line registers a format.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $write:path;)+) => {
        /// An output format of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format { $($(#[$doc])* $variant,)+ }

        /// Every format with its name on the command line, in the order of the enum.
        const FORMATS: &[(&str, Writer)] = &[$(($name, $write),)+];

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
    /// One JSON object with everything, for programs.
    Json = "json" => json::write;
    /// The findings of the JSON report, one object per line.
    Jsonl = "jsonl" => jsonl::write;
    /// SARIF 2.1.0, for code scanning.
    Sarif = "sarif" => sarif::write;
    /// Workflow commands, which GitHub shows next to the changed lines.
    Github = "github" => github::write;
    /// GitLab's code quality report.
    Gitlab = "gitlab" => gitlab::write;
    /// JUnit XML, for tools that show test results.
    Junit = "junit" => junit::write;
    /// Reviewdog's diagnostics, with the fixes that it can offer.
    Rdjson = "rdjson" => rdjson::write;
    /// A page for a job's summary.
    Markdown = "markdown" => markdown::write;
}

impl Format {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        // The enum and the table are generated from one list, so every variant has its entry.
        FORMATS[self as usize].0
    }

    /// Whether the output must not be mixed with other text. The other formats are lines in a log.
    pub fn stands_alone(self) -> bool {
        use Format::{Concise, Github, Markdown, Text};
        !matches!(self, Text | Concise | Github | Markdown)
    }
}

/// An unknown format name.
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

/// Writes the report. Fails only if `out` does.
pub fn write(format: Format, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    (FORMATS[format as usize].1)(view, &mut out)?;
    out.flush()
}
