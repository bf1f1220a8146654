//! What a Kustomization of Flux applies to a cluster: a folder, with what it changes in the objects there.

use std::collections::HashMap;
use std::sync::Arc;

use super::facts::{Pointer, Says};
use super::repository::Repository;
use super::substitution::Variables;
use super::tree::Parts;
use crate::source::Span;

/// What a Kustomization of Flux applies to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The Kustomization.
    pub by: Span,
    /// The cluster.
    pub cluster: usize,
    /// The folder.
    pub folder: String,
    /// What is in the folder.
    pub parts: Arc<Parts>,
    /// The variables that it fills in.
    pub variables: Option<Variables>,
    /// It also changes objects by patches, components or a namespace.
    pub changes: bool,
    /// It is not known how it does that.
    pub is_unclear: bool,
}

/// A Kustomization at work.
pub struct Use {
    /// The cluster that it is in, its number, and the number of what applies it.
    pub step: (usize, usize, Option<usize>),
    /// The cluster that it applies something to.
    pub to: usize,
    /// The folder.
    pub folder: String,
}

/// The variables that an object in a cluster fills in, if they are known.
type VariablesOf<'v> = dyn Fn(usize, Option<usize>) -> Option<Variables> + 'v;

/// What Kustomizations apply. Nothing if none of them changes objects.
pub fn applied(
    uses: &[Use],
    repository: &Repository<'_>,
    variables: &VariablesOf<'_>,
) -> Vec<Applied> {
    let pointer = |number: usize| match repository.pointers.get(number) {
        Some((
            _,
            Pointer {
                whole,
                says: Says::Flux(flux),
                ..
            },
        )) => Some((*whole, flux)),
        _ => None,
    };
    let changes = |one: &Use| pointer(one.step.1).is_some_and(|(_, flux)| flux.changes_objects());
    if !uses.iter().any(changes) {
        return Vec::new();
    }
    let mut parts: HashMap<&str, Arc<Parts>> = HashMap::new();
    let mut all = Vec::new();
    for one in uses {
        let (cluster, number, applier) = one.step;
        let Some((by, flux)) = pointer(number) else {
            continue;
        };
        let parts = parts
            .entry(&one.folder)
            .or_insert_with(|| Arc::new(repository.tree.parts(&one.folder)));
        let above = applier.and_then(pointer);
        let may_have_more = above.is_some_and(|(_, above)| !above.changes.is_empty());
        let variables = flux.has_variables().then(|| {
            let own = variables(cluster, Some(number)).unwrap_or_else(|| Variables {
                known: flux.variables.clone(),
                open: true,
            });
            let own = own.filled(&variables(cluster, applier).unwrap_or_default());
            Variables {
                open: own.open || may_have_more,
                ..own
            }
        });
        all.push(Applied {
            by,
            cluster: one.to,
            folder: one.folder.clone(),
            parts: Arc::clone(parts),
            variables,
            changes: !flux.changes.is_empty(),
            is_unclear: flux.is_unclear,
        });
    }
    all
}
