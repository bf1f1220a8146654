//! Finds the lines of files that the lines of a printed document come from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::lines::{Line, lines};
use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};
use crate::yaml::{self, Document, Pieces};

/// Documents that would take more comparisons of lines than this keep the place of their file.
const MAX_WORK: usize = 20_000_000;

/// A longer run of printed lines is not looked up as a block.
const MAX_RUN: usize = 200;

/// A line that occurs more often than this says nothing about where a block begins.
const MAX_TIMES: usize = 32;

/// A text that printed lines may come from.
pub struct Original<'t> {
    /// Its file.
    pub id: SourceId,
    /// The text of the file.
    pub text: &'t str,
    /// The part of it that matters.
    pub range: Range<usize>,
}

/// The lines of one original.
struct Lines<'t> {
    original: &'t Original<'t>,
    lines: Vec<Line<'t>>,
    by_said: HashMap<(&'t str, &'t str), Vec<usize>>,
}

impl<'t> Lines<'t> {
    fn of(original: &'t Original<'t>) -> Self {
        let lines = lines(original.text, original.range.clone());
        let mut by_said: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.is_blank())
        {
            by_said.entry(line.said()).or_default().push(at);
        }
        Lines {
            original,
            lines,
            by_said,
        }
    }

    fn times(&self, line: &Line<'t>) -> &[usize] {
        self.by_said.get(&line.said()).map_or(&[], Vec::as_slice)
    }

    /// The places in this text that say all lines of a run close together, each as the lines that say them. They may stand
    /// in another order, because printing sorts the keys of a map.
    fn blocks(&self, run: &[&Line<'t>]) -> Vec<Vec<usize>> {
        let rarest = run.iter().enumerate();
        let rarest = rarest.min_by_key(|(_, line)| self.times(line).len());
        let Some((index, rarest)) = rarest.map(|(index, line)| (index, self.times(line))) else {
            return Vec::new();
        };
        if rarest.len() > MAX_TIMES {
            return Vec::new();
        }
        let mut same: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (own, line) in run.iter().enumerate() {
            same.entry(line.said()).or_default().push(own);
        }
        let reach = 2 * run.len();
        let around = |at: &usize| {
            let mut moved = 0;
            let mut block = vec![0; run.len()];
            for (said, owns) in &same {
                let times = self.by_said.get(said)?;
                let from = times.partition_point(|one| *one + reach < *at);
                let to = times.partition_point(|one| *one <= *at + reach);
                // Entries of a list keep their order.
                let distance = |near: &&[usize]| -> usize {
                    let pairs = near.iter().zip(owns);
                    pairs
                        .map(|(one, own)| (one + index).abs_diff(at + own))
                        .sum()
                };
                let near = times.get(from..to)?.windows(owns.len());
                let nearest = near.min_by_key(distance)?;
                moved += distance(&nearest);
                for (line, own) in nearest.iter().zip(owns) {
                    *block.get_mut(*own)? = *line;
                }
            }
            Some((moved, block))
        };
        let mut blocks: Vec<(usize, Vec<usize>)> = rarest.iter().filter_map(around).collect();
        blocks.sort();
        let mut apart: Vec<(usize, Vec<usize>)> = Vec::new();
        for (moved, block) in blocks {
            let overlaps = |other: &Vec<usize>| block.iter().any(|line| other.contains(line));
            if !apart.iter().any(|(_, other)| overlaps(other)) {
                apart.push((moved, block));
            }
        }
        apart.into_iter().map(|(_, block)| block).collect()
    }
}

/// The place of a printed line.
#[derive(Clone, Copy)]
enum Place {
    /// A line of an original, by their indices.
    Line(usize, usize),
    /// Somewhere around here.
    About(Span),
}

