//! HCL text in, tree out. With `templates` beside it the only module that names the parser of HCL.

use std::ops::Range;

use hcl_edit::Span as _;
use hcl_edit::expr::{
    BinaryOperator, Expression as Parsed, ObjectKey, TraversalOperator, UnaryOperator,
};
use hcl_edit::structure::{Block as ParsedBlock, Body as ParsedBody, Structure};
use hcl_edit::template::Template as ParsedTemplate;

use super::syntax::{
    Block, Body, Call, Expression, ExpressionKind, File, For, Operator, Part, Step, Template, place,
};
use super::{SyntaxError, terragrunt};

/// What stands before the type of what is looked up.
pub(super) const DATA: &str = "data.";

/// Reads a `.tf` file into `file`.
pub(super) fn read(
    text: &str,
    file: &mut File,
    errors: &mut Vec<SyntaxError>,
    wanted: &dyn Fn(&str) -> bool,
) {
    for (body, shift) in bodies(text, file, errors) {
        let reader = Reader { text, shift };
        for structure in &body {
            if let Structure::Block(block) = structure {
                // Most of a configuration is resources that nobody asks for.
                let first = block.labels.first().map(|label| label.as_str());
                let looked_up = || first.map(|of_type| format!("{DATA}{of_type}"));
                let skipped = match block.ident.as_str() {
                    "resource" => !first.is_some_and(wanted),
                    "data" => !looked_up().is_some_and(|of_type| wanted(&of_type)),
                    "moved" | "import" | "removed" | "check" => true,
                    _ => false,
                };
                if !skipped {
                    file.take(reader.block(block), wanted);
                }
            }
        }
    }
}

/// Reads a file of Terragrunt's into `file`.
pub(super) fn read_terragrunt(
    path: &str,
    text: &str,
    file: &mut File,
    errors: &mut Vec<SyntaxError>,
) {
    let (mut inputs, mut terraform, mut includes) = (None, None, Vec::new());
    for (body, shift) in bodies(text, file, errors) {
        let reader = Reader { text, shift };
        for structure in &body {
            match structure {
                Structure::Block(block) if block.ident.as_str() == "locals" => {
                    file.take(reader.block(block), &|_| false);
                }
                Structure::Block(block) if block.ident.as_str() == "terraform" => {
                    terraform = Some(reader.block(block));
                }
                Structure::Block(block) if block.ident.as_str() == "include" => {
                    includes.extend(terragrunt::include(&reader.block(block)));
                }
                Structure::Attribute(attribute) if attribute.key.as_str() == "inputs" => {
                    let at = reader.place(attribute.key.span());
                    inputs = Some((at, reader.expression(&attribute.value)));
                }
                _ => {}
            }
        }
    }
    file.modules
        .extend(terragrunt::call(path, inputs, terraform.as_ref(), includes));
}

/// Reads a `.tfvars` file into `file`.
pub(super) fn read_values(text: &str, file: &mut File, errors: &mut Vec<SyntaxError>) {
    for (body, shift) in bodies(text, file, errors) {
        let reader = Reader { text, shift };
        for attribute in body.attributes() {
            let value = reader.expression(&attribute.value);
            file.values.push((attribute.key.as_str().into(), value));
        }
    }
}

/// Whether two `.tf` texts differ in blanks and comments only. A text that cannot be read is like no other.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (one.parse::<ParsedBody>(), other.parse::<ParsedBody>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A text inside quotes, as JSON configuration has it: what `${` starts is filled in.
pub(super) fn read_template(text: &str, at: (u32, u32)) -> ExpressionKind {
    match text.parse::<ParsedTemplate>() {
        Ok(parsed) => {
            let reader = Reader { text: "", shift: 0 };
            let mut kind = reader.quoted_template(parsed.iter());
            // Places inside such a text are those of the whole: escapes keep them from being told better.
            if let ExpressionKind::Template(template) = &mut kind {
                for part in &mut template.parts {
                    match part {
                        Part::Value(value, whole) => (value.at, *whole) = (at, at),
                        // Expressions in it would be shown at places of another text.
                        Part::If(_) | Part::For(_) => *part = Part::Unread,
                        Part::Text(_) | Part::Unread => {}
                    }
                }
            }
            kind
        }
        Err(_) => ExpressionKind::Template(Box::new(Template {
            parts: vec![Part::Unread],
            has_lines: false,
        })),
    }
}

