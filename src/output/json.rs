//! The JSON report: one object that holds everything, for programs. Its shape is a promise, and stands in `rows`.

use std::io::{self, Write};

use serde_json::ser::PrettyFormatter;

use super::View;
use super::rows::Document;
use super::visible;

/// Writes the object with a line break after it.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    visible::write(&Document::of(view), PrettyFormatter::new(), out)?;
    out.write_all(b"\n")
}