/// Gives each line of a printed text the place that it comes from. `originals` begins with the text that was rendered; the
/// others are its values or patches. What comes from none of them for certain gets the place of the action that printed
/// it, or else `whole`.
pub fn align(printed: &str, originals: &[Original<'_>], whole: Span) -> Pieces {
    let own = lines(printed, 0..printed.len());
    let texts: Vec<Lines<'_>> = originals.iter().map(Lines::of).collect();
    let mut places = vec![Place::About(whole); own.len()];
    let work = texts
        .first()
        .map_or(0, |first| first.lines.len() * own.len());
    if work <= MAX_WORK {
        let mut aligner = Aligner {
            own: &own,
            texts: &texts,
            values: None,
            places: &mut places,
            whole,
        };
        aligner.align();
    }
    let mut pieces = Pieces::default();
    let mut at = 0;
    for (line, place) in own.iter().zip(places) {
        let length = printed
            .since(at)
            .find('\n')
            .map_or(printed.len() - at, |end| end + 1);
        let text = printed.within(at..at + length);
        match place {
            Place::About(span) => pieces.push_made(text, span),
            Place::Line(text_at, line_at) => {
                let original = texts.get(text_at).and_then(|text| {
                    let found = text.lines.get(line_at)?;
                    Some((text.original, found))
                });
                match original {
                    Some((original, found)) => {
                        add_line(&mut pieces, text, (line, at), original, found)
                    }
                    None => pieces.push_made(text, whole),
                }
            }
        }
        at += length;
    }
    pieces
}

/// Adds a printed line with the places of its key and its value.
fn add_line(
    pieces: &mut Pieces,
    text: &str,
    (line, at): (&Line<'_>, usize),
    original: &Original<'_>,
    found: &Line<'_>,
) {
    let span = |range: Range<usize>| {
        Span::new(
            original.id,
            found.start + range.start..found.start + range.end,
        )
    };
    let content = found.content.len();
    let start = line.start - at;
    pieces.push_made(text.until(start), span(0..1.min(content)));
    let rest = text.since(start);
    let key = line.key.min(rest.len());
    pieces.push_made(rest.until(key), span(0..found.key.max(1).min(content)));
    let value = line.value.clone();
    let between = span(found.key..found.value.start.max(found.key));
    pieces.push_made(rest.within(key..value.start), between);
    pieces.push_made(rest.within(value.clone()), span(found.value.clone()));
    pieces.push_made(
        rest.since(value.end),
        span(content.saturating_sub(1)..content),
    );
}

struct Aligner<'a, 't> {
    own: &'a [Line<'t>],
    texts: &'a [Lines<'t>],
    /// The parsed texts after the first, when needed.
    values: Option<Vec<Option<Document>>>,
    places: &'a mut [Place],
    whole: Span,
}

