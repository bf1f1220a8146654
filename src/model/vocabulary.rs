//! The words of a repository: keys and values of taints and of node labels that its pools declare, that are well known, or
//! that its tolerations and selectors use. A word that hardly anyone writes, that nothing declares, and that is a slip of
//! the pen for a word with good standing is misspelt.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::label_keys::{canonical_label_key, is_managed_label_key, known_labels};
use super::near_miss::is_affirmation;
use super::node_pool::NodePool;
use super::slip::{Slip, slip, traces};
use super::well_known::WellKnown;
use super::word::{Word, is_stand_in};
use super::workload::{Workload, selected};
use crate::source::Span;

/// How many places must use a key with declared values only, so that another value is suspect: one that resembles a declared
/// value in a word, one that does so in a code such as `l4`, and one that resembles none.
const CLOSED: [usize; 3] = [3, 5, 5];

/// What a misspelt word was probably meant to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant<'g> {
    /// The word; empty if the written one resembles none.
    pub word: &'g str,
    /// The pool that declares it; empty if none does.
    pub pool: &'g str,
    /// Where it is declared, or else where somebody uses it.
    pub place: Option<Span>,
    /// It is well known.
    pub well_known: bool,
    /// The number of places that use it.
    pub uses: usize,
    /// The written word is very probably wrong.
    pub sure: bool,
}

/// The words that are written in one role.
#[derive(Debug, Default)]
struct Lexicon<'g> {
    words: HashMap<&'g str, Word<'g>>,
    /// The words with good standing, by their traces.
    index: HashMap<u64, Vec<&'g str>>,
    /// Some pool has a word that could not be read.
    unread: bool,
    /// Every word is listed in a table.
    listed: bool,
    /// How many places use words that exist, and how many use others.
    told: usize,
    untold: usize,
    /// How many words pools declare.
    declared: usize,
    /// The words that only affirm something.
    affirmations: Vec<&'g str>,
}

impl<'g> Lexicon<'g> {
    fn declare(&mut self, word: &'g str, pool: &'g str, at: Option<Span>) {
        let known = self.words.entry(word).or_default();
        if known.pool.is_none() {
            (known.pool, known.declared_at) = (Some(pool), at);
        }
    }

    fn know(&mut self, word: &'g str) {
        self.words.entry(word).or_default().well_known = true;
    }

    fn hear(&mut self, word: &'g str, at: Span) {
        let known = self.words.entry(word).or_default();
        known.places += 1;
        known.files.insert(at.source);
        known.used_at.get_or_insert(at);
    }

    fn conclude(&mut self) {
        for (word, known) in &self.words {
            self.declared += usize::from(known.pool.is_some());
            if is_affirmation(word) {
                self.affirmations.push(word);
            }
            match known.exists() {
                true => self.told += known.places,
                false => self.untold += known.places,
            }
            if known.has_standing() && !word.is_empty() {
                for trace in traces(word) {
                    self.index.entry(trace).or_default().push(word);
                }
            }
        }
    }

    /// Returns the words with good standing that share a trace with this one, which contain all that differ in a letter.
    fn candidates(&self, written: &str) -> BTreeSet<&'g str> {
        let found = traces(written)
            .into_iter()
            .filter_map(|trace| self.index.get(&trace));
        found.flatten().copied().collect()
    }

    /// Whether at least so many places, and nearly all, use words that exist.
    fn is_closed(&self, written: &Word<'_>, least: usize) -> bool {
        let others = self.untold.saturating_sub(written.places);
        self.listed || (!self.unread && self.told >= least && others * 10 <= self.told)
    }

    /// Returns the best of the words that a rarely written one may be a slip of the pen for.
    fn nearest(&self, written: &str) -> Option<(Slip, &'g str, &Word<'g>)> {
        let own = self.words.get(written).filter(|own| !own.exists())?;
        let near = self.candidates(written).into_iter().filter_map(|word| {
            let known = self.words.get(word)?;
            let slip = own.is_odd_beside(known).then(|| slip(written, word))??;
            let counts = slip == Slip::Clear || own.is_alone_beside(known);
            counts.then_some((slip, word, known))
        });
        near.min_by_key(|(slip, word, known)| {
            (
                *slip,
                !known.exists(),
                std::cmp::Reverse(known.places),
                *word,
            )
        })
    }
}

