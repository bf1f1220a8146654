//! Tries changes on a text before they are offered. Each trial parses as little of the text as possible, and the total is
//! limited by the size of the text.

use std::collections::HashMap;
use std::ops::Range;

use crate::source::SourceId;
use crate::source::text::Cut as _;
use crate::yaml::edit::Replacement;
use crate::yaml::{self, Difference, Document, Entries, Entry, Kind, Node, Style};

/// How many times a text may be parsed in full, over all trials. Only a text whose anchors cover large parts of it needs a
/// full parse for each change.
const READINGS: usize = 30;

/// Bytes that trials may parse, whatever the size of the text.
const LEAST: usize = 4 << 20;

/// The trials on one text.
#[derive(Debug)]
pub struct Trials {
    source: SourceId,
    /// Bytes that may still be parsed.
    left: usize,
    /// For each document, by its start, whether it may have aliases.
    aliased: HashMap<usize, bool>,
}

/// Part of a document that parses the same alone as in its context.
struct Part {
    range: Range<usize>,
    kind: Kind,
}

impl Trials {
    /// The trials on a text.
    pub fn on(source: SourceId, text: &str) -> Trials {
        Trials {
            source,
            left: text.len().saturating_mul(READINGS).saturating_add(LEAST),
            aliased: HashMap::new(),
        }
    }

    /// Parses a text as YAML, or returns `None` if the budget is used up.
    fn read(&mut self, text: &str) -> Option<Vec<Document>> {
        self.left = self.left.checked_sub(text.len())?;
        let read = yaml::parse(text, self.source);
        read.errors.is_empty().then_some(read.documents)
    }

    /// Whether a document is still one document after a change and nothing but the reported places changes. `found` are the
    /// places of the rule's findings in this text.
    pub fn holds(
        &mut self,
        document: &Document,
        text: &str,
        change: &Replacement,
        found: &[String],
    ) -> bool {
        let whole = document.range();
        let aliased = self.aliased.entry(whole.start).or_insert_with(|| {
            text.get(whole.clone())
                .is_none_or(|text| text.contains('*'))
        });
        let aliased = *aliased;
        if let Some(part) = part_around(document, text, &change.range, aliased) {
            // No alias refers to a node in the part, so aliases can be parsed as plain text.
            let read = self.read_changed(text, &part.range, change, |part| part.replace('*', "x"));
            if read.is_some_and(|read| read.root().kind() == part.kind) {
                return true;
            }
        }
        let Some(read) = self.read_changed(text, &whole, change, |whole| whole) else {
            return false;
        };
        // Anchored nodes may occur in other places, where the same content may be right.
        !aliased
            || yaml::differences(document.root(), read.root())
                .is_some_and(|changed| are_found(&changed, found))
    }

    /// Parses a range of the text after a change. It must be a single document.
    fn read_changed(
        &mut self,
        text: &str,
        range: &Range<usize>,
        change: &Replacement,
        put: impl FnOnce(String) -> String,
    ) -> Option<Document> {
        let mut after = text.get(range.start..change.range.start)?.to_owned();
        after.push_str(&change.text);
        after.push_str(text.get(change.range.end..range.end.max(change.range.end))?);
        let mut read = self.read(&put(after))?;
        (read.len() == 1).then(|| read.swap_remove(0))
    }
}

/// The smallest part around a change. In block style, whole lines of a sequence or mapping, with the entries before and
/// after the changed one, so that something is left if that entry is removed. In flow style, the text in brackets. In a
/// document with aliases, a part without anchors and aliases.
fn part_around(
    document: &Document,
    text: &str,
    change: &Range<usize>,
    aliased: bool,
) -> Option<Part> {
    let mut smallest = None;
    let mut node = document.root();
    let mut before = document.range().start;
    loop {
        // The anchor of the containing node comes before it.
        if aliased && text.get(before..node.span().range().start)?.contains('&') {
            break;
        }
        let entries = Entries::of(node);
        let Ok(end) = u32::try_from(change.end) else {
            break;
        };
        let Some(at) = entries.count_until(end).checked_sub(1) else {
            break;
        };
        let range = match node.style() {
            Style::Flow => node.span().range(),
            _ => match lines_around(node, text, entries, at) {
                Some(lines) => lines,
                None => break,
            },
        };
        // In flow style the brackets are kept.
        let bracket = usize::from(node.style() == Style::Flow);
        if change.start < range.start + bracket || range.end < change.end + bracket {
            break;
        }
        smallest = Some(Part {
            range,
            kind: node.kind(),
        });
        let Some(entry) = entries.get(at) else {
            break;
        };
        if entry.start() as usize > change.start || entry.value.is_alias() {
            break;
        }
        // Between this position and the node come its anchor and tag.
        let earlier = at.checked_sub(1).and_then(|at| entries.get(at));
        before = match (entry.key, earlier) {
            (Some(key), _) => key.written_at().range().end,
            (None, Some(earlier)) => earlier.span().range().end,
            (None, None) => node.span().range().start,
        };
        node = entry.value;
    }
    smallest.filter(|part| !aliased || !text.within(part.range.clone()).contains('&'))
}

