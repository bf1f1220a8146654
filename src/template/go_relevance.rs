//! Which parts of Go templates are written for their own sake.

use gotmpl::parse::{Expr, ListNode, Node, PipeNode};

use super::go::{Library, Tree};

/// The names of the templates in a file that have text with one of the words.
pub fn names(tree: &Tree, words: &[&str]) -> Vec<String> {
    let library = Library::default();
    let relevant = tree.defines.iter();
    let relevant = relevant.filter(|define| is_relevant(&define.body, words, &library));
    relevant.map(|define| define.name.to_string()).collect()
}

/// Whether a part contains one of the words, or includes a template that is known.
pub fn is_relevant(list: &ListNode, words: &[&str], library: &Library<'_>) -> bool {
    list.nodes.iter().any(|node| match node {
        Node::List(list) => is_relevant(list, words, library),
        Node::Text(text) => words.iter().any(|word| text.text.contains(word)),
        Node::Action(action) => includes(&action.pipe, library) || has_text(&action.pipe, words),
        Node::If(branch) | Node::With(branch) | Node::Range(branch) => {
            let other = branch.else_body.as_ref();
            is_relevant(&branch.body, words, library)
                || other.is_some_and(|list| is_relevant(list, words, library))
        }
        Node::Template(template) => library.defines(&template.name),
        Node::Define(_) | Node::Break(_) | Node::Continue(_) => false,
    })
}

/// Whether a pipeline is a text with one of the words.
fn has_text(pipe: &PipeNode, words: &[&str]) -> bool {
    pipe.commands
        .iter()
        .any(|command| match command.args.as_slice() {
            [Expr::String(_, text)] => words.iter().any(|word| text.contains(word)),
            _ => false,
        })
}

/// Whether a pipeline includes a template that is known.
fn includes(pipe: &PipeNode, library: &Library<'_>) -> bool {
    pipe.commands.iter().any(|command| {
        let is_known = match command.args.as_slice() {
            [Expr::Identifier(_, name), Expr::String(_, template), ..] => {
                name.as_str() == "include" && library.defines(template)
            }
            _ => false,
        };
        let inner = |argument: &Expr| match argument {
            Expr::Pipe(_, pipe) => includes(pipe, library),
            _ => false,
        };
        is_known || command.args.iter().any(inner)
    })
}
