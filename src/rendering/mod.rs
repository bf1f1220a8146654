//! Rendered manifests, which helm or kustomize has printed: which parts of them come from which lines of which files.

mod align;
mod lines;
mod plan;
mod sections;

use std::collections::BTreeMap;

use crate::source::Source;

pub use align::{Original, align};
pub use plan::{Job, plan};
pub use sections::{COMMENT, Section, section_at, sections};

/// A program that renders manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `helm template`
    Helm,
    /// `kustomize build`
    Kustomize,
}

impl Tool {
    /// The name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Helm => "helm",
            Tool::Kustomize => "kustomize",
        }
    }
}

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering {
    /// What was rendered.
    pub job: Job,
    /// The manifests.
    pub text: String,
}

/// The rendered manifests of a run.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// What programs printed for charts and kustomizations of the repository.
    pub renderings: Vec<Rendering>,
    /// The templates that the comments in standard input name, by the text of the comment.
    pub templates: BTreeMap<String, Source>,
}
