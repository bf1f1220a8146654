//! Who a finding is: its order in the report, its fingerprint, and which findings say the same.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use super::paths::Paths;
use crate::finding::{Finding, Suppressed, count_occurrences};
use crate::source::text::Cut as _;
use crate::source::{FileKind, Source, SourceId};

/// Sorts findings, drops repetitions, counts identical ones and gives each its fingerprint.
pub fn finish(findings: &mut Vec<Finding>, paths: &Paths, sources: &BTreeMap<SourceId, Source>) {
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
    paths: &Paths,
    sources: &BTreeMap<SourceId, Source>,
) {
    suppressed.sort_by(|one, other| order(&one.finding, paths).cmp(&order(&other.finding, paths)));
    suppressed.dedup_by(|one, other| is_same(&one.finding, &other.finding));
    for one in suppressed {
        identify(&mut one.finding, paths, sources);
    }
}

fn order<'f>(finding: &'f Finding, paths: &'f Paths) -> (&'f str, u32, &'f str, u32, &'f str) {
    (
        paths.of(finding.span.source),
        finding.span.start,
        &finding.rule,
        finding.span.end,
        &finding.message,
    )
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.span == other.span && one.rule == other.rule && one.message == other.message
}

fn identify(finding: &mut Finding, paths: &Paths, sources: &BTreeMap<SourceId, Source>) {
    let file = paths.of(finding.span.source);
    let content = sources
        .get(&finding.span.source)
        .map_or("", |source| source.slice(finding.span));
    let content = said(content, FileKind::of(file) == Some(FileKind::Terraform));
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
    finding.fingerprint = identity(file);
    finding.fingerprint_anywhere = anywhere;
}

/// A field path without list indices, so that inserting an entry above does not change who a finding is.
fn without_indices(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        text.push_str(rest.until(open));
        rest = match rest.since(open).find(']') {
            Some(close) => rest.since(open + close + 1),
            None => "",
        };
    }
    text.push_str(rest);
    text
}

/// What a piece of a file says: comments, indentation, line breaks and the kind of quotes are not content. Read by its
/// letters alone, so that a manifest inside another text is read like any other.
fn said(text: &str, terraform: bool) -> String {
    let mut content = String::with_capacity(text.len());
    let mut quote = None;
    let mut before = ' ';
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let outside = quote.is_none();
        if let Some(end) = comment_end(rest, before, terraform).filter(|_| outside) {
            rest = rest.since(end);
            before = ' ';
            content.push(' ');
            continue;
        }
        let opens = |letter| matches!(letter, '"' | '\'') && " \t\r\n[{(,:=!".contains(before);
        let mut taken = letter.len_utf8();
        match quote {
            None if opens(letter) => quote = Some(letter),
            Some(open) if open == letter => quote = None,
            Some('"') if letter == '\\' => {
                taken += rest.since(taken).chars().next().map_or(0, char::len_utf8);
                content.push_str(rest.until(taken));
            }
            _ => content.push(letter),
        }
        before = letter;
        rest = rest.since(taken);
    }
    content.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where the comment ends that a text begins with.
fn comment_end(text: &str, before: char, terraform: bool) -> Option<usize> {
    let line = || text.find('\n').unwrap_or(text.len());
    match text.as_bytes() {
        [b'#', ..] if before.is_whitespace() || terraform => Some(line()),
        [b'/', b'/', ..] if terraform => Some(line()),
        [b'/', b'*', ..] if terraform => Some(text.find("*/").map_or(text.len(), |at| at + 2)),
        _ => None,
    }
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
    fn comments_and_the_kind_of_quotes_do_not_change_who_a_finding_is() {
        let plain = said("- key: a\n  value: b#c", false);
        assert_eq!(plain, "- key: a value: b#c");
        for same in [
            "- key: a  # why\r\n  value: b#c # it's so",
            "- key: 'a'\n    # \"why\n    value: \"b#c\"",
        ] {
            assert_eq!(said(same, false), plain);
        }
        let other = said("- key: a\n  value: 'b # c'", false);
        assert_eq!(other, "- key: a value: b # c");
        assert_eq!(said("it's #1", false), "it's");
        let block = said(
            "taint {\n key = \"a//b\" // why\n /* or\n not */ value = \"#\" # b\n}",
            true,
        );
        assert_eq!(block, "taint { key = a//b value = # }");
        assert_eq!(said("{key: //a}", false), "{key: //a}");
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
