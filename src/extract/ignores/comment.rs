//! The syntax of a comment that suppresses findings: `kubetaint: ignore[rule-id] until=2027-01-31 reason`.

use std::collections::HashSet;

use crate::source::text::Cut as _;
use jiff::civil::Date;

/// Starts a comment for kubetaint.
pub(super) const MARK: &str = "kubetaint:";

/// Words that people write instead of `ignore`.
const OTHER_WORDS: [&str; 9] = [
    "ignored", "ignores", "disable", "allow", "noqa", "nolint", "skip", "suppress", "off",
];

const FORM: &str = "write `# kubetaint: ignore[rule-id] reason`";

/// An `ignore[...]` and the text after it.
#[derive(Debug)]
pub(super) struct Directive {
    /// The rule ids, each with its offset.
    pub(super) rules: Vec<(String, usize)>,
    pub(super) terms: Terms,
}

impl Directive {
    /// Parses a text that begins with the mark, or returns `None` if it is prose.
    pub(super) fn read(text: &str) -> Option<Result<Directive, String>> {
        let after = text.get(MARK.len()..)?.trim_start();
        let word_end = after
            .find(|letter: char| !letter.is_alphanumeric() && letter != '-')
            .unwrap_or(after.len());
        let word = after.until(word_end);
        if word != "ignore" {
            let lower = word.to_lowercase();
            let tried = lower == "ignore" || OTHER_WORDS.contains(&lower.as_str());
            return tried.then(|| Err(format!("unknown directive `{word}`; {FORM}")));
        }
        let listed = after.since(word_end).trim_start();
        let listed = listed
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let (ids, said) = listed.unwrap_or_default();
        let mut seen = HashSet::new();
        let rules: Vec<(String, usize)> = ids
            .split(',')
            .map(str::trim)
            .filter(|id| !id.is_empty() && seen.insert(*id))
            .map(|id| (id.to_owned(), id.as_ptr() as usize - text.as_ptr() as usize))
            .collect();
        if rules.is_empty() {
            return Some(Err(format!("the rule id is missing; {FORM}")));
        }
        Some(Terms::read(said_in(said)).map(|terms| Directive { rules, terms }))
    }
}

/// The text after the ids that belongs to this comment. Another comment may follow on the same line, and a template
/// comment ends before the line does.
pub(super) fn said_in(after: &str) -> &str {
    let said = after.split(" # ").next().unwrap_or_default();
    said.split("*/").next().unwrap_or_default()
}

/// The text besides the rules: the reason and the last day.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) reason: String,
    pub(super) until: Option<Date>,
}

impl Terms {
    pub(super) fn read(text: &str) -> Result<Terms, String> {
        let mut until = None;
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            if let Some(why) = nearly_until(word, &words) {
                return Err(why);
            }
            match word.strip_prefix("until=") {
                Some(date) => {
                    until = Some(read_date(date).ok_or_else(|| {
                        format!("`{date}` is not a date; write it like `until=2027-01-31`")
                    })?);
                }
                None => words.push(word),
            }
        }
        let reason = words.join(" ");
        let reason = reason
            .trim_start_matches([':', '-', '–', '—', ' '])
            .to_owned();
        Ok(Terms { reason, until })
    }
}

/// Why findings are suppressed, in a form that parses back to the same meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The text to write, with the day if there is one.
    pub(super) text: String,
    /// It contains the day on which it ends.
    pub(super) ends: bool,
    /// Today. A comment that ended before this day has no effect.
    pub(super) today: Date,
    /// Comments without a reason have no effect.
    pub(super) is_required: bool,
}

impl Reason {
    /// Returns the same reason. If `required`, comments without a reason have no effect.
    #[must_use]
    pub fn with_others_required(mut self, required: bool) -> Reason {
        self.is_required = required;
        self
    }

