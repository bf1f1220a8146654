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

/// The folder that contains both, or is one of them; empty for the root.
pub fn common_folder<'p>(one: &'p str, other: &str) -> &'p str {
    if one == other {
        return one;
    }
    let (mut end, mut same) = (0, 0);
    for (ours, theirs) in one.split('/').zip(other.split('/')) {
        if ours != theirs {
            break;
        }
        end += ours.len() + 1;
        same = end - 1;
    }
    one.get(..same).unwrap_or_default()
}

/// The folder of a file; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
