//! A session over the files of a repository: keeps the facts of each file and reads only files that changed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::applied::Flux;
use super::configurations::Configurations;
use super::deliveries::Deliveries;
use super::digest::Digest;
use super::disk::Disk;
use super::gather::{self, Gathered};
pub use super::kept::Load;
use super::kept::{Kept, Means};
use super::paths::Paths;
use super::rendered::Charts;
use super::shapes::Shapes;
use super::{
    Content, Input, Settings, chart_conditions, charts, claims, contradictions, delivered, dumps,
    fleet_values, inventories, kustomizations, libraries, made_pools, referring, renderings,
};
use crate::delivery::Graph;
use crate::extract::FileFacts;
use crate::finding::{Open, Problem, Report};
use crate::source::{Source, SourceId};

/// The files of a repository with their facts. A session reports the same as a new session over the same files.
pub struct Session<'s> {
    settings: Settings<'s>,
    load: &'s Load<'s>,
    /// In the order of the inputs, so that ids ascend.
    files: Vec<Kept>,
    configurations: Configurations,
    shapes: Shapes,
    /// Whether there is only one report, so that it may take the facts instead of copying them.
    once: bool,
}

impl<'s> Session<'s> {
    /// Reads every input.
    pub fn open(inputs: &[Input], load: &'s Load<'s>, settings: Settings<'s>) -> Session<'s> {
        let mut session = Session {
            settings,
            load,
            files: Vec::new(),
            configurations: Configurations::default(),
            shapes: Shapes::default(),
            once: false,
        };
        session.update(inputs, load, settings);
        session
    }

    /// Opens a session for a single report.
    pub(super) fn once(inputs: &[Input], load: &'s Load<'s>, settings: Settings<'s>) -> Self {
        let mut session = Session::open(inputs, load, settings);
        session.once = true;
        session.shapes = Shapes::default();
        session
    }

    /// Switches to other files, another configuration or other rules, and reads the files whose text is new. Discards texts
    /// set by [`write`](Session::write).
    pub fn update(&mut self, inputs: &[Input], load: &'s Load<'s>, settings: Settings<'s>) {
        self.switch(inputs, load, settings, &|_| false);
    }

    /// Like [`update`](Session::update), for files of which some are known to be those that were read under the same path:
    /// they are not even loaded.
    pub fn switch(
        &mut self,
        inputs: &[Input],
        load: &'s Load<'s>,
        settings: Settings<'s>,
        is_same: &(dyn Fn(usize) -> bool + Sync),
    ) {
        let is_same_table = std::ptr::eq(settings.table, self.settings.table);
        self.settings = settings;
        self.load = load;
        let mut known: HashMap<Arc<str>, Kept> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|kept| (kept.input.path.clone(), kept))
            .collect();
        let ids: Vec<Option<SourceId>> = inputs
            .iter()
            .map(|input| known.get(&input.path).map(|kept| kept.id))
            .collect();
        // Facts contain ids, and depend on the table.
        let ids = ids_between(&ids).filter(|_| is_same_table);
        let ids = ids.unwrap_or_else(|| {
            known.clear();
            self.configurations = Configurations::default();
            new_ids(inputs.len())
        });
        let known: Vec<Option<Kept>> = inputs
            .iter()
            .map(|input| known.remove(&input.path))
            .collect();
        let charts = Charts::of(inputs, &settings.config.charts);
        let means = Means {
            load,
            table: settings.table,
            shapes: &self.shapes,
            cache: settings.cache,
        };
        self.files = (inputs, ids, known)
            .into_par_iter()
            .enumerate()
            .map(|(index, (input, id, known))| {
                let rendered = charts.render(&input.path);
                match known {
                    Some(known) if is_same(index) && known.is_as_loaded(rendered, input) => {
                        known.at(index)
                    }
                    known => {
                        let who = (index, id, input);
                        Kept::read(who, rendered, known, means)
                    }
                }
            })
            .collect();
    }

    /// Replaces the text of a file until the next update.
    pub fn write(&mut self, file: SourceId, text: String) {
        let at = position(&self.files, file);
        if let Some(kept) = at.and_then(|at| self.files.get_mut(at)) {
            kept.buffer = Some(text.into());
            self.read_again([&file]);
        }
    }

    /// The index of a file among the inputs, or `None` for the configuration.
    pub fn index(&self, file: SourceId) -> Option<usize> {
        let at = position(&self.files, file)?;
        self.files.get(at).map(|kept| kept.index)
    }

