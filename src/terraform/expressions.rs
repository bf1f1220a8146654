//! Parses HCL expressions from tokens.

use super::parser::{Mistake, Parsed, Parser};
use super::syntax::{Call, Expression, ExpressionKind, For, Operator, Step, Template, place};
use super::tokens::{Kind, Token};

/// Returns a binary operator and its precedence.
fn operator(token: Token) -> Option<(u8, Operator)> {
    let Kind::Symbol(symbol) = token.kind else {
        return None;
    };
    Some(match symbol {
        "||" => (1, Operator::Or),
        "&&" => (2, Operator::And),
        "==" => (3, Operator::Equal),
        "!=" => (3, Operator::Unequal),
        ">" => (4, Operator::Greater),
        ">=" => (4, Operator::GreaterOrEqual),
        "<" => (4, Operator::Less),
        "<=" => (4, Operator::LessOrEqual),
        "+" => (5, Operator::Plus),
        "-" => (5, Operator::Minus),
        "*" => (6, Operator::Times),
        "/" => (6, Operator::Divided),
        "%" => (6, Operator::Modulo),
        _ => return None,
    })
}

/// Whether a text is a number of which an `f64` keeps every digit, or no number at all.
pub(super) fn is_kept(text: &str) -> bool {
    text.parse::<f64>().map_or(true, |number| {
        digits(text) == digits(&format!("{number:e}"))
    })
}

/// Returns the digits of a number without leading and trailing zeros, and the power of ten to multiply them by.
fn digits(written: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, part].concat();
    let significant = all.trim_start_matches('0');
    let kept = significant.trim_end_matches('0');
    if kept.is_empty() {
        return Some(("0".to_owned(), 0));
    }
    let exponent: i64 = exponent.parse().ok()?;
    let exponent = exponent.checked_sub(i64::try_from(part.len()).ok()?)?;
    let zeros = i64::try_from(significant.len() - kept.len()).ok()?;
    Some((kept.to_owned(), exponent.checked_add(zeros)?))
}

