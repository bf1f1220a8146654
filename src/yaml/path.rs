//! Paths through a tree: patterns such as `spec.templates[].x`, and matches such as `spec.templates[2].x`.

use std::str::FromStr;

use super::node::{Field, Kind, Node};
use crate::source::text::Cut as _;

/// A pattern that leads from a node to nodes below it.
///
/// * `spec.template` follows fields, `metadata.annotations."a.b/c"` and `metadata.annotations["a.b/c"]` quote a key.
/// * `*` is every field of a mapping.
/// * `[]` is every item of a sequence, `[2]` one of them, `[name=x]` every item that has the field `name: x`.
/// * `.` or nothing is the node itself.
///
/// Steps that do not fit what is there find nothing.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Path {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    Key(String),
    AnyKey,
    Items,
    Item(usize),
    ItemsWith { key: String, value: String },
}

/// A node that matches a path.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The node.
    pub node: Node<'a>,
    /// The path to it, with all indices and keys; empty for the start itself.
    pub path: String,
    /// The key and value of the last step, if that was a field.
    pub field: Option<Field<'a>>,
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at byte {at} of the path")]
pub struct PathError {
    /// What is wrong.
    pub message: &'static str,
    /// Byte offset in the text of the path.
    pub at: usize,
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for step in &self.steps {
            text = match step {
                Step::Key(key) => join(&text, key),
                Step::AnyKey if text.is_empty() => "*".to_owned(),
                Step::AnyKey => format!("{text}.*"),
                Step::Items => format!("{text}[]"),
                Step::Item(at) => index(&text, *at),
                Step::ItemsWith { key, value } => format!("{text}[{key}={value}]"),
            };
        }
        f.write_str(&text)
    }
}

impl TryFrom<String> for Path {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        text.parse()
    }
}

impl Path {
    /// Returns the field that the path starts with, if it starts with a named one.
    pub fn first_key(&self) -> Option<&str> {
        match self.steps.first() {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// Returns the path of the list whose items match this path, if it has several fields: a single one is a common word.
    pub fn list(&self) -> Option<Path> {
        let (last, steps) = self.steps.split_last()?;
        let named = |step: &&Step| matches!(step, Step::Key(_));
        (*last == Step::Items && steps.iter().filter(named).count() > 1).then(|| Path {
            steps: steps.to_vec(),
        })
    }

    /// Returns the names of the fields on the path, with `*` for any field. List indices are left out.
    pub fn names(&self) -> Vec<&str> {
        let names = self.steps.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::AnyKey => Some("*"),
            Step::Items | Step::Item(_) | Step::ItemsWith { .. } => None,
        });
        names.collect()
    }

    /// Returns all matches in the order of the file. Merges and duplicates are resolved.
    pub fn find<'a>(&self, from: Node<'a>) -> Vec<Found<'a>> {
        self.walk(from, |_, _, _| {})
    }

    /// Returns the nodes on the way where the path does not continue, except nulls. For a template, more may appear
    /// there once it is rendered.
    pub fn find_ends<'a>(&self, from: Node<'a>) -> Vec<Node<'a>> {
        let mut ends = Vec::new();
        self.walk(from, |_, node, goes_on| {
            if !goes_on && !node.is_null() {
                ends.push(node);
            }
        });
        ends
    }

    /// Returns why there may be more matches than [`Path::find`] returns, or `None` if it returns all. Only trees that
    /// are built from values have such places.
    pub fn find_open<'a>(&self, from: Node<'a>) -> Option<&'a str> {
        if !from.is_evaluated() {
            return None;
        }
        let mut open = None;
        let found = self.walk(from, |step, node, goes_on| {
            if open.is_none() {
                open = open_at(node, goes_on, *step == Step::AnyKey);
            }
        });
        open.or_else(|| found.iter().find_map(|place| place.node.unknown_because()))
    }

    /// Follows the path step by step, and reports for each node on it whether the path continues there.
    fn walk<'a>(
        &self,
        from: Node<'a>,
        mut visit: impl FnMut(&Step, Node<'a>, bool),
    ) -> Vec<Found<'a>> {
        let mut found = vec![Found {
            node: from,
            path: String::new(),
            field: None,
        }];
        for step in &self.steps {
            let mut next = Vec::new();
            for place in &found {
                let before = next.len();
                take(step, place, &mut next);
                visit(step, place.node, next.len() > before);
            }
            found = next;
        }
        found
    }
}

/// Why a node may have another child. A mapping that contains the wanted key has no further match. If any key is
/// wanted, a child whose key alone is unknown is already counted.
fn open_at(node: Node<'_>, goes_on: bool, is_any: bool) -> Option<&str> {
    node.unknown_because()
        .or_else(|| node.items().find_map(Node::unknown_because))
        .or_else(|| {
            // The unknown key may be the missing one.
            node.written_fields()
                .filter(|field| match is_any {
                    true => field.value.unknown_because().is_some(),
                    false => !goes_on,
                })
                .find_map(|field| field.key.unknown_because())
        })
}

