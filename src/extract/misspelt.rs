//! Lists of tolerations under a key that is nearly `tolerations`, and other uses of such keys in a repository.

use std::borrow::Cow;
use std::collections::BTreeSet;

use memchr::memmem;

use super::read::{looks_like_tolerations, names_tolerations};
use crate::model::near_miss::nearest_word;
use crate::model::taint::Effect;
use crate::source::text::Cut as _;
use crate::yaml::Node;

/// The usual name of a list.
const NAME: &str = "tolerations";

/// Words that only tolerations have as operator or effect, and requirements of node affinity.
const SIGNS: [&str; 4] = ["NoSchedule", "NoExecute", "Exists", "Equal"];

/// Keys of schemas, whose fields are those of another map.
const SCHEMA: [&str; 2] = ["properties", "definitions"];

/// How many lines above a key its map is looked for.
const MOST_LINES: usize = 100;

/// Whether a text may contain a list under a misspelt key.
pub(super) fn may_be_in(text: &str) -> bool {
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// The key that was meant, if a list of tolerations stands under a key that is nearly the usual one.
pub(super) fn meant(key: &str, node: Node<'_>) -> Option<Cow<'static, str>> {
    // Few values are such lists, and comparing words takes longer.
    let is_list = looks_like_tolerations(node) && node.items().any(has_words);
    is_list.then(|| near(key))?
}

/// Whether a map has an operator or effect of Kubernetes.
pub(super) fn has_words(entry: Node<'_>) -> bool {
    let text = |name: &str| entry.get(name).and_then(Node::raw).unwrap_or_default();
    ["Exists", "Equal"].contains(&text("operator")) || Effect::parse(text("effect")).is_some()
}

/// The name of lists that a key nearly is: `tolerations`, or `extraTolerations` for one of several. Names of variables such as
/// `gpu_toleration` are somebody's own.
fn near(key: &str) -> Option<Cow<'static, str>> {
    if key == "Tolerations" {
        return Some(NAME.into());
    }
    if names_tolerations(key) || key.contains(['_', '-', '.']) {
        return None;
    }
    if nearest_word(key, &[NAME]).is_some() {
        return Some(NAME.into());
    }
    let at = key.rfind(|c: char| c.is_ascii_uppercase())?;
    let (before, last) = key.split_at_checked(at)?;
    let is_camel_case = before.ends_with(|c: char| c.is_ascii_lowercase());
    let is_near = is_camel_case && nearest_word(last, &[NAME]).is_some();
    is_near.then(|| format!("{before}Tolerations").into())
}

/// The keys in a text that are nearly the usual one: keys of maps, and values that a template or program reads. Where it is
/// clear that only the key in one map is meant, such as `discover.toleration`, that map is named, too.
pub(super) fn keys_in(text: &str) -> BTreeSet<String> {
    const STEM: &str = "oler";
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut found = BTreeSet::new();
    let mut from = 0;
    while let Some(at) = memmem::find(text.since(from).as_bytes(), STEM.as_bytes()) {
        let at = from + at;
        let (before, after) = (text.within(0..at), text.since(at));
        let start = before.trim_end_matches(is_part).len();
        let end = at + after.len() - after.trim_start_matches(is_part).len();
        from = end;
        let word = text.within(start..end);
        let (previous, next) = (text.within(0..start), text.since(end));
        let is_quoted = ['"', '\'', '`']
            .iter()
            .any(|quote| previous.ends_with(*quote) && next.starts_with(*quote));
        let is_key = is_quoted || next.starts_with(':') || previous.ends_with('.');
        if is_key && near(word).is_some() && !is_explained(previous, next) {
            let holder = match next.strip_prefix(':') {
                Some(value) => holder_of_key(previous, value),
                None => holder_of_value(previous),
            };
            found.insert(match holder.filter(|_| !is_quoted) {
                Some(holder) => format!("{holder}.{word}"),
                None => word.to_owned(),
            });
        }
    }
    found
}

/// Whether a key stands in a comment that says in words what its value is: no list.
fn is_explained(before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let words = after.strip_prefix(": ").unwrap_or_default();
    line.trim_start().starts_with('#') && words.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The map that a template reads a key of: `discover` behind `.Values.discover.`.
fn holder_of_value(before: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let start = before.trim_end_matches(is_part).len();
    let path = before.since(start).strip_prefix(".Values.")?;
    let holder = path.strip_suffix('.')?;
    Some(holder.rsplit('.').next().unwrap_or(holder))
}

/// The key of the map in which a key stands whose value is no list: that of the nearest line above it with less indentation.
fn holder_of_key<'t>(before: &'t str, value: &str) -> Option<&'t str> {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let (before, own) = before.rsplit_once('\n')?;
    let mut lines = value.lines();
    let first = lines.next().unwrap_or_default();
    let is_scalar = match first.split('#').next().unwrap_or_default().trim() {
        "" => {
            let next = lines.find(said).unwrap_or_default();
            indentation(next) <= own.len() && !next.trim_start().starts_with('-')
        }
        text => text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '"'),
    };
    if !is_scalar || own.is_empty() || !own.trim().is_empty() {
        return None;
    }
    let mut above = before.lines().rev().take(MOST_LINES).filter(said);
    let above = above.find(|line| indentation(line) < own.len())?;
    let key = above.trim().strip_suffix(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (key.chars().all(is_part) && !SCHEMA.contains(&key)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_nearly_tolerations_are_told_from_names_of_lists() {
        for (key, meant) in [
            ("toleration", "tolerations"),
            ("tolerationss", "tolerations"),
            ("tolaretions", "tolerations"),
            ("Tolerations", "tolerations"),
            ("tolerances", "tolerations"),
            ("extraToleration", "extraTolerations"),
        ] {
            assert_eq!(near(key).as_deref(), Some(meant), "{key}");
        }
        for key in [
            "tolerations",
            "extraTolerations",
            "node_tolerations",
            "tolerationSeconds",
            "taints",
            "gpu_toleration",
            "x-toleration",
            "selector",
            "matchExpressions",
            "",
        ] {
            assert_eq!(near(key), None, "{key}");
        }
    }

    #[test]
    fn uses_of_a_key_are_found_in_templates_schemas_and_maps() {
        for text in [
            "{{ toYaml .Values.toleration }}",
            "{{ index .Values \"toleration\" }}",
            "{\"toleration\": {\"type\": \"array\"}}",
            "  toleration: []",
            "  \"toleration\": []",
        ] {
            let found: Vec<_> = keys_in(text).into_iter().collect();
            assert_eq!(found, ["toleration"], "{text}");
        }
        for text in [
            "discover:\n  # Its effect\n  toleration:\n  # - key: a\n  other: a\n",
            "discover:\n  a: b\n  toleration: NoSchedule\n",
            "x: {{ .Values.discover.toleration }}",
            "x: {{ .Values.a.discover.toleration }}",
        ] {
            let found: Vec<_> = keys_in(text).into_iter().collect();
            assert_eq!(found, ["discover.toleration"], "{text}");
        }
        for text in [
            "discover:\n  toleration:\n  - key: a\n",
            "discover:\n  toleration: [{key: a}]\n",
            "discover: {toleration: a}\n",
            "properties:\n  toleration:\n    type: array\n",
            "properties:\n  toleration: true\n",
            "{{ .Values.toleration }} {{ .toleration }} {{ $one.discover.toleration }}",
        ] {
            let found: Vec<_> = keys_in(text).into_iter().collect();
            assert_eq!(found, ["toleration"], "{text}");
        }
        for text in [
            "# One toleration for each taint",
            "## toleration: NoSchedule or NoExecute",
            "tolerations: []\ntolerationSeconds: 3",
            "- key: \"toleration=key\"",
            "oler",
        ] {
            assert!(keys_in(text).is_empty(), "{text}");
        }
    }
}
