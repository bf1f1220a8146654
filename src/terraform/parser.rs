//! Parses HCL tokens into bodies with blocks and attributes, by the rules of HashiCorp's own parser. The modules
//! `expressions` and `templates` read their contents.

use std::collections::{HashSet, VecDeque};

use super::Heredoc;
use super::syntax::{Block, Body, Part, place};
use super::tokens::{Kind, Scanner, Token};

/// The maximum nesting depth of blocks, expressions and templates: each level is a recursive call here and in every
/// tree walk. HCL itself has no limit, but no real file has half as many levels.
const MAX_DEPTH: u32 = 100;

/// The maximum height of trees from rows of operators: each row is as deep as it is long, and trees are dropped
/// recursively.
const MAX_HEIGHT: u32 = 500;

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub at: (u32, u32),
    pub message: String,
}

pub(super) type Parsed<T> = Result<T, Mistake>;

/// Reads tokens in order. The context decides which ends of lines are significant.
#[derive(Debug)]
pub(super) struct Parser<'t> {
    pub text: &'t str,
    scanner: Scanner<'t>,
    /// Tokens that were already looked at, including comments.
    ahead: VecDeque<Token>,
    /// The end of the last token taken.
    pub last_end: usize,
    /// Whether ends of lines are insignificant here.
    skips_lines: bool,
    depth: u32,
    /// The height of the trees that were read side by side on this level.
    height: u32,
    /// Mistakes that do not prevent reading the rest, in order.
    pub mistakes: Vec<Mistake>,
    /// The heredocs that were read to their ends. A nested heredoc comes before the one that contains it.
    pub heredocs: Vec<Heredoc>,
}

impl<'t> Parser<'t> {
    /// Reads the blocks and attributes of a text from an offset onwards.
    pub fn code(text: &'t str, from: usize) -> Self {
        Self::new(text, Scanner::code(text, from))
    }

    /// Reads a text that is itself a template.
    pub fn template(text: &'t str) -> Self {
        Self::new(text, Scanner::template(text))
    }

    fn new(text: &'t str, scanner: Scanner<'t>) -> Self {
        Parser {
            text,
            scanner,
            ahead: VecDeque::new(),
            last_end: 0,
            skips_lines: false,
            depth: 0,
            height: 0,
            mistakes: Vec::new(),
            heredocs: Vec::new(),
        }
    }

    /// Returns the next significant token.
    pub fn peek(&mut self) -> Token {
        // A comment that runs to the end of its line also ends the line.
        loop {
            let token = match self.ahead.front() {
                Some(token) => *token,
                None => {
                    let token = self.scan();
                    self.ahead.push_back(token);
                    token
                }
            };
            match token.kind {
                Kind::Comment | Kind::Newline if self.skips_lines => {}
                Kind::Comment if !self.written(token).ends_with('\n') => {}
                Kind::Comment => {
                    return Token {
                        kind: Kind::Newline,
                        ..token
                    };
                }
                _ => return token,
            }
            self.ahead.pop_front();
        }
    }

    fn scan(&mut self) -> Token {
        let token = self.scanner.next();
        if let Kind::Invalid | Kind::BrokenQuote = token.kind {
            let found = self.written(token).chars().next().unwrap_or_default();
            let message = match (token.kind, found) {
                (Kind::BrokenQuote, _) => {
                    "a quoted string must end on the line where it begins".to_owned()
                }
                (_, '\'' | '`' | '“' | '”') => {
                    "strings must be in straight double quotes".to_owned()
                }
                _ => format!("unexpected {found:?}"),
            };
            let end = token.start + found.len_utf8();
            let at = place(token.start..end.min(token.end));
            self.mistakes.push(Mistake { at, message });
        }
        token
    }

