//! The identity of findings: their order in the report, their fingerprints, and which of them are identical.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher as _;

use super::paths::Paths;
use crate::finding::{Finding, Object, Severity, Suppressed, count_occurrences};
use crate::source::text::Cut as _;
use crate::source::{FileKind, Source, SourceId};

/// Sorts findings, removes duplicates, counts identical ones and sets their fingerprints.
pub fn finish(findings: &mut Vec<Finding>, paths: &Paths, sources: &BTreeMap<SourceId, Source>) {
    findings.sort_by(|one, other| order(one, paths).cmp(&order(other, paths)));
    findings.dedup_by(|one, other| is_same(one, other));
    drop_weaker(findings);
    count_occurrences(findings);
    for finding in findings.iter_mut() {
        identify(finding, paths, sources);
    }
}

/// Drops what is said of the same place more clearly, with the same advice: what releases of a chart have in common may be
/// certain for some of them only.
fn drop_weaker(findings: &mut Vec<Finding>) {
    let mut strongest: HashMap<_, Severity> = HashMap::new();
    let advice = |one: &Finding| -> Option<_> {
        let place = (one.span, one.rule.clone(), one.path.clone());
        Some((place, one.cluster.clone(), one.help.clone()?))
    };
    for (finding, advice) in findings.iter().filter_map(|one| Some((one, advice(one)?))) {
        let known = strongest.entry(advice).or_insert(finding.severity);
        *known = (*known).max(finding.severity);
    }
    if strongest.len() < findings.len() {
        let severity = |one: &Finding| strongest.get(&advice(one)?).copied();
        findings.retain(|one| severity(one).is_none_or(|severity| severity == one.severity));
    }
}

/// Like `finish`, for suppressed findings, which are not counted.
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

/// A finding without its file: rule, object, path and content. Where there is no object, `file` stands for it.
pub fn key(finding: &Finding, sources: &BTreeMap<SourceId, Source>, file: &str) -> String {
    let source = sources.get(&finding.span.source);
    let path = source.map_or("", |source| source.path.as_str());
    let said = Said::of(finding, sources, path);
    let file = if said.is_named() { "" } else { file };
    said.fingerprint(&[&finding.rule, file])
}

fn identify(finding: &mut Finding, paths: &Paths, sources: &BTreeMap<SourceId, Source>) {
    let source = sources.get(&finding.span.source);
    let file = match paths.of(finding.span.source) {
        // A file that only another revision has.
        "" => source.map_or("", |source| source.path.as_str()),
        file => file,
    };
    let said = Said::of(finding, sources, file);
    let identity = |file: &str| {
        let version = finding.object.api_version.as_str();
        said.fingerprint(&[&finding.rule, file, version])
    };
    let anywhere = match said.is_named() {
        true => identity(""),
        false => String::new(),
    };
    let here = identity(file);
    finding.fingerprint = here;
    finding.fingerprint_anywhere = anywhere;
}

/// What a finding says whatever file it stands in: of which object, where in it, and about what.
struct Said<'f> {
    object: &'f Object,
    field: String,
    content: String,
}

impl<'f> Said<'f> {
    /// The path says which language the file is in.
    fn of(finding: &'f Finding, sources: &BTreeMap<SourceId, Source>, path: &str) -> Said<'f> {
        let source = sources.get(&finding.span.source);
        let content = source.map_or("", |source| source.slice(finding.span));
        Said {
            object: &finding.object,
            field: without_indices(&finding.path),
            content: said(content, FileKind::of(path) == Some(FileKind::Terraform)),
        }
    }

    fn name(&self) -> &'f str {
        self.object.name.as_deref().unwrap_or_default()
    }

    fn is_named(&self) -> bool {
        !self.object.kind.is_empty() && !self.name().is_empty()
    }

    fn fingerprint(&self, first: &[&str]) -> String {
        let namespace = self.object.namespace.as_deref().unwrap_or_default();
        let own = [
            &self.object.kind,
            namespace,
            self.name(),
            &self.field,
            &self.content,
        ];
        fingerprint(&[first, &own].concat())
    }
}

/// A field path without sequence indices, so that a new entry above does not change a finding's identity.
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

/// The content of a piece of a file, without comments, indentation, line breaks and the kind of quotes. Works on characters
/// only, so that a manifest inside another text is treated like any other.
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

/// The end of the comment that a text begins with, or `None` if it begins with none.
fn comment_end(text: &str, before: char, terraform: bool) -> Option<usize> {
    let line = || text.find('\n').unwrap_or(text.len());
    match text.as_bytes() {
        [b'#', ..] if before.is_whitespace() || terraform => Some(line()),
        [b'/', b'/', ..] if terraform => Some(line()),
        [b'/', b'*', ..] if terraform => Some(text.find("*/").map_or(text.len(), |at| at + 2)),
        _ => None,
    }
}

/// A stable 128-bit hash in hexadecimal. It is the same on every machine and in every release of kubetaint.
fn fingerprint(parts: &[&str]) -> String {
    let mut halves = [0u64; 2];
    for (seed, half) in halves.iter_mut().enumerate() {
        let mut hasher = siphasher::sip::SipHasher13::new_with_keys(seed as u64, 0);
        for part in parts {
            hasher.write(part.as_bytes());
            // A byte that never occurs in UTF-8 separates the parts.
            hasher.write(&[0xff]);
        }
        *half = hasher.finish();
    }
    format!("{:016x}{:016x}", halves[0], halves[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn of_two_findings_with_the_same_advice_the_clearer_one_stays() {
        let one = |severity: Severity, help: &str, message: &str| Finding {
            rule: "a".to_owned(),
            severity,
            message: message.to_owned(),
            help: (!help.is_empty()).then(|| help.to_owned()),
            span: Span::new(SourceId(1), 0..1),
            path: String::new(),
            cluster: None,
            object: Object::default(),
            related: Vec::new(),
            fix: None,
            fingerprint: String::new(),
            fingerprint_anywhere: String::new(),
            undecided: false,
            occurrences: 0,
        };
        let mut findings = vec![
            one(Severity::Note, "add it", "perhaps"),
            one(Severity::Warning, "add it", "certainly"),
            one(Severity::Note, "add the other", "other advice"),
            one(Severity::Note, "", "no advice"),
        ];
        drop_weaker(&mut findings);
        let left: Vec<&str> = findings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(left, ["certainly", "other advice", "no advice"]);
    }

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
