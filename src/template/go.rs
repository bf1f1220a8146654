//! Go templates: the syntax tree of a file, and the templates that files define for each other.

use std::collections::HashMap;
use std::sync::Arc;

use gotmpl::TemplateError;
use gotmpl::parse::{DefineNode, ListNode, Parser};

use super::go_blocks::check_blocks;
use super::go_prints::Prints;
use super::{Broken, Printed};
use crate::source::SourceId;
use crate::source::text::Cut as _;

/// The syntax tree of a file.
pub struct Tree {
    pub(super) text: Arc<str>,
    pub(super) body: ListNode,
    pub(super) defines: Vec<DefineNode>,
}

impl Tree {
    /// Parses a file.
    ///
    /// # Errors
    /// Returns where it is broken.
    pub fn parse(text: &str) -> Result<Tree, Broken> {
        check_blocks(text)?;
        let broken = |error: TemplateError| broken(text, &error);
        let parser = Parser::new(text, "{{", "}}").map_err(broken)?;
        let (body, defines) = parser.parse().map_err(broken)?;
        Ok(Tree {
            text: text.into(),
            body,
            defines,
        })
    }

    /// See [`Template::misprinted`](super::Template::misprinted).
    pub fn misprinted(&self, keys: &[&str]) -> Vec<Printed> {
        let mut prints = Prints {
            text: &self.text,
            keys,
            found: Vec::new(),
        };
        prints.read_body(&self.body);
        for define in &self.defines {
            prints.read_define(&define.body);
        }
        prints.found
    }
}

/// Named templates that files define. The last definition of a name counts.
#[derive(Default)]
pub struct Library<'t>(HashMap<&'t str, (SourceId, &'t Tree, &'t ListNode)>);

impl<'t> Library<'t> {
    /// The definitions in some files.
    pub fn of(files: impl IntoIterator<Item = (SourceId, &'t Tree)>) -> Self {
        let mut library = Library::default();
        for (source, tree) in files {
            for define in &tree.defines {
                let name = define.name.as_str();
                library.0.insert(name, (source, tree, &define.body));
            }
        }
        library
    }

    /// Whether it has a template with this name.
    pub fn defines(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The template with this name, and its file.
    pub fn get(&self, name: &str) -> Option<(SourceId, &'t Tree, &'t ListNode)> {
        self.0.get(name).copied()
    }
}

/// Translates an error of the parser.
fn broken(text: &str, error: &TemplateError) -> Broken {
    let (line, column, message) = match error {
        TemplateError::Parse {
            line, col, message, ..
        }
        | TemplateError::Lex {
            line, col, message, ..
        } => (*line, *col, message.clone()),
        other => (1, 1, other.to_string()),
    };
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let before = text.since(start).chars().take(column.saturating_sub(1));
    Broken {
        at: start + before.map(char::len_utf8).sum::<usize>(),
        message,
    }
}
