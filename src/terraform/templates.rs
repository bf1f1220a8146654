//! Parses templates from tokens, and determines the text of each line after indentation and the blanks that `~` strips
//! are removed.

use super::parser::{Mistake, Parsed, Parser};
use super::syntax::{Expression, ExpressionKind, If, Literal, Part, Repeat, Template, place};
use super::tokens::{Kind, Token};

/// A piece of a template, before the pieces are grouped.
#[derive(Debug)]
enum Piece {
    Text(Literal),
    Value(Expression, (u32, u32)),
    If(Expression),
    Else,
    EndIf,
    For(Option<Box<str>>, Box<str>, Expression),
    EndFor,
}

/// A piece and its place.
type Placed = (Piece, (u32, u32));

impl Parser<'_> {
    /// Reads the rest of a quoted text.
    pub fn quoted_template(&mut self) -> Parsed<ExpressionKind> {
        let mut parts = self.template_parts(Kind::CloseQuote, false)?;
        Ok(match parts.as_mut_slice() {
            [] => ExpressionKind::Text("".into()),
            [Part::Text(only)] => ExpressionKind::Text(std::mem::take(&mut only.text).into()),
            _ => ExpressionKind::Template(Box::new(Template {
                parts,
                has_lines: false,
            })),
        })
    }

    /// Reads the parts of a template up to the closing token. The opening token is already taken.
    pub fn template_parts(&mut self, end: Kind, is_flush: bool) -> Parsed<Vec<Part>> {
        let mut pieces = self.nested(|parser| parser.pieces(end))?;
        if is_flush {
            take_indentation(&mut pieces);
        }
        let mut pieces = pieces.into_iter();
        self.nested(|parser| {
            let (parts, end) = parser.gathered(&mut pieces)?;
            match end {
                None => Ok(parts),
                Some((_, at)) => Err(Mistake {
                    at,
                    message: "there is no open directive to end here".to_owned(),
                }),
            }
        })
    }

    fn pieces(&mut self, end: Kind) -> Parsed<Vec<Placed>> {
        let mut pieces: Vec<Placed> = Vec::new();
        // `~}` strips the blanks of the text that directly follows it.
        let mut takes_blanks = false;
        loop {
            let token = self.lines(false, |parser| Ok(parser.take()))?;
            if token.kind == end {
                return Ok(pieces);
            }
            let strips = std::mem::take(&mut takes_blanks);
            match token.kind {
                Kind::Literal | Kind::Quoted => {
                    let mut literal = self.literal(token)?;
                    if strips {
                        literal.strip_start();
                    }
                    pieces.push((Piece::Text(literal), token.at()));
                }
                Kind::OpenValue | Kind::OpenDirective => {
                    if let (true, Some((Piece::Text(before), _))) =
                        (self.written(token).ends_with('~'), pieces.last_mut())
                    {
                        before.strip_end();
                    }
                    let (piece, close) = self.lines(true, |parser| parser.sequence(token))?;
                    takes_blanks = self.written(close).starts_with('~');
                    pieces.push((piece, place(token.start..close.end)));
                }
                _ => return Err(self.wrong(token, "expected the end of a string")),
            }
        }
    }

    /// Reads the content between `${` or `%{` and its closing brace, and the brace.
    fn sequence(&mut self, open: Token) -> Parsed<(Piece, Token)> {
        let piece = match open.kind {
            Kind::OpenValue => {
                let value = self.expression()?;
                let whole = place(open.start..self.peek().end);
                Piece::Value(value, whole)
            }
            _ => self.directive()?,
        };
        let close = self.take();
        match close.kind {
            Kind::CloseSequence => Ok((piece, close)),
            _ => Err(self.wrong(
                close,
                "expected `}` (write `$${…}` or `%%{…}` for literal text)",
            )),
        }
    }

    fn directive(&mut self) -> Parsed<Piece> {
        let word = self.want_name("expected `if`, `else`, `endif`, `for` or `endfor`")?;
        Ok(match self.written(word) {
            "if" => Piece::If(self.expression()?),
            "else" => Piece::Else,
            "endif" => Piece::EndIf,
            "for" => {
                let (key_name, value_name) = self.for_names()?;
                Piece::For(key_name, value_name, self.expression()?)
            }
            "endfor" => Piece::EndFor,
            _ => {
                let message = "expected `if`, `else`, `endif`, `for` or `endfor`";
                return Err(self.wrong(word, message));
            }
        })
    }

    /// Groups pieces into parts, up to a directive that closes an enclosing one. Returns that directive.
    fn gathered(
        &mut self,
        pieces: &mut std::vec::IntoIter<Placed>,
    ) -> Parsed<(Vec<Part>, Option<Placed>)> {
        let mut parts: Vec<Part> = Vec::new();
        while let Some((piece, at)) = pieces.next() {
            let part = match piece {
                Piece::Text(literal) => match parts.last_mut() {
                    Some(Part::Text(before)) => {
                        before.append(&literal);
                        continue;
                    }
                    _ => Part::Text(literal),
                },
                Piece::Value(value, whole) => Part::Value(value, whole),
                Piece::If(condition) => {
                    let (yes, mut end) = self.inside(pieces)?;
                    let mut no = Vec::new();
                    if let Some((Piece::Else, _)) = end {
                        (no, end) = self.inside(pieces)?;
                    }
                    if !matches!(end, Some((Piece::EndIf, _))) {
                        return Err(missing("`%{ endif }`", "`%{ if … }`", at, end));
                    }
                    Part::If(Box::new(If { condition, yes, no }))
                }
                Piece::For(key_name, value_name, over) => {
                    let (body, end) = self.inside(pieces)?;
                    if !matches!(end, Some((Piece::EndFor, _))) {
                        return Err(missing("`%{ endfor }`", "`%{ for … }`", at, end));
                    }
                    Part::For(Box::new(Repeat {
                        key_name,
                        value_name,
                        over,
                        body,
                    }))
                }
                end @ (Piece::Else | Piece::EndIf | Piece::EndFor) => {
                    return Ok((parts, Some((end, at))));
                }
            };
            parts.push(part);
        }
        Ok((parts, None))
    }

    fn inside(
        &mut self,
        pieces: &mut std::vec::IntoIter<Placed>,
    ) -> Parsed<(Vec<Part>, Option<Placed>)> {
        self.nested(|parser| parser.gathered(pieces))
    }

    fn literal(&self, token: Token) -> Parsed<Literal> {
        if token.kind == Kind::Quoted {
            return Ok(Literal {
                text: self.unescaped(token)?,
                runs: Vec::new(),
                at: token.at(),
            });
        }
        let mut literal = Literal {
            at: token.at(),
            ..Literal::default()
        };
        let written = self.written(token);
        let bytes = written.as_bytes();
        // The start of the current run, and how far it was looked at.
        let (mut start, mut at) = (0, 0);
        let mut take = |run: std::ops::Range<usize>| {
            if !run.is_empty() {
                let from = place(token.start + run.start..token.end).0;
                literal.runs.push((literal.text.len(), from));
                literal.text.push_str(written.get(run).unwrap_or_default());
            }
        };
        // `$${` is an escape for `${`, and `%%{` for `%{`. Two signs without a brace are literal.
        while let Some(sign) = memchr::memchr2(b'$', b'%', bytes.get(at..).unwrap_or_default()) {
            at += sign;
            let two = bytes.get(at + 1) == bytes.get(at);
            if two && bytes.get(at + 2) == Some(&b'{') {
                take(start..at);
                start = at + 1;
            }
            at += 1 + usize::from(two);
        }
        take(start..written.len());
        Ok(literal)
    }

    /// Returns a part of a quoted text with its escapes resolved.
    pub fn unescaped(&self, token: Token) -> Parsed<String> {
        let written = self.written(token);
        if let Some(rest) = ["$${", "%%{"].iter().find_map(|two| {
            let rest = written.strip_prefix(two)?;
            Some((two.get(1..)?, rest))
        }) {
            return Ok([rest.0, rest.1].concat());
        }
        let mut text = String::with_capacity(written.len());
        let mut letters = written.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter != '\\' {
                text.push(letter);
                continue;
            }
            let escaped = letters.next().map(|(_, escaped)| escaped);
            let digits = match escaped {
                Some('u') => 4,
                Some('U') => 8,
                _ => 0,
            };
            let start = token.start + at;
            let own = match escaped {
                Some('n') => Some('\n'),
                Some('r') => Some('\r'),
                Some('t') => Some('\t'),
                Some(same @ ('"' | '\\')) => Some(same),
                Some('u' | 'U') => written
                    .get(at + 2..at + 2 + digits)
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32),
                _ => None,
            };
            let Some(own) = own else {
                let end = start + 1 + escaped.map_or(0, char::len_utf8);
                return Err(Mistake {
                    at: place(start..end),
                    message:
                        "unknown escape; the known ones are `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, \
                        `\\u` with four hexadecimal digits, and `\\U` with eight"
                            .to_owned(),
                });
            };
            text.push(own);
            if digits > 0 {
                letters.nth(digits - 1);
            }
        }
        Ok(text)
    }
}

