//! The clusters that a repository shows, each with the files that belong to it: what a proposed configuration is made of.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::assignment::Assignment;
use super::cluster::assign;
use super::clusters::unknown_taints;
use super::found::word;
use super::gather::Gathered;
use super::naming::{Name, Names, is_example};
use super::placed_pool::PlacedPool;
use super::session::Session;
use super::texts;
use crate::config::Config;
use crate::finding::{FilePlace, ListedGap, Report, Shown, ShownCluster, ShownPool};
use crate::source::{FileKind, SourceId, Span};

/// A cluster before its places are looked up. Its members are indices.
#[derive(Default)]
struct Draft {
    from: &'static str,
    at: Option<Span>,
    pools: BTreeSet<usize>,
    hints: BTreeSet<usize>,
    workloads: BTreeSet<usize>,
    /// Its number among those that objects deliver to.
    number: Option<usize>,
    /// Whether nothing says that the pools are its own.
    guessed: bool,
}

impl Draft {
    fn is_delivered(&self) -> bool {
        self.number.is_some()
    }

    /// What is not certain about it.
    fn doubt(&self) -> Option<&'static str> {
        if self.guessed {
            return Some("nothing says that these node pools are its own");
        }
        let is_bare = self.workloads.is_empty();
        is_bare.then_some("no workload is known to run in it; add the files of those that do")
    }
}

/// Finds the clusters that the files of a session show: those that objects of Flux, Argo CD and Fleet deliver to, those that
/// pools, their folders and the variants of Terraform configurations name, and the one of a repository with a single set of
/// pools. What nothing delivers belongs to the clusters whose pools it is judged by.
pub fn show_clusters(session: &mut Session<'_>) -> Shown {
    let settings = session.settings();
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
    let assignment = assign(&gathered, settings.config, settings.whole);
    let mut view = View::new(&gathered, settings.config, &assignment);
    view.add_delivered();
    view.add_named();
    if view.drafts.is_empty() {
        view.add_only_one();
    }
    let spans = |draft: &Draft| -> Vec<Span> {
        let pools = draft.pools.iter().filter_map(|at| view.pool_span(*at));
        draft.at.into_iter().chain(pools).collect()
    };
    let troubles = &gathered.graph.troubles;
    let named: BTreeSet<SourceId> = view
        .drafts
        .values()
        .flat_map(spans)
        .chain(troubles.iter().map(|trouble| trouble.at))
        .chain(gathered.unread.iter().map(|(span, _)| *span))
        .map(|span| span.source)
        .collect();
    // A file that has changed meanwhile only moves a line number in a comment.
    texts::load_again(session, texts::wanted_by(named, &[]), &mut report.sources);
    let place = |span: Span| -> Option<FilePlace> {
        let source = report.sources.get(&span.source)?;
        Some((source.path.clone(), source.position(span.start)))
    };
    let told = troubles.iter().map(|trouble| ListedGap {
        what: trouble.why.clone(),
        place: place(trouble.at),
    });
    let mut shown = Shown {
        clusters: Vec::new(),
        without_pools: BTreeSet::new(),
        relevant: view.relevant(),
        delivered: view.delivered_files(),
        unread: gathered
            .unread
            .iter()
            .filter(|(_, unread)| unread.pools)
            .filter_map(|(span, _)| place(*span))
            .collect(),
        not_read: told.collect(),
    };
    for (name, draft) in &view.drafts {
        let files = view.files(draft);
        if draft.pools.is_empty() || files.is_empty() {
            if draft.is_delivered() && !draft.workloads.is_empty() {
                shown.without_pools.insert(name.clone());
            }
            continue;
        }
        let pools = draft.pools.iter().map(|at| {
            let pool = &gathered.pools[*at].pool;
            ShownPool {
                name: pool.name.clone(),
                place: view.pool_span(*at).and_then(place),
                unknown: unknown_taints(pool),
            }
        });
        shown.clusters.push(ShownCluster {
            name: name.clone(),
            known_from: draft.from,
            place: draft.at.and_then(place),
            pools: pools.collect(),
            workloads: draft
                .workloads
                .iter()
                .filter(|at| gathered.workloads[**at].shape.level.has_owner())
                .count(),
            files,
            doubt: draft.doubt(),
        });
    }
    shown
}

/// The facts, and the clusters found in them so far.
struct View<'g> {
    gathered: &'g Gathered,
    config: &'g Config,
    assignment: &'g Assignment,
    /// The files that are delivered to each cluster, by its number.
    delivered: BTreeMap<usize, Vec<&'g str>>,
    /// For each workload that nothing delivers, the index of the set of pools that it is judged by.
    inferred: BTreeMap<usize, usize>,
    drafts: BTreeMap<String, Draft>,
}