/// All words of a repository.
#[derive(Debug, Default)]
pub struct Vocabulary<'g> {
    taint_keys: Lexicon<'g>,
    taint_values: HashMap<&'g str, Lexicon<'g>>,
    label_keys: Lexicon<'g>,
    label_values: HashMap<&'g str, Lexicon<'g>>,
    /// Values of labels and taints of pools: words that exist, whatever for.
    values: HashSet<&'g str>,
    /// How many pools have a name.
    pools: HashMap<&'g str, usize>,
    /// How many pools with a name have a label with a key and another value.
    named_otherwise: HashMap<(&'g str, &'g str), usize>,
    /// Domains of keys that exist.
    domains: HashSet<&'g str>,
    /// Domains in which nobody else invents keys.
    vendors: HashSet<&'g str>,
    /// Labels whose values are the names of pools.
    naming: HashSet<&'g str>,
}

impl<'g> Vocabulary<'g> {
    /// Collects the words of all pools and workloads.
    pub fn hear(
        pools: impl Iterator<Item = &'g NodePool>,
        workloads: &'g [Workload],
        well_known: &'g WellKnown,
    ) -> Vocabulary<'g> {
        let mut all = Vocabulary::default();
        for row in well_known.rows() {
            if !row.key.ends_with('*') {
                all.taint_keys.know(&row.key);
                let values = all.taint_values.entry(&row.key).or_default();
                values.listed |= row.values.iter().any(|value| !value.is_empty());
                row.values.iter().for_each(|value| values.know(value));
                all.vendors.extend(domain(&row.key));
            }
        }
        for (key, known) in known_labels() {
            all.label_keys.know(key);
            all.vendors.extend(domain(key));
            for of_key in [&mut all.taint_values, &mut all.label_values] {
                let values = of_key.entry(key).or_default();
                values.listed |= !known.is_empty();
                known.iter().for_each(|value| values.know(value));
            }
        }
        pools.for_each(|pool| all.declare(pool));
        let mut seen = HashSet::new();
        workloads.iter().for_each(|one| all.listen(one, &mut seen));
        let of_keys = all.taint_values.values_mut();
        for lexicon in of_keys.chain(all.label_values.values_mut()) {
            lexicon.conclude();
        }
        for lexicon in [&mut all.taint_keys, &mut all.label_keys] {
            lexicon.conclude();
            let exist = lexicon.words.iter().filter(|(_, word)| word.exists());
            all.domains.extend(exist.filter_map(|(key, _)| domain(key)));
        }
        all
    }

    fn declare(&mut self, pool: &'g NodePool) {
        let (name, at) = (pool.name.as_str(), pool.name_span.or(pool.span));
        *self.pools.entry(name).or_default() += 1;
        for taint in &pool.taints {
            let Some(key) = taint.taint.key.known().filter(|key| !key.is_empty()) else {
                continue;
            };
            let at = taint.span.or(at);
            self.taint_keys.declare(key, name, at);
            let values = self.taint_values.entry(key).or_default();
            match taint.taint.value.text() {
                Some(value) => {
                    values.declare(value, name, at);
                    self.values.insert(value);
                }
                None => values.unread = true,
            }
        }
        let labels = pool.labels.labels.iter();
        let otherwise = labels
            .clone()
            .filter(|(_, value)| value.text().is_some_and(|value| value != name));
        let otherwise: BTreeSet<&str> =
            otherwise.map(|(key, _)| canonical_label_key(key)).collect();
        for key in otherwise {
            *self.named_otherwise.entry((name, key)).or_default() += 1;
        }
        let offered = pool.labels.requirements.iter().filter_map(|offer| {
            let is_in = offer.operator.text() == Some("In");
            Some((is_in.then(|| offer.key.known())??, &offer.values))
        });
        let offered =
            offered.flat_map(|(key, values)| values.iter().map(move |value| (key, value)));
        for (key, value) in labels.chain(offered) {
            let key = canonical_label_key(key);
            self.label_keys.declare(key, name, at);
            let values = self.label_values.entry(key).or_default();
            match value.text() {
                Some(value) => {
                    values.declare(value, name, at);
                    match value == name {
                        true => _ = self.naming.insert(key),
                        false => _ = self.values.insert(value),
                    }
                }
                None => values.unread = true,
            }
        }
    }

    /// Adds what one workload writes. A place that several workloads share, such as a patch, counts once.
    fn listen(&mut self, workload: &'g Workload, seen: &mut HashSet<(Span, bool, &'g str)>) {
        let list = &workload.shape.tolerations;
        for (entry, located) in list.iter().zip(&workload.located) {
            let Some(key) = entry.key.known().filter(|key| !key.is_empty()) else {
                continue;
            };
            let at = located.entry;
            if seen.insert((at, true, key)) {
                self.taint_keys.hear(key, at);
            }
            let value = entry.value.text().filter(|value| !value.is_empty());
            if let Some(value) = value.filter(|value| seen.insert((at, false, value))) {
                self.taint_values.entry(key).or_default().hear(value, at);
            }
        }
        for label in selected(workload) {
            let key = canonical_label_key(label.key);
            if seen.insert((label.span, true, key)) {
                self.label_keys.hear(key, label.span);
            }
            for value in label.values {
                if is_stand_in(value) {
                    continue;
                }
                if seen.insert((label.span, false, value)) {
                    self.label_values
                        .entry(key)
                        .or_default()
                        .hear(value, label.span);
                }
            }
        }
    }

    /// Whether a pool declares a taint with this key.
    pub fn declares_taint(&self, key: &str) -> bool {
        let known = self.taint_keys.words.get(key);
        known.is_some_and(|word| word.pool.is_some())
    }

    /// Returns the key that a toleration's key was probably meant to be. `value` is the value beside it.
    pub fn meant_taint_key(&self, key: &str, value: Option<&str>) -> Option<Meant<'g>> {
        if self.label_keys.words.get(key).is_some_and(Word::exists) {
            return None;
        }
        self.meant_key(&self.taint_keys, &self.taint_values, key, value)
    }

    /// The same for the key of a label that a workload selects.
    pub fn meant_label_key(&self, key: &str, value: Option<&str>) -> Option<Meant<'g>> {
        let key = canonical_label_key(key);
        if self.taint_keys.words.get(key).is_some_and(Word::exists) {
            return None;
        }
        self.meant_key(&self.label_keys, &self.label_values, key, value)
    }

    fn meant_key(
        &self,
        keys: &Lexicon<'g>,
        values: &HashMap<&'g str, Lexicon<'g>>,
        key: &str,
        value: Option<&str>,
    ) -> Option<Meant<'g>> {
        let (slip, word, known) = keys.nearest(key)?;
        let is_alone = keys.words.get(key)?.is_alone_beside(known);
        let (own, theirs) = (domain(key), domain(word));
        if own != theirs && own.is_some_and(|own| self.domains.contains(own)) {
            return None;
        }
        let telling = value.filter(|value| !is_affirmation(value) && !value.is_empty());
        let same_value = telling.is_some_and(|value| {
            let known = values.get(word).and_then(|values| values.words.get(value));
            known.is_some_and(Word::has_standing)
        });
        let of_vendor = theirs.is_some_and(|domain| self.vendors.contains(domain))
            || (theirs.is_some() && is_managed_label_key(word));
        let sure = match slip {
            Slip::Clear => is_alone,
            Slip::Short => of_vendor || same_value,
            Slip::Rhyme | Slip::Coded if of_vendor || same_value => false,
            Slip::Rhyme | Slip::Coded => return None,
        };
        Some(meant(word, known, sure))
    }

    /// Returns the value that a toleration's value was probably meant to be.
    pub fn meant_taint_value(&self, key: &str, value: &str) -> Option<Meant<'g>> {
        let values = self.taint_values.get(key)?;
        let own = values.words.get(value)?;
        if is_affirmation(value) {
            let others = values.affirmations.iter();
            let others = others.filter_map(|word| Some((*word, values.words.get(word)?)));
            let others = others
                .filter(|(word, one)| *word != value && one.exists() && own.is_odd_beside(one));
            let (word, known) = others.max_by_key(|(word, one)| (one.places, *word))?;
            let is_usual = known.well_known || known.places >= CLOSED[0];
            let sure = is_usual && own.is_alone_beside(known);
            return Some(meant(word, known, sure));
        }
        self.meant_value(values, value)
            .filter(|_| !self.pools.contains_key(value))
    }

    /// Returns the value that the value of a selected label was probably meant to be. The word is empty if no pool has such a
    /// value although others select only values that pools have.
    pub fn meant_label_value(&self, key: &str, value: &str) -> Option<Meant<'g>> {
        let key = canonical_label_key(key);
        let values = self.label_values.get(key)?;
        if self.may_name(value, key) {
            return None;
        }
        if let Some(meant) = self.meant_value(values, value) {
            return Some(meant);
        }
        let own = values.words.get(value)?;
        let is_own_key = self.naming.contains(key) || !is_managed_label_key(key);
        let is_strange = !own.exists()
            && own.files.len() <= 1
            && own.places * 4 <= values.told
            && !self.values.contains(value)
            && is_own_key
            && values.declared >= 2
            && values.is_closed(own, CLOSED[2]);
        is_strange.then(|| Meant {
            uses: values.told,
            ..meant("", &Word::default(), false)
        })
    }

    /// Whether the value of a label is the name of a pool that may have it: one that says no other value of that label.
    fn may_name(&self, value: &str, key: &str) -> bool {
        let others = self.named_otherwise.get(&(value, key)).copied();
        let pools = self.pools.get(value).copied();
        pools.unwrap_or_default() > others.unwrap_or_default()
    }

    fn meant_value(&self, values: &Lexicon<'g>, value: &str) -> Option<Meant<'g>> {
        if self.values.contains(value) {
            return None;
        }
        let (slip, word, known) = values.nearest(value)?;
        let own = values.words.get(value)?;
        let is_closed = |least: usize| known.exists() && values.is_closed(own, least);
        let sure = match slip {
            Slip::Clear => own.is_alone_beside(known),
            Slip::Short => is_closed(CLOSED[0]),
            Slip::Rhyme if is_closed(CLOSED[0]) => values.listed,
            Slip::Coded if is_closed(CLOSED[1]) => true,
            Slip::Rhyme | Slip::Coded => return None,
        };
        Some(meant(word, known, sure))
    }
}

