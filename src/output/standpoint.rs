//! The user's working directory, used to turn a path of the repository into a path relative to it.

use std::path::{Component, Path};

use super::escape;
use crate::source::STDIN_PATH;
use crate::source::text::Cut as _;

/// The working directory relative to the repository. The default is the repository's root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standpoint {
    /// The path from there to the repository's root. It ends with a slash unless it is empty.
    to_root: String,
    /// The folders from the repository's root to the working directory, or none if that is outside the repository.
    inside: Vec<String>,
}

impl Standpoint {
    /// The standpoint of a user whose working directory is `here`. Both paths are absolute.
    pub fn new(root: &Path, here: &Path) -> Standpoint {
        let named =
            |component: &Component<'_>| component.as_os_str().to_string_lossy().into_owned();
        let root: Vec<Component<'_>> = root.components().collect();
        let here: Vec<Component<'_>> = here.components().collect();
        let common = root
            .iter()
            .zip(&here)
            .take_while(|(one, other)| one == other)
            .count();
        if common == root.len() {
            return Standpoint {
                to_root: "../".repeat(here.len() - common),
                inside: here
                    .get(common..)
                    .unwrap_or_default()
                    .iter()
                    .map(named)
                    .collect(),
            };
        }
        // If only the file system's root is common, the absolute path is clearer.
        let (mut to_root, below) = match common {
            0 | 1 => (
                "/".to_owned(),
                root.get(1.min(root.len())..).unwrap_or_default(),
            ),
            _ => (
                "../".repeat(here.len() - common),
                root.get(common..).unwrap_or_default(),
            ),
        };
        for component in below {
            to_root.push_str(&named(component));
            to_root.push('/');
        }
        Standpoint {
            to_root,
            inside: Vec::new(),
        }
    }

    /// The path of a file relative to the working directory. A file outside the repository already has an absolute path,
    /// and standard input has none.
    pub fn path(&self, file: &str) -> String {
        if file == STDIN_PATH || Path::new(file).has_root() {
            return escape::name(file).into_owned();
        }
        // The last component is the file itself, not a folder.
        let folders = file.matches('/').count();
        let shared = file
            .split('/')
            .take(folders)
            .zip(&self.inside)
            .take_while(|(folder, inside)| folder == inside)
            .count();
        let below = file.splitn(shared + 1, '/').last().unwrap_or(file);
        let to_root = self.to_root.since("../".len() * shared);
        format!("{}{}", escape::name(to_root), escape::name(below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(here: &str, file: &str) -> String {
        Standpoint::new(Path::new("/home/me/repo"), Path::new(here)).path(file)
    }

    #[test]
    fn a_file_below_is_named_from_here_and_another_by_the_way_up() {
        for (here, file, shown) in [
            ("/home/me/repo", "apps/web/a.yaml", "apps/web/a.yaml"),
            ("/home/me/repo/apps", "apps/web/a.yaml", "web/a.yaml"),
            ("/home/me/repo/apps/web", "apps/web/a.yaml", "a.yaml"),
            ("/home/me/repo/apps/web", "apps/b.yaml", "../b.yaml"),
            ("/home/me/repo/apps/web", "c.yaml", "../../c.yaml"),
            ("/home/me/repo/apps", "apps.yaml", "../apps.yaml"),
            // A name that only shares a prefix is another folder.
            ("/home/me/repo/app", "apps/a.yaml", "../apps/a.yaml"),
            // The working directory itself, and its parent.
            ("/home/me/repo/apps", "apps", "../apps"),
        ] {
            assert_eq!(seen(here, file), shown, "{here}");
        }
    }

    #[test]
    fn from_outside_the_way_leads_to_the_root_first() {
        for (here, shown) in [
            ("/home/me", "repo/a.yaml"),
            ("/home/me/other/deep", "../../repo/a.yaml"),
            ("/home", "me/repo/a.yaml"),
            ("/srv/www", "/home/me/repo/a.yaml"),
            ("/", "/home/me/repo/a.yaml"),
        ] {
            assert_eq!(seen(here, "a.yaml"), shown, "{here}");
        }
    }

    #[test]
    fn what_is_not_of_the_repository_is_named_as_it_is() {
        for file in ["/srv/pools.yaml", STDIN_PATH] {
            assert_eq!(seen("/home/me/repo/apps", file), file);
        }
    }
}
