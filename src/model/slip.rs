//! Slips of the pen: two words that differ in one letter, because two neighbours are swapped or because one letter is missing,
//! doubled or another one. How much such a difference says depends on the part of the word that it is in.

use super::near_miss::{FOR_ONE, has_another_sense};

/// How two words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Two neighbouring letters are swapped.
    Swapped,
    /// The written word has one letter less.
    Missing,
    /// It has one letter more, and the letter beside it is the same.
    Doubled,
    /// It has one letter more.
    Added,
    /// One letter is another one.
    Replaced,
}

/// How much the words themselves say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    /// Long enough that the written word is hardly another one.
    Clear,
    /// So short that it may be another word, or a plural.
    Short,
    /// As short, and it begins with another letter, as rhyming words do: `cpu` and `gpu`, `type` and `hype`.
    Rhyme,
    /// The part that differs has one or two letters, or up to four beside a digit. Models, versions and members of a family
    /// differ like this: `l4` and `t4`, `team-a` and `team-b`.
    Coded,
}

/// The maximum length in bytes of words that are compared.
const LONGEST: usize = 320;

/// Returns how `written` may be a slip of the pen for `meant`, or `None` if they are equal or differ in more than one letter.
pub fn slip(written: &str, meant: &str) -> Option<Slip> {
    if written == meant || written.len().max(meant.len()) > LONGEST {
        return None;
    }
    let (ours, theirs) = (written.as_bytes(), meant.as_bytes());
    let before = common(ours.iter().zip(theirs));
    let shorter = ours.len().min(theirs.len());
    let after = common(ours.iter().rev().zip(theirs.iter().rev())).min(shorter - before);
    let own = ours.get(before..ours.len() - after)?;
    let other = theirs.get(before..theirs.len() - after)?;
    let kind = match (own, other) {
        ([a, b], [c, d]) if a == d && b == c => Kind::Swapped,
        ([], [_]) => Kind::Missing,
        ([added], []) if before > 0 && ours.get(before - 1) == Some(added) => Kind::Doubled,
        ([_], []) => Kind::Added,
        ([a], [b]) if !a.eq_ignore_ascii_case(b) => Kind::Replaced,
        _ => return None,
    };
    if !own.iter().chain(other).all(u8::is_ascii_alphabetic) {
        return None;
    }
    let part = |ends: &dyn Fn(&u8) -> bool| {
        let start = ours.iter().take(before).rposition(ends);
        let start = start.map_or(0, |at| at + 1);
        let end = |word: &[u8]| {
            let length = word.iter().skip(before).position(ends);
            length.map_or(word.len(), |length| before + length)
        };
        let (own, other) = (start..end(ours), start..end(theirs));
        Some((written.get(own)?, meant.get(other)?, before == start))
    };
    let is_separator = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/');
    let (own, other, begins) = part(&is_separator)?;
    if !own.bytes().any(|byte| byte.is_ascii_digit()) {
        return Some(graded(kind, own, other, begins));
    }
    // A word says as much in front of a number as alone, and letters that are swapped are not those of another code.
    let (own, other, begins) = part(&|byte: &u8| is_separator(byte) || byte.is_ascii_digit())?;
    Some(match kind {
        _ if other.len() >= FOR_ONE => graded(kind, own, other, begins),
        Kind::Swapped => Slip::Short,
        _ => Slip::Coded,
    })
}

fn common<'b>(pairs: impl Iterator<Item = (&'b u8, &'b u8)>) -> usize {
    pairs.take_while(|(a, b)| a == b).count()
}

/// Judges a difference in one part of a word, which begins with it or not.
fn graded(kind: Kind, written: &str, meant: &str, begins: bool) -> Slip {
    let letters = meant.len();
    if letters < 3 {
        return Slip::Coded;
    }
    let (shorter, longer) = match letters < written.len() {
        true => (meant, written),
        false => (written, meant),
    };
    let is_cut = matches!(kind, Kind::Missing) && begins_no_word(written);
    if longer.len() > shorter.len() && has_another_sense(shorter, longer) && !is_cut {
        return Slip::Rhyme;
    }
    let is_plural = longer.strip_suffix('s') == Some(shorter) && !shorter.ends_with('s');
    let is_clear = match kind {
        Kind::Swapped | Kind::Doubled => true,
        Kind::Missing => letters >= 5 && !is_plural,
        Kind::Added => letters >= 4 && !is_plural,
        Kind::Replaced => letters >= if begins { 9 } else { 5 },
    };
    match (is_clear, kind) {
        (true, _) => Slip::Clear,
        (false, Kind::Replaced) if begins => Slip::Rhyme,
        (false, _) => Slip::Short,
    }
}

