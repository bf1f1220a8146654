//! Pairs what is the same in two lists, in rounds: the nearest first, then what is less and less alike.

use std::collections::HashMap;
use std::hash::Hash;

/// What two lists have in common, as indices.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The pairs, those of earlier rounds first.
    pub pairs: Vec<(usize, usize)>,
    /// What only the first list has, in order.
    pub gone: Vec<usize>,
    /// What only the second list has, in order.
    pub fresh: Vec<usize>,
}

/// Pairs two lists. In each round, what has the same key is paired in order; the rest is left to the next round. What has no
/// key in a round waits.
pub fn pair_in_rounds<'t, T, K: Eq + Hash>(
    before: &'t [T],
    after: &'t [T],
    rounds: impl IntoIterator<Item = impl Fn(&'t T) -> Option<K>>,
) -> Matched {
    let mut found = Matched {
        pairs: Vec::new(),
        gone: (0..before.len()).collect(),
        fresh: (0..after.len()).collect(),
    };
    for key in rounds {
        if found.gone.is_empty() || found.fresh.is_empty() {
            break;
        }
        let mut left = Vec::new();
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        // The last one comes first, so that the first one is taken first.
        for at in found.gone.iter().rev() {
            match before.get(*at).and_then(&key) {
                Some(key) => waiting.entry(key).or_default().push(*at),
                None => left.push(*at),
            }
        }
        let pairs = &mut found.pairs;
        found.fresh.retain(|at| {
            let key = after.get(*at).and_then(&key);
            let same = key.and_then(|key| waiting.get_mut(&key)?.pop());
            pairs.extend(same.map(|same| (same, *at)));
            same.is_none()
        });
        left.extend(waiting.into_values().flatten());
        left.sort_unstable();
        found.gone = left;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_most_alike_is_paired_first_and_equals_in_their_order() {
        let before = [("a", 1), ("a", 2), ("b", 1), ("d", 1)];
        let after = [("a", 2), ("a", 3), ("a", 4), ("b", 1)];
        type Item = (&'static str, u32);
        let rounds: [fn(&Item) -> Option<Item>; 2] = [|one| Some(*one), |one| Some((one.0, 0))];
        let found = pair_in_rounds(&before, &after, rounds);
        assert_eq!(found.pairs, [(1, 0), (2, 3), (0, 1)]);
        assert_eq!((found.gone, found.fresh), (vec![3], vec![2]));
    }

    #[test]
    fn what_has_no_key_in_a_round_is_left_to_the_next_one() {
        let rounds: [fn(&u32) -> Option<u32>; 2] =
            [|one| (*one > 1).then_some(0), |one| Some(*one)];
        let found = pair_in_rounds(&[1, 2], &[3, 1], rounds);
        assert_eq!(found.pairs, [(1, 0), (0, 1)]);
        assert_eq!((found.gone, found.fresh), (vec![], vec![]));
    }
}