/// A file that is a template itself; nothing when it is none.
pub(super) fn read_template_file(text: &str) -> Option<Template> {
    let parsed = text.parse::<ParsedTemplate>().ok()?;
    let reader = Reader { text, shift: 0 };
    match reader.lines_of_template(parsed.iter(), false) {
        ExpressionKind::Template(template) => Some(*template),
        _ => None,
    }
}

/// The file as a whole, or, where it is broken, as many of its top-level blocks as can be read.
fn bodies(text: &str, file: &mut File, errors: &mut Vec<SyntaxError>) -> Vec<(ParsedBody, usize)> {
    let error = match text.parse::<ParsedBody>() {
        Ok(body) => return vec![(body, 0)],
        Err(error) => error,
    };
    file.broken = true;
    // The parser counts bytes and may stop inside a character.
    let mut at = error.location().offset().min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    errors.push(SyntaxError {
        at: place(at..at),
        message: error.message().to_owned(),
    });
    chunks(text)
        .into_iter()
        .filter_map(|chunk| {
            let body = text.get(chunk.clone())?.parse::<ParsedBody>().ok()?;
            Some((body, chunk.start))
        })
        .collect()
}

/// Ranges that each begin with a word in the first column: top-level blocks, as they are usually laid out.
fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(|first: char| first.is_ascii_alphabetic()) {
            starts.push(offset);
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(a, b)| a..b)
        .collect()
}

/// Reads what was parsed of a file.
pub(super) struct Reader<'t> {
    /// The file's text.
    pub text: &'t str,
    /// Where the parsed part starts in the file.
    pub shift: usize,
}

