//! `kubetaint charts`: lists the charts whose values are understood, or says what is known of one.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::screen::Screen;
use super::{CommandError, Exit, pager};
use crate::charts::{self, Edition, Group, Input, Pod};
use crate::cli::{Charts, Cli, Listing};
use crate::model::near_miss::nearest_word;
use crate::output::wrap;

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 80;

/// Lists the charts, or shows one.
///
/// # Errors
/// Returns an error if the chart is not known or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Charts, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let width = match Screen::of(cli).width {
        0 => WIDTH,
        width => width,
    };
    let names: Vec<&str> = match &arguments.name {
        Some(name) => vec![known(name)?],
        None => charts::names().collect(),
    };
    match arguments.output {
        Listing::Json => {
            let all: Vec<Value> = names
                .iter()
                .map(|name| {
                    let editions = charts::named(name).iter();
                    let editions: Vec<Value> = match arguments.name {
                        Some(_) => editions.map(whole).collect(),
                        None => editions.map(head).collect(),
                    };
                    json!({"name": name, "editions": editions})
                })
                .collect();
            let text =
                serde_json::to_string_pretty(&json!({ "charts": all })).map_err(io::Error::from)?;
            writeln!(out, "{text}")?;
        }
        Listing::Table if arguments.name.is_some() => {
            let mut page = String::new();
            for name in names {
                for edition in charts::named(name) {
                    page.push_str(&shown(name, edition, width));
                }
            }
            pager::show(page.trim_end_matches('\n'), out)?;
        }
        Listing::Table => {
            let widest = names
                .iter()
                .map(|name| name.len())
                .max()
                .unwrap_or_default();
            for name in names {
                let versions = charts::named(name).iter();
                let versions: Vec<&str> = versions.map(|one| one.version.as_str()).collect();
                writeln!(out, "{name:widest$}  {}", versions.join(", "))?;
            }
        }
    }
    Ok(Exit::Clean)
}

/// The name as the tables have it.
fn known(name: &str) -> Result<&'static str, CommandError> {
    let names: Vec<&'static str> = charts::names().collect();
    if let Some(found) = names.iter().find(|known| **known == name) {
        return Ok(found);
    }
    let hint = nearest_word(name, &names)
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default();
    Err(CommandError::Message(format!(
        "nothing is known of chart `{name}`{hint}; `kubetaint charts` lists the known ones"
    )))
}

fn head(edition: &Edition) -> Value {
    json!({
        "version": edition.version,
        "published": edition.published,
        "source": edition.source,
    })
}

fn whole(edition: &Edition) -> Value {
    let mut value = head(edition);
    let groups: Vec<Value> = edition.values.iter().map(group_value).collect();
    if let Value::Object(fields) = &mut value {
        fields.insert("values".to_owned(), Value::Array(groups));
    }
    value
}

fn group_value(group: &Group) -> Value {
    let pods =
        |pods: &[Pod]| -> Vec<String> { pods.iter().map(|pod| pod.written.clone()).collect() };
    let mut fields = serde_json::Map::new();
    for (name, input) in group.inputs() {
        fields.insert(name.to_owned(), input_value(input));
    }
    fields.insert("pods".to_owned(), json!(pods(&group.pods)));
    let conditional = group.pods_if.iter();
    let conditional: Vec<Value> = conditional
        .map(|one| json!({"if": one.condition.written, "pods": pods(&one.pods)}))
        .collect();
    fields.insert("podsIf".to_owned(), Value::Array(conditional));
    fields.insert("copiedInto".to_owned(), json!(group.copied_into));
    Value::Object(fields)
}

fn input_value(input: &Input) -> Value {
    let texts = |paths: &[charts::ValuePath]| -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    };
    json!({
        "path": input.path.to_string(),
        "onlyIf": input.only_if.as_ref().map(|condition| &condition.written),
        "default": input.default,
        "whenEmpty": input.when_empty,
        "keeps": input.keeps,
        "joins": texts(&input.joins),
        "fallsBackTo": texts(&input.falls_back_to),
        "standsInFor": texts(&input.stands_in_for),
        "text": input.text,
        "uncertain": input.uncertain,
    })
}

/// The page of one chart, with lines of at most `width` columns where words allow it.
fn shown(name: &str, edition: &Edition, width: usize) -> String {
    let mut page = format!("{name} {}\n", edition.version);
    for address in &edition.published {
        page.push_str(&format!("  {address}\n"));
    }
    for group in &edition.values {
        page.push('\n');
        let mut line = |indent: usize, text: &str| {
            let pad = " ".repeat(indent);
            let text = wrap(text, width, indent, indent + 2);
            page.push_str(&format!("{pad}{text}\n"));
        };
        let names = |pods: &[Pod]| -> String {
            let names: Vec<&str> = pods.iter().map(|pod| pod.written.as_str()).collect();
            names.join(", ")
        };
        if !group.pods.is_empty() {
            line(2, &names(&group.pods));
        }
        for one in &group.pods_if {
            let condition = match &one.condition.all {
                Some(_) => one.condition.written.as_str(),
                None => "other values say so",
            };
            line(2, &format!("{}, if {condition}", names(&one.pods)));
        }
        for text in &group.copied_into {
            line(2, &format!("{text}, as text"));
        }
        for (field, input) in group.inputs() {
            line(4, &format!("{field}: {}", input.path));
            for remark in remarks(input) {
                line(6, &remark);
            }
        }
    }
    page.push('\n');
    page
}

/// What there is to say about a value besides its path.
fn remarks(input: &Input) -> Vec<String> {
    let list = |paths: &[charts::ValuePath]| {
        let texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
        texts.join(", ")
    };
    let mut remarks = Vec::new();
    let condition = input.only_if.as_ref();
    remarks.extend(condition.map(|one| format!("only if {}", one.written)));
    let values = [
        ("default", &input.default),
        ("if empty", &input.when_empty),
        ("always adds", &input.keeps),
    ];
    for (what, value) in values {
        match value {
            Some(Value::Array(items)) => {
                remarks.extend(items.iter().map(|item| format!("{what}: {}", flow(item))));
            }
            Some(value) => remarks.push(format!("{what}: {}", flow(value))),
            None => {}
        }
    }
    let paths = [
        ("joined with", &input.joins),
        ("if empty, falls back to", &input.falls_back_to),
        ("used where empty:", &input.stands_in_for),
    ];
    let said = paths.iter().filter(|(_, paths)| !paths.is_empty());
    remarks.extend(said.map(|(what, paths)| format!("{what} {}", list(paths))));
    if input.text {
        remarks.push("a text with YAML in it".to_owned());
    }
    if input.uncertain {
        remarks.push("how it combines with other values is not clear".to_owned());
    }
    remarks
}

/// The fields of a toleration in the usual order.
const FIELDS: [&str; 4] = ["key", "operator", "value", "effect"];

/// A value on one line, as YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let order = |key: &str| FIELDS.iter().position(|known| *known == key);
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| order(key).unwrap_or(FIELDS.len()));
            let fields: Vec<String> = fields
                .into_iter()
                .map(|(key, value)| format!("{key}: {}", flow(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text)
            if !text.is_empty() && text.parse::<f64>().is_err() && text != "true" =>
        {
            text.clone()
        }
        other => other.to_string(),
    }
}
