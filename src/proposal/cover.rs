//! The fewest patterns that match all files of a cluster and no other file that matters.

use std::collections::{BTreeMap, BTreeSet};

use super::text::literal;

/// A pattern for paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cover {
    /// Everything below a folder; the root is empty.
    Below(String),
    /// Everything below folders of this name.
    Inside(String),
    /// Files of this name.
    Named(String),
    /// One file.
    File(String),
}

/// From this many on, files or folders that have the same name are one pattern.
const ALIKE: usize = 3;

impl Cover {
    /// The pattern as the configuration spells it.
    pub fn text(&self) -> String {
        match self {
            Cover::Below(folder) if folder.is_empty() => "**".to_owned(),
            Cover::Below(folder) => format!("{}/**", literal(folder)),
            Cover::Inside(name) => format!("**/{}/**", literal(name)),
            Cover::Named(name) => format!("**/{}", literal(name)),
            Cover::File(path) => literal(path),
        }
    }

    /// Whether it matches a path.
    pub fn matches(&self, path: &str) -> bool {
        match self {
            Cover::Below(folder) => folder.is_empty() || is_below(path, folder),
            Cover::Inside(name) => folders(path).any(|folder| last(folder) == name),
            Cover::Named(name) => last(path) == name,
            Cover::File(file) => path == file,
        }
    }
}

/// Covers files, but none of `relevant` beside them. All of `own` are in `relevant`.
pub fn cover(own: &BTreeSet<String>, relevant: &BTreeSet<String>) -> Vec<Cover> {
    let in_relevant = Numbers::of(relevant);
    let in_own = Numbers::of(own);
    let is_own_folder = |folder: &&str| in_own.below.get(folder) == in_relevant.below.get(folder);
    let mut found: BTreeSet<Cover> = BTreeSet::new();
    for path in own {
        // The outermost folder that holds nothing else.
        let outermost = std::iter::once("")
            .chain(folders(path))
            .find(|folder| is_own_folder(folder));
        found.insert(match outermost {
            Some(folder) => Cover::Below(folder.to_owned()),
            None => Cover::File(path.clone()),
        });
    }
    join(found, &in_own, &in_relevant)
}

/// Joins patterns for files and for folders that have the same name.
fn join(found: BTreeSet<Cover>, own: &Numbers<'_>, relevant: &Numbers<'_>) -> Vec<Cover> {
    let mut alike: BTreeMap<Cover, Vec<Cover>> = BTreeMap::new();
    for one in found {
        let by_name = match &one {
            Cover::Below(folder) if !folder.is_empty() => Cover::Inside(last(folder).to_owned()),
            Cover::File(path) => Cover::Named(last(path).to_owned()),
            other => other.clone(),
        };
        alike.entry(by_name).or_default().push(one);
    }
    let mut joined = BTreeSet::new();
    for (by_name, list) in alike {
        let is_exact = match &by_name {
            Cover::Inside(name) => own.inside.get(&**name) == relevant.inside.get(&**name),
            Cover::Named(name) => own.named.get(&**name) == relevant.named.get(&**name),
            Cover::Below(_) | Cover::File(_) => false,
        };
        if is_exact && list.len() >= ALIKE {
            joined.insert(by_name);
        } else {
            joined.extend(list);
        }
    }
    joined.into_iter().collect()
}

/// How many files there are below each folder, inside folders of each name, and of each name.
#[derive(Default)]
struct Numbers<'p> {
    below: BTreeMap<&'p str, usize>,
    inside: BTreeMap<&'p str, usize>,
    named: BTreeMap<&'p str, usize>,
}

impl<'p> Numbers<'p> {
    fn of(paths: &'p BTreeSet<String>) -> Numbers<'p> {
        let mut numbers = Numbers::default();
        for path in paths {
            *numbers.below.entry("").or_default() += 1;
            for folder in folders(path) {
                *numbers.below.entry(folder).or_default() += 1;
            }
            let names: BTreeSet<&str> = folders(path).map(last).collect();
            for name in names {
                *numbers.inside.entry(name).or_default() += 1;
            }
            *numbers.named.entry(last(path)).or_default() += 1;
        }
        numbers
    }
}

/// The folders above a path, the outermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .filter_map(|(end, _)| path.get(..end))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Pattern;
    use crate::source::{SourceId, Span};

    fn covered(own: &[&str], others: &[&str]) -> Vec<String> {
        let set = |paths: &[&str]| -> BTreeSet<String> {
            paths.iter().map(|path| (*path).to_owned()).collect()
        };
        let (own, others) = (set(own), set(others));
        let found = cover(&own, &own.union(&others).cloned().collect());
        let anywhere = Span::new(SourceId(0), 0..0);
        for one in &found {
            let pattern = Pattern::over_paths(&one.text(), anywhere).unwrap();
            for path in own.union(&others) {
                assert_eq!(pattern.matches(path), one.matches(path), "{one:?} {path}");
            }
        }
        let is_covered = |path: &String| found.iter().any(|one| one.matches(path));
        assert!(own.iter().all(is_covered) && !others.iter().any(is_covered));
        found.iter().map(Cover::text).collect()
    }

    #[test]
    fn a_folder_is_covered_where_nothing_in_it_belongs_elsewhere() {
        assert_eq!(covered(&["a/b/x.yaml", "a/c.yaml"], &[]), ["**"]);
        let own = ["a/b/x.yaml", "a/b/c/y.yaml", "a/z.yaml"];
        assert_eq!(covered(&own, &["a/other.yaml"]), ["a/b/**", "a/z.yaml"]);
        let inner = ["a/b/c/x.yaml"];
        assert_eq!(
            covered(&own, &inner),
            ["a/b/c/y.yaml", "a/b/x.yaml", "a/z.yaml"]
        );
        // A folder whose name only begins alike is another one.
        assert_eq!(covered(&["ab/x.yaml"], &["a/x.yaml"]), ["ab/**"]);
    }

    #[test]
    fn many_of_one_name_are_one_pattern_unless_somebody_else_has_one() {
        let own = [
            "a/values-prod.yaml",
            "b/values-prod.yaml",
            "c/values-prod.yaml",
        ];
        let others = ["a/x.yaml", "b/x.yaml", "c/x.yaml"];
        assert_eq!(covered(&own, &others), ["**/values-prod.yaml"]);
        assert_eq!(
            covered(&own, &[&others[..], &["d/values-prod.yaml"]].concat()),
            own
        );
        let own = ["a/prod/x.yaml", "b/prod/x.yaml", "c/prod/y/x.yaml"];
        assert_eq!(covered(&own, &others), ["**/prod/**"]);
        let more = [&others[..], &["prod/x.yaml"]].concat();
        assert_eq!(
            covered(&own, &more),
            ["a/prod/**", "b/prod/**", "c/prod/**"]
        );
    }

    #[test]
    fn characters_of_patterns_in_names_mean_themselves() {
        let own = ["a*/x [1].yaml", "{b}/!y\\.yaml"];
        assert_eq!(
            covered(&own, &["ab/x 1.yaml", "b/y.yaml", "a*/z.yaml"]).len(),
            2
        );
    }
}
