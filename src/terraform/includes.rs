//! Merges the inputs of Terragrunt files with those of the files that they include.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names, Scope};
use super::hcl;
use super::registry::registry_source;
use super::run::Run;
use super::syntax::{Block, Expression, File, Given, Include, line_starts};
use super::terragrunt;
use super::terragrunt_paths::{MAX_LOCALS, Paths};
use super::value::{Entry, Fields, Term, Value};
use crate::source::path::join;
use crate::source::{SourceId, Span};

/// Names that module variables cannot have.
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

/// A file that is included or read, with its own locals as the scope of its expressions.
struct Included<'s> {
    outer: &'s dyn Scope,
    file: File,
    path: String,
    /// The folder that the folder functions are relative to: that of the including file, or of the file that is read.
    folder: String,
}

impl Scope for Included<'_> {
    fn run(&self) -> &Run {
        self.outer.run()
    }

    fn place_of(&self, file: &File, offset: u32) -> String {
        format!("{}:{}", self.path, file.line(offset))
    }

    fn variable(&self, _: &str) -> Result<Term, String> {
        Err("is not declared".to_owned())
    }

    fn local(&self, name: &str) -> Result<Term, String> {
        let local = self.file.locals.get(name);
        let expression = local.ok_or("is not declared")?;
        Ok(self.evaluator().value(expression, &Names::NONE))
    }

    fn output(&self, _: &str, _: &str) -> Option<Term> {
        None
    }

    fn folders(&self) -> [String; 2] {
        let [_, root] = self.outer.folders();
        [self.folder.clone(), root]
    }

    fn text_of(&self, path: &str) -> Option<(SourceId, Rc<str>)> {
        self.outer.text_of(path)
    }

    fn is_reading(&self, path: &str) -> bool {
        self.path == path || self.outer.is_reading(path)
    }
}

impl<'s> Included<'s> {
    /// Reads a file, or returns `None` if a part of it cannot be read.
    fn read(outer: &'s dyn Scope, path: String, source: SourceId, text: &str) -> Option<Self> {
        let mut file = File {
            source: Some(source),
            lines: line_starts(text),
            ..File::default()
        };
        hcl::read_terragrunt(&path, text, &mut file, &mut Vec::new());
        let [folder, _] = outer.folders();
        (!file.broken).then_some(Included {
            outer,
            file,
            path,
            folder,
        })
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator {
            scope: self,
            file: &self.file,
        }
    }

    /// The folder that it is in.
    fn own_folder(&self) -> String {
        format!("/{}", crate::source::path::folder(&self.path))
    }

    /// The call that its inputs belong to.
    fn call(&self) -> Option<&Block> {
        self.file.modules.first()
    }

    /// The inputs that it sets, or `None` if it has none.
    fn inputs(&self) -> Option<Term> {
        let given = self.call()?.body.given.as_ref()?;
        Some(self.evaluator().value(&given.inputs, &Names::NONE))
    }
}

