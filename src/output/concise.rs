//! One line per finding, in a form that terminals and editors link to the place.

use std::io::{self, Write};

use super::wrap::MESSAGE_LIMIT;
use super::{View, escape};

/// Writes `path:line:column: severity[rule] message (see path:line:column label)`.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    for finding in view.findings() {
        write!(
            out,
            "{}: {}[{}] {}",
            view.place(finding.span),
            finding.severity,
            escape::sentence(&finding.rule),
            escape::shorten(escape::sentence(&finding.message), MESSAGE_LIMIT),
        )?;
        for (at, label) in finding.related.iter().enumerate() {
            let before = if at == 0 { " (see" } else { ";" };
            write!(out, "{before} {}", view.place(label.span))?;
            if !label.message.is_empty() {
                let message = escape::sentence(&label.message);
                write!(out, " {}", escape::shorten(message, MESSAGE_LIMIT))?;
            }
        }
        out.write_all(if finding.related.is_empty() {
            b"\n"
        } else {
            b")\n"
        })?;
    }
    Ok(())
}