impl<'t> Aligner<'_, 't> {
    fn align(&mut self) {
        let Some(first) = self.texts.first() else {
            return;
        };
        let said = |lines: &[Line<'t>]| -> Vec<(&'t str, &'t str)> {
            lines.iter().map(Line::said).collect()
        };
        let (ours, theirs) = (said(self.own), said(&first.lines));
        for operation in capture_diff_slices(Algorithm::Patience, &theirs, &ours) {
            let (_, there, here) = operation.as_tag_tuple();
            if !matches!(operation, DiffOp::Equal { .. }) {
                self.fill(here, there);
                continue;
            }
            for (here, there) in here.zip(there) {
                self.set(here, Place::Line(0, there));
            }
        }
    }

    fn set(&mut self, at: usize, place: Place) {
        if let Some(slot) = self.places.get_mut(at) {
            *slot = place;
        }
    }

    /// Finds the places of a run of lines that the first text does not have there. It has the lines `instead`.
    fn fill(&mut self, run: Range<usize>, instead: Range<usize>) {
        let own = self.own;
        let lines = own.get(run.clone()).unwrap_or_default();
        let told: Vec<(usize, &Line<'t>)> = run
            .zip(lines)
            .filter(|(_, line)| !line.is_blank())
            .collect();
        if told.is_empty() {
            return;
        }
        let actions = self.actions(instead);
        let mut rest = told.as_slice();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(self.first_part(rest));
            self.fill_part(part, &actions);
            rest = after;
        }
    }

    /// The number of lines at the beginning of a run that may have been printed together.
    fn first_part(&self, run: &[(usize, &Line<'t>)]) -> usize {
        let is_known = |line: &Line<'t>| self.texts.iter().any(|text| !text.times(line).is_empty());
        let Some((_, first)) = run.first() else {
            return 0;
        };
        let known = is_known(first);
        let others = run.iter().skip(1).take_while(|(_, line)| {
            let is_after = line.indent < first.indent
                || (line.indent == first.indent && first.is_item && !line.is_item);
            !is_after && known && is_known(line)
        });
        1 + others.count()
    }

    fn fill_part(&mut self, told: &[(usize, &Line<'t>)], actions: &[(Span, Line<'t>)]) {
        if told.len() <= MAX_RUN
            && let Some((text, found)) = self.block(told, actions)
        {
            for ((at, _), there) in told.iter().zip(found) {
                self.set(*at, Place::Line(text, there));
            }
            return;
        }
        for (at, line) in told {
            let mut times = self.texts.iter().enumerate().flat_map(|(text, lines)| {
                let there = lines.times(line).iter();
                there.map(move |there| Place::Line(text, *there))
            });
            // A line that occurs once in all these texts, and that says something of its own.
            let only = times
                .next()
                .filter(|_| times.next().is_none() && !line.value().is_empty());
            let of_key = || {
                actions
                    .iter()
                    .find(|(_, action)| action.key() == line.key())
            };
            let about = of_key()
                .or(actions.first())
                .map_or(self.whole, |(span, _)| *span);
            self.set(*at, only.unwrap_or(Place::About(about)));
        }
    }

    /// The only block of lines that a run can come from. If there are several, the actions tell which one it is.
    fn block(
        &mut self,
        told: &[(usize, &Line<'t>)],
        actions: &[(Span, Line<'t>)],
    ) -> Option<(usize, Vec<usize>)> {
        let run: Vec<&Line<'t>> = told.iter().map(|(_, line)| *line).collect();
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        for (text, lines) in self.texts.iter().enumerate() {
            found.extend(lines.blocks(&run).into_iter().map(|block| (text, block)));
        }
        if found.len() > 1 && actions.is_empty() {
            // Without a template, the text before the patches is nearest.
            found.retain(|(text, _)| *text == 0);
        } else if found.len() > 1 {
            let named = self.named(actions);
            let is_named = |text: usize, at: usize| {
                let line = self.texts.get(text).and_then(|text| text.lines.get(at));
                line.is_some_and(|line| {
                    let mut ranges = named.iter().filter(|(named, _)| *named == text);
                    ranges.any(|(_, range)| range.contains(&line.start))
                })
            };
            found.retain(|(text, block)| block.iter().all(|at| is_named(*text, *at)));
        }
        match found.as_mut_slice() {
            [(text, block)] => Some((*text, std::mem::take(block))),
            _ => None,
        }
    }

    /// The actions in some lines of the first text: their places and texts.
    fn actions(&self, lines: Range<usize>) -> Vec<(Span, Line<'t>)> {
        let Some(first) = self.texts.first() else {
            return Vec::new();
        };
        let lines = first.lines.get(lines).unwrap_or_default().iter();
        let is_end = |line: &Line<'t>| {
            ["{{- end", "{{ end", "{{end"]
                .iter()
                .any(|end| line.content.starts_with(end))
        };
        let actions = lines.filter(|line| line.content.contains("{{") && !is_end(line));
        let place = |line: &Line<'t>| {
            let range = line.start..line.start + line.content.len();
            (Span::new(first.original.id, range), line.clone())
        };
        actions.map(place).collect()
    }

    /// The parts of the other texts that actions name as `.Values.a.b`, each with the index of its text.
    fn named(&mut self, actions: &[(Span, Line<'t>)]) -> Vec<(usize, Range<usize>)> {
        const VALUES: &str = ".Values.";
        let paths: BTreeSet<&str> = actions
            .iter()
            .flat_map(|(_, action)| {
                let text = action.content;
                text.match_indices(VALUES).map(|(at, _)| {
                    let rest = text.since(at + VALUES.len());
                    let is_path = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
                    let end = rest.find(|letter| !is_path(letter)).unwrap_or(rest.len());
                    rest.until(end)
                })
            })
            .collect();
        if paths.is_empty() {
            return Vec::new();
        }
        let texts = self.texts;
        let values = self.values.get_or_insert_with(|| {
            let others = texts.iter().skip(1).map(|text| {
                let original = text.original;
                yaml::parse(original.text, original.id)
                    .documents
                    .into_iter()
                    .next()
            });
            others.collect()
        });
        let mut named = Vec::new();
        for (at, document) in values.iter().enumerate() {
            for path in &paths {
                let root = document.as_ref().map(Document::root);
                let found = path
                    .split('.')
                    .try_fold(root, |node, key| Some(node?.get(key)));
                if let Some(node) = found.flatten() {
                    named.push((at + 1, node.span().range()));
                }
            }
        }
        named
    }
}

#[cfg(test)]
mod tests;
