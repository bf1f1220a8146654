//! A Markdown page for a job summary or a comment: a table of findings, most severe first. The table is cut between rows
//! before it exceeds the size limit of a summary.

use std::io::{self, Write};

use crate::finding::{Finding, Severity};

use super::summary::{count, summary_line};
use super::{View, escape, telling};
use crate::source::text::Cut as _;

/// The most bytes of the table. A summary may have 1 MiB, and the lines around the table need some of it.
const ROOM: usize = 1_000_000;

/// Writes problems, the table and the summary.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    write_within(view, ROOM, out)
}

fn write_within(view: &View, room: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## kubetaint\n")?;
    let mut room = room;
    let mut unsaid = 0;
    for problem in &view.report.problems {
        let mut line = String::from("- **problem**: ");
        if let Some(file) = &problem.file {
            let place = match problem.position {
                Some(at) => format!("{file}:{}:{}", at.line, at.column),
                None => file.clone(),
            };
            line.push_str(&format!("{} ", code(&escape::name(&place))));
        }
        line.push_str(&prose(&telling::line(&problem.message)));
        line.push('\n');
        unsaid += usize::from(!fits(&line, &mut room));
        if unsaid == 0 {
            out.write_all(line.as_bytes())?;
        }
    }
    if unsaid > 0 {
        let more = count(unsaid, "more problem", "more problems");
        writeln!(out, "- {more}, left out to keep this page short")?;
    }
    if !view.report.problems.is_empty() {
        writeln!(out)?;
    }

    let findings = view.worst_first();
    let mut shown = 0;
    for finding in &findings {
        let row = row(view, finding);
        if !fits(&row, &mut room) {
            break;
        }
        if shown == 0 {
            writeln!(out, "| | where | what |\n| --- | --- | --- |")?;
        }
        out.write_all(row.as_bytes())?;
        shown += 1;
    }
    let left = findings.len() - shown;
    if shown > 0 {
        writeln!(out)?;
    }
    if left > 0 {
        let more = count(left, "more finding", "more findings");
        writeln!(out, "{more}, left out to keep this page short.\n")?;
    }
    for line in summary_line(view.report, true).lines() {
        writeln!(out, "{}  ", prose(line))?;
    }
    Ok(())
}

/// Subtracts the text's size from the remaining room, if it fits. Once a text does not fit, none fits.
fn fits(text: &str, room: &mut usize) -> bool {
    let left = room.checked_sub(text.len());
    *room = left.unwrap_or_default();
    left.is_some()
}

fn row(view: &View, finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Note => finding.severity.to_string(),
        Severity::Error | Severity::Warning => format!("**{}**", finding.severity),
    };
    let place = code(&telling::place(view.report, finding.span));
    let lines: Vec<String> = telling::lines(view.report, finding)
        .iter()
        .map(|line| prose(line))
        .collect();
    let rule = code(&telling::line(&finding.rule));
    let rule = match view.rule(&finding.rule).and_then(|page| page.uri.as_ref()) {
        // One of the program's own addresses, which contains nothing to escape.
        Some(uri) => format!("<a href=\"{uri}\">{rule}</a>"),
        None => rule,
    };
    format!(
        "| {severity}<br>{rule} | {place} | {} |\n",
        lines.join("<br>")
    )
}

/// One of our sentences with untrusted words in it. Text between backticks is shown as code. Everything else is escaped for
/// Markdown and HTML.
pub(super) fn prose(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 32);
    let mut pieces = text.split('`').peekable();
    let mut inside = false;
    while let Some(piece) = pieces.next() {
        match (inside, pieces.peek().is_some()) {
            (true, true) => safe.push_str(&code(piece)),
            // An unpaired backtick.
            (true, false) => safe.push_str(&format!("&#96;{}", unaddressed(piece))),
            (false, _) => safe.push_str(&unaddressed(piece)),
        }
        inside = !inside;
    }
    safe
}

/// Text outside code, without mentions. An invisible joiner separates the sign from the name, because a character reference
/// alone would still be a mention.
fn unaddressed(text: &str) -> String {
    entities(text).replace('@', "@&#8288;")
}

/// Code in a table cell, where backticks would not protect `|`.
fn code(text: &str) -> String {
    format!("<code>{}</code>", entities(text))
}

/// Escapes every character that is special in Markdown or HTML, and those that start links, as character references.
fn entities(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let starts_link = c == ':' && text.since(at).starts_with("://")
            || c == '.' && text.until(at).to_ascii_lowercase().ends_with("www");
        match c {
            '&' | '<' | '>' | '"' | '\'' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '\\' | '~'
            | '#' | '$' => {
                safe.push_str(&format!("&#{};", u32::from(c)));
            }
            _ if starts_link => safe.push_str(&format!("&#{};", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_elses_words_are_neither_markdown_nor_html() {
        assert_eq!(
            prose("`a|b` is <b>*not*</b> `c"),
            "<code>a&#124;b</code> is &#60;b&#62;&#42;not&#42;&#60;/b&#62; &#96;c"
        );
        assert_eq!(
            prose("@team `@x` www.x https://x"),
            "@&#8288;team <code>@x</code> www&#46;x https&#58;//x"
        );
    }
}
