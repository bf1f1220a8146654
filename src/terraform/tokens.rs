//! Splits HCL text into tokens like Terraform's own scanner. All code that needs to know where a text, a heredoc, a
//! comment or an interpolation starts and ends uses this scanner, so there is only one reading of a file.

use std::collections::VecDeque;

use memchr::{memchr, memmem};

use super::words::{escape_length, heredoc_begun, name_length, newline_length, number_length};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Punctuation and operators, identified by their text.
    Symbol(&'static str),
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A comment. A comment that runs to the end of its line includes the end of the line.
    Comment,
    /// The end of a line.
    Newline,
    /// `"` that starts a text.
    OpenQuote,
    /// `"` that ends a text.
    CloseQuote,
    /// `<<WORD` or `<<-WORD`, and the end of its line.
    OpenHeredoc,
    /// `WORD` with the blanks around it, without the end of its line.
    CloseHeredoc,
    /// A part of a quoted text, in which escapes are interpreted.
    Quoted,
    /// A part of a heredoc or of a template file: at most one line.
    Literal,
    /// `${` or `${~`
    OpenValue,
    /// `%{` or `%{~`
    OpenDirective,
    /// `}` or `~}` that closes one of these.
    CloseSequence,
    /// Text that is not valid anywhere in the language.
    Invalid,
    /// The end of a line inside quotes.
    BrokenQuote,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub kind: Kind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    pub fn is(&self, symbol: &str) -> bool {
        matches!(self.kind, Kind::Symbol(own) if own == symbol)
    }

    /// Its place in the form that trees store.
    pub fn at(&self) -> (u32, u32) {
        super::syntax::place(self.start..self.end)
    }
}

/// Symbols. If one is the prefix of another, the longer one comes first.
const SYMBOLS: [&str; 30] = [
    "...", "==", "!=", ">=", "<=", "&&", "||", "::", "=>", "[", "]", "(", ")", ".", ",", "*", "/",
    "%", "+", "-", "=", "<", ">", "!", "?", ":", "&", "|", "^", ";",
];

/// What the scanner is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Blocks, attributes and expressions.
    Code,
    Quotes,
    Heredoc,
    /// A text that is itself a template.
    Template,
}

/// An open heredoc.
#[derive(Debug)]
struct Open<'t> {
    word: &'t str,
    /// The word ends the heredoc only at the start of a line.
    at_line_start: bool,
}

/// Returns the tokens of a text, one by one.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    mode: Mode,
    outer: Vec<Mode>,
    /// The number of open braces.
    braces: i64,
    /// The numbers of open braces at which interpolations end, the innermost last.
    closes_at: Vec<i64>,
    heredocs: Vec<Open<'t>>,
    ready: VecDeque<Token>,
    /// No block comment that starts after this point is ever closed.
    comments_are_open: bool,
}

impl<'t> Scanner<'t> {
    /// Reads code from an offset onwards.
    pub fn code(text: &'t str, from: usize) -> Self {
        Self::new(text, from, Mode::Code)
    }

    /// Reads a text that is itself a template.
    pub fn template(text: &'t str) -> Self {
        Self::new(text, 0, Mode::Template)
    }

    fn new(text: &'t str, at: usize, mode: Mode) -> Self {
        Scanner {
            text,
            at,
            mode,
            outer: Vec::new(),
            braces: 0,
            closes_at: Vec::new(),
            heredocs: Vec::new(),
            ready: VecDeque::new(),
            comments_are_open: false,
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next token. After the last one, returns `End` on every call.
    pub fn next(&mut self) -> Token {
        if let Some(token) = self.ready.pop_front() {
            return token;
        }
        if self.mode == Mode::Code {
            let blanks = self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
            self.at += blanks;
        }
        if self.rest().is_empty() {
            return self.take(Kind::End, 0);
        }
        match self.mode {
            Mode::Code => self.in_code(),
            Mode::Quotes => self.in_quotes(),
            Mode::Heredoc | Mode::Template => self.in_lines(),
        }
    }

    fn take(&mut self, kind: Kind, length: usize) -> Token {
        let start = self.at;
        self.at = (start + length).min(self.text.len());
        Token {
            kind,
            start,
            end: self.at,
        }
    }

    /// Reports that the rest of the text cannot be read.
    fn give_up(&mut self) -> Token {
        self.take(Kind::Invalid, self.rest().len())
    }

    fn enter(&mut self, mode: Mode) {
        self.outer.push(self.mode);
        self.mode = mode;
    }

    fn leave(&mut self) {
        if let Some(mode) = self.outer.pop() {
            self.mode = mode;
        }
    }

    fn in_code(&mut self) -> Token {
        let rest = self.rest();
        let newline = newline_length(rest);
        if newline > 0 {
            return self.take(Kind::Newline, newline);
        }
        if let Some(length) = self.comment_length(rest) {
            return self.take(Kind::Comment, length);
        }
        match number_length(rest) {
            0 => {}
            length => return self.take(Kind::Number, length),
        }
        match name_length(rest) {
            0 => {}
            length => return self.take(Kind::Name, length),
        }
        if rest.starts_with('"') {
            self.enter(Mode::Quotes);
            // The token is outside the text that it opens.
            return self.take(Kind::OpenQuote, 1);
        }
        if let Some((length, word)) = heredoc_begun(rest) {
            self.heredocs.push(Open {
                word,
                at_line_start: true,
            });
            self.enter(Mode::Heredoc);
            return self.take(Kind::OpenHeredoc, length);
        }
        if rest.starts_with('{') {
            self.braces += 1;
            return self.take(Kind::Symbol("{"), 1);
        }
        let eats_blanks = rest.starts_with("~}");
        if eats_blanks || rest.starts_with('}') {
            let ends = self.closes_at.last() == Some(&self.braces);
            self.braces -= 1;
            if ends {
                self.closes_at.pop();
                self.leave();
            }
            return match (ends, eats_blanks) {
                (true, _) | (_, true) => {
                    self.take(Kind::CloseSequence, 1 + usize::from(eats_blanks))
                }
                (false, false) => self.take(Kind::Symbol("}"), 1),
            };
        }
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol @ (&"&" | &"|" | &"^" | &";")) => self.take(Kind::Invalid, symbol.len()),
            Some(symbol) => self.take(Kind::Symbol(symbol), symbol.len()),
            None => {
                let length = rest.chars().next().map_or(0, char::len_utf8);
                self.take(Kind::Invalid, length)
            }
        }
    }

