//! What Go templates print under some keys: the value that is tested around it should be the one that is printed.

use gotmpl::parse::{BranchNode, Expr, ListNode, Node, PipeNode};

use super::Printed;
use crate::source::text::Cut as _;

/// The values printed under some keys of a file.
pub struct Prints<'p> {
    /// The text of the file.
    pub text: &'p str,
    /// The keys, which are also the last names of the values that belong below them.
    pub keys: &'p [&'p str],
    /// What was found.
    pub found: Vec<Printed>,
}

/// What surrounds a part of a template.
#[derive(Clone, Default)]
struct Around {
    /// The values that the blocks around it test, from the outermost one.
    tested: Vec<String>,
    /// What `.` is, as far as it is known.
    dot: Option<String>,
    /// Whether `$` is the top of all values.
    has_top: bool,
}

impl Prints<'_> {
    /// Reads the body of a file, where `.` is the top of all values.
    pub fn read_body(&mut self, body: &ListNode) {
        let around = Around {
            dot: Some(String::new()),
            has_top: true,
            ..Around::default()
        };
        self.read(body, &around);
    }

    /// Reads the body of a named template.
    pub fn read_define(&mut self, body: &ListNode) {
        self.read(body, &Around::default());
    }

    fn read(&mut self, list: &ListNode, around: &Around) {
        for node in &list.nodes {
            match node {
                Node::List(list) => self.read(list, around),
                Node::Action(action) => self.action(&action.pipe, around),
                Node::If(branch) => self.branch(branch, around, around.dot.clone()),
                Node::With(branch) => {
                    let dot = value(&branch.pipe).and_then(|value| absolute(&value, around));
                    self.branch(branch, around, dot);
                }
                Node::Range(branch) => {
                    let inner = Around {
                        dot: None,
                        ..around.clone()
                    };
                    self.read(&branch.body, &inner);
                    if let Some(list) = &branch.else_body {
                        self.read(list, around);
                    }
                }
                Node::Text(_)
                | Node::Template(_)
                | Node::Define(_)
                | Node::Break(_)
                | Node::Continue(_) => {}
            }
        }
    }

    fn branch(&mut self, branch: &BranchNode, around: &Around, dot: Option<String>) {
        let mut inner = Around {
            dot,
            ..around.clone()
        };
        let tested = value(&branch.pipe).and_then(|value| absolute(&value, around));
        // A condition on more than one value may mean anything.
        match tested {
            Some(tested) => inner.tested.push(tested),
            None => inner.tested.clear(),
        }
        self.read(&branch.body, &inner);
        if let Some(list) = &branch.else_body {
            self.read(list, around);
        }
    }

    fn action(&mut self, pipe: &PipeNode, around: &Around) {
        let Some(key) = self.key_before(pipe.pos.offset) else {
            return;
        };
        let Some(printed) = printed(pipe).and_then(|value| absolute(&value, around)) else {
            return;
        };
        let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
        let is_all = printed.is_empty() || printed == ".Values";
        let is_other = self.keys.contains(&last(&printed).as_str()) && last(&printed) != key;
        let tested = around.tested.last();
        let tested = tested
            .filter(|tested| last(tested) == key && last(&printed) == key && **tested != printed);
        // Another block around it may test what is printed.
        let is_tested = around.tested.contains(&printed);
        let tested = tested.filter(|_| !is_tested).cloned();
        if is_all || is_other || tested.is_some() {
            let rest = self.text.since(pipe.pos.offset);
            let length = rest.find("}}").unwrap_or(0);
            let length = rest.until(length).trim_end_matches('-').trim_end().len();
            self.found.push(Printed {
                at: pipe.pos.offset..pipe.pos.offset + length,
                key,
                is_nested: tested
                    .as_ref()
                    .is_some_and(|tested| written_below(&printed, tested)),
                tested,
                value: match printed.is_empty() {
                    true => "$".to_owned(),
                    false => printed,
                },
            });
        }
    }

    /// The key whose value an action prints: the one at the end of the line before it, or of its own line.
    fn key_before(&self, at: usize) -> Option<String> {
        let before = self.text.until(at);
        let before = before.until(before.rfind("{{")?).trim_end();
        let line = before.since(before.rfind('\n').map_or(0, |end| end + 1));
        let key = line.trim().trim_start_matches("- ").strip_suffix(':')?;
        self.keys.contains(&key).then(|| key.to_owned())
    }
}

/// Whether a path was written as if it began at the top, inside a block where `.` is the tested value.
fn written_below(printed: &str, tested: &str) -> bool {
    let below = printed.strip_prefix(tested);
    below.is_some_and(|below| below.starts_with(".Values."))
}

/// The value that a pipeline prints as it is, possibly through functions that keep its meaning.
fn printed(pipe: &PipeNode) -> Option<String> {
    let (first, rest) = pipe.commands.split_first()?;
    let keeps = |name: &str| ["toYaml", "indent", "nindent", "trim"].contains(&name);
    let is_kept = rest.iter().all(
        |command| matches!(command.args.first(), Some(Expr::Identifier(_, name)) if keeps(name)),
    );
    if !is_kept || !pipe.decl.is_empty() {
        return None;
    }
    match first.args.as_slice() {
        [Expr::Identifier(_, name), value] if name.as_str() == "toYaml" => path(value),
        [only] if !rest.is_empty() => path(only),
        _ => None,
    }
}

/// The value that a condition tests, if it is just one.
fn value(pipe: &PipeNode) -> Option<String> {
    match pipe.commands.as_slice() {
        [command] => match command.args.as_slice() {
            [only] => path(only),
            _ => None,
        },
        _ => None,
    }
}

/// A value as it is written: `.a.b`, `$.a.b` or `.`.
fn path(value: &Expr) -> Option<String> {
    let names = |names: &[gotmpl::parse::SmolStr]| -> String {
        names.iter().map(|name| format!(".{name}")).collect()
    };
    match value {
        Expr::Dot(_) => Some(".".to_owned()),
        Expr::Field(_, fields) => Some(names(fields)),
        Expr::Variable(_, name, fields) if name.as_str() == "$" => {
            Some(format!("${}", names(fields)))
        }
        _ => None,
    }
}

/// A value by its path from the top, or `None` if it is not known what `.` is.
fn absolute(value: &str, around: &Around) -> Option<String> {
    if let Some(rest) = value.strip_prefix('$') {
        return around.has_top.then(|| rest.to_owned());
    }
    let dot = around.dot.as_ref()?;
    Some(match value {
        "." => dot.clone(),
        value => format!("{dot}{value}"),
    })
}
