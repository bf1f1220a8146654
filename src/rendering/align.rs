//! Finds the lines of files that the lines of a printed document come from.

use std::collections::{BTreeSet, HashMap};
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

    /// The places in this text that say all lines of a run close together, each as the lines that say them.
    fn blocks(&self, run: &[&Line<'t>]) -> BTreeSet<Vec<usize>> {
        let rarest = run.iter().min_by_key(|line| self.times(line).len());
        let Some(rarest) = rarest.map(|line| self.times(line)) else {
            return BTreeSet::new();
        };
        if rarest.len() > MAX_TIMES {
            return BTreeSet::new();
        }
        let near = |at: &usize| {
            let mut used = BTreeSet::new();
            run.iter()
                .map(|line| {
                    let times = self.times(line);
                    let free = times.iter().filter(|one| !used.contains(*one));
                    let nearest = *free.min_by_key(|one| one.abs_diff(*at))?;
                    used.insert(nearest);
                    (nearest.abs_diff(*at) <= 2 * run.len()).then_some(nearest)
                })
                .collect::<Option<Vec<usize>>>()
        };
        rarest.iter().filter_map(near).collect()
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
        if told.len() <= MAX_RUN
            && let Some((text, found)) = self.block(&told, &actions)
        {
            for ((at, _), there) in told.iter().zip(found) {
                self.set(*at, Place::Line(text, there));
            }
            return;
        }
        let about = actions.first().map_or(self.whole, |(span, _)| *span);
        for (at, line) in told {
            let mut times = self.texts.iter().enumerate().flat_map(|(text, lines)| {
                let there = lines.times(line).iter();
                there.map(move |there| Place::Line(text, *there))
            });
            // A line that occurs once in all these texts, and that says something of its own.
            let only = times
                .next()
                .filter(|_| times.next().is_none() && !line.value().is_empty());
            self.set(at, only.unwrap_or(Place::About(about)));
        }
    }

    /// The only block of lines that a run can come from. If there are several, the actions tell which one it is.
    fn block(
        &mut self,
        told: &[(usize, &Line<'t>)],
        actions: &[(Span, String)],
    ) -> Option<(usize, Vec<usize>)> {
        let run: Vec<&Line<'t>> = told.iter().map(|(_, line)| *line).collect();
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        for (text, lines) in self.texts.iter().enumerate() {
            found.extend(lines.blocks(&run).into_iter().map(|block| (text, block)));
        }
        if found.len() > 1 {
            let named = self.named(actions);
            found.retain(|(text, block)| {
                let lines = self.texts.get(*text).map(|text| &text.lines);
                let line = |at: &usize| lines.and_then(|lines| lines.get(*at));
                block.iter().filter_map(line).all(|line| {
                    named
                        .iter()
                        .any(|(at, range)| at == text && range.contains(&line.start))
                })
            });
        }
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    /// The actions in some lines of the first text: their places and texts.
    fn actions(&self, lines: Range<usize>) -> Vec<(Span, String)> {
        let Some(first) = self.texts.first() else {
            return Vec::new();
        };
        let lines = first.lines.get(lines).unwrap_or_default().iter();
        let actions = lines.filter(|line| {
            line.content.contains("{{")
                && !line.content.contains("{{- end")
                && !line.content.contains("{{ end")
        });
        let place = |line: &Line<'_>| {
            let range = line.start..line.start + line.content.len();
            (Span::new(first.original.id, range), line.content.to_owned())
        };
        actions.map(place).collect()
    }

    /// The parts of the other texts that actions name as `.Values.a.b`, each with the index of its text.
    fn named(&mut self, actions: &[(Span, String)]) -> Vec<(usize, Range<usize>)> {
        const VALUES: &str = ".Values.";
        let paths: BTreeSet<&str> = actions
            .iter()
            .flat_map(|(_, text)| {
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
mod tests {
    use super::*;

    const TEMPLATE: SourceId = SourceId(1);
    const VALUES: SourceId = SourceId(2);

    fn whole(text: &str, id: SourceId) -> Original<'_> {
        Original {
            id,
            text,
            range: 0..text.len(),
        }
    }

    /// The text in the originals that a printed text comes from.
    fn origin<'t>(pieces: &Pieces, printed: &str, originals: &[Original<'t>]) -> &'t str {
        let at = pieces.text().find(printed).unwrap();
        let span = pieces.place(at..at + printed.len()).unwrap();
        let original = originals.iter().find(|one| one.id == span.source).unwrap();
        original.text.within(span.range())
    }

    const TEXT: &str = "kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  hostNetwork: true # why\n  \
                        tolerations:\n    {{- toYaml .Values.b.tolerations | nindent 4 }}\n  nodeName: 'x'\n";

    const SETTINGS: &str = "a:\n  tolerations:\n    - key: x\n      operator: \"Exists\"\nb:\n  tolerations:\n    - key: x\n      \
                            # here\n      operator: \"Exists\"\n";

    const PRINTED: &str = "kind: Pod\nmetadata:\n  name: web\nspec:\n  hostNetwork: true # why\n  tolerations:\n    - key: x\n      \
                           operator: Exists\n  nodeName: 'x'\n";

    #[test]
    fn lines_come_from_the_template_and_from_the_values_that_its_actions_name() {
        let originals = [whole(TEXT, TEMPLATE), whole(SETTINGS, VALUES)];
        let pieces = align(PRINTED, &originals, Span::new(TEMPLATE, 0..0));
        assert_eq!(pieces.text(), PRINTED);
        for (printed, expected) in [
            ("hostNetwork: true", "hostNetwork: true"),
            ("nodeName: 'x'", "nodeName: 'x'"),
            ("name: web", "name: {{ .Release.Name }}"),
            ("operator: Exists", "operator: \"Exists\""),
        ] {
            assert_eq!(origin(&pieces, printed, &originals), expected, "{printed}");
        }
        let at = PRINTED.find("operator").unwrap();
        let span = pieces.place(at..at + 8).unwrap();
        assert_eq!(span.source, VALUES);
        assert_eq!(span.start as usize, SETTINGS.rfind("operator").unwrap());
    }

    #[test]
    fn what_several_values_may_have_printed_is_where_the_action_is() {
        let text = TEXT.replace(".Values.b.tolerations", "$list");
        let originals = [whole(&text, TEMPLATE), whole(SETTINGS, VALUES)];
        let pieces = align(PRINTED, &originals, Span::new(TEMPLATE, 0..0));
        let expected = "{{- toYaml $list | nindent 4 }}";
        assert_eq!(origin(&pieces, "operator: Exists", &originals), expected);
    }

    #[test]
    fn a_text_without_originals_has_the_place_of_its_file() {
        let place = Span::new(VALUES, 3..4);
        assert_eq!(align("a: b\n", &[], place).place(0..4), Some(place));
    }
}
