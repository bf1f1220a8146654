//! What happens to a pod's tolerations and node selector between the manifest and the scheduler. The DaemonSet controller
//! and the admission plugins of the API server run in order, and each merges in its own way.
//!
//! The order is that of `AllOrderedPlugins` in `pkg/kubeapiserver/options/plugins.go`: PodNodeSelector,
//! DefaultTolerationSeconds, PodTolerationRestriction, ExtendedResourceToleration, RuntimeClass. The DaemonSet controller
//! comes first because it creates the pod.

use std::collections::{BTreeMap, BTreeSet};

use super::taint::Effect;
use super::toleration::{Toleration, daemon_set_tolerations};
use super::{Field, Truth};

/// The component that adds a toleration that is not in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Injector {
    /// The DaemonSet controller; always active.
    DaemonSet,
    /// The plugin of this name; on by default.
    DefaultTolerationSeconds,
    /// The plugin that reads annotations of Namespaces; off by default.
    PodTolerationRestriction,
    /// The plugin that reads requests for extended resources; off by default.
    ExtendedResourceToleration,
    /// The plugin of this name; on by default.
    RuntimeClass,
    /// A mutating policy, another webhook, or the chart that makes the pods.
    Other,
}

/// The origin of an entry in a pod's list of tolerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Giver {
    /// The manifest, with the index in its list.
    Manifest(usize),
    /// Kubernetes.
    Injected(Injector),
}

/// A toleration of a pod after admission.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodToleration {
    /// The entry.
    pub toleration: Toleration,
    /// Its origin.
    pub giver: Giver,
    /// The entry is certain. Otherwise the component that would add it may not run, or depends on something unreadable.
    pub certain: bool,
}

/// The tolerations of a pod after admission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodTolerations {
    /// The entries. Their order matters for eviction.
    pub entries: Vec<PodToleration>,
    /// An entry may have been merged into another. That can change for how long a taint is tolerated, but not whether.
    pub unsettled: bool,
}

/// The seconds that DefaultTolerationSeconds grants unless flags of the API server change them.
pub const DEFAULT_TOLERATION_SECONDS: i64 = 300;

impl PodTolerations {
    /// Creates the list from the tolerations of the manifest.
    pub fn new(written: &[Toleration]) -> PodTolerations {
        let entry = |(at, toleration): (usize, &Toleration)| PodToleration {
            toleration: toleration.clone(),
            giver: Giver::Manifest(at),
            certain: true,
        };
        PodTolerations {
            entries: written.iter().enumerate().map(entry).collect(),
            unsettled: false,
        }
    }

    /// Returns the entries for questions about single taints. For an uncertain entry, it is unknown whether it tolerates a
    /// taint that matches its key and effect.
    pub fn tolerations(&self) -> Vec<Toleration> {
        self.entries
            .iter()
            .map(|entry| {
                let mut toleration = entry.toleration.clone();
                if !entry.certain {
                    toleration.operator = Field::Unknown;
                }
                toleration
            })
            .collect()
    }

