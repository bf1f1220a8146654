//! Tries a proposed configuration: the repository is judged without it and with it, and what makes a difference is only a
//! comment.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::inputs::Inputs;
use crate::config::{self, Config};
use crate::discover::CONFIG_FILE;
use crate::finding::{Finding, Problem, Report, Severity};
use crate::lint::session::{Load, Session};
use crate::lint::{self, Input, Listing, Purpose, Settings, show_clusters};
use crate::model::path_words::is_test_path;
use crate::proposal::{Proposal, Seen, Tried};
use crate::source::{FileKind, Source, SourceId};

/// How often a proposal is tried. Each time something in it becomes a comment, and at last all of it.
const ROUNDS: usize = 8;

/// A proposal that changes nothing.
pub struct Proposed {
    /// Its text.
    pub text: String,
    /// The number of its clusters.
    pub clusters: usize,
    /// What was read.
    pub listing: Listing,
}

/// Proposes a configuration for the files of a run.
///
/// # Errors
/// Returns the problems of a proposal that does not load.
pub fn propose(
    inputs: &Inputs,
    settings: Settings<'_>,
    (list, load): (&[Input], &Load<'_>),
) -> Result<Proposed, Vec<Problem>> {
    // They must outlive the session.
    let configs: [OnceCell<Config>; ROUNDS + 1] = [const { OnceCell::new() }; ROUNDS + 1];
    let mut session = Session::open(list, load, settings);
    let listing = lint::list(&mut session, Purpose::Table);
    let shown = show_clusters(&mut session);
    let is_read = |input: &&Input| FileKind::of(&input.path) != Some(FileKind::Program);
    let files = list
        .iter()
        .filter(is_read)
        .map(|input| input.path.to_string());
    let files: Vec<String> = files.collect();
    let seen = Seen {
        pools: &listing.inventory.pools,
        shown: &shown,
        files: &files,
        others: &inputs.discovery.others,
        counts: &listing.counts,
    };
    let before = Outcome::of(lint::check(&mut session));
    let is_clean = |folder: &str| {
        let inside = format!("{folder}/");
        !before
            .found
            .keys()
            .any(|(path, ..)| path.starts_with(&inside))
    };
    let mut proposal = Proposal::new(&seen, &is_clean);
    let doubts = shown.clusters.iter().filter_map(|cluster| {
        let why = cluster.doubt?;
        Some((cluster.name.clone(), format!("{why}.")))
    });
    let mut tried = Tried {
        doubts: doubts.collect(),
        more: BTreeMap::new(),
    };
    let trial = Trial {
        inputs,
        settings,
        list,
        load,
    };
    let mut cells = configs.iter();
    let last = cells.next();
    for (round, cell) in cells.enumerate() {
        let config = trial.configure(&proposal, &tried, false)?;
        let config = cell.get_or_init(|| config);
        let after = trial.judge(&mut session, &proposal, config);
        let changes = before.changes(&after);
        if changes.is_empty() {
            break;
        }
        let is_last = round + 2 >= ROUNDS;
        doubt(&mut proposal, &mut tried, &changes, is_last);
    }
    if proposal.proposed(&tried).next().is_some()
        && let Some(cell) = last
    {
        let config = trial.configure(&proposal, &tried, true)?;
        let config = cell.get_or_init(|| config);
        let after = trial.judge(&mut session, &proposal, config);
        for (key, found) in &after.found {
            if before.severity(key) < Some(found.severity) {
                for cluster in &found.clusters {
                    *tried.more.entry(cluster.clone()).or_default() += 1;
                }
            }
        }
    }
    let (text, clusters) = (
        proposal.text(&tried, false),
        proposal.proposed(&tried).count(),
    );
    Ok(Proposed {
        text,
        clusters,
        listing,
    })
}

/// Makes what changes something a comment: what excludes the files in question, the clusters that have them, or else all of
/// it.
fn doubt(proposal: &mut Proposal<'_>, tried: &mut Tried, changes: &[Change], all: bool) {
    let mut files = changes.iter().flat_map(|change| &change.files);
    if files.any(|path| proposal.excludes(path)) && !all {
        proposal.exclude_nothing();
        return;
    }
    let mut doubts = BTreeMap::new();
    for entry in proposal.proposed(tried) {
        let of_entry: Vec<&Change> = changes
            .iter()
            .filter(|change| change.files.iter().any(|path| entry.has(path)))
            .collect();
        if let Some(change) = of_entry.first() {
            let more = match of_entry.len() {
                1 => String::new(),
                many => format!(", and {} more", many - 1),
            };
            let why = format!("{}{more}.", change.what);
            doubts.insert(entry.shown.name.clone(), why);
        }
    }
    if doubts.is_empty() || all {
        let what = changes.first().map_or("", |change| &change.what);
        for entry in proposal.proposed(tried) {
            let why = format!("{what}.");
            doubts.entry(entry.shown.name.clone()).or_insert(why);
        }
        if doubts.is_empty() || all {
            proposal.exclude_nothing();
        }
    }
    tried.doubts.append(&mut doubts);
}

/// What is needed to judge with a proposal.
struct Trial<'t> {
    inputs: &'t Inputs,
    settings: Settings<'t>,
    list: &'t [Input],
    load: &'t Load<'t>,
}