fn missing(wanted: &str, of: &str, at: (u32, u32), found: Option<Placed>) -> Mistake {
    Mistake {
        at: found.map_or(at, |(_, at)| at),
        message: format!("expected {wanted} at the end of {of}"),
    }
}

/// Removes the common indentation from the lines of a heredoc. Lines that contain only blanks do not count and stay
/// unchanged.
fn take_indentation(pieces: &mut [Placed]) {
    let mut least = usize::MAX;
    let mut first_ones = Vec::new();
    let mut begins_line = true;
    for (at, (piece, _)) in pieces.iter().enumerate() {
        let text = match piece {
            Piece::Text(literal) => literal.text.as_str(),
            _ => "",
        };
        if begins_line {
            let rest = text.trim_start();
            let is_blank = rest.is_empty() && text.ends_with('\n');
            if !is_blank {
                let blanks = text.chars().count() - rest.chars().count();
                least = least.min(blanks);
                first_ones.push(at);
            }
        }
        begins_line = text.ends_with('\n');
    }
    for at in first_ones {
        if let Some((Piece::Text(literal), _)) = pieces.get_mut(at) {
            let cut = literal.text.char_indices().nth(least);
            literal.cut_start(cut.map_or(literal.text.len(), |(at, _)| at));
        }
    }
}

