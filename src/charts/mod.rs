//! What is known about published Helm charts: which pods each value for tolerations, node selectors and affinity reaches.
//! The files of `charts/` hold it, one for each name. A file is parsed when its chart is first asked for.

mod address;
mod path;

use std::sync::{LazyLock, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::builtin;
use crate::source::Span;
pub use path::{Condition, Step, ValuePath};

/// One file of `charts/`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChartFile {
    /// The name of the chart. Same as the file's name.
    pub name: String,
    /// The charts of this name, one for each publisher.
    pub editions: Vec<Edition>,
}

/// A chart of one publisher.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Edition {
    /// Addresses of its repositories. An OCI address ends with the name of the chart.
    #[serde(default)]
    pub published: Vec<String>,
    /// The version of the chart that was examined.
    pub version: String,
    /// The repository on GitHub that the chart is developed in.
    #[serde(default)]
    pub source: Option<String>,
    /// Its values for scheduling, grouped by the pods that they reach.
    pub values: Vec<Group>,
}

/// Values that reach the same pods.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Group {
    /// The list of tolerations.
    #[serde(default)]
    pub tolerations: Option<Input>,
    /// The node selector.
    #[serde(default)]
    pub node_selector: Option<Input>,
    /// The affinity.
    #[serde(default)]
    pub affinity: Option<Input>,
    /// The pod templates that the values reach.
    #[serde(default)]
    pub pods: Vec<Pod>,
    /// Pod templates that they reach only if other values are set.
    #[serde(default)]
    pub pods_if: Vec<PodsIf>,
    /// Texts that the values are copied into, for a program that reads them when it runs.
    #[serde(default)]
    pub copied_into: Vec<String>,
}

/// Pod templates that exist only under a condition.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PodsIf {
    /// The condition: `path=value`, several joined by ` & `, or `unknown`.
    #[serde(rename = "if")]
    pub condition: Condition,
    /// The pod templates.
    pub pods: Vec<Pod>,
}

/// One value: its path, or a map if there is more to say.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(from = "WrittenInput")]
#[schemars(with = "WrittenInput")]
pub struct Input {
    /// Its path.
    pub path: ValuePath,
    /// It has no effect unless this holds, although the pods exist.
    pub only_if: Option<Condition>,
    /// Its default. Helm replaces a list as a whole and merges a map.
    pub default: Option<Value>,
    /// The place of the default, if it is in the repository.
    pub default_at: Option<Span>,
    /// What the templates use if the value is empty.
    pub when_empty: Option<Value>,
    /// What the templates add to the value.
    pub keeps: Option<Value>,
    /// Other values that the templates add to this one.
    pub joins: Vec<ValuePath>,
    /// Other values that the templates use if this one is empty.
    pub falls_back_to: Vec<ValuePath>,
    /// Other values that hide this one unless they are empty.
    pub stands_in_for: Vec<ValuePath>,
    /// The value is a text with YAML in it.
    pub text: bool,
    /// How the value combines with others is not clear.
    pub uncertain: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum WrittenInput {
    /// Its path.
    Path(ValuePath),
    /// Its path, and what else is known.
    Full(Box<FullInput>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FullInput {
    /// Its path.
    path: ValuePath,
    /// It has no effect unless this holds, although the pods exist.
    #[serde(default)]
    only_if: Option<Condition>,
    /// Its default. Helm replaces a list as a whole and merges a map.
    #[serde(default)]
    default: Option<Value>,
    /// What the templates use if the value is empty.
    #[serde(default)]
    when_empty: Option<Value>,
    /// What the templates add to the value.
    #[serde(default)]
    keeps: Option<Value>,
    /// Other values that the templates add to this one.
    #[serde(default)]
    joins: Vec<ValuePath>,
    /// Other values that the templates use if this one is empty.
    #[serde(default)]
    falls_back_to: Vec<ValuePath>,
    /// Other values that hide this one unless they are empty.
    #[serde(default)]
    stands_in_for: Vec<ValuePath>,
    /// The value is a text with YAML in it.
    #[serde(default)]
    text: bool,
    /// How the value combines with others is not clear.
    #[serde(default)]
    uncertain: bool,
}

impl Input {
    /// A value of which nothing but the path is known.
    pub fn at(path: ValuePath) -> Input {
        Input {
            path,
            only_if: None,
            default: None,
            default_at: None,
            when_empty: None,
            keeps: None,
            joins: Vec::new(),
            falls_back_to: Vec::new(),
            stands_in_for: Vec::new(),
            text: false,
            uncertain: false,
        }
    }
}

impl From<WrittenInput> for Input {
    fn from(written: WrittenInput) -> Input {
        let full = match written {
            WrittenInput::Full(full) => *full,
            WrittenInput::Path(path) => return Input::at(path),
        };
        Input {
            path: full.path,
            only_if: full.only_if,
            default: full.default,
            default_at: None,
            when_empty: full.when_empty,
            keeps: full.keeps,
            joins: full.joins,
            falls_back_to: full.falls_back_to,
            stands_in_for: full.stands_in_for,
            text: full.text,
            uncertain: full.uncertain,
        }
    }
}

/// A pod template: `Deployment/server`, `Job(hook)/migrate`, or `RayCluster@spec.headGroupSpec.template.spec/ray` for one
/// inside a custom resource. The name `*` stands for several, `(release)` for the release's own name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Pod {
    /// The kind of the object.
    pub kind: String,
    /// The place of the pod template, for a custom resource.
    pub place: Option<String>,
    /// The name of the object, without that of the release.
    pub name: String,
    /// The namespace that the template says, if it is in the repository.
    pub namespace: Option<String>,
    /// The text as written.
    pub written: String,
}

impl TryFrom<String> for Pod {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let (head, name) = written
            .split_once('/')
            .ok_or_else(|| format!("`{written}` is not `Kind/name`"))?;
        let (kind, place) = match head.split_once('@') {
            Some((kind, place)) => (kind, Some(place.to_owned())),
            None => (head, None),
        };
        Ok(Pod {
            kind: kind.strip_suffix("(hook)").unwrap_or(kind).to_owned(),
            place,
            name: name.to_owned(),
            namespace: None,
            written,
        })
    }
}

impl Pod {
    /// Whether two may be the same pod template.
    pub fn meets(&self, other: &Pod) -> bool {
        let is_open = self.name == "*" || other.name == "*";
        self.kind == other.kind && (is_open || self.name == other.name)
    }
}

impl Group {
    /// Its values, each with the name of the field that it fills.
    pub fn inputs(&self) -> impl Iterator<Item = (&'static str, &Input)> {
        let all = [
            ("tolerations", &self.tolerations),
            ("nodeSelector", &self.node_selector),
            ("affinity", &self.affinity),
        ];
        all.into_iter()
            .filter_map(|(name, input)| Some((name, input.as_ref()?)))
    }

