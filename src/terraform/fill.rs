//! Fills in templates: heredocs, quoted texts, and files that a configuration reads. An unknown value leaves a gap with
//! a reason. Every other part has the place that it comes from.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::hcl;
use super::run::MAX_TEXT;
use super::syntax::{Call, Expression, File, If, Literal, Part, Repeat, Template};
use super::value::{Failure, Outcome, Term, Value, pairs};
use crate::source::Span;
use crate::source::path::join;
use crate::yaml::Pieces;

/// Why filling in stops early.
enum Stop {
    /// Terraform would reject it.
    Refused(Failure),
    /// The text is too long.
    TooLong,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Refused(failure)
    }
}

fn refused(why: &str) -> Stop {
    Stop::Refused(Failure(why.to_owned()))
}

impl Evaluator<'_> {
    pub(super) fn template(self, template: &Template, at: Span, names: &Names<'_>) -> Outcome {
        if let ([Part::Value(only, _)], false) = (template.parts.as_slice(), template.has_lines) {
            return self.evaluate(only, names);
        }
        let mut pieces = Pieces::default();
        match self.fill(&template.parts, names, &mut pieces) {
            Ok(()) => {}
            Err(Stop::Refused(failure)) => return Err(failure),
            Err(Stop::TooLong) => return Ok(Term::unknown("a string becomes too long", at)),
        }
        let value = match (template.has_lines, pieces.open_because()) {
            (true, _) => Value::filled(pieces),
            (false, Some(why)) => Value::Unknown(why.into()),
            (false, None) => Value::text(pieces.text()),
        };
        Ok(Term::new(value, at))
    }

    fn fill(self, parts: &[Part], names: &Names<'_>, pieces: &mut Pieces) -> Result<(), Stop> {
        for part in parts {
            let before = pieces.text().len();
            match part {
                Part::Text(literal) => self.literal(literal, pieces),
                Part::Value(expression, at) => {
                    let at = self.file.span(*at);
                    self.interpolate(expression, at, names, pieces)?;
                }
                Part::If(one) => self.choose(one, names, pieces)?,
                Part::For(one) => self.repeat(one, names, pieces)?,
                Part::Unread => {
                    let at = self.file.span((0, 0));
                    pieces.push_open("a `%{` directive is not evaluated", at);
                }
            }
            let added = pieces.text().len() - before;
            if pieces.text().len() > MAX_TEXT || !self.scope.run().spend(1 + added / 64) {
                return Err(Stop::TooLong);
            }
        }
        Ok(())
    }

    fn literal(self, literal: &Literal, pieces: &mut Pieces) {
        let text = &literal.text;
        let Some(source) = self.file.source.filter(|_| !literal.runs.is_empty()) else {
            return pieces.push_made(text, self.file.span(literal.at));
        };
        let ends = literal.runs.iter().skip(1).map(|(next, _)| *next);
        for ((at, offset), end) in literal.runs.iter().zip(ends.chain([text.len()])) {
            pieces.push_verbatim(text.get(*at..end).unwrap_or_default(), source, *offset);
        }
    }

    fn interpolate(
        self,
        expression: &Expression,
        at: Span,
        names: &Names<'_>,
        pieces: &mut Pieces,
    ) -> Result<(), Stop> {
        let term = self.evaluate(expression, names)?;
        match (term.value.pieces(), term.value.as_text()) {
            (Some(inner), _) => {
                pieces.append(&inner);
                Ok(())
            }
            (None, Some(text)) => {
                pieces.push_made(&text, at);
                Ok(())
            }
            (None, None) => match term.value.unknown() {
                Some(why) => {
                    pieces.push_open(why, at);
                    Ok(())
                }
                None => Err(refused("part of a string is not a string")),
            },
        }
    }

    fn choose(self, one: &If, names: &Names<'_>, pieces: &mut Pieces) -> Result<(), Stop> {
        let condition = self.evaluate(&one.condition, names)?;
        match (condition.value.as_bool(), condition.value.unknown()) {
            (Some(true), _) => self.fill(&one.yes, names, pieces),
            (Some(false), _) => self.fill(&one.no, names, pieces),
            (None, Some(why)) => {
                self.gap(why, &one.condition, &one.yes, pieces);
                Ok(())
            }
            (None, None) => Err(refused("a condition is not a boolean")),
        }
    }

    fn repeat(self, one: &Repeat, names: &Names<'_>, pieces: &mut Pieces) -> Result<(), Stop> {
        let over = self.evaluate(&one.over, names)?;
        let (found, more) = match (pairs(&over), over.value.unknown()) {
            (Some(found), _) => found,
            (None, Some(why)) => (Vec::new(), Some(Rc::clone(why))),
            (None, None) => return Err(refused("`for` expects a list or a map")),
        };
        for (key, value) in found {
            let mut own = vec![(&*one.value_name, value)];
            if let Some(name) = &one.key_name {
                own.push((&**name, key));
            }
            if !self.scope.run().spend(1) {
                return Err(Stop::TooLong);
            }
            self.fill(&one.body, &Names::within(names, &own), pieces)?;
        }
        if let Some(why) = more {
            self.gap(&why, &one.over, &one.body, pieces);
        }
        Ok(())
    }

    /// Adds a gap for parts that may or may not be present.
    fn gap(self, why: &str, expression: &Expression, parts: &[Part], pieces: &mut Pieces) {
        let at = self.span(expression);
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(literal) => Some(&*literal.text),
            _ => None,
        });
        let mut lines = texts.clone().flat_map(str::lines);
        let line = lines.find(|line| !line.trim().is_empty());
        let has_lines = texts.clone().any(|text| text.contains('\n'));
        match line.filter(|_| has_lines) {
            Some(line) => pieces.push_open_lines(why, at, line),
            None => pieces.push_open(why, at),
        }
    }

    /// Evaluates `file` and `templatefile` for files of this repository.
    pub(super) fn read_file(
        self,
        expression: &Expression,
        call: &Call,
        names: &Names<'_>,
    ) -> Outcome {
        let at = self.span(expression);
        let Some(first) = call.arguments.first() else {
            return Err(Failure(format!("`{}` without arguments", call.name)));
        };
        let [module, root] = self.scope.folders();
        let folder = |name: &str, path: &str| super::value::Entry {
            key: name.into(),
            key_at: at,
            term: Term::new(Value::text(path), at),
        };
        let folders = vec![
            folder("module", &module),
            folder("root", &root),
            folder("cwd", &root),
        ];
        let own = [("path", Term::new(Value::object(folders, None), at))];
        let path = self.evaluate(first, &Names::within(names, &own))?;
        if let Some(why) = path.value.unknown() {
            return Ok(Term::unknown(Rc::clone(why), at));
        }
        let found = path
            .value
            .as_text()
            .and_then(|path| normalize(&path, &root))
            .and_then(|path| self.scope.text_of(&path));
        let Some((source, text)) = found else {
            return Ok(self.unknown(expression, "reads a file that is not read"));
        };
        if text.len() > MAX_TEXT || !self.scope.run().spend(1 + text.len() / 16) {
            return Ok(Term::unknown("a string becomes too long", at));
        }
        if &*call.name == "file" {
            let mut pieces = Pieces::default();
            pieces.push_verbatim(&text, source, 0);
            return Ok(Term::new(Value::filled(pieces), at));
        }
        let Some(template) = hcl::read_template_file(&text) else {
            return Ok(self.unknown(expression, "reads a template that cannot be parsed"));
        };
        let given = match call.arguments.get(1) {
            Some(given) => self.evaluate(given, names)?,
            None => Term::new(Value::object(Vec::new(), None), at),
        };
        // Templates only see the variables that are passed to them.
        let mut own = Vec::new();
        let more = match &given.value {
            Value::Object(object) => {
                for entry in &object.fields {
                    own.push((&*entry.key, entry.term.clone()));
                }
                object.more.as_ref()
            }
            other => other.unknown(),
        };
        if let Some(why) = more {
            return Ok(Term::unknown(Rc::clone(why), at));
        }
        let file = File {
            source: Some(source),
            lines: super::syntax::line_starts(&text),
            ..File::default()
        };
        let evaluator = Evaluator {
            scope: self.scope,
            file: &file,
        };
        let names = Names::within(&Names::NONE, &own);
        evaluator.template(&template, at, &names)
    }
}

/// Normalizes a path in the repository. Paths that do not start with `/` are relative to the configuration's folder.
fn normalize(path: &str, root: &str) -> Option<String> {
    match path.strip_prefix('/') {
        Some(path) => join("", path),
        None => join(root, path),
    }
}
