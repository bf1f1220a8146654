//! The clusters that the repository itself shows: what Flux, Argo CD and Fleet deliver to each, and its node pools.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::assignment::Cluster;
use super::deliveries::Deliveries;
use super::gather::Gathered;
use super::paths::Paths;
use super::placed_pool::PlacedPool;
use crate::config::Config;
use crate::delivery::{
    Data, Graph, Known, Pointer, Repository, Says, Tree, cluster_folder, example_of, graph,
    read_made,
};
use crate::extract;
use crate::finding::{Because, Open};
use crate::model::Field;
use crate::model::cluster::environments;
use crate::model::node_pool::NodePool;
use crate::source::path::folder;
use crate::source::{Source, SourceId, Span};
use crate::yaml;

/// Finds the clusters that the repository shows, and what is not known of them.
pub fn connect(
    deliveries: &Deliveries<'_>,
    paths: &Paths,
    config: &Config,
    text: &dyn Fn(&str) -> Option<String>,
) -> (Graph, Vec<Open>) {
    let points_nowhere =
        |pointer: &Pointer| matches!(pointer.says, Says::Variables(_) | Says::Template);
    let patched = deliveries.patched.iter().map(|(_, pointer)| *pointer);
    let mut all = deliveries.pointers.iter().copied().chain(patched);
    if all.all(points_nowhere) {
        return (Graph::default(), Vec::new());
    }
    let mut forms: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut by_folder: HashMap<&str, &str> = HashMap::new();
    for one in deliveries
        .kustomizations
        .iter()
        .filter(|one| one.applies.is_none())
    {
        let path = paths.of(one.source);
        by_folder.entry(folder(path)).or_insert(path);
        let named = one.entries.iter().chain(&one.patches).cloned();
        forms.entry(path).or_default().extend(named);
    }
    for one in &deliveries.generated {
        let above = std::iter::successors(Some(folder(&one.path)), |at| {
            (!at.is_empty()).then(|| folder(at))
        });
        let mut forms_above = above.filter_map(|at| by_folder.get(at));
        if let Some(form) = forms_above.next() {
            forms
                .entry(form)
                .or_default()
                .push(format!("/{}", one.path));
        }
    }
    let mut pointers: Vec<(&str, &Pointer)> = deliveries
        .pointers
        .iter()
        .map(|pointer| (paths.of(pointer.whole.source), *pointer))
        .collect();
    let patched = deliveries.patched.iter();
    pointers.extend(patched.map(|(place, pointer)| (paths.of(*place), *pointer)));
    pointers.sort_by_key(|(path, pointer)| (*path, pointer.whole));
    let repository = Repository {
        tree: Tree::new(paths.iter().collect(), forms).with_charts(deliveries.charts.clone()),
        pointers,
        read: &|path| {
            let documents = yaml::parse(&text(path)?, SourceId(0)).documents;
            documents.iter().map(|one| Data::of(one.root())).collect()
        },
        parse: &|text| {
            let documents = yaml::parse(text, SourceId(0)).documents;
            documents.iter().map(|one| Data::of(one.root())).collect()
        },
        fill: &|(path, id), files, given| {
            let source = Source::new(path, text(path)?).rendered(true);
            let files: Option<Vec<yaml::Stream>> = files
                .iter()
                .map(|file| Some(yaml::parse(&text(file)?, SourceId(0))))
                .collect();
            let files = files?;
            if files.iter().any(|file| !file.errors.is_empty()) {
                return None;
            }
            let given: Vec<yaml::Document> = given.iter().map(Data::document).collect();
            let files = files.iter().filter_map(|file| file.documents.first());
            let values = given.iter().chain(files).map(|one| one.root()).collect();
            let made = extract::documents_from_values(&source, id, values)?;
            let made = made.iter();
            Some(
                made.filter_map(|(one, at)| read_made(one.root(), *at))
                    .collect(),
            )
        },
        is_test: &|path| config.is_test(path, path),
    };
    let found = graph(&repository);
    let told = found.troubles.iter().map(|trouble| {
        let because = Because::Delivery(trouble.why.as_str().into());
        Open::part(trouble.at, because)
    });
    let open = told.collect();
    (found, open)
}

/// Notes where something else takes the place of objects that are used where they are, as far as kustomizations say that.
pub fn replace(graph: &mut Graph, beside: Vec<(Span, Vec<SourceId>)>, paths: &Paths) {
    for (object, places) in beside {
        let places = places.into_iter();
        let of = places.filter_map(|place| graph.of_file.get(paths.of(place)));
        let clusters: BTreeSet<usize> = of.flatten().copied().collect();
        graph.replace(object.source, object, clusters);
    }
}

/// The cluster that a pool or its file names.
pub fn own_cluster(pool: &NodePool) -> Option<&str> {
    let label = pool.labels.labels.get(CLUSTER_LABEL);
    let by_label = label.and_then(Field::known).map(String::as_str);
    pool.cluster.as_deref().or(by_label)
}

