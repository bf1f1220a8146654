//! Terraform configurations as trees with places: files are read, modules evaluated as far as that can be done without
//! running anything, and what they declare is handed out as the same kind of tree that YAML gives. What cannot be told
//! is unknown, with its reason. It knows nothing of Kubernetes.

mod body;
mod collections;
mod conform;
mod describe;
mod equality;
mod evaluate;
mod expressions;
mod fill;
mod folder;
mod functions;
mod hcl;
mod includes;
mod instances;
mod json;
mod literals;
mod mentions;
mod module;
mod parser;
mod patterns;
mod references;
mod run;
mod syntax;
mod templates;
mod terragrunt;
mod text_functions;
mod tokens;
mod trees;
mod value;
mod words;

use std::ops::Range;

use crate::source::{SourceId, Span};
use crate::yaml;

pub use folder::{Files, Folder, Repository};
pub use literals::{literal_of_template, literals};
pub use run::Used;
pub use syntax::File;

use module::{Inputs, Module};
use run::Run;

/// How many steps the evaluation of one configuration may take.
const BUDGET: u32 = 1_000_000;

/// A place where a file is not what Terraform reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// First byte and one past the last.
    pub at: (u32, u32),
    /// What is wrong.
    pub message: String,
}

/// A text that `<<WORD` begins and `WORD` on a line of its own ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heredoc {
    /// All of it, from `<<` to the end of the second `WORD`.
    pub whole: Range<usize>,
    /// Its lines, without those of the marks.
    pub lines: Range<usize>,
    /// What stands in it depends on a directive: `%{ … }`.
    pub has_directives: bool,
}

/// What kind of block declared something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredKind {
    /// `resource`
    Resource,
    /// `module` with a source that is not in this repository.
    Module,
}

/// Something that a configuration declares.
#[derive(Debug)]
pub struct Declared {
    /// By which kind of block.
    pub kind: DeclaredKind,
    /// The type of the resource, or the module's name in the registry.
    pub of_type: String,
    /// Its name in its module, with the key of `for_each` or the index of `count`.
    pub label: String,
    /// Its name in the configuration.
    pub address: String,
    /// The file that it belongs to: that of the outermost call.
    pub source: SourceId,
    /// Names of the resources that its arguments speak of.
    pub mentions: Vec<String>,
    /// Its arguments; nested blocks are lists.
    pub tree: yaml::Document,
    /// Why it is open whether it is there at all.
    pub doubt: Option<String>,
}

/// What the evaluation of one configuration gave.
#[derive(Debug)]
pub struct Evaluated {
    /// What it declares.
    pub declared: Vec<Declared>,
    /// The first call of a module that is not followed since there are too many, or too many in each other.
    pub left_out: Option<Span>,
    /// What it was read from.
    pub used: Used,
}

/// Reads one file. Resources are kept when their type is `wanted`. A file that is broken gives what can be read of it.
pub fn parse(
    path: &str,
    text: &str,
    source: SourceId,
    wanted: &dyn Fn(&str) -> bool,
) -> (File, Vec<SyntaxError>) {
    let mut file = File {
        source: Some(source),
        lines: syntax::line_starts(text),
        ..File::default()
    };
    let mut errors = Vec::new();
    let is_values = folder::is_values(path);
    if path.ends_with(".json") {
        let stream = yaml::parse(text, source);
        for error in stream.errors {
            file.broken = true;
            errors.push(SyntaxError {
                at: (error.span.start, error.span.end),
                message: error.message,
            });
        }
        if let Some(document) = stream.documents.first() {
            if is_values {
                json::read_values(document.root(), &mut file);
            } else {
                json::read(document.root(), &mut file, wanted);
            }
        }
    } else if path.ends_with(terragrunt::FILE) {
        hcl::read_terragrunt(path, text, &mut file, &mut errors);
    } else if is_values {
        hcl::read_values(text, &mut file, &mut errors);
    } else {
        hcl::read(text, &mut file, &mut errors, wanted);
    }
    (file, errors)
}

/// Whether two texts, not in JSON's notation, differ in blanks and comments only. One that is broken is like no other.
pub fn same(one: &str, other: &str) -> bool {
    hcl::same(one, other)
}

/// The heredocs of a text, not in JSON's notation, in order; none of them in another. Where the text is broken, those of
/// the blocks that can be read.
pub fn heredocs(text: &str) -> Vec<Heredoc> {
    hcl::heredocs(text)
}

/// What stands in quotes in a text, not in JSON's notation, in order: no comment begins there. Nothing where the text is
/// broken.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    hcl::quoted(text)
}

/// The text of a file, not in JSON's notation, that holds bytes that are no UTF-8: Terraform does not look at them in
/// comments. Each becomes a question mark; nothing where one stands anywhere else.
pub fn text_beside_comments(bytes: &[u8]) -> Option<String> {
    hcl::text_beside_comments(bytes)
}

impl Repository<'_> {
    /// Everything that one configuration declares, modules of this repository that it calls included.
    pub fn evaluate(&self, top: &Folder) -> Evaluated {
        let run = Run::new(BUDGET);
        run.use_folder(&top.path);
        let inputs = if top.is_top() {
            Inputs::Top
        } else {
            Inputs::Open
        };
        let mut declared = Vec::new();
        Module::top(&run, self, top, inputs).declare(&mut declared);
        Evaluated {
            declared,
            left_out: run.left_out(),
            used: run.used(),
        }
    }
}
