//! Finds the suppressions that cover a finding without asking each of them.

use std::collections::HashMap;

use super::{Covers, Ignore};
use crate::source::Span;

/// Some suppressions, by rule and by the bytes that they cover.
#[derive(Debug, Default)]
pub struct Covering<'i> {
    lines: HashMap<&'i str, Ranges>,
    below: HashMap<&'i str, Ranges>,
}

impl<'i> Covering<'i> {
    /// Collects suppressions of one file. Each has a number, by which it is found.
    pub fn of(ignores: impl Iterator<Item = (usize, &'i Ignore)>) -> Covering<'i> {
        let mut found = Covering::default();
        for (number, ignore) in ignores {
            let (by_rule, range) = match &ignore.covers {
                Covers::Line(line) => (&mut found.lines, line),
                Covers::Below(range) => (&mut found.below, range),
            };
            for (id, _) in &ignore.rules {
                let ranges = by_rule.entry(id.as_str()).or_default();
                ranges.all.push((range.start, range.end, number));
            }
        }
        for ranges in found.lines.values_mut().chain(found.below.values_mut()) {
            ranges.sort();
        }
        found
    }

    /// The numbers of those that cover a finding, in order, with the id of its rule.
    pub fn all(&self, rule: &str, span: Span) -> Option<(&'i str, Vec<usize>)> {
        let mut found = Vec::new();
        let id = self.find(rule, span, |number| {
            found.push(number);
            true
        })?;
        found.sort_unstable();
        found.dedup();
        Some((id, found))
    }

    /// Whether one of them covers a finding.
    pub fn any(&self, rule: &str, span: Span) -> bool {
        self.find(rule, span, |_| false).is_some()
    }

    /// Calls `take` with the number of each that covers a finding, until it returns false. Returns the id of the rule if there
    /// is one.
    fn find(&self, rule: &str, span: Span, mut take: impl FnMut(usize) -> bool) -> Option<&'i str> {
        // The comparisons are those of [`Covers::covers`].
        let to_end = span.end.max(span.start.saturating_add(1));
        let to_start = span.start.saturating_add(1);
        let mut found = None;
        for (by_rule, before) in [(&self.lines, to_end), (&self.below, to_start)] {
            let Some((id, ranges)) = by_rule.get_key_value(rule) else {
                continue;
            };
            let goes_on = ranges.each(before, span.start, |number| {
                found = Some(*id);
                take(number)
            });
            if !goes_on {
                break;
            }
        }
        found
    }
}

/// Ranges of bytes.
#[derive(Debug, Default)]
struct Ranges {
    /// The start, the end and a number of each, sorted.
    all: Vec<(u32, u32, usize)>,
    /// A binary tree over them: the greatest end in each half, in each quarter and so on. The whole has the index 1, and the
    /// halves of `at` have the indices `2 * at` and `2 * at + 1`.
    ends: Vec<u32>,
}

impl Ranges {
    fn sort(&mut self) {
        self.all.sort_unstable();
        let leaves = self.all.len().next_power_of_two();
        self.ends = vec![0; leaves];
        let ends = self.all.iter().map(|(_, end, _)| *end);
        self.ends.extend(ends);
        self.ends.resize(2 * leaves, 0);
        for at in (1..leaves).rev() {
            let halves = self.ends.get(2 * at..2 * at + 2).unwrap_or_default();
            let greatest = halves.iter().copied().max().unwrap_or_default();
            if let Some(end) = self.ends.get_mut(at) {
                *end = greatest;
            }
        }
    }

    /// Calls `take` with the number of each range that starts before one place and ends after another, until it returns false.
    /// Returns whether it never did.
    fn each(&self, before: u32, after: u32, mut take: impl FnMut(usize) -> bool) -> bool {
        let count = self.all.partition_point(|(start, ..)| *start < before);
        let leaves = self.ends.len() / 2;
        let mut pending = vec![(1, 0, leaves)];
        while let Some((at, from, length)) = pending.pop() {
            let end = self.ends.get(at).copied().unwrap_or_default();
            if from >= count || end <= after {
                continue;
            }
            if length > 1 {
                let half = length / 2;
                pending.push((2 * at + 1, from + half, half));
                pending.push((2 * at, from, half));
            } else if let Some((.., number)) = self.all.get(from)
                && !take(*number)
            {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Object;
    use crate::source::SourceId;

    fn ignore(covers: Covers, rule: &str) -> Ignore {
        let span = Span::new(SourceId(0), 0..0);
        Ignore {
            span,
            covers,
            rules: vec![(rule.to_owned(), span)],
            reason: String::new(),
            until: None,
            object: Object::default(),
        }
    }

    #[test]
    fn those_that_cover_a_finding_are_those_that_say_so() {
        let mut ignores = Vec::new();
        for start in 0..8 {
            for end in start..9 {
                for rule in ["a", "b"] {
                    if (start + end) % 3 != 0 || rule == "a" {
                        ignores.push(ignore(Covers::Line(start..end), rule));
                    }
                    if (start + end) % 5 != 0 {
                        ignores.push(ignore(Covers::Below(start..end), rule));
                    }
                }
            }
        }
        for count in [0, 1, 2, 3, 7, 50, ignores.len()] {
            let some = &ignores[..count];
            let covering = Covering::of(some.iter().enumerate());
            for (start, end) in (0..10).flat_map(|start| (start..11).map(move |end| (start, end))) {
                let span = Span::new(SourceId(0), start..end);
                for rule in ["a", "b", "c"] {
                    let covers = |one: &Ignore| one.rules[0].0 == rule && one.covers.covers(span);
                    let meant = (0..count).filter(|at| covers(&some[*at]));
                    let meant: Vec<usize> = meant.collect();
                    let found = covering.all(rule, span);
                    assert_eq!(covering.any(rule, span), !meant.is_empty());
                    assert_eq!(found.unwrap_or_default().1, meant, "{rule} {start}..{end}");
                }
            }
        }
    }
}