/// The label with the name of the cluster: eksctl takes it from the file of a cluster.
const CLUSTER_LABEL: &str = "alpha.eksctl.io/cluster-name";

/// What folders and names say of the pools and hints of one workload, as indices.
pub struct Inferred<'i> {
    /// Pools.
    pub pools: &'i [usize],
    /// Pools that are farther away.
    pub beside: &'i [usize],
    /// Hints.
    pub hints: &'i [usize],
}

/// The clusters of the graph with their pools, and the clusters of each workload.
pub struct Delivered {
    /// In the order of the graph.
    pub clusters: Vec<Cluster>,
    /// For each workload, the clusters that it is delivered to. Empty where the configuration names its clusters.
    pub of_workload: Vec<Vec<usize>>,
}

/// Gives each cluster of the graph its pools: those that are delivered to it, and those that serve its workloads according to
/// folders and names unless they belong to another cluster. `is_free` tells whether the graph decides about a file.
pub fn clusters<'i>(
    gathered: &Gathered,
    is_free: &mut dyn FnMut(SourceId) -> bool,
    (free, free_hints): (&[usize], &[usize]),
    inferred: &dyn Fn(usize) -> ((usize, usize), Inferred<'i>),
) -> Delivered {
    let graph = &gathered.graph;
    let count = graph.clusters.len();
    if count == 0 {
        return Delivered {
            clusters: Vec::new(),
            of_workload: vec![Vec::new(); gathered.workloads.len()],
        };
    }
    let mut lists: Vec<BTreeMap<(usize, usize), Inferred<'i>>> = Vec::new();
    lists.resize_with(count, BTreeMap::new);
    let mut of_workload = Vec::with_capacity(gathered.workloads.len());
    for (index, workload) in gathered.workloads.iter().enumerate() {
        let given = workload.delivered_to.iter().map(|at| *at as usize);
        let of = match is_free(workload.source) {
            true if !workload.delivered_to.is_empty() => given.collect(),
            true => {
                let path = gathered.path(workload.source);
                graph.clusters_of((workload.source, path), workload.span)
            }
            false => Vec::new(),
        };
        for cluster in &of {
            let (key, lists_of) = inferred(index);
            lists[*cluster].entry(key).or_insert(lists_of);
        }
        of_workload.push(of);
    }
    let names = Names::new(&graph.clusters);
    let place = |placed: &PlacedPool| {
        let pool = &placed.pool;
        let path = gathered.path(placed.source);
        let mut of: Vec<usize> = placed.delivered_to.iter().map(|at| *at as usize).collect();
        if let Some(span) = pool.span.or(pool.name_span).filter(|_| of.is_empty()) {
            of = graph.clusters_of((placed.source, path), span);
        }
        // Where all clusters get something else in its place, names do not bring it back.
        let named = match of.is_empty() && graph.of_file.contains_key(path) {
            true => Belongs::Clusters(Vec::new()),
            false => names.said(own_cluster(pool), gathered.scanned_path(placed.source)),
        };
        (of, named)
    };
    let pools: Vec<(usize, _)> = free
        .iter()
        .map(|at| (*at, place(&gathered.pools[*at])))
        .collect();
    let hints: Vec<(usize, _)> = free_hints
        .iter()
        .map(|at| (*at, place(&gathered.hints[*at])))
        .collect();
    let clusters = graph.clusters.iter().enumerate().map(|(cluster, known)| {
        let lists = &lists[cluster];
        let union = |list: fn(&Inferred<'i>) -> &'i [usize]| -> BTreeSet<usize> {
            lists
                .values()
                .flat_map(|of| list(of).iter().copied())
                .collect()
        };
        let own =
            |all: &[(usize, (Vec<usize>, Belongs))], inferred: &BTreeSet<usize>| -> Vec<usize> {
                let is_own = |(at, (of, named)): &&(usize, (Vec<usize>, Belongs))| {
                    if !of.is_empty() {
                        return of.contains(&cluster);
                    }
                    match named {
                        Belongs::Clusters(named) => named.contains(&cluster),
                        Belongs::Anywhere(environments) => {
                            inferred.contains(at) && names.fit(cluster, environments)
                        }
                        Belongs::ToTheOnly => true,
                    }
                };
                all.iter().filter(is_own).map(|(at, _)| *at).collect()
            };
        let of_pools = own(&pools, &union(|of| of.pools));
        let beside = union(|of| of.beside);
        let beside = beside
            .into_iter()
            .filter(|at| of_pools.binary_search(at).is_err());
        Cluster {
            name: Some(known.name.clone()),
            beside: beside.collect(),
            hints: own(&hints, &union(|of| of.hints)),
            pools: of_pools,
            ..Cluster::default()
        }
    });
    Delivered {
        clusters: clusters.collect(),
        of_workload,
    }
}

/// What the path and the declaration of a pool say of its cluster.
enum Belongs {
    /// They name these clusters.
    Clusters(Vec<usize>),
    /// They name none; the path names these environments.
    Anywhere(BTreeSet<&'static str>),
    /// They name none, and there is only one cluster.
    ToTheOnly,
}

/// The names of the clusters.
struct Names<'g> {
    by_name: HashMap<String, Vec<usize>>,
    environments: Vec<BTreeSet<&'static str>>,
    clusters: &'g [Known],
}

/// Folders whose pools are in no cluster, or in another repository's.
const APART: [&str; 7] = [
    "modules",
    "module",
    "templates",
    "charts",
    "docs",
    "archive",
    "hack",
];

/// Words in the names of folders that are for all clusters beside them.
const SHARED: [&str; 6] = ["all", "any", "common", "default", "global", "shared"];

/// Names that stand for a cluster without a name.
const UNNAMED: [&str; 2] = ["cluster", "in-cluster"];

impl<'g> Names<'g> {
    fn new(clusters: &'g [Known]) -> Names<'g> {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, known) in clusters.iter().enumerate() {
            let name = known.name.rsplit('/').next().unwrap_or_default();
            if !UNNAMED.contains(&name) {
                by_name
                    .entry(name.to_ascii_lowercase())
                    .or_default()
                    .push(at);
            }
        }
        let says = |known: &Known| {
            let mut found = environments(&known.name);
            found.extend(environments(&known.folder));
            found
        };
        Names {
            by_name,
            environments: clusters.iter().map(says).collect(),
            clusters,
        }
    }

    /// What is said by the cluster that a pool names itself, or else by the names of its folders and its file.
    fn said(&self, own: Option<&str>, path: &str) -> Belongs {
        let clusters = |name: &str| self.by_name.get(&name.to_ascii_lowercase());
        if let Some(named) = own.and_then(clusters) {
            return Belongs::Clusters(named.clone());
        }
        let example = example_of(path);
        let mut found = BTreeSet::new();
        for segment in path.split('/') {
            let stem = segment.split_once('.').map_or(segment, |(stem, _)| stem);
            let named = [segment, stem].into_iter().filter_map(clusters).flatten();
            found.extend(named.filter(|at| self.clusters[**at].example == example));
        }
        match found.is_empty() {
            false => Belongs::Clusters(found.into_iter().collect()),
            true if self.is_of_a_sibling(path) => Belongs::Clusters(Vec::new()),
            true if self.is_of_the_only(path) => Belongs::ToTheOnly,
            true => Belongs::Anywhere(environments(path)),
        }
    }

    /// Whether a path is in the folder of a cluster beside one that is known.
    fn is_of_a_sibling(&self, path: &str) -> bool {
        let Some((own, name)) = cluster_folder(folder(path)) else {
            return false;
        };
        if name.split(['-', '_']).any(|word| SHARED.contains(&word)) {
            return false;
        }
        let above = folder(own);
        let mut known = self.clusters.iter().map(|one| one.folder.as_str());
        !above.is_empty() && known.any(|known| known != own && folder(known) == above)
    }

    /// Whether there is one cluster only, and a path says nothing of another one.
    fn is_of_the_only(&self, path: &str) -> bool {
        let [only] = self.clusters else { return false };
        // Hidden folders hold what is no longer, or not yet, in use.
        let is_apart = |name: &str| name.starts_with('.') || APART.contains(&name);
        example_of(path) == only.example
            && cluster_folder(folder(path)).is_none()
            && environments(path).is_empty()
            && !folder(path).split('/').any(is_apart)
    }

    /// Whether something in these environments may be in a cluster.
    fn fit(&self, cluster: usize, environments: &BTreeSet<&'static str>) -> bool {
        let own = &self.environments[cluster];
        own.is_empty() || environments.is_empty() || !own.is_disjoint(environments)
    }
}

/// The number of judgements from which clusters with the same pools are judged as one.
const MANY: usize = 20_000;

impl Delivered {
    /// Judges clusters with the same pools as one if there are very many. Each then stands for several.
    pub fn fold(&mut self) {
        let judged: usize = self.of_workload.iter().map(Vec::len).sum();
        if judged <= MANY.max(8 * self.of_workload.len()) {
            return;
        }
        let mut first: BTreeMap<Cluster, usize> = BTreeMap::new();
        let mut folded: Vec<(Cluster, usize)> = Vec::new();
        let mut numbers = Vec::with_capacity(self.clusters.len());
        for cluster in std::mem::take(&mut self.clusters) {
            let alike = Cluster {
                name: None,
                ..cluster.clone()
            };
            let next = folded.len();
            let number = *first.entry(alike).or_insert(next);
            match folded.get_mut(number) {
                Some((_, others)) => *others += 1,
                None => folded.push((cluster, 0)),
            }
            numbers.push(number);
        }
        let named = folded.into_iter().map(|(cluster, others)| {
            let name = cluster.name.map(|name| match others {
                0 => name,
                others => format!("{name} and {others} others"),
            });
            Cluster { name, ..cluster }
        });
        self.clusters = named.collect();
        for of in &mut self.of_workload {
            let new: BTreeSet<usize> = of.iter().map(|at| numbers[*at]).collect();
            *of = new.into_iter().collect();
        }
    }
}
