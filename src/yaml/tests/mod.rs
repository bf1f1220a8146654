//! Tests of the whole module, by subject. This file contains the helpers that read a text and show a place in it.

mod edits;
mod errors;
mod hostile;
mod paths;
mod places;
mod reading;
mod repairs;
mod texts;
mod values;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;
use crate::source::{SourceId, Span};

const SOURCE: SourceId = SourceId(7);

fn read(text: &str) -> Stream {
    super::parse(text, SOURCE)
}

/// Returns the only document of a text without errors.
fn one(text: &str) -> Document {
    let mut stream = read(text);
    assert_eq!(stream.errors, [], "{text:?}");
    assert_eq!(stream.documents.len(), 1, "{text:?}");
    stream.documents.remove(0)
}

fn message(text: &str) -> (String, String) {
    let stream = read(text);
    assert_eq!(stream.errors.len(), 1, "{text:?}: {stream:?}");
    let error = &stream.errors[0];
    (error.message.clone(), at(text, error.span).to_owned())
}

fn at(text: &str, span: Span) -> &str {
    assert_eq!(span.source, SOURCE);
    &text[span.range()]
}

fn names<'a>(fields: &[Field<'a>]) -> Vec<(&'a str, &'a str)> {
    fields
        .iter()
        .map(|field| {
            (
                field.name().unwrap_or("?"),
                field.value.raw().unwrap_or("?"),
            )
        })
        .collect()
}
