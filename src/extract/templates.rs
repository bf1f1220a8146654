//! Documents that are YAML only after rendering: reads the parts of a node pool that do not depend on the values. Lines
//! in a condition or a loop are skipped, and the output of actions is unknown.

use std::ops::Range;

use super::FileFacts;
use super::declared;
use super::reading::Reading;
use super::subject::Subject;
use crate::model::Field;
use crate::model::node_selection::OtherLabels;
use crate::source::text::Cut as _;
use crate::yaml;

const BECAUSE: &str = "its document is a template";

/// Reads the pools of a document that could not be parsed. The other documents of its file were already read.
pub(super) fn read(reading: Reading<'_>, range: Range<usize>) -> FileFacts {
    let Reading { source, table, .. } = reading;
    let Some(text) = source.text.get(range.clone()) else {
        return FileFacts::default();
    };
    let declares_pools = top_level(text, "kind").is_some_and(|kind| table.may_have_pools(kind));
    if !declares_pools {
        return FileFacts::default();
    }
    let rest = flatten(text);
    // If even the remaining lines are not YAML, record at least that there is a pool.
    read_left(reading, range.start, &rest)
        .or_else(|| read_left(reading, range.start, &head(&rest)))
        .unwrap_or_default()
}

/// Reads the remaining text of the part of the file from `start` on, or returns `None` if it contains no pool.
fn read_left(reading: Reading<'_>, start: usize, left: &str) -> Option<FileFacts> {
    let Reading {
        source, id, table, ..
    } = reading;
    let before = source.text.get(..start).unwrap_or_default();
    let before: String = before.bytes().map(blank_byte).collect();
    let stream = yaml::parse(&format!("{before}{left}"), id);
    if !stream.errors.is_empty() {
        return None;
    }
    let mut facts = FileFacts::default();
    for document in &stream.documents {
        let subject = Subject::new(document.root(), String::new(), reading);
        if !table.is_skipped(subject.group(), &subject.object.kind) {
            facts.absorb(declared::pools(&subject).unwrap_or_default());
        }
    }
    for read in &mut facts.pools {
        for taint in &mut read.pool.taints {
            let at = taint.span.map(|span| span.start as usize);
            if at.is_some_and(|at| may_say_more(&source.text, start, left, at)) {
                for field in [&mut taint.taint.key, &mut taint.taint.value] {
                    doubt(field);
                }
                doubt(&mut taint.taint.effect);
            }
        }
        read.pool.complete = false;
        read.pool.incomplete_because = Some(BECAUSE.to_owned());
        // The skipped lines may contain more.
        read.pool.labels.others = OtherLabels::Possible;
        read.pool.open_labels = true;
        read.taints_written = true;
    }
    (!facts.pools.is_empty()).then_some(facts)
}

/// Whether skipped lines may be fields of the map at an offset of the file. `left` is the remaining text of the part of
/// the file from `from` on.
fn may_say_more(text: &str, from: usize, left: &str, start: usize) -> bool {
    let line_start = text.until(start).rfind('\n').map_or(0, |at| at + 1);
    let column = start - line_start;
    let lines = text.since(line_start).split_inclusive('\n').skip(1);
    let mut at = line_start + text.since(line_start).find('\n').map_or(0, |end| end + 1);
    for line in lines {
        let range = at..at + line.len();
        at = range.end;
        let indent = line.len() - line.trim_start().len();
        let is_left = range
            .start
            .checked_sub(from)
            .and_then(|start| left.get(start..range.end - from))
            .is_some_and(|left| !left.trim().is_empty());
        let is_action = NOTATIONS
            .iter()
            .any(|one| line.trim_start().starts_with(one.open));
        // The next item, whether it is conditional or not.
        if !line.trim().is_empty() && !is_action && indent < column {
            return false;
        }
        if !is_left && !line.trim().is_empty() && indent >= column {
            return true;
        }
    }
    false
}

/// Marks an absent field as unknown.
fn doubt<T>(field: &mut Field<T>) {
    if matches!(field, Field::Absent) {
        *field = Field::Unknown;
    }
}

