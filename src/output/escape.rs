//! Escapes untrusted text for display: characters that a terminal would interpret or hide become visible.

use crate::source::text::Cut as _;
use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal or the bidirectional algorithm would interpret the character instead of showing it.
///
/// Zero-width joiners are allowed: emoji and several scripts need them, and they move nothing.
pub(super) fn acts(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Text on one line. Line breaks and tabs become a space; other unsafe characters are spelled out.
pub(super) fn sentence(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\t' => safe.push(' '),
            c => push(&mut safe, c),
        }
    }
    Cow::Owned(safe)
}

/// A name, such as a path. All unsafe characters are spelled out, including line breaks, which are part of the name.
pub(super) fn name(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push(&mut safe, c));
    Cow::Owned(safe)
}

fn push(safe: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = match c {
        c if !acts(c) => safe.write_char(c),
        c if c.is_ascii() => write!(safe, "\\x{:02x}", u32::from(c)),
        c => write!(safe, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// The replacement for a character in a source line. Each character keeps its width of one column, so that marks below the
/// line stay aligned. Tabs are kept; the code that draws the line expands them.
pub(super) fn in_source(c: char) -> char {
    match c {
        '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        c if acts(c) => '\u{fffd}',
        c => c,
    }
}

/// The first `limit` characters, with a mark if more follow, so that a huge value does not flood the screen.
pub(super) fn shorten(text: Cow<'_, str>, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.until(end))),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(sentence("a\x1b[31mb\x07\x7f"), "a\\x1b[31mb\\x07\\x7f");
        assert_eq!(sentence("\u{9b}2J"), "\\u{9b}2J");
        assert_eq!(
            sentence("x\u{202e}y\u{2066}z\u{200b}"),
            "x\\u{202e}y\\u{2066}z\\u{200b}"
        );
    }

    #[test]
    fn a_sentence_stays_on_one_line_and_a_path_keeps_its_bytes_apart() {
        assert_eq!(
            sentence("one\r\ntwo\nthree\rfour\tfive"),
            "one two three four five"
        );
        assert_eq!(name("a\nb.yaml"), "a\\x0ab.yaml");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(sentence("naïve 火 👩‍🚀"), Cow::Borrowed(_)));
        assert!(matches!(name("apps/web.yaml"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_placeholder_takes_the_place_of_one_character() {
        let shown: String = "k: \x1b[2J\x7f\u{202e}\t\r"
            .chars()
            .map(in_source)
            .collect();
        assert_eq!(shown, "k: ␛[2J␡\u{fffd}\t␍");
        assert!(!shown.chars().any(|c| c != '\t' && acts(c)));
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shorten(Cow::Borrowed("éèê"), 2), "éè…");
        assert_eq!(shorten(Cow::Borrowed("éè"), 2), "éè");
    }
}
