//! Go templates: writes a variant of a parsed template. What an action prints is unknown, unless it is a text in the
//! template itself or another template of the same chart.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gotmpl::TemplateError;
use gotmpl::parse::{
    BranchNode, CommandNode, DefineNode, Expr, ListNode, Node, Number, Parser, PipeNode,
};

use super::branches::Condition;
use super::go_blocks::check_blocks;
use super::go_conditions::truth;
use super::go_prints::Prints;
use super::go_values::{Value, call, print};
use super::writer::{Block, Writer, number};
use super::{Broken, Printed, Wishes};
use crate::source::SourceId;
use crate::source::text::Cut as _;

/// The blanks that `{{-` and `-}}` remove.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// How deeply templates may include each other.
const MAX_CALLS: usize = 24;

/// The syntax tree of a file.
pub struct Tree {
    text: Arc<str>,
    body: ListNode,
    defines: Vec<DefineNode>,
}

impl Tree {
    /// Parses a file.
    ///
    /// # Errors
    /// Returns where it is broken.
    pub fn parse(text: &str) -> Result<Tree, Broken> {
        check_blocks(text)?;
        let broken = |error: TemplateError| broken(text, &error);
        let parser = Parser::new(text, "{{", "}}").map_err(broken)?;
        let (body, defines) = parser.parse().map_err(broken)?;
        Ok(Tree {
            text: text.into(),
            body,
            defines,
        })
    }

    /// See [`Template::misprinted`](super::Template::misprinted).
    pub fn misprinted(&self, keys: &[&str]) -> Vec<Printed> {
        let mut prints = Prints {
            text: &self.text,
            keys,
            found: Vec::new(),
        };
        prints.read_body(&self.body);
        for define in &self.defines {
            prints.read_define(&define.body);
        }
        prints.found
    }

    /// Writes a variant of the file.
    pub fn write(&self, source: SourceId, wishes: Wishes<'_>, writer: &mut Writer<'_>) {
        let library = Library::of([(source, self)]);
        let scope = Scope {
            tree: self,
            library: &library,
            wishes,
            dot: 0,
            depth: 0,
        };
        scope.list(&self.body, writer);
    }
}

/// Named templates that files define. The last definition of a name counts.
#[derive(Default)]
pub struct Library<'t>(HashMap<&'t str, (SourceId, &'t Tree, &'t ListNode)>);

impl<'t> Library<'t> {
    /// The definitions in some files.
    pub fn of(files: impl IntoIterator<Item = (SourceId, &'t Tree)>) -> Self {
        let mut library = Library::default();
        for (source, tree) in files {
            for define in &tree.defines {
                let name = define.name.as_str();
                library.0.insert(name, (source, tree, &define.body));
            }
        }
        library
    }
}

/// Translates an error of the parser.
fn broken(text: &str, error: &TemplateError) -> Broken {
    let (line, column, message) = match error {
        TemplateError::Parse {
            line, col, message, ..
        }
        | TemplateError::Lex {
            line, col, message, ..
        } => (*line, *col, message.clone()),
        other => (1, 1, other.to_string()),
    };
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let before = text.since(start).chars().take(column.saturating_sub(1));
    Broken {
        at: start + before.map(char::len_utf8).sum::<usize>(),
        message,
    }
}

/// What a part of a template is written in.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// The file of the part.
    tree: &'s Tree,
    library: &'s Library<'s>,
    wishes: Wishes<'s>,
    /// A number for what `.` is.
    dot: u64,
    /// The number of templates that include this one.
    depth: usize,
}

