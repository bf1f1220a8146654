//! What a provider adds to pools: taints and labels that no manifest contains, always or under conditions.

use super::notation::{POOL_NAME, TaintText};
use super::open;
use super::pool_document::Condition;
use super::pool_facts::Element;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::OtherLabels;
use crate::model::{Field, Truth};

/// Adds what the provider adds to pools of this kind.
pub(super) fn by_conditions(element: &Element<'_, '_>, pool: &mut NodePool) {
    for implied in &element.row.implied {
        let condition = Condition::of_implied(implied);
        let holds = condition.holds(element.document, element.node);
        if holds == Truth::No {
            continue;
        }
        let sure = holds == Truth::Yes;
        let fixed = implied
            .labels
            .iter()
            .map(|(key, value)| (key, Field::Is(value.clone())));
        let name = Field::Is(pool.name.clone());
        let named = implied
            .pool_label
            .as_slice()
            .iter()
            .map(|key| (key, name.clone()));
        for (key, value) in fixed.chain(named) {
            let value = if sure { value } else { Field::Unknown };
            let labels = &mut pool.labels.labels;
            labels.entry(key.clone()).or_insert(value);
        }
        if sure {
            taints(pool, implied.taints.iter());
        } else if !implied.taints.is_empty() {
            let keys = implied.taints.iter();
            let keys = keys.filter_map(|text| text.0.key.known().cloned());
            pool.doubt_keys(open::may_be_tainted(element, condition), keys);
        }
        if let Some(because) = &implied.incomplete {
            let because = match sure {
                true => because.clone(),
                false => open::may_be_tainted(element, condition),
            };
            match &implied.incomplete_keys {
                Some(keys) => pool.doubt_keys(because, keys.iter().cloned()),
                None => {
                    // Whatever adds taints that are not seen here may add labels, too.
                    pool.labels.others = OtherLabels::Possible;
                    pool.doubt(because);
                }
            }
        }
    }
}

/// Adds implied taints unless they are already written: providers ask users to repeat theirs.
pub(super) fn taints<'t>(pool: &mut NodePool, taints: impl Iterator<Item = &'t TaintText>) {
    for text in taints {
        let mut taint = text.0.clone();
        if taint.value.known().is_some_and(|value| value == POOL_NAME) {
            taint.value = match pool.name.as_str() {
                "" => Field::Unknown,
                name => Field::Is(name.to_owned()),
            };
            if taint.value.is_unknown() {
                pool.doubt("the value of a taint is the pool's name, which is unknown");
            }
        }
        let known = pool.taints.iter().any(|known| {
            known.origin != Origin::Startup
                && known.taint.key == taint.key
                && known.taint.effect == taint.effect
        });
        if known {
            continue;
        }
        pool.taints.push(PoolTaint {
            taint,
            origin: Origin::Implied,
            ..PoolTaint::default()
        });
    }
}
