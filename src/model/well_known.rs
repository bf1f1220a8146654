//! Taints that Kubernetes, providers and add-ons put on nodes, as rows of data tables.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::taint::{Effect, Taint};
use super::toleration::Toleration;
use super::{Field, Truth};
use crate::builtin;

/// The file form of a table of well-known taints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WellKnownTable {
    /// Name of the table.
    pub name: String,
    /// A description of the table.
    pub about: String,
    /// The rows.
    pub well_known_taints: Vec<WellKnownTaint>,
}

/// What is known of taints with one key, or with one beginning of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WellKnownTaint {
    /// The key; one that ends in `*` stands for all keys that begin with what is before it.
    pub key: String,
    /// Effects that it comes with; empty where any may be chosen.
    pub effects: Vec<Effect>,
    /// Values that it comes with, `""` for the empty one; no values where any may be chosen.
    #[serde(default)]
    pub values: Vec<String>,
    /// Who puts it on nodes.
    pub added_by: String,
    /// What to know about it.
    pub note: String,
    /// It comes and goes with a node's state.
    #[serde(default)]
    pub transient: bool,
    /// Nothing of today's puts it on nodes.
    #[serde(default)]
    pub dead: bool,
    /// What a node with it is.
    #[serde(default)]
    pub means: Meaning,
    /// The first release that sets it, such as `Kubernetes 1.24`; empty where it matters to nobody any more.
    #[serde(default)]
    pub since: String,
    /// The last release that sets it; empty while it is set.
    #[serde(default)]
    pub until: String,
    /// The key that took its place; empty when none did.
    #[serde(default)]
    pub replaced_by: String,
}

impl WellKnownTaint {
    /// Whether a toleration with this key tolerates the taint in any form in which it occurs.
    pub fn tolerated_by(&self, entry: &Toleration) -> Truth {
        let all: Vec<Effect>;
        let effects = if self.effects.is_empty() {
            all = vec![
                Effect::NoSchedule,
                Effect::NoExecute,
                Effect::PreferNoSchedule,
            ];
            &all
        } else {
            &self.effects
        };
        // If any value may be chosen, the entry's value may be the right one.
        let any_value = vec![entry.value.text().unwrap_or_default().to_owned()];
        let values = if self.values.is_empty() {
            &any_value
        } else {
            &self.values
        };
        let forms = effects
            .iter()
            .flat_map(|effect| values.iter().map(move |value| (effect, value)));
        Truth::any(forms.map(|(effect, value)| {
            let taint = Taint {
                key: entry.key.clone(),
                value: Field::Is(value.clone()),
                effect: Field::Is(effect.as_str().to_owned()),
            };
            entry.tolerates(&taint, false)
        }))
    }
}

/// What a node with a taint is, as far as rules tell such nodes apart.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Kept for some workloads, or anything else that no rule asks for.
    #[default]
    Other,
    /// Not ready.
    NotReady,
    /// Not heard from.
    Unreachable,
    /// Short of memory, disk or processes.
    Pressure,
    /// Cordoned.
    Cordon,
    /// About to be removed.
    Deletion,
    /// Declared dead by a person.
    OutOfService,
    /// Still starting.
    Startup,
    /// Of the control plane.
    ControlPlane,
    /// No machine, or one that only some pods can run on.
    Virtual,
}

impl Meaning {
    /// Returns the word that tables and rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Meaning::Other => "other",
            Meaning::NotReady => "not-ready",
            Meaning::Unreachable => "unreachable",
            Meaning::Pressure => "pressure",
            Meaning::Cordon => "cordon",
            Meaning::Deletion => "deletion",
            Meaning::OutOfService => "out-of-service",
            Meaning::Startup => "startup",
            Meaning::ControlPlane => "control-plane",
            Meaning::Virtual => "virtual",
        }
    }
}

/// All rows, searchable by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WellKnown {
    exact: BTreeMap<String, WellKnownTaint>,
    /// Longest first, so that the first match is the most specific.
    prefixes: Vec<(String, WellKnownTaint)>,
}

impl WellKnown {
    /// Creates a table from rows; a later row replaces an earlier one with the same key.
    pub fn new(rows: impl IntoIterator<Item = WellKnownTaint>) -> WellKnown {
        let mut exact = BTreeMap::new();
        let mut prefixes = BTreeMap::new();
        for row in rows {
            match row.key.strip_suffix('*') {
                Some(prefix) => prefixes.insert(prefix.to_owned(), row),
                None => exact.insert(row.key.clone(), row),
            };
        }
        let mut prefixes: Vec<_> = prefixes.into_iter().collect();
        prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        WellKnown { exact, prefixes }
    }

