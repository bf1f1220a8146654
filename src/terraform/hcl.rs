//! Parses HCL text into a tree, file by file. In a broken file, it reads as much as it can.

use std::collections::HashSet;
use std::ops::Range;

use super::parser::{Mistake, Parser};
use super::syntax::{Body, ExpressionKind, File, Part, Template};
use super::tokens::{Kind, Scanner};
use super::{Heredoc, SyntaxError, terragrunt};

/// The prefix for the type of a data source.
pub(super) const DATA: &str = "data.";

/// Reads a `.tf` file into `file`.
pub(super) fn read(
    text: &str,
    file: &mut File,
    errors: &mut Vec<SyntaxError>,
    wanted: &dyn Fn(&str) -> bool,
) {
    for block in body(text, file, errors).blocks {
        // Most resources of a configuration are of no interest.
        let first = block.labels.first();
        let looked_up = || first.map(|of_type| format!("{DATA}{of_type}"));
        let skipped = match &*block.name {
            "resource" => !first.is_some_and(|of_type| wanted(of_type)),
            "data" => !looked_up().is_some_and(|of_type| wanted(&of_type)),
            "moved" | "import" | "removed" | "check" => true,
            _ => false,
        };
        if !skipped {
            file.take(block, wanted);
        }
    }
}

/// Reads a Terragrunt file into `file`.
pub(super) fn read_terragrunt(
    path: &str,
    text: &str,
    file: &mut File,
    errors: &mut Vec<SyntaxError>,
) {
    let body = body(text, file, errors);
    let (mut terraform, mut includes) = (None, Vec::new());
    for block in body.blocks {
        match &*block.name {
            "locals" => file.take(block, &|_| false),
            "terraform" => terraform = Some(block),
            "include" => includes.extend(terragrunt::include(&block)),
            _ => {}
        }
    }
    let mut attributes = body.attributes.into_iter();
    let inputs = attributes.find(|(name, ..)| &**name == "inputs");
    let inputs = inputs.map(|(_, at, value)| (at, value));
    file.modules
        .extend(terragrunt::call(path, inputs, terraform.as_ref(), includes));
}

/// Reads a `.tfvars` file into `file`.
pub(super) fn read_values(text: &str, file: &mut File, errors: &mut Vec<SyntaxError>) {
    let attributes = body(text, file, errors).attributes.into_iter();
    file.values
        .extend(attributes.map(|(name, _, value)| (name, value)));
}

/// Whether two `.tf` texts differ only in blanks and comments. A text that cannot be read equals no other.
pub(super) fn same(one: &str, other: &str) -> bool {
    [one, other]
        .iter()
        .all(|text| items(text).mistake.is_none())
        && meaningful(one).eq(meaningful(other))
}

/// The tokens of a text as written, without comments. Several ends of lines become one.
fn meaningful(text: &str) -> impl Iterator<Item = (Kind, &str)> {
    let mut scanner = Scanner::code(text, 0);
    let mut ended_line = true;
    std::iter::from_fn(move || {
        loop {
            let token = scanner.next();
            let written = text.get(token.start..token.end).unwrap_or_default();
            let ends_line = match token.kind {
                Kind::End => return None,
                Kind::Newline => true,
                Kind::Comment if !written.ends_with('\n') => continue,
                Kind::Comment => true,
                _ => false,
            };
            let ended_before = std::mem::replace(&mut ended_line, ends_line);
            match ends_line {
                true if ended_before => {}
                true => return Some((Kind::Newline, "")),
                false => return Some((token.kind, written)),
            }
        }
    })
}

/// Returns the heredocs of a text, in order. It does not look inside them again.
pub(super) fn heredocs(text: &str) -> Vec<Heredoc> {
    let mut heredocs = items(text).heredocs;
    heredocs.sort_by_key(|one| one.whole.start);
    let mut end = 0;
    heredocs.retain(|one| {
        let is_outer = one.lines.start >= end;
        end = end.max(one.lines.end);
        is_outer
    });
    heredocs
}

pub(super) fn quoted(text: &str) -> Vec<Range<usize>> {
    // After an unclosed quote, the rest of a file looks quoted.
    if items(text).mistake.is_some() {
        return Vec::new();
    }
    let mut scanner = Scanner::code(text, 0);
    let mut quoted = Vec::new();
    loop {
        let token = scanner.next();
        match token.kind {
            Kind::End => return quoted,
            Kind::Quoted => quoted.push(token.start..token.end),
            _ => {}
        }
    }
}

