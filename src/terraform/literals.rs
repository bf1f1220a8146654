//! Evaluates a text on its own, without variables, locals or files. The result is compared with that of HashiCorp's own
//! HCL.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use super::evaluate::{Evaluator, Names, Scope};
use super::run::Run;
use super::syntax::{Body, Expression, ExpressionKind, File, Part, line_starts};
use super::value::{Term, Value, number_text};
use super::{BUDGET, SyntaxError, hcl};
use crate::source::SourceId;

/// A scope without any names.
struct Nothing(Run);

impl Scope for Nothing {
    fn run(&self) -> &Run {
        &self.0
    }

    fn place_of(&self, file: &File, offset: u32) -> String {
        file.line(offset).to_string()
    }

    fn variable(&self, _: &str) -> Result<Term, String> {
        Err("is not declared".to_owned())
    }

    fn local(&self, _: &str) -> Result<Term, String> {
        Err("is not declared".to_owned())
    }

    fn output(&self, _: &str, _: &str) -> Option<Term> {
        None
    }

    fn folders(&self) -> [String; 2] {
        [String::new(), String::new()]
    }

    fn text_of(&self, _: &str) -> Option<(SourceId, Rc<str>)> {
        None
    }
}

/// Returns the blocks and attributes of a text: `{attributes: {name: value}, blocks: [[name, labels, body]]}`. In
/// values, numbers are `{number}`, objects are `{fields}`, and unknown values are `{unknown}` with the reason.
pub fn literals(text: &str) -> Result<Json, SyntaxError> {
    let mut file = File {
        source: Some(SourceId(0)),
        lines: line_starts(text),
        ..File::default()
    };
    let mut errors = Vec::new();
    let body = hcl::body(text, &mut file, &mut errors);
    match errors.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(body_of(&body, &file)),
    }
}

/// Returns the value of a text that is itself a template.
pub fn literal_of_template(text: &str) -> Result<Json, SyntaxError> {
    let file = File {
        source: Some(SourceId(0)),
        lines: line_starts(text),
        ..File::default()
    };
    let template = hcl::read_template_file(text).ok_or(SyntaxError {
        at: (0, 0),
        message: "it is not a template".to_owned(),
    })?;
    let at = (0, 0);
    let kind = match template.parts.as_slice() {
        [Part::Value(only, _)] => only.kind.clone(),
        _ => ExpressionKind::Template(Box::new(template)),
    };
    let scope = Nothing(Run::new(BUDGET, None));
    let evaluator = Evaluator {
        scope: &scope,
        file: &file,
    };
    let term = evaluator.value(&Expression { kind, at }, &Names::NONE);
    Ok(value_of(&term.value))
}

fn body_of(body: &Body, file: &File) -> Json {
    let mut attributes = Map::new();
    for (name, _, value) in &body.attributes {
        // Each has a budget of its own, as if it were alone.
        let scope = Nothing(Run::new(BUDGET, None));
        let evaluator = Evaluator {
            scope: &scope,
            file,
        };
        let term = evaluator.value(value, &Names::NONE);
        attributes.insert(name.to_string(), value_of(&term.value));
    }
    let blocks = body.blocks.iter().map(|block| {
        json!([
            &*block.name,
            block
                .labels
                .iter()
                .map(|label| &**label)
                .collect::<Vec<_>>(),
            body_of(&block.body, file)
        ])
    });
    json!({"attributes": attributes, "blocks": blocks.collect::<Vec<_>>()})
}

fn value_of(value: &Value) -> Json {
    match value {
        _ if value.unknown().is_some() => json!({"unknown": value.unknown().map(|why| &**why)}),
        Value::Null => Json::Null,
        Value::Bool(own) => json!(own),
        Value::Number(own) => json!({"number": number_text(*own)}),
        Value::List(list) if list.more.is_none() => list
            .items
            .iter()
            .map(|item| value_of(&item.value))
            .collect(),
        Value::Object(object) if object.more.is_none() => {
            let fields = object.fields.iter();
            let fields: Map<String, Json> = fields
                .map(|field| (field.key.to_string(), value_of(&field.term.value)))
                .collect();
            json!({"fields": fields})
        }
        _ => match value.as_text() {
            Some(text) => json!(&*text),
            None => json!({"unknown": "part of it is unknown"}),
        },
    }
}
