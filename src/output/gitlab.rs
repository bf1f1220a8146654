//! GitLab's code quality report, which merge requests show next to the changed lines.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;

use crate::finding::{Finding, Severity};

use super::place::locate;
use super::{View, telling, visible};

/// Writes an array with an object for each finding.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    visible::write(&Issues(view), PrettyFormatter::new(), out)?;
    out.write_all(b"\n")
}

struct Issues<'a>(&'a View<'a>);

impl Serialize for Issues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut times: HashMap<&str, u32> = HashMap::new();
        serializer.collect_seq(self.0.findings().map(|finding| {
            let again = times.entry(&finding.fingerprint).or_default();
            *again += 1;
            Issue::of(self.0, finding, *again)
        }))
    }
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

impl<'a> Issue<'a> {
    /// `again` counts earlier findings with the same fingerprint, such as two equal entries of one list. GitLab requires
    /// unique fingerprints.
    fn of(view: &'a View<'a>, finding: &'a Finding, again: u32) -> Self {
        let place = locate(view.report, finding.span);
        Issue {
            description: telling::lines(view.report, finding).join("\n"),
            check_name: &finding.rule,
            fingerprint: match again {
                1 => finding.fingerprint.clone(),
                again => format!("{}-{again}", finding.fingerprint),
            },
            severity: match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Note => "info",
            },
            location: Location {
                path: place.file,
                lines: Lines {
                    begin: place.start.line,
                    end: place.end.line,
                },
            },
        }
    }
}
