//! Heredocs in scripts and Terraform files, and texts with variables. What a tool fills in later becomes a placeholder of the
//! same length, so that all offsets stay the same.

use std::ops::Range;

use crate::source::text::Cut as _;

/// The lines of the heredocs of a shell script.
pub(super) fn in_shell(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match open {
            Some((end, from)) if line.trim() == end => {
                found.push(from..at);
                open = None;
            }
            Some(_) => {}
            None => open = end_word(line).map(|word| (word, next)),
        }
        at = next;
    }
    found
}

/// The word that ends the heredoc that a line of a shell script starts, or `None` if it starts none.
fn end_word(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("<<")?;
    if before.trim_start().starts_with('#') || after.starts_with('<') {
        return None;
    }
    let word = after.strip_prefix('-').unwrap_or(after);
    let word = word.trim_start().trim_start_matches(['"', '\'', '\\']);
    let length = word
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(word.len());
    Some(word.until(length)).filter(|word| !word.is_empty())
}

/// A heredoc of Terraform with placeholders for its interpolations, and without its directives.
pub(super) fn without_interpolations(text: &str) -> String {
    let mut filled = text.to_owned();
    let mut at = 0;
    while let Some(start) = filled.since(at).find(['$', '%']).map(|found| at + found) {
        at = start + 1;
        if !filled.since(at).starts_with('{') {
            continue;
        }
        if filled.until(start).ends_with(['$', '%']) {
            continue;
        }
        let Some(end) = closing_brace(&filled, at) else {
            continue;
        };
        let is_directive = filled.since(start).starts_with('%');
        let word = match is_directive {
            true => " ".repeat(end - start),
            false => placeholder(end - start),
        };
        filled.replace_range(start..end, &word);
        at = end;
    }
    filled
}

/// The maximum length of an interpolation in characters.
const MAX_EXPRESSION: usize = 1000;

/// The end of the braces that open at an offset, on the same line.
fn closing_brace(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (offset, c) in text.since(at).char_indices().take(MAX_EXPRESSION) {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + offset + 1),
            '}' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// A text with placeholders for its words in braces, as `str.format` of Python and similar tools write variables. `None` if
/// it has none.
pub(super) fn without_braced_words(text: &str) -> Option<String> {
    let mut filled = text.to_owned();
    let mut any = false;
    let mut at = 0;
    while let Some(start) = filled.since(at).find('{').map(|found| at + found) {
        at = start + 1;
        let is_other_letter = |c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c);
        let rest = filled.since(at);
        let length = rest.find(is_other_letter).unwrap_or(rest.len());
        let is_word = length > 0 && rest.since(length).starts_with('}');
        let is_other = filled.until(start).ends_with(['$', '{', '\\', '%', '#']);
        if is_word && !is_other {
            let end = at + length + 1;
            let is_after_break = |text: &str| text.is_empty() || text.ends_with('\n');
            let before = filled.until(start).trim_end_matches(' ');
            let after = filled.since(end).trim_start_matches(' ');
            // A variable alone on a line stands for whole lines, with an indentation of their own.
            let is_alone = is_after_break(before) && (after.is_empty() || after.starts_with('\n'));
            let word = match is_alone {
                true => " ".repeat(end - start),
                false => placeholder(end - start),
            };
            filled.replace_range(start..end, &word);
            any = true;
            at = end;
        }
    }
    any.then_some(filled)
}

/// A placeholder of this many bytes, at least two.
fn placeholder(length: usize) -> String {
    format!("${}", "x".repeat(length.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heredocs_of_shell_scripts_end_with_their_word() {
        let text = "a\nkubectl apply -f - <<EOF\nkind: a\nEOF\ncat <<-'END' > x\n\tb\n\tEND\nc <<< d\n# <<E\n1 << 2\n2\n";
        let found = in_shell(text);
        let lines: Vec<_> = found.iter().map(|lines| &text[lines.clone()]).collect();
        assert_eq!(lines, ["kind: a\n", "\tb\n", ""]);
    }

    #[test]
    fn interpolations_become_placeholders_and_directives_are_blank() {
        let text = "a: ${var.b}\n%{ if c }\nd: \"${f({ a = 1 })}\"\n$${e}\n";
        let filled = without_interpolations(text);
        assert_eq!(filled.len(), text.len());
        let expected = "a: $xxxxxxx\n         \nd: \"$xxxxxxxxxxxxxx\"\n$${e}\n";
        assert_eq!(filled, expected);
    }

    #[test]
    fn words_in_braces_become_placeholders() {
        let filled = without_braced_words("name: {a_b}-\nc: ${d} {{e}} {f: g} {}\n  {h}\n");
        let expected = "name: $xxxx-\nc: ${d} {{e}} {f: g} {}\n     \n";
        assert_eq!(filled.as_deref(), Some(expected));
        assert_eq!(without_braced_words("a: {b: c}"), None);
    }
}
