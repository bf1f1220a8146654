//! The lengths of names, numbers, line ends and markers in HCL.

/// Characters that are allowed in HCL identifiers but not in Rust's: compatibility forms that change under
/// normalisation.
fn is_compatibility_form(one: char) -> bool {
    matches!(
        one,
        '\u{37a}' | '\u{309b}' | '\u{309c}' | '\u{fc5e}'
            ..='\u{fc63}'
                | '\u{fdfa}'
                | '\u{fdfb}'
                | '\u{fe70}'
                | '\u{fe72}'
                | '\u{fe74}'
                | '\u{fe76}'
                | '\u{fe78}'
                | '\u{fe7a}'
                | '\u{fe7c}'
                | '\u{fe7e}'
    )
}

fn begins_name(one: char) -> bool {
    one == '_'
        || unicode_ident::is_xid_start(one)
        || is_compatibility_form(one)
        || matches!(one, '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}')
}

fn goes_on_in_name(one: char) -> bool {
    one == '-' || unicode_ident::is_xid_continue(one) || is_compatibility_form(one)
}

/// Returns the length of the name at the start of a text, or 0 if there is none.
pub(super) fn name_length(text: &str) -> usize {
    let mut letters = text.char_indices();
    if !letters.next().is_some_and(|(_, one)| begins_name(one)) {
        return 0;
    }
    letters
        .find(|(_, one)| !goes_on_in_name(*one))
        .map_or(text.len(), |(at, _)| at)
}

/// Returns the length of the line end at the start of a text, or 0 if there is none.
pub(super) fn newline_length(text: &str) -> usize {
    match text.as_bytes() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

/// Returns the length of the number at the start of a text, or 0 if there is none. The number need not have a valid value.
pub(super) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if !digit(0) {
        return 0;
    }
    let (mut at, mut end) = (1, 1);
    loop {
        at += match bytes.get(at) {
            Some(b'0'..=b'9') => 1,
            Some(b'.') => {
                at += 1;
                continue;
            }
            Some(b'e' | b'E') if digit(at + 1) => 2,
            Some(b'e' | b'E')
                if matches!(bytes.get(at + 1), Some(b'+' | b'-')) && digit(at + 2) =>
            {
                3
            }
            _ => return end,
        };
        end = at;
    }
}

/// Returns the length of `<<WORD` or `<<-WORD` with its line end, and the word.
pub(super) fn heredoc_begun(rest: &str) -> Option<(usize, &str)> {
    let mark = rest.strip_prefix("<<")?;
    let mark = mark.strip_prefix('-').unwrap_or(mark);
    let word = mark
        .get(..name_length(mark))
        .filter(|word| !word.is_empty())?;
    let before = rest.len() - mark.len() + word.len();
    match newline_length(rest.get(before..)?) {
        0 => None,
        newline => Some((before + newline, word)),
    }
}

/// Returns the length of `$${` or `%%{` at the start of a text, including a following `~`.
pub(super) fn escape_length(rest: &str) -> Option<usize> {
    let behind = rest.strip_prefix("$${").or(rest.strip_prefix("%%{"))?;
    Some(3 + usize::from(behind.starts_with('~')))
}
