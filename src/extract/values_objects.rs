//! Whole objects with node pools in Helm values: lists and maps such as `extraObjects`, whose entries a chart prints as they are.

use super::duplicates;
use super::read::is_placeholder;
use super::relocation::Text;
use super::subject::{Subject, join};
use super::{FileFacts, declared};
use crate::yaml::{Kind, Node, pieces_of};

/// The maximum nesting of texts in texts.
const MAX_DEPTH: u8 = 4;

/// Reads the node pools of objects below the root of values, or of an object that has values.
pub(super) fn pools(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let table = subject.reading.table;
    if subject.reading.depth >= MAX_DEPTH || !table.names_pools(subject.text()) {
        return facts;
    }
    let visits = duplicates::walk(subject.root);
    for (at, visit) in visits.iter().enumerate().skip(1) {
        let path = || duplicates::path_of(&visits, at, &subject.base);
        match visit.node.kind() {
            Kind::Mapping if names_kind(visit.node) => {
                let object = Subject::new(visit.node, path(), subject.reading);
                if table.may_have_pools(&object.object.kind) {
                    facts.absorb(declared::pools(&object).unwrap_or_default());
                }
            }
            Kind::Scalar => facts.absorb(in_text(subject, visit.node, path)),
            Kind::Mapping | Kind::Sequence => {}
        }
    }
    facts
}

/// Reads those of a text, which is an object or has values itself.
fn in_text(subject: &Subject<'_>, node: Node<'_>, path: impl Fn() -> String) -> FileFacts {
    let table = subject.reading.table;
    let text = node.raw().filter(|text| text.contains('\n'));
    let Some(inner) = text.filter(|text| table.names_pools(text)) else {
        return FileFacts::default();
    };
    let text = Text {
        pieces: &pieces_of(&subject.reading.source.text, node, inner),
        whole: node.span(),
        owner: &subject.object,
        reading: subject.reading,
    };
    let base = path();
    let read = text.read(true, &|root, reading| {
        let own = Subject::new(root, join(&base, ""), reading);
        match own.is_object() {
            true => declared::pools(&own).unwrap_or_default(),
            false => pools(&own),
        }
    });
    let read = read.unwrap_or_default();
    FileFacts {
        pools: read.pools,
        notices: read.notices,
        ..FileFacts::default()
    }
}

/// Whether a map is an object of a kind that is known.
fn names_kind(map: Node<'_>) -> bool {
    ["apiVersion", "kind"].iter().all(|key| {
        let text = map.get(key).and_then(Node::raw);
        text.is_some_and(|text| !text.is_empty() && !is_placeholder(text))
    })
}
