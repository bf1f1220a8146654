//! The inventory format for node pools: `kubetaint pools` writes it, and `--pools` reads it. Both directions use the same
//! names; the semantics of taints and labels are in `model`.

mod list;
mod read;
mod text;

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::finding::Object;
use crate::model::Field;

pub use crate::model::node_pool::Origin;
pub use crate::model::node_selection::{OtherLabels, Requirement};
pub use list::Listed;
pub use read::{ReadInventory, read};

/// The `apiVersion` of an inventory; an incompatible format gets another one.
pub const API_VERSION: &str = "kubetaint.io/v1";
/// The `kind` of an inventory.
pub const KIND: &str = "PoolInventory";

/// The header of an inventory that is written as YAML.
const HEADER: &str = "\
# Node pools as kubetaint understood them. `kubetaint check --pools` reads this file, so that the repository with the
# pools and the repository with the workloads can be two; so does `inventory` of a cluster in .kubetaint.yaml.
# `file`, `line` and `field` lead to the place where each pool and taint is declared.
";

/// A list of node pools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    /// [`API_VERSION`].
    #[serde(rename = "apiVersion")]
    pub api_version: String,
    /// [`KIND`].
    pub kind: String,
    /// The day on which the nodes that it lists last reported their state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Day>,
    /// Whether the pools without a cluster are complete.
    #[serde(default)]
    pub complete: bool,
    /// Clusters with a complete list of pools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complete_clusters: Vec<String>,
    /// The pools, sorted by file and place.
    pub pools: Vec<Pool>,
}

/// A day, written as `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(pub Date);

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let day = text.parse::<Date>().map(Day);
        day.map_err(|_| format!("`{text}` is not a date such as 2026-01-31"))
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.0.to_string()
    }
}

/// One node pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// The name in the source.
    pub name: String,
    /// The provider table that read it.
    #[serde(default)]
    pub provider: String,
    /// The configured cluster, or the one that the source names.
    #[serde(default)]
    pub cluster: Option<String>,
    /// The file that declares it, relative to its repository.
    #[serde(default)]
    pub file: Option<String>,
    /// Its line in that file, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The object that declares it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub object: Object,
    /// Labels of its nodes.
    #[serde(default)]
    pub labels: BTreeMap<String, Field<String>>,
    /// Values that its nodes may be created with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// What it means if a label is not listed.
    #[serde(default)]
    pub other_labels: OtherLabels,
    /// Taints of its nodes.
    #[serde(default)]
    pub taints: Vec<Taint>,
    /// Cordoned.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unschedulable: bool,
    /// Known only from a command or a flag.
    #[serde(default, skip_serializing_if = "is_default")]
    pub weak: bool,
    /// Taints that a command removes from nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removes: Vec<Taint>,
    /// What it declares to the cluster autoscaler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaler: Option<Autoscaler>,
    /// All taints are known.
    pub complete: bool,
    /// Why not all taints are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete_because: Option<String>,
}

/// What a pool declares about its nodes to the cluster autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Autoscaler {
    /// Labels that nodes would have.
    #[serde(default)]
    pub labels: BTreeMap<String, Field<String>>,
    /// Taints that nodes would have.
    #[serde(default)]
    pub taints: Vec<Taint>,
    /// All of it could be read.
    pub complete: bool,
}

/// One taint of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taint {
    /// Its key.
    pub key: Field<String>,
    /// Its value; empty if it has none.
    #[serde(default)]
    pub value: Field<String>,
    /// Its effect, in Kubernetes' spelling.
    #[serde(default)]
    pub effect: Field<String>,
    /// How it gets onto the nodes.
    #[serde(default)]
    pub origin: Origin,
    /// The effect as written, if that is not Kubernetes' spelling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spelled: Option<String>,
    /// The file that declares it, if that is not the pool's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The field that declares it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
}

/// A text of a manifest as written in inventories, if it is not null.
#[derive(Deserialize)]
enum Written {
    #[serde(rename = "$string")]
    Known(String),
    #[serde(rename = "$mapping")]
    Unknown(Unknown),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unknown {
    unknown: bool,
}

impl<'de> Deserialize<'de> for Field<String> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::deserialize(deserializer)? {
            None => Field::Absent,
            Some(Written::Known(text)) => Field::Is(text),
            // `{unknown: false}` means nothing in particular.
            Some(Written::Unknown(Unknown { unknown: _ })) => Field::Unknown,
        })
    }
}

impl Serialize for Field<String> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Field::Absent => serializer.serialize_none(),
            Field::Is(text) => serializer.serialize_str(text),
            Field::Unknown => Unknown { unknown: true }.serialize(serializer),
        }
    }
}