impl Literal {
    fn strip_start(&mut self) {
        self.cut_start(self.text.len() - self.text.trim_start().len());
    }

    fn strip_end(&mut self) {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        self.runs.retain(|(at, _)| *at < kept);
    }

    fn cut_start(&mut self, bytes: usize) {
        let bytes = bytes.min(self.text.len());
        self.text.drain(..bytes);
        let begun = self.runs.partition_point(|(at, _)| *at <= bytes);
        // The run in which the text now starts, and those after it.
        self.runs.drain(..begun.saturating_sub(1));
        for (at, offset) in &mut self.runs {
            *offset = offset.saturating_add(place(0..bytes.saturating_sub(*at)).1);
            *at = at.saturating_sub(bytes);
        }
        self.runs.retain(|(at, _)| *at < self.text.len());
    }

    fn append(&mut self, other: &Literal) {
        let before = self.text.len();
        let moved = other.runs.iter().map(|(at, offset)| (before + at, *offset));
        // Consecutive runs are merged.
        for (at, offset) in moved {
            let goes_on = self.runs.last().is_some_and(|(last, from)| {
                place(0..at - last).1.checked_add(*from) == Some(offset)
            });
            if !goes_on {
                self.runs.push((at, offset));
            }
        }
        self.text.push_str(&other.text);
        self.at.1 = other.at.1;
    }
}
