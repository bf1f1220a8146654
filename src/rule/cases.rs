//! Cases: the message, help and severity of a rule if a condition holds.

use std::sync::atomic::{AtomicBool, Ordering};

use super::compiler::{Compiler, Expected};
use super::expression::{Bindings, Expression};
use super::kinds::Kinds;
use super::parse::ExpressionError;
use super::schema::CaseFile;
use super::template::Template;
use super::vocabulary;
use crate::finding::Severity;
use crate::yaml::Spanned;

/// One case of a rule.
#[derive(Debug)]
pub struct Case {
    /// The condition, as written.
    pub condition: String,
    when: Expression,
    message: Option<Template>,
    help: Option<Template>,
    /// The severity if the condition holds.
    pub severity: Option<Severity>,
    /// Whether it took effect in this run.
    reached: AtomicBool,
}

/// The error in a case, with an offset in the given text.
type CaseError = (Spanned<String>, ExpressionError);

/// The cases of a rule, in source order.
#[derive(Debug, Default)]
pub struct Cases(Vec<Case>);

impl Cases {
    /// Compiles the cases. Also returns the kinds of notices for which the rule's own message and its own help remain.
    pub fn compile(
        files: &[CaseFile],
        compiler: &Compiler,
        problems: &mut Vec<CaseError>,
    ) -> (Cases, Kinds, Kinds) {
        let (mut message_kinds, mut help_kinds) = (Kinds::ALL, Kinds::ALL);
        let mut cases = Vec::new();
        for file in files {
            match Case::compile(file, compiler, message_kinds, help_kinds) {
                Ok(case) => {
                    let left = case.when.kinds(false);
                    if case.message.is_some() {
                        message_kinds = message_kinds.and(left);
                    }
                    if case.help.is_some() {
                        help_kinds = help_kinds.and(left);
                    }
                    cases.push(case);
                }
                Err(problem) => problems.push(problem),
            }
        }
        (Cases(cases), message_kinds, help_kinds)
    }

    /// Returns the cases, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Case> {
        self.0.iter()
    }

    /// Returns the sentences of all cases.
    pub fn sentences(&self) -> impl Iterator<Item = &Template> {
        self.0
            .iter()
            .flat_map(|case| case.message.iter().chain(&case.help))
    }

    /// Whether a condition may depend on the severity of the finding. Only `false` is certain.
    pub fn read_severity(&self) -> bool {
        self.0
            .iter()
            .any(|case| case.when.mentions(vocabulary::SEVERITY))
    }

    /// Returns the severity of the first matching case that has one.
    ///
    /// # Errors
    /// Returns an error if a condition fails.
    pub fn severity(&self, bindings: &Bindings) -> Result<Option<Severity>, String> {
        self.first(bindings, |case| case.severity)
    }

    /// Returns the message of the first matching case that has one.
    ///
    /// # Errors
    /// Returns an error if a condition fails.
    pub fn message(&self, bindings: &Bindings) -> Result<Option<&Template>, String> {
        self.first(bindings, |case| case.message.as_ref())
    }

    /// Returns the help of the first matching case that has one.
    ///
    /// # Errors
    /// Returns an error if a condition fails.
    pub fn help(&self, bindings: &Bindings) -> Result<Option<&Template>, String> {
        self.first(bindings, |case| case.help.as_ref())
    }

    /// Returns the first match. A case with an unknown condition does not match.
    fn first<'c, T>(
        &'c self,
        bindings: &Bindings,
        of: impl Fn(&'c Case) -> Option<T>,
    ) -> Result<Option<T>, String> {
        for case in &self.0 {
            if let Some(found) = of(case)
                && case.when.surely(bindings)?
            {
                case.reached.store(true, Ordering::Relaxed);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Case {
    fn compile(
        file: &CaseFile,
        compiler: &Compiler,
        message_kinds: Kinds,
        help_kinds: Kinds,
    ) -> Result<Case, CaseError> {
        let wrong = |message: &str| {
            let message = message.to_owned();
            Err((file.when.clone(), ExpressionError { offset: 0, message }))
        };
        if file.message.is_none() && file.help.is_none() && file.severity.is_none() {
            return wrong("a case needs `message`, `help` or `severity`");
        }
        // The severity cannot depend on itself.
        let expected = match file.severity {
            Some(_) => Expected::Condition,
            None => Expected::Choice,
        };
        let when = Expression::compile(&file.when.value, compiler, expected)
            .map_err(|error| (file.when.clone(), error))?;
        let sentence = |text: &Option<Spanned<String>>, kinds: Kinds| {
            let here = compiler.within(kinds.and(when.kinds(true)));
            let compile = |text: &Spanned<String>| {
                Template::compile(&text.value, &here).map_err(|error| (text.clone(), error))
            };
            text.as_ref().map(compile).transpose()
        };
        Ok(Case {
            message: sentence(&file.message, message_kinds)?,
            help: sentence(&file.help, help_kinds)?,
            condition: file.when.value.clone(),
            severity: file.severity,
            when,
            reached: AtomicBool::new(false),
        })
    }

    /// Whether it took effect in this run.
    pub fn is_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }
}
