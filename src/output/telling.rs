//! A finding in words, for formats with a single text field.

use crate::finding::{Finding, Report};
use crate::source::Span;

use super::escape;
use super::place::locate;
use super::wrap::MESSAGE_LIMIT;

/// The most related places that are named.
const RELATED: usize = 9;

/// The message, as one safe line.
pub(super) fn message(finding: &Finding) -> String {
    line(&finding.message)
}

/// The message, the related places and the help text, each as a safe line. Paths are relative to the repository.
pub(super) fn lines(report: &Report, finding: &Finding) -> Vec<String> {
    let mut lines = vec![message(finding)];
    for label in finding.related.iter().take(RELATED) {
        let place = place(report, label.span);
        lines.push(match label.message.is_empty() {
            true => format!("see {place}"),
            false => format!("see {place}: {}", line(&label.message)),
        });
    }
    if finding.related.len() > RELATED {
        let more = finding.related.len() - RELATED;
        lines.push(format!("see {more} more places"));
    }
    if let Some(help) = &finding.help {
        lines.push(format!("help: {}", line(help)));
    }
    lines
}

/// `path:line:column`, with the path relative to the repository's root.
pub(super) fn place(report: &Report, span: Span) -> String {
    let place = locate(report, span);
    format!(
        "{}:{}:{}",
        escape::name(place.file),
        place.start.line,
        place.start.column
    )
}

/// Untrusted text on one line, of limited length.
pub(super) fn line(text: &str) -> String {
    escape::shorten(escape::sentence(text), MESSAGE_LIMIT).into_owned()
}
