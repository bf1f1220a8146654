//! The names that conditions may use: variables of each scope, fields of each fact, functions. The validation of rules, the
//! documentation and the schema all use this list.

use super::fact::FactKind;
use super::schema::Scope;
pub use super::standard::{is_standard_function, standard_path};
use crate::model::notice::{NoticeKind, NoticeType};

/// The type of an expression, as far as it matters for checking names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A text.
    Text,
    /// A map from text to text.
    TextMap,
    /// A list.
    List(&'static Ty),
    /// A fact with fields.
    Fact(FactKind),
    /// Unknown until evaluation.
    Dyn,
}

/// A name and its type.
pub type Entry = (&'static str, Ty);

const TOLERATION: Ty = Ty::Fact(FactKind::Toleration);
const TAINT: Ty = Ty::Fact(FactKind::Taint);
const WORKLOAD: Ty = Ty::Fact(FactKind::Workload);
const POOL: Ty = Ty::Fact(FactKind::Pool);
const TAINTS: Ty = Ty::List(&TAINT);
const POOLS: Ty = Ty::List(&POOL);
const WORKLOADS: Ty = Ty::List(&WORKLOAD);
const TEXT: Ty = Ty::Text;
const NEAR_KEYS: Ty = Ty::List(&Ty::Fact(FactKind::NearKey));
const NEAR_VALUES: Ty = Ty::List(&Ty::Fact(FactKind::NearValue));
const BLOCKED: Ty = Ty::List(&Ty::Fact(FactKind::Blocked));
const REFUSALS: Ty = Ty::List(&Ty::Fact(FactKind::Refusal));
const PARTLY: Ty = Ty::List(&Ty::Fact(FactKind::PartlyTolerated));
const ERRORS: Ty = Ty::List(&Ty::Fact(FactKind::FieldError));
const DEVIATIONS: Ty = Ty::List(&Ty::Fact(FactKind::Deviation));
const MISMATCHES: Ty = Ty::List(&Ty::Fact(FactKind::SelectorMismatch));
const USUAL: Ty = Ty::List(&Ty::Fact(FactKind::UsualToleration));
const WITNESSES: Ty = Ty::List(&Ty::Fact(FactKind::Witness));
const UNANSWERED: Ty = Ty::List(&Ty::Fact(FactKind::UnansweredLabel));
const TEXTS: Ty = Ty::List(&TEXT);
const TOLERATIONS: Ty = Ty::List(&TOLERATION);

const CLUSTER_VARIABLES: [Entry; 2] = [("cluster", Ty::Fact(FactKind::Cluster)), ("pools", POOLS)];

const CHANGE: Entry = ("change", Ty::Fact(FactKind::Change));

/// Returns the variables of a scope.
pub fn variables(scope: Scope) -> Vec<Entry> {
    let mut all = vec![("kubernetes", Ty::Fact(FactKind::Kubernetes))];
    match scope {
        Scope::Toleration => all.extend([("toleration", TOLERATION), ("workload", WORKLOAD)]),
        Scope::Workload => all.push(("workload", WORKLOAD)),
        Scope::Taint => all.extend([("taint", TAINT), ("pool", POOL)]),
        Scope::Pool => all.push(("pool", POOL)),
        Scope::Notice => all.extend([
            ("notice", Ty::Fact(FactKind::Notice)),
            ("workload", WORKLOAD),
        ]),
        Scope::DeviceTaint => all.extend([("taint", TAINT), ("workload", WORKLOAD)]),
        Scope::DeviceToleration => {
            all.extend([("toleration", TOLERATION), ("workload", WORKLOAD)]);
        }
        Scope::Change => all.extend([("before", WORKLOAD), ("after", WORKLOAD), CHANGE]),
        Scope::PoolChange => all.extend([("before", POOL), ("after", POOL), CHANGE]),
    }
    if !is_alone(scope) {
        all.extend(CLUSTER_VARIABLES);
    }
    all
}

/// The variable with the severity of the finding, in sentences.
pub const SEVERITY: &str = "severity";

/// The variables of sentences in addition to those of their scope.
pub const OF_SENTENCES: [Entry; 1] = [(SEVERITY, TEXT)];

/// The fields that notices of all kinds have.
pub const OF_NOTICES: [Entry; 3] = [
    ("kind", TEXT),
    ("reader", TEXT),
    ("brokenOnPurpose", Ty::Bool),
];

/// Whether a scope evaluates something that belongs to no cluster and for which only the kind of the owner matters.
fn is_alone(scope: Scope) -> bool {
    matches!(
        scope,
        Scope::Notice | Scope::DeviceTaint | Scope::DeviceToleration
    )
}

/// Returns the fields of a fact. In some scopes, a fact has additional fields.
pub fn fields(kind: FactKind, scope: Scope) -> Vec<Entry> {
    let owner = || {
        vec![
            ("kind", TEXT),
            ("apiGroup", TEXT),
            ("level", TEXT),
            ("verbatim", Ty::Bool),
            ("rejection", TEXT),
            ("typeRejection", TEXT),
        ]
    };
    match kind {
        FactKind::Toleration => {
            let mut all = vec![
                ("key", TEXT),
                ("operator", TEXT),
                ("value", TEXT),
                ("effect", TEXT),
                ("tolerationSeconds", Ty::Int),
                ("text", TEXT),
                ("subject", TEXT),
            ];
            if scope == Scope::Toleration {
                all.extend([
                    ("wellKnown", Ty::Bool),
                    ("hinted", Ty::Bool),
                    ("means", TEXT),
                    ("fits", Ty::Bool),
                    ("foreignCloud", TEXT),
                    ("legacy", Ty::Bool),
                    ("replacedBy", TEXT),
                    ("until", TEXT),
                    ("addedBy", TEXT),
                    ("duplicateOf", TOLERATIONS),
                    ("subsumedBy", TOLERATIONS),
                    ("matches", TAINTS),
                    ("otherValues", TAINTS),
                    ("otherEffects", TAINTS),
                    ("nearestValues", TAINTS),
                    ("nearestEffects", TAINTS),
                    ("effectsElsewhere", TAINTS),
                    ("loneEffect", Ty::Bool),
                    ("taintElsewhere", Ty::Bool),
                    ("nearestKeys", NEAR_KEYS),
                    ("nearKeys", NEAR_KEYS),
                    ("nearValues", NEAR_VALUES),
                    ("deviations", DEVIATIONS),
                    ("selectorMismatches", MISMATCHES),
                    ("shadowedBy", TOLERATIONS),
                    ("misspeltBeside", TOLERATIONS),
                ]);
            }
            all
        }
        FactKind::Taint if scope == Scope::DeviceTaint => {
            vec![
                ("key", TEXT),
                ("value", TEXT),
                ("effect", TEXT),
                ("text", TEXT),
            ]
        }
        FactKind::Taint => {
            let mut all = vec![
                ("key", TEXT),
                ("value", TEXT),
                ("effect", TEXT),
                ("origin", TEXT),
                ("pool", TEXT),
                ("hard", Ty::Bool),
                ("text", TEXT),
                ("remedy", TEXT),
            ];
            if scope == Scope::Taint {
                all.extend([("duplicate", Ty::Bool), ("errors", ERRORS)]);
            }
            all
        }
        FactKind::Workload if is_alone(scope) => owner(),
        FactKind::Workload => {
            let mut all = owner();
            all.extend([
                ("nodeName", TEXT),
                ("priorityClassName", TEXT),
                ("runtimeClassName", TEXT),
                ("hostNetwork", Ty::Bool),
                ("nodeSelector", Ty::TextMap),
                ("tolerations", TOLERATIONS),
                ("qosClass", TEXT),
                ("system", Ty::Bool),
                ("onOpenShift", Ty::Bool),
                ("refused", TEXT),
                ("refusedMessage", TEXT),
                ("asksForNodes", Ty::Bool),
                ("pinned", Ty::Bool),
                ("partial", Ty::Bool),
                ("extendedResources", TEXTS),
                ("askedLabels", TEXTS),
                ("controller", TEXT),
                ("nodeAgent", Ty::Bool),
                ("clusterPart", Ty::Bool),
                ("bundled", Ty::Bool),
                ("managedAddOn", Ty::Bool),
                ("dumped", Ty::Bool),
            ]);
            if scope.is_of_changes() {
                all.extend([
                    ("name", TEXT),
                    ("namespace", TEXT),
                    ("labels", Ty::TextMap),
                    ("annotations", Ty::TextMap),
                    ("lands", TEXTS),
                ]);
            }
            if scope == Scope::Workload {
                all.extend([
                    ("name", TEXT),
                    ("title", TEXT),
                    ("namespace", TEXT),
                    ("inTests", Ty::Bool),
                    ("layered", Ty::Bool),
                    ("labels", Ty::TextMap),
                    ("annotations", Ty::TextMap),
                    ("meansPools", Ty::Bool),
                    ("selectedPools", POOLS),
                    ("possiblePools", POOLS),
                    ("undeclaredPools", POOLS),
                    ("blockedPools", BLOCKED),
                    ("blockedElsewhere", BLOCKED),
                    ("refusals", REFUSALS),
                    ("unmatchedPools", REFUSALS),
                    ("partlyToleratedPools", PARTLY),
                    ("unansweredLabels", UNANSWERED),
                    ("missedPools", BLOCKED),
                    ("foreignLabels", TEXTS),
                    ("foreignCloud", TEXT),
                    ("usualTolerations", USUAL),
                    ("siblingTolerations", USUAL),
                ]);
            }
            all
        }
        FactKind::Pool => {
            let mut all = vec![
                ("name", TEXT),
                ("provider", TEXT),
                ("admission", TEXTS),
                ("complete", Ty::Bool),
                ("purpose", TEXT),
                ("accelerator", TEXT),
                ("labels", Ty::TextMap),
                ("taints", TAINTS),
                ("hardTaints", TAINTS),
            ];
            if scope == Scope::Pool {
                all.push(("tolerated", Ty::Bool));
            }
            all
        }
        FactKind::Cluster => vec![
            ("name", TEXT),
            ("clause", TEXT),
            ("complete", Ty::Bool),
            ("managed", Ty::Bool),
            ("cloud", TEXT),
        ],
        FactKind::Kubernetes => vec![
            ("version", TEXT),
            ("comparisonOperators", Ty::Bool),
            ("comparisonStage", TEXT),
            ("checksAffinityValues", Ty::Bool),
            ("hasControlPlaneTaint", Ty::Bool),
            ("knowsDeviceEffectNone", Ty::Bool),
            ("admission", TEXTS),
            ("knowsAdmission", Ty::Bool),
        ],
        FactKind::Notice => {
            let mut all = OF_NOTICES.to_vec();
            for (name, ty) in NoticeKind::NAMES.iter().flat_map(|(_, fields)| *fields) {
                if !all.iter().any(|(known, _)| known == name) {
                    all.push((
                        name,
                        if *ty == NoticeType::Bool {
                            Ty::Bool
                        } else {
                            TEXT
                        },
                    ));
                }
            }
            all
        }
        FactKind::NearKey => standing(&[("key", TEXT), ("likeness", TEXT), ("declared", Ty::Bool)]),
        FactKind::NearValue => standing(&[("value", TEXT)]),
        FactKind::Blocked => vec![("pool", POOL), ("taint", TAINT)],
        FactKind::Refusal => vec![("pool", POOL), ("reason", TEXT), ("taint", TEXT)],
        FactKind::PartlyTolerated => vec![("pool", POOL), ("tolerated", TAINT), ("missing", TAINT)],
        FactKind::FieldError => vec![("field", TEXT), ("message", TEXT)],
        FactKind::Deviation => weighed(&["field", "written", "usual", "likeness"]),
        FactKind::SelectorMismatch => weighed(&["field", "label", "value"]),
        FactKind::UsualToleration => weighed(&["key", "text", "common", "bond"]),
        FactKind::UnansweredLabel => {
            vec![
                ("key", TEXT),
                ("value", TEXT),
                ("near", TEXT),
                ("pool", TEXT),
                ("alternatives", TEXTS),
            ]
        }
        FactKind::Witness => vec![("kind", TEXT), ("name", TEXT)],
        FactKind::Change => {
            let mut all = vec![("isNew", Ty::Bool), ("gained", TEXTS), ("lost", TEXTS)];
            match scope {
                Scope::PoolChange => all.extend([
                    ("isGone", Ty::Bool),
                    ("added", TAINTS),
                    ("removed", TAINTS),
                    ("gainedBy", WORKLOADS),
                    ("lostBy", WORKLOADS),
                ]),
                _ => all.extend([
                    ("effect", TEXT),
                    ("added", TOLERATIONS),
                    ("removed", TOLERATIONS),
                    ("newlyTolerated", TAINTS),
                    ("noLongerTolerated", TAINTS),
                ]),
            }
            all
        }
    }
}

/// Returns the fields of facts based on evidence from workloads: these texts, and how many agree and deviate.
/// The fields of a word that was probably meant, and how much speaks for it.
fn standing(own: &[Entry]) -> Vec<Entry> {
    let mut all = own.to_vec();
    all.extend([
        ("pool", TEXT),
        ("wellKnown", Ty::Bool),
        ("uses", Ty::Int),
        ("sure", Ty::Bool),
    ]);
    all
}

fn weighed(texts: &[&'static str]) -> Vec<Entry> {
    let counts = ["agreeing", "deviating", "strength"];
    let mut all: Vec<Entry> = texts.iter().map(|name| (*name, TEXT)).collect();
    all.extend(counts.map(|name| (name, Ty::Int)));
    all.push(("witnesses", WITNESSES));
    all
}

/// Functions that are called by name, with their result types.
pub const GLOBAL_FUNCTIONS: [Entry; 9] = [
    ("isLabelKey", Ty::Bool),
    ("isLabelValue", Ty::Bool),
    ("isComparisonInteger", Ty::Bool),
    ("nearest", Ty::Text),
    ("size", Ty::Int),
    ("string", Ty::Text),
    ("int", Ty::Int),
    ("bool", Ty::Bool),
    ("type", Ty::Dyn),
];

/// Functions that are called on a value, with their result types.
pub const MEMBER_FUNCTIONS: [Entry; 8] = [
    ("tolerates", Ty::Bool),
    ("selects", Ty::Bool),
    ("canLand", Ty::Bool),
    ("size", Ty::Int),
    ("startsWith", Ty::Bool),
    ("endsWith", Ty::Bool),
    ("contains", Ty::Bool),
    ("matches", Ty::Bool),
];

/// Returns the places that a finding may point to in a scope; the first part is the fact. If a field is missing, the
/// finding points to the whole fact; `taint.errors` is the field of its first error, `toleration.deviation` the field that
/// others write differently.
pub fn places(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::Toleration | Scope::DeviceToleration => &[
            "toleration",
            "toleration.key",
            "toleration.operator",
            "toleration.value",
            "toleration.effect",
            "toleration.tolerationSeconds",
            "toleration.deviation",
        ],
        Scope::Taint => &[
            "taint",
            "taint.key",
            "taint.value",
            "taint.effect",
            "taint.errors",
        ],
        Scope::Workload => &["workload", "workload.selector", "workload.tolerations"],
        Scope::Pool => &["pool", "pool.taints"],
        Scope::Notice => &["notice"],
        Scope::DeviceTaint => &["taint", "taint.key", "taint.value", "taint.effect"],
        // There, `at` is an expression.
        Scope::Change | Scope::PoolChange => &[],
    }
}
