//! The pipeline: sources in, report out. No I/O of its own; whoever calls hands in a function that loads a file.

mod admission;
pub mod caught;
mod charts;
mod claims;
mod cluster;
mod configured;
mod drift;
mod dumps;
mod exceptions;
mod facts;
mod fit;
pub mod fixes;
pub mod gather;
mod giving_way;
mod hints;
mod identity;
mod ignores;
mod inventories;
mod judge;
mod listed;
mod listing;
mod nearest;
mod overlay;
mod place;
mod purpose;
mod readers;
mod rendered;
mod search;
mod shapes;
mod testimony;
mod texts;
mod trial;
mod undecided;
mod unread;

use rayon::prelude::*;

use crate::config::Config;
use crate::extract::{self, FileFacts, Table};
use crate::finding::{Because, Open, Problem, Report};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::well_known::WellKnown;
use crate::rule::RuleSet;
use crate::source::{FileKind, STDIN_PATH, Source, SourceId, Span};
use crate::terraform::{File, Files, Repository};
use caught::{bug, bug_text, caught};
use gather::Gathered;
pub use ignores::Acceptance;
use rendered::Charts;
use shapes::Shapes;
use texts::Digest;

pub use listing::{Listing, list_pools};

/// One file that is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Path relative to the repository, with `/`.
    pub path: String,
    /// Bytes of `path` above the scanned folder.
    pub scanned_from: usize,
}

/// What loading a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// The text of a template, which means something only where a configuration fills it in.
    Template(String),
    /// It is none of kubetaint's business.
    Irrelevant,
    /// It matters, but its text cannot be judged: it is too large, not UTF-8 or binary.
    Unusable(NoticeKind),
    /// It could not be read at all.
    Unreadable(String),
}

/// What a run goes by.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// The rules that run.
    pub rules: &'s RuleSet,
    /// Where workloads and pools are declared.
    pub table: &'s Table,
    /// The configuration, or its defaults.
    pub config: &'s Config,
    /// The inputs are the whole repository. Of a part of it no cluster can be known completely, whatever the
    /// configuration says: the other pools stand in files that nobody read.
    pub whole: bool,
    /// Whether comments and annotations in the files accept findings.
    pub acceptance: Acceptance,
}

/// One file after reading. Its text is gone: few files have findings, and those are loaded again.
struct ReadFile {
    facts: FileFacts,
    /// What the text must be when it is loaded again.
    digest: Digest,
    problems: Vec<Problem>,
    counted: bool,
    /// It is standard input and holds no manifest.
    without_manifest: bool,
}

/// Neighbouring files after reading. Most files say next to nothing: a struct for each would be most of the memory that a
/// large repository takes.
#[derive(Default)]
struct ReadFiles {
    facts: FileFacts,
    configurations: Vec<(String, File)>,
    digests: Vec<Digest>,
    problems: Vec<Problem>,
    counted: u32,
    without_manifest: bool,
}

impl ReadFiles {
    fn add(&mut self, input: &Input, mut one: ReadFile) {
        let configuration = one.facts.configuration.take();
        self.configurations
            .extend(configuration.map(|file| (input.path.clone(), file)));
        self.facts.absorb(one.facts);
        self.digests.push(one.digest);
        self.problems.extend(one.problems);
        self.counted += u32::from(one.counted);
        self.without_manifest |= one.without_manifest;
    }
}

/// More files than this are not read one after the other by one thread.
const NEIGHBOURS: usize = 64;

/// Reads every input and judges what was read. The same inputs give the same report, whatever the thread count.
///
/// `load` is called once for each input, and once more for each that findings point into: it must give the same again.
pub fn lint(
    inputs: &[Input],
    load: &(dyn Fn(usize) -> Content + Sync),
    settings: Settings<'_>,
) -> Report {
    // What goes wrong with one file or one rule is caught where it happens. This is for what is put together of all.
    caught(|| judged(inputs, load, settings)).unwrap_or_else(|why| Report {
        problems: vec![Problem {
            file: None,
            position: None,
            message: bug_text("judged", &why),
        }],
        ..Report::default()
    })
}

