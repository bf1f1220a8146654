//! Who a finding is: its order in the report, its fingerprint, and which findings say the same.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use crate::finding::{Finding, Suppressed, count_occurrences};
use crate::source::{Source, SourceId};

/// Sorts findings, drops repetitions, counts identical ones and gives each its fingerprint.
pub fn finish(findings: &mut Vec<Finding>, paths: &[String], sources: &BTreeMap<SourceId, Source>) {
    findings.sort_by(|one, other| order(one, paths).cmp(&order(other, paths)));
    findings.dedup_by(|one, other| is_same(one, other));
    count_occurrences(findings);
    for finding in findings.iter_mut() {
        identify(finding, paths, sources);
    }
}

/// The same for findings that are accepted, which are not counted.
pub fn finish_suppressed(
    suppressed: &mut Vec<Suppressed>,
    paths: &[String],
    sources: &BTreeMap<SourceId, Source>,
) {
    suppressed.sort_by(|one, other| order(&one.finding, paths).cmp(&order(&other.finding, paths)));
    suppressed.dedup_by(|one, other| is_same(&one.finding, &other.finding));
    for one in suppressed {
        identify(&mut one.finding, paths, sources);
    }
}

fn order<'f>(finding: &'f Finding, paths: &'f [String]) -> (&'f str, u32, &'f str, u32, &'f str) {
    (
        path(paths, finding.span.source),
        finding.span.start,
        &finding.rule,
        finding.span.end,
        &finding.message,
    )
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.span == other.span && one.rule == other.rule && one.message == other.message
}

fn path(paths: &[String], source: SourceId) -> &str {
    paths.get(source.0 as usize).map_or("", String::as_str)
}

fn identify(finding: &mut Finding, paths: &[String], sources: &BTreeMap<SourceId, Source>) {
    let content = sources
        .get(&finding.span.source)
        .map_or("", |source| source.slice(finding.span));
    // Indentation and line breaks are not content.
    let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let object = &finding.object;
    let (kind, name) = (
        object.kind.as_str(),
        object.name.as_deref().unwrap_or_default(),
    );
    let named = !kind.is_empty() && !name.is_empty();
    let field = without_indices(&finding.path);
    let identity = |file: &str| {
        fingerprint(&[
            &finding.rule,
            file,
            &object.api_version,
            kind,
            object.namespace.as_deref().unwrap_or_default(),
            name,
            &field,
            &content,
        ])
    };
    let anywhere = if named { identity("") } else { String::new() };
    finding.fingerprint = identity(path(paths, finding.span.source));
    finding.fingerprint_anywhere = anywhere;
}

/// A field path without list indices, so that inserting an entry above does not change who a finding is.
fn without_indices(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        text.push_str(&rest[..open]);
        rest = match rest[open..].find(']') {
            Some(close) => &rest[open + close + 1..],
            None => "",
        };
    }
    text.push_str(rest);
    text
}

/// A stable 128-bit hash in hexadecimal; the same on every machine and for every release of this program.
fn fingerprint(parts: &[&str]) -> String {
    let mut halves = [0u64; 2];
    for (seed, half) in halves.iter_mut().enumerate() {
        let mut hasher = siphasher::sip::SipHasher13::new_with_keys(seed as u64, 0);
        for part in parts {
            hasher.write(part.as_bytes());
            // A byte that no UTF-8 text holds keeps the parts apart.
            hasher.write(&[0xff]);
        }
        *half = hasher.finish();
    }
    format!("{:016x}{:016x}", halves[0], halves[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_inserted_above_does_not_change_who_a_finding_is() {
        let path = |index: u32| without_indices(&format!("spec.tolerations[{index}].value"));
        assert_eq!(path(0), path(7));
        assert_eq!(path(0), "spec.tolerations.value");
    }

    #[test]
    fn fingerprints_are_the_same_on_every_machine() {
        assert_eq!(fingerprint(&["a", "b"]), fingerprint(&["a", "b"]));
        assert_ne!(fingerprint(&["ab", ""]), fingerprint(&["a", "b"]));
        assert_eq!(
            fingerprint(&["rule", "file"]),
            "163e6e30257d9b942745d6326b421590"
        );
    }
}
