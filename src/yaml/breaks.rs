//! The line breaks that only go-yaml recognizes, and block scalars that contain them.

use std::borrow::Cow;

use crate::source::text::Cut as _;

/// The line breaks that the parser treats as ordinary characters.
const ODD: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

fn is_break(one: char) -> bool {
    matches!(one, '\n' | '\r') || ODD.contains(&one)
}

pub(super) fn has_odd_break(text: &str) -> bool {
    // None of them is ASCII.
    !text.is_ascii() && text.contains(ODD)
}

/// Replaces each line break that only go-yaml recognizes with as many ordinary ones as it has bytes, so that nothing
/// else moves. The additional empty lines matter only to values, which are read from the written text.
pub(super) fn with_line_breaks(text: &str) -> Cow<'_, str> {
    if !has_odd_break(text) {
        return Cow::Borrowed(text);
    }
    let put = |text: String, odd: char| text.replace(odd, &"\n".repeat(odd.len_utf8()));
    Cow::Owned(ODD.into_iter().fold(text.to_owned(), put))
}

/// Returns the length of a line break in bytes.
pub(super) fn line_break(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..)? {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => Some(3),
        _ => None,
    }
}

/// Returns the character that go-yaml keeps for a line break.
pub(super) fn kept(text: &str, at: usize) -> char {
    let written = text.get(at..).and_then(|rest| rest.chars().next());
    let separator = written.filter(|one| matches!(one, '\u{2028}' | '\u{2029}'));
    separator.unwrap_or('\n')
}

/// Reads a block scalar like go-yaml. The text reaches from the `|` or `>` to the end of the last line, and `indent` is
/// the column of the lines.
pub(super) fn read_block(text: &str, indent: usize) -> String {
    let text = text.replace("\r\n", "\n");
    let mut lines = text.split_inclusive(is_break);
    let header = lines.next().unwrap_or_default();
    let indicators = header.split([' ', '\t']).next().unwrap_or_default();
    let mut value = String::new();
    let mut last_break = None;
    // The breaks of the empty lines since the last line.
    let mut breaks = String::new();
    let mut after_blank = false;
    for line in lines {
        let content = line.trim_end_matches(is_break);
        let line_break = (content.len() < line.len()).then(|| kept(line, content.len()));
        let blanks = content.len() - content.trim_start_matches(' ').len();
        let content = content.since(blanks.min(indent));
        if content.is_empty() {
            breaks.extend(line_break);
            continue;
        }
        let starts_blank = content.starts_with([' ', '\t']);
        let joins = header.starts_with('>') && !after_blank && !starts_blank;
        match last_break {
            Some('\n') if joins && breaks.is_empty() => value.push(' '),
            Some('\n') if joins => {}
            _ => value.extend(last_break),
        }
        value.push_str(&std::mem::take(&mut breaks));
        value.push_str(content);
        (last_break, after_blank) = (line_break, starts_blank);
    }
    if !indicators.contains('-') {
        value.extend(last_break);
    }
    if indicators.contains('+') {
        value.push_str(&breaks);
    }
    value
}
