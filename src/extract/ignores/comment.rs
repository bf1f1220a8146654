//! The words of a comment that accepts findings: `kubetaint: ignore[rule-id] until=2027-01-31 reason`.

use std::collections::HashSet;

use crate::source::text::Cut as _;
use jiff::civil::Date;

/// Starts a comment that is for kubetaint.
pub(super) const MARK: &str = "kubetaint:";

/// What people try in place of `ignore`.
const OTHER_WORDS: [&str; 9] = [
    "ignored", "ignores", "disable", "allow", "noqa", "nolint", "skip", "suppress", "off",
];

const FORM: &str = "write `# kubetaint: ignore[rule-id] reason`";

/// `ignore[...]` with what follows.
#[derive(Debug)]
pub(super) struct Directive {
    /// Ids of rules, with the offset of each.
    pub(super) rules: Vec<(String, usize)>,
    pub(super) terms: Terms,
}

impl Directive {
    /// Reads a text that begins with the mark; nothing when it is prose.
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

/// What is said behind the ids: another comment may follow on the same line, and a template's comment ends before the line
/// does.
pub(super) fn said_in(after: &str) -> &str {
    let said = after.split(" # ").next().unwrap_or_default();
    said.split("*/").next().unwrap_or_default()
}

/// What is said besides the rules: a reason, and until when.
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

/// Why findings are accepted, in a form that is read as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What is written: the words, with a day if one is named.
    pub(super) text: String,
    /// It names the day on which it ends.
    pub(super) ends: bool,
    /// What ended before this day accepts nothing.
    pub(super) today: Date,
    /// What gives no reason accepts nothing.
    pub(super) is_required: bool,
}

impl Reason {
    /// The same where comments without a reason accept nothing, if `required`.
    #[must_use]
    pub fn with_others_required(mut self, required: bool) -> Reason {
        self.is_required = required;
        self
    }

    /// Takes a reason that somebody gives; it may hold `until=2027-01-31`.
    ///
    /// # Errors
    /// One that says nothing, that has passed, or that would not be read as it is written.
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

/// Why a word that is meant to be `until=`, or the day after it, is not: it is in other letters, has another sign before
/// the day, or stands apart from it. Later in a reason `until` is prose.
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

/// Year, month and day with two dashes. The library reads further forms, which nobody should have to know.
fn read_date(text: &str) -> Option<Date> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    text.parse().ok().filter(|_| shaped)
}

/// Where marks stand in a comment's text: at its start, or after another `#`.
pub(super) fn marks_in(text: &str) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(text.as_bytes(), MARK.as_bytes()).filter(|at| {
        let before = text.until(*at).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('#')
    })
}

/// Why a comment is not read although it is meant to be: in other letters, without the colon, or behind other words.
pub(super) fn missed_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (before, after) = lower.split_once("kubetaint")?;
    // In quotes it is spoken of.
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

/// Where a line's comment starts, and its text.
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
