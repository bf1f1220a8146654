//! The inputs of Terragrunt's files with what the files that they include set: of these is read which names they set, and
//! not to what.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::folder::join;
use super::hcl;
use super::syntax::{Expression, ExpressionKind, Given, Include, Part};
use super::terragrunt::FILE;
use super::value::{Entry, Fields, Term, Value};

/// Names that no variable of a module has.
const TAKEN: [&str; 8] = [
    "count",
    "for_each",
    "depends_on",
    "lifecycle",
    "locals",
    "providers",
    "source",
    "version",
];

/// The names that an included file sets; nothing when they are not all literal.
fn names_of(text: &str) -> Option<Vec<Box<str>>> {
    let (inputs, broken) = hcl::read_inputs(text);
    let fields = match inputs.map(|inputs| inputs.kind) {
        None => Vec::new(),
        Some(ExpressionKind::Object(fields)) => fields,
        Some(_) => return None,
    };
    let names = fields.into_iter().map(|(key, _)| match key.kind {
        ExpressionKind::Text(name) | ExpressionKind::Name(name) => Some(name),
        _ => None,
    });
    names.collect::<Option<_>>().filter(|_| !broken)
}

impl Evaluator<'_> {
    /// Adds the attributes that a value gives; returns why there may be more.
    pub(super) fn given(
        self,
        given: &Given,
        names: &Names<'_>,
        fields: &mut Fields,
    ) -> Option<Rc<str>> {
        let term = self.value(&given.inputs, names);
        let mut more = match &term.value {
            Value::Object(object) => {
                let taken = |entry: &&Entry| !TAKEN.contains(&&*entry.key);
                for entry in object.fields.iter().filter(taken) {
                    fields.set(entry.clone());
                }
                object.more.clone()
            }
            other => other.unknown().cloned(),
        };
        for include in &given.includes {
            let place = self.scope.place_of(self.file, include.at.0);
            let known = self.text_of(include).and_then(|text| names_of(&text));
            match known {
                Some(names) => {
                    let why: Rc<str> =
                        format!("a file that is included ({place}) sets it, too").into();
                    for name in names.iter().filter(|name| !TAKEN.contains(&&***name)) {
                        let term = match fields.get(name) {
                            Some(own) if include.is_deep => merged(own, &why),
                            Some(_) => continue,
                            None => Term::unknown(Rc::clone(&why), self.file.span(include.at)),
                        };
                        fields.set(Entry {
                            key: (&**name).into(),
                            key_at: term.at,
                            term,
                        });
                    }
                }
                None => {
                    let why: Rc<str> =
                        format!("a file that is not read is included ({place})").into();
                    if include.is_deep {
                        fields.map(|own| merged(own, &why));
                    }
                    more = more.or(Some(why));
                }
            }
        }
        more
    }

    /// The text of an included file, where its path can be told.
    fn text_of(self, include: &Include) -> Option<Rc<str>> {
        let [folder, _] = self.scope.folders();
        let read = |path: &str| self.scope.text_of(path).map(|(_, text)| text);
        let path = path_of(include.path.as_ref()?, &folder, &read)?;
        let from = if path.starts_with('/') { "" } else { &folder };
        read(&join(from, &path)?)
    }
}

/// A path as far as Terragrunt's functions about folders make it; one that they make begins with `/`, the repository's root.
fn path_of(
    path: &Expression,
    folder: &str,
    read: &dyn Fn(&str) -> Option<Rc<str>>,
) -> Option<String> {
    match &path.kind {
        ExpressionKind::Text(text) => Some(text.to_string()),
        ExpressionKind::Template(template) => {
            let parts = template.parts.iter().map(|part| match part {
                Part::Text(literal) => Some(literal.text.to_string()),
                Part::Value(value, _) => path_of(value, folder, read),
                _ => None,
            });
            parts.collect()
        }
        ExpressionKind::Call(call) => match (&*call.name, call.arguments.as_slice()) {
            ("find_in_parent_folders", []) => above(FILE, folder, read),
            ("find_in_parent_folders", [name]) => above(name.plain_text()?, folder, read),
            ("get_terragrunt_dir" | "get_original_terragrunt_dir", []) => Some(folder.to_owned()),
            ("get_repo_root", []) => Some(String::new()),
            ("dirname", [path]) => {
                let path = path_of(path, folder, read)?;
                path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
            }
            _ => None,
        },
        _ => None,
    }
}

/// The nearest file of a name in the folders above one.
fn above(name: &str, folder: &str, read: &dyn Fn(&str) -> Option<Rc<str>>) -> Option<String> {
    let mut folder = folder.trim_matches('/');
    while !folder.is_empty() {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let path = join(folder, name)?;
        if read(&path).is_some() {
            return Some(format!("/{path}"));
        }
    }
    None
}

/// A value into which one is merged that is not known: lists and maps keep what they have, and what is empty gives way.
fn merged(term: &Term, why: &Rc<str>) -> Term {
    let value = match &term.value {
        Value::List(list) => Value::list(
            list.items.clone(),
            list.more.clone().or(Some(Rc::clone(why))),
        ),
        Value::Object(object) => {
            let fields = object.fields.iter().map(|entry| Entry {
                term: merged(&entry.term, why),
                ..entry.clone()
            });
            let more = object.more.clone().or(Some(Rc::clone(why)));
            Value::object(fields.collect(), more)
        }
        value if is_empty(value) => Value::Unknown(Rc::clone(why)),
        value => value.clone(),
    };
    Term::new(value, term.at)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => *number == 0.0,
        other => other.as_text().is_some_and(|text| text.is_empty()),
    }
}