impl Reader<'_> {
    pub(super) fn place(&self, range: Option<Range<usize>>) -> (u32, u32) {
        let range = range.unwrap_or(0..0);
        place(range.start + self.shift..range.end + self.shift)
    }

    fn block(&self, block: &ParsedBlock) -> Block {
        Block {
            name: block.ident.as_str().into(),
            labels: block
                .labels
                .iter()
                .map(|label| label.as_str().into())
                .collect(),
            body: self.body(&block.body),
            at: self.place(block.span()),
            name_at: self.place(block.ident.span()),
        }
    }

    fn body(&self, parsed: &ParsedBody) -> Body {
        let mut body = Body::default();
        for structure in parsed {
            match structure {
                Structure::Attribute(attribute) => body.attributes.push((
                    attribute.key.as_str().into(),
                    self.place(attribute.key.span()),
                    self.expression(&attribute.value),
                )),
                Structure::Block(block) => body.blocks.push(self.block(block)),
            }
        }
        body
    }

    // Recursion is as deep as the parser's, which bounds it.
    pub(super) fn expression(&self, parsed: &Parsed) -> Expression {
        let boxed = |parsed: &Parsed| Box::new(self.expression(parsed));
        let kind = match parsed {
            Parsed::Null(_) => ExpressionKind::Null,
            Parsed::Bool(value) => ExpressionKind::Bool(*value.value()),
            Parsed::Number(number) => {
                ExpressionKind::Number(number.value().as_f64().unwrap_or(f64::NAN))
            }
            Parsed::String(text) => ExpressionKind::Text(text.as_str().into()),
            Parsed::Array(array) => {
                ExpressionKind::List(array.iter().map(|item| self.expression(item)).collect())
            }
            Parsed::Object(object) => ExpressionKind::Object(
                object
                    .iter()
                    .map(|(key, value)| (self.key(key), self.expression(value.expr())))
                    .collect(),
            ),
            Parsed::StringTemplate(template) => self.quoted_template(template.iter()),
            Parsed::HeredocTemplate(heredoc) => {
                let start = self.place(parsed.span()).0 as usize;
                let written = self.text.get(start..);
                let is_indented = written.is_some_and(|text| text.starts_with("<<-"));
                self.lines_of_template(heredoc.template.iter(), is_indented)
            }
            Parsed::Parenthesis(inner) => return self.expression(inner.inner()),
            Parsed::Variable(name) => ExpressionKind::Name(name.as_str().into()),
            Parsed::Conditional(conditional) => ExpressionKind::Conditional(Box::new([
                self.expression(&conditional.cond_expr),
                self.expression(&conditional.true_expr),
                self.expression(&conditional.false_expr),
            ])),
            Parsed::FuncCall(call) => ExpressionKind::Call(Box::new(Call {
                name: if call.name.is_namespaced() {
                    // A provider's own function; no such function is known here.
                    format!("::{}", call.name.name.as_str()).into()
                } else {
                    call.name.name.as_str().into()
                },
                arguments: call.args.iter().map(|one| self.expression(one)).collect(),
                spread: call.args.expand_final(),
            })),
            Parsed::Traversal(traversal) => {
                let steps = traversal
                    .operators
                    .iter()
                    .map(|operator| match operator.value() {
                        TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => {
                            Step::Each
                        }
                        TraversalOperator::GetAttr(name) => Step::Name(name.as_str().into()),
                        TraversalOperator::Index(index) => Step::Index(boxed(index)),
                        TraversalOperator::LegacyIndex(index) => {
                            #[allow(clippy::cast_precision_loss, reason = "an index is small")]
                            let number = *index.value() as f64;
                            Step::Index(Box::new(Expression {
                                kind: ExpressionKind::Number(number),
                                at: self.place(index.span()),
                            }))
                        }
                    })
                    .collect();
                ExpressionKind::Access(boxed(&traversal.expr), steps)
            }
            Parsed::UnaryOp(operation) => match operation.operator.value() {
                UnaryOperator::Neg => ExpressionKind::Negative(boxed(&operation.expr)),
                UnaryOperator::Not => ExpressionKind::Not(boxed(&operation.expr)),
            },
            Parsed::BinaryOp(operation) => ExpressionKind::Binary(Box::new((
                self.expression(&operation.lhs_expr),
                operator(*operation.operator.value()),
                self.expression(&operation.rhs_expr),
            ))),
            Parsed::ForExpr(one) => ExpressionKind::For(Box::new(For {
                key_name: one.intro.key_var.as_ref().map(|name| name.as_str().into()),
                value_name: one.intro.value_var.as_str().into(),
                over: self.expression(&one.intro.collection_expr),
                key: one.key_expr.as_ref().map(|key| self.expression(key)),
                value: self.expression(&one.value_expr),
                grouped: one.grouping,
                when: one.cond.as_ref().map(|when| self.expression(&when.expr)),
            })),
        };
        Expression {
            kind,
            at: self.place(parsed.span()),
        }
    }

    fn key(&self, key: &ObjectKey) -> Expression {
        match key {
            ObjectKey::Ident(name) => Expression {
                kind: ExpressionKind::Text(name.as_str().into()),
                at: self.place(name.span()),
            },
            ObjectKey::Expression(expression) => self.expression(expression),
        }
    }
}

fn operator(operator: BinaryOperator) -> Operator {
    match operator {
        BinaryOperator::Eq => Operator::Equal,
        BinaryOperator::NotEq => Operator::Unequal,
        BinaryOperator::Less => Operator::Less,
        BinaryOperator::LessEq => Operator::LessOrEqual,
        BinaryOperator::Greater => Operator::Greater,
        BinaryOperator::GreaterEq => Operator::GreaterOrEqual,
        BinaryOperator::Plus => Operator::Plus,
        BinaryOperator::Minus => Operator::Minus,
        BinaryOperator::Mul => Operator::Times,
        BinaryOperator::Div => Operator::Divided,
        BinaryOperator::Mod => Operator::Modulo,
        BinaryOperator::And => Operator::And,
        BinaryOperator::Or => Operator::Or,
    }
}
