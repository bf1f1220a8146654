//! Findings for people: each with its source lines, identical findings together, notes folded.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::finding::{Finding, Label, Object, Severity};
use crate::source::Span;

use super::not_judged::{not_judged_lines, owner};
use super::snippet::{Mark, Snippet, group};
use super::summary::{count, summary_line};
use super::wrap::{COLUMNS, LABEL_LIMIT, MESSAGE_LIMIT, wrap};
use super::{View, escape};

/// The most further places listed for a finding.
const MORE_PLACES: usize = 5;
/// The most related places that are drawn.
const RELATED_DRAWN: usize = 4;

/// Writes all findings, then the summary.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(view);
    let folds =
        |finding: &Finding| finding.severity == Severity::Note && view.min_severity.is_none();
    let findings = view.worst_first().into_iter();
    for same in gather(findings.filter(|finding| !folds(finding))) {
        page.finding(&same, out)?;
        writeln!(out)?;
    }
    if view.quiet {
        return Ok(());
    }
    let notes: Vec<&Finding> = view.findings().filter(|finding| folds(finding)).collect();
    if !notes.is_empty() {
        page.folded(&notes, out)?;
        writeln!(out)?;
    }
    if view.findings().next().is_none() {
        match view.min_severity {
            None | Some(Severity::Note) => writeln!(out, "No findings.")?,
            Some(Severity::Warning) => writeln!(out, "No errors or warnings.")?,
            Some(Severity::Error) => writeln!(out, "No errors.")?,
        }
    }
    if view.verbose && !view.report.not_judged.is_empty() {
        for line in not_judged_lines(view) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", summary_line(view.report, view.verbose))
}

/// The fields that must be equal for findings to be shown once.
type Sameness<'a> = (&'a str, Severity, &'a str, Option<&'a str>, &'a [Label]);

/// Groups identical findings, in the order of their first places.
fn gather<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Vec<&'a Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut known: HashMap<Sameness, usize> = HashMap::new();
    for finding in findings {
        let sameness = (
            finding.rule.as_str(),
            finding.severity,
            finding.message.as_str(),
            finding.help.as_deref(),
            finding.related.as_slice(),
        );
        let at = *known.entry(sameness).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// The drawing options of a view.
struct Page<'a> {
    view: &'a View<'a>,
    theme: GraphicalTheme,
    /// The most characters shown of a source line.
    columns: usize,
}

impl<'a> Page<'a> {
    fn new(view: &'a View<'a>) -> Self {
        let theme = if view.color {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        // The line number, the bars and two crop marks take up columns, too.
        let columns = match view.width {
            0 => COLUMNS.0,
            width => width.saturating_sub(12).clamp(COLUMNS.1, COLUMNS.0),
        };
        Page {
            view,
            theme,
            columns,
        }
    }

    /// `error[rule-id]` in colour, with a link to the rule's page if the terminal supports links.
    fn title(&self, severity: Severity, rule: &str) -> String {
        let styles = &self.theme.styles;
        let style = match severity {
            Severity::Error => &styles.error,
            Severity::Warning => &styles.warning,
            Severity::Note => &styles.advice,
        };
        let title = format!("{severity}[{}]", escape::sentence(rule));
        let title = if self.view.color {
            style.bold().style(title).to_string()
        } else {
            title
        };
        match self.view.rule(rule).and_then(|page| page.uri.as_ref()) {
            Some(uri) if self.view.hyperlinks => {
                format!("\x1b]8;;{}\x1b\\{title}\x1b]8;;\x1b\\", escape::name(uri))
            }
            _ => title,
        }
    }

    /// Writes one finding, or several identical ones.
    fn finding(&self, same: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
        let Some((first, others)) = same.split_first() else {
            return Ok(());
        };
        let message = escape::shorten(escape::sentence(&first.message), MESSAGE_LIMIT);
        let plain = format!("{}[{}]: ", first.severity, first.rule);
        let message = self.wrap(&message, plain.chars().count(), 4);
        let title = self.title(first.severity, &first.rule);
        writeln!(out, "{title}: {message}")?;
        self.snippets(first, out)?;
        if let Some(owner) = self.owner(&first.object, first.cluster.as_deref()) {
            writeln!(out, "  in {owner}")?;
        }
        if let Some(help) = &first.help {
            let help = escape::shorten(escape::sentence(help), MESSAGE_LIMIT);
            let word = self.theme.styles.help.style("help:");
            writeln!(out, "  {word} {}", self.wrap(&help, 8, 8))?;
        }
        for other in others.iter().take(MORE_PLACES) {
            write!(out, "  also at {}", self.view.place(other.span))?;
            match self.owner(&other.object, other.cluster.as_deref()) {
                Some(owner) => writeln!(out, " in {owner}")?,
                None => writeln!(out)?,
            }
        }
        if others.len() > MORE_PLACES {
            writeln!(out, "  and {} more", others.len() - MORE_PLACES)?;
        }
        Ok(())
    }

    /// Writes the finding's place and its related places as one drawing.
    fn snippets(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let mut marks = Vec::new();
        marks.extend(self.mark(finding.span, "", true));
        if marks.is_empty() {
            writeln!(out, "  at {}", self.view.place(finding.span))?;
        }
        let drawn = finding.related.iter().take(RELATED_DRAWN);
        marks.extend(drawn.filter_map(|label| self.mark(label.span, &label.message, false)));

        let mut drawings = Vec::new();
        for marks in group(marks, self.columns) {
            let Some(first) = marks.first() else { continue };
            let name = self.view.path(&first.source.path);
            let Some(snippet) = Snippet::new(name, &marks, self.columns) else {
                continue;
            };
            let handler = self.handler(finding.severity, &snippet);
            drawings.push(snippet.draw(&handler).map_err(io::Error::other)?);
        }
        out.write_all(join(&drawings).as_bytes())?;

        for label in finding.related.iter().skip(RELATED_DRAWN).take(MORE_PLACES) {
            let message = escape::shorten(escape::sentence(&label.message), LABEL_LIMIT);
            let place = self.view.place(label.span);
            writeln!(out, "  see {place} {message}")?;
        }
        let shown = RELATED_DRAWN + MORE_PLACES;
        if finding.related.len() > shown {
            writeln!(out, "  see {} more places", finding.related.len() - shown)?;
        }
        Ok(())
    }

    fn mark(&self, span: Span, message: &str, primary: bool) -> Option<Mark<'a>> {
        let source = self.view.source(span)?;
        let label = (!message.is_empty())
            .then(|| escape::shorten(escape::sentence(message), LABEL_LIMIT).into_owned());
        Some(Mark::new(span.source, source, span.range(), label, primary))
    }

