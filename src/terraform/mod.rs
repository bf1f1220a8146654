//! Reads Terraform configurations as trees with places. It reads the files, evaluates the modules as far as possible
//! without running anything, and returns the declarations as the same kind of tree as YAML. A value that cannot be
//! determined is unknown, with a reason. This module knows nothing of Kubernetes.

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
mod registry;
mod run;
mod syntax;
pub mod template;
mod templates;
mod terragrunt;
mod terragrunt_paths;
mod text_functions;
mod tokens;
mod trees;
mod value;
mod var_files;
mod variants;
mod words;
mod workspaces;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::source::{SourceId, Span};
use crate::yaml;

pub use folder::{Files, Folder, Repository, is_library};
pub use literals::{literal_of_template, literals};
pub use references::undeclared;
pub use run::Used;
pub use syntax::File;
pub use var_files::{VarFiles, names_var_files, var_files};
pub use variants::Values;

use module::{Inputs, Module};
use run::Run;

/// The maximum number of steps in the evaluation of one configuration.
pub const BUDGET: u32 = 1_000_000;

/// A place where a file is not valid Terraform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// First byte and one past the last.
    pub at: (u32, u32),
    /// What is wrong.
    pub message: String,
}

/// A heredoc: a text that starts with `<<WORD` and ends with `WORD` on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heredoc {
    /// The whole heredoc, from `<<` to the end of the closing `WORD`.
    pub whole: Range<usize>,
    /// Its lines, without the lines of the markers.
    pub lines: Range<usize>,
    /// Whether its content depends on a directive: `%{ … }`.
    pub has_directives: bool,
}

/// The kind of block that declares something.
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
    /// The kind of block that declares it.
    pub kind: DeclaredKind,
    /// The type of the resource, or the module's name in the registry.
    pub of_type: String,
    /// Its name in its module, with the key of `for_each` or the index of `count`.
    pub label: String,
    /// Its name in the configuration.
    pub address: String,
    /// The file it belongs to: the file of the outermost call.
    pub source: SourceId,
    /// Names of the resources that its arguments mention.
    pub mentions: Vec<String>,
    /// Its arguments; nested blocks are lists.
    pub tree: yaml::Document,
    /// Why it may not exist at all, or `None` if it does.
    pub doubt: Option<String>,
}

/// The result of the evaluation of one configuration.
#[derive(Debug)]
pub struct Evaluated {
    /// What it declares.
    pub declared: Vec<Declared>,
    /// The first module call that was not followed because there are too many calls, or too many nested calls.
    pub left_out: Option<Span>,
    /// The inputs that it was read from.
    pub used: Used,
    /// The workspaces that it tells apart, and where each is named.
    pub workspaces: BTreeMap<String, Span>,
    /// The number of steps that were left in the end.
    pub steps_left: u32,
}

/// Reads one file. Keeps the resources whose type is `wanted`. A broken file gives the parts that can be read.
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
    let is_values = var_files::is_values(path);
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

/// Whether two texts, not in JSON notation, differ only in blanks and comments. A broken text equals no other.
pub fn same(one: &str, other: &str) -> bool {
    hcl::same(one, other)
}

/// Returns the heredocs of a text, not in JSON notation, in order; nested heredocs are not listed. If the text is
/// broken, returns those of the blocks that can be read.
pub fn heredocs(text: &str) -> Vec<Heredoc> {
    hcl::heredocs(text)
}

/// Returns the quoted parts of a text, not in JSON notation, in order: no comment starts in them. Empty if the text is
/// broken.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    hcl::quoted(text)
}

/// Decodes a file, not in JSON notation, that contains bytes that are not UTF-8. Terraform ignores them in comments.
/// Each becomes a question mark. Returns `None` if there is one outside a comment.
pub fn text_beside_comments(bytes: &[u8]) -> Option<String> {
    hcl::text_beside_comments(bytes)
}

impl Repository<'_> {
    /// Returns everything that one configuration declares, including the modules of this repository that it calls: with the
    /// values of one variant, or with those that all have in common. The workspace may be known, too.
    pub fn evaluate(
        &self,
        top: &Folder,
        values: Option<&Values>,
        workspace: Option<&str>,
        budget: u32,
    ) -> Evaluated {
        let run = Run::new(budget, workspace);
        run.use_folder(&top.path);
        let inputs = match top.is_top() {
            true => Inputs::Top(values),
            false => Inputs::Open,
        };
        let mut declared = Vec::new();
        Module::top(&run, self, top, inputs).declare(&mut declared);
        let (left_out, steps_left) = (run.left_out(), run.left());
        let (used, workspaces) = run.finish();
        Evaluated {
            declared,
            left_out,
            used,
            workspaces,
            steps_left,
        }
    }

    /// The other folders that a folder calls.
    fn calls(&self, folder: &Folder) -> Vec<String> {
        let run = Run::new(BUDGET, None);
        let module = Module::top(&run, self, folder, Inputs::Open);
        let called = folder
            .modules()
            .filter_map(|(file, block)| module.called(file, block));
        called.filter(|path| *path != folder.path).collect()
    }

    /// Returns the folders that no other folder calls. If folders call each other in a circle, returns the first of them.
    pub fn tops(&self) -> Vec<&Folder> {
        let calls: BTreeMap<&str, Vec<String>> = self
            .folders
            .iter()
            .map(|(path, folder)| (path.as_str(), self.calls(folder)))
            .collect();
        let called: BTreeSet<&String> = calls.values().flatten().collect();
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut tops = Vec::new();
        let uncalled = self
            .folders
            .values()
            .filter(|one| !called.contains(&one.path));
        for folder in uncalled.chain(self.folders.values()) {
            if reached.contains(&folder.path) {
                continue;
            }
            tops.push(folder);
            let mut open = vec![folder.path.clone()];
            while let Some(path) = open.pop() {
                if !reached.insert(path.clone()) {
                    continue;
                }
                open.extend(calls.get(path.as_str()).into_iter().flatten().cloned());
            }
        }
        tops
    }
}
