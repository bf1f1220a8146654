//! Lines of the proposed text: comments, quoted patterns and keys, whatever characters names contain.

use std::fmt::Write;

use crate::finding::FilePlace;

/// Writes the first few lines of a comment, and how many there are beside them.
pub fn listed(text: &mut String, most: usize, lines: impl Iterator<Item = String>) {
    let mut more = 0;
    for (at, one) in lines.enumerate() {
        if at < most {
            line(text, &format!("# {one}"));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        let _ = writeln!(text, "#   and {more} more");
    }
}

/// Writes one line, whatever characters its names contain.
pub fn line(text: &mut String, content: &str) {
    let shown = |c: char| {
        if c.is_control() || is_break(c) {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.extend(content.chars().map(shown));
    text.push('\n');
}

/// Characters that some readers of YAML take for the end of a line, or drop.
fn is_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// A sentence that is not longer than one line of a comment.
pub fn short(sentence: &str) -> String {
    const MOST: usize = 160;
    match sentence.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", sentence.get(..end).unwrap_or_default().trim_end()),
        None => sentence.to_owned(),
    }
}

/// A place as `file:line`.
pub fn place((file, at): &FilePlace) -> String {
    format!("{file}:{}", at.line)
}

/// A path as a quoted pattern that matches itself, or everything below it.
pub fn pattern(path: &str, below: &str) -> String {
    quoted(&format!("{}{below}", literal(path)))
}

/// A path with all pattern characters escaped.
pub fn literal(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}\\!".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// A cluster's name as a YAML key, quoted if it could be misread.
pub fn key(name: &str) -> String {
    const WORDS: [&str; 10] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan",
    ];
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !WORDS.contains(&name.to_ascii_lowercase().as_str());
    if plain { name.to_owned() } else { quoted(name) }
}

/// A text in double quotes, valid in YAML and JSON. No character of it is invisible.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in serde_json::Value::from(text).to_string().chars() {
        if c.is_control() || is_break(c) {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}
