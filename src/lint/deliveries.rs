//! What the files of a repository say of deliveries to clusters.

use thin_vec::ThinVec;

use crate::delivery::Pointer;
use crate::extract::{FileFacts, GeneratedKey, Kustomization};

/// What files say of deliveries.
#[derive(Debug, Default)]
pub struct Deliveries {
    /// Objects that point to folders, sources or clusters.
    pub pointers: ThinVec<Pointer>,
    /// Kustomization files, with what they name.
    pub kustomizations: ThinVec<Kustomization>,
    /// Files that kustomizations put into objects.
    pub generated: ThinVec<GeneratedKey>,
}

impl Deliveries {
    /// Takes them out of the facts of all files.
    pub fn take(facts: &mut FileFacts) -> Deliveries {
        Deliveries {
            pointers: std::mem::take(&mut facts.pointers),
            kustomizations: facts.kustomizations.clone(),
            generated: std::mem::take(&mut facts.generated),
        }
    }
}
