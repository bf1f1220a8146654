//! The body of a Go template: writes a variant of it, one block, action and included template after the other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use gotmpl::parse::{BranchNode, CommandNode, Expr, ListNode, Node, Number, PipeNode, SmolStr};

use super::Wishes;
use super::branches::{Condition, Plan};
use super::given::Given;
use super::go::{Library, Tree};
use super::go_conditions::{asks_for_text, condition, holds, tested, truth};
use super::go_functions::{call, printed_by_known};
use super::go_printing::{begin_line, children, print};
use super::go_relevance::is_relevant;
use super::go_values::Value;
use super::go_variables::Variables;
use super::writer::{Block, Writer, number};
use crate::source::SourceId;
use crate::source::text::Cut as _;
use crate::yaml::{self, Pieces};

/// The blanks that `{{-` and `-}}` remove.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// How deeply templates may include each other.
const MAX_CALLS: usize = 24;

/// How deeply a template may include itself. Without an end to it, each level has as many inclusions as the one above, times
/// those in the template.
const MAX_RECURSION: usize = 4;

/// Writes a variant of a file, which may include templates of a library.
pub fn write(
    tree: &Tree,
    library: &Library<'_>,
    (wishes, given): (Wishes<'_>, Option<&Given<'_>>),
    writer: &mut Writer<'_>,
) {
    let (variables, calls) = (Variables::default(), RefCell::default());
    let scope = Scope {
        tree,
        source: writer.place(0..0).source,
        library,
        wishes,
        dot: Dot {
            value: &Value::Top,
            number: 0,
        },
        top: &Value::Top,
        given,
        variables: &variables,
        calls: &calls,
        frame: 0,
        depth: 0,
    };
    scope.list(&tree.body, writer);
}

/// What a part of a template is written in.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// The file of the part.
    tree: &'s Tree,
    source: SourceId,
    library: &'s Library<'s>,
    wishes: Wishes<'s>,
    /// Values that are known.
    given: Option<&'s Given<'s>>,
    dot: Dot<'s>,
    /// What `$` is.
    top: &'s Value,
    variables: &'s Variables,
    /// How many times each template is being included.
    calls: &'s RefCell<HashMap<String, usize>>,
    /// The index of the first variable of this template.
    frame: usize,
    /// The number of templates that include this one.
    depth: usize,
}

