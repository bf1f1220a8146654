//! What a change does to the pods of an object in a cluster, whatever made the change: from what its pods find at each pool
//! before and after.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Effect, Stay, Verdict};
use crate::lint::Shift;
use crate::model::Truth;
use crate::model::redundancy::covers;
use crate::model::toleration::Toleration;

/// What pods find at a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat<'p> {
    /// The pool's name.
    pub pool: &'p str,
    /// Whether they can run there.
    pub verdict: Verdict,
    /// Whether they select it, whatever its taints.
    pub selected: Truth,
    /// How long they stay with its NoExecute taints.
    pub stay: Stay,
}

/// An object in a cluster, before or after a change.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// What its pods find at each pool of the cluster.
    pub seats: &'s [Seat<'s>],
    /// The tolerations of its pods.
    pub tolerations: &'s [Toleration],
    /// Whether the API server refuses its pods.
    pub refused: bool,
    /// Whether all pools of the cluster that its pods may select are known: the cluster is complete, or they require a label
    /// that tells pools apart.
    pub pools_known: bool,
}

/// What a change does to the pods of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook<'s> {
    /// The effect.
    pub effect: Effect,
    /// When pods are evicted, if they are.
    pub stay: Option<Stay>,
    /// The pools that they certainly could run on.
    pub before: Vec<&'s str>,
    /// The pools that they certainly can run on.
    pub after: Vec<&'s str>,
    /// The pools that decide: those that they are evicted from, that they lose, or where it is not known.
    pub decisive: Vec<&'s str>,
}

/// Where pods can run on either side. A side is `None` where the object is not there; where the API server refuses the
/// pods of a side, nothing is gained or lost for certain.
pub fn shift(before: Option<&Side<'_>>, after: &Side<'_>) -> Shift {
    let (old, new) = (Names::of(before), Names::of(Some(after)));
    let is_refused = after.refused || before.is_some_and(|before| before.refused);
    let owned = |all: &BTreeSet<&str>| all.iter().map(|name| (*name).to_owned()).collect();
    let only = |open: &BTreeSet<&str>, other: &Names<'_>| -> Vec<String> {
        let is_closed =
            |name: &&&str| !(other.open.contains(**name) || other.maybe.contains(**name));
        let names = open.iter().filter(is_closed).filter(|_| !is_refused);
        names.map(|name| (*name).to_owned()).collect()
    };
    Shift {
        before: owned(&old.open),
        after: owned(&new.open),
        gained: only(&new.open, &old),
        lost: only(&old.open, &new),
    }
}

/// The names of pools by what is known of them. Pools with one name are one.
#[derive(Default)]
struct Names<'s> {
    open: BTreeSet<&'s str>,
    maybe: BTreeSet<&'s str>,
}

