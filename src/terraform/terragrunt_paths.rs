//! Resolves the paths in Terragrunt files: texts with functions that name folders.

use std::cell::Cell;
use std::rc::Rc;

use super::syntax::{Expression, ExpressionKind, File, Part, Step};
use super::terragrunt::FILE;
use crate::source::path::{common_folder, join};

/// The maximum number of locals that one path is looked up through.
pub(super) const MAX_LOCALS: u32 = 20;

/// What the functions in a path refer to. Folders start with `/`, the repository's root.
pub(super) struct Paths<'a> {
    /// The folder of the file that Terragrunt runs for.
    pub folder: &'a str,
    /// The file with the path.
    pub file: &'a File,
    /// The folder of the included file with this name, or of the only one.
    pub included: &'a dyn Fn(Option<&str>) -> Option<String>,
    /// Returns the text of a file.
    pub read: &'a dyn Fn(&str) -> Option<Rc<str>>,
    /// How many locals it may still look up.
    pub left: Cell<u32>,
}

impl Paths<'_> {
    /// Resolves a path, including Terragrunt's folder functions. Their results start with `/` or `..`.
    pub fn resolve(&self, path: &Expression) -> Option<String> {
        match &path.kind {
            ExpressionKind::Text(text) => Some(text.to_string()),
            ExpressionKind::Template(template) => {
                let parts = template.parts.iter().map(|part| match part {
                    Part::Text(literal) => Some(literal.text.to_string()),
                    Part::Value(value, _) => self.resolve(value),
                    _ => None,
                });
                parts.collect()
            }
            ExpressionKind::Access(of, steps) => match (&of.kind, steps.as_slice()) {
                (ExpressionKind::Name(name), [Step::Name(local)]) if **name == *"local" => {
                    self.left.set(self.left.get().checked_sub(1)?);
                    self.resolve(self.file.locals.get(local)?)
                }
                _ => None,
            },
            ExpressionKind::Call(call) => {
                let folder = self.folder;
                match (&*call.name, call.arguments.as_slice()) {
                    ("find_in_parent_folders", []) => self.above(FILE),
                    ("find_in_parent_folders", [name]) => self.above(name.plain_text()?),
                    ("get_terragrunt_dir" | "get_original_terragrunt_dir", []) => {
                        Some(folder.to_owned())
                    }
                    ("get_repo_root" | "get_path_from_repo_root", []) => {
                        let is_relative = &*call.name == "get_path_from_repo_root";
                        let path = folder.trim_start_matches('/');
                        Some(if is_relative { path } else { "" }.to_owned())
                    }
                    ("get_path_to_repo_root", []) => Some(relative(folder, "")),
                    ("get_parent_terragrunt_dir", name) => (self.included)(only_text(name)?),
                    ("path_relative_from_include", name) => {
                        let included = (self.included)(only_text(name)?)?;
                        Some(relative(folder, &included))
                    }
                    ("path_relative_to_include", name) => {
                        let included = (self.included)(only_text(name)?)?;
                        Some(relative(&included, folder))
                    }
                    ("dirname", [path]) => {
                        let path = self.resolve(path)?;
                        path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the nearest file with this name in the folders above.
    fn above(&self, name: &str) -> Option<String> {
        let mut folder = self.folder.trim_matches('/');
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let path = join(folder, name)?;
            if (self.read)(&path).is_some() {
                return Some(format!("/{path}"));
            }
        }
        None
    }
}

/// The text of at most one argument, or `None` if it is not known.
fn only_text(arguments: &[Expression]) -> Option<Option<&str>> {
    match arguments {
        [] => Some(None),
        [one] => one.plain_text().map(Some),
        _ => None,
    }
}

/// The path from one folder to another.
fn relative(from: &str, to: &str) -> String {
    let (from, to) = (from.trim_matches('/'), to.trim_matches('/'));
    let shared = common_folder(from, to).len();
    let rest = |path: &str| -> Vec<String> {
        let rest = path.get(shared..).unwrap_or_default().split('/');
        rest.filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut names = vec!["..".to_owned(); rest(from).len()];
    names.extend(rest(to));
    match names.is_empty() {
        true => ".".to_owned(),
        false => names.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_one_folder_to_another() {
        assert_eq!(relative("/live/prod/eks", "/live"), "../..");
        assert_eq!(relative("/live", "/live/prod/eks"), "prod/eks");
        assert_eq!(relative("/live/prod", ""), "../..");
        assert_eq!(relative("/live", "/live"), ".");
        assert_eq!(relative("/a/b", "/a/bc"), "../bc");
    }
}
