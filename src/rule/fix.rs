//! How a rule fixes its findings: an operation at a place, optionally with a condition.

use super::compiler::{Compiler, Expected};
use super::expression::{Bindings, Expression};
use super::kinds::Kinds;
use super::parse::ExpressionError;
use super::schema::FixFile;
use super::template::Template;
use super::vocabulary;
use crate::yaml::Spanned;
use crate::yaml::edit::Change;

/// A compiled fix.
#[derive(Debug)]
pub struct Fix {
    /// Whether it may be applied without review.
    pub safe: bool,
    when: Option<Expression>,
    title: Option<Template>,
    at: String,
    operation: Operation,
}

#[derive(Debug)]
enum Operation {
    Remove,
    Set(Template),
    Quote,
    Unquote,
    Rename(Template),
    Add(String, Template),
}

/// A fix for one verdict whose location is not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Whether it may be applied without review.
    pub safe: bool,
    /// What it does.
    pub title: String,
    /// The place, as named in the rule's scope.
    pub at: String,
    /// The change at that place.
    pub change: Change,
}

/// The error in a fix, with an offset in the given text.
pub type FixError = (Spanned<String>, ExpressionError);

impl Fix {
    /// Compiles a fix.
    ///
    /// # Errors
    /// Returns an error for no operation or several, a place that the scope does not have, or an invalid expression.
    pub fn compile(file: &FixFile, compiler: &Compiler) -> Result<Fix, FixError> {
        let scope = compiler.scope;
        let operations = [
            ("remove", &file.remove),
            ("set", &file.set),
            ("quote", &file.quote),
            ("unquote", &file.unquote),
            ("rename", &file.rename),
            ("add", &file.add),
        ];
        let mut written = operations
            .iter()
            .filter_map(|(name, at)| Some((*name, at.as_ref()?)));
        let (Some((name, at)), None) = (written.next(), written.next()) else {
            let names: Vec<&str> = operations.iter().map(|(name, _)| *name).collect();
            let place = Spanned {
                value: String::new(),
                span: file.safe.span,
            };
            let message = format!("a fix must have exactly one of {}", names.join(", "));
            return Err((place, ExpressionError { offset: 0, message }));
        };
        let wrong = |message: String| Err((at.clone(), ExpressionError { offset: 0, message }));
        if !vocabulary::places(scope).contains(&at.value.as_str()) {
            let known = vocabulary::places(scope).join(", ");
            return wrong(format!(
                "a fix in scope {} cannot change `{}`; choose one of {known}",
                scope.as_str(),
                at.value
            ));
        }
        let takes_text = ["set", "rename", "add"].contains(&name);
        if takes_text != file.to.is_some() || (name == "add") != file.field.is_some() {
            return wrong(format!(
                "`to` goes with `set`, `rename` and `add`, and `field` with `add`; this fix has `{name}`"
            ));
        }
        let when = file
            .when
            .as_ref()
            .map(|text| {
                Expression::compile(&text.value, compiler, Expected::Condition)
                    .map_err(|error| (text.clone(), error))
            })
            .transpose()?;
        let kinds = when.as_ref().map_or(Kinds::ALL, |when| when.kinds(true));
        let compiler = &compiler.within(kinds);
        let template = |text: &Option<Spanned<String>>| -> Result<Option<Template>, FixError> {
            text.as_ref()
                .map(|text| {
                    Template::compile(&text.value, compiler).map_err(|error| (text.clone(), error))
                })
                .transpose()
        };
        let operation = match (name, template(&file.to)?) {
            ("set", Some(to)) => Operation::Set(to),
            ("rename", Some(to)) => Operation::Rename(to),
            ("add", Some(to)) => {
                let field = file.field.as_ref();
                Operation::Add(field.map(|one| one.value.clone()).unwrap_or_default(), to)
            }
            ("quote", _) => Operation::Quote,
            ("unquote", _) => Operation::Unquote,
            _ => Operation::Remove,
        };
        Ok(Fix {
            safe: file.safe.value,
            when,
            title: template(&file.title)?,
            at: at.value.clone(),
            operation,
        })
    }

    /// Returns the fix for a verdict, or `None` if it does not apply.
    ///
    /// # Errors
    /// Returns an error if an expression fails.
    pub fn propose(&self, bindings: &Bindings) -> Result<Option<Proposal>, String> {
        if let Some(when) = &self.when
            && !when.surely(bindings)?
        {
            return Ok(None);
        }
        let field = self.at.rsplit_once('.').map(|(_, field)| field);
        let place = field.map_or("it".to_owned(), |field| format!("`{field}`"));
        let (change, usual) = match &self.operation {
            Operation::Remove => (Change::Remove, format!("remove {place}")),
            Operation::Quote => (Change::Quote, "quote the value".to_owned()),
            Operation::Unquote => (Change::Unquote, "remove the quotes".to_owned()),
            Operation::Set(to) => {
                let to = to.fill(bindings)?;
                let title = match field {
                    Some(field) => format!("write `{field}: {to}`"),
                    None => format!("write `{to}`"),
                };
                (Change::Set(to), title)
            }
            Operation::Rename(to) => {
                let to = to.fill(bindings)?;
                let title = format!("write `{to}`");
                (Change::Rename(to), title)
            }
            Operation::Add(field, to) => {
                let to = to.fill(bindings)?;
                let title = format!("add `{field}: {to}`");
                (Change::Add(field.clone(), to), title)
            }
        };
        // An unknown or missing text cannot be written.
        if let Change::Set(text) | Change::Rename(text) | Change::Add(_, text) = &change
            && (text.is_empty() || text.contains('…'))
        {
            return Ok(None);
        }
        let title = match &self.title {
            Some(title) => title.fill(bindings)?,
            None => usual,
        };
        Ok(Some(Proposal {
            safe: self.safe,
            title,
            at: self.at.clone(),
            change,
        }))
    }
}
