//! Which files had another name before: those with the same text, then those with mostly the same lines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::matching::pair_in_rounds;

/// The files that moved, by their path before. Takes the texts of the files that are gone and of those that are new.
pub fn find_renames<'f>(
    gone: &'f BTreeMap<String, String>,
    new: &'f BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut texts: HashMap<&str, usize> = HashMap::new();
    for text in new.values() {
        let number = texts.len();
        texts.entry(text).or_insert(number);
    }
    let numbered = |files: &'f BTreeMap<String, String>| -> Vec<File<'f>> {
        let files = files.iter();
        let numbered = files.map(|(path, text)| Some((&**path, *texts.get(text.as_str())?)));
        numbered.flatten().collect()
    };
    let (old, fresh) = (numbered(gone), numbered(new));
    // The one whose path ends alike, such as the same name in another folder.
    let rounds = (0..=MOST_PARTS).rev();
    let rounds =
        rounds.map(|parts| move |(path, text): &File<'f>| Some((*text, end(path, parts)?)));
    let same = pair_in_rounds(&old, &fresh, rounds);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for (at, other) in same.pairs {
        if let (Some((path, _)), Some((other, _))) = (old.get(at), fresh.get(other)) {
            taken.insert(other);
            found.insert((*path).to_owned(), (*other).to_owned());
        }
    }
    let lines = |text: &str| -> BTreeSet<u64> {
        let digest = |line: &str| {
            let mut hasher = DefaultHasher::new();
            line.trim().hash(&mut hasher);
            hasher.finish()
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(digest).collect()
    };
    let free = |path: &&String| !taken.contains(path.as_str());
    let left: Vec<(&String, BTreeSet<u64>)> = new
        .iter()
        .filter(|(path, _)| free(path))
        .take(MOST_RENAMES)
        .map(|(path, text)| (path, lines(text)))
        .collect();
    let mut alike = Vec::new();
    let unpaired = gone.iter().filter(|(path, _)| !found.contains_key(*path));
    for (path, text) in unpaired.take(MOST_RENAMES) {
        let own = lines(text);
        for (other, theirs) in &left {
            let common = own.intersection(theirs).count();
            if common > 0 && 2 * common >= own.len().max(theirs.len()) {
                let near = (common, common_end(path, other));
                alike.push((std::cmp::Reverse(near), path.clone(), (*other).clone()));
            }
        }
    }
    alike.sort();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (_, path, other) in alike {
        if !found.contains_key(&path) && used.insert(other.clone()) {
            found.insert(path, other);
        }
    }
    found
}

/// The most files on each side that are compared line by line. Beyond this, comparing each with each costs more than it
/// tells.
const MOST_RENAMES: usize = 200;

/// The most parts of two paths that are compared, from their ends.
const MOST_PARTS: usize = 16;

/// A file with the number of its text.
type File<'f> = (&'f str, usize);

/// The last parts of a path, or `None` if it has fewer.
fn end(path: &str, parts: usize) -> Option<&str> {
    let Some(before) = parts.checked_sub(1) else {
        return Some("");
    };
    match path.rmatch_indices('/').nth(before) {
        Some((at, _)) => path.get(at + 1..),
        None => (path.split('/').count() == parts).then_some(path),
    }
}

/// How many characters two paths have in common at their ends.
fn common_end(one: &str, other: &str) -> usize {
    let pairs = one.bytes().rev().zip(other.bytes().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        all.iter().map(owned).collect()
    }

    fn renamed(gone: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(String, String)> {
        find_renames(&files(gone), &files(new))
            .into_iter()
            .collect()
    }

    fn pair(before: &str, after: &str) -> (String, String) {
        (before.to_owned(), after.to_owned())
    }

    #[test]
    fn the_same_text_has_moved_to_the_path_that_is_most_alike() {
        let found = renamed(
            &[("a/web.yaml", "x"), ("a/db.yaml", "x")],
            &[("b/db.yaml", "x"), ("b/web.yaml", "x")],
        );
        assert_eq!(
            found,
            [
                pair("a/db.yaml", "b/db.yaml"),
                pair("a/web.yaml", "b/web.yaml")
            ]
        );
    }

    #[test]
    fn the_same_text_in_many_folders_stays_in_the_folder_that_ends_alike() {
        let found = renamed(
            &[
                ("old/a/kustomization.yaml", "x"),
                ("old/b/kustomization.yaml", "x"),
            ],
            &[
                ("new/b/kustomization.yaml", "x"),
                ("new/c/kustomization.yaml", "x"),
            ],
        );
        assert_eq!(
            found,
            [
                pair("old/a/kustomization.yaml", "new/c/kustomization.yaml"),
                pair("old/b/kustomization.yaml", "new/b/kustomization.yaml")
            ]
        );
        assert_eq!(end("a/b/c", 2), Some("b/c"));
        assert_eq!(end("a/b/c", 3), Some("a/b/c"));
        assert_eq!((end("a/b/c", 4), end("a/b/c", 0)), (None, Some("")));
    }

    #[test]
    fn a_text_with_mostly_the_same_lines_has_moved_and_another_one_has_not() {
        let old = "a: 1\nb: 2\nc: 3\nd: 4\n";
        let new = "  a: 1\n  b: 2\n  c: 3\n  d: 5\n";
        assert_eq!(
            renamed(&[("old.yaml", old)], &[("new.yaml", new)]),
            [pair("old.yaml", "new.yaml")]
        );
        assert_eq!(
            renamed(&[("old.yaml", old)], &[("new.yaml", "a: 1\ne: 6\nf: 7\n")]),
            []
        );
    }

    #[test]
    fn nothing_is_renamed_to_two_files() {
        let found = renamed(
            &[("a.yaml", "x\ny")],
            &[("b.yaml", "x\ny"), ("c.yaml", "x\ny")],
        );
        assert_eq!(found.len(), 1);
    }
}
