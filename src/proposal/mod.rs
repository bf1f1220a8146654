//! The configuration that `kubetaint init` proposes: a commented text, based on the clusters that a repository shows and on
//! the recognized pools. It changes no verdict unless the files themselves justify that.

mod clusters;
mod cover;
mod text;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::finding::{Counts, Shown};
use crate::inventory::Pool;
use crate::model::path_words::is_test_path;
use crate::source::text::Cut as _;
pub use clusters::{Entry, Tried};
use text::{line, listed, pattern};

/// Folders for third-party files. `external` is none: it often holds what is reached from outside.
const VENDORED: [&str; 5] = [
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "node_modules",
];

/// The most lines of a list in a comment.
const MOST_LINES: usize = 5;

/// Facts about a repository.
pub struct Seen<'s> {
    /// The node pools.
    pub pools: &'s [Pool],
    /// The clusters that it shows.
    pub shown: &'s Shown,
    /// Files that were read.
    pub files: &'s [String],
    /// Files that were not read.
    pub others: &'s [String],
    /// The counts of the run.
    pub counts: &'s Counts,
}

/// A proposal, before it is written.
pub struct Proposal<'s> {
    seen: &'s Seen<'s>,
    /// The clusters.
    pub entries: Vec<Entry<'s>>,
    /// Folders of others' files that are excluded, and those that are not because something is found in them.
    vendored: (Vec<String>, Vec<String>),
}

impl<'s> Proposal<'s> {
    /// Makes a proposal. `is_clean` tells whether a folder may be excluded.
    pub fn new(seen: &'s Seen<'s>, is_clean: &dyn Fn(&str) -> bool) -> Proposal<'s> {
        let vendored = top_folders(seen.files, |segment| VENDORED.contains(&segment));
        let vendored: (Vec<String>, Vec<String>) =
            vendored.into_iter().partition(|folder| is_clean(folder));
        let mut proposal = Proposal {
            seen,
            entries: Vec::new(),
            vendored,
        };
        proposal.enter();
        proposal
    }

    /// Finds the patterns of the clusters.
    fn enter(&mut self) {
        self.entries = clusters::entries(self.seen.shown, &|path| self.excludes(path));
    }

    /// The clusters that it has, as far as nothing speaks against them.
    pub fn proposed(&self, tried: &Tried) -> impl Iterator<Item = &Entry<'s>> {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.is_writable() && !tried.doubts.contains_key(&entry.shown.name))
    }

    /// Whether it excludes a file.
    pub fn excludes(&self, path: &str) -> bool {
        self.vendored.0.iter().any(|folder| is_in(path, folder))
    }

    /// Excludes nothing.
    pub fn exclude_nothing(&mut self) {
        self.vendored.1.append(&mut self.vendored.0);
        self.enter();
    }

    /// Its text. `complete` says of each cluster that it is complete, which nobody but the owner can say.
    pub fn text(&self, tried: &Tried, complete: bool) -> String {
        let mut text = String::from(
            "# What kubetaint is to know about this repository. All of it is optional; `kubetaint check` reads this file.\n\n\
             # The release of your API servers; default: the newest known.\n\
             # kubernetes: \"1.34\"\n\n",
        );
        exclude(self.seen, &self.vendored, &mut text);
        text.push_str(
            "\n# A cluster is the files that belong to it: workloads are compared with the pools of their own clusters. Without\n\
             # this, what delivers to clusters and the names of folders say which pools serve which workloads, and nothing\n\
             # says that a cluster has no other pools. `kubetaint clusters` shows them.\n",
        );
        clusters::write(&self.entries, self.seen.shown, tried, complete, &mut text);
        text.push('\n');
        pools(self.seen, &mut text);
        text.push_str(
            "\n# Severities, and exceptions, of single rules; `kubetaint rules` lists them.\n\
             # rules:\n\
             #   blanket-exists: {severity: error, except: [{kind: DaemonSet, namespace: \"kube-*\"}]}\n\
             #   toleration-without-selector: off\n",
        );
        text
    }
}

