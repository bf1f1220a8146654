//! Reads our own YAML files (configuration, rules, provider tables, baselines, inventories) into types that derive
//! `Deserialize`. Continues after an error, so that all errors of a file are reported at once.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::de::{DeError, Pass};
use super::json;
use super::node::Node;
use super::parse::parse;
use crate::source::{Source, SourceId, Span};

/// The maximum number of errors reported for one file.
const ERROR_LIMIT: usize = 100;

/// The content of a file and all of its errors. Wrong parts are left out of the value.
#[derive(Debug)]
pub struct Reading<T> {
    /// `None` if the file has no content or too many errors.
    pub value: Option<T>,
    /// The errors in the order of their places.
    pub errors: Vec<DeError>,
}

impl<T> Reading<T> {
    /// Returns the value if there are no errors, or `None` for a file without content. `problem` creates an error from
    /// a place and a message.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn whole<P: Ord>(
        self,
        source: &Source,
        problem: fn(&Source, Span, String) -> P,
    ) -> Result<Option<T>, Vec<P>> {
        if self.errors.is_empty() {
            return Ok(self.value);
        }
        let errors = self.errors.into_iter();
        let mut problems: Vec<P> = errors
            .map(|error| problem(source, error.span, error.message))
            .collect();
        problems.sort();
        Err(problems)
    }
}

/// Reads a file with a single YAML document. `what` is its name in messages, such as `the configuration`.
///
/// Unlike Kubernetes' reader, this one reports duplicate keys. Merge keys are followed.
pub fn read<T: DeserializeOwned>(source: &Source, id: SourceId, what: &str) -> Reading<T> {
    let stream = parse(&source.text, id);
    let syntax = stream.errors.iter().map(|error| DeError {
        message: format!("not valid YAML: {}", error.message),
        span: error.span,
    });
    let mut reading = Reading {
        value: None,
        errors: syntax.collect(),
    };
    if !reading.errors.is_empty() {
        return reading;
    }
    let documents = stream.documents.iter();
    let mut documents = documents.filter(|document| !document.is_empty());
    if let Some(document) = documents.next() {
        reading = from_node(document.root(), what);
    }
    if let Some(second) = documents.next() {
        reading.errors.push(DeError {
            message: format!("{what} must be a single YAML document"),
            span: second.span(),
        });
    }
    reading
}

/// Reads JSON like [`read`] reads a file. Places tell the order of the values and nothing else.
pub fn read_json<T: DeserializeOwned>(text: &str, id: SourceId, what: &str) -> Reading<T> {
    match json::parse(text, id) {
        Ok(document) => from_node(document.root(), what),
        Err(error) => Reading {
            value: None,
            errors: vec![DeError {
                message: format!("not valid JSON: {error}"),
                span: Span::new(id, 0..0),
            }],
        },
    }
}

/// Reads a node like [`read`] reads a file.
///
/// A wrong value makes `Deserialize` stop. Each pass leaves out the errors of the passes before it, until one reaches
/// the end.
pub fn from_node<T: DeserializeOwned>(node: Node<'_>, what: &str) -> Reading<T> {
    let mut left_out = BTreeMap::new();
    let mut errors: Vec<DeError> = Vec::new();
    let value = loop {
        let pass = Pass::new(what, node.document(), &left_out);
        let result = pass.read(node);
        for error in pass.errors.into_inner() {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        let fault = match result {
            Ok(value) => break Some(value),
            Err(fault) => fault,
        };
        let wrong = fault.leave_out.filter(|(id, _)| *id != node.id());
        errors.extend(fault.error());
        let Some((id, unknown)) = wrong else {
            break None;
        };
        if errors.len() >= ERROR_LIMIT || left_out.insert(id, unknown).is_some() {
            break None;
        }
    };
    errors.sort_by(|one, other| (one.span, &one.message).cmp(&(other.span, &other.message)));
    if errors.len() >= ERROR_LIMIT {
        errors.truncate(ERROR_LIMIT);
        errors.push(DeError {
            message: format!("more than {ERROR_LIMIT} errors; the rest is not listed"),
            span: Span::new(node.span().source, 0..0),
        });
    }
    Reading { value, errors }
}
