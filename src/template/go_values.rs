//! Values in Go templates: texts in the template itself, and values that depend on those of the chart, as far as it is known
//! where they come from.

use super::flows::Origin;
use crate::charts::Step;
use crate::yaml::Pieces;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known of it.
    Unknown,
    /// A number.
    Number(i64),
    /// A text, some parts of which may be unknown.
    Text(Pieces),
    /// What a template of a chart gets: its values, its release, its files.
    Top,
    /// The value at a path in the values of the chart.
    At(Vec<Step>),
    /// A map that the template makes. Fields that it lacks are those of the rest.
    Map(Vec<(String, Value)>, Option<Box<Value>>),
    /// A list that the template makes.
    List(Vec<Value>),
    /// The first of some values that is not empty.
    First(Vec<Value>),
    /// All of some maps or lists in one.
    All(Vec<Value>),
    /// One of some values.
    Either(Vec<Value>),
    /// Another value as YAML or JSON.
    Yaml(Box<Value>),
}

impl Value {
    /// The value at some keys inside it.
    pub fn field(&self, name: &str) -> Value {
        match self {
            Value::Top if name == "Values" => Value::At(Vec::new()),
            Value::At(steps) => Value::At(below(steps, Step::Key(name.to_owned()))),
            Value::Map(fields, rest) => {
                let own = fields.iter().rev().find(|(key, _)| key == name);
                match (own, rest) {
                    (Some((_, value)), _) => value.clone(),
                    (None, Some(rest)) => rest.field(name),
                    (None, None) => Value::Unknown,
                }
            }
            Value::First(all) => Value::First(fields(all, name)),
            Value::All(all) => Value::All(fields(all, name)),
            Value::Either(all) => Value::Either(fields(all, name)),
            _ => Value::Unknown,
        }
    }

    /// One of its items or of the values of its fields.
    pub fn item(&self, has_keys: bool) -> Value {
        match self {
            Value::At(steps) if has_keys => Value::At(below(steps, Step::AnyKey)),
            Value::At(steps) => Value::At(below(steps, Step::Items)),
            _ => Value::Unknown,
        }
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        let each = |all: &[Value]| all.iter().map(Value::origin).collect();
        match self {
            Value::Unknown | Value::Top => Origin::Unknown,
            Value::Number(_) => Origin::Template,
            Value::Text(text) => match text.open_because() {
                Some(_) => Origin::Unknown,
                None => Origin::Template,
            },
            Value::At(steps) => Origin::Value(steps.clone()),
            Value::Map(fields, None) => made(fields.iter().map(|(_, value)| value)),
            Value::Map(_, Some(_)) => Origin::Unknown,
            Value::List(items) => made(items.iter()),
            Value::First(all) => Origin::First(each(all)),
            Value::All(all) => Origin::All(each(all)),
            Value::Either(all) => match all.split_first() {
                Some((first, rest)) => {
                    let origin = first.origin();
                    let same = rest.iter().all(|other| other.origin() == origin);
                    if same { origin } else { Origin::Unknown }
                }
                None => Origin::Unknown,
            },
            Value::Yaml(value) => value.origin(),
        }
    }

    /// Whether it is an empty list, map or text of the template.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Map(fields, None) => fields.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Text(text) => text.text().is_empty(),
            _ => false,
        }
    }

    /// Whether it is printed as YAML or JSON: the other ways to print a map or a list make no sense in a manifest.
    pub fn is_yaml(&self) -> bool {
        match self {
            Value::Yaml(_) => true,
            Value::Either(all) => all.iter().any(Value::is_yaml),
            _ => false,
        }
    }
}

fn below(steps: &[Step], step: Step) -> Vec<Step> {
    steps.iter().cloned().chain([step]).collect()
}

fn fields(all: &[Value], name: &str) -> Vec<Value> {
    all.iter().map(|value| value.field(name)).collect()
}

/// The origin of a map or a list that the template makes of some values.
fn made<'v>(mut parts: impl Iterator<Item = &'v Value>) -> Origin {
    match parts.all(|part| part.origin() == Origin::Template) {
        true => Origin::Template,
        false => Origin::Unknown,
    }
}