    /// Whether the Namespace, the RuntimeClass, ExtendedResourceToleration, a webhook or a chart adds, or may add, an entry with this
    /// key or for every key. Entries that Kubernetes adds to every pod are ignored.
    pub fn may_be_given(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| {
            let given = matches!(
                entry.giver,
                Giver::Injected(
                    Injector::PodTolerationRestriction
                        | Injector::ExtendedResourceToleration
                        | Injector::RuntimeClass
                        | Injector::Other
                )
            );
            let own = entry.toleration.key.text();
            given && own.is_none_or(|own| own.is_empty() || own == key)
        })
    }

    /// Appends entries that something else may add: a webhook or a chart.
    pub fn add_possible(&mut self, tolerations: impl IntoIterator<Item = Toleration>) {
        for toleration in tolerations {
            self.push(toleration, Injector::Other, false);
        }
    }

    fn push(&mut self, toleration: Toleration, by: Injector, certain: bool) {
        self.entries.push(PodToleration {
            toleration,
            giver: Giver::Injected(by),
            certain,
        });
    }

    /// Implements `AddOrUpdateTolerationInPodSpec`: replaces each entry with the same key, effect, operator and value,
    /// whatever its seconds, or else appends the toleration.
    fn add_or_update(&mut self, toleration: &Toleration, by: Injector, certain: bool) {
        let mut updated = false;
        for entry in &mut self.entries {
            if is_same_match(toleration, &entry.toleration) == Truth::Yes {
                updated = true;
                if certain {
                    entry.toleration = toleration.clone();
                    entry.giver = Giver::Injected(by);
                    entry.certain = true;
                }
            }
        }
        if !updated {
            self.push(toleration.clone(), by, certain);
        }
    }

    /// Applies the DaemonSet controller (`AddOrUpdateDaemonPodTolerations`).
    pub fn add_daemon_set(&mut self, host_network: &Field<bool>) {
        let always = daemon_set_tolerations(false);
        for toleration in &always {
            self.add_or_update(toleration, Injector::DaemonSet, true);
        }
        let all = daemon_set_tolerations(true);
        let on_host_network = all.get(always.len()..).unwrap_or_default();
        let certain = match host_network {
            Field::Absent | Field::Is(false) => return,
            Field::Is(true) => true,
            Field::Unknown => false,
        };
        for toleration in on_host_network {
            self.add_or_update(toleration, Injector::DaemonSet, certain);
        }
    }

    /// Applies DefaultTolerationSeconds. It compares only keys and effects, so an entry whose value makes it tolerate
    /// nothing still prevents the default. If `seconds` is unknown, the entry is uncertain.
    pub fn add_default_seconds(&mut self, seconds: &Field<i64>) {
        for key in [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ] {
            let held = Truth::any(self.entries.iter().map(|entry| {
                let toleration = &entry.toleration;
                let key = is_empty_or(&toleration.key, key);
                let effect = is_empty_or(&toleration.effect, Effect::NoExecute.as_str());
                key.and(effect).and(if_certain(entry))
            }));
            if held == Truth::Yes {
                continue;
            }
            let mut toleration = exists(key, Effect::NoExecute);
            toleration.toleration_seconds = seconds.clone();
            let certain = held == Truth::No && !seconds.is_unknown();
            self.push(toleration, Injector::DefaultTolerationSeconds, certain);
        }
    }

    /// Applies ExtendedResourceToleration. `resources` are the extended resources that containers request.
    pub fn add_extended_resources(&mut self, resources: &BTreeSet<String>, certain: bool) {
        for resource in resources {
            self.add_or_update(
                &exists(resource, Effect::NoSchedule),
                Injector::ExtendedResourceToleration,
                certain,
            );
        }
    }

    /// Applies PodTolerationRestriction: the defaults of the Namespace, and an entry for memory pressure unless the pod is
    /// BestEffort. [`PodTolerations::are_whitelisted`] checks the whitelist.
    pub fn add_namespace_defaults(
        &mut self,
        defaults: &[Toleration],
        best_effort: Truth,
        certain: bool,
    ) {
        let entry = |toleration: &Toleration, certain| PodToleration {
            toleration: toleration.clone(),
            giver: Giver::Injected(Injector::PodTolerationRestriction),
            certain,
        };
        let mut extra: Vec<_> = defaults.iter().map(|one| entry(one, certain)).collect();
        if best_effort != Truth::Yes {
            let pressure = exists("node.kubernetes.io/memory-pressure", Effect::NoSchedule);
            extra.push(entry(&pressure, certain && best_effort == Truth::No));
        }
        if !extra.is_empty() {
            let happens = certain && (!defaults.is_empty() || best_effort == Truth::No);
            self.merge(extra, happens);
        }
    }

    /// Applies `scheduling.tolerations` of the RuntimeClass. The plugin merges even if that list is empty.
    pub fn add_runtime_class(&mut self, tolerations: &[Toleration]) {
        let entry = |toleration: &Toleration| PodToleration {
            toleration: toleration.clone(),
            giver: Giver::Injected(Injector::RuntimeClass),
            certain: true,
        };
        self.merge(tolerations.iter().map(entry).collect(), true);
    }

    /// Implements `MergeTolerations` (`pkg/util/tolerations`): if one entry covers another, only the covering one remains.
    /// If the merge is uncertain, all entries remain.
    fn merge(&mut self, extra: Vec<PodToleration>, happens: bool) {
        let all: Vec<PodToleration> = self.entries.drain(..).chain(extra).collect();
        let mut merged: Vec<PodToleration> = Vec::with_capacity(all.len());
        for (at, entry) in all.iter().enumerate() {
            let mine = &entry.toleration;
            let by_earlier = merged
                .iter()
                .map(|other| is_superset(&other.toleration, mine).and(if_certain(other)));
            let by_later = all.get(at + 1..).unwrap_or_default().iter().map(|other| {
                let theirs = &other.toleration;
                (!is_equal(mine, theirs))
                    .and(is_superset(theirs, mine))
                    .and(if_certain(other))
            });
            match Truth::any(by_earlier.chain(by_later)) {
                Truth::Yes if happens => continue,
                Truth::Yes | Truth::Unknown => self.unsettled = true,
                Truth::No => {}
            }
            merged.push(entry.clone());
        }
        self.entries = merged;
    }

    /// Whether the whitelist of the Namespace covers every entry; an empty whitelist allows everything.
    pub fn are_whitelisted(&self, whitelist: &[Toleration]) -> Truth {
        if whitelist.is_empty() {
            return Truth::Yes;
        }
        Truth::all(self.entries.iter().map(|entry| {
            let covered = Truth::any(
                whitelist
                    .iter()
                    .map(|allowed| is_superset(allowed, &entry.toleration)),
            );
            covered.or(!if_certain(entry))
        }))
    }
}

