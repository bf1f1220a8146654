//! The examples of a rule, which are tests and documentation.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

use super::schema::ExampleFile;
use crate::source::SourceId;
use crate::yaml;

/// An example of a rule.
#[derive(Debug, Clone)]
pub struct Example {
    /// Whether findings are expected.
    pub bad: bool,
    /// Paths and texts; after the change in scope `change`.
    pub files: Vec<(String, String)>,
    /// Paths and texts before the change, in scope `change`.
    pub before: Vec<(String, String)>,
    /// The changed files after all fixes of the rule; empty if the example has none.
    pub fixed: Vec<(String, String)>,
    /// Why it is good or bad.
    pub why: Option<String>,
    /// The number within its kind, from 1: `bad-1`, `good-2`.
    pub number: usize,
}

impl Example {
    /// Returns a name that is unique within the rule.
    pub fn name(&self) -> String {
        format!("{}-{}", if self.bad { "bad" } else { "good" }, self.number)
    }
}

/// The marker of a line with an expected finding.
pub const MARK: &str = "# <- finding";

/// The examples of a rule. Those of a built-in rule are read when they are first asked for: they are most of its text, and few
/// commands need them.
#[derive(Debug)]
pub struct Examples {
    carried: &'static str,
    read: OnceLock<Vec<Example>>,
}

impl Examples {
    pub(super) fn of(files: Vec<ExampleFile>) -> Examples {
        Examples {
            carried: "",
            read: OnceLock::from(number_examples(files)),
        }
    }

    /// The examples of a built-in rule, as JSON.
    pub(super) fn carried(carried: &'static str) -> Examples {
        Examples {
            carried,
            read: OnceLock::new(),
        }
    }
}

impl Deref for Examples {
    type Target = [Example];

    fn deref(&self) -> &[Example] {
        self.read.get_or_init(|| {
            let reading = yaml::read_json(self.carried, SourceId(0), "the examples");
            number_examples(reading.value.unwrap_or_default())
        })
    }
}

impl<'e> IntoIterator for &'e Examples {
    type Item = &'e Example;
    type IntoIter = std::slice::Iter<'e, Example>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn number_examples(examples: Vec<ExampleFile>) -> Vec<Example> {
    let mut numbers: BTreeMap<bool, usize> = BTreeMap::new();
    examples
        .into_iter()
        .filter_map(|example| {
            let bad = example.bad.is_some();
            let text = example.bad.or(example.good)?;
            let number = numbers.entry(bad).or_default();
            *number += 1;
            let owned = |files: Vec<(&str, &str)>| -> Vec<(String, String)> {
                files
                    .into_iter()
                    .map(|(path, text)| (path.to_owned(), text.to_owned()))
                    .collect()
            };
            Some(Example {
                bad,
                files: owned(text.files()),
                before: owned(text.before()),
                fixed: example
                    .fixed
                    .map(|text| owned(text.files()))
                    .unwrap_or_default(),
                why: example.why,
                number: *number,
            })
        })
        .collect()
}
