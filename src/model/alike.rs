//! Finds the few of many words that a word may be a typo of, without comparing it with all of them in full.

use std::collections::HashMap;
use std::hash::Hash;

use super::near_miss::{FOR_ONE, is_separator, numbers, split};

/// Words to compare with, each once.
#[derive(Debug, Default)]
pub struct Alike {
    words: Vec<String>,
    /// By the name after the domain, in lower case.
    by_name: HashMap<String, Vec<usize>>,
    /// By the letters without separators, in lower case.
    by_letters: HashMap<String, Vec<usize>>,
    /// By domain and by the numbers in the name, which no typo changes, the names with their outlines.
    by_domain: HashMap<Family, Vec<(Outline, usize)>>,
}

/// A domain, and the numbers in a name.
type Family = (Option<String>, String);

/// What a name can be compared by in one step: its length, and which letters it has.
#[derive(Clone, Copy, Debug)]
struct Outline {
    length: usize,
    letters: u64,
}

impl Outline {
    fn of(name: &str) -> Outline {
        let bit = |letter: char| 1u64 << (u32::from(letter) % 64);
        Outline {
            length: name.chars().count(),
            letters: name.chars().map(bit).fold(0, |all, one| all | one),
        }
    }

    /// Whether two typos can turn one name into the other. Each changes the length by at most one, and which letters there
    /// are by at most two.
    fn is_near(self, other: Outline) -> bool {
        let differ = self.length.abs_diff(other.length);
        // Of short names, only a plural is similar.
        (differ == 1 || self.length.min(other.length) >= FOR_ONE)
            && differ <= 2
            && (self.letters ^ other.letters).count_ones() <= 4
    }
}

impl Alike {
    /// Collects words. They should be different.
    pub fn of<'w>(words: impl Iterator<Item = &'w str>) -> Alike {
        let mut all = Alike::default();
        for (at, word) in words.enumerate() {
            let lower = word.to_lowercase();
            let (domain, name) = split(&lower);
            push(&mut all.by_name, name.to_owned(), at);
            push(&mut all.by_letters, letters(&lower), at);
            let outline = (Outline::of(name), at);
            push(&mut all.by_domain, family(domain, name), outline);
            all.words.push(word.to_owned());
        }
        all
    }

    /// The words among which are all that [`super::near_miss::key_likeness`] finds similar to this one, in their order. Words of
    /// other domains are similar only if their names are equal.
    pub fn candidates(&self, written: &str) -> impl Iterator<Item = &str> {
        let lower = written.to_lowercase();
        let (domain, name) = split(&lower);
        let outline = Outline::of(name);
        let same_name = self.by_name.get(name).into_iter().flatten();
        let letters = letters(&lower);
        let same_letters = self.by_letters.get(&letters).into_iter().flatten();
        let near = self.by_domain.get(&family(domain, name));
        let near = near.into_iter().flatten();
        let near = near.filter(|(other, _)| outline.is_near(*other));
        let mut found: Vec<usize> = same_name.chain(same_letters).copied().collect();
        found.extend(near.map(|(_, at)| *at));
        found.sort_unstable();
        found.dedup();
        found
            .into_iter()
            .filter_map(|at| self.words.get(at).map(String::as_str))
    }
}

fn push<K: Eq + Hash, V>(map: &mut HashMap<K, Vec<V>>, key: K, value: V) {
    map.entry(key).or_default().push(value);
}

fn family(domain: Option<&str>, name: &str) -> Family {
    let runs: Vec<&str> = numbers(name).collect();
    (domain.map(str::to_owned), runs.join(" "))
}

fn letters(word: &str) -> String {
    word.chars().filter(|one| !is_separator(*one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::near_miss::key_likeness;

    #[test]
    fn all_similar_words_are_candidates() {
        let words = [
            "gpu",
            "gpus",
            "GPU",
            "acme.com/gpu",
            "acme.com/gpus",
            "acme.io/gpu",
            "acmee.com/gpu",
            "dedicated",
            "dedicatde",
            "dedciatde",
            "dedicated-x",
            "de.di.cated",
            "dedicate",
            "node-role.kubernetes.io/control-plane",
            "node-role.k8s.io/controlplane",
            "control-plane",
            "node-role.kubernetes.io/control_plane",
            "spot-instances",
            "spot-instance",
            "spto-instanec",
            "größe-groß",
            "team-1",
            "team-2",
            "teams-1",
            "taem-1",
            "taem-x-12",
            "team-x-12",
            "grösse-gross",
            "grosse-groß",
            "İstanbul-x",
            "istanbul-x",
        ];
        let alike = Alike::of(words.into_iter());
        for written in words {
            let candidates: Vec<&str> = alike.candidates(written).collect();
            for word in words {
                if key_likeness(written, word).is_some() {
                    assert!(candidates.contains(&word), "{written}: {word}");
                }
            }
        }
        assert_eq!(alike.candidates("observability").count(), 0);
        assert_eq!(alike.candidates("acme.com/observability").count(), 0);
    }
}
