//! Finds entries in a list of tolerations that other entries of the list make redundant.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::HashMap;

use super::taint::Effect;
use super::toleration::Toleration;
use super::{Field, Truth};

/// Whether `wide` tolerates every possible taint that `narrow` tolerates, ignoring seconds.
pub fn covers(wide: &Toleration, narrow: &Toleration) -> Truth {
    open_or_same(&wide.effect, &narrow.effect)
        .and(open_or_same(&wide.key, &narrow.key))
        .and(covers_values(wide, narrow))
}

fn covers_values(wide: &Toleration, narrow: &Toleration) -> Truth {
    match (wide.effective_operator(), narrow.effective_operator()) {
        (Some("Exists"), _) => Truth::Yes,
        (Some(one), Some(other)) if one != other => Truth::No,
        (Some(_), Some(_)) => same(&wide.value, &narrow.value),
        _ => Truth::Unknown,
    }
}

/// For each entry of a list, the indices of the entries that make it redundant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redundancy {
    duplicate_of: Vec<Option<usize>>,
    subsumed_by: Vec<Option<usize>>,
}

impl Redundancy {
    /// Compares the entries of a list. `complete` means that the list has no further entries that could not be read.
    pub fn of(list: &[Toleration], complete: bool) -> Redundancy {
        let search = Search::new(list, complete);
        let mut found = Redundancy::default();
        for index in 0..list.len() {
            let (duplicate, wider) = search.compare(index);
            found.duplicate_of.push(duplicate);
            found.subsumed_by.push(wider);
        }
        found
    }

    /// Returns the earlier entry that equals this one, including the seconds. A missing operator is `Equal`, and empty
    /// fields count as missing.
    pub fn duplicate_of(&self, index: usize) -> Option<usize> {
        self.duplicate_of.get(index).copied().flatten()
    }

    /// Returns another entry that covers this one, so that pods are placed and evicted the same way without it. The first
    /// entry that matches a taint decides about eviction. Equal entries do not count.
    pub fn subsumed_by(&self, index: usize) -> Option<usize> {
        self.subsumed_by.get(index).copied().flatten()
    }
}

/// What an entry tolerates, ignoring seconds: its key and its effect, both empty for any, and its operator with its value,
/// `None` for any value. Entries of equal reach cover each other, and only these do.
type Reach<'l> = (&'l str, &'l str, Option<(&'l str, &'l str)>);

/// Lists may be long, so entries are found by what they tolerate.
struct Search<'l> {
    list: &'l [Toleration],
    complete: bool,
    /// The entries of each reach, in order.
    by_reach: HashMap<Reach<'l>, Vec<usize>>,
    /// The first entry of each reach and of these seconds.
    first: HashMap<(Reach<'l>, &'l Field<i64>), usize>,
    /// For each entry, the last entry up to which all have the same seconds.
    same_until: Vec<usize>,
}