impl Evaluator<'_> {
    /// Adds the attributes from a value. Returns why there may be more.
    pub(super) fn given(
        self,
        given: &Given,
        names: &Names<'_>,
        fields: &mut Fields,
    ) -> Option<Rc<str>> {
        let term = self.value(&given.inputs, names);
        let mut more = match &term.value {
            Value::Object(object) => {
                for entry in object.fields.iter().filter(|entry| !is_taken(entry)) {
                    fields.set(entry.clone());
                }
                object.more.clone()
            }
            other => other.unknown().cloned(),
        };
        for include in &given.includes {
            let place = self.scope.place_of(self.file, include.at.0);
            let inputs = match self.included(include) {
                Some(included) => match included.inputs() {
                    Some(inputs) => inputs,
                    None => continue,
                },
                None => {
                    let why = format!("it includes a file that could not be read ({place})");
                    Term::unknown(why, self.file.span(include.at))
                }
            };
            let open = match &inputs.value {
                Value::Object(object) => {
                    for entry in object.fields.iter().filter(|entry| !is_taken(entry)) {
                        let term = match fields.get(&entry.key) {
                            Some(own) if include.is_deep => merged(own, &entry.term),
                            Some(_) => continue,
                            None => entry.term.clone(),
                        };
                        fields.set(Entry {
                            term,
                            ..entry.clone()
                        });
                    }
                    object.more.clone()
                }
                other => other.unknown().cloned(),
            };
            if let Some(why) = open {
                if include.is_deep {
                    let unknown = Term::unknown(Rc::clone(&why), inputs.at);
                    fields.map(|own| merged(own, &unknown));
                }
                more = more.or(Some(why));
            }
        }
        more
    }

    /// Returns the source of a call in the registry's notation. A Terragrunt file may get it from a file that it includes.
    pub(super) fn registry_source(self, block: &Block) -> Option<String> {
        let includes = block.body.given.as_ref().map(|given| &given.includes);
        let mut includes = includes
            .filter(|_| terragrunt::lacks_source(block))
            .into_iter()
            .flatten();
        let found = includes.find_map(|include| {
            let included = self.included(include)?;
            let call = included
                .call()
                .filter(|call| !terragrunt::lacks_source(call))?;
            registry_source(call)
        });
        found.or_else(|| registry_source(block))
    }

    /// Returns the folder of the module that a Terragrunt file calls, if it or a file that it includes names it by a path. Such
    /// paths count from the file that includes others.
    pub(super) fn terragrunt_folder(self, block: &Block) -> Option<String> {
        let given = block.body.given.as_ref();
        let given = given.filter(|_| terragrunt::lacks_source(block))?;
        let [folder, _] = self.scope.folders();
        let read = |path: &str| self.scope.text_of(path).map(|(_, text)| text);
        let path = match &given.source {
            Some(source) => Paths {
                folder: &folder,
                file: self.file,
                included: &|name| {
                    let mut all = given.includes.iter();
                    let include = match name {
                        Some(_) => all.find(|one| one.name.as_deref() == name),
                        None => all.next().filter(|_| given.includes.len() == 1),
                    };
                    Some(self.included(include?)?.own_folder())
                },
                read: &read,
                left: MAX_LOCALS.into(),
            }
            .resolve(source),
            None => given.includes.iter().find_map(|include| {
                let included = self.included(include)?;
                let call = included.call().filter(|call| names_source(call))?;
                match &call.body.given.as_ref()?.source {
                    Some(source) => Paths {
                        folder: &folder,
                        file: &included.file,
                        included: &|_| Some(included.own_folder()),
                        read: &read,
                        left: MAX_LOCALS.into(),
                    }
                    .resolve(source),
                    None => call
                        .body
                        .attribute("source")?
                        .plain_text()
                        .map(str::to_owned),
                }
            }),
        }?;
        let from = if path.starts_with('/') { "" } else { &folder };
        let is_path = ["/", "./", "../"]
            .iter()
            .any(|start| path.starts_with(start));
        is_path.then(|| join(from, &path)).flatten()
    }

    /// Evaluates `read_terragrunt_config`: a file's locals and inputs, or `None` if path or content is unknown.
    pub(super) fn terragrunt_config(self, path: &Expression, at: Span) -> Option<Term> {
        let mut config = self.file_at(path)?;
        config.folder = config.own_folder();
        let entry = |key: &str, term: Term| Entry {
            key: key.into(),
            key_at: at,
            term,
        };
        let evaluator = config.evaluator();
        let locals = config.file.locals.iter().map(|(name, expression)| {
            let term = evaluator.value(expression, &Names::NONE);
            entry(name, term)
        });
        let locals = Term::new(Value::object(locals.collect(), None), at);
        let inputs = config.inputs();
        let inputs = inputs.unwrap_or_else(|| Term::new(Value::object(Vec::new(), None), at));
        let more = "only `locals` and `inputs` of such a file are read";
        let known = vec![entry("locals", locals), entry("inputs", inputs)];
        Some(Term::new(Value::object(known, Some(more.into())), at))
    }

    /// Returns an included file, or `None` if its path is unknown or it cannot be read.
    fn included(&self, include: &Include) -> Option<Included<'_>> {
        self.file_at(include.path.as_ref()?)
    }

    fn file_at(&self, path: &Expression) -> Option<Included<'_>> {
        let [folder, _] = self.scope.folders();
        let paths = Paths {
            folder: &folder,
            file: self.file,
            included: &|_| None,
            read: &|path| self.scope.text_of(path).map(|(_, text)| text),
            left: MAX_LOCALS.into(),
        };
        let path = paths.resolve(path)?;
        let from = if path.starts_with('/') { "" } else { &folder };
        let path = join(from, &path)?;
        let (source, text) = self.scope.text_of(&path)?;
        // Reading costs more than most other steps of an evaluation.
        if self.scope.is_reading(&path) || !self.scope.run().spend(64 + text.len()) {
            return None;
        }
        Included::read(self.scope, path, source, &text)
    }
}

/// Merges another value into a value: maps field by field, lists as a whole. Otherwise the first value wins unless it
/// is empty. If the other value is unknown, maps and lists keep their contents.
fn merged(term: &Term, other: &Term) -> Term {
    let more = |own: &Option<Rc<str>>, other: Option<&Rc<str>>| own.clone().or(other.cloned());
    let value = match (&term.value, &other.value) {
        (Value::List(own), Value::List(other)) => {
            let items = other.items.iter().chain(&own.items).cloned().collect();
            Value::list(items, more(&own.more, other.more.as_ref()))
        }
        (Value::List(own), Value::Unknown(why)) => {
            Value::list(own.items.clone(), more(&own.more, Some(why)))
        }
        (Value::Object(own), Value::Object(other)) => {
            let mut fields = Fields::default();
            for entry in &own.fields {
                let term = match (other.get(&entry.key), &other.more) {
                    (Some(other), _) => merged(&entry.term, other),
                    (None, Some(why)) => {
                        merged(&entry.term, &Term::unknown(Rc::clone(why), entry.key_at))
                    }
                    (None, None) => entry.term.clone(),
                };
                fields.set(Entry {
                    term,
                    ..entry.clone()
                });
            }
            for entry in &other.fields {
                if own.get(&entry.key).is_none() {
                    // It may be one of the fields with unknown names.
                    let term = match &own.more {
                        Some(why) => Term::unknown(Rc::clone(why), entry.key_at),
                        None => entry.term.clone(),
                    };
                    fields.set(Entry {
                        term,
                        ..entry.clone()
                    });
                }
            }
            fields.finish(more(&own.more, other.more.as_ref()))
        }
        (Value::Object(own), Value::Unknown(_)) => {
            let fields = own.fields.iter().map(|entry| Entry {
                term: merged(&entry.term, other),
                ..entry.clone()
            });
            Value::object(fields.collect(), more(&own.more, other.value.unknown()))
        }
        (own, other) if is_empty(own) => other.clone(),
        (own, _) => own.clone(),
    };
    Term::new(value, term.at)
}

/// Whether a call says which module it calls, in whatever way.
fn names_source(call: &Block) -> bool {
    let given = call.body.given.as_ref();
    !terragrunt::lacks_source(call) || given.is_some_and(|given| given.source.is_some())
}

fn is_taken(entry: &Entry) -> bool {
    TAKEN.contains(&&*entry.key)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => *number == 0.0,
        other => other.as_text().is_some_and(|text| text.is_empty()),
    }
}
