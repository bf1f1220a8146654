//! Terraform's configuration language as a tree with places: expressions, blocks, and the declarations of one file.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::source::{SourceId, Span};

/// An expression and its place in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// First byte and one past the last.
    pub at: (u32, u32),
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A number with too many digits to write out.
    LongNumber(Box<str>),
    /// A text without interpolations.
    Text(Box<str>),
    /// A text with interpolations.
    Template(Box<Template>),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{a = b}`
    Object(Vec<(Expression, Expression)>),
    /// `name` at the start of a reference.
    Name(Box<str>),
    /// `a.b`, `a[b]`, `a[*].b`
    Access(Box<Expression>, Vec<Step>),
    /// `a ? b : c`
    Conditional(Box<[Expression; 3]>),
    /// `f(a, b...)`
    Call(Box<Call>),
    /// `[for ...]`, `{for ...}`
    For(Box<For>),
    /// `!a`
    Not(Box<Expression>),
    /// `-a`
    Negative(Box<Expression>),
    /// `a == b` and the like.
    Binary(Box<(Expression, Operator, Expression)>),
}

/// A text with interpolations.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The parts, with the indentation already removed.
    pub parts: Vec<Part>,
    /// Whether it is a heredoc or a file, whose lines can be pointed at, and not a quoted text.
    pub has_lines: bool,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Literal text.
    Text(Literal),
    /// `${...}`, with the place of the whole sequence.
    Value(Expression, (u32, u32)),
    /// `%{ if ... }`
    If(Box<If>),
    /// `%{ for ... }`
    For(Box<Repeat>),
    /// A part that could not be read.
    Unread,
}

/// A literal text of a template and its place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Literal {
    /// The text.
    pub text: String,
    /// Offsets in the text and in the file from which on both are the same. Empty if the text is not written as it
    /// reads.
    pub runs: Vec<(usize, u32)>,
    /// Its place in the file.
    pub at: (u32, u32),
}

/// `%{ if ... }`, with its content up to `%{ else }` and `%{ endif }`.
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// The condition.
    pub condition: Expression,
    /// The content if the condition is true.
    pub yes: Vec<Part>,
    /// The content if the condition is false.
    pub no: Vec<Part>,
}

/// `%{ for ... }`, with its content up to `%{ endfor }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// Name for the key or index.
    pub key_name: Option<Box<str>>,
    /// Name for the item.
    pub value_name: Box<str>,
    /// The collection to iterate over.
    pub over: Expression,
    /// The content for each item.
    pub body: Vec<Part>,
}

/// One step of a reference.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `.name`
    Name(Box<str>),
    /// `[index]`
    Index(Box<Expression>),
    /// `[*]`: the rest applies to each item.
    Each,
    /// `.*` with the names and indices after it. These apply to each item, the rest applies to the resulting list.
    OfEach(Vec<Step>),
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its name.
    pub name: Box<str>,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// Whether the last argument is a list of arguments (`...`).
    pub spread: bool,
}

/// A `for` expression.
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// Name for the key or index.
    pub key_name: Option<Box<str>>,
    /// Name for the item.
    pub value_name: Box<str>,
    /// The collection to iterate over.
    pub over: Expression,
    /// The key of a map entry, or `None` if the result is a list.
    pub key: Option<Expression>,
    /// The entry.
    pub value: Expression,
    /// Whether entries with the same key are grouped (`...`).
    pub grouped: bool,
    /// The filter for entries.
    pub when: Option<Expression>,
}

/// An operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divided,
    /// `%`
    Modulo,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// The inside of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// `name = value`, with the place of the name.
    pub attributes: Vec<(Box<str>, (u32, u32), Expression)>,
    /// Blocks in it.
    pub blocks: Vec<Block>,
    /// The source of further attributes.
    pub given: Option<Box<Given>>,
}

/// Attributes from a value. Terragrunt's inputs, for example, are the arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The value: an object.
    pub inputs: Expression,
    /// Files whose inputs are merged into it.
    pub includes: Vec<Include>,
    /// The source of the module, if it is not a plain text.
    pub source: Option<Expression>,
}