    /// Marks have the colour of the severity for the finding's own place, and one colour for all related places.
    fn handler(&self, severity: Severity, snippet: &Snippet) -> GraphicalReportHandler {
        let mut theme = self.theme.clone();
        if self.view.color {
            let own = match severity {
                Severity::Error => theme.styles.error,
                Severity::Warning => theme.styles.warning,
                Severity::Note => theme.styles.advice,
            };
            let other = theme.styles.help;
            theme.styles.highlights = snippet
                .primaries()
                .map(|primary| if primary { own.bold() } else { other })
                .collect();
        }
        GraphicalReportHandler::new_themed(theme)
            .with_links(self.view.hyperlinks)
            .with_context_lines(1)
    }

    /// `Deployment shop/web (cluster prod)`, or `None` if the document has no kind.
    fn owner(&self, object: &Object, cluster: Option<&str>) -> Option<String> {
        let mut owner = owner(object)?;
        if let Some(cluster) = cluster {
            owner.push_str(&format!(" (cluster {cluster})"));
        }
        let owner = escape::shorten(escape::sentence(&owner), LABEL_LIMIT);
        Some(owner.into_owned())
    }

    /// Writes the notes, one line per rule.
    fn folded(&self, notes: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
        let mut by_rule: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for note in notes {
            by_rule.entry(note.rule.as_str()).or_default().push(note);
        }
        for (rule, notes) in &by_rule {
            let Some(first) = notes.first() else { continue };
            let title = self.title(Severity::Note, rule);
            let times = count(notes.len(), "finding", "findings");
            let word = if notes.len() == 1 {
                "at"
            } else {
                "for example"
            };
            let place = self.view.place(first.span);
            writeln!(out, "{title}: {times}, {word} {place}")?;
        }
        writeln!(out, "(--min-severity note shows notes in full)")
    }

    /// Wraps a sentence to the width of the terminal. `used` columns are taken on the first line, `indent` on the others.
    /// Words are never broken, because they may be names to copy.
    fn wrap(&self, sentence: &str, used: usize, indent: usize) -> String {
        wrap(sentence, self.view.width, used, indent)
    }
}

/// Joins drawings vertically: line numbers share one column, and each further file is a branch of the same frame.
fn join(drawings: &[String]) -> String {
    let margin = |drawing: &str| drawing.len() - drawing.trim_start_matches(' ').len();
    let widest = drawings.iter().map(|drawing| margin(drawing)).max();
    let mut joined = String::new();
    for (at, drawing) in drawings.iter().enumerate() {
        let pad = widest.unwrap_or(0) - margin(drawing);
        let lines: Vec<&str> = drawing.lines().collect();
        let last = at + 1 == drawings.len();
        let shown = if last {
            lines.len()
        } else {
            lines.len().saturating_sub(1)
        };
        for (number, line) in lines.iter().take(shown).enumerate() {
            joined.extend(std::iter::repeat_n(' ', pad));
            if at > 0 && number == 0 {
                joined.push_str(&line.replacen('╭', "├", 1));
            } else {
                joined.push_str(line.trim_end());
            }
            joined.push('\n');
        }
    }
    joined
}