fn judged(
    inputs: &[Input],
    load: &(dyn Fn(usize) -> Content + Sync),
    settings: Settings<'_>,
) -> Report {
    let mut report = Report::default();
    let (mut gathered, digests) = read_all(inputs, load, settings, &mut report);
    let well_known = WellKnown::new(settings.table.well_known_taints());
    let config_id = source_id(inputs.len());
    let claimed = settings.config.clusters.iter().filter(|one| one.complete);
    for cluster in claimed.filter(|_| !settings.whole) {
        let because = Because::Cluster(cluster.name.as_str().into(), None);
        let span = Span {
            source: config_id,
            ..cluster.span
        };
        gathered.open.push(Open::part(span, because));
    }
    let (proposals, undecided) = judge::judge(&gathered, settings, &well_known, &mut report);
    let mut open = std::mem::take(&mut gathered.open);
    open.extend(undecided);
    if let Some(source) = &settings.config.source {
        report.sources.insert(config_id, source.clone());
    }
    let wanted = texts::wanted_by(texts::named_by(&report), &open);
    let mut places = texts::load_again(inputs, load, &digests, wanted, &mut report);
    if let Some(source) = &settings.config.source {
        let own = open.iter().flat_map(Open::spans);
        let own: Vec<Span> = own.filter(|span| span.source == config_id).collect();
        places.add(&own, source);
    }
    listed::list(open, &gathered.paths, &places, &mut report);
    let not_fixed = proposals.work_out(&mut report.findings, &report.sources);
    report.problems.extend(not_fixed);
    identity::finish(&mut report.findings, &gathered.paths, &report.sources);
    identity::finish(&mut report.counted, &gathered.paths, &report.sources);
    report.tally();
    identity::finish_suppressed(&mut report.suppressed, &gathered.paths, &report.sources);
    report.counts.suppressed = u32::try_from(report.suppressed.len()).unwrap_or(u32::MAX);
    report.problems.sort();
    report.problems.dedup();
    report
}

/// Reads every input and puts together what they say. Gives what each text must be when it is loaded again, too.
fn read_all(
    inputs: &[Input],
    load: &(dyn Fn(usize) -> Content + Sync),
    settings: Settings<'_>,
    report: &mut Report,
) -> (Gathered, Vec<Digest>) {
    let shapes = Shapes::default();
    let charts = Charts::of(inputs, &settings.config.charts);
    let at_once = (inputs.len() / 256).clamp(1, NEIGHBOURS);
    let read: Vec<ReadFiles> = inputs
        .par_chunks(at_once)
        .enumerate()
        .map(|(chunk, neighbours)| {
            let mut files = ReadFiles::default();
            for (input, index) in neighbours.iter().zip(chunk * at_once..) {
                let read = || read_one(index, input, load(index), settings.table, &charts);
                let mut one = caught(read).unwrap_or_else(|why| ReadFile {
                    facts: FileFacts::default(),
                    digest: Digest::default(),
                    problems: vec![bug(&input.path, "read", &why)],
                    counted: true,
                    without_manifest: false,
                });
                shapes.share(&mut one.facts.workloads);
                files.add(input, one);
            }
            files
        })
        .collect();
    let mut all = Vec::with_capacity(read.len());
    let mut digests = Vec::with_capacity(inputs.len());
    let mut configurations = Vec::new();
    for files in read {
        report.counts.files += files.counted;
        report.counts.no_manifest_on_stdin |= files.without_manifest;
        report.problems.extend(files.problems);
        digests.extend(files.digests);
        configurations.extend(files.configurations);
        all.push(files.facts);
    }
    drop(shapes);
    let files = OtherFiles { inputs, load };
    let configured = read_configurations(configurations, &files, settings.table);
    for one in configured {
        match one {
            Ok(facts) => all.push(facts),
            Err(problem) => report.problems.push(problem),
        }
    }
    let config_source = source_id(inputs.len());
    let mut gathered = gather::gather(all, inputs, config_source, settings.config, report);
    let without = inventories::without_pools(&gathered, settings.config, &report.problems);
    report.problems.extend(without);
    charts::doubt_values(&mut gathered);
    inventories::note_pools_at_zero(&mut gathered);
    if settings.whole {
        let bare = claims::complete_without_pools(&gathered, settings.config);
        report.problems.extend(bare);
    }
    dumps::merge(&mut gathered, settings.config);
    gather::count_pools(&mut gathered, report);
    gathered.add_admission(settings.table);
    (gathered, digests)
}

