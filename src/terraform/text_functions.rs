//! Terraform's functions for texts and numbers.

use super::patterns;
use super::run::MAX_TEXT;
use super::value::{Computed, Term, Value, any_unknown, fail, unknown_or_fail};

/// Calls a function whose arguments are simple values, or lists of them.
#[allow(clippy::too_many_lines, reason = "one arm for each function")]
pub(super) fn call(name: &str, arguments: &[Term]) -> Computed {
    const NAMES: [&str; 26] = [
        "abs",
        "ceil",
        "chomp",
        "endswith",
        "floor",
        "format",
        "join",
        "lower",
        "max",
        "min",
        "parseint",
        "replace",
        "split",
        "startswith",
        "strcontains",
        "substr",
        "title",
        "tobool",
        "tonumber",
        "tostring",
        "trim",
        "trimprefix",
        "trimspace",
        "trimsuffix",
        "upper",
        "indent",
    ];
    if !NAMES.contains(&name) {
        return None;
    }
    if let Some(why) = any_unknown(arguments) {
        return Some(Ok(Value::Unknown(why)));
    }
    let of = |term: &Term| term.value.as_text().or_else(|| term.value.json_text());
    let texts: Vec<_> = arguments.iter().map(of).collect();
    let word = |at: usize| texts.get(at).and_then(|text| text.as_deref());
    let number = |at: usize| arguments.get(at).and_then(|term| term.value.as_number());
    let value = match name {
        "tostring" | "tonumber" | "tobool"
            if matches!(
                arguments,
                [Term {
                    value: Value::Null,
                    ..
                }]
            ) =>
        {
            Value::Null
        }
        "tostring" => text(word(0)?.to_owned()),
        "tonumber" => match number(0) {
            Some(number) => Value::Number(number),
            None => return fail("it is not a number"),
        },
        "tobool" => match arguments.first().and_then(|term| term.value.as_bool()) {
            Some(value) => Value::Bool(value),
            None => return fail("it is not a boolean"),
        },
        "abs" => Value::Number(number(0)?.abs()),
        "ceil" => Value::Number(number(0)?.ceil()),
        "floor" => Value::Number(number(0)?.floor()),
        "max" | "min" => {
            let numbers: Vec<f64> = arguments
                .iter()
                .map(|term| term.value.as_number())
                .collect::<Option<_>>()?;
            let pick = if name == "max" { f64::max } else { f64::min };
            Value::Number(numbers.into_iter().reduce(pick)?)
        }
        "parseint" => {
            let base = arguments.get(1)?.value.as_number()?;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let base = (2.0..=36.0).contains(&base).then_some(base as u32)?;
            match i64::from_str_radix(word(0)?, base) {
                #[allow(clippy::cast_precision_loss, reason = "as Terraform prints it, too")]
                Ok(number) => Value::Number(number as f64),
                Err(_) => return fail("it is not an integer"),
            }
        }
        "lower" => text(word(0)?.to_lowercase()),
        "upper" => text(word(0)?.to_uppercase()),
        "title" => text(titled(word(0)?)),
        "trimspace" => text(word(0)?.trim().to_owned()),
        "chomp" => text(word(0)?.trim_end_matches(['\n', '\r']).to_owned()),
        "trim" => {
            let set = word(1)?.to_owned();
            text(word(0)?.trim_matches(|one| set.contains(one)).to_owned())
        }
        "trimprefix" => {
            let whole = word(0)?;
            text(whole.strip_prefix(word(1)?).unwrap_or(whole).to_owned())
        }
        "trimsuffix" => {
            let whole = word(0)?;
            text(whole.strip_suffix(word(1)?).unwrap_or(whole).to_owned())
        }
        "startswith" => Value::Bool(word(0)?.starts_with(word(1)?)),
        "endswith" => Value::Bool(word(0)?.ends_with(word(1)?)),
        "strcontains" => Value::Bool(word(0)?.contains(word(1)?)),
        "substr" => {
            let characters: Vec<char> = word(0)?.chars().collect();
            #[allow(clippy::cast_precision_loss, reason = "texts are bounded")]
            let length = characters.len() as f64;
            let from = number(1)?;
            let from = if from < 0.0 { length + from } else { from }.clamp(0.0, length);
            let count = number(2)?;
            let to = if count < 0.0 {
                length
            } else {
                (from + count).min(length)
            };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let found = characters.get(from as usize..to as usize)?;
            text(found.iter().collect())
        }
        "replace" => {
            let (whole, from, to) = (word(0)?, word(1)?, word(2)?);
            let inside = from.strip_prefix('/');
            match inside.and_then(|inside| inside.strip_suffix('/')) {
                Some(pattern) => match patterns::replaced(whole, pattern, to)? {
                    Ok(made) => text(made),
                    Err(failure) => return Some(Err(failure)),
                },
                None if whole.len().saturating_mul(to.len() + 1) > MAX_TEXT => return None,
                None => text(whole.replace(from, to)),
            }
        }
        "indent" => {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let pad = " ".repeat(number(0)?.clamp(0.0, 100.0) as usize);
            text(word(1)?.replace('\n', &format!("\n{pad}")))
        }
        "join" => {
            let mut parts = Vec::new();
            for term in arguments.iter().skip(1) {
                let Value::List(list) = &term.value else {
                    return fail("`join` expects lists");
                };
                if let Some(why) = list.more.clone().or_else(|| any_unknown(&list.items)) {
                    return Some(Ok(Value::Unknown(why)));
                }
                for item in &list.items {
                    match item.value.as_text() {
                        Some(part) => parts.push(part.to_string()),
                        None => return fail("`join` expects strings"),
                    }
                }
            }
            let length: usize = parts.iter().map(String::len).sum();
            if length + parts.len() * word(0)?.len() > MAX_TEXT {
                return None;
            }
            text(parts.join(word(0)?))
        }
        "split" => {
            let (separator, whole) = (word(0)?, word(1)?);
            let at = arguments.get(1)?.at;
            let parts: Vec<&str> = match (separator, whole) {
                (_, "") => Vec::new(),
                ("", _) => return None,
                _ => whole.split(separator).collect(),
            };
            let items = parts
                .into_iter()
                .map(|part| Term::new(Value::text(part), at));
            Value::list(items.collect(), None)
        }
        _ => return format_text(arguments),
    };
    Some(Ok(value))
}