/// Reads a number. If it has too many digits for an `f64`, it becomes the text that it has in every label, or is unknown
/// if it has too many digits to write out.
fn number_of(number: f64, written: &str) -> ExpressionKind {
    const LONGEST: usize = 60;
    let digits = match digits(written) {
        found @ Some(_) if number.is_finite() && found == self::digits(&format!("{number:e}")) => {
            return ExpressionKind::Number(number);
        }
        Some(digits) => digits,
        None => return ExpressionKind::LongNumber(written.into()),
    };
    let (digits, exponent) = digits;
    let length = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    if length.saturating_add(digits.len()) > LONGEST {
        return ExpressionKind::LongNumber(written.into());
    }
    let text = match exponent >= 0 {
        true => digits + &"0".repeat(length),
        false => {
            // There must be a zero before the decimal point, too.
            let padded = format!("{digits:0>width$}", width = length + 1);
            let (whole, part) = padded.split_at(padded.len() - length);
            format!("{whole}.{part}")
        }
    };
    ExpressionKind::Text(text.into())
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<Expression> {
        self.nested(Self::conditional)
    }

    fn spanned(&self, start: usize, kind: ExpressionKind) -> Expression {
        let at = place(start..self.last_end);
        Expression { kind, at }
    }

    fn conditional(&mut self) -> Parsed<Expression> {
        let start = self.peek().start;
        let condition = self.operation(1)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.want(":", "expected `:` and the alternative after `?`")?;
        let no = self.expression()?;
        let parts = Box::new([condition, yes, no]);
        Ok(self.spanned(start, ExpressionKind::Conditional(parts)))
    }

    /// Reads operands and operators of at least this precedence. Equal precedence is left-associative.
    fn operation(&mut self, least: u8) -> Parsed<Expression> {
        let start = self.peek().start;
        let mut height = 0;
        let mut left = self.operand_of(&mut height, Self::operand)?;
        loop {
            let token = self.peek();
            let Some((strength, operator)) = operator(token).filter(|(own, _)| *own >= least)
            else {
                return Ok(left);
            };
            self.take();
            let right = self.operand_of(&mut height, |parser| parser.operation(strength + 1))?;
            let parts = Box::new((left, operator, right));
            left = self.spanned(start, ExpressionKind::Binary(parts));
        }
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = self.peek().start;
        let term = self.term()?;
        self.steps(start, term)
    }

    fn term(&mut self) -> Parsed<Expression> {
        let token = self.peek();
        match token.kind {
            Kind::Symbol("(") => {
                self.take();
                self.lines(true, |parser| {
                    let inner = parser.expression()?;
                    parser.want(")", "expected `)`")?;
                    Ok(inner)
                })
            }
            Kind::Symbol(sign @ ("-" | "!")) => {
                self.take();
                let inner = Box::new(self.nested(Self::operand)?);
                let kind = match sign {
                    "-" => ExpressionKind::Negative(inner),
                    _ => ExpressionKind::Not(inner),
                };
                Ok(self.spanned(token.start, kind))
            }
            Kind::Symbol("[") => self.list(),
            Kind::Symbol("{") => self.object(),
            Kind::Number => {
                self.take();
                let kind = self.number(token)?;
                Ok(self.spanned(token.start, kind))
            }
            Kind::Name => self.name_or_call(),
            Kind::OpenQuote => {
                self.take();
                let kind = self.quoted_template()?;
                Ok(self.spanned(token.start, kind))
            }
            Kind::OpenHeredoc => {
                self.take();
                let is_flush = self.written(token).starts_with("<<-");
                let parts = self.template_parts(Kind::CloseHeredoc, is_flush)?;
                self.ends_heredoc(token, &parts);
                let has_lines = true;
                let template = Box::new(Template { parts, has_lines });
                Ok(self.spanned(token.start, ExpressionKind::Template(template)))
            }
            _ => Err(self.wrong(token, "expected a value")),
        }
    }

    fn number(&self, token: Token) -> Parsed<ExpressionKind> {
        let written = self.written(token);
        let number: f64 = written.parse().map_err(|_| Mistake {
            at: token.at(),
            message: format!("`{written}` is not a number"),
        })?;
        Ok(number_of(number, written))
    }

    fn name_or_call(&mut self) -> Parsed<Expression> {
        let token = self.take();
        let written = self.written(token);
        let next = self.peek();
        let kind = match written {
            _ if next.is("(") || next.is("::") => return self.call(token),
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            "null" => ExpressionKind::Null,
            name => ExpressionKind::Name(name.into()),
        };
        Ok(Expression {
            kind,
            at: token.at(),
        })
    }

    fn call(&mut self, first: Token) -> Parsed<Expression> {
        let mut name: Box<str> = self.written(first).into();
        while self.takes("::") {
            let own = self.want_name("expected the name of a function after `::`")?;
            // A provider's own function. None is supported here.
            name = format!("::{}", self.written(own)).into();
        }
        self.want("(", "expected `(` after the name of a function")?;
        let (arguments, spread) = self.lines(true, Self::arguments)?;
        let call = Box::new(Call {
            name,
            arguments,
            spread,
        });
        Ok(self.spanned(first.start, ExpressionKind::Call(call)))
    }

    /// Reads arguments up to the closing parenthesis, and whether the last one is spread.
    fn arguments(&mut self) -> Parsed<(Vec<Expression>, bool)> {
        let mut arguments = Vec::new();
        loop {
            if self.takes(")") {
                return Ok((arguments, false));
            }
            arguments.push(self.expression()?);
            if self.takes("...") {
                self.want(")", "expected `)` after `...`")?;
                return Ok((arguments, true));
            }
            if !self.peek().is(")") {
                self.want(",", "expected `,` or `)` after an argument")?;
            }
        }
    }

    fn list(&mut self) -> Parsed<Expression> {
        let open = self.take();
        self.lines(true, |parser| {
            if parser.sees_word("for") {
                return parser.for_expression(open, false);
            }
            let mut items = Vec::new();
            while !parser.takes("]") {
                items.push(parser.expression()?);
                if !parser.peek().is("]") {
                    parser.want(",", "expected `,` or `]` after an item")?;
                }
            }
            Ok(parser.spanned(open.start, ExpressionKind::List(items)))
        })
    }

    fn object(&mut self) -> Parsed<Expression> {
        let open = self.take();
        let is_for = self.sees_for_behind_lines();
        if is_for {
            return self.lines(true, |parser| parser.for_expression(open, true));
        }
        self.lines(false, |parser| {
            let mut fields = Vec::new();
            loop {
                if parser.peek().kind == Kind::Newline {
                    parser.take();
                    continue;
                }
                if parser.takes("}") {
                    return Ok(parser.spanned(open.start, ExpressionKind::Object(fields)));
                }
                let key = parser.key()?;
                if !parser.takes(":") {
                    parser.want("=", "expected `=` or `:` after a key")?;
                }
                let value = parser.expression()?;
                fields.push((key, value));
                let next = parser.peek();
                if next.kind != Kind::Newline && !next.is("}") {
                    parser.want(
                        ",",
                        "expected `,`, `}` or the end of the line after a value",
                    )?;
                }
            }
        })
    }

    /// Reads a key. A single word is a text.
    fn key(&mut self) -> Parsed<Expression> {
        let first = self.peek();
        let key = self.expression()?;
        let is_word = first.kind == Kind::Name && key.at == first.at();
        Ok(match is_word {
            true => Expression {
                kind: ExpressionKind::Text(self.written(first).into()),
                at: key.at,
            },
            false => key,
        })
    }

    /// Reads a `for` expression up to its closing bracket. The opening one is already taken.
    fn for_expression(&mut self, open: Token, makes_object: bool) -> Parsed<Expression> {
        self.take();
        let (key_name, value_name) = self.for_names()?;
        let over = self.expression()?;
        self.want(":", "expected `:` after the collection of `for`")?;
        let mut value = self.expression()?;
        let mut key = None;
        let arrow = self.peek();
        if arrow.is("=>") {
            self.take();
            key = Some(std::mem::replace(&mut value, self.expression()?));
        }
        let dots = self.peek();
        let grouped = self.takes("...");
        let when = match self.sees_word("if") {
            true => {
                self.take();
                Some(self.expression()?)
            }
            false => None,
        };
        let close = self.peek();
        match makes_object {
            true => self.want("}", "expected `}` at the end of `for`")?,
            false => self.want("]", "expected `]` at the end of `for`")?,
        };
        match (makes_object, &key) {
            (true, None) => {
                return Err(self.wrong(close, "expected a key and `=>` in `{for …}`"));
            }
            (false, Some(_)) => return Err(self.wrong(arrow, "`=>` is not allowed in `[for …]`")),
            (false, None) if grouped => {
                return Err(self.wrong(dots, "`...` is not allowed in `[for …]`"));
            }
            _ => {}
        }
        let one = For {
            key_name,
            value_name,
            over,
            key,
            value,
            grouped,
            when,
        };
        Ok(self.spanned(open.start, ExpressionKind::For(Box::new(one))))
    }

    /// Reads the names after `for`, and `in`.
    pub fn for_names(&mut self) -> Parsed<(Option<Box<str>>, Box<str>)> {
        let first = self.want_name("expected a name after `for`")?;
        let mut names = (None, self.written(first).into());
        if self.takes(",") {
            let second = self.want_name("expected a second name after `,`")?;
            names = (Some(names.1), self.written(second).into());
        }
        if !self.sees_word("in") {
            let token = self.peek();
            return Err(self.wrong(token, "expected `in` after the names of `for`"));
        }
        self.take();
        Ok(names)
    }

    /// Reads what follows a term: `.name`, `.0`, `.*`, `[index]`, `[*]`.
    fn steps(&mut self, start: usize, term: Expression) -> Parsed<Expression> {
        let mut steps = Vec::new();
        loop {
            if self.takes(".") {
                let step = match self.takes("*") {
                    true => {
                        let mut of_each = Vec::new();
                        while self.takes(".") {
                            of_each.push(self.name_or_index()?);
                        }
                        Step::OfEach(of_each)
                    }
                    false => self.name_or_index()?,
                };
                steps.push(step);
            } else if self.takes("[") {
                let step = match self.takes("*") {
                    true => {
                        self.want("]", "expected `]` after `[*`")?;
                        Step::Each
                    }
                    false => self.lines(true, |parser| {
                        let index = parser.expression()?;
                        parser.want("]", "expected `]` after an index")?;
                        Ok(Step::Index(Box::new(index)))
                    })?,
                };
                steps.push(step);
            } else if steps.is_empty() {
                return Ok(term);
            } else {
                return Ok(self.spanned(start, ExpressionKind::Access(Box::new(term), steps)));
            }
        }
    }

    /// Reads a name or an index after a dot.
    fn name_or_index(&mut self) -> Parsed<Step> {
        let token = self.take();
        let written = self.written(token);
        match token.kind {
            Kind::Name => Ok(Step::Name(written.into())),
            // `.0` is the legacy form of `[0]`.
            Kind::Number if !written.contains('.') => Ok(Step::Index(Box::new(Expression {
                kind: self.number(token)?,
                at: token.at(),
            }))),
            Kind::Number => Err(self.wrong(
                token,
                "write consecutive indexes in brackets, as in `[0][1]`",
            )),
            _ => Err(self.wrong(token, "expected a name after `.`")),
        }
    }
}
