//! Evaluates references with their steps, calls, and `for`.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::functions;
use super::syntax::{Call, Expression, ExpressionKind, For, Step};
use super::value::{Entry, Failure, Fields, Outcome, Term, Value, index, pairs};
use crate::source::Span;

/// Why a name that nothing declares has no value.
pub(super) const NOT_DECLARED: &str = "is not declared";

/// The name that a value depends on according to the reason why it is unknown, if nothing declares that name.
pub fn undeclared(why: &str) -> Option<&str> {
    let (name, rest) = why.strip_prefix('`')?.split_once('`')?;
    rest.ends_with(NOT_DECLARED).then_some(name)
}

impl Evaluator<'_> {
    pub(super) fn access(
        self,
        expression: &Expression,
        of: &Expression,
        steps: &[Step],
        names: &Names<'_>,
    ) -> Outcome {
        let ExpressionKind::Name(name) = &of.kind else {
            let start = self.evaluate(of, names)?;
            return self.follow(expression, start, steps, names);
        };
        if let Some(term) = names.get(name) {
            return self.follow(expression, term.clone(), steps, names);
        }
        let first = match steps.first() {
            Some(Step::Name(first)) => Some(&**first),
            Some(Step::Index(index)) => match &index.kind {
                ExpressionKind::Text(first) => Some(&**first),
                _ => None,
            },
            _ => None,
        };
        let start = match (&**name, first) {
            ("var", Some(first)) => self.scope.variable(first),
            ("local", Some(first)) => self.scope.local(first),
            ("module", Some(first)) => {
                let Some(Step::Name(output)) = steps.get(1) else {
                    return Ok(self.unknown(expression, "is not evaluated"));
                };
                let Some(term) = self.scope.output(first, output) else {
                    return Ok(self.unknown(expression, "comes from a module that is not read"));
                };
                return self.follow(expression, term, steps.get(2..).unwrap_or_default(), names);
            }
            ("terraform", Some("workspace")) if steps.len() == 1 => {
                let at = self.span(expression);
                return Ok(match self.scope.run().workspaces.read(at) {
                    Some(name) => Term::new(name, at),
                    None => self.unknown(expression, "is known only when Terraform runs"),
                });
            }
            ("each" | "count" | "self" | "path" | "terraform" | "var" | "local" | "module", _) => {
                return Ok(self.unknown(expression, "is known only when Terraform runs"));
            }
            ("data", _) => return Ok(self.unknown(expression, "is looked up when Terraform runs")),
            _ => return Ok(self.unknown(expression, "is known only after `terraform apply`")),
        };
        let start = match start {
            Ok(term) => term,
            Err(why) => return Ok(self.unknown(expression, &why)),
        };
        self.follow(expression, start, steps.get(1..).unwrap_or_default(), names)
    }

    fn follow(
        self,
        expression: &Expression,
        start: Term,
        steps: &[Step],
        names: &Names<'_>,
    ) -> Outcome {
        let mut term = start;
        for (at, step) in steps.iter().enumerate() {
            if term.value.unknown().is_some() {
                return Ok(term);
            }
            let key = match step {
                Step::Each => {
                    let rest = steps.get(at + 1..).unwrap_or_default();
                    return self.each(expression, term, rest, names);
                }
                Step::OfEach(inner) => {
                    term = self.each(expression, term, inner, names)?;
                    continue;
                }
                Step::Name(name) => Term::new(Value::text(name), term.at),
                Step::Index(index) => self.evaluate(index, names)?,
            };
            self.scope.run().workspaces.look_up(&term, &key, true);
            term = index(&term, &key)?;
        }
        Ok(term)
    }

    fn each(
        self,
        expression: &Expression,
        term: Term,
        rest: &[Step],
        names: &Names<'_>,
    ) -> Outcome {
        let at = term.at;
        let (items, more) = match &term.value {
            Value::Null => (Vec::new(), None),
            Value::List(list) => (list.items.clone(), list.more.clone()),
            _ => (vec![term], None),
        };
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            if !self.scope.run().spend(1) {
                return Ok(self.unknown(expression, "takes too much work to evaluate"));
            }
            found.push(self.follow(expression, item, rest, names)?);
        }
        Ok(Term::new(Value::list(found, more), at))
    }

    pub(super) fn for_each(self, one: &For, at: Span, names: &Names<'_>) -> Outcome {
        let over = self.evaluate(&one.over, names)?;
        if let Some(why) = over.value.unknown() {
            return Ok(Term::unknown(Rc::clone(why), at));
        }
        let Some((pairs, mut more)) = pairs(&over) else {
            return Err(Failure("`for` expects a list or a map".to_owned()));
        };
        let mut items = Vec::new();
        let mut fields = Fields::default();
        for (key, value) in pairs {
            if !self.scope.run().spend(1) {
                return Ok(Term::unknown("a `for` expression takes too much work", at));
            }
            let mut own = vec![(&*one.value_name, value)];
            if let Some(name) = &one.key_name {
                own.push((&**name, key));
            }
            let names = Names::within(names, &own);
            if let Some(when) = &one.when {
                let when = self.evaluate(when, &names)?;
                match (when.value.as_bool(), when.value.unknown()) {
                    (Some(true), _) => {}
                    (Some(false), _) => continue,
                    (None, Some(why)) => {
                        more = Some(Rc::clone(why));
                        continue;
                    }
                    (None, None) => return Err(Failure("`if` expects a boolean".to_owned())),
                }
            }
            let Some(key) = &one.key else {
                items.push(self.evaluate(&one.value, &names)?);
                continue;
            };
            let key_at = self.span(key);
            let key = self.evaluate(key, &names)?;
            let term = self.evaluate(&one.value, &names)?;
            match (key.value.as_text(), key.value.unknown()) {
                (Some(key), _) => {
                    let term = match fields.get(&key) {
                        Some(_) if !one.grouped => {
                            return Err(Failure(format!("`for` makes the key `{key}` twice")));
                        }
                        Some(known) if one.grouped => {
                            // The existing items are copied.
                            let copied = match &known.value {
                                Value::List(list) => list.items.len() / 16,
                                _ => 0,
                            };
                            if !self.scope.run().spend(copied) {
                                return Ok(Term::unknown(
                                    "a `for` expression takes too much work",
                                    at,
                                ));
                            }
                            group(Some(known), term)
                        }
                        _ if one.grouped => group(None, term),
                        _ => term,
                    };
                    fields.set(Entry { key, key_at, term });
                }
                (None, Some(why)) => {
                    fields.doubt(why);
                    more = Some(Rc::clone(why));
                }
                (None, None) => return Err(Failure("a key is not a string".to_owned())),
            }
        }
        let value = match one.key {
            Some(_) => fields.finish(more),
            None => Value::list(items, more),
        };
        Ok(Term::new(value, at))
    }

    pub(super) fn call(
        self,
        expression: &Expression,
        call: &Call,
        at: Span,
        names: &Names<'_>,
    ) -> Outcome {
        match &*call.name {
            "try" | "can" => return self.attempt(call, at, names),
            "file" | "templatefile" => return self.read_file(expression, call, names),
            "read_terragrunt_config" => {
                let path = call.arguments.first();
                return match path.and_then(|path| self.terragrunt_config(path, at)) {
                    Some(config) => Ok(config),
                    None => Ok(self.unknown(expression, "reads a file that is not read")),
                };
            }
            _ => {}
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.evaluate(argument, names)?);
        }
        if call.spread {
            let Some(last) = arguments.pop() else {
                return Err(Failure("`...` without an argument".to_owned()));
            };
            match &last.value {
                Value::List(list) => match &list.more {
                    Some(why) => return Ok(Term::unknown(Rc::clone(why), at)),
                    None => arguments.extend(list.items.iter().cloned()),
                },
                Value::Unknown(why) => return Ok(Term::unknown(Rc::clone(why), at)),
                _ => return Err(Failure("`...` expects a list".to_owned())),
            }
        }
        if let ("lookup", [among, key, ..]) | ("contains", [among, key]) =
            (&*call.name, arguments.as_slice())
        {
            let workspaces = &self.scope.run().workspaces;
            workspaces.look_up(among, key, arguments.len() == 2);
        }
        match functions::call(&call.name, &arguments, self.scope.run(), at) {
            Some(Ok(value)) => Ok(Term::new(value, at)),
            Some(Err(failure)) => Err(failure),
            None => Ok(self.unknown(expression, "is a function that is not evaluated")),
        }
    }

    /// Evaluates `try` and `can`, which handle failures.
    fn attempt(self, call: &Call, at: Span, names: &Names<'_>) -> Outcome {
        let mut last = Failure(format!("`{}` without arguments", call.name));
        for argument in &call.arguments {
            match self.evaluate(argument, names) {
                Ok(term) if &*call.name == "try" => return Ok(term),
                Ok(term) => {
                    let value = match term.value.unknown() {
                        Some(why) => Value::Unknown(Rc::clone(why)),
                        None => Value::Bool(true),
                    };
                    return Ok(Term::new(value, at));
                }
                Err(_) if &*call.name == "can" => return Ok(Term::new(Value::Bool(false), at)),
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }
}

fn group(known: Option<&Term>, term: Term) -> Term {
    let at = term.at;
    let mut items = match known.map(|known| &known.value) {
        Some(Value::List(list)) => list.items.clone(),
        _ => Vec::new(),
    };
    items.push(term);
    Term::new(Value::list(items, None), at)
}
