//! What the files of a repository say of deliveries to clusters.

use thin_vec::ThinVec;

use super::kustomizations::Kustomizations;
use crate::delivery::Pointer;
use crate::extract::{FileFacts, GeneratedKey, Kustomization};
use crate::source::{SourceId, Span};

/// What files say of deliveries.
#[derive(Debug, Default)]
pub struct Deliveries {
    /// Objects that point to folders, sources or clusters.
    pub pointers: ThinVec<Pointer>,
    /// Kustomization files, with what they name.
    pub kustomizations: ThinVec<Kustomization>,
    /// Files that kustomizations put into objects.
    pub generated: ThinVec<GeneratedKey>,
    /// Objects that are used where they are, with the places where kustomizations put something else in their place.
    pub beside: Vec<(Span, Vec<SourceId>)>,
}

impl Deliveries {
    /// Takes them out of the facts of all files, and of what kustomizations make of these.
    pub fn take(facts: &mut FileFacts, kustomizations: &mut Kustomizations) -> Deliveries {
        Deliveries {
            pointers: std::mem::take(&mut facts.pointers),
            kustomizations: facts.kustomizations.clone(),
            generated: std::mem::take(&mut facts.generated),
            beside: kustomizations.take_beside(),
        }
    }
}