fn take<'a>(step: &Step, place: &Found<'a>, next: &mut Vec<Found<'a>>) {
    let mut push_field = |field: Field<'a>, key: &str| {
        next.push(Found {
            node: field.value,
            path: join(&place.path, key),
            field: Some(field),
        });
    };
    match step {
        Step::Key(key) => {
            if let Some(field) = place.node.field(key) {
                push_field(field, key);
            }
        }
        Step::AnyKey => {
            for field in place.node.fields() {
                match field.known_name() {
                    Some(key) => push_field(field, key),
                    // It exists, whatever its name.
                    None if field.name().is_some() && field.value.unknown_because().is_none() => {
                        push_field(field, "*");
                    }
                    None => {}
                }
            }
        }
        Step::Items if place.node.kind() == Kind::Mapping && place.node.is_assembled() => {
            // JSON may omit the list around a single block.
            next.push(place.clone());
        }
        Step::Items | Step::Item(_) | Step::ItemsWith { .. } => {
            for (at, item) in place.node.items().enumerate() {
                let wanted = match step {
                    Step::Item(index) => *index == at,
                    Step::ItemsWith { key, value } => {
                        item.kind() == Kind::Mapping
                            && item.get(key).and_then(Node::raw) == Some(value.as_str())
                    }
                    _ => true,
                };
                if wanted {
                    next.push(Found {
                        node: item,
                        path: index(&place.path, at),
                        field: None,
                    });
                }
            }
        }
    }
}

/// The path of a field below `base`. Keys with special characters are quoted, as in `annotations["a.b/c"]`.
pub fn join(base: &str, key: &str) -> String {
    let bare = !key.is_empty() && key != "*" && !key.contains(is_special);
    if !bare {
        let escaped = key.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{base}[\"{escaped}\"]")
    } else if base.is_empty() {
        key.to_owned()
    } else {
        format!("{base}.{key}")
    }
}

/// The path of an item below `base`.
pub fn index(base: &str, at: usize) -> String {
    format!("{base}[{at}]")
}

/// Characters that require a key to be quoted.
fn is_special(character: char) -> bool {
    matches!(character, '.' | '[' | ']' | '"' | '\\')
        || character.is_whitespace()
        || character.is_control()
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut steps = Vec::new();
        if text.is_empty() || text == "." {
            return Ok(Path { steps });
        }
        let mut cursor = Cursor { text, at: 0 };
        loop {
            // A step starts here: a key, or brackets at the very beginning.
            match cursor.peek() {
                Some('"') => steps.push(Step::Key(cursor.quoted()?)),
                Some('[') if steps.is_empty() => {}
                _ => {
                    let start = cursor.at;
                    steps.push(match cursor.bare(is_special) {
                        "" => return Err(cursor.error_at("a key is missing", start)),
                        "*" => Step::AnyKey,
                        key => Step::Key(key.to_owned()),
                    });
                }
            }
            while cursor.eat('[') {
                steps.push(cursor.brackets()?);
            }
            if cursor.peek().is_none() {
                return Ok(Path { steps });
            }
            if !cursor.eat('.') {
                return Err(cursor.error_at("expected `.` or `[`", cursor.at));
            }
        }
    }
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        self.text.since(self.at)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let eaten = self.rest().starts_with(wanted);
        if eaten {
            self.at += wanted.len_utf8();
        }
        eaten
    }

    fn error_at(&self, message: &'static str, at: usize) -> PathError {
        PathError { message, at }
    }

    fn bare(&mut self, stop: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(stop).unwrap_or(rest.len());
        self.at += end;
        rest.until(end)
    }

    fn quoted(&mut self) -> Result<String, PathError> {
        let start = self.at;
        self.eat('"');
        let mut key = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(key);
                }
                '\\' => key.extend(characters.next().map(|(_, escaped)| escaped)),
                other => key.push(other),
            }
        }
        Err(self.error_at("the quote is not closed", start))
    }

    /// Reads the content of brackets. The opening one is already consumed.
    fn brackets(&mut self) -> Result<Step, PathError> {
        let start = self.at;
        let step = if self.eat(']') {
            return Ok(Step::Items);
        } else if self.peek() == Some('"') {
            Step::Key(self.quoted()?)
        } else {
            let key = self.bare(|character| character == '=' || is_special(character));
            if self.eat('=') {
                if key.is_empty() {
                    return Err(self.error_at("a key is missing", start));
                }
                let value = if self.peek() == Some('"') {
                    self.quoted()?
                } else {
                    self.bare(|character| character == ']').to_owned()
                };
                Step::ItemsWith {
                    key: key.to_owned(),
                    value,
                }
            } else {
                match key.parse() {
                    Ok(at) => Step::Item(at),
                    Err(_) => {
                        let message = "expected `[]`, an index, `[key=value]` or a quoted key";
                        return Err(self.error_at(message, start));
                    }
                }
            }
        };
        if !self.eat(']') {
            return Err(self.error_at("expected `]`", self.at));
        }
        Ok(step)
    }
}
