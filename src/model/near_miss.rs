//! Typo detection: how similar two keys are, and which word of a closed set was meant. User-defined names come in families
//! (`pool-1` and `pool-2`, `gpu-a100` and `gpu-h100`), so a small distance alone is no evidence. A missed typo costs less
//! than a false positive.

use strsim::damerau_levenshtein;

use super::label_keys::is_kubernetes_label_key;

/// How two different keys are similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Likeness {
    /// They differ only in case.
    Case,
    /// They differ only in `_`, `/`, `-` and `.`.
    Separator,
    /// The names are equal, but one lacks the domain, both have different Kubernetes domains, or the domains differ only
    /// after the last dot.
    Domain,
    /// They differ in one or two letters.
    Spelling,
}

/// The maximum length in bytes of texts compared by letter; no valid key is longer.
const LONGEST: usize = 320;
/// The minimum length of a word in which one wrong, missing or additional letter counts as a typo.
pub(super) const FOR_ONE: usize = 5;
/// The minimum length of a word in which two of them count.
const FOR_TWO: usize = 9;

impl Likeness {
    /// Returns the word that rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Likeness::Case => "case",
            Likeness::Separator => "separator",
            Likeness::Spelling => "spelling",
            Likeness::Domain => "domain",
        }
    }

    /// Returns a rank: the lower, the more likely a typo.
    pub fn rank(self) -> u8 {
        match self {
            Likeness::Case => 0,
            Likeness::Separator => 1,
            Likeness::Spelling => 2,
            Likeness::Domain => 3,
        }
    }
}

/// Returns how `written` may be a typo of `candidate`, or `None` if they are equal or not similar.
pub fn key_likeness(written: &str, candidate: &str) -> Option<Likeness> {
    let is_empty = written.is_empty() || candidate.is_empty();
    if written == candidate || is_empty || written.len() > LONGEST || candidate.len() > LONGEST {
        return None;
    }
    let (written, candidate) = (written.to_lowercase(), candidate.to_lowercase());
    if written == candidate {
        return Some(Likeness::Case);
    }
    if differ_in_separators_only(&written, &candidate) {
        return Some(Likeness::Separator);
    }
    let (domain, name) = split(&written);
    let (other_domain, other_name) = split(&candidate);
    match (domain, other_domain) {
        (None, None) => {}
        (Some(one), Some(other)) if one == other => {}
        (Some(one), Some(other)) => {
            return match name == other_name {
                true if is_kubernetes(one) && is_kubernetes(other) => Some(Likeness::Domain),
                true if are_alike(one, other) => Some(Likeness::Spelling),
                true if differ_at_the_top(one, other) => Some(Likeness::Domain),
                _ => None,
            };
        }
        _ => return (name == other_name).then_some(Likeness::Domain),
    }
    let alike = are_alike(name, other_name) || (domain.is_some() && is_plural(name, other_name));
    alike.then_some(Likeness::Spelling)
}

/// Whether similarity to a key that is merely well known is evidence. A bare `gpu` is usually the user's own key and could
/// mean any vendor's; a bare `control-plane` is Kubernetes' own. Keys of Kubernetes' own labels are common in taints.
pub fn tells(key: &str, candidate: &str, likeness: Likeness) -> bool {
    let other_domain = key.contains('/') && candidate.contains('/');
    let fits = likeness != Likeness::Domain || other_domain || candidate.contains("kubernetes.io/");
    fits && !is_kubernetes_label_key(key)
}

/// Whether two short names in one domain differ only by a plural, such as `gpu` and `gpus`.
fn is_plural(one: &str, other: &str) -> bool {
    let adds_s = |long: &str, short: &str| short.len() > 2 && long.strip_suffix('s') == Some(short);
    adds_s(one, other) || adds_s(other, one)
}

pub(super) fn split(key: &str) -> (Option<&str>, &str) {
    match key.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, key),
    }
}