    /// Parses a reason from a user. It may contain `until=2027-01-31`.
    ///
    /// # Errors
    /// Fails if the reason is empty, has expired, or would not parse back to the same meaning.
    pub fn read(text: &str, today: Date) -> Result<Reason, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let odd = |letter: char| letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter);
        if text.contains(odd) {
            return Err("the reason must be one line of plain text".to_owned());
        }
        for sign in ["{{", "}}", "*/"] {
            if text.contains(sign) {
                return Err(format!(
                    "the reason must not contain `{sign}`, because templates would interpret it"
                ));
            }
        }
        let terms = match Directive::read(&format!("{MARK} ignore[a] {text}")) {
            Some(Ok(directive)) => directive.terms,
            Some(Err(why)) => return Err(why),
            None => Terms::read(&text)?,
        };
        if terms.reason.is_empty() {
            return Err("give a reason, as in --add-ignores \"the agent drains nodes\"".to_owned());
        }
        let meant: Vec<&str> = words
            .into_iter()
            .filter(|word| !word.starts_with("until="))
            .collect();
        if terms.reason != meant.join(" ") {
            return Err(format!(
                "only `{}` would be read as the reason",
                terms.reason
            ));
        }
        if let Some(until) = terms.until.filter(|until| *until < today) {
            return Err(format!("until={until} is in the past"));
        }
        Ok(Reason {
            text,
            ends: terms.until.is_some(),
            today,
            is_required: false,
        })
    }
}

/// Why a word, or the day after it, is a misspelt `until=`: it has other letters, another sign before the day, or a
/// gap. Later in a reason `until` is prose.
fn nearly_until(word: &str, before: &[&str]) -> Option<String> {
    let named = |word: &str| word.eq_ignore_ascii_case("until");
    let day_follows = |text: &str| read_date(text).is_some();
    let nearly = match word.split_once(['=', ':']) {
        Some((name, _)) if word.starts_with("until=") || !named(name) => false,
        Some((name, day)) => word.since(name.len()).starts_with('=') || day_follows(day),
        None => match before {
            [only] if named(only) => day_follows(word),
            [.., last] => last.strip_suffix(':').is_some_and(named) && day_follows(word),
            [] => false,
        },
    };
    nearly.then(|| "the date cannot be read; write it like `until=2027-01-31`".to_owned())
}

/// Parses a year, month and day with two dashes. The library accepts further formats, which nobody should need to know.
fn read_date(text: &str) -> Option<Date> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    text.parse().ok().filter(|_| shaped)
}

/// The offsets of marks in the text of a comment: at its start, or after another `#`.
pub(super) fn marks_in(text: &str) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(text.as_bytes(), MARK.as_bytes()).filter(|at| {
        let before = text.until(*at).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('#')
    })
}

/// Why a comment is not parsed although it looks like one for kubetaint: other letters, no colon, or other words first.
pub(super) fn missed_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (before, after) = lower.split_once("kubetaint")?;
    // In quotes it is only a mention.
    if before.ends_with(['`', '\'', '"']) {
        return None;
    }
    let after = after.trim_start_matches([':', ' ', '\t']);
    let listed = after.strip_prefix("ignore")?.trim_start();
    if !listed.starts_with('[') {
        return None;
    }
    let first = before.trim().is_empty();
    let how = if first {
        "the directive is misspelled"
    } else {
        "the comment must begin with the directive"
    };
    Some(format!("{how}; {FORM}"))
}

/// The offset and text of the comment of a line.
pub(super) fn comment_in(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    ["{{/*", "{{- /*", "#", "//"]
        .iter()
        .filter_map(|sign| {
            let mut found = memchr::memmem::find_iter(line.as_bytes(), sign.as_bytes());
            let at = found.find(|at| {
                line.until(*at)
                    .chars()
                    .next_back()
                    .is_none_or(|one| one.is_ascii_whitespace())
            })?;
            Some((at, line.since(at + sign.len())))
        })
        .min_by_key(|(at, _)| *at)
}
