//! Checks whether a node of a pool can satisfy all constraints on one label.
//!
//! A pool may leave a label open (Karpenter requirements), so the question is whether some value is offered by the pool and
//! satisfies all constraints on that label at once. The check tries values: those mentioned, the integers next to them,
//! "absent", and one that is never mentioned. No constraint distinguishes any other value from these.

use super::label_keys::{
    canonical_label_key, is_managed_label_key, old_label_key, says_accelerator,
};
use super::node_selection::{NodeLabels, OtherLabels, Requirement};
use super::validation::{is_label_value, parse_integer};
use super::{Field, Truth};

/// One constraint on the value of a label.
#[derive(Clone, Debug)]
pub(super) enum Ask<'a> {
    In(&'a [Field<String>]),
    NotIn(&'a [Field<String>]),
    Exists,
    DoesNotExist,
    /// The bound is `None` if it could not be read.
    Compare(Comparison, Option<i64>),
    /// Nothing satisfies it: Kubernetes cannot parse the requirement, so its term matches no node.
    Never,
    /// The constraint could not be read.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Comparison {
    fn holds(self, label: i64, bound: i64) -> bool {
        match self {
            Comparison::Gt => label > bound,
            Comparison::Gte => label >= bound,
            Comparison::Lt => label < bound,
            Comparison::Lte => label <= bound,
        }
    }

    fn read(operator: &str) -> Option<Comparison> {
        match operator {
            "Gt" => Some(Comparison::Gt),
            "Gte" => Some(Comparison::Gte),
            "Lt" => Some(Comparison::Lt),
            "Lte" => Some(Comparison::Lte),
            _ => None,
        }
    }
}

/// A possible value of the label.
#[derive(Clone, Debug)]
enum Candidate<'a> {
    Absent,
    Value(&'a str),
    Integer(i64),
    /// Present, not an integer, and different from all mentioned values.
    Other,
    /// Present with an unknown value.
    Hidden,
}

impl<'a> Ask<'a> {
    /// Converts an expression of a pod's node affinity, with the checks of the scheduler's parser.
    pub(super) fn of_pod(requirement: &'a Requirement) -> Ask<'a> {
        let values = &requirement.values;
        let Some(operator) = requirement.operator.text() else {
            return Ask::Unknown;
        };
        let is_bad =
            |value: &Field<String>| value.text().is_some_and(|v| is_label_value(v).is_err());
        match operator {
            "Exists" if values.is_empty() => Ask::Exists,
            "DoesNotExist" if values.is_empty() => Ask::DoesNotExist,
            "In" | "NotIn" | "Gt" | "Lt" if values.iter().any(is_bad) => Ask::Never,
            "In" if !values.is_empty() => Ask::In(values),
            "NotIn" if !values.is_empty() => Ask::NotIn(values),
            "Gt" | "Lt" => match (Comparison::read(operator), values.as_slice()) {
                (Some(comparison), [value]) => match value.text().map(parse_integer) {
                    None => Ask::Compare(comparison, None),
                    Some(Ok(bound)) => Ask::Compare(comparison, Some(bound)),
                    Some(Err(_)) => Ask::Never,
                },
                _ => Ask::Never,
            },
            _ => Ask::Never,
        }
    }

    /// Converts a requirement of a pool. An invalid one counts as unreadable, since it proves nothing about the nodes.
    fn of_pool(requirement: &'a Requirement) -> Ask<'a> {
        let values = &requirement.values;
        match requirement.operator.text() {
            Some("Exists") => Ask::Exists,
            Some("DoesNotExist") => Ask::DoesNotExist,
            Some("In") if !values.is_empty() => Ask::In(values),
            Some("NotIn") if !values.is_empty() => Ask::NotIn(values),
            Some(operator) => match (Comparison::read(operator), values.as_slice()) {
                (Some(comparison), [value]) => match value.text().map(parse_integer) {
                    None => Ask::Compare(comparison, None),
                    Some(Ok(bound)) => Ask::Compare(comparison, Some(bound)),
                    Some(Err(_)) => Ask::Unknown,
                },
                _ => Ask::Unknown,
            },
            None => Ask::Unknown,
        }
    }

    fn holds(&self, candidate: &Candidate<'_>) -> Truth {
        match (self, candidate) {
            (Ask::Unknown, _) => Truth::Unknown,
            (Ask::Never, _) => Truth::No,
            (Ask::Exists, candidate) => (!matches!(candidate, Candidate::Absent)).into(),
            (Ask::DoesNotExist, candidate) => matches!(candidate, Candidate::Absent).into(),
            (Ask::In(_) | Ask::Compare(..), Candidate::Absent) => Truth::No,
            (Ask::NotIn(_), Candidate::Absent) => Truth::Yes,
            (Ask::In(values), candidate) => is_among(candidate, values),
            (Ask::NotIn(values), candidate) => !is_among(candidate, values),
            (Ask::Compare(comparison, bound), candidate) => {
                let label = match candidate {
                    Candidate::Hidden => return Truth::Unknown,
                    Candidate::Integer(number) => Some(*number),
                    Candidate::Value(text) => parse_integer(text).ok(),
                    Candidate::Absent | Candidate::Other => None,
                };
                match (label, bound) {
                    (None, _) => Truth::No,
                    (Some(_), None) => Truth::Unknown,
                    (Some(label), Some(bound)) => comparison.holds(label, *bound).into(),
                }
            }
        }
    }

    /// Returns the values that this constraint allows, or `None` if there is no complete list of them.
    fn listed(&self) -> Option<&'a [Field<String>]> {
        match self {
            Ask::In(values) if !values.iter().any(Field::is_unknown) => Some(values),
            _ => None,
        }
    }
}

/// Whether a present value is one of `values`.
fn is_among(candidate: &Candidate<'_>, values: &[Field<String>]) -> Truth {
    Truth::any(values.iter().map(|value| match (value.text(), candidate) {
        (None, _) | (_, Candidate::Hidden) => Truth::Unknown,
        (Some(value), Candidate::Value(text)) => (value == *text).into(),
        (Some(value), Candidate::Integer(number)) => (value == number.to_string()).into(),
        (Some(_), Candidate::Absent | Candidate::Other) => Truth::No,
    }))
}

fn candidate(value: &Field<String>) -> Candidate<'_> {
    value.text().map_or(Candidate::Hidden, Candidate::Value)
}

impl NodeLabels {
    /// Returns the label or requirement, as text, that says that all of these nodes have an accelerator.
    pub fn accelerator(&self) -> Option<String> {
        let label = self.labels.iter().find_map(|(key, value)| {
            let value = value.known()?;
            says_accelerator(key, value).then(|| format!("{key}: {value}"))
        });
        label.or_else(|| {
            self.requirements.iter().find_map(|requirement| {
                let key = requirement.key.known()?;
                let values = &requirement.values;
                let is_one = |value: &Field<String>| {
                    value
                        .known()
                        .is_some_and(|value| says_accelerator(key, value))
                };
                let texts: Vec<&str> = values.iter().filter_map(Field::text).collect();
                match requirement.operator.text()? {
                    "In" if !values.is_empty() && values.iter().all(is_one) => {
                        Some(format!("{key} In [{}]", texts.join(", ")))
                    }
                    "Exists" if says_accelerator(key, "x") => Some(format!("{key} Exists")),
                    "Gt" | "Gte" if says_accelerator(key, "x") => {
                        Some(format!("{key} {}", texts.join(", ")))
                    }
                    _ => None,
                }
            })
        })
    }

    /// Whether some node with these labels satisfies all constraints on the label `key` (its current name).
    pub(super) fn can_answer(&self, key: &str, asks: &[Ask<'_>]) -> Truth {
        if let Some(value) = self.fixed(key) {
            let candidate = candidate(value);
            return Truth::all(asks.iter().map(|ask| ask.holds(&candidate)));
        }
        let mut offers = Vec::new();
        // A requirement with an unreadable key may be about this label.
        let mut may_offer_more = false;
        for requirement in &self.requirements {
            match requirement.key.text() {
                None => may_offer_more = true,
                Some(theirs) if canonical_label_key(theirs) == key => {
                    offers.push(Ask::of_pool(requirement));
                }
                Some(_) => {}
            }
        }
        if offers.is_empty() && !may_offer_more && self.is_surely_absent(key) {
            return Truth::all(asks.iter().map(|ask| ask.holds(&Candidate::Absent)));
        }
        let answer = is_satisfiable(asks, &offers);
        if offers.is_empty() || may_offer_more {
            answer.and(Truth::Unknown)
        } else {
            answer
        }
    }

    /// Returns the certain value of a label, whichever of its names the pool uses.
    pub fn fixed(&self, key: &str) -> Option<&Field<String>> {
        self.labels
            .get(key)
            .or_else(|| self.labels.get(old_label_key(key)?))
    }

    fn is_surely_absent(&self, key: &str) -> bool {
        match self.others {
            OtherLabels::Possible => false,
            OtherLabels::WellKnownOnly => !is_managed_label_key(key),
            OtherLabels::None => true,
        }
    }
}

/// Whether one value satisfies all constraints and all offers.
fn is_satisfiable(asks: &[Ask<'_>], offers: &[Ask<'_>]) -> Truth {
    let all = || asks.iter().chain(offers);
    let holds = |candidate: Candidate<'_>| Truth::all(all().map(|ask| ask.holds(&candidate)));
    // With a closed list of values, nothing else needs to be tried. A pod's list is usually the shorter one.
    if let Some(values) = asks.iter().chain(offers).find_map(Ask::listed) {
        return Truth::any(values.iter().map(|value| holds(candidate(value))));
    }
    // A pool's list with unreadable values still guarantees that the label has a value.
    if let Some((at, Ask::In(values))) = offers
        .iter()
        .enumerate()
        .find(|(_, offer)| matches!(offer, Ask::In(_)))
    {
        let others = || {
            asks.iter()
                .chain(offers.iter().take(at))
                .chain(offers.iter().skip(at + 1))
        };
        return Truth::any(values.iter().map(|value| {
            let candidate = candidate(value);
            Truth::all(others().map(|ask| ask.holds(&candidate)))
        }));
    }
    let mut answer = holds(Candidate::Absent).or(holds(Candidate::Other));
    for ask in all() {
        match ask {
            Ask::In(values) | Ask::NotIn(values) => {
                for value in *values {
                    answer = answer.or(holds(candidate(value)));
                    if let Some(Ok(number)) = value.text().map(parse_integer) {
                        answer = answer.or(Truth::any(around(number).map(&holds)));
                    }
                }
            }
            Ask::Compare(_, Some(bound)) => {
                answer = answer.or(Truth::any(around(*bound).map(&holds)));
            }
            Ask::Compare(_, None) => answer = answer.or(holds(Candidate::Hidden)),
            Ask::Exists | Ask::DoesNotExist | Ask::Never | Ask::Unknown => {}
        }
        if answer == Truth::Yes {
            break;
        }
    }
    answer
}

/// Returns an integer and its neighbors.
fn around(number: i64) -> impl Iterator<Item = Candidate<'static>> {
    [number.saturating_sub(1), number, number.saturating_add(1)]
        .into_iter()
        .map(Candidate::Integer)
}