/// What Terraform's files declare, which can be told only of all files of a folder and of the folders that it calls.
fn read_configurations(
    configurations: Vec<(String, File)>,
    files: &OtherFiles<'_>,
    table: &Table,
) -> Vec<Result<FileFacts, Problem>> {
    let repository = Repository::new(configurations).beside(files);
    repository
        .tops()
        .into_par_iter()
        .map(|top| {
            caught(|| extract::read_configuration(&repository, top, table))
                .map_err(|why| bug(top.path(), "read", &why))
        })
        .collect()
}

/// Files that configurations read by their names. They are loaded again: texts are not kept.
struct OtherFiles<'f> {
    inputs: &'f [Input],
    load: &'f (dyn Fn(usize) -> Content + Sync),
}

impl Files for OtherFiles<'_> {
    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        // Few files are asked for.
        let index = self.inputs.iter().position(|input| input.path == path)?;
        match (self.load)(index) {
            Content::Text(text) | Content::Template(text) => Some((source_id(index), text)),
            Content::Irrelevant | Content::Unusable(_) | Content::Unreadable(_) => None,
        }
    }

    fn path(&self, file: SourceId) -> &str {
        let input = self.inputs.get(file.0 as usize);
        input.map_or("", |input| input.path.as_str())
    }
}

fn source_id(index: usize) -> SourceId {
    SourceId(u32::try_from(index).unwrap_or(u32::MAX))
}

fn read_one(
    index: usize,
    input: &Input,
    content: Content,
    table: &Table,
    charts: &Charts<'_>,
) -> ReadFile {
    let nothing = |problems: Vec<Problem>, counted: bool| ReadFile {
        facts: FileFacts::default(),
        digest: Digest::default(),
        problems,
        counted,
        without_manifest: false,
    };
    let is_stdin = input.path == STDIN_PATH;
    match content {
        // A script without a word about taints is none of the files that people mean.
        Content::Irrelevant => nothing(
            Vec::new(),
            !FileKind::of(&input.path).is_some_and(FileKind::holds_commands),
        ),
        Content::Template(text) => ReadFile {
            digest: Digest::of(&text),
            facts: extract::extract_part(&Source::new(input.path.clone(), text), source_id(index)),
            ..nothing(Vec::new(), false)
        },
        Content::Unreadable(why) => nothing(
            vec![Problem {
                file: Some(input.path.clone()),
                position: None,
                message: why,
            }],
            false,
        ),
        Content::Unusable(kind) => {
            let mut facts = FileFacts::default();
            let span = Span::new(source_id(index), 0..0);
            let is_binary = kind == NoticeKind::Binary {};
            let because = match &kind {
                NoticeKind::TooLarge { why } | NoticeKind::NotUtf8 { why } => {
                    Because::Unusable(why.as_str().into())
                }
                // No rule reports these: an encrypted file is no mistake, and it was not checked either.
                _ => Because::Binary,
            };
            facts.not_judged.push(Open::part(span, because));
            facts.notices.push(Notice::of_file(kind, span));
            ReadFile {
                facts,
                digest: Digest::default(),
                problems: Vec::new(),
                counted: true,
                without_manifest: is_stdin && is_binary,
            }
        }
        Content::Text(text) => {
            let source = Source::new(input.path.clone(), text).rendered(charts.render(&input.path));
            let facts = extract::extract(&source, source_id(index), table);
            let problems = facts
                .unreadable
                .iter()
                .map(|unreadable| Problem {
                    file: Some(input.path.clone()),
                    position: Some(source.position(unreadable.span.start)),
                    message: unreadable.message.clone(),
                })
                .collect();
            let id = source_id(index);
            ReadFile {
                without_manifest: is_stdin && !extract::has_manifest(&source, id, &facts),
                facts,
                digest: Digest::of(&source.text),
                problems,
                counted: true,
            }
        }
    }
}