pub(super) fn text_beside_comments(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut foreign = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            foreign.push(text.len());
            text.push('?');
        }
    }
    let mut foreign = foreign.into_iter().peekable();
    let mut scanner = Scanner::code(&text, 0);
    while let Some(next) = foreign.peek() {
        let token = scanner.next();
        if token.end > *next {
            if token.kind != Kind::Comment || token.start > *next {
                return None;
            }
            while foreign.next_if(|at| *at < token.end).is_some() {}
        } else if token.kind == Kind::End {
            return None;
        }
    }
    Some(text)
}

/// Reads a quoted text as in JSON configuration: `${` starts an interpolation.
pub(super) fn read_template(text: &str, at: (u32, u32)) -> ExpressionKind {
    let parts = match Parser::template(text).template_parts(Kind::End, false) {
        Ok(parts) => parts,
        Err(_) => vec![Part::Unread],
    };
    // Places inside such a text are those of the whole text: escapes prevent more precise ones.
    let placed = |part: Part| match part {
        Part::Value(mut value, _) => {
            value.at = at;
            Part::Value(value, at)
        }
        // Expressions in it would be reported at places of another text.
        Part::If(_) | Part::For(_) | Part::Unread => Part::Unread,
        Part::Text(mut literal) => {
            (literal.runs, literal.at) = (Vec::new(), at);
            Part::Text(literal)
        }
    };
    let mut parts: Vec<Part> = parts.into_iter().map(placed).collect();
    match parts.as_mut_slice() {
        [] => ExpressionKind::Text("".into()),
        [Part::Text(only)] => ExpressionKind::Text(std::mem::take(&mut only.text).into()),
        _ => ExpressionKind::Template(Box::new(Template {
            parts,
            has_lines: false,
        })),
    }
}

/// Reads a file that is itself a template, or `None` if it is not one.
pub(super) fn read_template_file(text: &str) -> Option<Template> {
    let parts = Parser::template(text).template_parts(Kind::End, false);
    Some(Template {
        parts: parts.ok()?,
        has_lines: true,
    })
}

/// The blocks and attributes of a file.
pub(super) fn body(text: &str, file: &mut File, errors: &mut Vec<SyntaxError>) -> Body {
    let items = items(text);
    if let Some(Mistake { at, message }) = items.mistake {
        file.broken = true;
        errors.push(SyntaxError { at, message });
    }
    items.body
}

/// The readable parts of a text.
#[derive(Default)]
struct Items {
    body: Body,
    heredocs: Vec<Heredoc>,
    /// The first mistake that HCL would reject.
    mistake: Option<Mistake>,
}

/// Reads a text. After a broken block or attribute, it continues at the next line that looks like one.
fn items(text: &str) -> Items {
    /// The maximum number of failed attempts. After that, a broken block ends where the next line looks like a block.
    const TRIES: usize = 8;
    let mut items = Items::default();
    let mut names = HashSet::new();
    let mut in_vain = 0;
    let mut part = 0..text.len();
    loop {
        let mut parser = Parser::code(text.get(..part.end).unwrap_or_default(), part.start);
        let mut failed = None;
        while let (None, Some(start)) = (&failed, parser.next_item()) {
            let item = parser.item(&mut items.body, &mut names);
            failed = item.err().map(|mistake| (mistake, start));
        }
        items.heredocs.append(&mut parser.heredocs);
        let from = failed.as_ref().map(|(_, start)| *start);
        let mistakes = parser
            .mistakes
            .drain(..)
            .chain(failed.map(|(mistake, _)| mistake));
        items.mistake = items.mistake.or(mistakes.min_by_key(|one| one.at));
        let from = match from {
            Some(start) => start,
            None if part.end < text.len() => part.end - 1,
            None => return items,
        };
        let Some(next) = next_start(text, from) else {
            return items;
        };
        in_vain += parser.reached().saturating_sub(from);
        let end = match in_vain > TRIES * text.len() {
            true => next_start(text, next).unwrap_or(text.len()),
            false => text.len(),
        };
        part = next..end;
    }
}

/// Finds the next line after an offset that starts with a letter: top-level blocks are usually laid out like this.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.as_bytes().get(at..)?;
        at += memchr::memchr(b'\n', rest)? + 1;
        if text.as_bytes().get(at)?.is_ascii_alphabetic() {
            return Some(at);
        }
    }
}
