//! Flags of the kubelet and of related agents that taint and label a node, in command lines and scripts. Finds their
//! places in a text and their values, whatever the quoting.

use std::ops::Range;

use super::pool_facts::{Element, PoolFacts};
use super::weak::repeated_flag;
use super::{bottlerocket, labels, taints};
use crate::model::workload::Level;
use crate::source::text::Cut as _;
use crate::yaml::{self, Embedded, Found, Kind, Node};

/// What a flag sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Taints,
    Labels,
}

/// A known flag, and how several values of it combine.
struct Known {
    name: &'static str,
    says: Says,
    /// A later value replaces an earlier one.
    replaces: bool,
    /// The flag also counts without leading dashes (`--kubelet-arg=register-with-taints=…`).
    bare: bool,
}

/// The two flags of the kubelet, and those of k3s, RKE2 and k0s. The kubelet keeps the later of two
/// `--register-with-taints`. Labels add up, and so do the flags of k3s.
const KNOWN: [Known; 6] = [
    Known {
        name: "register-with-taints",
        says: Says::Taints,
        replaces: true,
        bare: true,
    },
    Known {
        name: "node-labels",
        says: Says::Labels,
        replaces: false,
        bare: true,
    },
    Known {
        name: "node-taint",
        says: Says::Taints,
        replaces: false,
        bare: false,
    },
    Known {
        name: "node-label",
        says: Says::Labels,
        replaces: false,
        bare: false,
    },
    Known {
        name: "taints",
        says: Says::Taints,
        replaces: false,
        bare: false,
    },
    Known {
        name: "labels",
        says: Says::Labels,
        replaces: false,
        bare: false,
    },
];

/// A flag in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) says: Says,
    pub(super) replaces: bool,
    /// The range of its value, without quotes.
    pub(super) value: Range<usize>,
}

impl Flag {
    /// The flag as written on a command line.
    pub(super) fn dashed(&self) -> String {
        format!("--{}", self.name)
    }

    /// The values of this flag and of a later one.
    pub(super) fn values<'t>(&self, text: &'t str, later: &Flag) -> (&'t str, &'t str) {
        let value = |flag: &Flag| text.within(flag.value.clone());
        (value(self), value(later))
    }
}

/// Finds flags in a text, in order. With `all`, it also finds those whose names are too common for arbitrary scripts.
pub(super) fn find(text: &str, all: bool) -> Vec<Flag> {
    let mut found = Vec::new();
    for known in KNOWN
        .iter()
        .filter(|known| all || !["taints", "labels"].contains(&known.name))
    {
        for (at, _) in text.match_indices(known.name) {
            if let Some(value) = value_after(text, at, known) {
                found.push(Flag {
                    name: known.name,
                    says: known.says,
                    replaces: known.replaces,
                    value,
                });
            }
        }
    }
    found.sort_by_key(|flag| flag.value.start);
    found
}

/// The range of the value of the flag whose name is at `at`, or `None` if that is not a flag.
fn value_after(text: &str, at: usize, known: &Known) -> Option<Range<usize>> {
    let (before, rest) = (text.until(at), text.since(at + known.name.len()));
    let dashed = before.ends_with("--");
    let in_word = before.ends_with(|c: char| c.is_ascii_alphanumeric() || "-_./".contains(c));
    if !dashed && (!known.bare || in_word) {
        return None;
    }
    // `"register-with-taints": "…"` and `register-with-taints: …` in configuration that a script writes.
    let unquoted = rest
        .strip_prefix(['"', '\''])
        .filter(|rest| !dashed && rest.starts_with(':'));
    let rest = unquoted.unwrap_or(rest);
    let rest = match rest.chars().next()? {
        '=' => rest.since(1),
        ':' if !dashed => rest.since(1).trim_start_matches([' ', '\t']),
        ' ' | '\t' | '\\' if dashed => rest.trim_start_matches([' ', '\t', '\\', '\n', '\r']),
        _ => return None,
    };
    let start = text.len() - rest.len();
    let opening = rest.trim_start_matches('\\');
    let quote = opening.chars().next().filter(|c| ['"', '\''].contains(c));
    let (from, end) = match quote {
        Some(quote) => {
            let from = text.len() - opening.len() + 1;
            let end = text
                .since(from)
                .find([quote, '\n'])
                .unwrap_or(text.len() - from);
            (
                from,
                from + text.within(from..from + end).trim_end_matches('\\').len(),
            )
        }
        None => (start, start + unquoted_length(rest)),
    };
    (end > from && !text.within(from..end).starts_with("--")).then_some(from..end)
}

