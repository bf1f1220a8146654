//! The texts that a report points into. They are loaded a second time, so that a run only holds the texts of files with
//! findings, not of the whole repository.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::digest::Digest;
use super::session::Session;
use super::{Content, changed_file};
use crate::finding::{FilePlace, Open, Problem, Report};
use crate::source::{Position, Source, SourceId, Span};

/// The sources that findings point into.
pub fn named_by(report: &Report) -> BTreeSet<SourceId> {
    report
        .findings
        .iter()
        .chain(report.suppressed.iter().map(|one| &one.finding))
        .chain(&report.counted)
        .flat_map(|finding| {
            let related = finding.related.iter().map(|label| label.span.source);
            std::iter::once(finding.span.source).chain(related)
        })
        .collect()
}

/// The sources to load again: whether to hold each one, or else only the wanted places in it.
pub fn wanted_by(named: BTreeSet<SourceId>, open: &[Open]) -> BTreeMap<SourceId, Wanted> {
    let mut wanted: BTreeMap<SourceId, Wanted> = BTreeMap::new();
    for id in named {
        wanted.entry(id).or_default().held = true;
    }
    // The start of a whole file is known without its text.
    let is_part = |span: &Span| span.end > 0;
    for span in open.iter().flat_map(Open::spans).filter(is_part) {
        wanted.entry(span.source).or_default().spans.push(span);
    }
    wanted
}

/// What is wanted from one source.
#[derive(Default)]
pub struct Wanted {
    held: bool,
    spans: Vec<Span>,
}

/// Positions and excerpts from texts that are not held.
#[derive(Default)]
pub struct Places(HashMap<Span, (Position, String)>);

impl Places {
    /// Adds the places of one text.
    pub fn add(&mut self, spans: &[Span], source: &Source) {
        self.0.extend(looked_up(spans, source));
    }

    /// The start position of a span, or the start of its file if unknown.
    pub fn start(&self, span: Span) -> Position {
        self.0.get(&span).map_or(START, |(start, _)| *start)
    }

    /// The text at a span: its first line, shortened.
    pub fn written(&self, span: Span) -> &str {
        self.0.get(&span).map_or("", |(_, text)| text)
    }
}

const START: Position = Position {
    line: 1,
    column: 1,
    offset: 0,
};

/// The most characters of a file that a sentence quotes.
const WRITTEN: usize = 60;

fn looked_up(spans: &[Span], source: &Source) -> Vec<(Span, (Position, String))> {
    let look = |span: &Span| {
        let text = source.slice(*span);
        let line = text.lines().next().unwrap_or_default().trim_end();
        let mut written: String = line.chars().take(WRITTEN).collect();
        if written.len() < text.trim_end().len() {
            written.push('…');
        }
        (*span, (source.position(span.start), written))
    };
    spans.iter().map(look).collect()
}

/// Loads the held sources into `held` and looks up the wanted places. Returns the sources, with their paths, that changed
/// since they were judged: their findings are now elsewhere.
pub fn load_again(
    session: &Session<'_>,
    wanted: BTreeMap<SourceId, Wanted>,
    held: &mut BTreeMap<SourceId, Source>,
) -> (Places, BTreeMap<SourceId, String>) {
    let wanted: Vec<(SourceId, Wanted)> = wanted.into_iter().collect();
    let loaded: Vec<_> = wanted
        .into_par_iter()
        .filter_map(|(id, wanted)| {
            let (source, same) = session.load_again(id)?;
            let places = looked_up(&wanted.spans, &source);
            let changed = (!same).then(|| source.path.clone());
            Some((id, wanted.held.then_some(source), places, changed))
        })
        .collect();
    let mut places = Places::default();
    let mut all_changed = BTreeMap::new();
    for (id, source, found, changed) in loaded {
        all_changed.extend(changed.map(|path| (id, path)));
        places.0.extend(found);
        held.extend(source.map(|source| (id, source)));
    }
    (places, all_changed)
}

/// Loads the file with this index among the inputs, after the session is gone.
pub type Later<'l> = Box<dyn Fn(usize) -> Content + Sync + 'l>;

/// The texts that places are looked up in. Each is loaded when the first of its places is asked for, or before.
pub struct Held<'l> {
    load: Later<'l>,
    /// By id: the index among the inputs, the path, and the digest of the text that was read.
    files: BTreeMap<SourceId, (usize, Arc<str>, Digest)>,
    sources: Mutex<BTreeMap<SourceId, Option<Arc<Source>>>>,
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

