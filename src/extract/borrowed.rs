//! Objects that make pods of the pod templates of others: the names of these templates.

use super::read::is_placeholder;
use super::subject::Subject;
use crate::model::Field;
use crate::model::toleration::Toleration;

/// A pod template that another object makes pods of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Borrowed {
    /// The kind of the object with the template.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The namespace of both, if it is written.
    pub namespace: Option<String>,
    /// What the pods may tolerate without saying so.
    pub gives: Vec<Toleration>,
}

/// Reads the names of the templates.
pub(super) fn read(subject: &Subject<'_>) -> Vec<Borrowed> {
    let object = &subject.object;
    let table = subject.reading.table;
    let mut found = Vec::new();
    for row in table.borrows(subject.group(), &object.kind) {
        let names = row.names.find(subject.root).into_iter();
        let names = names.filter_map(|found| found.node.as_str());
        found.extend(names.map(|name| Borrowed {
            kind: row.from.clone(),
            name: name.to_owned(),
            namespace: object.namespace.clone().filter(|one| !is_placeholder(one)),
            gives: row.gives.iter().map(|key| any_with(key)).collect(),
        }));
    }
    found
}

/// An entry for all taints with a key.
fn any_with(key: &str) -> Toleration {
    Toleration {
        key: Field::Is(key.to_owned()),
        operator: Field::Is("Exists".to_owned()),
        ..Toleration::default()
    }
}
