//! The pipeline from sources to a report. Does no I/O itself; the caller passes a function that loads files.

mod admission;
mod apart;
mod applied;
mod assignment;
mod borrowed;
mod by_key;
mod by_label;
pub mod caught;
mod change_facts;
mod chart_conditions;
mod charts;
mod claims;
mod clouds;
mod cluster;
mod cluster_change;
mod clusters;
mod compared;
mod configurations;
mod configured;
mod contradictions;
mod delivered;
mod deliveries;
mod digest;
mod disk;
mod drift;
mod dumps;
mod exceptions;
mod facts;
mod fit;
pub mod fixes;
mod fleet_values;
mod forms;
mod found;
pub mod gather;
mod giving_way;
mod groups;
mod hints;
mod identity;
mod ignores;
mod included;
mod injections;
mod inventories;
mod judge;
mod kept;
pub mod kustomizations;
mod libraries;
mod listed;
mod listing;
mod lost;
mod made_pools;
mod matching;
mod moved;
mod naming;
mod nearest;
mod novelty;
mod on_change;
mod origins;
mod overlay;
mod overridden;
mod own_list;
mod paths;
mod place;
mod placed_pool;

mod plain;
mod purpose;
mod read;
mod readers;
mod referring;
mod renames;
mod rendered;
mod renderings;
mod search;
mod searched;
mod selectable;
pub mod session;
mod settled;
mod several;
mod shapes;
mod shown;
mod sides;
mod spelling;
mod states;
mod survey;
mod testimony;
mod texts;
mod tolerating;
mod trial;
mod undecided;
mod undeclared;
mod unread;
mod usage;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cache::Cache;
use crate::config::Config;
use crate::extract::Table;
use crate::finding::{Because, Open, Problem, Report};
use crate::model::notice::NoticeKind;
use crate::model::well_known::WellKnown;
use crate::rendering::Rendered;
use crate::rule::RuleSet;
use crate::source::{SourceId, Span};
use caught::{bug_text, caught};
use gather::Gathered;
pub use ignores::Suppressions;
use session::{Load, Session};
use texts::Held;

pub use cluster_change::{ClusterChange, PoolSides, Shift, WorkloadChange};
pub use clusters::{ClusterListing, list_clusters};
pub use listing::{Listing, Purpose, list, list_pools};
pub use matching::{Matched, pair_in_rounds};
pub use novelty::{Renames, compare};
pub use on_change::OnChange;
pub use paths::Paths;
pub use renames::find_renames;
pub use shown::show_clusters;
pub use survey::{Survey, SurveyedCluster, survey_once};
pub use texts::Later;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Path relative to the repository, with `/`.
    pub path: Arc<str>,
    /// Length in bytes of the part of `path` above the scanned folder.
    pub scanned_from: usize,
}

impl Input {
    /// The path below the scanned folder.
    fn scanned(&self) -> &str {
        self.path.get(self.scanned_from..).unwrap_or(&self.path)
    }
}

/// The result of loading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// The text of a template. It is meaningful only after a configuration has filled it in.
    Template(String),
    /// The file is not relevant to kubetaint.
    Irrelevant,
    /// The text of a file that is relevant only if another file names it.
    Parameters(String),
    /// The file is relevant but its text cannot be judged: it is too large, not UTF-8 or binary.
    Unusable(NoticeKind),
    /// The file could not be read.
    Unreadable(String),
}

/// The settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// The rules that run.
    pub rules: &'s RuleSet,
    /// Where workloads and pools are declared.
    pub table: &'s Table,
    /// The configuration, or the default one.
    pub config: &'s Config,
    /// Whether the inputs are the whole repository. In a part of it no cluster is known completely, whatever the
    /// configuration says, because its other pools may be in files that were not read.
    pub whole: bool,
    /// Whether comments and annotations in the files suppress findings.
    pub suppressions: Suppressions,
    /// What was rendered from the files, if anything was.
    pub rendered: Option<&'s Rendered>,
    /// What files said in earlier runs, if that is kept.
    pub cache: Option<&'s Cache>,
}

/// How many times a check starts over because files change while it runs.
const ATTEMPTS: usize = 3;

/// Reads and judges every input. The same inputs give the same report, whatever the number of threads.
///
/// `load` is called once for each input, and once more for each input that findings point into. If a text has changed in
/// between, the check starts over.
pub fn lint(inputs: &[Input], load: &Load<'_>, settings: Settings<'_>) -> Report {
    let mut judged = Judged::default();
    for _ in 0..ATTEMPTS {
        judged = judge(&mut Session::once(inputs, load, settings));
        if judged.changed.is_empty() {
            break;
        }
    }
    judged.report_changes()
}

