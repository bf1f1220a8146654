//! Values that are passed to Helm one by one (`set`), merged the way Helm merges them.

use std::collections::BTreeMap;

use super::relocation::text_of;
use super::rows::ManifestRow;
use crate::source::Span;
use crate::yaml::{Document, Kind, Leaf, Node, NodeId, TreeBuilder};

/// The largest supported index of a list.
const MAX_INDEX: usize = 100;

/// One step of the name of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Values under construction. A map or list has the place of the first value that is set in it. A key has the place of
/// the name that it comes from.
enum Values<'a> {
    Map(Span, Vec<(String, Span, Values<'a>)>),
    List(Span, BTreeMap<usize, Values<'a>>),
    Value(Node<'a>, bool),
}

/// Returns the values that a release sets, or `None` if some of them are unknown, or if the values that they add to may
/// contain tolerations: an entry may get its missing fields from there.
pub(super) fn values(row: &ManifestRow, root: Node<'_>) -> Option<Document> {
    if row.sets.is_empty() || row.texts.iter().any(|path| may_tolerate(path.find(root))) {
        return None;
    }
    let opens = |path: &crate::yaml::Path| path.find_open(root).is_some();
    if row.sets.iter().chain(&row.texts).any(opens) {
        return None;
    }
    let sets = row.sets.iter().flat_map(|path| path.find(root));
    document(sets.map(|found| found.node))
}

/// The values that are set one by one, each with its `name` and `value`. `None` if some of them are unknown, or if there are
/// none.
pub(super) fn document<'a>(sets: impl Iterator<Item = Node<'a>>) -> Option<Document> {
    let mut all: Option<Values<'_>> = None;
    for set in sets {
        let (name, value) = (set.get("name")?, set.get("value")?);
        if name.unknown_because().is_some() {
            return None;
        }
        let is_text = set.get("type").and_then(Node::raw) == Some("string")
            || set.get("forceString").and_then(Node::as_bool) == Some(true);
        let steps = steps(name.raw()?)?;
        all = Some(insert(
            all,
            &steps,
            name.span(),
            (set.span(), value, is_text),
        )?);
    }
    let mut tree = TreeBuilder::default();
    let root = build(&all?, &mut tree)?;
    Some(tree.finish(root))
}

fn may_tolerate(found: Vec<crate::yaml::Found<'_>>) -> bool {
    found.iter().any(|one| {
        let pieces = text_of(one.node);
        let text = pieces.as_ref().map(|pieces| pieces.text());
        one.node.kind() != Kind::Scalar || text.is_none_or(|text| text.contains("olerations"))
    })
}

/// Splits the name of a value, such as `a.b[0].c\\.d/e`, into steps.
fn steps(name: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut key = String::new();
    let mut letters = name.chars();
    let push = |key: &mut String, steps: &mut Vec<Step>| {
        if !key.is_empty() {
            steps.push(Step::Key(std::mem::take(key)));
        }
    };
    while let Some(one) = letters.next() {
        match one {
            '\\' => key.push(letters.next()?),
            '.' => push(&mut key, &mut steps),
            '[' => {
                push(&mut key, &mut steps);
                let inside: String = letters.by_ref().take_while(|one| *one != ']').collect();
                let index = inside.parse().ok().filter(|index| *index <= MAX_INDEX)?;
                steps.push(Step::Index(index));
            }
            '=' | ',' | '{' | '}' => return None,
            other => key.push(other),
        }
    }
    push(&mut key, &mut steps);
    Some(steps).filter(|steps| matches!(steps.first(), Some(Step::Key(_))))
}

/// Inserts a value, or returns `None` if the names contradict each other.
fn insert<'a>(
    into: Option<Values<'a>>,
    steps: &[Step],
    at: Span,
    value: (Span, Node<'a>, bool),
) -> Option<Values<'a>> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(Values::Value(value.1, value.2));
    };
    match (step, into) {
        (Step::Key(key), None) => {
            let inner = insert(None, rest, at, value)?;
            Some(Values::Map(value.0, vec![(key.clone(), at, inner)]))
        }
        (Step::Key(key), Some(Values::Map(span, mut fields))) => {
            let known = fields.iter().position(|(name, ..)| name == key);
            let before = known.map(|place| fields.remove(place));
            let first = before.as_ref().map_or(at, |(_, first, _)| *first);
            let inner = insert(before.map(|(.., inner)| inner), rest, at, value)?;
            fields.push((key.clone(), first, inner));
            Some(Values::Map(span, fields))
        }
        (Step::Index(index), None) => {
            let inner = insert(None, rest, at, value)?;
            Some(Values::List(value.0, BTreeMap::from([(*index, inner)])))
        }
        (Step::Index(index), Some(Values::List(span, mut items))) => {
            let before = items.remove(index);
            items.insert(*index, insert(before, rest, at, value)?);
            Some(Values::List(span, items))
        }
        _ => None,
    }
}

fn build(values: &Values<'_>, tree: &mut TreeBuilder) -> Option<NodeId> {
    Some(match values {
        Values::Map(at, fields) => {
            let mut built = Vec::new();
            for (name, key_at, inner) in fields {
                let inner = build(inner, tree)?;
                built.push((tree.scalar(Leaf::Text(name), *key_at), inner));
            }
            tree.mapping(&built, *at)
        }
        Values::List(at, items) => {
            // Helm fills gaps in a list with null, which is a different mistake.
            let in_order = items.keys().copied().eq(0..items.len());
            let items: Option<Vec<NodeId>> = items.values().map(|one| build(one, tree)).collect();
            tree.sequence(&items.filter(|_| in_order)?, *at)
        }
        Values::Value(node, is_text) => {
            let (text, at) = (node.raw()?, node.span());
            if let Some(why) = node.unknown_because() {
                return Some(tree.scalar(Leaf::Unknown(why), at));
            }
            // Helm does not read these as plain text.
            if text.contains(['{', '}', ',', '\\']) {
                return Some(tree.scalar(Leaf::Unknown("Helm takes it apart"), at));
            }
            let is_number = (text == "0" || !text.starts_with('0')) && text.parse::<i64>().is_ok();
            if !is_text && (is_number || ["true", "false", "null"].contains(&text)) {
                tree.scalar(Leaf::Plain(text), at)
            } else {
                tree.scalar(Leaf::Text(text), at)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_helm_takes_them_apart() {
        let key = |name: &str| Step::Key(name.to_owned());
        assert_eq!(
            steps("agent.tolerations[1].key"),
            Some(vec![
                key("agent"),
                key("tolerations"),
                Step::Index(1),
                key("key")
            ])
        );
        assert_eq!(
            steps("nodeSelector.kubernetes\\.io/arch"),
            Some(vec![key("nodeSelector"), key("kubernetes.io/arch")])
        );
        assert_eq!(steps("a[x]"), None);
        assert_eq!(steps("a=b"), None);
        assert_eq!(steps(""), None);
    }
}
