//! The files that a run skips, with the reasons.

use std::collections::BTreeSet;
use std::path::Path;

use ignore::WalkBuilder;

use super::walk::SKIPPED_FOLDERS;
use super::{CONFIG_FILE, Discovery, absolute, shown};
use crate::source::FileKind;

/// A file that is not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// The path in reports.
    pub path: String,
    /// The reason.
    pub why: Why,
}

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is the configuration, which is not a manifest.
    Configuration,
    /// It is a link to a file that is read under its own name, or to one outside of the repository.
    Link,
    /// The configuration excludes it.
    Excluded,
    /// A `.gitignore` or `.ignore` file names it.
    Ignored,
    /// Files with such a name are not read.
    OtherKind,
}

impl Why {
    /// Returns the reason, as the end of a sentence that begins with "not read:".
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Configuration => "it is the configuration",
            Why::Link => "it is a link",
            Why::Excluded => "excluded by `exclude` in the configuration",
            Why::Ignored => "excluded by a .gitignore or .ignore file",
            Why::OtherKind => "it is neither YAML nor JSON",
        }
    }
}

/// Returns the files below `paths` that were not discovered, sorted by path. Folders that are never entered, such as
/// `.git`, are omitted.
pub fn unread(
    discovery: &Discovery,
    paths: &[impl AsRef<Path>],
    exclude: &dyn Fn(&str) -> bool,
) -> Vec<Unread> {
    let read: BTreeSet<&str> = discovery.files.iter().map(|file| &*file.path).collect();
    let mut unread = BTreeSet::new();
    for path in paths {
        let Ok(named) = absolute(path.as_ref()) else {
            continue;
        };
        let Ok(start) = named.canonicalize() else {
            continue;
        };
        let walk = WalkBuilder::new(&start)
            .standard_filters(false)
            .follow_links(false)
            .filter_entry(|entry| {
                entry.depth() == 0
                    || !SKIPPED_FOLDERS
                        .iter()
                        .any(|name| entry.file_name() == *name)
            })
            .build();
        for entry in walk.filter_map(Result::ok) {
            let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else {
                continue;
            };
            let below = entry.path().strip_prefix(&start).unwrap_or(entry.path());
            let path = match below.as_os_str().is_empty() {
                true => shown(&discovery.root, &named),
                false => shown(&discovery.root, &named.join(below)),
            };
            if read.contains(path.as_str()) {
                continue;
            }
            let why = if kind.is_symlink() {
                Why::Link
            } else if entry.file_name() == CONFIG_FILE {
                Why::Configuration
            } else if FileKind::of(&path).is_none() || FileKind::is_compiled(&path) {
                Why::OtherKind
            } else if exclude(&path) {
                Why::Excluded
            } else {
                Why::Ignored
            };
            unread.insert(Unread { path, why });
        }
    }
    unread.into_iter().collect()
}
