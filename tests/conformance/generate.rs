//! Cases made from a seed: random ones, most of whose parts fit or nearly fit each other.

use std::collections::BTreeMap;

use crate::case::{Case, Requirement, Selection, Taint, Term, Toleration};
use crate::edges::{
    EFFECTS, INTEGERS, KEYS, SELECTOR_OPERATORS, VALUES, WRONG_EFFECTS, WRONG_OPERATORS,
    WRONG_SELECTOR_OPERATORS, edges,
};
use crate::random::Random;

/// Makes cases; the edges are put together once.
pub struct Generator {
    pub random: Random,
    edges: Vec<String>,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            edges: edges(),
        }
    }

    pub fn matching(&mut self) -> Case {
        let taint = self.taint();
        Case::Match {
            toleration: self.toleration_for(&taint),
            taint,
        }
    }

    pub fn tolerating(&mut self) -> Case {
        let mut taints: Vec<Taint> = (0..self.random.below(5))
            .map(|_| self.plain_taint())
            .collect();
        let count = self.random.below(6);
        let mut tolerations = Vec::new();
        for _ in 0..count {
            let aim = if taints.is_empty() || self.random.chance(10) {
                self.plain_taint()
            } else {
                self.random.pick(&taints).clone()
            };
            tolerations.push(self.toleration_for(&aim));
        }
        // A second taint with the same key: whoever stops at the first one is found out.
        if let Some(again) = taints.first().cloned()
            && self.random.chance(20)
        {
            let value = self.value();
            taints.push(Taint { value, ..again });
        }
        Case::Tolerate {
            tolerations,
            taints,
        }
    }

    pub fn validating_a_toleration(&mut self) -> Case {
        let key = match self.random.below(10) {
            0..=3 => self.key(),
            4..=5 => Some(self.edge()),
            6 => None,
            7 => Some(String::new()),
            _ => Some(self.random_text()),
        };
        let operator = self.operator();
        let numeric = matches!(operator.as_deref(), Some("Gt" | "Lt"));
        let value = match self.random.below(10) {
            0..=2 if numeric => Some((*self.random.pick(&INTEGERS)).to_owned()),
            3..=4 if numeric => Some(self.integer_text()),
            0..=2 => self.value(),
            3..=5 => Some(self.edge()),
            6..=7 => None,
            _ => Some(self.random_text()),
        };
        let toleration_seconds = self
            .random
            .chance(40)
            .then(|| *self.random.pick(&[0, -1, 1, 300, i64::MAX, i64::MIN]));
        Case::ValidateToleration {
            toleration: Toleration {
                key,
                operator,
                value,
                effect: self.effect(),
                toleration_seconds,
            },
        }
    }

    pub fn validating_a_taint(&mut self) -> Case {
        let mut text = |often: Option<String>| match self.random.below(10) {
            0..=3 => often,
            4..=6 => Some(self.edge()),
            7 => None,
            _ => Some(self.random_text()),
        };
        let key = text(Some("example.com/gpu".to_owned()));
        let value = text(Some("v".to_owned()));
        let effect = self.effect();
        Case::ValidateTaint {
            taint: Taint { key, value, effect },
        }
    }

    pub fn selecting(&mut self) -> Case {
        let mut labels = BTreeMap::new();
        for _ in 0..self.random.below(6) {
            let (key, value) = (self.label_key(), self.label_value());
            labels.insert(key, value);
        }
        let node = (*self.random.pick(&["n1", "n2", "node-1.example.com"])).to_owned();
        let mut node_selector = BTreeMap::new();
        if self.random.chance(40) {
            for _ in 0..=self.random.below(2) {
                let (key, value) = self.near_pair(&labels);
                node_selector.insert(key, value);
            }
        }
        let terms = self.random.chance(80).then(|| {
            let count = *self.random.pick(&[0, 1, 1, 1, 1, 2, 2, 3]);
            (0..count).map(|_| self.term(&labels, &node)).collect()
        });
        Case::Select(Selection {
            node_selector,
            terms,
            node,
            labels,
        })
    }

    pub fn term(&mut self, labels: &BTreeMap<String, String>, node: &str) -> Term {
        let count = *self.random.pick(&[0, 1, 1, 1, 2, 2, 3]);
        let match_expressions = (0..count).map(|_| self.expression(labels)).collect();
        let count = if self.random.chance(20) {
            1 + self.random.below(2)
        } else {
            0
        };
        let match_fields = (0..count).map(|_| self.field_requirement(node)).collect();
        Term {
            match_expressions,
            match_fields,
        }
    }

    fn expression(&mut self, labels: &BTreeMap<String, String>) -> Requirement {
        let (key, value) = self.near_pair(labels);
        let operator = match self.random.below(20) {
            0 => Some((*self.random.pick(&WRONG_SELECTOR_OPERATORS)).to_owned()),
            _ => Some((*self.random.pick(&SELECTOR_OPERATORS)).to_owned()),
        };
        let wanted = match operator.as_deref() {
            Some("Exists" | "DoesNotExist") => 0,
            Some("Gt" | "Lt") => 1,
            _ => *self.random.pick(&[1, 1, 2, 3]),
        };
        // Now and then a number of values that the operator does not take.
        let count = if self.random.chance(7) {
            self.random.below(3)
        } else {
            wanted
        };
        let compares = matches!(operator.as_deref(), Some("Gt" | "Lt"));
        let mut values: Vec<String> = Vec::new();
        for _ in 0..count {
            let one = match self.random.below(10) {
                0..=4 if compares => self.next_to(&value),
                5..=7 if compares => (*self.random.pick(&INTEGERS)).to_owned(),
                0..=4 => value.clone(),
                8 => self.edge(),
                _ => self.label_value(),
            };
            values.push(one);
        }
        Requirement {
            key: Some(key),
            operator,
            values,
        }
    }

    fn field_requirement(&mut self, node: &str) -> Requirement {
        let key = match self.random.below(12) {
            0 => Some("metadata.namespace".to_owned()),
            1 => Some("metadata.Name".to_owned()),
            2 => None,
            _ => Some("metadata.name".to_owned()),
        };
        let operator = match self.random.below(10) {
            0 => (*self.random.pick(&SELECTOR_OPERATORS)).to_owned(),
            1 => (*self.random.pick(&WRONG_SELECTOR_OPERATORS)).to_owned(),
            _ => (*self.random.pick(&["In", "NotIn"])).to_owned(),
        };
        let count = *self.random.pick(&[1, 1, 1, 1, 1, 1, 0, 2]);
        let values = (0..count)
            .map(|_| match self.random.below(6) {
                0..=2 => node.to_owned(),
                3 => String::new(),
                4 => self.near(node),
                _ => "n2".to_owned(),
            })
            .collect();
        Requirement {
            key,
            operator: Some(operator),
            values,
        }
    }

    /// A label of the node, or nearly one.
    pub fn near_pair(&mut self, labels: &BTreeMap<String, String>) -> (String, String) {
        let pairs: Vec<_> = labels.iter().collect();
        if pairs.is_empty() || self.random.chance(15) {
            return (self.label_key(), self.label_value());
        }
        let (key, value) = *self.random.pick(&pairs);
        let key = match self.random.below(15) {
            0 => self.near(key),
            1 => self.edge(),
            _ => key.clone(),
        };
        let value = match self.random.below(8) {
            0 => self.near(value),
            1 => self.label_value(),
            _ => value.clone(),
        };
        (key, value)
    }

    pub fn label_key(&mut self) -> String {
        match self.random.below(12) {
            0 => self.edge(),
            _ => (*self.random.pick(&KEYS)).to_owned(),
        }
    }

    pub fn label_value(&mut self) -> String {
        match self.random.below(10) {
            0 => self.edge(),
            1..=3 => (*self.random.pick(&INTEGERS)).to_owned(),
            4 => self.integer_text(),
            _ => (*self.random.pick(&VALUES)).to_owned(),
        }
    }

    fn taint(&mut self) -> Taint {
        if self.random.chance(90) {
            return self.plain_taint();
        }
        Taint {
            key: Some(self.edge()),
            value: Some(self.edge()),
            effect: self.effect(),
        }
    }

    pub fn plain_taint(&mut self) -> Taint {
        Taint {
            key: Some((*self.random.pick(&KEYS)).to_owned()),
            value: self.value(),
            effect: match self.random.below(12) {
                0 => self.effect(),
                _ => Some((*self.random.pick(&EFFECTS)).to_owned()),
            },
        }
    }

    /// A toleration of the taint, or one that misses it in some part.
    pub fn toleration_for(&mut self, taint: &Taint) -> Toleration {
        let operator = self.operator();
        let numeric = matches!(operator.as_deref(), Some("Gt" | "Lt"));
        let key = self.aimed(taint.key.as_deref(), 75);
        let effect = self.aimed(taint.effect.as_deref(), 55);
        let theirs = taint.value.as_deref().unwrap_or_default();
        let value = match self.random.below(10) {
            0..=5 if numeric => Some(self.next_to(theirs)),
            6..=7 if numeric => Some((*self.random.pick(&INTEGERS)).to_owned()),
            _ => self.aimed(Some(theirs), 70),
        };
        Toleration {
            key,
            operator,
            value,
            effect,
            toleration_seconds: self.random.chance(10).then_some(300),
        }
    }

    /// The same text in `percent` of the cases; otherwise ABSENT, empty, nearly the same or something else.
    fn aimed(&mut self, text: Option<&str>, percent: usize) -> Option<String> {
        let text = text.unwrap_or_default();
        if self.random.chance(percent) {
            return Some(text.to_owned());
        }
        match self.random.below(6) {
            0..=1 => None,
            2 => Some(String::new()),
            3 => Some(self.edge()),
            _ => Some(self.near(text)),
        }
    }

    fn key(&mut self) -> Option<String> {
        Some((*self.random.pick(&KEYS)).to_owned())
    }

    fn value(&mut self) -> Option<String> {
        match self.random.below(10) {
            0..=1 => None,
            2..=4 => Some((*self.random.pick(&INTEGERS)).to_owned()),
            5 => Some(self.integer_text()),
            _ => Some((*self.random.pick(&VALUES)).to_owned()),
        }
    }

    fn operator(&mut self) -> Option<String> {
        match self.random.below(20) {
            0..=1 => None,
            2 => Some(String::new()),
            3 => Some((*self.random.pick(&WRONG_OPERATORS)).to_owned()),
            4..=7 => Some("Equal".to_owned()),
            8..=11 => Some("Exists".to_owned()),
            12..=15 => Some("Gt".to_owned()),
            _ => Some("Lt".to_owned()),
        }
    }

    fn effect(&mut self) -> Option<String> {
        match self.random.below(10) {
            0 => None,
            1 => Some(String::new()),
            2..=3 => Some((*self.random.pick(&WRONG_EFFECTS)).to_owned()),
            _ => Some((*self.random.pick(&EFFECTS)).to_owned()),
        }
    }

    pub fn edge(&mut self) -> String {
        self.random.pick(&self.edges).clone()
    }

    /// An integer of any size within 64 bits, small ones more often.
    fn integer_text(&mut self) -> String {
        let bits = self.random.below(64);
        let number = (self.random.next() as i64) >> bits;
        number.to_string()
    }

    /// The integer before, the same or the one after; for a text that is no integer, the text or an edge.
    fn next_to(&mut self, text: &str) -> String {
        let Ok(number) = text.parse::<i64>() else {
            return if self.random.chance(50) {
                text.to_owned()
            } else {
                (*self.random.pick(&INTEGERS)).to_owned()
            };
        };
        let change = *self.random.pick(&[-1, 0, 1]);
        number.wrapping_add(change).to_string()
    }

    /// The text with one small change.
    pub fn near(&mut self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        let at = self.random.below(characters.len());
        match self.random.below(9) {
            0 => characters.push(' '),
            1 => characters.insert(0, ' '),
            2 => characters.push('\n'),
            3 => characters.push('a'),
            4 => characters.insert(0, '0'),
            5 => characters.insert(at, '/'),
            6 => {
                characters.pop();
            }
            7 => {
                if let Some(one) = characters.get_mut(at) {
                    *one = if *one == 'a' { '\u{430}' } else { '_' };
                }
            }
            _ => {
                for one in &mut characters {
                    *one = if one.is_ascii_lowercase() {
                        one.to_ascii_uppercase()
                    } else {
                        one.to_ascii_lowercase()
                    };
                }
            }
        }
        characters.into_iter().collect()
    }

    /// Mostly characters that keys and values may have, of lengths around the limits; often with a prefix.
    fn random_text(&mut self) -> String {
        let name = self.random_part(b"abcXYZ019-_.", &[1, 2, 5, 20, 62, 63, 64]);
        if self.random.chance(50) {
            return name;
        }
        let prefix = self.random_part(b"abcxyz019-..", &[1, 2, 5, 20, 63, 64, 252, 253, 254]);
        format!("{prefix}/{name}")
    }

    fn random_part(&mut self, alphabet: &[u8], lengths: &[usize]) -> String {
        let length = *self.random.pick(lengths);
        let mut text: String = (0..length)
            .map(|at| {
                // At the ends only letters and digits pass: mostly such.
                let inner = at > 0 && at + 1 < length;
                let reach = if inner || self.random.chance(5) {
                    alphabet.len()
                } else {
                    9
                };
                char::from(alphabet[self.random.below(reach)])
            })
            .collect();
        if self.random.chance(8) {
            let odd = *self
                .random
                .pick(&['\u{e9}', ' ', '/', ':', 'A', '_', '\u{0}', '\u{1f600}']);
            text.push(odd);
        }
        text
    }
}