    /// Whether it has no values: any value of the chart may reach its pods.
    pub fn is_open(&self) -> bool {
        self.inputs().next().is_none()
    }

    /// Forgets the values that something else changes before they are used.
    pub fn forget(&mut self, changed: &[ValuePath]) {
        for input in [
            &mut self.tolerations,
            &mut self.node_selector,
            &mut self.affinity,
        ] {
            let is_changed = |input: &Input| {
                let own = input.path.steps();
                changed
                    .iter()
                    .any(|path| own.starts_with(path.steps()) || path.steps().starts_with(own))
            };
            if input.as_ref().is_some_and(is_changed) {
                *input = None;
            }
        }
    }

    /// Every pod template that its values may reach.
    pub fn all_pods(&self) -> impl Iterator<Item = &Pod> {
        let under_condition = self.pods_if.iter().flat_map(|one| &one.pods);
        self.pods.iter().chain(under_condition)
    }
}

impl Edition {
    /// Whether a chart of this name that is installed from an address is this one.
    pub fn is_published_at(&self, name: &str, address: &str) -> bool {
        address::is_one_of(&self.published, name, address)
    }
}

/// All names of charts, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    let files = builtin::CARRIED_CHARTS.iter();
    files.map(|(file, _)| file.strip_suffix(".yaml").unwrap_or(file))
}

/// The charts of this name; empty if none is known.
pub fn named(name: &str) -> &'static [Edition] {
    static READ: LazyLock<Vec<OnceLock<Vec<Edition>>>> = LazyLock::new(|| {
        let files = builtin::CARRIED_CHARTS.iter();
        files.map(|_| OnceLock::new()).collect()
    });
    let file = format!("{name}.yaml");
    let files = builtin::CARRIED_CHARTS;
    let at = files.binary_search_by_key(&file.as_str(), |(file, _)| *file);
    let found = at.ok().and_then(|at| Some((READ.get(at)?, files.get(at)?)));
    found.map_or(&[], |(read, (_, text))| {
        read.get_or_init(|| builtin::table::<ChartFile>(text).editions)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_reads_and_has_the_name_of_its_chart() {
        for (file, text) in builtin::CHARTS {
            let read: ChartFile =
                serde_yaml::from_str(text).unwrap_or_else(|why| panic!("{file}: {why}"));
            assert_eq!(format!("{}.yaml", read.name), *file);
            for edition in &read.editions {
                for group in &edition.values {
                    assert!(
                        group.inputs().next().is_some(),
                        "{file}: a group of nothing"
                    );
                    let reached = group.all_pods().next().is_some();
                    assert!(
                        reached || !group.copied_into.is_empty(),
                        "{file}: values that reach nothing"
                    );
                }
            }
        }
    }

    #[test]
    fn every_chart_is_found_by_its_name() {
        assert!(names().all(|name| !named(name).is_empty()));
        assert!(named("no-such-chart").is_empty());
        assert!(named("../rules/blanket-exists").is_empty());
    }

    #[test]
    fn a_pod_names_its_kind_and_its_place() {
        let pod = |text: &str| Pod::try_from(text.to_owned()).unwrap();
        assert_eq!(pod("Job(hook)/migrate").kind, "Job");
        let place = pod("RayCluster@spec.headGroupSpec/ray").place;
        assert_eq!(place.as_deref(), Some("spec.headGroupSpec"));
        assert!(pod("Deployment/*").meets(&pod("Deployment/web")));
        assert!(!pod("Deployment/api").meets(&pod("Deployment/web")));
        assert!(Pod::try_from("Deployment".to_owned()).is_err());
    }
}
