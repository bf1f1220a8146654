//! Whether a file is a template. This is decided once for the whole file, by its place, its name and its text: a
//! condition may open in one document and close in another, and the documents in between show no sign of it.

use super::template_signs::{self, Language};
use crate::source::{Source, SourceId};
use crate::yaml;

/// Parts of names that mark a file from which a tool generates another: at the end, as in `pool.yaml.j2`, or before the
/// extension of the output, as in `pool.j2.yaml`.
const NAMES: [&str; 21] = [
    "cheetah",
    "ejs",
    "envsubst",
    "epp",
    "erb",
    "ftl",
    "gotemplate",
    "gotmpl",
    "gotpl",
    "hbs",
    "handlebars",
    "j2",
    "jinja",
    "jinja2",
    "mako",
    "mustache",
    "template",
    "tftpl",
    "tmpl",
    "tpl",
    "vm",
];

/// Extensions that mark a template only at the very end of a name.
const LAST: [&str; 2] = ["in", "tt"];

/// Whether a YAML file with unreadable documents is a template.
pub(super) fn is_template(source: &Source, broken: usize, id: SourceId) -> bool {
    let errors = |filled: &str| yaml::parse(filled, id).errors.len();
    is_rendered(source)
        || template_signs::has_actions(&source.text, Language::Yaml)
        || is_explained(&source.text, broken, &errors)
}

/// Whether an unreadable Terraform file is a template. `errors` counts the errors of a text.
pub(super) fn is_template_configuration(
    source: &Source,
    broken: usize,
    errors: &dyn Fn(&str) -> usize,
) -> bool {
    is_rendered(source)
        || template_signs::has_actions(&source.text, Language::Hcl)
        || is_explained(&source.text, broken, errors)
}

/// Whether the place or the name of a file says that it is rendered.
fn is_rendered(source: &Source) -> bool {
    source.rendered || has_template_name(&source.path)
}

/// Whether words that scripts replace cause an error, so that filling them in leaves fewer errors. Plain manifests contain
/// such words, too, such as `$(POD_NAME)` in arguments and `%s` in log formats, where they are no sign of a template.
fn is_explained(text: &str, broken: usize, errors: &dyn Fn(&str) -> usize) -> bool {
    template_signs::filled(text)
        .iter()
        .any(|filled| errors(filled) < broken)
}

fn has_template_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split('.').skip(1).collect();
    parts.last().is_some_and(|part| LAST.contains(part))
        || parts.iter().any(|part| NAMES.contains(part))
}

#[cfg(test)]
#[path = "template_files_tests.rs"]
mod tests;