impl Scope<'_> {
    fn list(self, list: &ListNode, writer: &mut Writer<'_>) {
        for node in &list.nodes {
            if !writer.may_write() {
                return;
            }
            match node {
                Node::List(list) => self.list(list, writer),
                Node::Text(text) => {
                    let rest = self.tree.text.since(text.pos.offset);
                    // The parser gives the place before it removes blanks.
                    let skipped = match rest.starts_with(&*text.text) {
                        true => 0,
                        false => rest.len() - rest.trim_start_matches(BLANKS).len(),
                    };
                    if rest.since(skipped).starts_with(&*text.text) {
                        writer.text(&text.text, text.pos.offset + skipped);
                    }
                }
                Node::Action(action) => {
                    let at = self.action(action.pos.offset);
                    let value = self.pipe(&action.pipe, &at, writer);
                    if action.pipe.decl.is_empty() {
                        self.begin_line(&value, &at, writer);
                        print(value, at, writer);
                    }
                }
                Node::If(branch) => self.branch(branch, self.dot, false, writer),
                Node::With(branch) => {
                    let dot = self.dot_of(branch, writer);
                    self.branch(branch, dot, false, writer);
                }
                Node::Range(branch) => {
                    let dot = self.dot_of(branch, writer);
                    self.branch(branch, dot, true, writer);
                }
                Node::Template(template) => {
                    let at = self.action(template.pos.offset);
                    let value = self.include(&template.name, &at, writer);
                    print(value, at, writer);
                }
                Node::Define(_) | Node::Break(_) | Node::Continue(_) => {}
            }
        }
    }

    /// Begins a line for the value of an action that is alone on its line. If `{{-` removes the line break before it, the
    /// value brings one of its own, unless it is known.
    fn begin_line(self, value: &Value, at: &Range<usize>, writer: &mut Writer<'_>) {
        let before = self.tree.text.until(at.start);
        let line = before.since(before.rfind('\n').map_or(0, |end| end + 1));
        let Some(column) = line.find("{{-").filter(|_| line.trim() == "{{-") else {
            return;
        };
        let is_open = match value {
            Value::Unknown => true,
            Value::Text(text) => !text.text().starts_with('\n') && text.open_because().is_some(),
            Value::Number(_) => false,
        };
        if !is_open || !writer.is_within_line() {
            return;
        }
        let indentation = match value {
            Value::Unknown => column,
            _ => 0,
        };
        writer.made(&format!("\n{}", " ".repeat(indentation)), at.clone());
    }

    /// Writes one arm of a block. `dot` is that of the first one.
    fn branch(self, branch: &BranchNode, dot: u64, is_loop: bool, writer: &mut Writer<'_>) {
        let at = self.action(branch.pos.offset);
        match (
            truth(&branch.pipe, self.wishes.oldest_release),
            &branch.else_body,
        ) {
            _ if is_loop => {}
            (Some(true), _) => return self.list(&branch.body, writer),
            (Some(false), Some(list)) => return self.list(list, writer),
            (Some(false), None) => return,
            (None, _) => {}
        }
        let mut arms = vec![self.is_relevant(&branch.body)];
        arms.extend(branch.else_body.as_ref().map(|list| self.is_relevant(list)));
        let block = Block {
            at: branch.pos.offset,
            condition: (!is_loop).then(|| self.condition(branch, writer)),
            arms: &arms,
        };
        writer.choose(&block, |writer, arm| {
            let from = writer.len();
            match (arm, &branch.else_body) {
                (0, _) => {
                    Scope { dot, ..self }.list(&branch.body, writer);
                    if is_loop {
                        writer.more("a loop may write more", at, from);
                    }
                }
                (_, Some(list)) => self.list(list, writer),
                (_, None) => {}
            }
        });
    }

    /// The place of an action, from its first word to its end.
    fn action(self, from: usize) -> Range<usize> {
        let rest = self.tree.text.since(from);
        let length = rest.find("}}").unwrap_or(0);
        let length = rest.until(length).trim_end_matches('-').trim_end().len();
        from..from + length
    }

    fn dot_of(self, branch: &BranchNode, writer: &Writer<'_>) -> u64 {
        let written = self.tree.text.within(self.action(branch.pos.offset));
        number((self.dot, writer.calls(), written))
    }

    fn condition(self, branch: &BranchNode, writer: &Writer<'_>) -> Condition {
        let written = self.tree.text.within(self.action(branch.pos.offset));
        let words: Vec<&str> = written.split_whitespace().skip(1).collect();
        let mut words = words.as_slice();
        let mut negated = false;
        while let ["not", rest @ ..] = words {
            negated = !negated;
            words = rest;
        }
        // What is tested depends on `.`, unless it begins at the top.
        let number = |words: &[&str]| {
            let text = words.join(" ");
            let text = text.trim_matches(['(', ')']);
            match text.strip_prefix('$').filter(|rest| rest.starts_with('.')) {
                Some(rest) => number((writer.calls(), 0_u64, rest)),
                None => number((writer.calls(), self.dot, text)),
            }
        };
        match words {
            [operator @ ("eq" | "ne"), subject, value] => Condition {
                subject: number(&[subject]),
                equal: Some(number(&[value])),
                negated: negated != (*operator == "ne"),
            },
            words => Condition {
                subject: number(words),
                equal: None,
                negated,
            },
        }
    }

    fn is_relevant(self, list: &ListNode) -> bool {
        list.nodes.iter().any(|node| match node {
            Node::List(list) => self.is_relevant(list),
            Node::Text(text) => self
                .wishes
                .words
                .iter()
                .any(|word| text.text.contains(word)),
            Node::Action(action) => self.includes(&action.pipe),
            Node::If(branch) | Node::With(branch) | Node::Range(branch) => {
                let other = branch.else_body.as_ref();
                self.is_relevant(&branch.body) || other.is_some_and(|list| self.is_relevant(list))
            }
            Node::Template(template) => self.library.0.contains_key(template.name.as_str()),
            Node::Define(_) | Node::Break(_) | Node::Continue(_) => false,
        })
    }

    /// Whether a pipeline includes a template that is known.
    fn includes(self, pipe: &PipeNode) -> bool {
        pipe.commands.iter().any(|command| {
            let is_known = match command.args.as_slice() {
                [Expr::Identifier(_, name), Expr::String(_, template), ..] => {
                    name.as_str() == "include" && self.library.0.contains_key(&**template)
                }
                _ => false,
            };
            let inner = |argument: &Expr| match argument {
                Expr::Pipe(_, pipe) => self.includes(pipe),
                _ => false,
            };
            is_known || command.args.iter().any(inner)
        })
    }

    fn pipe(self, pipe: &PipeNode, at: &Range<usize>, writer: &mut Writer<'_>) -> Value {
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(command, value, at, writer));
        }
        value.unwrap_or(Value::Unknown)
    }

    fn command(
        self,
        command: &CommandNode,
        piped: Option<Value>,
        at: &Range<usize>,
        writer: &mut Writer<'_>,
    ) -> Value {
        let Some((first, arguments)) = command.args.split_first() else {
            return Value::Unknown;
        };
        let Expr::Identifier(_, name) = first else {
            return self.expression(first, at, writer);
        };
        if let ("include", Some(Expr::String(_, template))) = (name.as_str(), arguments.first()) {
            return self.include(template, at, writer);
        }
        let mut values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.expression(argument, at, writer))
            .collect();
        values.extend(piped);
        call(name, values, at, writer)
    }

    fn expression(self, expression: &Expr, at: &Range<usize>, writer: &mut Writer<'_>) -> Value {
        match expression {
            Expr::String(_, text) => Value::Text(writer.take(|writer| {
                writer.made(text, at.clone());
            })),
            Expr::Number(_, Number::Int(number)) => Value::Number(*number),
            Expr::Pipe(_, pipe) => self.pipe(pipe, at, writer),
            _ => Value::Unknown,
        }
    }

    /// Writes another template in place of its call.
    fn include(self, name: &str, at: &Range<usize>, writer: &mut Writer<'_>) -> Value {
        let Some((source, tree, body)) = self.library.0.get(name) else {
            return Value::Unknown;
        };
        if self.depth >= MAX_CALLS || !writer.may_write() {
            return Value::Unknown;
        }
        Value::Text(writer.take(|writer| {
            writer.call(at.start, *source, |writer| {
                let scope = Scope {
                    tree,
                    dot: 0,
                    depth: self.depth + 1,
                    ..self
                };
                scope.list(body, writer);
            });
        }))
    }
}
