//! From a path in the repository to one that works from where the user stands.

use std::env;
use std::path::{Component, Path};

/// What to put before a path so that it leads to the file from the working directory.
pub(super) fn prefix_from_here(root: &Path) -> String {
    let Ok(here) = env::current_dir() else {
        return String::new();
    };
    let root: Vec<Component<'_>> = root.components().collect();
    let here: Vec<Component<'_>> = here.components().collect();
    let common = root
        .iter()
        .zip(&here)
        .take_while(|(one, other)| one == other)
        .count();
    let mut prefix = "../".repeat(here.len() - common);
    let mut below = &root[common..];
    if common <= 1 {
        // Nothing in common but the file system's root: the whole path says it better.
        prefix = "/".to_owned();
        below = &root[1.min(root.len())..];
    }
    for component in below {
        prefix.push_str(&component.as_os_str().to_string_lossy());
        prefix.push('/');
    }
    prefix
}
