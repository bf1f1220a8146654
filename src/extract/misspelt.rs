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

/// The keys in a text that are nearly the usual one: keys of maps, and values that a template or program reads.
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
        if is_key && near(word).is_some() {
            found.insert(word.to_owned());
        }
    }
    found
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
            "# One toleration for each taint",
            "tolerations: []\ntolerationSeconds: 3",
            "- key: \"toleration=key\"",
            "oler",
        ] {
            assert!(keys_in(text).is_empty(), "{text}");
        }
    }
}
