//! ytt templates, which are YAML with the template in comments. A value in a comment is not absent, and a document with
//! conditional parts is a template like any other.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem;

use super::FileFacts;
use crate::model::node_selection::OtherLabels;
use crate::model::notice::NoticeKind;
use crate::model::workload::MoreTolerations;
use crate::source::text::Cut as _;

const BECAUSE: &str = "its document is a template";

/// Fills in a placeholder for each value that a comment gives, as in `tolerations: #@ data.values.x`. All offsets stay
/// the same. `None` for a text that does not use ytt.
pub(super) fn fill(text: &str) -> Option<Cow<'_, str>> {
    if !is_ytt(text) {
        return None;
    }
    let mut filled = Cow::Borrowed(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        if let Some(start) = value(written) {
            let word = format!("${}", "x".repeat(written.len() - start - 1));
            filled
                .to_mut()
                .replace_range(at + start..at + written.len(), &word);
        }
        at += line.len();
    }
    Some(filled)
}

/// Adjusts the facts of a document with directives. Written facts are checked as they are. Missing ones may come from a
/// directive.
pub(super) fn doubt(facts: &mut FileFacts) {
    for workload in &mut facts.workloads {
        let shape = Arc::make_mut(&mut workload.shape);
        shape.selection.unknown = true;
        shape
            .unread_tolerations
            .get_or_insert(MoreTolerations::TemplateDocument);
    }
    for read in &mut facts.pools {
        read.pool.taints.clear();
        read.pool.incomplete_because = None;
        read.pool.doubt(BECAUSE);
        read.pool.labels.others = OtherLabels::Possible;
        read.pool.open_labels = true;
    }
    // Duplicate keys may be alternatives.
    facts
        .notices
        .retain(|notice| !matches!(notice.kind, NoticeKind::DuplicateYamlKey { .. }));
}

/// Whether parts of a document are conditional, repeated or patches of others, or the whole document is the value of an
/// expression.
pub(super) fn has_directives(document: &str) -> bool {
    const WORDS: [&str; 8] = [
        "if", "elif", "else", "for", "while", "def", "end", "overlay/",
    ];
    document.lines().any(|line| {
        let line = line.trim();
        if line.starts_with("---") {
            return line.contains("#@");
        }
        line.strip_prefix("#@").is_some_and(|rest| {
            let rest = rest.trim_start_matches('-').trim_start();
            WORDS.iter().any(|word| {
                rest.strip_prefix(word).is_some_and(|rest| {
                    word.ends_with('/') || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
                })
            })
        })
    })
}

fn is_ytt(text: &str) -> bool {
    const SIGNS: [&str; 5] = [
        "#@ load(",
        "#@ data.values",
        "#@data/values",
        "#@overlay/",
        "#@ def ",
    ];
    memmem::find(text.as_bytes(), b"#@").is_some() && SIGNS.iter().any(|sign| text.contains(sign))
}

/// The offset of the comment that gives the value of a field or of an entry, or `None` if there is none.
fn value(line: &str) -> Option<usize> {
    let start = line.find(" #@")? + 1;
    let before = line.until(start).trim();
    let is_open = before.ends_with(':') || before.ends_with('-') && before != "---";
    let is_comment = before.starts_with('#');
    (is_open && !is_comment).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_comment_becomes_a_word_of_the_same_length() {
        let text = "#@ load(\"@ytt:data\", \"data\")\na: #@ data.values.a\nb:\n- #@ x\n- c: 1 #@ y\n# d: #@ z\n";
        let filled = fill(text).unwrap_or_default();
        assert_eq!(filled.len(), text.len());
        assert_eq!(
            filled,
            "#@ load(\"@ytt:data\", \"data\")\na: $xxxxxxxxxxxxxxx\nb:\n- $xxx\n- c: 1 #@ y\n# d: #@ z\n"
        );
        assert_eq!(fill("a: b #@ c\nd: \"#@\"\n"), None);
    }

    #[test]
    fn documents_with_conditions_loops_and_overlays_have_directives() {
        for text in [
            "a:\n  #@ if/end data.values.b:\n  b: 1\n",
            "#@ for x in y:\n- x\n#@ end\n",
            "#@overlay/match by=overlay.all\n---\na: 1\n",
            "--- #@ gateway(data.values)\n",
            "a:\n  #@overlay/match missing_ok=True\n  b: 1\n",
        ] {
            assert!(has_directives(text), "{text}");
        }
        for text in [
            "#@ load(\"@ytt:data\", \"data\")\na: #@ data.values.a\n",
            "#@data/values\n---\na: 1\n",
            "#@ format = \"x\"\na: 1\n",
            "---\na: 1\n",
        ] {
            assert!(!has_directives(text), "{text}");
        }
    }
}