/// The lines of an entry of a block collection and of its neighbours, or `None` if one of them does not start its line.
fn lines_around(
    node: Node<'_>,
    text: &str,
    entries: Entries<'_>,
    at: usize,
) -> Option<Range<usize>> {
    let mark = match node.kind() {
        Kind::Sequence => "-",
        Kind::Mapping => "",
        Kind::Scalar => return None,
    };
    let begins = |entry: Entry<'_>| {
        let start = entry.start() as usize;
        let line = line_of(text, start);
        (text.get(line..start)?.trim() == mark).then_some(line)
    };
    let start = begins(entries.get(at.saturating_sub(1))?)?;
    begins(entries.get(at)?)?;
    let end = match entries.get(at + 2) {
        Some(later) => begins(later)?,
        None => {
            let end = node.span().range().end;
            let line = text.get(end..)?.find('\n');
            line.map_or(text.len(), |line| end + line + 1)
        }
    };
    Some(start..end)
}

/// The start of the line that contains a position.
fn line_of(text: &str, at: usize) -> usize {
    text.until(at).rfind('\n').map_or(0, |end| end + 1)
}

/// Whether all changed places were found, or are aliases of found collections. For taints an alias is not enough, because
/// formats spell their effects differently.
fn are_found(changed: &[Difference], found: &[String]) -> bool {
    let wrong: Vec<&Difference> = changed
        .iter()
        .filter(|one| is_found(&one.path, found))
        .collect();
    let of_taints = |one: &Difference| one.path.contains("aint");
    changed.iter().all(|one| {
        let same = |other: &&Difference| one.holder == other.holder && !of_taints(other);
        is_found(&one.path, found) || (!of_taints(one) && wrong.iter().any(same))
    })
}

/// Whether a changed place was found, or is next to, inside or the list around a found one.
fn is_found(changed: &str, found: &[String]) -> bool {
    let above = |path: &str| -> String {
        let end = path.rfind(['.', '[']).unwrap_or(0);
        path.until(end).to_owned()
    };
    let of_changed = above(changed);
    found.iter().any(|found| {
        let of_found = above(found);
        [found.as_str(), of_found.as_str()].contains(&changed)
            || of_changed == *found
            || of_changed == of_found
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use crate::yaml::edit::{self, Change, Target};

    const FILE: SourceId = SourceId(0);

    /// Removes each `value: v` of a text separately. Returns how many removals hold and how often the text was parsed.
    fn try_all(text: &str, found: &[String]) -> (usize, usize) {
        let document = &yaml::parse(text, FILE).documents[0];
        let mut trials = Trials::on(FILE, text);
        let before = trials.left;
        let held = text.match_indices("value").filter(|(at, key)| {
            let place = Span::new(FILE, *at..at + key.len());
            // JSON keys are quoted.
            let quoted = Span::new(FILE, at.saturating_sub(1)..at + key.len() + 1);
            let done = [place, quoted].into_iter().find_map(|place| {
                edit::change(document, text, (Target::Field, place), &Change::Remove)
            });
            done.is_some_and(|done| trials.holds(document, text, &done, found))
        });
        (held.count(), (before - trials.left) / text.len())
    }

    #[test]
    fn a_change_in_a_long_document_is_tried_on_what_is_around_it() {
        let entries = |entry: &str| entry.repeat(1_000);
        let block =
            entries("        - key: k\n          value: v # why\n          operator: Exists\n");
        let pod = format!("kind: Pod\nspec:\n    tolerations:\n{block}");
        let named = format!("kind: Pod\nx: &x NoSchedule\ny: *x\nspec:\n    tolerations:\n{block}");
        let with_aliases = named.replace("operator: Exists", "effect: *x");
        let json = entries("{\"key\": \"k\", \"value\": \"v\"}, ");
        let json = format!("{{\"kind\": \"Pod\", \"tolerations\": [{json}{{}}]}}");
        let flow = format!(
            "kind: Pod\nspec: {{tolerations: [{}]}}\n",
            entries("{key: k, value: v},\n ")
        );
        for text in [pod, named, with_aliases, json, flow] {
            let (held, readings) = try_all(&text, &[]);
            assert_eq!(held, 1_000, "{}", &text[..200]);
            assert!(readings < 10, "{readings}: {}", &text[..200]);
        }
    }

    #[test]
    fn what_stands_elsewhere_too_is_tried_on_the_whole_document() {
        for text in [
            "a: &x\n  - key: k\n    value: v\n  - key: l\nb: *x\n",
            "a:\n  - &x\n    key: k\n    value: v\n  - key: l\nb: *x\n",
            "a:\n  - key: k\n    value: &x v\n  - key: l\nb: *x\n",
            "a: &x {key: k, value: v}\nb: *x\n",
            "base: &x\n  key: k\n  value: v\na:\n  <<: *x\n",
        ] {
            assert_eq!(try_all(text, &[]).0, 0, "{text}");
        }
        let found = ["a[0].value".to_owned(), "b[0].value".to_owned()];
        let text = "a: &x\n  - key: k\n    value: v\n  - key: l\nb: *x\n";
        assert_eq!(try_all(text, &found).0, 1);
    }

    #[test]
    fn trials_end_when_they_have_read_too_much() {
        let entry = "  - key: k\n    value: v\n";
        let text = format!("a: &x\n{}b: *x\n", entry.repeat(20_000));
        let document = &yaml::parse(&text, FILE).documents[0];
        let mut trials = Trials::on(FILE, &text);
        trials.left = text.len() / 2;
        let at = text.find("value").unwrap();
        let place = (Target::Field, Span::new(FILE, at..at + 5));
        let done = edit::change(document, &text, place, &Change::Remove).unwrap();
        let found = ["a[0].value".to_owned(), "b[0].value".to_owned()];
        assert!(!trials.holds(document, &text, &done, &found));
        trials.left = text.len();
        assert!(trials.holds(document, &text, &done, &found));
    }
}
