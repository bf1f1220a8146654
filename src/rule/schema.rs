//! The format of a rule file, before its contents are validated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::finding::Severity;
use crate::yaml::Spanned;

/// One rule file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleFile {
    /// Kebab-case, the file's name, names the wrong state.
    pub id: Spanned<String>,
    /// One line for lists of rules.
    pub title: String,
    /// Severity when nothing changes it.
    pub severity: Severity,
    /// What family it belongs to.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What `when` sees, and how often it runs.
    pub scope: Scope,
    /// What a rule of scope `change` looks at: `workload` (the default) or `pool`.
    #[serde(default)]
    pub of: Option<Spanned<ChangeOf>>,
    /// What must be known before it may conclude anything.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// What happens where `complete-pools` is needed and the pools are not complete.
    #[serde(default)]
    pub otherwise: Otherwise,
    /// CEL; where it is true, the finding stands although the pools are not complete, as a warning at most.
    #[serde(default)]
    pub stands_when: Option<Spanned<String>>,
    /// It also judges parts of pods: patches and values of charts that contain tolerations beside what selects nodes.
    #[serde(default)]
    pub of_parts: bool,
    /// Named values, each CEL under a name, in order: everything else may use them, and each may use those above it.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, Spanned<String>>,
    /// CEL; a finding is where it is true.
    pub when: Spanned<String>,
    /// The field that the finding points at; in scope `change`, CEL that gives one fact or a list of facts.
    pub at: Spanned<String>,
    /// Other places that belong to the finding.
    #[serde(default)]
    pub related: Vec<RelatedFile>,
    /// What is; text with CEL holes.
    pub message: Spanned<String>,
    /// What to do; text with CEL holes.
    #[serde(default)]
    pub help: Option<Spanned<String>>,
    /// What is said otherwise under a condition. For each of message, help and severity, the first case that has it and
    /// whose condition is true decides.
    #[serde(default)]
    pub cases: Vec<CaseFile>,
    /// Rules that explain the same mistake better: where one of them has a finding about the same entry, this rule says
    /// nothing of it.
    #[serde(default)]
    pub gives_way_to: Vec<Spanned<GivesWayFile>>,
    /// Where a finding says what is usual: the closing lines count it, and it is listed only on request.
    #[serde(default)]
    pub summary: Option<SummaryFile>,
    /// How to fix what it finds, without a person.
    #[serde(default)]
    pub fix: Option<FixFiles>,
    /// The page's body, Markdown: what happens in the cluster, and why.
    pub why: String,
    /// How to fix what it finds, Markdown.
    #[serde(default)]
    pub how_to_fix: Option<String>,
    /// When a finding is as it should be, Markdown.
    #[serde(default)]
    pub ignore_when: Option<String>,
    /// Files of Kubernetes' source, or of whoever else decides, that the rule follows.
    #[serde(default)]
    pub source: Vec<String>,
    /// Examples, which are tests and documentation.
    pub examples: Vec<ExampleFile>,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Each distinct entry of a list of tolerations, with the pod shape around it.
    Toleration,
    /// Each taint of each pool.
    Taint,
    /// Each pod template.
    Workload,
    /// Each pool.
    Pool,
    /// Each thing that reading noticed.
    Notice,
    /// Each taint of devices.
    DeviceTaint,
    /// Each toleration of a request for devices.
    DeviceToleration,
    /// What a change does to each workload or pool; only where two revisions are compared.
    Change,
    /// The same for a pool: scope `change` with `of: pool`.
    #[serde(skip)]
    PoolChange,
}

/// What a rule of scope `change` looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeOf {
    /// Each pod template that is new, that differs, or whose pods can run on other pools.
    Workload,
    /// Each pool that is new, differs or is gone.
    Pool,
}

impl Scope {
    /// Whether it compares two revisions.
    pub fn is_of_changes(self) -> bool {
        matches!(self, Scope::Change | Scope::PoolChange)
    }

