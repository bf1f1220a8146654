//! What a provider adds to pools: taints and labels that nobody writes down, always or under conditions.

use super::notation::POOL_NAME;
use super::pool_document::Condition;
use super::pools::PoolReader;
use crate::model::node_pool::{Origin, PoolTaint};
use crate::model::taint::Taint;
use crate::model::{Field, Truth};

impl PoolReader<'_, '_> {
    fn name_on_nodes(&self) -> Field<String> {
        match self.pool.name.as_str() {
            "" => Field::Unknown,
            name => Field::Is(name.to_owned()),
        }
    }

    /// What the provider adds to pools of this kind.
    pub(super) fn read_implied(&mut self) {
        for implied in &self.row.implied {
            let condition = Condition::of_implied(implied);
            let holds = condition.holds(self.document, self.element);
            if holds == Truth::No {
                continue;
            }
            let sure = holds == Truth::Yes;
            let fixed = implied
                .labels
                .iter()
                .map(|(key, value)| (key, Field::Is(value.clone())));
            let name = Field::Is(self.pool.name.clone());
            let named = implied
                .pool_label
                .as_slice()
                .iter()
                .map(|key| (key, name.clone()));
            for (key, value) in fixed.chain(named) {
                let value = if sure { value } else { Field::Unknown };
                let labels = &mut self.pool.labels.labels;
                labels.entry(key.clone()).or_insert(value);
            }
            if sure {
                self.imply(implied.taints.iter().map(|text| text.0.clone()));
            } else if !implied.taints.is_empty() {
                self.doubt_implied(condition);
            }
            match &implied.incomplete {
                Some(because) if sure => self.incomplete(because),
                Some(_) => self.doubt_implied(condition),
                None => {}
            }
        }
    }

    /// Adds taints that nobody wrote, unless somebody did: providers ask people to repeat theirs.
    pub(super) fn imply(&mut self, taints: impl Iterator<Item = Taint>) {
        for mut taint in taints {
            if taint.value.known().is_some_and(|value| value == POOL_NAME) {
                taint.value = self.name_on_nodes();
                if taint.value.is_unknown() {
                    self.incomplete("the value of a taint is the pool's name, which is unknown");
                }
            }
            let known = self.pool.taints.iter().any(|known| {
                known.origin != Origin::Startup
                    && known.taint.key == taint.key
                    && known.taint.effect == taint.effect
            });
            if known {
                continue;
            }
            self.pool.taints.push(PoolTaint {
                taint,
                origin: Origin::Implied,
                ..PoolTaint::default()
            });
        }
    }
}
