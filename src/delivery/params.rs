//! Parameters of ApplicationSets, and the templates that they fill in.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{Data, Value};

/// The parameters of one Application. Names of inner values are joined with dots: `path.basename`.
pub type Params = BTreeMap<String, String>;

/// Fills in a template as far as the parameters are known. What is not known stays as it is written.
pub fn fill(text: &str, params: &Params, go_template: bool) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        let Some((inside, after)) = behind.split_once("}}") else {
            break;
        };
        let (mut before, mut after) = (before, after);
        let value = match go_template {
            true => {
                let (inside, trims_before) = match inside.strip_prefix('-') {
                    Some(inside) if inside.starts_with(char::is_whitespace) => (inside, true),
                    _ => (inside, false),
                };
                let (inside, trims_after) = match inside.strip_suffix('-') {
                    Some(inside) if inside.ends_with(char::is_whitespace) => (inside, true),
                    _ => (inside, false),
                };
                if trims_before {
                    before = before.trim_end();
                }
                if trims_after {
                    after = after.trim_start();
                }
                go_value(inside.trim(), params)
            }
            false => params.get(inside.trim()).cloned(),
        };
        filled.push_str(before);
        match value {
            Some(value) => filled.push_str(&value),
            None => {
                filled.push_str("{{");
                filled.push_str(inside);
                filled.push_str("}}");
            }
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Fills in every text of a value.
pub fn fill_all(data: &Data, params: &Params, go_template: bool) -> Data {
    let value = match &data.value {
        Value::Text(text) => Value::Text(fill(text, params, go_template)),
        Value::List(items) => {
            let items = items.iter();
            Value::List(
                items
                    .map(|item| fill_all(item, params, go_template))
                    .collect(),
            )
        }
        Value::Map(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let name = fill(name, params, go_template);
                (name, fill_all(value, params, go_template))
            });
            Value::Map(fields.collect())
        }
        Value::Plain(_) | Value::Other => data.value.clone(),
    };
    Data { at: data.at, value }
}

/// The value of a Go action: `.path.basename`, `index .path.segments 1`, a text, and these after `normalize`, `lower`,
/// `upper`, `trim` or `quote`, or before such a name behind `|`.
fn go_value(action: &str, params: &Params) -> Option<String> {
    let mut steps = action.split('|').map(str::trim);
    let mut value = go_operand(steps.next()?, params)?;
    for step in steps {
        value = apply(step, value)?;
    }
    Some(value)
}

fn go_operand(text: &str, params: &Params) -> Option<String> {
    let text = text.trim();
    if text.starts_with('.') {
        return params.get(go_path(text)?).cloned();
    }
    if let Some(quoted) = go_text(text) {
        return Some(quoted.to_owned());
    }
    if let Some(rest) = text.strip_prefix("index ") {
        let mut words = rest.split_whitespace();
        let mut name = go_path(words.next()?)?.to_owned();
        for word in words {
            match go_text(word) {
                Some(key) => {
                    name.push('.');
                    name.push_str(key);
                }
                None => {
                    let at: usize = word.parse().ok()?;
                    let items = format!("{name}[{at}]");
                    name = items;
                }
            }
        }
        return params.get(&name).cloned();
    }
    let (function, operand) = text.split_once(' ')?;
    apply(function, go_operand(operand, params)?)
}

/// The name that a path of fields stands for: `.path.basename`.
fn go_path(text: &str) -> Option<&str> {
    let name = text.strip_prefix('.')?;
    let is_field = |field: &str| {
        let mut letters = field.chars();
        letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_')
    };
    name.split('.').all(is_field).then_some(name)
}

/// A text in quotation marks.
fn go_text(text: &str) -> Option<&str> {
    let inside = ['"', '`']
        .iter()
        .find_map(|mark| text.strip_prefix(*mark)?.strip_suffix(*mark))?;
    (!inside.contains(['"', '\\', '`'])).then_some(inside)
}

fn apply(function: &str, value: String) -> Option<String> {
    match function {
        "normalize" => Some(normalized(&value)),
        "lower" => Some(value.to_lowercase()),
        "upper" => Some(value.to_uppercase()),
        "trim" => Some(value.trim().to_owned()),
        "toString" => Some(value),
        _ => None,
    }
}