impl<'s> Names<'s> {
    fn of(side: Option<&Side<'s>>) -> Names<'s> {
        let mut names = Names::default();
        for seat in side
            .filter(|side| !side.refused)
            .map_or(&[][..], |side| side.seats)
        {
            if seat.verdict.is_open() {
                names.open.insert(seat.pool);
            } else if seat.verdict == Verdict::Unknown {
                names.maybe.insert(seat.pool);
            }
        }
        let open = &names.open;
        names.maybe.retain(|name| !open.contains(name));
        names
    }
}

/// What a change does to the pods of an object in a cluster, or `None` if it does nothing. A side is `None` where the object
/// is not there: a removed object has no effect, and a new one only if it lands nowhere.
pub fn outlook<'s>(before: Option<&Side<'s>>, after: Option<&Side<'s>>) -> Option<Outlook<'s>> {
    let after = after?;
    let (old, new) = (Names::of(before), Names::of(Some(after)));
    let told = |effect: Effect, stay: Option<Stay>, decisive: Vec<&'s str>| {
        Some(Outlook {
            effect,
            stay,
            before: old.open.iter().copied().collect(),
            after: new.open.iter().copied().collect(),
            decisive,
        })
    };
    let Some(before) = before else {
        let shut = new.open.is_empty() && new.maybe.is_empty() && !after.refused;
        let all = || after.seats.iter().map(|seat| seat.pool).collect();
        return match shut && !after.seats.is_empty() && is_provable(None, after) {
            true => told(Effect::Pending, None, all()),
            false => None,
        };
    };
    if before.refused || after.refused {
        return match before.refused {
            true => None,
            false => told(Effect::Unknown, None, Vec::new()),
        };
    }
    let stays = stays(before, after);
    if let Some(soonest) = stays
        .evicted
        .values()
        .copied()
        .min_by_key(|stay| rank(*stay))
    {
        return told(
            Effect::Evicted,
            Some(soonest),
            stays.evicted.into_keys().collect(),
        );
    }
    let lost = |name: &&&str| !new.open.contains(**name) && !new.maybe.contains(**name);
    let lost: Vec<&str> = old.open.iter().filter(lost).copied().collect();
    let gained = |name: &&&str| !old.open.contains(**name) && !old.maybe.contains(**name);
    let gained = new.open.iter().filter(gained).count() > 0;
    let nowhere = new.open.is_empty() && new.maybe.is_empty();
    if !lost.is_empty() && nowhere && is_provable(Some(before), after) {
        return told(Effect::Pending, None, lost);
    }
    match (lost.is_empty(), gained) {
        (false, true) => return told(Effect::Moves, None, lost),
        (false, false) => return told(Effect::Loses, None, lost),
        (true, true) => return told(Effect::Gains, None, Vec::new()),
        (true, false) => {}
    }
    let mut doubtful: BTreeSet<&str> = old
        .maybe
        .symmetric_difference(&new.maybe)
        .copied()
        .collect();
    doubtful.extend(stays.unknown);
    if !doubtful.is_empty() {
        let doubtful = doubtful.into_iter().collect();
        return told(Effect::Unknown, None, doubtful);
    }
    match tolerates_more(before.tolerations, after.tolerations) {
        true => told(Effect::Widened, None, Vec::new()),
        false => None,
    }
}

/// Whether pods that land on no known pool land nowhere.
fn is_provable(before: Option<&Side<'_>>, after: &Side<'_>) -> bool {
    let known = |side: &Side<'_>| side.pools_known;
    known(after) && before.is_none_or(known)
}

/// What becomes of pods that run on pools which stay.
#[derive(Default)]
struct Stays<'s> {
    evicted: BTreeMap<&'s str, Stay>,
    unknown: Vec<&'s str>,
}

/// Compares pools by name; several with one name in their order.
fn stays<'s>(before: &Side<'s>, after: &Side<'s>) -> Stays<'s> {
    let mut later: BTreeMap<&str, std::collections::VecDeque<&Seat<'s>>> = BTreeMap::new();
    for seat in after.seats {
        later.entry(seat.pool).or_default().push_back(seat);
    }
    let mut found = Stays::default();
    for old in before.seats {
        let new = later.get_mut(old.pool).and_then(|seats| seats.pop_front());
        let Some(new) = new else {
            continue;
        };
        if !old.verdict.is_open() || new.selected == Truth::No || new.stay == old.stay {
            continue;
        }
        match (rank(old.stay), rank(new.stay)) {
            (Some(earlier), Some(later)) if later < earlier && new.selected == Truth::Yes => {
                let stay = found.evicted.entry(old.pool).or_insert(new.stay);
                if rank(new.stay) < rank(*stay) {
                    *stay = new.stay;
                }
            }
            (Some(earlier), Some(later)) if later >= earlier => {}
            // The pods may have been evicted before, or it is not known whether they are.
            _ if new.stay != Stay::Forever => found.unknown.push(old.pool),
            _ => {}
        }
    }
    found
}

/// How long a stay is. `None` if it is not known.
fn rank(stay: Stay) -> Option<i64> {
    match stay {
        Stay::Evicted => Some(0),
        Stay::For(seconds) => Some(seconds),
        Stay::Forever => Some(i64::MAX),
        Stay::Unknown => None,
    }
}