fn meant<'g>(word: &'g str, known: &Word<'g>, sure: bool) -> Meant<'g> {
    Meant {
        word,
        pool: known.pool.unwrap_or_default(),
        place: known.declared_at.or(known.used_at),
        well_known: known.well_known,
        uses: known.places,
        sure,
    }
}

/// Returns the domain of a key; keys of taints and labels may have one.
fn domain(key: &str) -> Option<&str> {
    key.split_once('/').map(|(domain, _)| domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    /// A lexicon with words that are declared, and words with the number of files that write each.
    fn lexicon<'w>(declared: &[&'w str], used: &[(&'w str, u32)]) -> Lexicon<'w> {
        let mut lexicon = Lexicon::default();
        declared
            .iter()
            .for_each(|word| lexicon.declare(word, "pool", None));
        for (word, files) in used {
            (0..*files).for_each(|file| lexicon.hear(word, Span::new(SourceId(file), 0..1)));
        }
        lexicon.conclude();
        lexicon
    }

    #[test]
    fn a_word_is_odd_only_beside_one_with_much_better_standing() {
        for (declared, used, odd) in [
            (&["batch"][..], &[("bacth", 1)][..], true),
            (&["batch"], &[("bacth", 2)], false),
            (&["batch", "bacth"], &[("bacth", 1)], false),
            (&[], &[("bacth", 1), ("batch", 4)], true),
            (&[], &[("bacth", 1), ("batch", 2)], true),
            (&[], &[("bacth", 1), ("batch", 1)], false),
            (&[], &[("bacth", 2), ("batch", 4)], true),
            (&[], &[("bacth", 2), ("batch", 3)], false),
        ] {
            let found = lexicon(declared, used).nearest("bacth").is_some();
            assert_eq!(found, odd, "{declared:?} {used:?}");
        }
    }

    #[test]
    fn a_key_is_closed_if_nearly_everyone_uses_words_that_exist() {
        let closed = |used: &[(&str, u32)]| {
            let lexicon = lexicon(&["l4", "t4"], used);
            lexicon
                .words
                .get("m4")
                .is_some_and(|own| lexicon.is_closed(own, 5))
        };
        assert!(closed(&[("l4", 3), ("t4", 2), ("m4", 1)]));
        assert!(!closed(&[("l4", 3), ("t4", 1), ("m4", 1)]));
        assert!(!closed(&[("l4", 3), ("t4", 2), ("a10", 1), ("m4", 1)]));
    }

    #[test]
    fn many_words_are_compared_with_few_others() {
        let number = |at: u32| {
            let digit = |at: u32| char::from(b'a' + u8::try_from(at % 26).unwrap_or_default());
            [
                digit(at),
                digit(at / 26),
                digit(at / 676),
                digit(at / 17_576),
            ]
        };
        let words: Vec<String> = (0..30_000)
            .map(|at| format!("team-{}.example.com/pool", String::from_iter(number(at))))
            .collect();
        let declared: Vec<&str> = words.iter().map(String::as_str).collect();
        let lexicon = lexicon(&declared, &[]);
        let asked = || words.iter().step_by(20);
        let compared: usize = asked().map(|word| lexicon.candidates(word).len()).sum();
        // As many as there are letters for each of the four places, and some that end where others go on.
        assert!(compared < 260 * asked().count(), "{compared} comparisons");
        let far: usize = (0..30_000)
            .map(|at| {
                lexicon
                    .candidates(&format!("zone-{at}.example.com/other"))
                    .len()
            })
            .sum();
        assert_eq!(far, 0);
    }
}