    pub fn take(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.ahead.pop_front();
            self.last_end = token.end;
        }
        token
    }

    /// Takes the next token if it is this symbol, and returns whether it was.
    pub fn takes(&mut self, symbol: &str) -> bool {
        let is = self.peek().is(symbol);
        if is {
            self.take();
        }
        is
    }

    /// Whether the next token is this name.
    pub fn sees_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Name && self.written(token) == word
    }

    pub fn written(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// Takes the token that must come next.
    pub fn want(&mut self, symbol: &str, message: &str) -> Parsed<Token> {
        let token = self.take();
        match token.is(symbol) {
            true => Ok(token),
            false => Err(self.wrong(token, message)),
        }
    }

    pub fn want_name(&mut self, message: &str) -> Parsed<Token> {
        let token = self.take();
        match token.kind {
            Kind::Name => Ok(token),
            _ => Err(self.wrong(token, message)),
        }
    }

    pub fn wrong(&self, token: Token, message: &str) -> Mistake {
        let message = match token.kind {
            Kind::End => format!("{message}, found the end of the file"),
            Kind::Newline => format!("{message}, found the end of the line"),
            _ => format!("{message}, found `{}`", self.shown(token)),
        };
        let end = match token.kind {
            Kind::Newline | Kind::End => token.start,
            _ => token.start + self.shown(token).len(),
        };
        Mistake {
            at: place(token.start..end),
            message,
        }
    }

    /// A token as it appears in messages.
    fn shown(&self, token: Token) -> &'t str {
        const LONGEST: usize = 40;
        let line = self.written(token).lines().next().unwrap_or_default();
        let end = line
            .char_indices()
            .nth(LONGEST)
            .map_or(line.len(), |(at, _)| at);
        line.get(..end).unwrap_or_default()
    }

    /// Reads something one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let token = self.peek();
            let at = place(token.start..token.start);
            let message = format!("it is nested deeper than {MAX_DEPTH} levels");
            return Err(Mistake { at, message });
        }
        self.depth += 1;
        let beside = std::mem::take(&mut self.height);
        let read = read(self);
        self.height = beside.max(self.height + 1);
        self.depth -= 1;
        read
    }

    /// Reads an operand of a row of operators. `height` is the height of the tree of the whole row, which grows by one
    /// level with each operand.
    pub fn operand_of<T>(
        &mut self,
        height: &mut u32,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let beside = std::mem::take(&mut self.height);
        let token = self.peek();
        let read = read(self);
        *height = self.height.max(*height) + 1;
        self.height = beside.max(*height);
        if *height > MAX_HEIGHT {
            let message = "too many operators stand in a row".to_owned();
            return Err(Mistake {
                at: token.at(),
                message,
            });
        }
        read
    }

    /// Whether the next name is `for`, after any number of line ends.
    pub fn sees_for_behind_lines(&mut self) -> bool {
        for at in 0.. {
            let token = match self.ahead.get(at) {
                Some(token) => *token,
                None => {
                    let token = self.scan();
                    self.ahead.push_back(token);
                    token
                }
            };
            if !matches!(token.kind, Kind::Comment | Kind::Newline) {
                return token.kind == Kind::Name && self.written(token) == "for";
            }
        }
        false
    }

    /// Reads something in which ends of lines are insignificant, or significant again.
    pub fn lines<T>(
        &mut self,
        skips: bool,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = std::mem::replace(&mut self.skips_lines, skips);
        let read = read(self);
        self.skips_lines = before;
        read
    }

    /// Returns where the next block or attribute starts, or `None` at the end of the text.
    pub fn next_item(&mut self) -> Option<usize> {
        while self.peek().kind == Kind::Newline {
            self.take();
        }
        let token = self.peek();
        (token.kind != Kind::End).then_some(token.start)
    }

    /// The offset up to which the text was looked at.
    pub fn reached(&self) -> usize {
        self.ahead.back().map_or(self.last_end, |token| token.end)
    }

    /// Reads a block or an attribute, with the end of its line. `names` are those of the body's attributes.
    pub fn item(&mut self, body: &mut Body, names: &mut HashSet<&'t str>) -> Parsed<()> {
        let name = self.want_name("expected the name of an argument or a block")?;
        let next = self.peek();
        if next.is("=") {
            self.attribute(name, body, names)?;
            return self.line_end("an argument");
        }
        match next.kind {
            Kind::OpenQuote | Kind::Name | Kind::Symbol("{") => {
                let block = self.block(name)?;
                self.line_end("a block")?;
                body.blocks.push(block);
                Ok(())
            }
            _ => Err(self.wrong(next, "expected `=` or a block's `{`")),
        }
    }

    fn line_end(&mut self, of: &str) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            Kind::Newline => {
                self.take();
                Ok(())
            }
            Kind::End => Ok(()),
            _ => Err(self.wrong(token, &format!("expected the end of the line after {of}"))),
        }
    }

    fn attribute(
        &mut self,
        name: Token,
        body: &mut Body,
        names: &mut HashSet<&'t str>,
    ) -> Parsed<()> {
        self.take();
        let value = self.expression()?;
        let written = self.written(name);
        if names.insert(written) {
            body.attributes.push((written.into(), name.at(), value));
        } else {
            self.mistakes.push(Mistake {
                at: name.at(),
                message: format!("the argument `{written}` is already set in this block"),
            });
        }
        Ok(())
    }

    fn block(&mut self, name: Token) -> Parsed<Block> {
        let mut labels = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Symbol("{") => break,
                Kind::Name => {
                    self.take();
                    labels.push(self.written(token).into());
                }
                Kind::OpenQuote => labels.push(self.label()?),
                _ => return Err(self.wrong(token, "expected a label or `{`")),
            }
        }
        self.take();
        let body = self.nested(Self::block_body)?;
        Ok(Block {
            name: self.written(name).into(),
            labels,
            body,
            at: place(name.start..self.last_end),
            name_at: name.at(),
        })
    }

    /// Reads the inside of a block and its closing brace.
    fn block_body(&mut self) -> Parsed<Body> {
        let (mut body, mut names) = (Body::default(), HashSet::new());
        match self.peek().kind {
            Kind::Newline | Kind::End | Kind::Symbol("}") => loop {
                let token = self.peek();
                match token.kind {
                    Kind::Newline => {
                        self.take();
                    }
                    Kind::Symbol("}") => {
                        self.take();
                        return Ok(body);
                    }
                    _ => self.item(&mut body, &mut names)?,
                }
            },
            // `name { argument = value }`
            _ => {
                let name = self.want_name("expected the name of an argument")?;
                let next = self.peek();
                if !next.is("=") {
                    let message = "expected `=` (a block on one line holds one argument)";
                    return Err(self.wrong(next, message));
                }
                self.attribute(name, &mut body, &mut names)?;
                self.want("}", "expected `}` (a block on one line holds one argument)")?;
                Ok(body)
            }
        }
    }

    /// Reads a quoted label without interpolations.
    fn label(&mut self) -> Parsed<Box<str>> {
        self.take();
        let mut label = String::new();
        loop {
            let token = self.take();
            match token.kind {
                Kind::CloseQuote => return Ok(label.into()),
                Kind::Quoted => label.push_str(&self.unescaped(token)?),
                _ => return Err(self.wrong(token, "a label must be a plain string")),
            }
        }
    }

    /// Records a heredoc whose end was just taken.
    pub fn ends_heredoc(&mut self, open: Token, parts: &[Part]) {
        let is_directive = |part: &Part| matches!(part, Part::If(_) | Part::For(_));
        let end = self.last_end;
        let before = self.text.get(open.end..end).unwrap_or_default();
        let last_line = before.rfind('\n').map_or(0, |at| at + 1);
        self.heredocs.push(Heredoc {
            whole: open.start..end,
            lines: open.end..open.end + last_line,
            has_directives: parts.iter().any(is_directive),
        });
    }
}
