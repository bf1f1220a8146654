//! Taints by their keys and values, so that what names a key is compared only with taints that may have it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::model::alike::Alike;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::toleration::Toleration;
use crate::model::validation::comparison_integer;

/// The index of a pool and that of a taint in it.
pub type TaintAt = (usize, usize);

/// Of more taints with one key than this, a toleration is compared only with those that it probably means, and with the
/// first of the others.
const MOST: usize = 100;

/// The taints with one key.
#[derive(Debug, Default)]
struct OfKey {
    /// In order.
    all: Vec<TaintAt>,
    of_value: HashMap<String, Vec<TaintAt>>,
    /// Those whose value is unknown.
    no_value: Vec<TaintAt>,
    /// Those whose effect is unknown.
    no_effect: Vec<TaintAt>,
    /// The first of those whose value can be compared as a number.
    numbers: Vec<TaintAt>,
    values: OnceLock<Alike>,
}

impl OfKey {
    fn add(&mut self, place: TaintAt, taint: &PoolTaint) {
        self.all.push(place);
        match taint.taint.value.text() {
            Some(value) => match self.of_value.get_mut(value) {
                Some(known) => known.push(place),
                None => _ = self.of_value.insert(value.to_owned(), vec![place]),
            },
            None => self.no_value.push(place),
        }
        let value = taint.taint.value.text();
        if self.numbers.len() < MOST && value.is_some_and(|value| comparison_integer(value).is_ok())
        {
            self.numbers.push(place);
        }
        if taint.taint.effect.is_unknown() {
            self.no_effect.push(place);
        }
    }

    /// Those with a value.
    fn with(&self, value: &str) -> &[TaintAt] {
        self.of_value.get(value).map_or(&[], Vec::as_slice)
    }

    /// Those with a similar value.
    fn alike(&self, value: &str) -> impl Iterator<Item = TaintAt> {
        let values = self.values.get_or_init(|| {
            let mut values: Vec<&str> = self.of_value.keys().map(String::as_str).collect();
            values.sort_unstable();
            Alike::of(values.into_iter())
        });
        let near = values.candidates(value);
        near.flat_map(|value| self.with(value)).copied()
    }
}

/// The places of the taints of some pools, by key.
#[derive(Debug, Default)]
pub struct ByKey {
    /// The keys that are known, in the order in which they first occur; an absent key is empty.
    keys: Vec<String>,
    of_key: HashMap<String, OfKey>,
    /// Those whose key is unknown.
    unknown: Vec<TaintAt>,
    all: Vec<TaintAt>,
    alike: OnceLock<Alike>,
}