    /// Reads some files again.
    pub(super) fn read_again<'f>(&mut self, files: impl IntoIterator<Item = &'f SourceId>) {
        let means = Means {
            load: self.load,
            table: self.settings.table,
            shapes: &self.shapes,
            cache: self.settings.cache,
        };
        for file in files {
            let at = position(&self.files, *file);
            if let Some(kept) = at.and_then(|at| self.files.get_mut(at)) {
                kept.read_again(means);
            }
        }
    }

    /// The settings that its files are judged by.
    pub(super) fn settings(&self) -> Settings<'s> {
        self.settings
    }

    /// Each file by its id: the index among the inputs, the path, and the digest of its text.
    pub(super) fn digests(&self) -> impl Iterator<Item = (SourceId, (usize, Arc<str>, Digest))> {
        let files = self.files.iter();
        files.map(|kept| {
            let path = kept.input.path.clone();
            (kept.id, (kept.index, path, kept.read.digest))
        })
    }

    /// A file in its current state, and whether that is the state that was read.
    pub(super) fn load_again(&self, file: SourceId) -> Option<(Source, bool)> {
        let kept = self.files.get(position(&self.files, file)?)?;
        let content = kept.content(self.load);
        let same = kept.read.digest == Digest::of(&content);
        let text = match content {
            Content::Text(text) | Content::Template(text) => text,
            Content::Irrelevant
            | Content::Parameters(_)
            | Content::Unusable(_)
            | Content::Unreadable(_) => String::new(),
        };
        Some((Source::new(&*kept.input.path, text), same))
    }

    /// What is known of the templates of charts, with what they include from other files, by their paths.
    pub fn chart_templates(&self) -> BTreeMap<String, FileFacts> {
        let (files, load, table) = (&self.files, self.load, self.settings.table);
        let mut again = libraries::read_again(files, load, table, &self.shapes);
        let rendered = self.files.iter().filter(|kept| kept.rendered);
        let read = rendered.filter_map(|kept| {
            let facts = again.remove(&kept.id);
            let facts = facts.or_else(|| kept.read.facts.as_deref().cloned());
            Some((kept.input.path.to_string(), facts?))
        });
        read.collect()
    }

    /// Finds the clusters that the repository shows.
    fn connect(&self, deliveries: &Deliveries<'_>, paths: &Paths) -> (Graph, Vec<Open>) {
        let by_path: OnceCell<HashMap<Arc<str>, usize>> = OnceCell::new();
        delivered::connect(deliveries, paths, self.settings.config, &|path| {
            let of = |kept: &'_ Kept| kept.input.path.clone();
            let known = by_path.get_or_init(|| {
                (0..)
                    .zip(&self.files)
                    .map(|(at, kept)| (of(kept), at))
                    .collect()
            });
            let kept = self.files.get(*known.get(path)?)?;
            match kept.content(self.load) {
                Content::Text(text) | Content::Parameters(text) => Some(text),
                _ => None,
            }
        })
    }

    /// Combines the facts of all files.
    pub(super) fn gather(&mut self, report: &mut Report) -> Gathered {
        let settings = self.settings;
        let configured = self
            .configurations
            .read(&self.files, self.load, settings.table);
        let filled = filled_in(&configured);
        let shapes = &self.shapes;
        let (files, load, table) = (&self.files, self.load, settings.table);
        let mut again = libraries::read_again(files, load, table, shapes);
        let (sources, values) = referring::read_again(files, load, table, shapes, &again);
        again.extend(values);
        made_pools::fill_in(files, load, table, &mut again);
        let facts = |id: SourceId| {
            let at = position(&self.files, id);
            let own = at.and_then(|at| self.files.get(at)?.read.facts.as_deref());
            again.get(&id).or(own)
        };
        let mut kustomizations =
            kustomizations::build((files, load), &facts, (table, &sources), shapes);
        let counts = |kept: &Kept| !(filled.contains(&kept.id) && kept.is_template());
        let mut workloads = 0;
        for kept in self.files.iter().filter(|kept| counts(kept)) {
            let read = &kept.read;
            report.counts.files += u32::from(read.counted);
            report.counts.documents += read.documents;
            report.counts.no_manifest_on_stdin |= read.without_manifest;
            report.problems.extend(read.problems.iter().cloned());
            let facts = again.get(&kept.id).or(read.facts.as_deref());
            workloads += facts.map_or(0, |facts| facts.workloads.len());
        }
        let mut evaluated = Vec::new();
        for one in configured {
            match one {
                Ok(facts) => {
                    workloads += facts.workloads.len();
                    evaluated.push(facts);
                }
                Err(problem) => report.problems.push(problem),
            }
        }
        let files = self.files.iter().map(|kept| (kept.id, kept.input.clone()));
        let configuration = settings.config.source.as_ref();
        let paths = Paths::new(files, configuration.map(|source| source.path.as_str()));
        let rendered = renderings::read(&self.files, settings.rendered, self.load, table);
        let (mut graph, unclear) = {
            let own = self.files.iter().filter(|kept| counts(kept));
            let own = own.filter_map(|kept| again.get(&kept.id).or(kept.read.facts.as_deref()));
            let all = own.chain(&evaluated).chain([&rendered]);
            self.connect(&Deliveries::of(all, &sources, &kustomizations), &paths)
        };
        if !graph.applied.is_empty() {
            let flux = Flux {
                disk: Disk::new(&self.files, self.load),
                facts: &facts,
                table: settings.table,
                sources: &sources,
                shapes: &self.shapes,
            };
            flux.change(&mut graph, &mut kustomizations);
        }
        delivered::replace(&mut graph, kustomizations.take_beside(), &paths);
        let once = self.once;
        let kept = self.files.iter_mut().filter(|kept| counts(kept));
        let own = kept.filter_map(|kept| match (again.remove(&kept.id), once) {
            (Some(facts), _) => Some(facts),
            (None, true) => kept.read.facts.take().map(|facts| *facts),
            (None, false) => kept.read.facts.as_deref().cloned(),
        });
        let all = (own.chain(evaluated), workloads);
        let config = settings.config;
        let mut gathered = gather::gather(all, rendered, kustomizations, paths, config, report);
        gathered.graph = graph;
        gathered.open.extend(unclear);
        fleet_values::replace(&mut gathered);
        let without = inventories::without_pools(&gathered, settings.config, &report.problems);
        report.problems.extend(without);
        charts::doubt_values(&mut gathered);
        charts::drop_used_keys(&mut gathered);
        chart_conditions::judge(&mut gathered, &self.files, self.load);
        inventories::note_pools_at_zero(&mut gathered);
        if settings.whole {
            let bare = claims::complete_without_pools(&gathered, settings.config);
            report.problems.extend(bare);
        }
        dumps::merge(&mut gathered, settings.config);
        let contradictions =
            contradictions::contradictions(&gathered, settings.config, settings.table);
        gathered.notices.extend(contradictions);
        report.inventories = contradictions::dates(&gathered, settings.config);
        gather::count_pools(&mut gathered, report);
        gathered.add_admission(settings.table);
        gathered
    }
}