/// A Terragrunt file that another file includes.
#[derive(Debug, Clone, PartialEq)]
pub struct Include {
    /// Its name, if it has one.
    pub name: Option<Box<str>>,
    /// The path of the file.
    pub path: Option<Expression>,
    /// Whether values with the same name are merged, too. Otherwise the including file wins.
    pub is_deep: bool,
    /// The place of the block.
    pub at: (u32, u32),
}

/// A block, such as `taint { ... }` or `dynamic "taint" { ... }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The first word.
    pub name: Box<str>,
    /// The labels between the first word and the brace.
    pub labels: Vec<Box<str>>,
    /// The inside.
    pub body: Body,
    /// The place of the whole block.
    pub at: (u32, u32),
    /// The place of the first word.
    pub name_at: (u32, u32),
}

impl Body {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Expression> {
        self.attributes
            .iter()
            .find(|(known, ..)| &**known == name)
            .map(|(_, _, value)| value)
    }
}

/// The declarations of one file.
#[derive(Debug, Clone, Default)]
pub struct File {
    /// The source of the file.
    pub source: Option<SourceId>,
    /// `variable` blocks: default and type.
    pub variables: BTreeMap<Box<str>, Variable>,
    /// Names in `locals` blocks.
    pub locals: BTreeMap<Box<str>, Expression>,
    /// `output` blocks.
    pub outputs: BTreeMap<Box<str>, Expression>,
    /// `resource` blocks of the wanted types.
    pub resources: Vec<Block>,
    /// `module` blocks.
    pub modules: Vec<Block>,
    /// Assignments in a variables file.
    pub values: Vec<(Box<str>, Expression)>,
    /// Whether it configures a backend for the state, which only the root module does.
    pub has_backend: bool,
    /// Whether a part of it could not be read.
    pub broken: bool,
    /// Byte offsets at which lines start.
    pub lines: Vec<u32>,
}

/// A `variable` block.
#[derive(Debug, Clone, Default)]
pub struct Variable {
    /// Its default.
    pub default: Option<Expression>,
    /// Its type constraint.
    pub of_type: Option<Expression>,
}

impl File {
    /// Returns the 1-based line of a byte offset.
    pub fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    /// Returns a span in this file.
    pub fn span(&self, at: (u32, u32)) -> Span {
        Span::new(
            self.source.unwrap_or(SourceId(u32::MAX)),
            at.0 as usize..at.1 as usize,
        )
    }

    /// Adds a top-level block. Adds resources only if their type is `wanted`.
    pub fn take(&mut self, mut block: Block, wanted: &dyn Fn(&str) -> bool) {
        let label = |at: usize| block.labels.get(at).cloned().unwrap_or_default();
        match &*block.name {
            "variable" => {
                let name = label(0);
                let mut take = |wanted: &str| {
                    let at = block
                        .body
                        .attributes
                        .iter()
                        .position(|(name, ..)| &**name == wanted)?;
                    Some(block.body.attributes.swap_remove(at).2)
                };
                let variable = Variable {
                    default: take("default"),
                    of_type: take("type"),
                };
                self.variables.insert(name, variable);
            }
            "locals" => {
                for (name, _, value) in block.body.attributes {
                    self.locals.insert(name, value);
                }
            }
            "output" => {
                let name = label(0);
                let attributes = &mut block.body.attributes;
                if let Some(at) = attributes.iter().position(|(name, ..)| &**name == "value") {
                    self.outputs.insert(name, attributes.swap_remove(at).2);
                }
            }
            "module" => self.modules.push(block),
            "resource" if wanted(&label(0)) => self.resources.push(block),
            // Data sources are stored under their Terraform address.
            "data" => {
                let of_type = format!("data.{}", label(0));
                if let Some(first) = block.labels.first_mut().filter(|_| wanted(&of_type)) {
                    *first = of_type.into();
                    self.resources.push(block);
                }
            }
            "terraform" => {
                self.has_backend |= block
                    .body
                    .blocks
                    .iter()
                    .any(|inner| ["backend", "cloud"].contains(&&*inner.name));
            }
            _ => {}
        }
    }
}

/// Byte offsets at which lines start.
pub fn line_starts(text: &str) -> Vec<u32> {
    std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| place(0..at + 1).1))
        .collect()
}

/// A range in a file, in the form that the tree stores.
pub fn place(range: Range<usize>) -> (u32, u32) {
    let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    (clamp(range.start), clamp(range.end))
}