/// What `.` is.
#[derive(Clone, Copy)]
struct Dot<'s> {
    value: &'s Value,
    /// A number for it, whether its value is known or not.
    number: u64,
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
                        begin_line(&self.tree.text, &value, &at, writer);
                        print(value, at, writer);
                    } else {
                        self.set(&action.pipe, &value);
                    }
                }
                Node::If(branch) => self.branch(branch, self.dot, false, writer),
                Node::With(branch) => {
                    let value = self.known(&branch.pipe);
                    let dot = Dot {
                        value: &value,
                        number: self.dot_of(branch, writer),
                    };
                    self.branch(branch, dot, false, writer);
                }
                Node::Range(branch) => {
                    let value = self.known(&branch.pipe);
                    let given = self.given.and_then(|given| children(given, &value));
                    if let Some(items) = given {
                        self.each(branch, items, writer);
                        continue;
                    }
                    let value = value.item(branch.pipe.decl.len() == 2);
                    let dot = Dot {
                        value: &value,
                        number: self.dot_of(branch, writer),
                    };
                    self.branch(branch, dot, true, writer);
                }
                Node::Template(template) => {
                    let at = self.action(template.pos.offset);
                    let value = match &template.pipe {
                        Some(pipe) => self.known(pipe),
                        None => Value::Unknown,
                    };
                    let value = self.include(&template.name, &value, &at, writer);
                    print(value, at, writer);
                }
                Node::Define(_) | Node::Break(_) | Node::Continue(_) => {}
            }
        }
    }

    /// Writes one arm of a block. `dot` is that of the first one.
    fn branch(self, branch: &BranchNode, dot: Dot<'_>, is_loop: bool, writer: &mut Writer<'_>) {
        let at = self.action(branch.pos.offset);
        match (
            truth(&branch.pipe, self.wishes.oldest_release),
            &branch.else_body,
        ) {
            _ if is_loop => {}
            (None, _) if self.given.is_some() && self.decided(branch, dot, writer) => return,
            (Some(true), _) => return self.list(&branch.body, writer),
            (Some(false), Some(list)) => return self.list(list, writer),
            (Some(false), None) => return,
            (None, _) => {}
        }
        let mut arms = vec![is_relevant(&branch.body, self.wishes.words, self.library)];
        arms.extend(
            branch
                .else_body
                .as_ref()
                .map(|list| is_relevant(list, self.wishes.words, self.library)),
        );
        let block = Block {
            at: branch.pos.offset,
            condition: (!is_loop).then(|| self.condition(branch, writer)),
            arms: &arms,
            usual: usize::from(asks_for_text(&branch.pipe)),
            test: tested(&branch.pipe, &|pipe| self.known(pipe), &|one| {
                self.known_expression(one)
            }),
        };
        let variables = self.variables.len();
        writer.choose(&block, |writer, arm| {
            let from = writer.len();
            match (arm, &branch.else_body) {
                (0, _) => {
                    if !branch.pipe.decl.is_empty() {
                        self.set(&branch.pipe, dot.value);
                    }
                    Scope { dot, ..self }.list(&branch.body, writer);
                    if is_loop {
                        writer.more("a loop may write more", at, from);
                    }
                }
                (_, Some(list)) => self.list(list, writer),
                (_, None) => {}
            }
        });
        self.variables.truncate(variables);
    }

    fn set(self, pipe: &PipeNode, value: &Value) {
        self.variables.set(pipe, value, self.frame);
    }

    fn variable(self, name: &str) -> Value {
        match name {
            "$" => self.top.clone(),
            _ => self.variables.get(name, self.frame),
        }
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
        number((self.dot.number, writer.calls(), written))
    }

    fn condition(self, branch: &BranchNode, writer: &Writer<'_>) -> Condition {
        let written = self.tree.text.within(self.action(branch.pos.offset));
        condition(written, writer.calls(), self.dot.number)
    }

    /// Writes the arm of a block that its condition decides for, if that is known. Returns whether it is.
    fn decided(self, branch: &BranchNode, dot: Dot<'_>, writer: &mut Writer<'_>) -> bool {
        let Some(holds) = self.given.and_then(|given| {
            let of_pipe = |pipe: &PipeNode| self.known(pipe);
            holds(given, &branch.pipe, &of_pipe, &|one| self.simple(one))
        }) else {
            return false;
        };
        let variables = self.variables.len();
        match (holds, &branch.else_body) {
            (true, _) => {
                if !branch.pipe.decl.is_empty() {
                    self.set(&branch.pipe, dot.value);
                }
                Scope { dot, ..self }.list(&branch.body, writer);
            }
            (false, Some(list)) => self.list(list, writer),
            (false, None) => {}
        }
        self.variables.truncate(variables);
        true
    }

    /// Writes the body of a loop for each of the values that it is known to run over.
    fn each(
        self,
        branch: &BranchNode,
        items: Vec<(Option<yaml::Node<'_>>, Value)>,
        writer: &mut Writer<'_>,
    ) {
        if let (true, Some(list)) = (items.is_empty(), &branch.else_body) {
            return self.list(list, writer);
        }
        for (number, (key, value)) in (1..).zip(items) {
            if !writer.may_write() {
                return;
            }
            let variables = self.variables.len();
            self.set(&branch.pipe, &value);
            if let (Some(key), [name, _]) = (key, branch.pipe.decl.as_slice()) {
                let mut text = Pieces::default();
                text.push_made(key.raw().unwrap_or_default(), key.span());
                self.variables.declare(name, Value::Text(text));
            }
            let dot = Dot {
                value: &value,
                number: self.dot_of(branch, writer).wrapping_add(number),
            };
            Scope { dot, ..self }.list(&branch.body, writer);
            self.variables.truncate(variables);
        }
    }

    /// The value of a pipeline, apart from what it includes.
    fn known(self, pipe: &PipeNode) -> Value {
        let plan = Plan::default();
        let mut aside = Writer::new(&plan, self.source);
        aside.fill(self.given);
        let library = Library::default();
        let own = Scope {
            library: &library,
            ..self
        };
        own.pipe(pipe, &(0..0), &mut aside)
    }

    fn known_expression(self, expression: &Expr) -> Value {
        match expression {
            Expr::Pipe(_, pipe) => self.known(pipe),
            other => self.simple(other),
        }
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
        let mut values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.expression(argument, at, writer))
            .collect();
        values.extend(piped);
        if let ("include", [Value::Text(template), value]) = (name.as_str(), values.as_slice()) {
            return match template.open_because() {
                Some(_) => Value::Unknown,
                None => self.include(template.text(), value, at, writer),
            };
        }
        call(name, values, at, writer)
    }

    fn expression(self, expression: &Expr, at: &Range<usize>, writer: &mut Writer<'_>) -> Value {
        match expression {
            Expr::String(_, text) => Value::Text(writer.take(|writer| {
                writer.made(text, at.clone());
            })),
            Expr::Pipe(_, pipe) => self.pipe(pipe, at, writer),
            Expr::Chain(_, inner, names) => fields(self.expression(inner, at, writer), names),
            other => self.simple(other),
        }
    }

    /// The value of an expression that calls nothing.
    fn simple(self, expression: &Expr) -> Value {
        match expression {
            Expr::Number(_, Number::Int(number)) => Value::Number(*number),
            Expr::Dot(_) => self.dot.value.clone(),
            Expr::Field(_, names) => fields(self.dot.value.clone(), names),
            Expr::Variable(_, name, names) => fields(self.variable(name), names),
            _ => Value::Unknown,
        }
    }

    /// Writes another template in place of its call.
    fn include(
        self,
        name: &str,
        value: &Value,
        at: &Range<usize>,
        writer: &mut Writer<'_>,
    ) -> Value {
        if let Some(printed) = printed_by_known(name, value) {
            return printed;
        }
        let Some((source, tree, body)) = self.library.get(name) else {
            return Value::Unknown;
        };
        let calls = self.calls.borrow().get(name).copied().unwrap_or_default();
        if self.depth >= MAX_CALLS || calls >= MAX_RECURSION || !writer.may_write() {
            return Value::Unknown;
        }
        self.calls.borrow_mut().insert(name.to_owned(), calls + 1);
        let frame = self.variables.len();
        let text = writer.take(|writer| {
            writer.call(at.start, source, |writer| {
                let scope = Scope {
                    tree,
                    source,
                    dot: Dot { value, number: 0 },
                    top: value,
                    frame,
                    depth: self.depth + 1,
                    ..self
                };
                scope.list(body, writer);
            });
        });
        self.calls.borrow_mut().insert(name.to_owned(), calls);
        self.variables.truncate(frame);
        Value::Text(text)
    }
}

fn fields(value: Value, names: &[SmolStr]) -> Value {
    names.iter().fold(value, |value, name| value.field(name))
}
