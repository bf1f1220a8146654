//! Where the user stands: what turns a path of the repository into one that works from there.

use std::path::{Component, Path};

use super::escape;
use crate::source::STDIN_PATH;
use crate::source::text::Cut as _;

/// Where the user stands, seen from the repository. The default is its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standpoint {
    /// Leads from there to the repository's root; ends with a slash when it is not empty.
    to_root: String,
    /// The folders of the repository that lead to there; none when that is elsewhere.
    inside: Vec<String>,
}

impl Standpoint {
    /// Of somebody whose working directory is `here`; both paths are absolute.
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
        // Nothing in common but the file system's root: the whole path says it better.
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

    /// A path of the repository as it is reached from here. What is not of the repository has its whole path already, and
    /// standard input has none.
    pub fn path(&self, file: &str) -> String {
        if file == STDIN_PATH || Path::new(file).has_root() {
            return escape::name(file).into_owned();
        }
        // The last part is the file itself, which nobody stands in.
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
            // A name that only begins alike is another folder.
            ("/home/me/repo/app", "apps/a.yaml", "../apps/a.yaml"),
            // The folder in which one stands, and one above.
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