/// The length of an unquoted word. Variables with blanks inside their braces are one word.
fn unquoted_length(text: &str) -> usize {
    let mut open = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' => open += 1,
            '}' | ')' if open > 0 => open -= 1,
            '\n' => return at,
            _ if open > 0 => {}
            '"' | '\'' | '\\' | ';' | '|' | '`' | ')' | ']' => return at,
            c if c.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

/// For each flag, the later flag of the same name that replaces it, if any.
pub(super) fn replaced(flags: &[Flag]) -> Vec<Option<&Flag>> {
    flags
        .iter()
        .enumerate()
        .map(|(at, flag)| {
            flags
                .get(at + 1..)
                .unwrap_or_default()
                .iter()
                .rfind(|later| flag.replaces && later.name == flag.name)
        })
        .collect()
}

/// Reads the flags in a command line, a list of arguments or a script.
pub(super) fn read(element: &Element<'_, '_>, found: &Found<'_>) -> PoolFacts {
    if found.node.kind() != Kind::Sequence {
        return read_text(element, found.node, &found.path);
    }
    let mut facts = PoolFacts::default();
    for (index, item) in found.node.items().enumerate() {
        let path = yaml::index(&found.path, index);
        facts.absorb(read_text(element, item, &path));
    }
    facts
}

fn read_text(element: &Element<'_, '_>, node: Node<'_>, path: &str) -> PoolFacts {
    let mut facts = PoolFacts::default();
    let Some(text) = node.raw() else { return facts };
    let embedded = Embedded::new(element.document.text, node, text);
    let flags = find(text, true);
    for (flag, later) in flags.iter().zip(replaced(&flags)) {
        let range = flag.value.clone();
        if let Some(later) = later {
            let (lost, kept) = flag.values(text, later);
            let kind = repeated_flag(&flag.dashed(), lost, kept);
            let mut context = element.context(Level::Custom, &mut facts.notices);
            context.note(kind, embedded.place_of(range), path.to_owned());
            continue;
        }
        facts.absorb(match flag.says {
            Says::Taints => {
                let words = taints::parts(text, range);
                let words = words.map(|(word, at)| (word, embedded.place_of(at)));
                taints::read_words(element, words, path)
            }
            Says::Labels => labels::read_words(text.within(range)),
        });
    }
    for setting in bottlerocket::settings(text) {
        facts.absorb(match setting.is_taint {
            true => {
                let word = (setting.word.as_str(), embedded.place_of(setting.value));
                taints::read_words(element, std::iter::once(word), path)
            }
            false => labels::read_words(&setting.word),
        });
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(&str, &str)> {
        find(text, false)
            .into_iter()
            .map(|flag| (flag.name, &text[flag.value]))
            .collect()
    }

    #[test]
    fn flags_are_found_whatever_the_quotes() {
        let taints = "register-with-taints";
        for (text, found) in [
            (
                "kubelet --register-with-taints=a=b:NoSchedule -v2",
                "a=b:NoSchedule",
            ),
            (
                "kubelet --register-with-taints a=b:NoSchedule",
                "a=b:NoSchedule",
            ),
            (
                "x --kubelet-extra-args '--register-with-taints=a:NoSchedule'",
                "a:NoSchedule",
            ),
            (
                "x --kubelet-extra-args \"--register-with-taints=a:NoSchedule --v=2\"",
                "a:NoSchedule",
            ),
            (
                "--register-with-taints=\"a=b:NoSchedule\" x",
                "a=b:NoSchedule",
            ),
            (
                "ARGS=\"--register-with-taints=\\\"a=b:NoSchedule\\\"\"",
                "a=b:NoSchedule",
            ),
            (
                "--kubelet-arg=register-with-taints=a:NoExecute",
                "a:NoExecute",
            ),
            (
                "--register-with-taints=a=${B:-c d}:NoExecute,x",
                "a=${B:-c d}:NoExecute,x",
            ),
            ("  register-with-taints: a=b:NoSchedule", "a=b:NoSchedule"),
            (
                "{\"register-with-taints\": \"a=b:NoSchedule\"}",
                "a=b:NoSchedule",
            ),
        ] {
            assert_eq!(values(text), [(taints, found)], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_flag_is_none() {
        for text in [
            "the kubelet's register-with-taints option",
            "--no-register-with-taints=x",
            "--register-with-taints --v=2",
            "--register-with-taints=",
            "my-register-with-taints=a:NoSchedule",
        ] {
            assert_eq!(values(text), [], "{text}");
        }
    }

    #[test]
    fn of_two_flags_of_the_kubelet_the_later_counts_and_of_two_of_k3s_both() {
        let kubelet = find(
            "--register-with-taints=a:NoSchedule --register-with-taints=b:NoSchedule",
            false,
        );
        let lost: Vec<bool> = replaced(&kubelet).iter().map(Option::is_some).collect();
        assert_eq!(lost, [true, false]);
        let agent = find("--node-taint a:NoSchedule --node-taint b:NoSchedule", false);
        assert!(replaced(&agent).iter().all(Option::is_none));
    }
}