fn is_kubernetes(domain: &str) -> bool {
    ["kubernetes.io", "k8s.io"].iter().any(|own| {
        domain
            .strip_suffix(own)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Whether two domains are equal except for the part after the last dot, which one of them may lack.
fn differ_at_the_top(one: &str, other: &str) -> bool {
    // `amd.com` and `arm.com` are different, and a name as short as `io` is no evidence.
    let own = |domain: &str| match domain.rsplit_once('.') {
        Some((rest, _)) => rest.to_owned(),
        None => domain.to_owned(),
    };
    own(one) == own(other) && own(one).len() >= 3
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '_' | '/' | '-' | '.')
}

fn differ_in_separators_only(one: &str, other: &str) -> bool {
    let alike = |c: char| if is_separator(c) { '-' } else { c };
    if one.chars().map(alike).eq(other.chars().map(alike)) {
        return true;
    }
    let bare = |text: &str| {
        text.chars()
            .filter(|c| !is_separator(*c))
            .collect::<String>()
    };
    // A separator between digits is significant: pool-1-1 is not pool-11. One after one or two letters often is too
    // (`x-large`), so short texts are skipped.
    bare(one) == bare(other)
        && bare(one).chars().count() >= FOR_ONE
        && numbers(one).eq(numbers(other))
}

/// Returns the runs of digits in a text.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
}

/// Whether two different lowercase names are one name with a typo.
fn are_alike(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let allowed = match shorter {
        ..FOR_ONE => return false,
        FOR_ONE..FOR_TWO => 1,
        _ => 2,
    };
    let (mut ours, mut theirs) = (one.split(is_separator), other.split(is_separator));
    let mut slips = 0;
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return slips > 0 && slips <= allowed,
            (Some(ours), Some(theirs)) if ours == theirs => {}
            (Some(ours), Some(theirs)) => match slips_in_word(ours, theirs) {
                Some(more) => slips += more,
                None => return false,
            },
            _ => return false,
        }
    }
}

/// Returns how many typos turn one word into the other, or `None` if they are more likely two words.
fn slips_in_word(one: &str, other: &str) -> Option<usize> {
    // Numbers distinguish members of a family, and words with numbers are models and versions.
    let letters = |word: &str| word.chars().filter(|c| !c.is_ascii_digit()).count();
    if !numbers(one).eq(numbers(other)) {
        return None;
    }
    let (shorter, longer) = if letters(one) <= letters(other) {
        (one, other)
    } else {
        (other, one)
    };
    let length = letters(shorter);
    let distance = damerau_levenshtein(one, other);
    if distance == 1 && is_swap(one, other) {
        return (length >= 3).then_some(1);
    }
    if has_another_sense(shorter, longer) {
        return None;
    }
    match distance {
        // One letter was added or removed, and at least four remain.
        1 if letters(longer) > length => (letters(longer) >= FOR_ONE).then_some(1),
        // Rhyming words (reader, leader) differ in the first letter; typos rarely do.
        1 if one.chars().next() != other.chars().next() => (length >= FOR_TWO).then_some(1),
        1 => (length >= FOR_ONE).then_some(1),
        2 => (length >= FOR_TWO).then_some(2),
        _ => None,
    }
}

/// Whether the words differ only by two swapped neighboring letters.
fn is_swap(one: &str, other: &str) -> bool {
    let different: Vec<_> = one
        .chars()
        .zip(other.chars())
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .collect();
    match different.as_slice() {
        [(at, (a, b)), (next, (c, d))] => {
            one.len() == other.len() && at + 1 == *next && a == d && b == c
        }
        _ => false,
    }
}

/// Whether a prefix makes the longer word mean something else than the shorter one: `unschedulable`, `xlarge`.
pub(super) fn has_another_sense(shorter: &str, longer: &str) -> bool {
    const PREFIXES: [&str; 11] = [
        "a", "de", "dis", "in", "no", "non", "not", "pre", "re", "un", "x",
    ];
    longer
        .strip_suffix(shorter)
        .is_some_and(|prefix| PREFIXES.contains(&prefix))
}

/// Words that users give as the value of a taint to mean "true".
const AFFIRMATIONS: [&str; 8] = [
    "1", "enabled", "exists", "on", "present", "true", "y", "yes",
];