    fn comment_length(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with('#') || rest.starts_with("//") {
            return Some(memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1));
        }
        if self.comments_are_open {
            return None;
        }
        let inside = rest.strip_prefix("/*")?;
        let end = memmem::find(inside.as_bytes(), b"*/");
        self.comments_are_open = end.is_none();
        end.map(|end| end + 4)
    }

    /// Reads the interpolation or directive that starts here.
    fn sequence(&mut self) -> Option<Token> {
        let rest = self.rest();
        let kind = match rest.get(..2) {
            Some("${") => Kind::OpenValue,
            Some("%{") => Kind::OpenDirective,
            _ => return None,
        };
        let length = 2 + usize::from(rest.as_bytes().get(2) == Some(&b'~'));
        self.braces += 1;
        self.closes_at.push(self.braces);
        self.is_at_line_start(false);
        self.enter(Mode::Code);
        Some(self.take(kind, length))
    }

    fn is_at_line_start(&mut self, is: bool) {
        if let Some(open) = self.heredocs.last_mut() {
            open.at_line_start = is;
        }
    }

    fn in_quotes(&mut self) -> Token {
        if let Some(token) = self.sequence() {
            return token;
        }
        let rest = self.rest();
        let bytes = rest.as_bytes();
        match bytes {
            [b'"', ..] => {
                self.leave();
                self.take(Kind::CloseQuote, 1)
            }
            [b'$' | b'%', ..] => match escape_length(rest) {
                Some(length) => self.take(Kind::Quoted, length),
                // What it opens is unknown.
                None if bytes.len() == 1 => self.give_up(),
                None => self.take(Kind::Quoted, 1),
            },
            [b'\r' | b'\n', ..] => {
                let length = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
                self.take(Kind::BrokenQuote, length)
            }
            [b'\\', b'\r' | b'\n', ..] | [b'\\'] => self.take(Kind::Invalid, 1),
            _ => {
                let mut length = 0;
                while let Some(byte) = bytes.get(length) {
                    length += match (byte, bytes.get(length + 1)) {
                        (b'$' | b'%' | b'"' | b'\r' | b'\n', _) => break,
                        (b'\\', None | Some(b'\r' | b'\n')) => break,
                        (b'\\', Some(_)) => 2,
                        _ => 1,
                    };
                }
                // The character after a backslash may be longer than one byte.
                while !rest.is_char_boundary(length) {
                    length += 1;
                }
                self.take(Kind::Quoted, length)
            }
        }
    }

    /// Reads a token in a heredoc or in a template file.
    fn in_lines(&mut self) -> Token {
        if let Some(token) = self.sequence() {
            return token;
        }
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let is_heredoc = self.mode == Mode::Heredoc;
        let length = match (escape_length(rest), bytes) {
            (Some(length), _) => length,
            // A sign alone. HCL's scanner includes everything between it and the end of its line.
            (None, [b'$' | b'%', _, b'\r' | b'\n', ..]) => {
                self.is_at_line_start(true);
                return self.take(Kind::Literal, 2);
            }
            (None, [b'$' | b'%']) if is_heredoc => return self.give_up(),
            (None, [b'$' | b'%', ..]) => {
                self.is_at_line_start(false);
                return self.take(Kind::Literal, 1);
            }
            (None, _) => {
                let special = |byte: &u8| matches!(byte, b'$' | b'%' | b'\r' | b'\n');
                bytes.iter().position(special).unwrap_or(bytes.len())
            }
        };
        let newline = newline_length(rest.get(length..).unwrap_or_default());
        if newline == 0 {
            if length > 0 {
                self.is_at_line_start(false);
                return self.take(Kind::Literal, length);
            }
            // A `\r` alone is not the end of a line.
            return match is_heredoc || !self.outer.is_empty() {
                true => self.give_up(),
                false => self.take(Kind::Literal, rest.len()),
            };
        }
        if is_heredoc
            && let Some(open) = self.heredocs.last()
            && open.at_line_start
            && rest.get(..length).map(str::trim) == Some(open.word)
        {
            self.heredocs.pop();
            self.leave();
            let close = self.take(Kind::CloseHeredoc, length);
            let newline = self.take(Kind::Newline, newline);
            self.ready.push_back(newline);
            return close;
        }
        self.is_at_line_start(true);
        self.take(Kind::Literal, length + newline)
    }
}