/// Whether a path is below a folder.
fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn exclude(seen: &Seen<'_>, (vendored, found): &(Vec<String>, Vec<String>), text: &mut String) {
    let test_folders = top_folders(seen.files, is_test_path);
    text.push_str("# Files that are not read.\n");
    if vendored.is_empty() && found.is_empty() {
        text.push_str("# exclude: [\"vendor/**\"]\n");
    } else if vendored.is_empty() {
        text.push_str("# exclude:\n");
    } else {
        text.push_str("exclude:\n");
    }
    for folder in vendored {
        line(text, &format!("  - {}", pattern(folder, "/**")));
    }
    for folder in found {
        let what = "something is found in it, or depends on it";
        line(text, &format!("  # - {}  # {what}", pattern(folder, "/**")));
    }
    let is_vendored = |folder: &str| {
        let mut all = vendored.iter().chain(found);
        all.any(|above| is_in(folder, above))
    };
    let test_folders: Vec<String> = test_folders
        .into_iter()
        .filter(|folder| !is_vendored(folder))
        .collect();
    if !test_folders.is_empty() {
        text.push_str(
            "# These look like tests, examples or an archive. They are read, and what does not fit together in them is a note.\n",
        );
        let lines = test_folders
            .iter()
            .map(|folder| format!("  - {}", pattern(folder, "/**")));
        listed(text, MOST_LINES, lines);
    }
}

/// The outermost folders whose own name matches.
fn top_folders(files: &[String], says: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut end = 0;
        for segment in file.split('/') {
            let start = end;
            end = start + segment.len() + 1;
            if end < file.len() && says(segment) {
                found.insert(file.until(start + segment.len()).to_owned());
                break;
            }
        }
    }
    found.into_iter().collect()
}

fn pools(seen: &Seen<'_>, text: &mut String) {
    let count = seen.pools.len();
    let place = |pool: &Pool| {
        let file = pool.file.as_deref().unwrap_or_default();
        format!("{file}:{}", pool.line.unwrap_or(1))
    };
    if count == 0 {
        text.push_str("# No node pools were read here: nothing is compared across files until some are known.\n");
    } else {
        let _ = writeln!(
            text,
            "# Node pools that are read here: {count}. `kubetaint pools` shows them with their taints and labels."
        );
        let lines = seen.pools.iter().map(|pool| {
            let taints = match pool.taints.len() {
                0 => "no taints".to_owned(),
                1 => "1 taint".to_owned(),
                times => format!("{times} taints"),
            };
            format!(
                "  {} ({}, {taints}) {}",
                pool.name,
                pool.provider,
                place(pool)
            )
        });
        listed(text, MOST_LINES, lines);
    }
    let open: Vec<&Pool> = seen.pools.iter().filter(|pool| !pool.complete).collect();
    if !open.is_empty() {
        text.push_str("# Not every taint is known of:\n");
        let lines = open.into_iter().map(|pool| {
            let why = pool.incomplete_because.as_deref().unwrap_or("unknown");
            format!("  {} {}: {why}", pool.name, place(pool))
        });
        listed(text, MOST_LINES, lines);
    }
    let unread: Vec<&String> = seen
        .others
        .iter()
        .filter(|path| path.ends_with(".tf") || path.ends_with(".tf.json"))
        .collect();
    if !unread.is_empty() {
        let _ = writeln!(
            text,
            "# Terraform files that are not read: {}",
            unread.len()
        );
    }
    if !seen.counts.not_judged.is_empty() {
        text.push_str("# Not judged:\n");
        let reasons = seen.counts.not_judged.iter();
        listed(
            text,
            MOST_LINES,
            reasons.map(|(reason, times)| format!("  {reason}: {times}")),
        );
    }
    text.push_str(
        "# Pools that these files cannot show can be written here.\n\
         # pools:\n\
         #   - name: gpu\n\
         #     cluster: prod\n\
         #     labels: {node.example.com/pool: gpu}\n\
         #     taints: [\"nvidia.com/gpu=present:NoSchedule\"]\n",
    );
}
