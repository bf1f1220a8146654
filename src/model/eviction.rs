//! Computes when pods are deleted from nodes that get a `NoExecute` taint, as the taint-eviction controller does
//! (`pkg/controller/tainteviction/taint_eviction.go`).

use std::collections::HashMap;

use super::admission::{PodTolerations, if_certain};
use super::taint::{Effect, Taint};
use super::toleration::Toleration;
use super::{Field, Truth};

impl PodTolerations {
    /// Returns when the taint-eviction controller deletes a pod with these tolerations from a node with these taints,
    /// counted from when it sees them. Only `NoExecute` taints count. For each taint, the first matching entry of the list
    /// decides (`GetMatchingTolerations`); the shortest of these times applies (`getMinTolerationTime`).
    /// `comparison_operators` is the feature gate.
    pub fn eviction(&self, taints: &[Taint], comparison_operators: bool) -> Eviction {
        let mut shortest = None;
        let mut unknown = false;
        for taint in taints {
            match taint.effect.text() {
                Some("NoExecute") => {}
                Some(_) => continue,
                None => {
                    unknown = true;
                    continue;
                }
            }
            let first = self.entries.iter().find_map(|entry| {
                let truth = entry.toleration.tolerates(taint, comparison_operators);
                match truth.and(if_certain(entry)) {
                    Truth::No => None,
                    truth => Some((truth, &entry.toleration.toleration_seconds)),
                }
            });
            match first {
                None => return Eviction::AtOnce,
                Some((Truth::Yes, Field::Absent)) => {}
                Some((Truth::Yes, Field::Is(seconds))) => {
                    shortest = Some(shortest.unwrap_or(i64::MAX).min(*seconds));
                }
                Some(_) => unknown = true,
            }
        }
        if unknown || self.unsettled {
            return Eviction::Unknown;
        }
        shortest.map_or(Eviction::Never, Eviction::after)
    }
}

/// What happens to a pod on a node with `NoExecute` taints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// The pod stays.
    Never,
    /// The pod is deleted as soon as the controller sees the taint.
    AtOnce,
    /// The pod is deleted after this many nanoseconds, more than zero.
    After(u64),
    /// The outcome is unknown.
    Unknown,
}

impl Eviction {
    /// Returns the outcome of `tolerationSeconds`. The controller multiplies in 64-bit nanoseconds, so too large a number
    /// overflows and means for ever, or almost immediately.
    fn after(seconds: i64) -> Eviction {
        if seconds <= 0 {
            return Eviction::AtOnce;
        }
        if seconds == i64::MAX {
            return Eviction::Never;
        }
        match u64::try_from(seconds.wrapping_mul(1_000_000_000)) {
            Err(_) => Eviction::Never,
            Ok(0) => Eviction::AtOnce,
            Ok(nanoseconds) => Eviction::After(nanoseconds),
        }
    }

    /// Returns whole seconds as Kubernetes' function does (0: at once, -1: never), or `None` if unknown.
    pub fn seconds(self) -> Option<i64> {
        match self {
            Eviction::Never => Some(-1),
            Eviction::AtOnce => Some(0),
            Eviction::After(nanoseconds) => i64::try_from(nanoseconds / 1_000_000_000).ok(),
            Eviction::Unknown => None,
        }
    }
}

/// Whether an earlier entry of a list shadows an entry for eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shadow {
    /// No earlier entry shadows it entirely.
    None,
    /// The entry with this index is the first that matches every `NoExecute` taint that this entry matches.
    By(usize),
    /// Unknown.
    Unknown,
}

/// The maximum number of earlier entries with unknown parts to compare with; beyond that, the result is unknown.
const MAX_UNREAD: usize = 32;

/// The key and value that an entry matches.
type Reach<'t> = (&'t str, Option<(&'t str, &'t str)>);

/// Returns, for each entry of a list, the earlier entry that always decides about eviction instead. Nothing shadows an
/// entry that matches no `NoExecute` taint.
pub fn shadows(tolerations: &[Toleration]) -> Vec<Shadow> {
    // By key and value; `None` is any value.
    let mut first: HashMap<Reach<'_>, usize> = HashMap::new();
    let mut unread: Vec<&Toleration> = Vec::new();
    let mut found = Vec::with_capacity(tolerations.len());
    for (at, entry) in tolerations.iter().enumerate() {
        let Some((key, value)) = reach(entry) else {
            let may = matches_no_execute(entry) != Truth::No;
            found.push(if may && at > 0 {
                Shadow::Unknown
            } else {
                Shadow::None
            });
            unread.push(entry);
            continue;
        };
        if matches_no_execute(entry) == Truth::No {
            found.push(Shadow::None);
            continue;
        }
        let by = [("", None), (key, None), (key, value)]
            .iter()
            .filter_map(|one| first.get(one))
            .min();
        let open = unread.len() > MAX_UNREAD || unread.iter().any(|other| may_shadow(other, entry));
        found.push(match by {
            _ if open => Shadow::Unknown,
            Some(by) => Shadow::By(*by),
            None => Shadow::None,
        });
        first.entry((key, value)).or_insert(at);
    }
    found
}

/// Returns the key of an entry with its operator and value (`None` for any value), or `None` if they could not be read. A
/// comparison equals only a comparison with the same bound.
fn reach(entry: &Toleration) -> Option<(&str, Option<(&str, &str)>)> {
    let key = entry.key.text()?;
    entry.effect.text()?;
    let value = match entry.effective_operator()? {
        "Exists" => None,
        operator => Some((operator, entry.value.text()?)),
    };
    Some((key, value))
}

fn matches_no_execute(entry: &Toleration) -> Truth {
    match entry.effect.text() {
        Some(effect) => (effect.is_empty() || effect == Effect::NoExecute.as_str()).into(),
        None => Truth::Unknown,
    }
}

fn may_shadow(unread: &Toleration, entry: &Toleration) -> bool {
    let key = match (unread.key.text(), entry.key.text()) {
        (Some(""), _) | (None, _) | (_, None) => true,
        (Some(mine), Some(theirs)) => mine == theirs,
    };
    key && matches_no_execute(unread) != Truth::No
}