/// Judges the files of a session in their current state.
pub fn check(session: &mut Session<'_>) -> Report {
    let mut judged = Judged::default();
    for _ in 0..ATTEMPTS {
        judged = judge(session);
        if judged.changed.is_empty() {
            break;
        }
        session.read_again(judged.changed.keys());
    }
    judged.report_changes()
}

/// A report, and the files whose texts changed meanwhile. Spans in those files are out of date.
#[derive(Default)]
struct Judged {
    report: Report,
    changed: BTreeMap<SourceId, String>,
}

impl Judged {
    fn report_changes(mut self) -> Report {
        let problems = self.changed.into_values().map(changed_file);
        self.report.problems.extend(problems);
        self.report.problems.sort();
        self.report
    }
}

fn changed_file(path: String) -> Problem {
    Problem {
        file: Some(path),
        position: None,
        message: "changed during the check".to_owned(),
    }
}

fn judge(session: &mut Session<'_>) -> Judged {
    // Panics in one file or one rule are caught there. This catches panics in the steps over all files.
    caught(|| judged(session)).unwrap_or_else(|why| Judged {
        report: Report {
            problems: vec![Problem {
                file: None,
                position: None,
                message: bug_text("judged", &why),
            }],
            ..Report::default()
        },
        changed: BTreeMap::new(),
    })
}

fn judged(session: &mut Session<'_>) -> Judged {
    let mut report = Report::default();
    let mut gathered = session.gather(&mut report);
    judge_gathered(session, &mut gathered, report)
}

/// The report on a state of a repository, and the survey of its clusters.
#[derive(Debug)]
pub struct Examination<'l> {
    /// The report.
    pub report: Report,
    /// The clusters.
    pub survey: Survey<'l>,
}

/// Judges the files of a session in their current state, and finds their clusters. `later` loads the texts that places of
/// the survey are looked up in.
pub fn examine<'l>(session: &mut Session<'_>, later: Later<'l>) -> Examination<'l> {
    let settings = session.settings();
    let texts = Held::new(session, later);
    let mut report = Report::default();
    let mut gathered = session.gather(&mut report);
    let clusters = survey::clusters(&gathered, settings);
    let report = judge_gathered(session, &mut gathered, report).report_changes();
    let survey = survey::survey(gathered, clusters, settings, (texts, Vec::new()));
    Examination { report, survey }
}

fn judge_gathered(
    session: &mut Session<'_>,
    gathered: &mut Gathered,
    mut report: Report,
) -> Judged {
    let settings = session.settings();
    let well_known = WellKnown::new(settings.table.well_known_taints());
    let claimed = settings.config.clusters.iter().filter(|one| one.complete);
    for cluster in claimed.filter(|_| !settings.whole) {
        let because = Because::Cluster(cluster.name.as_str().into(), None);
        gathered.open.push(Open::part(cluster.span, because));
    }
    let (proposals, undecided) = judge::judge(gathered, settings, &well_known, &mut report);
    renderings::say_once(&mut report.findings, &gathered.rendered);
    let mut open = std::mem::take(&mut gathered.open);
    open.extend(undecided);
    let wanted = texts::wanted_by(texts::named_by(&report), &open);
    let (mut places, changed) = texts::load_again(session, wanted, &mut report.sources);
    if let Some(source) = &settings.config.source {
        let id = SourceId::CONFIGURATION;
        report.sources.insert(id, source.clone());
        let own = open.iter().flat_map(Open::spans);
        let own: Vec<Span> = own.filter(|span| span.source == id).collect();
        places.add(&own, source);
    }
    listed::list(open, &gathered.paths, &places, &mut report);
    let not_fixed = proposals.work_out(&mut report.findings, &report.sources);
    report.problems.extend(not_fixed);
    renderings::name_templates(&mut report, settings.rendered);
    several::join(&mut report.findings);
    several::join(&mut report.counted);
    identity::finish(&mut report.findings, &gathered.paths, &report.sources);
    identity::finish(&mut report.counted, &gathered.paths, &report.sources);
    report.tally();
    identity::finish_suppressed(&mut report.suppressed, &gathered.paths, &report.sources);
    report.counts.suppressed = u32::try_from(report.suppressed.len()).unwrap_or(u32::MAX);
    report.problems.sort();
    report.problems.dedup();
    Judged { report, changed }
}