/// The files that Terraform configurations contain objects from. What they say about a template is more than its text says.
fn filled_in(configured: &[Result<FileFacts, Problem>]) -> BTreeSet<SourceId> {
    let facts = configured.iter().flatten();
    facts
        .flat_map(|facts| {
            let workloads = facts.workloads.iter().map(|workload| workload.span);
            let pools = facts.pools.iter().filter_map(|read| read.pool.span);
            let notices = facts.notices.iter().map(|notice| notice.span);
            workloads.chain(pools).chain(notices)
        })
        .map(|span| span.source)
        .collect()
}

/// The position of a file in a list with ascending ids.
fn position(files: &[Kept], file: SourceId) -> Option<usize> {
    files.binary_search_by_key(&file, |kept| kept.id).ok()
}

/// This many new ids, with gaps between them.
fn new_ids(count: usize) -> Vec<SourceId> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let step = (SourceId::CONFIGURATION.0 / count.saturating_add(1)).max(1);
    (1..=count)
        .map(|at| SourceId(at.saturating_mul(step)))
        .collect()
}

/// Ascending ids, where some files already have one, or `None` if there is no room for the others.
fn ids_between(known: &[Option<SourceId>]) -> Option<Vec<SourceId>> {
    let mut ids = Vec::with_capacity(known.len());
    let mut before = 0;
    let mut rest = known;
    while !rest.is_empty() {
        let new = rest.iter().take_while(|id| id.is_none()).count();
        let next = rest.get(new).copied().flatten();
        let end = next.unwrap_or(SourceId::CONFIGURATION).0;
        let room = end.checked_sub(before)?;
        let step = room / (u32::try_from(new).ok()? + 1);
        if step == 0 {
            return None;
        }
        ids.extend((1..).take(new).map(|at| SourceId(before + at * step)));
        ids.extend(next);
        before = end;
        rest = rest.get(new + usize::from(next.is_some())..)?;
    }
    Some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(known: &[Option<u32>]) -> Option<Vec<u32>> {
        let known: Vec<_> = known.iter().map(|id| id.map(SourceId)).collect();
        ids_between(&known).map(|ids| ids.into_iter().map(|id| id.0).collect())
    }

    #[test]
    fn new_files_get_ids_between_those_of_their_neighbours() {
        assert_eq!(
            ids(&[Some(10), None, Some(20), Some(30)]),
            Some(vec![10, 15, 20, 30])
        );
        assert_eq!(ids(&[None, None, Some(30)]), Some(vec![10, 20, 30]));
        let last = ids(&[Some(10), None]).unwrap();
        assert!(last[1] > 10 && last[1] < SourceId::CONFIGURATION.0);
    }

    #[test]
    fn without_room_or_order_all_files_get_new_ids() {
        assert_eq!(ids(&[Some(10), None, Some(11)]), None);
        assert_eq!(ids(&[Some(20), Some(10)]), None);
    }

    #[test]
    fn ids_of_a_new_session_leave_room() {
        let ids = new_ids(100_000);
        assert!(ids.windows(2).all(|two| two[1].0 - two[0].0 > 1_000));
        assert!(ids.last().unwrap() < &SourceId::CONFIGURATION);
        assert_eq!(new_ids(0), []);
    }
}
