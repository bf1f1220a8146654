//! Evaluates the inside of a block: its attributes, and lists of blocks under their names, including dynamic blocks.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::instances::each_term;
use super::syntax::{Block, Body, ExpressionKind};
use super::value::{Entry, Fields, Term, Value, pairs};
use crate::source::Span;

/// Blocks that configure how Terraform handles a resource, not the resource itself.
const META_BLOCKS: [&str; 4] = ["provisioner", "connection", "lifecycle", "timeouts"];

/// Blocks of one name: the place of the first, all of them, and why there may be more.
struct Blocks<'b> {
    name: &'b str,
    at: Span,
    made: Vec<Term>,
    more: Option<Rc<str>>,
}

impl Evaluator<'_> {
    /// Evaluates the inside of a block: attributes, and lists of blocks under their names.
    pub(super) fn body(self, body: &Body, at: Span, names: &Names<'_>) -> Term {
        let mut fields = Fields::default();
        for (name, name_at, value) in &body.attributes {
            fields.set(Entry {
                key: (&**name).into(),
                key_at: self.file.span(*name_at),
                term: self.value(value, names),
            });
        }
        let mut lists: Vec<Blocks<'_>> = Vec::new();
        for block in &body.blocks {
            if META_BLOCKS.contains(&&*block.name) {
                continue;
            }
            let dynamic = &*block.name == "dynamic";
            let name = match block.labels.first() {
                Some(label) if dynamic => &**label,
                _ => &*block.name,
            };
            let (made, more) = if dynamic {
                self.dynamic(block, names)
            } else {
                (
                    vec![self.body(&block.body, self.file.span(block.at), names)],
                    None,
                )
            };
            match lists.iter_mut().find(|known| known.name == name) {
                Some(known) => {
                    known.made.extend(made);
                    known.more = known.more.take().or(more);
                }
                None => lists.push(Blocks {
                    name,
                    at: self.file.span(block.at),
                    made,
                    more,
                }),
            }
        }
        for list in lists {
            // A dynamic block without results leaves nothing.
            if list.made.is_empty() && list.more.is_none() {
                continue;
            }
            fields.set(Entry {
                key: list.name.into(),
                key_at: list.at,
                term: Term::new(Value::list(list.made, list.more), list.at),
            });
        }
        let given = body.given.as_ref();
        let more = given.and_then(|given| self.given(given, names, &mut fields));
        Term::new(fields.finish(more), at)
    }

    /// Returns the blocks that a dynamic block generates.
    fn dynamic(self, block: &Block, names: &Names<'_>) -> (Vec<Term>, Option<Rc<str>>) {
        let content = block
            .body
            .blocks
            .iter()
            .find(|inner| &*inner.name == "content");
        let (Some(content), Some(each)) = (content, block.body.attribute("for_each")) else {
            return (Vec::new(), Some("a dynamic block lacks its content".into()));
        };
        let iterator = match block.body.attribute("iterator").map(|one| &one.kind) {
            Some(ExpressionKind::Name(name)) => &**name,
            _ => block.labels.first().map_or("", |label| &**label),
        };
        let over = self.value(each, names);
        let (found, more) = match pairs(&over) {
            Some(found) => found,
            None if matches!(over.value, Value::Null) => return (Vec::new(), None),
            None => {
                let why = over.value.unknown().cloned();
                return (
                    Vec::new(),
                    why.or_else(|| Some("`for_each` expects a list or a map".into())),
                );
            }
        };
        let mut made = Vec::new();
        for (key, value) in found {
            if !self.scope.run().spend(1) {
                return (made, Some("a dynamic block takes too much work".into()));
            }
            // Generated blocks have the places of their values, so that they can be told apart.
            let at = value.at;
            let own = [(iterator, each_term(key, value, at))];
            let names = Names::within(names, &own);
            made.push(self.body(&content.body, at, &names));
        }
        (made, more)
    }
}