    /// Returns the row of a key, or else the row of its longest known prefix.
    pub fn find(&self, key: &str) -> Option<&WellKnownTaint> {
        self.exact.get(key).or_else(|| {
            self.prefixes
                .iter()
                .find(|(prefix, _)| key.starts_with(prefix.as_str()))
                .map(|(_, row)| row)
        })
    }

    /// Returns the keys that are known in full, sorted: the candidates for a misspelled key.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.exact.keys().map(String::as_str)
    }

    /// Returns all rows: full keys sorted, then prefixes, longest first.
    pub fn rows(&self) -> impl Iterator<Item = &WellKnownTaint> {
        self.exact
            .values()
            .chain(self.prefixes.iter().map(|(_, row)| row))
    }
}

/// The rows that the program contains. "Can land" must not depend on tables that a repository adds.
static SHIPPED: LazyLock<WellKnown> = LazyLock::new(|| {
    let table: WellKnownTable = builtin::table(builtin::WELL_KNOWN_TAINTS);
    WellKnown::new(table.well_known_taints)
});

/// Whether taints with this key come and go with a node's state. No workload needs to tolerate them to land, because the
/// component that sets them also removes them.
pub fn is_transient_key(key: &str) -> bool {
    SHIPPED.find(key).is_some_and(|row| row.transient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::validation::{is_label_key, is_label_value};

    fn shipped() -> WellKnownTable {
        builtin::table(builtin::WELL_KNOWN_TAINTS)
    }

    #[test]
    fn every_shipped_row_is_a_legal_taint_and_unique() {
        let table = shipped();
        assert_eq!(table.name, "well-known-taints");
        let mut seen = std::collections::BTreeSet::new();
        for row in &table.well_known_taints {
            assert!(seen.insert(&row.key), "{} twice", row.key);
            let key = row.key.replace('*', "x");
            assert_eq!(is_label_key(&key), Ok(()), "{}", row.key);
            for value in &row.values {
                assert_eq!(is_label_value(value), Ok(()), "{}: {value}", row.key);
            }
            assert!(
                !row.added_by.is_empty() && !row.note.is_empty(),
                "{}",
                row.key
            );
        }
    }

    #[test]
    fn the_longest_beginning_counts_and_a_full_key_counts_more() {
        let row = |key: &str| WellKnownTaint {
            key: key.into(),
            ..WellKnownTaint::default()
        };
        let known = WellKnown::new([row("a.io/*"), row("a.io/b-*"), row("a.io/b-c")]);
        let found = |key| known.find(key).map(|row| row.key.as_str());
        assert_eq!(found("a.io/x"), Some("a.io/*"));
        assert_eq!(found("a.io/b-x"), Some("a.io/b-*"));
        assert_eq!(found("a.io/b-c"), Some("a.io/b-c"));
        assert_eq!(found("b.io/x"), None);
        assert_eq!(known.keys().collect::<Vec<_>>(), ["a.io/b-c"]);
    }

    #[test]
    fn a_condition_taint_has_no_value() {
        let known = WellKnown::new(shipped().well_known_taints);
        let row = known.find("node.kubernetes.io/not-ready").unwrap();
        let entry = |operator: &str, value: &str, effect: &str| {
            let is = |text: &str| Field::Is(text.to_owned());
            let entry = Toleration {
                key: is("node.kubernetes.io/not-ready"),
                operator: is(operator),
                value: is(value),
                effect: is(effect),
                toleration_seconds: Field::Absent,
            };
            row.tolerated_by(&entry)
        };
        assert_eq!(entry("Exists", "", "NoExecute"), Truth::Yes);
        assert_eq!(entry("", "", ""), Truth::Yes);
        assert_eq!(entry("Equal", "true", "NoExecute"), Truth::No);
        assert_eq!(entry("Exists", "", "PreferNoSchedule"), Truth::No);
    }

    #[test]
    fn legacy_keys_are_dead_and_todays_are_not() {
        let known = WellKnown::new(shipped().well_known_taints);
        for (key, dead) in [
            ("node.alpha.kubernetes.io/notReady", true),
            ("node.kubernetes.io/out-of-disk", true),
            ("karpenter.sh/disruption", true),
            ("node-role.kubernetes.io/control-plane", false),
            ("nvidia.com/gpu", false),
        ] {
            assert_eq!(known.find(key).map(|row| row.dead), Some(dead), "{key}");
        }
        assert!(known.find("example.com/pool").is_none());
    }
}
