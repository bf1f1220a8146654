//! Templates of YAML: Go templates such as those of Helm, Jinja, and Terraform's. A template is read without its values:
//! its text is written out branch by branch, and what an action prints is unknown. Knows nothing of Kubernetes.

mod branches;
mod cover;
mod flows;
mod given;
mod go;
mod go_blocks;
mod go_conditions;
mod go_functions;
mod go_printing;
mod go_prints;
mod go_relevance;
mod go_scope;
mod go_values;
mod go_variables;
mod jinja;
mod terraform;
mod tree;
mod writer;

use crate::source::SourceId;
use crate::source::text::Cut as _;

#[cfg(test)]
mod tests;

pub use cover::{Variant, Variants};
pub use flows::{Flow, Origin, Test};
pub use given::Given;

/// The maximum length in bytes of a template. Longer ones are not read.
const MAX_TEMPLATE: usize = 4 * 1024 * 1024;

/// Parts of names of templates that say nothing about their language.
const PLAIN: [&str; 6] = ["gotmpl", "j2", "template", "tftpl", "tmpl", "tpl"];

/// The language of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Go's `text/template`.
    Go,
    /// Jinja, as used by Ansible.
    Jinja,
    /// The templates of Terraform's `templatefile`.
    Terraform,
}

impl Language {
    /// The languages that a text may be written in, the likeliest first.
    pub fn of(path: &str, text: &str) -> Vec<Language> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let named = |words: &[&str]| {
            let mut parts = name.split('.').skip(1);
            parts.any(|part| words.contains(&part))
        };
        let has_go = text.contains("{{");
        let has_blocks = go_blocks::has_keywords(text);
        let has_jinja = text.contains("{%");
        let has_terraform = text.contains("${") || text.contains("%{");
        let all = [
            (Language::Terraform, named(&["tftpl"])),
            (Language::Jinja, named(&["j2", "jinja", "jinja2"])),
            (Language::Jinja, has_jinja),
            (Language::Go, has_go),
            (Language::Jinja, has_go && !has_blocks),
            (Language::Terraform, has_terraform),
            // A text without marks is the same in all languages.
            (Language::Go, named(&PLAIN)),
        ];
        let mut languages = Vec::new();
        for (language, may_be) in all {
            if may_be && !languages.contains(&language) {
                languages.push(language);
            }
        }
        languages
    }
}

/// Why a template cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Broken {
    /// The offset of the error in the text.
    pub at: usize,
    /// What is wrong, as a clause.
    pub message: String,
}

/// A parsed template.
pub struct Template(Tree);

/// Its syntax tree, with the text that it points into.
enum Tree {
    Go(go::Tree),
    Parts(String, Vec<tree::Part>),
}

impl Template {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns where the template is broken, for example an action or a block that is not closed.
    pub fn parse(text: &str, language: Language) -> Result<Template, Broken> {
        if text.len() > MAX_TEMPLATE {
            return Err(Broken {
                at: 0,
                message: "the template is longer than 4 MiB".to_owned(),
            });
        }
        let tree = match language {
            Language::Go => Tree::Go(go::Tree::parse(text)?),
            Language::Jinja => Tree::Parts(text.to_owned(), jinja::parse(text)?),
            Language::Terraform => Tree::Parts(text.to_owned(), terraform::parse(text)?),
        };
        Ok(Template(tree))
    }

    /// Finds values that are printed under one of these keys but belong elsewhere: the value of another key, all values, or
    /// another value than the one that the template tests.
    pub fn misprinted(&self, keys: &[&str]) -> Vec<Printed> {
        match &self.0 {
            Tree::Go(tree) => tree.misprinted(keys),
            Tree::Parts(..) => Vec::new(),
        }
    }

    /// The names of the templates that it defines and that have text with one of the words.
    pub fn defines(&self, words: &[&str]) -> Vec<String> {
        match &self.0 {
            Tree::Go(tree) => go_relevance::names(tree, words),
            Tree::Parts(..) => Vec::new(),
        }
    }

    /// Writes the template out until each of its branches occurs in a variant. `source` is its file. It may include the
    /// templates that other files define.
    pub fn variants(&self, source: SourceId, others: &Templates, wishes: Wishes<'_>) -> Variants {
        self.filled(source, others, wishes, None)
    }

    /// The same, where some values are known.
    pub fn filled(
        &self,
        source: SourceId,
        others: &Templates,
        wishes: Wishes<'_>,
        given: Option<&Given<'_>>,
    ) -> Variants {
        let others = others.0.iter().filter_map(|(id, other)| match &other.0 {
            Tree::Go(tree) => Some((*id, tree)),
            Tree::Parts(..) => None,
        });
        let library = match &self.0 {
            Tree::Go(tree) => go::Library::of(others.chain([(source, tree)])),
            Tree::Parts(..) => go::Library::default(),
        };
        cover::variants(source, given, |writer| match &self.0 {
            Tree::Go(tree) => go_scope::write(tree, &library, (wishes, given), writer),
            Tree::Parts(text, parts) => tree::write(parts, text, wishes.words, writer),
        })
    }
}

/// Templates of other files, with these files. The last definition of a name counts.
pub struct Templates(Vec<(SourceId, Template)>);

impl FromIterator<(SourceId, Template)> for Templates {
    fn from_iter<I: IntoIterator<Item = (SourceId, Template)>>(all: I) -> Self {
        Templates(all.into_iter().collect())
    }
}

impl Templates {
    /// No templates.
    pub fn none() -> &'static Templates {
        static NONE: Templates = Templates(Vec::new());
        &NONE
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files that define them.
    pub fn files(&self) -> impl Iterator<Item = SourceId> {
        self.0.iter().map(|(id, _)| *id)
    }
}

/// The names that a text has after a word such as `include` or `define`, in quotes.
pub fn names_after<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(word).filter_map(move |(at, word)| {
        let rest = text.since(at + word.len()).strip_prefix([' ', '\t'])?;
        let name = rest.trim_start().strip_prefix(['"', '`'])?;
        name.split_once(['"', '`']).map(|(name, _)| name)
    })
}

/// A value that a template prints under a key that it does not belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The place of the action.
    pub at: std::ops::Range<usize>,
    /// The key.
    pub key: String,
    /// The path of the value from the top of all values; `$` for all of them.
    pub value: String,
    /// The path of the value that is tested in its place.
    pub tested: Option<String>,
    /// Whether the path is written as if it began at the top, although `.` is the tested value.
    pub is_nested: bool,
}

/// What is wanted of a template.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'w> {
    /// Branches that contain none of these words are not written for their own sake.
    pub words: &'w [&'w str],
    /// The oldest release of Kubernetes that a cluster may have: `20` for 1.20. Conditions on the release are decided by it
    /// where all newer ones have the same result.
    pub oldest_release: u32,
}