    /// Returns the word that rule files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Toleration => "toleration",
            Scope::Taint => "taint",
            Scope::Workload => "workload",
            Scope::Pool => "pool",
            Scope::Notice => "notice",
            Scope::DeviceTaint => "device-taint",
            Scope::DeviceToleration => "device-toleration",
            Scope::Change | Scope::PoolChange => "change",
        }
    }

    /// Returns the place that names the subject of a rule with this scope.
    pub fn subject(self) -> &'static str {
        match self {
            Scope::Toleration | Scope::DeviceToleration => "toleration",
            Scope::Taint | Scope::DeviceTaint => "taint",
            Scope::Workload | Scope::Change => "workload",
            Scope::Pool | Scope::PoolChange => "pool",
            Scope::Notice => "notice",
        }
    }
}

/// What must be known before a rule may conclude anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// At least one pool serves the workload.
    Pools,
    /// All pools of the cluster are known.
    CompletePools,
    /// Every toleration and every selector of the workload could be read.
    Literal,
    /// Every selector of the workload could be read.
    LiteralSelector,
}

/// What a rule does where it needs complete pools and they are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Otherwise {
    /// Its findings are notes.
    #[default]
    Note,
    /// It finds nothing.
    Off,
}

/// Another place, as written.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelatedFile {
    /// CEL that gives one fact or a list of facts.
    pub at: Spanned<String>,
    /// What stands there; text with CEL holes.
    pub message: Spanned<String>,
}

/// What is said where a condition is true; at least one of message, help and severity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// CEL.
    pub when: Spanned<String>,
    /// The message there; text with CEL holes.
    #[serde(default)]
    pub message: Option<Spanned<String>>,
    /// The help there; text with CEL holes.
    #[serde(default)]
    pub help: Option<Spanned<String>>,
    /// The severity there.
    #[serde(default)]
    pub severity: Option<Severity>,
}

/// A rule that this one gives way to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(untagged)]
pub enum GivesWayFile {
    /// The id of a rule.
    #[serde(rename = "$string")]
    Always(String),
    /// The id of a rule, and a condition.
    #[serde(rename = "$mapping")]
    Sometimes(GivesWayMap),
}

/// The id of a rule, and a condition.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivesWayMap {
    /// The id of the rule that stays.
    pub rule: String,
    /// CEL; this rule gives way where it is true.
    pub when: Spanned<String>,
}

impl GivesWayFile {
    /// Returns the id of the rule that takes precedence, and the condition under which this rule gives way to it.
    pub fn parts(self) -> (String, Option<Spanned<String>>) {
        match self {
            GivesWayFile::Always(rule) => (rule, None),
            GivesWayFile::Sometimes(map) => (map.rule, Some(map.when)),
        }
    }
}

/// When findings are only counted, and in which words.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryFile {
    /// CEL; a finding is counted where it is true, and reported where it is false or not known.
    pub when: Spanned<String>,
    /// What stands behind the number 1.
    pub one: String,
    /// What stands behind any other number.
    pub many: String,
}

/// One or several fixes as written; the first that applies is taken.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(untagged)]
pub enum FixFiles {
    /// One fix.
    #[serde(rename = "$mapping")]
    One(Box<FixFile>),
    /// The first that applies is taken.
    #[serde(rename = "$list")]
    Several(Vec<FixFile>),
}

impl FixFiles {
    /// Returns all of them, in order.
    pub fn as_slice(&self) -> &[FixFile] {
        match self {
            FixFiles::One(fix) => std::slice::from_ref(&**fix),
            FixFiles::Several(fixes) => fixes,
        }
    }
}

