//! Names of pools: from their source, from a fallback for users if the source cannot be read, and on their nodes.

use super::pool_document::PoolDocument;
use super::pool_rows::{NameSource, PoolRow};
use super::read::read_text;
use crate::model::Field;
use crate::source::Span;
use crate::yaml::Found;

/// The name of a pool.
pub(super) struct Name {
    /// Empty if there is no name, or if it cannot be read.
    pub text: String,
    /// Its place.
    pub span: Option<Span>,
    /// The name in labels of nodes, where nodes are labelled with the name of their pool.
    pub on_nodes: Field<String>,
}

impl Name {
    pub fn read(row: &PoolRow, document: &PoolDocument<'_>, element: &Found<'_>) -> Name {
        let prefix = row
            .name_prefix
            .as_ref()
            .and_then(|path| document.first_text(element.node, path))
            .map(|(text, _)| text);
        let mut name = Name {
            text: String::new(),
            span: None,
            on_nodes: Field::Unknown,
        };
        let mut unread = false;
        for source in row.name.as_slice() {
            if unread && matches!(source, NameSource::At(_)) {
                continue;
            }
            match source {
                NameSource::At(path) => {
                    let all = document.find(element.node, path, "");
                    let Some(found) = all.iter().find(|found| !found.node.is_null()) else {
                        continue;
                    };
                    name.span = Some(found.field.map_or(found.node.span(), |field| field.span()));
                    name.on_nodes = read_text(Some(found.node));
                    name.text = name.on_nodes.known().cloned().unwrap_or_default();
                    if name.text.is_empty() && name.on_nodes.is_unknown() {
                        // The next source gives a name for users. The nodes have the name that could not be read.
                        unread = true;
                        continue;
                    }
                }
                NameSource::Key => {
                    let Some(field) = element.field else { continue };
                    name.text = field.known_name().unwrap_or_default().to_owned();
                    name.span = Some(field.key.span());
                }
                NameSource::Fixed(text) => {
                    name.text.clone_from(text);
                    name.on_nodes = Field::Is(text.clone());
                }
                NameSource::File => {
                    let file = document.file.rsplit('/').next().unwrap_or_default();
                    name.text = file.split('.').next().unwrap_or_default().to_owned();
                }
            }
            break;
        }
        name.text = match prefix {
            Some(prefix) if name.text.is_empty() => prefix,
            Some(prefix) => format!("{prefix}-{}", name.text),
            None => name.text,
        };
        if name.text.is_empty() && element.node.is_assembled() {
            // Users know the pool by its address. Its nodes do not have that name.
            name.text = document.object.name.clone().unwrap_or_default();
        }
        if name.on_nodes.known().is_some() {
            name.on_nodes = Field::Is(name.text.clone());
        }
        name
    }
}

/// The name of the cluster that an element says, or the path of its file if that is one cluster's.
pub(super) fn cluster_of(
    row: &PoolRow,
    document: &PoolDocument<'_>,
    element: &Found<'_>,
) -> Option<String> {
    row.cluster.as_slice().iter().find_map(|source| {
        let name = match source {
            NameSource::At(path) => document.first_text(element.node, path)?.0,
            NameSource::Key => element.field?.known_name()?.to_owned(),
            NameSource::Fixed(text) => text.clone(),
            NameSource::File => {
                let file = document.file;
                let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
                name.to_owned()
            }
        };
        // A name that is filled in later says nothing.
        let is_name = !name.is_empty() && !name.contains(['{', '}', '$', '<', '%', '#']);
        is_name.then_some(name)
    })
}
