//! Where pods can land, for people and for programs.

mod csv;
mod diff;
mod html;
mod json;
mod markdown;
mod matrix;
mod whatif;
mod why;

pub use csv::write_matrix_csv;
pub use diff::{DiffText, write_diff_json, write_diff_markdown};
pub use html::write_matrix_html;
pub use json::{write_matrix_json, write_who_json, write_why_json};
pub use markdown::write_matrix_markdown;
pub use matrix::MatrixTable;
pub use whatif::{WhatIfText, write_whatif_json, write_whatif_markdown};
pub use why::WhyText;

use crate::finding::{FilePlace, PlacedObject, Verdict};
use crate::output::escape;

/// A workload as people name it: `shop/Deployment/web`.
fn object_name(object: &PlacedObject) -> String {
    let object = &object.object;
    let kind = match object.kind.as_str() {
        "" => "values",
        kind => kind,
    };
    let name = object.name.as_deref().unwrap_or("(no name)");
    let name = match object.namespace.as_deref() {
        Some(namespace) => format!("{namespace}/{kind}/{name}"),
        None => format!("{kind}/{name}"),
    };
    escape::name(&name).into_owned()
}

/// A workload that has no name, with its place.
fn known_name(object: &PlacedObject) -> String {
    let name = object_name(object);
    match (&object.object.name, &object.place) {
        (None, Some((file, at))) => format!("{name} {}", place((file, at.line))),
        _ => name,
    }
}

fn place((file, line): (&str, u32)) -> String {
    escape::name(&format!("{file}:{line}")).into_owned()
}

/// The codes that begin and end a style, or nothing without colours.
fn style(color: bool, code: &'static str) -> (&'static str, &'static str) {
    match color {
        true => (code, "\x1b[0m"),
        false => ("", ""),
    }
}

/// The colour of a verdict.
fn paint(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Lands => "\x1b[32m",
        Verdict::PrefersNot | Verdict::Unknown => "\x1b[33m",
        Verdict::KeptOut => "\x1b[31m",
        Verdict::NotSelected => "\x1b[2m",
    }
}

/// The line of a place.
fn line(place: &FilePlace) -> (&str, u32) {
    (&place.0, place.1.line)
}