/// One fix as written: exactly one operation, with the place that it changes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixFile {
    /// Whether the meaning for the cluster stays the same, or the object was rejected anyway. Others may change where pods
    /// run, and are applied only on request.
    pub safe: Spanned<bool>,
    /// CEL; the fix applies where it is true.
    #[serde(default)]
    pub when: Option<Spanned<String>>,
    /// What it does, in a few words; text with CEL holes.
    #[serde(default)]
    pub title: Option<Spanned<String>>,
    /// Takes out the field or the entry.
    #[serde(default)]
    pub remove: Option<Spanned<String>>,
    /// Gives the field the text `to`.
    #[serde(default)]
    pub set: Option<Spanned<String>>,
    /// Puts the value in quotes.
    #[serde(default)]
    pub quote: Option<Spanned<String>>,
    /// Takes the quotes off a number.
    #[serde(default)]
    pub unquote: Option<Spanned<String>>,
    /// Gives the key the name `to`.
    #[serde(default)]
    pub rename: Option<Spanned<String>>,
    /// Gives the entry one more field, named `field`, with the text `to`.
    #[serde(default)]
    pub add: Option<Spanned<String>>,
    /// The text for `set`, `rename` and `add`; text with CEL holes.
    #[serde(default)]
    pub to: Option<Spanned<String>>,
    /// The name of the field for `add`.
    #[serde(default)]
    pub field: Option<Spanned<String>>,
}

/// One example: `bad` or `good`, with a reason.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExampleFile {
    /// Wrong; the expected lines end in `# <- finding`.
    #[serde(default)]
    pub bad: Option<ExampleText>,
    /// Right.
    #[serde(default)]
    pub good: Option<ExampleText>,
    /// What the bad text becomes when all fixes of the rule are applied, without the marks.
    #[serde(default)]
    pub fixed: Option<ExampleText>,
    /// Why it is right or wrong; a near miss says here in which fact it differs.
    #[serde(default)]
    pub why: Option<String>,
}

impl ExampleFile {
    /// Returns its texts, whatever they are.
    pub fn texts(&self) -> impl Iterator<Item = &ExampleText> {
        let all = [&self.bad, &self.good, &self.fixed];
        all.into_iter().flatten()
    }
}

/// One manifest, or several files by path. For a rule of scope `change`, the files `before` and `after`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(untagged)]
pub enum ExampleText {
    /// One file.
    #[serde(rename = "$string")]
    One(String),
    /// Several files, or two states.
    #[serde(rename = "$mapping")]
    Many(BTreeMap<String, ExamplePart>),
}

/// A file of an example, or one of its two states.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(untagged)]
pub enum ExamplePart {
    /// The text of a file.
    #[serde(rename = "$string")]
    Text(String),
    /// The files of a state by path.
    #[serde(rename = "$mapping")]
    State(BTreeMap<String, String>),
}

impl ExampleText {
    /// Returns paths and texts; a single text is named `example.yaml`. Of two states, these are the files after.
    pub fn files(&self) -> Vec<(&str, &str)> {
        match self {
            ExampleText::One(text) => vec![("example.yaml", text)],
            ExampleText::Many(files) => match self.state("after") {
                Some(after) => after,
                None => files
                    .iter()
                    .filter_map(|(path, part)| match part {
                        ExamplePart::Text(text) => Some((path.as_str(), text.as_str())),
                        ExamplePart::State(_) => None,
                    })
                    .collect(),
            },
        }
    }

    /// Returns paths and texts before a change; none if there are no two states.
    pub fn before(&self) -> Vec<(&str, &str)> {
        self.state("before").unwrap_or_default()
    }

    /// Whether these are the two states of a change, and nothing else.
    pub fn is_change(&self) -> bool {
        let ExampleText::Many(files) = self else {
            return false;
        };
        files.len() == 2
            && ["before", "after"]
                .iter()
                .all(|one| self.state(one).is_some())
    }

    /// Whether it has files only.
    pub fn has_files_only(&self) -> bool {
        match self {
            ExampleText::One(_) => true,
            ExampleText::Many(files) => {
                let mut parts = files.values();
                parts.all(|part| matches!(part, ExamplePart::Text(_)))
            }
        }
    }

    fn state(&self, name: &str) -> Option<Vec<(&str, &str)>> {
        let ExampleText::Many(files) = self else {
            return None;
        };
        match files.get(name)? {
            ExamplePart::State(files) => Some(
                files
                    .iter()
                    .map(|(path, text)| (path.as_str(), text.as_str()))
                    .collect(),
            ),
            ExamplePart::Text(_) => None,
        }
    }
}