/// Whether a value only affirms something and names nothing.
pub fn is_affirmation(value: &str) -> bool {
    AFFIRMATIONS
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether two different values of one key probably mean the same: they differ in case, in a separator or in a letter, or
/// both only affirm something.
pub fn is_same_word(one: &str, other: &str) -> bool {
    (is_affirmation(one) && is_affirmation(other))
        || matches!(
            key_likeness(one, other),
            Some(Likeness::Case | Likeness::Separator | Likeness::Spelling)
        )
}

/// Returns the distance of a value from another that it may have meant, or `None` if fewer than half of the letters are the
/// same.
pub fn value_distance(written: &str, candidate: &str) -> Option<usize> {
    if written.len() > LONGEST || candidate.len() > LONGEST {
        return None;
    }
    if is_affirmation(written) && is_affirmation(candidate) {
        return Some(1);
    }
    let (written, candidate) = (written.to_lowercase(), candidate.to_lowercase());
    let distance = damerau_levenshtein(&written, &candidate);
    let longer = written.chars().count().max(candidate.chars().count());
    (distance * 2 <= longer).then_some(distance)
}

/// Returns the edit distance between a key and a similar one.
pub fn key_distance(written: &str, candidate: &str) -> usize {
    damerau_levenshtein(&written.to_lowercase(), &candidate.to_lowercase())
}

/// Words that were meant to be another one although their letters differ.
const SYNONYMS: [(&str, &str); 16] = [
    ("=", "Equal"),
    ("==", "Equal"),
    ("eq", "Equal"),
    ("is", "Equal"),
    (">", "Gt"),
    ("greaterthan", "Gt"),
    ("<", "Lt"),
    ("lessthan", "Lt"),
    ("tolarance", "tolerations"),
    ("tolarations", "tolerations"),
    ("tolerance", "tolerations"),
    ("tolerence", "tolerations"),
    ("tolerences", "tolerations"),
    ("tolerances", "tolerations"),
    ("tolerate", "tolerations"),
    ("tolerates", "tolerations"),
];

/// Suffixes that form another form of the same word.
const ENDINGS: [&str; 13] = [
    "", "able", "d", "e", "ed", "er", "es", "ing", "ion", "ions", "r", "red", "s",
];

/// Returns the word of a closed set (operators, effects, field names) that `written` was meant to be, or `None` if it is
/// one of them or resembles none of them.
pub fn nearest_word<'a>(written: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if written.len() > LONGEST || candidates.contains(&written) {
        return None;
    }
    let plain = plain(written);
    if let Some(found) = candidates.iter().find(|word| self::plain(word) == plain) {
        return (!plain.is_empty()).then_some(*found);
    }
    let synonym = written.trim().to_lowercase();
    if let Some((_, meant)) = SYNONYMS.iter().find(|(word, _)| *word == synonym)
        && let Some(found) = candidates.iter().find(|word| *word == meant)
    {
        return Some(found);
    }
    let parts = words(written);
    if let Some(found) = candidates
        .iter()
        .find(|word| are_forms(&parts, &words(word)) || is_form(&plain, &self::plain(word)))
    {
        return Some(found);
    }
    let near = candidates
        .iter()
        .filter_map(|word| Some((slips(&plain, &self::plain(word))?, *word)));
    let mut near: Vec<_> = near.collect();
    near.sort_by_key(|(slips, _)| *slips);
    match near.as_slice() {
        // With a tie, it is unknown which was meant.
        [(one, _), (other, _), ..] if one == other => None,
        [(_, word), ..] => Some(word),
        [] => None,
    }
}

/// Returns a word in lower case, without separators and blanks.
fn plain(word: &str) -> String {
    word.chars()
        .filter(|c| !is_separator(*c) && !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the words of a compound in lower case: `PreferNoSchedule` and `prefer_no_schedule` have three.
fn words(compound: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in compound.chars() {
        if is_separator(c) || c.is_whitespace() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if !is_separator(c)
            && !c.is_whitespace()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether two compounds contain the same words in other forms or in another order.
fn are_forms(ours: &[String], theirs: &[String]) -> bool {
    if ours.len() != theirs.len() {
        return false;
    }
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    let in_order = ours
        .iter()
        .zip(theirs)
        .all(|(ours, theirs)| ours == theirs || is_form(ours, theirs));
    in_order || (ours.len() > 1 && sorted(ours) == sorted(theirs))
}

/// Whether two words share a stem of at least four letters and differ only in common suffixes; three letters are enough for
/// a plural.
fn is_form(one: &str, other: &str) -> bool {
    let stem: usize = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let (Some(ours), Some(theirs)) = (one.get(stem..), other.get(stem..)) else {
        return false;
    };
    match (ours, theirs) {
        ("s", "") | ("", "s") => stem >= 3,
        _ => stem >= 4 && ENDINGS.contains(&ours) && ENDINGS.contains(&theirs),
    }
}

/// Returns the number of typos between a word and one of a closed set, or `None` if too many for its length.
fn slips(written: &str, word: &str) -> Option<usize> {
    let (shorter, longer) = if written.len() <= word.len() {
        (written, word)
    } else {
        (word, written)
    };
    // NoExists is not a typo of Exists, nor Schedule of NoSchedule.
    if has_another_sense(shorter, longer) {
        return None;
    }
    let allowed = match word.chars().count() {
        ..3 => return None,
        3..6 => 1,
        _ => 2,
    };
    let distance = damerau_levenshtein(written, word);
    (distance <= allowed).then_some(distance)
}
