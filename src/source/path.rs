//! Paths of files in a repository, relative to its root and with `/` between folders.

/// Resolves a path relative to a folder to a path from the root of the repository, or `None` if it leads outside.
pub fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a file; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