impl<'t> Trial<'t> {
    /// Reads the text of a proposal.
    fn configure(
        &self,
        proposal: &Proposal<'_>,
        tried: &Tried,
        complete: bool,
    ) -> Result<Config, Vec<Problem>> {
        let text = proposal.text(tried, complete);
        let mut config = config::parse(Source::new(CONFIG_FILE, text), SourceId::CONFIGURATION)?;
        config.charts.clone_from(&self.inputs.place.config.charts);
        Ok(config)
    }

    fn judge(
        &self,
        session: &mut Session<'t>,
        proposal: &Proposal<'_>,
        config: &'t Config,
    ) -> Outcome {
        let is_read = |input: &&Input| !proposal.excludes(&input.path);
        let list: Vec<Input> = self.list.iter().filter(is_read).cloned().collect();
        let settings = Settings {
            config,
            ..self.settings
        };
        session.update(&list, self.load, settings);
        let mut outcome = Outcome::of(lint::check(session));
        let names: Vec<&str> = self
            .list
            .iter()
            .map(|input| &*input.path)
            .chain(self.inputs.discovery.others.iter().map(String::as_str))
            .collect();
        let problems = config.check_used(&names).into_iter();
        outcome
            .problems
            .extend(problems.map(|problem| problem.to_string()));
        outcome
    }
}

/// The place of a finding, and its rule.
type Key = (String, u32, String);

/// A finding, as far as it matters here.
struct Found {
    severity: Severity,
    line: u32,
    files: BTreeSet<String>,
    clusters: BTreeSet<String>,
}

/// What a run reports.
struct Outcome {
    found: BTreeMap<Key, Found>,
    problems: BTreeSet<String>,
}

/// Something that a proposal changes, and the files that it is about.
struct Change {
    what: String,
    files: BTreeSet<String>,
}

impl Outcome {
    fn of(report: Report) -> Outcome {
        let path = |finding: &Finding| Some(report.sources.get(&finding.span.source)?.path.clone());
        let mut found: BTreeMap<Key, Found> = BTreeMap::new();
        for finding in &report.findings {
            let Some(path) = path(finding) else {
                continue;
            };
            let related = finding.related.iter().map(|label| label.span.source);
            let files = std::iter::once(finding.span.source).chain(related);
            let files = files.filter_map(|id| Some(report.sources.get(&id)?.path.clone()));
            let source = report.sources.get(&finding.span.source);
            let line = source.map_or(1, |source| source.position(finding.span.start).line);
            let clusters = finding.cluster.as_deref().unwrap_or_default().split(", ");
            let one = found
                .entry((path, finding.span.start, finding.rule.clone()))
                .or_insert_with(|| Found {
                    severity: finding.severity,
                    line,
                    files: BTreeSet::new(),
                    clusters: BTreeSet::new(),
                });
            one.severity = one.severity.max(finding.severity);
            one.files.extend(files);
            one.clusters.extend(clusters.map(str::to_owned));
        }
        let problems = report.problems.iter().chain(&report.warnings);
        Outcome {
            found,
            problems: problems.map(ToString::to_string).collect(),
        }
    }

    fn severity(&self, key: &Key) -> Option<Severity> {
        self.found.get(key).map(|found| found.severity)
    }

    /// What is lost, what is new and more than a note, and what does not load. Notes on tests may go: without a
    /// configuration the pools beside tests are theirs, too.
    fn changes(&self, after: &Outcome) -> Vec<Change> {
        let change = |(key, found): (&Key, &Found), what: &str| Change {
            what: format!("{what} {} at {}:{}", key.2, key.0, found.line),
            files: found.files.clone(),
        };
        let lost = self.found.iter();
        let lost = lost.filter(|(key, found)| {
            let is_minor = found.severity == Severity::Note && is_test_path(&key.0);
            !is_minor && after.severity(key) < Some(found.severity)
        });
        let lost = lost.map(|found| change(found, "it would lose"));
        let new = after.found.iter().filter(|(key, found)| {
            found.severity > Severity::Note && self.severity(key) < Some(found.severity)
        });
        let new = new.map(|found| change(found, "judge yourself whether it is true that it adds"));
        let problems = after.problems.difference(&self.problems);
        let problems = problems.map(|problem| Change {
            what: format!("it does not load: {problem}"),
            files: BTreeSet::new(),
        });
        lost.chain(new).chain(problems).collect()
    }
}
