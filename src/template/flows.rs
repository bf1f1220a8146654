//! Where the values go that a template prints: paths in the values of its chart, and what the template tests around them.

use crate::charts::Step;

/// A value that a template prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it is printed as YAML. Anything else is only useful for a text.
    pub is_yaml: bool,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It is not known.
    Unknown,
    /// The template itself.
    Template,
    /// The value at a path in the values of the chart.
    Value(Vec<Step>),
    /// The first of some values that is not empty.
    First(Vec<Origin>),
    /// All of some maps or lists in one.
    All(Vec<Origin>),
}

/// A condition around a part of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The path of the value that must not be empty; `None` for any other condition.
    pub value: Option<Vec<Step>>,
    /// Whether the part is written if the condition holds, or otherwise.
    pub holds: bool,
}
