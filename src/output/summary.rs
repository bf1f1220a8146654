//! A summary of what a run read, found and could not judge, shared by all formats for people.

use crate::finding::{Problem, Report, Severity};

use super::escape;
use super::standpoint::Standpoint;

/// The summary. Its last line says what was read and found. Earlier lines warn about what limits it: things that could not
/// be judged, or no workloads or no pools. There is no trailing line break.
///
/// `listed` is false if nothing lists what was not judged. The line then says how to list it.
pub fn summary_line(report: &Report, listed: bool) -> String {
    let counts = &report.counts;
    let mut lines = Vec::new();
    if !counts.not_judged.is_empty() {
        let reasons: Vec<String> = counts
            .not_judged
            .iter()
            .map(|(reason, times)| format!("{} ({times})", escape::sentence(reason)))
            .collect();
        let hint = if listed { "" } else { "; -v lists them" };
        lines.push(format!("not judged: {}{hint}", reasons.join(", ")));
    }
    if counts.workloads == 0 && counts.other_lists == 0 {
        lines.push("0 workloads read: no tolerations were judged".to_owned());
    }
    if counts.pools == 0 {
        lines.push(
            "0 node pools read: tolerations were not compared with taints (`pools:` in .kubetaint.yaml can \
             name them)"
                .to_owned(),
        );
    }

    for (rule, tally) in &counts.counted {
        let sentence = tally.sentence();
        lines.push(format!(
            "{} (`--select {}` lists them)",
            escape::sentence(&sentence),
            escape::sentence(rule)
        ));
    }

    let undecided = report.findings.iter().filter(|one| one.undecided).count();
    if undecided > 0 {
        let need = count(undecided, "finding needs", "findings need");
        lines.push(format!(
            "{need} `complete: true` or an inventory to be decided"
        ));
    }

    let mut read = vec![
        count(counts.files, "file", "files"),
        count(counts.documents, "document", "documents"),
        count(counts.workloads, "workload", "workloads"),
    ];
    if counts.other_lists > 0 {
        read.push(count(
            counts.other_lists,
            "other list of tolerations",
            "other lists of tolerations",
        ));
    }
    read.push(count(counts.pools, "node pool", "node pools"));
    if counts.expressions > 0 {
        let (known, all) = (counts.known_expressions, counts.expressions);
        read.push(format!("{known} of {all} scheduling expressions of charts"));
    }

    let mut found = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let times = report.count(severity);
        if times > 0 {
            found.push(count(times, one, many));
        }
    }
    if found.is_empty() {
        found.push("no findings".to_owned());
    }
    if counts.suppressed > 0 {
        found.push(format!("{} suppressed", counts.suppressed));
    }
    if counts.baselined > 0 {
        found.push(match &counts.base {
            Some(base) => format!("{} also in {}", counts.baselined, escape::name(base)),
            None => format!("{} in the baseline", counts.baselined),
        });
    }
    lines.push(format!("{} read; {}", read.join(", "), found.join(", ")));
    lines.join("\n")
}

/// The problems, one line each, with paths relative to the working directory. They go to standard error because they are
/// not part of the report for people.
pub fn problem_lines(problems: &[Problem], standpoint: &Standpoint) -> Vec<String> {
    problems
        .iter()
        .map(|problem| {
            let message = escape::sentence(&problem.message);
            let file = problem.file.as_deref().map(|file| standpoint.path(file));
            match (file, problem.position) {
                (Some(file), Some(at)) => format!("{file}:{}:{}: {message}", at.line, at.column),
                (Some(file), None) => format!("{file}: {message}"),
                (None, _) => message.into_owned(),
            }
        })
        .collect()
}

/// `1 file`, `2 files`.
pub fn count(times: impl Into<Count>, one: &str, many: &str) -> String {
    let Count(times) = times.into();
    format!("{times} {}", if times == 1 { one } else { many })
}

/// A count, from any integer type.
pub struct Count(u64);

impl From<u32> for Count {
    fn from(times: u32) -> Self {
        Count(times.into())
    }
}

impl From<usize> for Count {
    fn from(times: usize) -> Self {
        Count(u64::try_from(times).unwrap_or(u64::MAX))
    }
}