impl ByKey {
    /// The taints of pools.
    pub fn of<'p>(pools: impl Iterator<Item = &'p Arc<NodePool>>) -> ByKey {
        let mut found = ByKey::default();
        for (pool, model) in pools.enumerate() {
            for (at, taint) in model.taints.iter().enumerate() {
                let place = (pool, at);
                found.all.push(place);
                match taint.taint.key.text() {
                    None => found.unknown.push(place),
                    Some(key) => {
                        if !found.of_key.contains_key(key) {
                            found.keys.push(key.to_owned());
                        }
                        let of_key = found.of_key.entry(key.to_owned()).or_default();
                        of_key.add(place, taint);
                    }
                }
            }
        }
        found
    }

    /// The taints with a known key, in order.
    pub fn with(&self, key: &str) -> &[TaintAt] {
        self.of_key.get(key).map_or(&[], |known| &known.all)
    }

    /// The taints whose key is unknown, in order.
    pub fn unknown(&self) -> &[TaintAt] {
        &self.unknown
    }

    /// The taints that an entry may match, in order. Those with another key, or another value if the entry has one, are left
    /// out.
    pub fn that_may_match(&self, entry: &Toleration) -> Vec<TaintAt> {
        let Some(key) = entry.key.text().filter(|key| !key.is_empty()) else {
            return self.all.clone();
        };
        let Some(of_key) = self.of_key.get(key) else {
            return self.unknown.clone();
        };
        let is_equal = entry.effective_operator() == Some("Equal");
        let mut found = match entry.value.text().filter(|_| is_equal) {
            Some(value) => [of_key.with(value), &of_key.no_value, &self.unknown].concat(),
            None => [&of_key.all[..], &self.unknown].concat(),
        };
        found.sort_unstable();
        found
    }

    /// The taints with the key of an entry to compare it with, in order. If they are many, those of the pools that the workload
    /// may select, those with a similar value, those that are not known, the first numbers and the first others. `selected` finds these pools,
    /// if the workload selects any.
    pub fn to_compare(
        &self,
        entry: &Toleration,
        selected: impl FnOnce() -> Option<Vec<usize>>,
    ) -> Vec<TaintAt> {
        let key = entry.key.text().filter(|key| !key.is_empty());
        let Some(of_key) = key.and_then(|key| self.of_key.get(key)) else {
            return Vec::new();
        };
        let Some(first) = of_key.all.get(..MOST) else {
            return of_key.all.clone();
        };
        let OfKey {
            no_value,
            no_effect,
            numbers,
            ..
        } = of_key;
        let mut found = [first, no_value, no_effect, numbers].concat();
        if let Some(value) = entry.value.text() {
            found.extend(of_key.with(value).iter().take(MOST));
            found.extend(of_key.alike(value).take(MOST));
        }
        for pool in selected().into_iter().flatten().take(MOST) {
            let from = of_key.all.partition_point(|(other, _)| *other < pool);
            let here = of_key.all.get(from..).unwrap_or_default().iter();
            found.extend(here.take_while(|(other, _)| *other == pool));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The known keys, to compare others with.
    pub fn alike(&self) -> &Alike {
        self.alike.get_or_init(|| {
            let keys = self.keys.iter().map(String::as_str);
            Alike::of(keys.filter(|key| !key.is_empty()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::taint::Taint;
    use crate::model::{Field, Truth};

    fn fields(words: &[&str]) -> Vec<Field<String>> {
        let known = words.iter().map(|word| Field::Is((*word).to_owned()));
        known.chain([Field::Absent, Field::Unknown]).collect()
    }

    fn pools(taints: impl IntoIterator<Item = Taint>) -> Vec<Arc<NodePool>> {
        let pool = |taint| {
            Arc::new(NodePool {
                taints: vec![PoolTaint {
                    taint,
                    ..PoolTaint::default()
                }],
                ..NodePool::default()
            })
        };
        taints.into_iter().map(pool).collect()
    }

    fn entry(operator: Field<String>, key: &Field<String>, value: &Field<String>) -> Toleration {
        Toleration {
            key: key.clone(),
            operator,
            value: value.clone(),
            ..Toleration::default()
        }
    }

    #[test]
    fn taints_that_are_left_out_are_certainly_not_matched() {
        let (keys, values) = (fields(&["a", "b", ""]), fields(&["v", "w", "5"]));
        let taints = keys.iter().flat_map(|key| {
            values.iter().map(|value| Taint {
                key: key.clone(),
                value: value.clone(),
                effect: Field::Is("NoSchedule".to_owned()),
            })
        });
        let pools = pools(taints);
        let by_key = ByKey::of(pools.iter());
        for operator in fields(&["Equal", "Exists", "Gt", "Strange", ""]) {
            for (key, value) in keys
                .iter()
                .flat_map(|key| values.iter().map(move |v| (key, v)))
            {
                let entry = entry(operator.clone(), key, value);
                let found = by_key.that_may_match(&entry);
                assert!(found.is_sorted());
                for (at, pool) in pools.iter().enumerate() {
                    if !found.contains(&(at, 0)) {
                        let truth = entry.tolerates(&pool.taints[0].taint, true);
                        assert_eq!(truth, Truth::No, "{entry:?} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn of_very_many_taints_with_one_key_those_that_are_meant_are_compared() {
        let is = |text: String| Field::Is(text);
        let taint = |at: usize| Taint {
            key: is("team".to_owned()),
            value: match at {
                3_000 => Field::Unknown,
                2_500 => is("observability".to_owned()),
                2_700 => is("7".to_owned()),
                _ => is(format!("v{at}")),
            },
            effect: is("NoSchedule".to_owned()),
        };
        let compared = |count: usize| {
            let pools = pools((0..count).map(taint));
            let (key, value) = (is("team".to_owned()), is("observabilty".to_owned()));
            let entry = entry(Field::Absent, &key, &value);
            ByKey::of(pools.iter()).to_compare(&entry, || Some(vec![2_000, 2_001]))
        };
        assert_eq!(compared(MOST).len(), MOST);
        let many = compared(4_000);
        assert_eq!(many.len(), MOST + 5);
        for at in [0, MOST - 1, 2_000, 2_001, 2_500, 2_700, 3_000] {
            assert!(many.contains(&(at, 0)), "{at}");
        }
    }
}
