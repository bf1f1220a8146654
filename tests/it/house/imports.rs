//! Extracts the paths in Rust code (`use` trees and inline paths alike), well enough to check layers. Not a parser:
//! comments, literals and test modules are blanked out first, and the rest is read as tokens.

/// A path as in the code, with every group expanded: `use a::{b, c::d}` is `a::b` and `a::c::d`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// 1-based line of the path's first segment.
    pub line: usize,
    /// Whether it is part of a `use`.
    pub imported: bool,
    /// The segments.
    pub segments: Vec<String>,
}

/// All paths of a text, in order. The text must have gone through [`without_literals`].
pub fn named_paths(text: &str) -> Vec<Named> {
    let tokens = tokens(text);
    let mut named = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_head = tokens[at].is_word() && (at == 0 || tokens[at - 1].text != "::");
        if is_head {
            at = read_tree(&tokens, at, &mut named);
        } else {
            at += 1;
        }
    }
    named
}

/// Reads one path with its groups from `at`. Returns the position after it.
fn read_tree(tokens: &[Token<'_>], mut at: usize, named: &mut Vec<Named>) -> usize {
    let line = tokens[at].line;
    let imported = at > 0 && tokens[at - 1].text == "use";
    // The path so far, and its length at the start of each open group.
    let mut path: Vec<String> = Vec::new();
    let mut groups: Vec<usize> = Vec::new();
    let mut fresh = false;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    while let Some(token) = tokens.get(at) {
        if token.is_word() || token.text == "*" {
            path.push(token.text.to_owned());
            fresh = true;
            at += 1;
            if text(at) == "::" && (tokens.get(at + 1).is_some_and(Token::is_word)) {
                at += 1;
                continue;
            }
            if text(at) == "::" && text(at + 1) == "*" {
                at += 1;
                continue;
            }
            if text(at) == "::" && text(at + 1) == "{" {
                groups.push(path.len());
                fresh = false;
                at += 2;
                continue;
            }
            if text(at) == "as" && !groups.is_empty() {
                at += 2;
            }
        }
        if fresh {
            named.push(Named {
                line,
                imported,
                segments: path.clone(),
            });
            fresh = false;
        }
        let Some(base) = groups.last() else { break };
        path.truncate(*base);
        match text(at) {
            "," => at += 1,
            "}" => {
                at += 1;
                groups.pop();
            }
            // Not an import group.
            _ => break,
        }
    }
    at
}

struct Token<'t> {
    text: &'t str,
    line: usize,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text
            .starts_with(|first: char| first.is_alphabetic() || first == '_')
            && !matches!(self.text, "as" | "use" | "pub")
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if first == '\n' {
            line += 1;
        }
        if !first.is_whitespace() {
            tokens.push(Token {
                text: &rest[..length],
                line,
            });
        }
        rest = &rest[length..];
    }
    tokens
}

/// The text with comments, strings and characters blanked out. Line numbers do not change.
pub fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let in_word = before.is_alphanumeric() || before == '_';
        match literal_length(rest, in_word) {
            Some(length) => {
                let (literal, after) = rest.split_at(length);
                out.extend(literal.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
                rest = after;
                before = ' ';
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                before = first;
            }
        }
    }
    out
}

/// The length in bytes of the comment or literal at the start of the text, or `None` if there is none.
fn literal_length(text: &str, in_word: bool) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(block_comment(text));
    }
    if text.starts_with('"') {
        return Some(quoted(text, '"'));
    }
    if text.starts_with('\'') {
        let mut after = text.chars().skip(1);
        let is_character = match after.next() {
            Some('\\') => true,
            // Otherwise it is a lifetime.
            Some(_) => after.next() == Some('\''),
            None => false,
        };
        return is_character.then(|| quoted(text, '\''));
    }
    if !in_word && (text.starts_with("r\"") || text.starts_with("r#")) {
        let hashes = text[1..].chars().take_while(|c| *c == '#').count();
        if text[1 + hashes..].starts_with('"') {
            let open = 2 + hashes;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = text[open..].find(&close);
            return Some(end.map_or(text.len(), |end| open + end + close.len()));
        }
    }
    None
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The text (without literals) with `#[cfg(test)] mod … { … }` blanked out, too.
pub fn without_tests(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some(found) = out[from..].find(MARK) {
        let start = from + found;
        let after = start + MARK.len();
        from = after;
        let item = out[after..].trim_start();
        let opens = out[after..].find('{');
        let ends = out[after..].find(';');
        let is_inline_module =
            item.starts_with("mod ") && opens.is_some_and(|open| ends.is_none_or(|end| open < end));
        if !is_inline_module {
            continue;
        }
        let end = closing_brace(&out, after);
        let blank: String = out[start..end]
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        out.replace_range(start..end, &blank);
        from = start + blank.len();
    }
    out
}

/// The position after the brace that closes the first one after `from`.
fn closing_brace(text: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, c) in text[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return from + at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}