impl<'l> Held<'l> {
    /// The texts of the files of a session.
    pub fn new(session: &Session<'_>, load: Later<'l>) -> Held<'l> {
        Held {
            load,
            files: session.digests().collect(),
            sources: Mutex::default(),
        }
    }

    /// Holds a text that is no input.
    pub fn hold(&self, id: SourceId, source: Source) {
        self.sources().insert(id, Some(Arc::new(source)));
    }

    /// Loads texts of which most will be asked for, several at a time.
    pub fn load_all(&self, ids: &BTreeSet<SourceId>) {
        ids.par_iter().for_each(|id| {
            self.source(*id);
        });
    }

    /// The place of a span. `None` if its file cannot be read again or has changed.
    pub fn place(&self, span: Span) -> Option<FilePlace> {
        let source = self.source(span.source)?;
        Some((source.path.clone(), source.position(span.start)))
    }

    /// The files that have changed since they were read, as far as places were asked for.
    pub fn changed(&self) -> Vec<Problem> {
        let sources = self.sources();
        let lost = sources.iter().filter(|(_, source)| source.is_none());
        let known = lost.filter_map(|(id, _)| self.files.get(id));
        known
            .map(|(_, path, _)| changed_file(path.to_string()))
            .collect()
    }

    /// The ids of its files.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + '_ {
        self.files.keys().copied()
    }

    /// Whether a file has the same path and text as that of another state.
    pub fn is_same(&self, other: &Held<'_>, id: SourceId) -> bool {
        let known = |held: &'_ Held<'_>| {
            let (_, path, digest) = held.files.get(&id)?;
            (*digest != Digest::default()).then(|| (path.clone(), *digest))
        };
        let own = known(self);
        own.is_some() && own == known(other)
    }

    /// The text of a file, if it can be read again and has not changed.
    pub fn source(&self, id: SourceId) -> Option<Arc<Source>> {
        if let Some(known) = self.sources().get(&id) {
            return known.clone();
        }
        let (index, path, digest) = self.files.get(&id)?;
        let content = (self.load)(*index);
        let is_same = Digest::of(&content) == *digest;
        let source = match content {
            Content::Text(text) | Content::Template(text) | Content::Parameters(text)
                if is_same =>
            {
                Some(Arc::new(Source::new(&**path, text)))
            }
            _ => None,
        };
        self.sources().insert(id, source.clone());
        source
    }

    fn sources(&self) -> MutexGuard<'_, BTreeMap<SourceId, Option<Arc<Source>>>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::builtin::{PROVIDERS, RULES};
    use crate::config::Config;
    use crate::extract::Table;
    use crate::lint::{Content, Input, Settings, Suppressions, lint};
    use crate::rule::RuleSet;

    const BAD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a}]\n  \
                       tolerations: [{key: a, operator: Exists, value: b}]\n";
    const GOOD: &str =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: [{name: a}]}\n";

    /// Lints a bad file and a good one. `load` gets the file and how many times it was read before.
    fn report(load: impl Fn(usize, u32) -> Content + Sync) -> (Report, [u32; 2]) {
        let sources: Vec<Source> = RULES
            .iter()
            .map(|(name, text)| Source::new(*name, *text))
            .collect();
        let rules = RuleSet::load(&sources).unwrap();
        let table = Table::load(PROVIDERS.iter().copied()).unwrap();
        let settings = Settings {
            rules: &rules,
            table: &table,
            config: &Config::default(),
            whole: true,
            suppressions: Suppressions::On(jiff::civil::date(2026, 1, 1)),
            rendered: None,
            cache: None,
        };
        let inputs = ["bad.yaml", "good.yaml"].map(|path| Input {
            path: path.into(),
            scanned_from: 0,
        });
        let times = [AtomicU32::new(0), AtomicU32::new(0)];
        let counted = |at: usize| load(at, times[at].fetch_add(1, Ordering::Relaxed));
        let report = lint(&inputs, &counted, settings);
        (report, times.map(AtomicU32::into_inner))
    }

    #[test]
    fn only_files_with_findings_are_read_twice_and_held() {
        let (report, times) = report(|at, _| Content::Text([BAD, GOOD][at].to_owned()));
        assert_eq!(times, [2, 1]);
        let held: Vec<&str> = report
            .sources
            .values()
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(held, ["bad.yaml"]);
        assert_eq!(report.problems, []);
    }

    #[test]
    fn a_file_that_changes_during_a_check_is_judged_as_it_is_then() {
        for later in [
            Content::Text(GOOD.to_owned()),
            Content::Unreadable("gone".to_owned()),
        ] {
            let (report, _) = report(|at, before| match before {
                0 => Content::Text([BAD, GOOD][at].to_owned()),
                _ => later.clone(),
            });
            assert!(report.findings.is_empty());
            let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
            assert!(
                problems.iter().all(|problem| problem.ends_with(": gone")),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_file_that_never_stops_changing_is_a_problem() {
        let (report, _) = report(|at, before| {
            let text = [BAD, GOOD][at];
            Content::Text(format!("{text}# {before}\n"))
        });
        assert!(!report.findings.is_empty());
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, ["bad.yaml: changed during the check"]);
    }
}