/// Returns a text for display; `?` if unknown.
pub fn shown(text: &Field<String>) -> &str {
    text.text().unwrap_or("?")
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Inventory {
    /// Returns the inventory as YAML, with a header.
    ///
    /// # Errors
    /// Returns an error if the serializer fails, which does not happen with these types.
    pub fn to_yaml(&self) -> Result<String, std::io::Error> {
        let value = serde_yaml::to_value(self).map_err(std::io::Error::other)?;
        Ok(format!("{HEADER}{}", text::write(&value)))
    }

    /// Returns the inventory as JSON.
    ///
    /// # Errors
    /// See [`Inventory::to_yaml`].
    pub fn to_json(&self) -> Result<String, std::io::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{self, DeError};

    fn read_text(text: &str) -> Result<ReadInventory, Vec<DeError>> {
        let stream = yaml::parse(text, SourceId(0));
        assert_eq!(stream.errors.len(), 0, "{:?} {text}", stream.errors);
        read(stream.documents[0].root(), SourceId(0)).unwrap()
    }

    fn text(text: &str) -> Field<String> {
        Field::Is(text.to_owned())
    }

    /// Texts that some YAML reader misinterprets, or that must be quoted.
    const TEXTS: [&str; 34] = [
        "",
        " ",
        "yes",
        "no",
        "on",
        "Off",
        "y",
        "N",
        "true",
        "null",
        "~",
        "0550",
        "0o17",
        "0x1F",
        "1e3",
        "1_000",
        ".inf",
        "-.5",
        "2026-01-01",
        "190:20:30",
        "<<",
        "=",
        "*a",
        "&a",
        "!a",
        "- a",
        "a: b",
        "# a",
        "{a}",
        "a\nb",
        "\u{1b}[31m",
        "'\"",
        "a\\b",
        "\u{202e}é",
    ];

    #[test]
    fn an_inventory_is_read_as_it_was_written_whatever_its_texts_look_like() {
        let pools: Vec<Pool> = TEXTS
            .iter()
            .map(|one| Pool {
                name: (*one).to_owned(),
                provider: (*one).to_owned(),
                cluster: Some((*one).to_owned()),
                file: Some((*one).to_owned()),
                line: Some(3),
                object: Object::default(),
                labels: [
                    ((*one).to_owned(), text(one)),
                    ("open".to_owned(), Field::Unknown),
                ]
                .into(),
                requirements: vec![Requirement {
                    key: text(one),
                    operator: Field::Unknown,
                    values: vec![text(one), Field::Unknown, Field::Absent],
                }],
                other_labels: OtherLabels::WellKnownOnly,
                taints: vec![Taint {
                    key: Field::Unknown,
                    value: text(one),
                    effect: Field::Absent,
                    origin: Origin::Startup,
                    spelled: Some((*one).to_owned()),
                    file: None,
                    line: None,
                    field: (*one).to_owned(),
                }],
                unschedulable: true,
                weak: true,
                removes: Vec::new(),
                autoscaler: Some(Autoscaler::default()),
                complete: false,
                incomplete_because: Some((*one).to_owned()),
            })
            .collect();
        let inventory = Inventory {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            taken: Some(Day(jiff::civil::date(2026, 1, 31))),
            complete: true,
            complete_clusters: TEXTS.iter().map(|one| (*one).to_owned()).collect(),
            pools,
        };
        for written in [inventory.to_yaml().unwrap(), inventory.to_json().unwrap()] {
            let read = read_text(&written).unwrap();
            assert_eq!(read.inventory, inventory, "{written}");
            assert_eq!(read.pools.len(), TEXTS.len());
        }
    }

    #[test]
    fn what_is_wrong_with_an_inventory_is_told_at_its_place() {
        let head = "apiVersion: kubetaint.io/v1\nkind: PoolInventory\npools:\n";
        let pool = "- {name: a, complete: true, taints: [{key: k, effect: NoSchedule}]}\n";
        assert!(read_text(&format!("{head}{pool}")).is_ok());
        for (wrong, expected) in [
            ("- {name: a, complete: true, lables: {}}", "lables"),
            ("- {name: a, complete: maybe}", "maybe"),
            ("- {name: a}", "complete"),
            ("- {complete: true}", "name"),
            (
                "- {name: a, complete: true, labels: {a: true}}",
                "write \"true\"",
            ),
            (
                "- {name: a, complete: true, taints: [{key: k, origin: thin}]}",
                "thin",
            ),
        ] {
            let errors = read_text(&format!("{head}{pool}{wrong}\n")).unwrap_err();
            let [error] = errors.as_slice() else {
                panic!("{wrong}: {errors:?}");
            };
            assert!(
                error.message.contains(expected),
                "{wrong}: {}",
                error.message
            );
            assert!(
                error.span.start as usize >= head.len() + pool.len(),
                "{wrong}"
            );
        }
        let errors =
            read_text("apiVersion: kubetaint.io/v2\nkind: PoolInventory\npools: []\n").unwrap_err();
        assert!(
            errors[0].message.contains("reads kubetaint.io/v1"),
            "{errors:?}"
        );
    }
}
