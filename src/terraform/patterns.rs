//! Terraform's functions for regular expressions. For the patterns that are common with names and taints, its dialect
//! agrees with that of the library.

use regex::{Captures, Regex, RegexBuilder};

use super::run::MAX_TEXT;
use super::value::{Computed, Entry, Failure, Term, Value, any_unknown, fail};
use crate::source::Span;

/// The maximum size of a compiled pattern.
const MAX_PATTERN: usize = 1 << 20;

/// Calls a function, or returns `None` if it is not one of these.
pub(super) fn call(name: &str, arguments: &[Term], at: Span) -> Computed {
    if !["regex", "regexall"].contains(&name) {
        return None;
    }
    if let Some(why) = any_unknown(arguments) {
        return Some(Ok(Value::Unknown(why)));
    }
    let [pattern, text] = arguments else {
        return fail("expected a pattern and a string");
    };
    let (pattern, text) = (pattern.value.as_text()?, text.value.as_text()?);
    let pattern = match compile(&pattern) {
        Ok(pattern) => pattern,
        Err(failure) => return Some(Err(failure)),
    };
    let mut found = pattern
        .captures_iter(&text)
        .map(|captures| captured(&pattern, &captures, at));
    if name == "regexall" {
        let found: Option<Vec<_>> = found.map(|one| Some(Term::new(one?, at))).collect();
        return Some(Ok(Value::list(found?, None)));
    }
    match found.next() {
        Some(found) => Some(Ok(found?)),
        None => fail("the pattern is not found"),
    }
}

/// Replaces the matches of a pattern in a text, or returns `None` if the result is too long.
pub(super) fn replaced(text: &str, pattern: &str, by: &str) -> Option<Result<String, Failure>> {
    let pattern = match compile(pattern) {
        Ok(pattern) => pattern,
        Err(failure) => return Some(Err(failure)),
    };
    // A replacement may contain the whole text.
    let longest = by.len().saturating_add(text.len());
    let found = pattern.find_iter(text).count();
    (found.saturating_mul(longest).saturating_add(text.len()) <= MAX_TEXT)
        .then(|| Ok(pattern.replace_all(text, by).into_owned()))
}

fn compile(pattern: &str) -> Result<Regex, Failure> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN)
        .build()
        .map_err(|_| Failure("a pattern cannot be read".to_owned()))
}

/// Returns the match of a pattern: the whole match, or its groups as a list, or by name.
fn captured(pattern: &Regex, captures: &Captures<'_>, at: Span) -> Option<Value> {
    let group = |at_group: usize| match captures.get(at_group) {
        Some(group) => Value::text(group.as_str()),
        None => Value::Null,
    };
    let names: Vec<Option<&str>> = pattern.capture_names().skip(1).collect();
    if names.is_empty() {
        return Some(group(0));
    }
    if names.iter().all(Option::is_none) {
        let groups = (1..=names.len()).map(|one| Term::new(group(one), at));
        return Some(Value::list(groups.collect(), None));
    }
    // Terraform requires names for all groups or for none.
    let fields = names.iter().enumerate().map(|(before, name)| {
        Some(Entry {
            key: (*name)?.into(),
            key_at: at,
            term: Term::new(group(before + 1), at),
        })
    });
    Some(Value::object(fields.collect::<Option<_>>()?, None))
}
