//! Parameters of ApplicationSets, and the templates that they fill in.

use std::collections::BTreeMap;

use super::data::{Data, Value};

/// The parameters of one Application. Names of inner values are joined with dots: `path.basename`.
pub type Params = BTreeMap<String, String>;

/// Fills in a template as far as the parameters are known. What is not known stays as it is written.
pub fn fill(text: &str, params: &Params, go_template: bool) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, action) = rest.split_at(start);
        filled.push_str(before);
        let Some(end) = action.find("}}") else {
            rest = action;
            break;
        };
        let (action, behind) = action.split_at(end + 2);
        let inside = action.trim_start_matches("{{").trim_end_matches("}}");
        let inside = inside.trim_matches('-').trim();
        let value = match go_template {
            true => go_value(inside, params),
            false => params.get(inside).cloned(),
        };
        filled.push_str(&value.unwrap_or_else(|| action.to_owned()));
        rest = behind;
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
        Value::Other => Value::Other,
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
    if let Some(name) = text.strip_prefix('.') {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        return params
            .get(name)
            .filter(|_| name.chars().all(is_name))
            .cloned();
    }
    if let Some(quoted) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        return (!quoted.contains(['"', '\\'])).then(|| quoted.to_owned());
    }
    if let Some(rest) = text.strip_prefix("index ") {
        let mut words = rest.split_whitespace();
        let (list, key) = (words.next()?.strip_prefix('.')?, words.next()?);
        let key = key.trim_matches('"');
        let known = params.get(&format!("{list}[{key}]"));
        let known = known.or_else(|| params.get(&format!("{list}.{key}")));
        return known.filter(|_| words.next().is_none()).cloned();
    }
    let (function, operand) = text.split_once(' ')?;
    apply(function, go_operand(operand, params)?)
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
        Value::Text(text) => {
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
    let base = match folder.rsplit('/').next() {
        // Go's `path.Base` of nothing.
        Some("") | None => ".",
        Some(base) => base,
    };
    let whole = match go_template {
        true => format!("{name}.path"),
        false => name.clone(),
    };
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