/// A name that Kubernetes accepts, as Argo CD makes it of any text (`SanitizeName`).
pub fn normalized(text: &str) -> String {
    let lower = text.to_lowercase();
    let allowed = |c: char| match c {
        'a'..='z' | '0'..='9' | '-' | '.' => c,
        _ => '-',
    };
    let name: String = lower.chars().map(allowed).take(253).collect();
    name.trim_matches(['-', '.']).to_owned()
}

/// Adds a value under a name, and the values inside it under longer names.
pub fn flatten(name: &str, data: &Data, params: &mut Params) {
    let inner = |key: &str| match name {
        "" => key.to_owned(),
        _ => format!("{name}.{key}"),
    };
    match &data.value {
        Value::Text(text) | Value::Plain(text) => {
            params.insert(name.to_owned(), text.clone());
        }
        Value::Map(_) => data
            .fields()
            .for_each(|(key, value)| flatten(&inner(key), value, params)),
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                flatten(&format!("{name}[{at}]"), item, params);
            }
        }
        Value::Other => {}
    }
}

/// Whether a name is one of a value inside another.
pub fn is_inside(name: &str, outer: &str) -> bool {
    let rest = name.strip_prefix(outer);
    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn remove(name: &str, params: &mut Params) {
    params.retain(|known, _| known != name && !is_inside(known, name));
}

/// The parameters of a template of Go with others laid over them. Lists are replaced.
pub fn lay_over(under: &mut Params, over: &Params) {
    let lists: BTreeSet<&str> = over
        .keys()
        .filter_map(|name| Some(name.split_once('[')?.0))
        .collect();
    for list in lists {
        let start = format!("{list}[");
        under.retain(|name, _| !name.starts_with(&start));
    }
    let over = over.iter();
    under.extend(over.map(|(name, value)| (name.clone(), value.clone())));
}

/// Adds the parameters of a folder or a file under a prefix: `path`, `path.basename` and so on.
pub fn add_path(
    prefix: &str,
    folder: &str,
    file: Option<&str>,
    go_template: bool,
    params: &mut Params,
) {
    let name = match prefix {
        "" => "path".to_owned(),
        prefix => format!("{prefix}.path"),
    };
    // Go's `path.Dir` of a file at the root.
    let folder = if folder.is_empty() { "." } else { folder };
    let base = folder.rsplit('/').next().unwrap_or(folder);
    let whole = match go_template {
        true => format!("{name}.path"),
        false => name.clone(),
    };
    if go_template {
        // The path takes the place of a value of the file that has its name.
        remove(&name, params);
    }
    params.insert(whole, folder.to_owned());
    params.insert(format!("{name}.basename"), base.to_owned());
    params.insert(format!("{name}.basenameNormalized"), normalized(base));
    if let Some(file) = file {
        let file = file.rsplit('/').next().unwrap_or_default();
        params.insert(format!("{name}.filename"), file.to_owned());
        params.insert(format!("{name}.filenameNormalized"), normalized(file));
    }
    for (at, segment) in folder
        .split('/')
        .enumerate()
        .filter(|(_, segment)| !segment.is_empty())
    {
        let segments = match go_template {
            true => format!("{name}.segments[{at}]"),
            false => format!("{name}[{at}]"),
        };
        params.insert(segments, segment.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_templates_name_parts_of_a_path() {
        let mut params = Params::new();
        add_path("", "apps/My_App", None, false, &mut params);
        let fast = |text| fill(text, &params, false);
        assert_eq!(
            fast("{{path}} {{ path.basename }} {{path[0]}}"),
            "apps/My_App My_App apps"
        );
        assert_eq!(
            fast("{{path.basenameNormalized}} {{name}}"),
            "my-app {{name}}"
        );
        let mut params = Params::new();
        add_path("", "apps/web", None, true, &mut params);
        let go = |text| fill(text, &params, true);
        assert_eq!(
            go("{{.path.path}} {{ .path.basename | upper }}"),
            "apps/web WEB"
        );
        assert_eq!(
            go("{{index .path.segments 0}}-{{ normalize .path.basename }}"),
            "apps-web"
        );
        assert_eq!(go("{{ default \"a\" .x }}"), "{{ default \"a\" .x }}");
    }
}
