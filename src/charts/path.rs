//! Paths of values as in the tables of charts: `controller.tolerations`, `controllers.*.pod.tolerations`, and conditions
//! such as `controller.kind=DaemonSet`.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// The path of a value. `*` is any key, `[]` every item of a list, and `\.` a dot inside a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(from = "String")]
#[schemars(with = "String")]
pub struct ValuePath {
    written: String,
    steps: Vec<Step>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A key.
    Key(String),
    /// Any key.
    AnyKey,
    /// Every item of a list.
    Items,
}

impl From<String> for ValuePath {
    fn from(written: String) -> ValuePath {
        let mut steps = Vec::new();
        let mut key = String::new();
        let mut letters = written.chars();
        let mut end = |key: &mut String| {
            let items = key.strip_suffix("[]").map(str::to_owned);
            let name = items.clone().unwrap_or_else(|| key.clone());
            match name.as_str() {
                "" => {}
                "*" => steps.push(Step::AnyKey),
                _ => steps.push(Step::Key(name)),
            }
            steps.extend(items.map(|_| Step::Items));
            key.clear();
        };
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => key.extend(letters.next()),
                '.' => end(&mut key),
                other => key.push(other),
            }
        }
        end(&mut key);
        ValuePath { written, steps }
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl ValuePath {
    /// The path of these steps.
    pub fn from_steps(steps: Vec<Step>) -> ValuePath {
        let mut written = String::new();
        for step in &steps {
            let dot = if written.is_empty() { "" } else { "." };
            written += &match step {
                Step::Key(key) => format!("{dot}{}", key.replace('.', "\\.")),
                Step::AnyKey => format!("{dot}*"),
                Step::Items => "[]".to_owned(),
            };
        }
        ValuePath { written, steps }
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// A condition on other values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Condition {
    /// The text as written.
    pub written: String,
    /// Paths, each with the text that its value must have. `None` if the condition is not known.
    pub all: Option<Vec<(ValuePath, String)>>,
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let one = |part: &str| {
            let (path, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not `path=value`"))?;
            Ok((ValuePath::from(path.to_owned()), value.to_owned()))
        };
        let all = match written.as_str() {
            "unknown" => None,
            text => Some(text.split(" & ").map(one).collect::<Result<_, String>>()?),
        };
        Ok(Condition { written, all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_apart() {
        let steps = |text: &str| ValuePath::from(text.to_owned()).steps;
        let key = |text: &str| Step::Key(text.to_owned());
        assert_eq!(
            steps("a.*.b[].c\\.d"),
            [key("a"), Step::AnyKey, key("b"), Step::Items, key("c.d")]
        );
    }

    #[test]
    fn a_condition_has_several_parts() {
        let read = |text: &str| Condition::try_from(text.to_owned());
        let all = read("a.b=true & c=x=y").unwrap().all.unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].1, "x=y");
        assert_eq!(read("unknown").unwrap().all, None);
        assert!(read("a.b").is_err());
    }
}