/// Whether a word without its first letter, such as `lpha`, is no word itself, as `sync` and `typical` are.
fn begins_no_word(rest: &str) -> bool {
    match rest.as_bytes() {
        [b'l' | b'm' | b'n' | b'r', second, ..] => !b"aeiouy".contains(second),
        [first, second, ..] => first == second,
        _ => false,
    }
}

/// Returns a number for the word itself and one for each word that remains without one of its letters. Two words that differ in
/// one letter have one of these numbers in common.
pub fn traces(word: &str) -> Vec<u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let bytes = word.as_bytes();
    if bytes.len() > LONGEST {
        return Vec::new();
    }
    // The number of a text is a polynomial of its bytes, so that a letter can be taken out in one step.
    let join = |sum: u64, byte: &u8| sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1);
    let whole = bytes.iter().fold(0, join);
    let mut found = vec![whole];
    let (mut behind, mut power) = (0u64, 1u64);
    let mut ahead: Vec<u64> = vec![0];
    for byte in bytes {
        ahead.push(join(ahead.last().copied().unwrap_or_default(), byte));
    }
    for (at, byte) in bytes.iter().enumerate().rev() {
        if byte.is_ascii_alphabetic() {
            let before = ahead.get(at).copied().unwrap_or_default();
            found.push(before.wrapping_mul(power).wrapping_add(behind));
        }
        behind = behind.wrapping_add((u64::from(*byte) + 1).wrapping_mul(power));
        power = power.wrapping_mul(BASE);
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_a_slip_and_its_part_decides_how_much_it_says() {
        for (written, meant, expected) in [
            ("preesnt", "present", Some(Slip::Clear)),
            ("spto", "spot", Some(Slip::Clear)),
            ("gpuu", "gpu", Some(Slip::Clear)),
            ("nvidia.com/gup", "nvidia.com/gpu", Some(Slip::Clear)),
            ("nvida.com/gpu", "nvidia.com/gpu", Some(Slip::Clear)),
            ("nvidia.com/gqu", "nvidia.com/gpu", Some(Slip::Short)),
            ("nvidia.com/gu", "nvidia.com/gpu", Some(Slip::Short)),
            ("on-deand", "on-demand", Some(Slip::Clear)),
            ("sppt", "spot", Some(Slip::Short)),
            ("workers", "worker", Some(Slip::Short)),
            ("cpu", "gpu", Some(Slip::Rhyme)),
            ("node-uype", "node-type", Some(Slip::Rhyme)),
            ("gpu-m4-24gb", "gpu-l4-24gb", Some(Slip::Coded)),
            ("asm64", "arm64", Some(Slip::Coded)),
            ("team-b", "team-a", Some(Slip::Coded)),
            ("pool-1", "pool-2", None),
            ("gpu-h100", "gpu-a101", None),
            ("arm64", "amd64", None),
            ("dev", "uat", None),
            ("xlarge", "large", Some(Slip::Rhyme)),
            ("large", "xlarge", Some(Slip::Rhyme)),
            ("team-lpha", "team-alpha", Some(Slip::Clear)),
            ("pplications", "applications", Some(Slip::Clear)),
            ("sync", "async", Some(Slip::Rhyme)),
            ("rm", "arm", Some(Slip::Short)),
            (
                "tpu7x-standard-4t-nodepol",
                "tpu7x-standard-4t-nodepool",
                Some(Slip::Clear),
            ),
            ("nodepol1", "nodepool1", Some(Slip::Clear)),
            ("2large", "2xlarge", Some(Slip::Rhyme)),
            ("gpu-l4-24bg", "gpu-l4-24gb", Some(Slip::Short)),
            ("v6e", "w6e", Some(Slip::Coded)),
            ("x2pods", "x2pod", Some(Slip::Coded)),
            ("least1", "east1", Some(Slip::Coded)),
            ("gpu", "gpu", None),
            ("GPU", "gpu", None),
            ("a-b", "a_b", None),
            ("größe", "größer", Some(Slip::Clear)),
        ] {
            assert_eq!(slip(written, meant), expected, "{written} for {meant}");
        }
    }

    #[test]
    fn words_one_letter_apart_share_a_trace() {
        let meant = "cloud.google.com/gke-queued";
        for written in [
            "cloud.google.com/gke-qeuued",
            "cloud.google.com/gke-qeued",
            "cloud.gooogle.com/gke-queued",
            "cloud.googla.com/gke-queued",
        ] {
            let ours = traces(written);
            assert!(
                traces(meant).iter().any(|one| ours.contains(one)),
                "{written}"
            );
        }
        let ours = traces("cloud.google.com/gke-spot");
        assert!(!traces(meant).iter().any(|one| ours.contains(one)));
    }
}