/// Whether everything that was tolerated before certainly still is, and something certainly was not.
fn tolerates_more(before: &[Toleration], after: &[Toleration]) -> bool {
    let covered = |by: &[Toleration], entry: &Toleration| {
        let is_same = by.contains(entry);
        Truth::from(is_same).or(Truth::any(by.iter().map(|wide| covers(wide, entry))))
    };
    let known: BTreeSet<&Toleration> = before.iter().collect();
    let mut fresh = after.iter().filter(|entry| !known.contains(entry));
    fresh.any(|entry| covered(before, entry) == Truth::No)
        && before
            .iter()
            .all(|entry| covered(after, entry) == Truth::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(pool: &str, verdict: Verdict) -> Seat<'_> {
        Seat {
            pool,
            verdict,
            selected: match verdict {
                Verdict::NotSelected => Truth::No,
                _ => Truth::Yes,
            },
            stay: Stay::Forever,
        }
    }

    fn side<'s>(seats: &'s [Seat<'s>]) -> Side<'s> {
        Side {
            seats,
            tolerations: &[],
            refused: false,
            pools_known: true,
        }
    }

    fn effect(before: &[Seat<'_>], after: &[Seat<'_>]) -> Option<Effect> {
        outlook(Some(&side(before)), Some(&side(after))).map(|outlook| outlook.effect)
    }

    use Verdict::{KeptOut, Lands, NotSelected, PrefersNot, Unknown};

    /// The effect on pools `a` and `b`.
    fn on_two(before: [Verdict; 2], after: [Verdict; 2]) -> Option<Effect> {
        let seats = |[a, b]: [Verdict; 2]| [seat("a", a), seat("b", b)];
        effect(&seats(before), &seats(after))
    }

    #[test]
    fn the_first_effect_that_fits_is_said() {
        assert_eq!(
            on_two([Lands, KeptOut], [KeptOut, KeptOut]),
            Some(Effect::Pending)
        );
        assert_eq!(
            on_two([Lands, KeptOut], [NotSelected, Lands]),
            Some(Effect::Moves)
        );
        assert_eq!(
            on_two([Lands, PrefersNot], [KeptOut, Lands]),
            Some(Effect::Loses)
        );
        assert_eq!(
            on_two([Lands, KeptOut], [Lands, PrefersNot]),
            Some(Effect::Gains)
        );
        assert_eq!(on_two([Lands, KeptOut], [PrefersNot, NotSelected]), None);
    }

    #[test]
    fn what_is_unknown_on_both_sides_is_no_change_and_on_one_side_is_unknown() {
        assert_eq!(on_two([Unknown, Lands], [Unknown, Lands]), None);
        assert_eq!(
            on_two([Unknown, Lands], [KeptOut, Lands]),
            Some(Effect::Unknown)
        );
        assert_eq!(
            on_two([KeptOut, Lands], [Unknown, Lands]),
            Some(Effect::Unknown)
        );
        assert_eq!(
            on_two([Lands, Lands], [Unknown, Lands]),
            Some(Effect::Unknown)
        );
        // What may be open keeps pods from being Pending for certain.
        assert_eq!(
            on_two([Lands, Unknown], [KeptOut, Unknown]),
            Some(Effect::Loses)
        );
        // Nothing certain was lost.
        assert_eq!(
            on_two([Unknown, KeptOut], [KeptOut, KeptOut]),
            Some(Effect::Unknown)
        );
    }

    #[test]
    fn pods_are_pending_only_where_all_pools_that_they_may_select_are_known() {
        let (before, after) = ([seat("a", Lands)], [seat("a", KeptOut)]);
        let open = |seats| Side {
            pools_known: false,
            ..side(seats)
        };
        let outlook = outlook(Some(&open(&before)), Some(&open(&after)));
        assert_eq!(outlook.unwrap().effect, Effect::Loses);
    }

    fn staying(stay: Stay) -> Seat<'static> {
        Seat {
            stay,
            ..seat("a", Lands)
        }
    }

    #[test]
    fn pods_are_evicted_where_they_stay_less_long_than_before() {
        let forever = [staying(Stay::Forever)];
        let at = |stay| effect(&forever, &[staying(stay)]);
        assert_eq!(at(Stay::Evicted), Some(Effect::Evicted));
        assert_eq!(at(Stay::For(60)), Some(Effect::Evicted));
        assert_eq!(at(Stay::Unknown), Some(Effect::Unknown));
        assert_eq!(at(Stay::Forever), None);
        let for_60 = [staying(Stay::For(60))];
        assert_eq!(effect(&for_60, &for_60), None);
        assert_eq!(effect(&for_60, &forever), None);
        assert_eq!(
            effect(&for_60, &[staying(Stay::For(30))]),
            Some(Effect::Evicted)
        );
        let unknown = [staying(Stay::Unknown)];
        assert_eq!(effect(&unknown, &unknown), None);
        assert_eq!(effect(&unknown, &forever), None);
        assert_eq!(
            effect(&unknown, &[staying(Stay::Evicted)]),
            Some(Effect::Unknown)
        );
    }

    #[test]
    fn pods_of_a_pool_that_is_gone_or_no_longer_selected_are_not_evicted() {
        let before = [staying(Stay::Forever)];
        assert_eq!(effect(&before, &[]), Some(Effect::Pending));
        let elsewhere = Seat {
            stay: Stay::Evicted,
            ..seat("a", NotSelected)
        };
        assert_eq!(effect(&before, &[elsewhere]), Some(Effect::Pending));
    }

    #[test]
    fn a_new_object_has_an_effect_only_if_it_lands_nowhere() {
        let of = |seats: &[Seat<'_>]| outlook(None, Some(&side(seats))).map(|one| one.effect);
        assert_eq!(of(&[seat("a", KeptOut)]), Some(Effect::Pending));
        assert_eq!(of(&[seat("a", Lands)]), None);
        assert_eq!(of(&[seat("a", Unknown)]), None);
        assert_eq!(of(&[]), None);
        assert_eq!(outlook(Some(&side(&[seat("a", Lands)])), None), None);
    }

    #[test]
    fn pods_that_the_api_server_refuses_after_the_change_are_unknown() {
        let seats = [seat("a", Lands)];
        let refused = Side {
            refused: true,
            ..side(&seats)
        };
        let told = outlook(Some(&side(&seats)), Some(&refused)).unwrap();
        assert_eq!((told.effect, told.after), (Effect::Unknown, Vec::new()));
        assert_eq!(outlook(Some(&refused), Some(&refused)), None);
    }

    #[test]
    fn a_wider_entry_on_the_same_pools_is_said_and_a_narrower_one_is_not() {
        use crate::model::Field;
        let entry = |key: &str, value: &str| Toleration {
            key: Field::Is(key.to_owned()),
            operator: Field::Is(if value.is_empty() { "Exists" } else { "Equal" }.to_owned()),
            value: Field::Is(value.to_owned()),
            ..Toleration::default()
        };
        let seats = [seat("a", Lands)];
        let with = |before: &[Toleration], after: &[Toleration]| {
            let of = |tolerations| Side {
                tolerations,
                ..side(&seats)
            };
            let (before, after) = (of(before), of(after));
            outlook(Some(&before), Some(&after)).map(|outlook| outlook.effect)
        };
        let (any, one) = (entry("gpu", ""), entry("gpu", "a"));
        let (wide, narrow) = ([any.clone()], [one.clone()]);
        assert_eq!(with(&narrow, &wide), Some(Effect::Widened));
        assert_eq!(with(&wide, &narrow), None);
        assert_eq!(with(&[any.clone(), one.clone()], &[one, any]), None);
    }

    #[test]
    fn pools_with_one_name_are_one() {
        let before = [seat("a", Lands), seat("a", KeptOut)];
        let after = [seat("a", KeptOut), seat("a", Lands)];
        assert_eq!(effect(&before, &after), None);
    }
}
