//! Paths that files of a repository name relative to their own folder.

/// The path that an entry of a file in the folder `at` means: `../base` from `overlays/prod` is `overlays/base`. Returns
/// `None` for anything outside the repository, such as URLs.
pub fn resolve(at: &str, entry: &str) -> Option<String> {
    if is_remote(entry) {
        return None;
    }
    let mut steps: Vec<&str> = match entry.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => at.split('/').filter(|step| !step.is_empty()).collect(),
    };
    for step in entry.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            other => steps.push(other),
        }
    }
    Some(steps.join("/"))
}

/// Whether an entry names a file or a folder on another machine.
pub fn is_remote(entry: &str) -> bool {
    let host = entry.split('/').next().unwrap_or_default();
    entry.contains("://")
        || entry.starts_with("git@")
        || entry.contains("?ref=")
        || (entry.contains("//") && host.contains('.') && !host.starts_with('.'))
        || entry.starts_with("github.com/")
}

/// Whether a path is in a folder, at any depth, or is the folder itself.
pub fn is_within(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_out_of_the_repository_is_nowhere() {
        assert_eq!(resolve("a", "../../x"), None);
        assert_eq!(resolve("a/b", "../x.yaml").as_deref(), Some("a/x.yaml"));
        assert_eq!(resolve("a", "https://example.com/x"), None);
        assert_eq!(resolve("a", "github.com/example/x//base?ref=v1"), None);
        assert_eq!(resolve("a", "./b//c").as_deref(), Some("a/b/c"));
    }

    #[test]
    fn a_folder_contains_what_is_below_it() {
        assert!(is_within("a/b/c.yaml", "a/b") && is_within("a", "a") && is_within("x", ""));
        assert!(!is_within("ab/c", "a"));
    }
}