impl<'l> Search<'l> {
    fn new(list: &'l [Toleration], complete: bool) -> Search<'l> {
        let mut by_reach: HashMap<Reach<'_>, Vec<usize>> = HashMap::new();
        let mut first = HashMap::new();
        for (index, entry) in list.iter().enumerate() {
            if let Some(reach) = reach(entry) {
                by_reach.entry(reach).or_default().push(index);
                let seconds = (reach, &entry.toleration_seconds);
                first.entry(seconds).or_insert(index);
            }
        }
        let mut same_until: Vec<usize> = (0..list.len()).collect();
        for index in (0..list.len().saturating_sub(1)).rev() {
            if list[index].toleration_seconds == list[index + 1].toleration_seconds {
                same_until[index] = same_until[index + 1];
            }
        }
        Search {
            list,
            complete,
            by_reach,
            first,
            same_until,
        }
    }

    /// Returns the duplicate and the wider entry of an entry.
    fn compare(&self, index: usize) -> (Option<usize>, Option<usize>) {
        let entry = &self.list[index];
        let Some(own) = reach(entry) else {
            return (None, None);
        };
        let seconds = &entry.toleration_seconds;
        let first = |reach| self.first.get(&(reach, seconds)).copied();
        let duplicate = first(own).filter(|at| *at < index);
        let wider = wider(own).filter_map(|reach| {
            let all = self.by_reach.get(&reach)?;
            if !evicts(entry) {
                return all.first().copied();
            }
            // After a wider entry, this one never decides; different seconds were meant to matter, which is not mere
            // redundancy. Before it, all entries in between must agree.
            let before = first(reach).filter(|at| *at < index);
            let behind = all.get(all.partition_point(|at| *at < index)).copied();
            let behind = behind.filter(|at| self.complete && self.same_until[index] >= *at);
            before.or(behind)
        });
        (duplicate, wider.min())
    }
}

/// The wider reaches that cover this one.
fn wider(own: Reach<'_>) -> impl Iterator<Item = Reach<'_>> {
    let (key, effect, value) = own;
    let keys = [key, ""].into_iter();
    let all = keys.flat_map(move |key| [(key, effect), (key, "")]);
    let all = all.flat_map(move |(key, effect)| [(key, effect, value), (key, effect, None)]);
    all.filter(move |reach| *reach != own)
}

/// What an entry tolerates, or `None` if part of it is unknown or the API server rejects it.
fn reach(entry: &Toleration) -> Option<Reach<'_>> {
    if !says_something(entry) {
        return None;
    }
    let value = match entry.effective_operator()? {
        "Exists" => None,
        operator => Some((operator, entry.value.text()?)),
    };
    Some((entry.key.text()?, entry.effect.text()?, value))
}

/// Whether an entry matches `NoExecute` taints.
fn evicts(entry: &Toleration) -> bool {
    let effect = entry.effect.text();
    effect.is_some_and(|effect| effect.is_empty() || effect == Effect::NoExecute.as_str())
}

/// Whether an entry is known and accepted by the API server.
fn says_something(entry: &Toleration) -> bool {
    let named = entry.key.text() != Some("") || entry.effective_operator() == Some("Exists");
    is_known(entry) && named
}

fn is_known(entry: &Toleration) -> bool {
    let texts = [&entry.key, &entry.operator, &entry.value, &entry.effect];
    texts.iter().all(|field| !field.is_unknown()) && !entry.toleration_seconds.is_unknown()
}

fn same(one: &Field<String>, other: &Field<String>) -> Truth {
    match (one.text(), other.text()) {
        (Some(one), Some(other)) => (one == other).into(),
        _ => Truth::Unknown,
    }
}

fn open_or_same(wide: &Field<String>, narrow: &Field<String>) -> Truth {
    match wide.text() {
        Some("") => Truth::Yes,
        _ => same(wide, narrow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `key/operator/value/effect/seconds`, each optional; `?` is unknown.
    fn entry(text: &str) -> Toleration {
        let mut parts = text.split('/');
        let mut next = || match parts.next().unwrap_or_default() {
            "" => Field::Absent,
            "?" => Field::Unknown,
            part => Field::Is(part.to_owned()),
        };
        let (key, operator, value, effect) = (next(), next(), next(), next());
        let toleration_seconds = match next() {
            Field::Is(seconds) => Field::Is(seconds.parse().unwrap()),
            Field::Absent => Field::Absent,
            Field::Unknown => Field::Unknown,
        };
        Toleration {
            key,
            operator,
            value,
            effect,
            toleration_seconds,
        }
    }

    fn list(entries: &[&str]) -> Vec<Toleration> {
        entries.iter().map(|text| entry(text)).collect()
    }

    fn duplicate_of(list: &[Toleration], index: usize) -> Option<usize> {
        Redundancy::of(list, true).duplicate_of(index)
    }

    fn subsumed_by(list: &[Toleration], index: usize, complete: bool) -> Option<usize> {
        Redundancy::of(list, complete).subsumed_by(index)
    }

    #[test]
    fn a_wider_entry_covers_a_narrower_one_and_not_the_reverse() {
        for (wide, narrow, covered) in [
            ("/Exists", "a/Equal/b/NoSchedule", Truth::Yes),
            ("a/Exists", "a/Equal/b", Truth::Yes),
            ("a/Equal/b", "a//b/NoSchedule", Truth::Yes),
            ("a/Equal/b", "a/Exists", Truth::No),
            ("a/Exists//NoSchedule", "a/Exists", Truth::No),
            ("a/Exists//NoSchedule", "a/Exists//NoExecute", Truth::No),
            ("a/Exists", "b/Exists", Truth::No),
            ("a/Gt/5", "a/Gt/5", Truth::Yes),
            ("a/Gt/5", "a/Equal/7", Truth::No),
            ("a/Equal/?", "a/Equal/b", Truth::Unknown),
            ("?/Exists", "a/Exists", Truth::Unknown),
            ("b/Equal/?", "a/Equal/b", Truth::No),
        ] {
            assert_eq!(
                covers(&entry(wide), &entry(narrow)),
                covered,
                "{wide} {narrow}"
            );
        }
    }

    #[test]
    fn the_same_entry_twice_is_a_duplicate_however_it_is_spelled() {
        assert_eq!(duplicate_of(&list(&["a//b", "c", "a/Equal/b"]), 2), Some(0));
        assert_eq!(duplicate_of(&list(&["a//b", "a//c"]), 1), None);
        assert_eq!(duplicate_of(&list(&["a/?", "a/?"]), 1), None);
        assert_eq!(duplicate_of(&list(&["", ""]), 1), None, "rejected anyway");
        // Different seconds make a different entry; the first one wins.
        let seconds = list(&["a/Exists//NoExecute/5", "a/Exists//NoExecute/6"]);
        assert_eq!(duplicate_of(&seconds, 1), None);
    }

    #[test]
    fn what_is_covered_changes_nothing() {
        assert_eq!(subsumed_by(&list(&["a//b", "a/Exists"]), 0, true), Some(1));
        assert_eq!(subsumed_by(&list(&["a//b", "a/Exists"]), 1, true), None);
        // The usual three entries of a network plugin: together they cover the middle one, but neither does alone.
        let usual = list(&["/Exists//NoSchedule", "b/Exists", "/Exists//NoExecute"]);
        assert_eq!(subsumed_by(&usual, 1, true), None);
        let twice = list(&["a/Exists", "a/Exists"]);
        assert_eq!(subsumed_by(&twice, 1, true), None, "a duplicate");
    }

    #[test]
    fn seconds_and_order_decide_where_pods_can_be_evicted() {
        // The first match decides: without the first entry, the pods would stay for ever.
        let bounded = list(&["a/Exists//NoExecute/60", "/Exists"]);
        assert_eq!(subsumed_by(&bounded, 0, true), None);
        let behind = list(&["/Exists", "a/Exists//NoExecute"]);
        assert_eq!(subsumed_by(&behind, 1, true), Some(0));
        let between = list(&["a/Equal/b/NoExecute", "a/Exists//NoExecute/60", "/Exists"]);
        assert_eq!(subsumed_by(&between, 0, true), None);
        let forever = list(&["a/Equal/b/NoExecute", "/Exists"]);
        assert_eq!(subsumed_by(&forever, 0, true), Some(1));
        assert_eq!(
            subsumed_by(&forever, 0, false),
            None,
            "something may stand between"
        );
    }
}
