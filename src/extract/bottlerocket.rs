//! Bottlerocket's settings in the user data of machines: tables of TOML with the taints and labels of their nodes.

use std::ops::Range;

use crate::source::text::Cut as _;

/// The tables with taints and with labels.
const TAINTS: &str = "settings.kubernetes.node-taints";
const LABELS: &str = "settings.kubernetes.node-labels";

/// An entry of such a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Whether it sets taints, and not a label.
    pub(super) is_taint: bool,
    /// In the notation of the kubelet's flags: `key=value:Effect` or `key=value`.
    pub(super) word: String,
    /// The range of its value, without quotes.
    pub(super) value: Range<usize>,
}

/// Finds the entries in a text, in order.
pub(super) fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    if !text.contains("settings.kubernetes.node-") {
        return found;
    }
    let (mut is_taint, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        if let Some(name) = content.strip_prefix('[') {
            let name = name.split(']').next().unwrap_or_default().trim();
            is_taint = [TAINTS, LABELS].contains(&name).then_some(name == TAINTS);
            continue;
        }
        let (Some(is_taint), Some((key, value))) = (is_taint, split(line)) else {
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let from = start + line.len() - value.len();
        for value in quoted(text, from..start + line.trim_end().len()) {
            let word = format!("{key}={}", text.within(value.clone()));
            found.push(Setting {
                is_taint,
                word,
                value,
            });
        }
    }
    found
}

/// Splits a line at the `=` behind its key.
fn split(line: &str) -> Option<(&str, &str)> {
    let content = line.trim_start();
    if content.is_empty() || content.starts_with('#') {
        return None;
    }
    let behind = match content.chars().next().filter(|c| ['"', '\''].contains(c)) {
        Some(quote) => content.since(1).find(quote)? + 2,
        None => 0,
    };
    let equal = behind + content.since(behind).find('=')?;
    Some((content.until(equal), content.since(equal + 1)))
}

/// The texts in quotes, without the quotes, up to a comment.
fn quoted(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text.within(range.clone()).char_indices() {
        let at = range.start + at;
        match open {
            Some((quote, from)) if c == quote => {
                found.push(from..at);
                open = None;
            }
            Some(_) => {}
            None if c == '#' => break,
            None if c == '"' || c == '\'' => open = Some((c, at + 1)),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_both_tables_are_found() {
        let text = "[settings.kubernetes]\ncluster-name = \"orchard\"\n\n  [settings.kubernetes.node-labels]\n  \
                    \"orchard.example.io/use\" = \"press\" # for the press\n[settings.kubernetes.node-taints]\n\
                    'orchard.example.io/a=b' = [\"1:NoSchedule\", \"2:NoExecute\"]\nbare=\"true:NoSchedule\"\n# x = \"y\"\n\
                    [settings.host-containers.admin]\nenabled = \"true\"\n";
        let found = settings(text);
        let words: Vec<&str> = found.iter().map(|one| one.word.as_str()).collect();
        assert_eq!(
            words,
            [
                "orchard.example.io/use=press",
                "orchard.example.io/a=b=1:NoSchedule",
                "orchard.example.io/a=b=2:NoExecute",
                "bare=true:NoSchedule",
            ]
        );
        assert_eq!(&text[found[0].value.clone()], "press");
        assert!(!found[0].is_taint && found[1].is_taint);
    }

    #[test]
    fn broken_tables_have_no_entries() {
        for text in [
            "[settings.kubernetes.node-taints]\n\"open = 1\n= \nx\n",
            "[settings.kubernetes.node-taints\n",
            "settings.kubernetes.node-taints = 1",
            "[settings.kubernetes.node-taints]\nä = \"ö",
        ] {
            assert!(settings(text).is_empty(), "{text}");
        }
    }
}