fn titled(text: &str) -> String {
    let mut start = true;
    text.chars()
        .map(|one| {
            let shown = if start { one.to_ascii_uppercase() } else { one };
            start = one.is_whitespace();
            shown
        })
        .collect()
}

/// Evaluates `format` with the verbs that are common in names: `%s`, `%d` with a width, `%v`, `%q`, `%%`.
fn format_text(arguments: &[Term]) -> Computed {
    let (first, mut rest) = arguments.split_first()?;
    let pattern = first.value.as_text()?;
    let mut made = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(one) = characters.next() {
        if one != '%' {
            made.push(one);
            continue;
        }
        let mut flags = String::new();
        while let Some(digit) = characters.next_if(|next| next.is_ascii_digit()) {
            flags.push(digit);
        }
        let verb = characters.next()?;
        if verb == '%' {
            made.push('%');
            continue;
        }
        let Some((argument, others)) = rest.split_first() else {
            return fail("`format` has too few arguments");
        };
        rest = others;
        let Some(shown) = argument.value.as_text() else {
            return unknown_or_fail(arguments, "`format` expects simple values");
        };
        let width: usize = flags.parse().unwrap_or(0);
        if width > 100 {
            return None;
        }
        match verb {
            's' | 'v' if flags.is_empty() => made.push_str(&shown),
            'q' if flags.is_empty() => {
                made.push('"');
                made.push_str(&shown);
                made.push('"');
            }
            'd' if flags.starts_with('0') => made.push_str(&format!("{shown:0>width$}")),
            'd' => made.push_str(&format!("{shown:>width$}")),
            _ => return None,
        }
    }
    Some(Ok(text(made)))
}

/// Returns a text, or an unknown value if it is too long.
fn text(text: String) -> Value {
    if text.len() > MAX_TEXT {
        Value::Unknown("a string becomes too long".into())
    } else {
        Value::Text(text.into())
    }
}