/// Merges labels of a RuntimeClass into a pod's node selector.
///
/// # Errors
/// Returns the key that has different values in the two; the API server then refuses the pod.
pub fn merge_runtime_class_selector(
    selector: &mut BTreeMap<String, Field<String>>,
    class: &BTreeMap<String, Field<String>>,
) -> Result<(), String> {
    for (key, theirs) in class {
        match selector.get(key) {
            None => {
                selector.insert(key.clone(), theirs.clone());
            }
            Some(mine) if is_equal_text(mine, theirs) == Truth::No => return Err(key.clone()),
            // An admitted pod has equal values, or it would have been refused.
            Some(mine) if mine.is_unknown() => {
                selector.insert(key.clone(), theirs.clone());
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn exists(key: &str, effect: Effect) -> Toleration {
    Toleration {
        key: Field::Is(key.to_owned()),
        operator: Field::Is("Exists".to_owned()),
        effect: Field::Is(effect.as_str().to_owned()),
        ..Toleration::default()
    }
}

/// Returns `Yes` for a certain entry and `Unknown` for an uncertain one.
pub(super) fn if_certain(entry: &PodToleration) -> Truth {
    if entry.certain {
        Truth::Yes
    } else {
        Truth::Unknown
    }
}

fn is_text(field: &Field<String>, wanted: &str) -> Truth {
    field
        .text()
        .map_or(Truth::Unknown, |text| (text == wanted).into())
}

fn is_empty_or(field: &Field<String>, wanted: &str) -> Truth {
    is_text(field, "").or(is_text(field, wanted))
}

fn is_equal_text(one: &Field<String>, other: &Field<String>) -> Truth {
    match (one.text(), other.text()) {
        (Some(one), Some(other)) => (one == other).into(),
        _ => Truth::Unknown,
    }
}

/// Implements `MatchToleration`: compares everything except the seconds.
fn is_same_match(one: &Toleration, other: &Toleration) -> Truth {
    is_equal_text(&one.key, &other.key)
        .and(is_equal_text(&one.effect, &other.effect))
        .and(is_equal_text(&one.operator, &other.operator))
        .and(is_equal_text(&one.value, &other.value))
}

fn is_equal(one: &Toleration, other: &Toleration) -> Truth {
    let seconds = match (&one.toleration_seconds, &other.toleration_seconds) {
        (Field::Unknown, _) | (_, Field::Unknown) => Truth::Unknown,
        (mine, theirs) => (mine == theirs).into(),
    };
    is_same_match(one, other).and(seconds)
}

/// Whether `whole` covers `part` according to `isSuperset` in `pkg/util/tolerations`. A missing operator counts as `Equal`
/// in `whole` but not in `part`; `Gt` and `Lt` cover only an identical entry.
fn is_superset(whole: &Toleration, part: &Toleration) -> Truth {
    let every_key = is_text(&whole.key, "").and(is_text(&whole.operator, "Exists"));
    let key = every_key.or(is_equal_text(&whole.key, &part.key));
    let effect = is_text(&whole.effect, "").or(is_equal_text(&whole.effect, &part.effect));
    let as_long = match (&whole.toleration_seconds, &part.toleration_seconds) {
        (Field::Absent, _) => Truth::Yes,
        (Field::Is(_), Field::Absent) => Truth::No,
        (Field::Is(longest), Field::Is(seconds)) => (seconds <= longest).into(),
        (Field::Unknown, _) | (_, Field::Unknown) => Truth::Unknown,
    };
    let seconds = as_long.or(!is_text(&whole.effect, Effect::NoExecute.as_str()));
    let value = is_text(&whole.operator, "Exists").or(is_empty_or(&whole.operator, "Equal")
        .and(is_text(&part.operator, "Equal"))
        .and(is_equal_text(&whole.value, &part.value)));
    is_equal(whole, part).or(key.and(effect).and(seconds).and(value))
}
