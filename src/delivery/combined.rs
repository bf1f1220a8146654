//! What generators that combine others make of their parameters.

use std::collections::{BTreeMap, BTreeSet};

use super::params::{Params, is_inside, lay_over};

/// Puts two sets of a matrix together. The first counts where both set something in templates of Go.
///
/// # Errors
/// Returns the reason as a clause where Argo CD refuses it.
pub fn joined(first: &Params, mut second: Params, go_template: bool) -> Result<Params, String> {
    if go_template {
        lay_over(&mut second, first);
        return Ok(second);
    }
    for (name, value) in first {
        if second.get(name).is_some_and(|known| known != value) {
            return Err(format!("both generators of the matrix set `{name}`"));
        }
        second.insert(name.clone(), value.clone());
    }
    Ok(second)
}

/// The values of merge keys.
type MergeKey = Vec<(String, String)>;

/// The sets of the first generator, with those of the others that have the same keys laid over them.
///
/// # Errors
/// Returns the reason as a clause where Argo CD refuses it.
pub fn merged(
    keys: &BTreeSet<&str>,
    first: Vec<Params>,
    others: Vec<Vec<Params>>,
    go_template: bool,
) -> Result<Vec<Params>, &'static str> {
    const NOT_UNIQUE: &str = "several of its sets of parameters have the same merge keys";
    let of_first: Vec<MergeKey> = first
        .iter()
        .map(|params| merge_key(keys, params, go_template))
        .collect();
    let mut seen = BTreeSet::new();
    if !of_first.iter().all(|key| seen.insert(key)) {
        return Err(NOT_UNIQUE);
    }
    let mut made = first;
    for other in others {
        let mut by_key: BTreeMap<MergeKey, Params> = BTreeMap::new();
        for params in other {
            let key = merge_key(keys, &params, go_template);
            if by_key.insert(key, params).is_some() {
                return Err(NOT_UNIQUE);
            }
        }
        for (key, params) in of_first.iter().zip(&mut made) {
            match by_key.get(key) {
                Some(more) if go_template => lay_over(params, more),
                Some(more) => params.extend(more.clone()),
                None => {}
            }
        }
    }
    Ok(made)
}

/// The values of the merge keys. One that is missing is the same as any other that is missing.
fn merge_key(keys: &BTreeSet<&str>, params: &Params, go_template: bool) -> MergeKey {
    let values = keys.iter().flat_map(|key| {
        let is_named = move |name: &str| match go_template {
            // Names of inner values are no keys there, but the whole is.
            true => !key.contains('.') && (name == *key || is_inside(name, key)),
            false => name == *key,
        };
        let named = params.iter().filter(move |(name, _)| is_named(name));
        named.map(|(name, value)| (name.clone(), value.clone()))
    });
    values.collect()
}