impl<'g> View<'g> {
    fn new(gathered: &'g Gathered, config: &'g Config, assignment: &'g Assignment) -> View<'g> {
        let mut inferred = BTreeMap::new();
        for (at, cluster) in assignment.clusters.iter().enumerate() {
            if cluster.name.is_none() {
                let members = assignment.members(at).iter();
                inferred.extend(members.map(|workload| (*workload, at)));
            }
        }
        let mut delivered: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (path, clusters) in &gathered.graph.of_file {
            for at in clusters {
                delivered.entry(*at).or_default().push(path);
            }
        }
        View {
            gathered,
            config,
            assignment,
            delivered,
            inferred,
            drafts: BTreeMap::new(),
        }
    }

    /// Adds the clusters that objects deliver to.
    fn add_delivered(&mut self) {
        let clusters = self.gathered.graph.clusters.iter().enumerate();
        let known: BTreeMap<&str, _> = clusters
            .map(|(number, known)| (known.name.as_str(), (number, known)))
            .collect();
        for (at, cluster) in self.assignment.clusters.iter().enumerate() {
            let name = cluster.name.as_deref();
            let Some((number, known)) = name.and_then(|name| known.get(name)) else {
                continue;
            };
            let draft = Draft {
                from: word(known.from),
                at: Some(known.at),
                pools: cluster.pools.iter().copied().collect(),
                hints: cluster.hints.iter().copied().collect(),
                workloads: self.assignment.members(at).iter().copied().collect(),
                number: Some(*number),
                guessed: false,
            };
            self.drafts.insert(known.name.clone(), draft);
        }
    }

    /// Adds the clusters that pools, folders and variants name, and gives each what is judged by its pools.
    fn add_named(&mut self) {
        let delivered: BTreeSet<usize> = self
            .drafts
            .values()
            .flat_map(|draft| draft.pools.iter().copied())
            .collect();
        let free: Vec<usize> = (0..self.gathered.pools.len())
            .filter(|at| !delivered.contains(at) && self.is_real(&self.gathered.pools[*at]))
            .collect();
        let pools = free.iter().map(|at| {
            let placed = &self.gathered.pools[*at];
            (placed, self.path(placed.source))
        });
        let workloads = self.inferred.keys();
        let workloads = workloads.map(|at| self.path(self.gathered.workloads[*at].source));
        let names = Names::new(pools, workloads.filter(|path| !self.is_test(path)));
        let mut of_pool: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (name, draft) in &self.drafts {
            for at in &draft.pools {
                of_pool.entry(*at).or_default().insert(name.clone());
            }
        }
        let mut found: BTreeMap<String, Draft> = BTreeMap::new();
        for at in &free {
            let placed = &self.gathered.pools[*at];
            for Name { name, from } in names.of_pool(placed, self.path(placed.source)) {
                // A name that something else is delivered to says too little.
                if self.drafts.contains_key(&name) {
                    continue;
                }
                let draft = found.entry(name.clone()).or_default();
                if draft.pools.is_empty() {
                    draft.from = from;
                    let variant = placed.pool.variant.as_ref().map(|variant| variant.at);
                    draft.at = variant.or_else(|| self.pool_span(*at));
                }
                draft.pools.insert(*at);
                of_pool.entry(*at).or_default().insert(name);
            }
        }
        let own = |workload: &usize| -> BTreeSet<String> {
            let path = self.path(self.gathered.workloads[*workload].source);
            let named = names.of_path(path);
            named.into_iter().map(|name| name.name).collect()
        };
        let mut of_workload: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (workload, list) in &self.inferred {
            let mut clusters = own(workload);
            if clusters.is_empty() {
                let pools = self.assignment.clusters[*list].pools.iter();
                let named = pools.filter_map(|at| of_pool.get(at));
                clusters.extend(named.flatten().cloned());
            }
            of_workload.insert(*workload, clusters);
        }
        // A pool without a name serves the clusters of the workloads that it serves.
        let is_unnamed = |at: &usize| !of_pool.contains_key(at) && free.binary_search(at).is_ok();
        let mut shared: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (workload, list) in &self.inferred {
            let pools = self.assignment.clusters[*list].pools.iter();
            for at in pools.filter(|at| is_unnamed(at)) {
                let of = shared.entry(*at).or_default();
                of.extend(of_workload[workload].iter().cloned());
            }
        }
        for (workload, list) in &self.inferred {
            let pools = &self.assignment.clusters[*list].pools;
            let path = self.path(self.gathered.workloads[*workload].source);
            if self.is_test(path) {
                continue;
            }
            let mut clusters = of_workload.remove(workload).unwrap_or_default();
            if clusters.is_empty() {
                let of = pools.iter().filter_map(|at| shared.get(at));
                clusters.extend(of.flatten().cloned());
            }
            for name in clusters {
                let draft = match self.drafts.get_mut(&name) {
                    Some(draft) => draft,
                    None => found.entry(name).or_default(),
                };
                draft.workloads.insert(*workload);
                let hints = &self.assignment.clusters[*list].hints;
                draft.hints.extend(hints);
            }
        }
        for (at, clusters) in shared {
            for name in clusters {
                if let Some(draft) = found.get_mut(&name).or(self.drafts.get_mut(&name)) {
                    draft.pools.insert(at);
                }
            }
        }
        for draft in found.values_mut().filter(|draft| draft.from.is_empty()) {
            draft.from = "folder";
            let first = draft.workloads.first();
            draft.at = first.map(|at| self.gathered.workloads[*at].span);
        }
        // Pools that nothing names are probably those of the only cluster.
        let mut delivered = self.drafts.values_mut();
        if let (Some(only), None, true) = (delivered.next(), delivered.next(), found.is_empty())
            && only.pools.is_empty()
        {
            only.guessed = !free.is_empty();
            only.pools.extend(&free);
        }
        self.drafts.extend(found);
    }

    /// Adds the cluster of a repository that has one set of pools for everything that has pools at all.
    fn add_only_one(&mut self) {
        let pools: BTreeSet<usize> = (0..self.gathered.pools.len())
            .filter(|at| self.is_real(&self.gathered.pools[*at]))
            .collect();
        let mut draft = Draft {
            from: "only",
            pools,
            ..Draft::default()
        };
        for (workload, list) in &self.inferred {
            let cluster = &self.assignment.clusters[*list];
            let path = self.path(self.gathered.workloads[*workload].source);
            let is_served = !cluster.pools.is_empty() && !self.is_test(path);
            if !is_served {
                continue;
            }
            if !cluster.pools.iter().eq(&draft.pools) {
                return;
            }
            draft.workloads.insert(*workload);
            draft.hints.extend(&cluster.hints);
        }
        let of_pools: Vec<&str> = draft
            .pools
            .iter()
            .map(|at| self.path(self.gathered.pools[*at].source))
            .collect();
        // Each folder of Terraform has a state of its own, and a module is no cluster.
        let configurations: BTreeSet<&str> = of_pools
            .iter()
            .filter(|path| FileKind::of(path) == Some(FileKind::Terraform))
            .map(|path| crate::source::path::folder(path))
            .collect();
        let is_module = of_pools
            .iter()
            .any(|path| path.split('/').any(|segment| segment == "modules"));
        if draft.workloads.is_empty() || configurations.len() > 1 || is_module {
            return;
        }
        let name = Names::only(&of_pools);
        self.drafts.insert(name.to_owned(), draft);
    }

    /// Whether a pool is one of a cluster that people run: no example, and no cluster that lives for a test.
    fn is_real(&self, placed: &PlacedPool) -> bool {
        let path = self.path(placed.source);
        let is_written = placed.configured || placed.listed.is_some();
        !is_written && !is_example(path) && !self.is_test(path) && placed.pool.provider != "kind"
    }

    fn is_test(&self, path: &str) -> bool {
        self.config.is_test(path, path)
    }

    fn path(&self, source: SourceId) -> &'g str {
        self.gathered.path(source)
    }

