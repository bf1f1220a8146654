//! The JSON report as lines, for programs that read it as a stream: an object for each finding, and a final object with the
//! rest.

use std::io::{self, Write};

use serde_json::ser::CompactFormatter;

use super::rows::{Closing, Row};
use super::{View, visible};

/// Writes a line for each finding, then one with `summary` and `problems`.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    for finding in view.findings() {
        visible::write(&Row::of(view.report, finding), CompactFormatter, out)?;
        out.write_all(b"\n")?;
    }
    visible::write(&Closing::of(view), CompactFormatter, out)?;
    out.write_all(b"\n")
}
