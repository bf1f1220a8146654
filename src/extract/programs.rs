//! Programs that print manifests or make node pools. They are not run, so they are listed as not judged.

use super::{FileFacts, Table, Unread};
use crate::finding::{Because, Open};
use crate::source::{Source, SourceId, Span};

/// Lists a jsonnet file as not judged. A library matters through the files that import it, and a vendored one is not about
/// this repository.
pub(super) fn jsonnet(source: &Source, id: SourceId, table: &Table) -> FileFacts {
    let mut facts = FileFacts::default();
    let is_library = source.path.ends_with(".libsonnet");
    if is_library && source.path.split('/').any(|folder| folder == "vendor") {
        return facts;
    }
    let whole = Span::new(id, 0..0);
    facts.not_judged.push(Open::part(whole, Because::Jsonnet));
    if !is_library {
        let unread = Unread {
            pools: source.text.contains("taint") || table.names_pools(&source.text),
            tolerations: source.text.contains("olerations"),
        };
        facts.unread.push((whole, unread));
    }
    facts
}

/// Lists a program that declares node pools as not judged.
pub(super) fn program(source: &Source, id: SourceId) -> FileFacts {
    let whole = Span::new(id, 0..0);
    let unread = Unread {
        pools: true,
        tolerations: source.text.contains("olerations"),
    };
    FileFacts {
        not_judged: vec![Open::part(whole, Because::Program)],
        unread: [(whole, unread)].into(),
        ..FileFacts::default()
    }
}
