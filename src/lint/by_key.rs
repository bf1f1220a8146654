//! Taints by their keys, so that what names a key is compared only with taints that may have it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::model::alike::Alike;
use crate::model::node_pool::{NodePool, PoolTaint};

/// The index of a pool and that of a taint in it.
pub type TaintAt = (usize, usize);

/// The places of the taints of some pools, by key.
#[derive(Debug, Default)]
pub struct ByKey {
    /// The keys that are known, in the order in which they first occur; an absent key is empty.
    keys: Vec<String>,
    of_key: HashMap<String, Vec<TaintAt>>,
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
            for (at, PoolTaint { taint, .. }) in model.taints.iter().enumerate() {
                let place = (pool, at);
                found.all.push(place);
                match taint.key.text() {
                    None => found.unknown.push(place),
                    Some(key) => match found.of_key.get_mut(key) {
                        Some(known) => known.push(place),
                        None => {
                            found.keys.push(key.to_owned());
                            found.of_key.insert(key.to_owned(), vec![place]);
                        }
                    },
                }
            }
        }
        found
    }

    /// The taints with a known key, in order.
    pub fn with(&self, key: &str) -> &[TaintAt] {
        self.of_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// The taints whose key is unknown, in order.
    pub fn unknown(&self) -> &[TaintAt] {
        &self.unknown
    }

    /// The taints that may have a key, in order; all for any key.
    pub fn that_may_have(&self, key: Option<&str>) -> Vec<TaintAt> {
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return self.all.clone();
        };
        let mut found = [self.with(key), &self.unknown].concat();
        found.sort_unstable();
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