    fn pool_span(&self, at: usize) -> Option<Span> {
        let pool = &self.gathered.pools[at].pool;
        pool.name_span.or(pool.span)
    }

    fn pool_files(&self, placed: &'g PlacedPool) -> impl Iterator<Item = &'g str> {
        let variant = placed.pool.variant.as_ref();
        let values = variant.map(|variant| self.path(variant.at.source));
        std::iter::once(self.path(placed.source)).chain(values)
    }

    /// The files that belong to a cluster.
    fn files(&self, draft: &Draft) -> BTreeSet<String> {
        let pools = draft.pools.iter().map(|at| &self.gathered.pools[*at]);
        let hints = draft.hints.iter().map(|at| &self.gathered.hints[*at]);
        let placed = pools
            .chain(hints)
            .flat_map(|placed| self.pool_files(placed));
        let workloads = draft.workloads.iter();
        let workloads = workloads.map(|at| self.path(self.gathered.workloads[*at].source));
        let delivered = draft.number.and_then(|number| self.delivered.get(&number));
        let all = placed
            .chain(workloads)
            .chain(delivered.into_iter().flatten().copied());
        all.filter(|path| !path.is_empty() && !self.is_test(path))
            .map(str::to_owned)
            .collect()
    }

    /// The files that are delivered to clusters.
    fn delivered_files(&self) -> BTreeSet<String> {
        let all = self.gathered.graph.of_file.keys();
        all.filter(|path| !self.is_test(path)).cloned().collect()
    }

    /// The files that contain something that belongs to clusters.
    fn relevant(&self) -> BTreeSet<String> {
        let placed = self.gathered.pools.iter().chain(&self.gathered.hints);
        let placed = placed.flat_map(|placed| self.pool_files(placed));
        let workloads = self.gathered.workloads.iter();
        let workloads = workloads.map(|workload| self.path(workload.source));
        placed.chain(workloads).map(str::to_owned).collect()
    }
}
