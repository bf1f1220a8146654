//! The JSON report: one object with everything, for programs. Its format is stable and defined in `rows`.

use std::io::{self, Write};

use serde_json::ser::PrettyFormatter;

use super::View;
use super::rows::Document;
use super::visible;

/// Writes the object, followed by a line break.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    visible::write(&Document::of(view), PrettyFormatter::new(), out)?;
    out.write_all(b"\n")
}
