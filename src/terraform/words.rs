//! How HCL writes names, numbers, ends of lines and marks: how much of a text each of them takes.

/// Characters that identifiers hold in HCL and not in what Rust's own rules allow: compatibility forms that change under
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

/// How long the name is that a text begins with; 0 when it begins with none.
pub(super) fn name_length(text: &str) -> usize {
    let mut letters = text.char_indices();
    if !letters.next().is_some_and(|(_, one)| begins_name(one)) {
        return 0;
    }
    letters
        .find(|(_, one)| !goes_on_in_name(*one))
        .map_or(text.len(), |(at, _)| at)
}

/// How long the end of a line is that a text begins with; 0 when it begins with none.
pub(super) fn newline_length(text: &str) -> usize {
    match text.as_bytes() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

/// How long the number is that a text begins with; 0 when it begins with none. It need not be one that has a value.
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

/// `<<WORD` or `<<-WORD` with the end of its line: how long it is, and the word.
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

/// How long `$${` or `%%{` is, with the `~` that may stand behind it.
pub(super) fn escape_length(rest: &str) -> Option<usize> {
    let behind = rest.strip_prefix("$${").or(rest.strip_prefix("%%{"))?;
    Some(3 + usize::from(behind.starts_with('~')))
}