/// The value of a field at the top level of a document.
fn top_level<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix(':')?;
        Some(value.trim().trim_matches(['"', '\'']))
    })
}

fn blank_byte(byte: u8) -> char {
    if byte == b'\n' { '\n' } else { ' ' }
}

/// One notation for actions.
struct Notation {
    open: &'static str,
    close: &'static str,
    opens: &'static [&'static str],
    /// The prefix of words that close a block.
    closes: &'static str,
}

const NOTATIONS: [Notation; 3] = [
    Notation {
        open: "{{",
        close: "}}",
        opens: &["if", "range", "with", "define", "block"],
        closes: "end",
    },
    Notation {
        open: "{%",
        close: "%}",
        opens: &["if", "for", "macro", "block", "call", "filter", "raw"],
        closes: "end",
    },
    Notation {
        open: "${",
        close: "}",
        opens: &[],
        closes: "}",
    },
];

/// The range of the next action, and how it changes the depth of conditions and loops.
fn next_action(text: &str, from: usize) -> Option<(Range<usize>, i32)> {
    let rest = text.get(from..)?;
    let (at, notation) = NOTATIONS
        .iter()
        .filter_map(|notation| Some((rest.find(notation.open)?, notation)))
        .min_by_key(|(at, _)| *at)?;
    let inside = at + notation.open.len();
    let end = inside + rest.since(inside).find(notation.close)?;
    let word = rest
        .within(inside..end)
        .trim_start_matches(['-', '+'])
        .trim();
    let word = word.split(|one: char| !one.is_ascii_alphabetic()).next();
    let deeper = match word.unwrap_or_default() {
        word if notation.opens.contains(&word) => 1,
        word if !notation.opens.is_empty() && word.starts_with(notation.closes) => -1,
        _ => 0,
    };
    Some((from + at..from + end + notation.close.len(), deeper))
}

/// Returns a text of the same byte length without conditional parts, and with `$(…)` in place of the output of actions.
fn flatten(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some((range, deeper)) = next_action(text, at) {
        flat.push_str(text.within(at..range.start));
        // The output of an action that spans lines has no clear place.
        let written = text.within(range.clone());
        if written.contains('\n') || range.len() < 4 {
            flat.extend(written.bytes().map(blank_byte));
        } else {
            flat.push_str("$(");
            flat.extend(std::iter::repeat_n('x', range.len() - 3));
            flat.push(')');
        }
        at = range.end;
        actions.push((range, deeper));
    }
    flat.push_str(text.since(at));

    // The depth of each line at its start, and whether it contains only actions.
    let mut lines: Vec<(Range<usize>, i32, bool)> = Vec::new();
    let mut actions = actions.into_iter().peekable();
    let (mut start, mut depth) = (0, 0);
    for line in flat.split_inclusive('\n') {
        let range = start..start + line.len();
        let (mut lowest, mut rest) = (depth, line.trim().trim_start_matches('#').len());
        while let Some((action, deeper)) = actions.next_if(|(action, _)| action.start < range.end) {
            depth += deeper;
            lowest = lowest.min(depth);
            rest = rest.saturating_sub(action.len());
        }
        let only_actions = rest == 0 || (lowest != depth && !line.contains(':'));
        lines.push((range.clone(), lowest, only_actions));
        start = range.end;
    }
    let is_kind = |range: &Range<usize>| flat.within(range.clone()).starts_with("kind:");
    let base = lines
        .iter()
        .find(|(range, ..)| is_kind(range))
        .map_or(0, |(_, depth, _)| *depth);
    let version = lines
        .iter()
        .position(|(range, ..)| flat.within(range.clone()).starts_with("apiVersion:"));
    lines
        .iter()
        .enumerate()
        .map(|(at, (range, depth, only_actions))| {
            let line = flat.within(range.clone());
            if (*depth > base && version != Some(at)) || *only_actions {
                line.bytes().map(blank_byte).collect()
            } else {
                line.to_owned()
            }
        })
        .collect()
}

