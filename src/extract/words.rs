//! Splits shell commands into words with their places. It implements enough shell quoting to find arguments in scripts,
//! Makefiles and strings that contain commands.

use crate::source::Span;
use crate::source::text::Cut as _;

/// An argument of a command, without its quotes.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    /// Its place in the file, without the quotes.
    pub(super) span: Span,
}

impl Word {
    /// The place of a part of the word, or of the whole word if its text differs from its source.
    pub(super) fn part(&self, from: usize, to: usize) -> Span {
        let exact = self.span.range().len() == self.text.len();
        let (start, end) = (
            self.span.start as usize + from,
            self.span.start as usize + to,
        );
        if exact {
            Span::new(self.span.source, start..end)
        } else {
            self.span
        }
    }

    /// The text after `name=` as a word of its own.
    pub(super) fn after(&self, from: usize) -> Word {
        Word {
            text: self.text.since(from).to_owned(),
            span: self.part(from, self.text.len()),
        }
    }
}

/// The maximum nesting of commands in strings of commands.
const MAX_DEPTH: usize = 3;

/// The commands of a text, each as its words. Commands inside strings follow the command that has them as an argument.
pub(super) fn commands(text: &str, place: &dyn Fn(usize, usize) -> Span) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    split(text, 0, place, 0, &mut found);
    found
}

fn split(
    text: &str,
    base: usize,
    place: &dyn Fn(usize, usize) -> Span,
    depth: usize,
    found: &mut Vec<Vec<Word>>,
) {
    let mut command = Vec::new();
    let mut inner = Vec::new();
    let mut at = 0;
    while let Some(c) = text.since(at).chars().next() {
        match c {
            '\\' if text.since(at + 1).starts_with(['\n', '\r']) => {
                at += 1;
                at += text.since(at).len() - text.since(at).trim_start_matches('\r').len();
                at += usize::from(text.since(at).starts_with('\n'));
            }
            ' ' | '\t' | '\r' => at += 1,
            '#' => at += text.since(at).find('\n').unwrap_or(text.len() - at),
            '\n' | ';' | '|' | '&' | '(' | ')' => {
                at += 1;
                found.push(std::mem::take(&mut command));
                found.append(&mut inner);
            }
            _ => {
                let (word, range, end) = read_word(text, at);
                if depth + 1 < MAX_DEPTH && word.contains("taint") && word.contains(' ') {
                    let nested = text.within(range.0..range.1);
                    split(nested, base + range.0, place, depth + 1, &mut inner);
                }
                command.push(Word {
                    text: word,
                    span: place(base + range.0, base + range.1),
                });
                at = end;
            }
        }
    }
    found.push(command);
    found.append(&mut inner);
    if depth == 0 {
        found.retain(|command| !command.is_empty());
    }
}

/// Reads the word at `at`. Returns its text without quotes, the range of its content, and its end.
fn read_word(text: &str, at: usize) -> (String, (usize, usize), usize) {
    let mut word = String::new();
    let mut end = at;
    let mut first_quote = None;
    let mut open: Option<char> = None;
    let mut braces = 0_u32;
    while let Some(c) = text.since(end).chars().next() {
        let next = text.since(end + c.len_utf8()).chars().next();
        match (open, c) {
            (None, '"' | '\'') if text.since(end + 1).contains(c) => {
                open = Some(c);
                first_quote.get_or_insert(end);
                end += 1;
                continue;
            }
            (Some(quote), c) if quote == c => {
                open = None;
                end += 1;
                continue;
            }
            (Some('"') | None, '\\') if next.is_some_and(|next| next != '\n' && next != '\r') => {
                word.extend(next);
                end += 1 + next.map_or(0, char::len_utf8);
                continue;
            }
            (None, '$') if matches!(next, Some('{' | '(')) => {
                braces += 1;
                word.push_str(text.within(end..end + 2));
                end += 2;
                continue;
            }
            (None, '}' | ')') if braces > 0 => braces -= 1,
            (None, '\n') => break,
            (None, ';' | '|' | '&' | '(' | ')' | '\\') if braces == 0 => break,
            (None, c) if braces == 0 && c.is_whitespace() => break,
            _ => {}
        }
        word.push(c);
        end += c.len_utf8();
    }
    if end == at {
        // A character that no other case handles, such as a lone backslash.
        let length = text.since(at).chars().next().map_or(1, char::len_utf8);
        return (
            text.within(at..at + length).to_owned(),
            (at, at + length),
            at + length,
        );
    }
    let quoted = first_quote == Some(at) && end - at == word.len() + 2;
    let range = if quoted { (at + 1, end - 1) } else { (at, end) };
    (word, range, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn read(text: &str) -> Vec<Vec<String>> {
        commands(text, &|from, to| Span::new(SourceId(0), from..to))
            .into_iter()
            .map(|command| command.into_iter().map(|word| word.text).collect())
            .collect()
    }

    #[test]
    fn commands_are_split_and_joined_as_a_shell_does() {
        assert_eq!(
            read("a b \\\n  c; d 'e f' && g \"h\\\"i\" # j k\nl ${m n} $(o p)x|q"),
            [
                vec!["a", "b", "c"],
                vec!["d", "e f"],
                vec!["g", "h\"i"],
                vec!["l", "${m n}", "$(o p)x"],
                vec!["q"],
            ]
        );
    }

    #[test]
    fn a_command_in_a_string_is_a_command() {
        let found = read("ssh x \"kubectl taint nodes y a:NoSchedule\"; z");
        assert_eq!(found[1], ["kubectl", "taint", "nodes", "y", "a:NoSchedule"]);
        assert_eq!(found[2], ["z"]);
    }

    #[test]
    fn words_are_where_their_content_is() {
        let text = "x --y='a=b:NoSchedule' 'c d' e";
        for word in commands(text, &|from, to| Span::new(SourceId(0), from..to)).concat() {
            if !word.text.starts_with("--y") {
                assert_eq!(&text[word.span.range()], word.text);
            }
        }
    }

    #[test]
    fn whatever_a_file_holds_is_read_to_its_end() {
        for text in [
            "'", "\"a", "\\", "a\\", "$(", "${", "it's\nb", "é \\é", "a'b\"c", ")", "\r\n",
        ] {
            read(text);
        }
    }
}