/// Keeps only the lines with the identity of the object: its kind and version, and its name if it is plain.
fn head(text: &str) -> String {
    let mut in_metadata = false;
    text.split_inclusive('\n')
        .map(|line| {
            let is_top = line.starts_with(|first: char| first.is_ascii_alphabetic());
            if is_top {
                in_metadata = line.trim_end() == "metadata:";
            }
            let wanted = line.starts_with("apiVersion:")
                || line.starts_with("kind:")
                || (in_metadata && (is_top || line.starts_with("  name:")));
            match wanted {
                true => line.to_owned(),
                false => line.bytes().map(blank_byte).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::PROVIDERS;
    use crate::extract::{Table, extract};
    use crate::model::node_pool::NodePool;
    use crate::source::{Source, SourceId};

    fn pools(text: &str) -> Vec<NodePool> {
        let table = Table::load(PROVIDERS.iter().copied()).unwrap();
        let facts = extract(&Source::new("pools.yaml", text), SourceId(0), &table);
        facts.pools.into_iter().map(|read| read.pool).collect()
    }

    fn told(pool: &NodePool) -> (String, Vec<String>, bool) {
        let taints = pool.taints.iter().map(|one| one.taint.to_string());
        (pool.name.clone(), taints.collect(), pool.complete)
    }

    const HEAD: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: gpu\n";

    #[test]
    fn what_stands_in_no_condition_is_read_and_the_rest_is_open() {
        let text = format!(
            "{{{{- if .Values.gpu }}}}\n{HEAD}  labels:\n    {{{{- include \"labels\" . | nindent 4 }}}}\nspec:\n  template:\n    \
             spec:\n      taints:\n        - key: fixed\n          effect: NoSchedule\n        {{{{- if .Values.more }}}}\n        \
             - key: sometimes\n          effect: NoSchedule\n        {{{{- end }}}}\n        {{{{- with .Values.taints }}}}\n        \
             {{{{- toYaml . | nindent 8 }}}}\n        {{{{- end }}}}\n{{{{- end }}}}\n"
        );
        let pools = pools(&text);
        let expected = ("gpu".to_owned(), vec!["fixed:NoSchedule".to_owned()], false);
        assert_eq!(pools.iter().map(told).collect::<Vec<_>>(), [expected]);
        let span = pools[0].taints[0].span.unwrap();
        assert!(text[span.range()].starts_with("key: fixed"));
    }

    #[test]
    fn a_field_under_a_condition_is_not_known() {
        let text = format!(
            "{HEAD}spec:\n  template:\n    spec:\n      taints:\n        - key: a\n          {{{{- with .Values.x }}}}\n          value: \
             {{{{ . }}}}\n          {{{{- end }}}}\n          effect: NoSchedule\n        - key: b\n          effect: NoSchedule\n"
        );
        let pools = pools(&text);
        let values: Vec<_> = pools[0].taints.iter().map(|one| &one.taint.value).collect();
        assert_eq!(values, [&Field::Unknown, &Field::Absent]);
    }

    #[test]
    fn a_document_that_stays_no_yaml_still_declares_a_pool() {
        let pools = pools(&format!("{HEAD}spec:\n {{{{ a }}}}: [\n  b\n"));
        assert_eq!(
            pools.iter().map(told).collect::<Vec<_>>(),
            [("gpu".to_owned(), Vec::new(), false)]
        );
    }

    #[test]
    fn templates_of_anything_else_declare_nothing() {
        assert_eq!(
            pools("apiVersion: v1\nkind: Service\nspec:\n{{ toYaml .x }}\n"),
            []
        );
    }

    #[test]
    fn a_flattened_text_is_as_long_as_the_template() {
        for text in [
            "a: {{ .x }}\n{{- if y }}\nb: ${Z}\n{{ end }}\n",
            "{{/* one\ntwo */}}\nkind: é{{x}}\n{% if a %}b{% endif %}",
            "{{ open\n",
        ] {
            assert_eq!(flatten(text).len(), text.len(), "{text}");
        }
    }
}
