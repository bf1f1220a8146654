//! The clusters that pools, folders, variables files and Terraform configurations name, as far as their paths say so.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::delivered::own_cluster;
use super::found::Found;
use super::gather::Gathered;
use super::naming::{ENVIRONMENT, Name, Names};
use super::placed_pool::PlacedPool;
use super::sides::Sides;
use super::states::States;
use crate::delivery::example_of;
use crate::extract::{chart_of, names_environment};
use crate::model::path_words::{is_infrastructure, is_region};
use crate::source::path::folder;
use crate::source::{FileKind, Span};
use crate::terraform::is_library;

/// A cluster that is known from its pools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The one that Terraform configurations make.
    State(usize),
    /// One with a name, in an example or in none.
    Named(String, String),
}

/// What tells clusters apart.
pub struct View<'g> {
    gathered: &'g Gathered,
    states: States,
    names: Names,
    sides: Sides,
    /// The clusters of configurations that are named after an environment, if no others are.
    environments: HashMap<usize, Group>,
    /// The other clusters of configurations that are named after an environment, such as one in each region.
    sharing: BTreeMap<Group, BTreeSet<usize>>,
    /// Their names: `prod-eu-west-1`.
    in_environment: HashMap<usize, String>,
    /// The examples of each name.
    examples: BTreeMap<String, BTreeSet<String>>,
    /// The clusters that each configuration makes with several files of values, by its folder.
    variants: HashMap<&'g str, BTreeSet<Group>>,
    /// The clusters that have a chart with the values of their environment, by its folder.
    pub installed: BTreeMap<&'g str, BTreeSet<Group>>,
}

impl<'g> View<'g> {
    pub fn new(gathered: &'g Gathered) -> View<'g> {
        let pools = gathered.pools.iter();
        let pools = pools.map(|placed| (placed, gathered.scanned_path(placed.source)));
        let workloads = gathered.workloads.iter();
        let workloads = workloads.map(|one| gathered.scanned_path(one.source));
        let mut view = View {
            gathered,
            states: States::find(gathered),
            names: Names::new(pools, workloads),
            sides: Sides::find(gathered),
            environments: HashMap::new(),
            sharing: BTreeMap::new(),
            in_environment: HashMap::new(),
            examples: BTreeMap::new(),
            variants: HashMap::new(),
            installed: BTreeMap::new(),
        };
        for (group, states) in view.of_environments() {
            match states.len() {
                1 => view
                    .environments
                    .extend(states.into_iter().map(|one| (one, group.clone()))),
                _ => {
                    let names = view.names_in(&group, &states);
                    if !names.is_empty() {
                        view.in_environment.extend(names);
                        view.sharing.insert(group, states);
                    }
                }
            }
        }
        for at in 0..gathered.pools.len() {
            for group in view.of_pool(at) {
                let placed = gathered.pools.get(at);
                if placed.is_some_and(|placed| placed.pool.variant.is_some()) {
                    let of = view.variants.entry(folder(view.pool_path(at)));
                    of.or_default().insert(group.clone());
                }
                if let Group::Named(example, name) = group {
                    view.examples.entry(name).or_default().insert(example);
                }
            }
        }
        view
    }

    /// The clusters of configurations that are named after only one environment, by that.
    fn of_environments(&self) -> BTreeMap<Group, BTreeSet<usize>> {
        let mut said: BTreeMap<usize, BTreeSet<Group>> = BTreeMap::new();
        for placed in &self.gathered.pools {
            let path = self.gathered.scanned_path(placed.source);
            if let Some(state) = self.states.of_pool(placed, path) {
                let mut names = self.names.of_path(path);
                names.retain(|name| name.from == ENVIRONMENT);
                let named = self.named(path, names);
                said.entry(state).or_default().extend(named);
            }
        }
        let mut found: BTreeMap<Group, BTreeSet<usize>> = BTreeMap::new();
        for (state, groups) in said.into_iter().filter(|(_, groups)| groups.len() == 1) {
            for group in groups {
                found.entry(group).or_default().insert(state);
            }
        }
        found
    }

    /// The names of the clusters of one environment if they are in different regions: what is below the folder of the
    /// environment, without what only says that it makes clusters. Other clusters need not have the same workloads.
    fn names_in(&self, environment: &Group, states: &BTreeSet<usize>) -> Vec<(usize, String)> {
        let Group::Named(_, name) = environment else {
            return Vec::new();
        };
        let name_of = |state: &usize| {
            let folders = self.states.root(*state).split('/');
            let mut names = folders.skip_while(|one| one != name);
            let environment = names.next()?;
            let below: Vec<&str> = names.filter(|name| !is_infrastructure(name)).collect();
            let is_regional = below.iter().any(|name| is_region(name));
            is_regional.then(|| (*state, format!("{environment}-{}", below.join("-"))))
        };
        let found: Vec<(usize, String)> = states.iter().filter_map(name_of).collect();
        let distinct: BTreeSet<&String> = found.iter().map(|(_, name)| name).collect();
        match distinct.len() == states.len() {
            true => found,
            false => Vec::new(),
        }
    }

    /// The clusters that have each chart with the values of their environment.
    pub fn installed<'f>(
        &self,
        all: impl Iterator<Item = &'f Found>,
    ) -> BTreeMap<&'g str, BTreeSet<Group>> {
        let mut installed: BTreeMap<&str, BTreeSet<Group>> = BTreeMap::new();
        for found in all {
            let of_pools = found.pools.iter().flat_map(|at| self.of_pool(*at));
            let of_pools: BTreeSet<Group> = of_pools.collect();
            let paths = found.workloads.iter().map(|at| self.workload_path(*at));
            for path in paths.filter(|path| names_environment(path)) {
                let own = installed.entry(folder(path)).or_default();
                match of_pools.len() {
                    1 => own.extend(of_pools.iter().cloned()),
                    _ => own.extend(self.of_path(path)),
                }
            }
        }
        installed
    }

    /// Whether a workload is what a chart makes by itself, and each of some clusters has the chart with values of its own.
    pub fn is_in_each(&self, workload: usize, clusters: &BTreeSet<Group>) -> bool {
        let path = self.workload_path(workload);
        let of_values = || path.strip_suffix("values.yaml").map(|_| folder(path));
        let chart = chart_of(path).or_else(of_values);
        let own = chart.and_then(|chart| self.installed.get(chart));
        own.is_some_and(|own| own.is_superset(clusters))
    }

    /// The cluster of some configurations.
    fn of_state(&self, state: usize) -> Group {
        let named = self.environments.get(&state).cloned();
        named.unwrap_or(Group::State(state))
    }

    pub fn pool_path(&self, at: usize) -> &'g str {
        let placed = self.gathered.pools.get(at);
        placed.map_or("", |placed| self.gathered.scanned_path(placed.source))
    }

    pub fn workload_path(&self, at: usize) -> &'g str {
        let workload = self.gathered.workloads.get(at);
        workload.map_or("", |one| self.gathered.scanned_path(one.source))
    }

    /// Whether a pool is one of whoever calls a module that nothing here calls.
    pub fn is_of_library(&self, at: usize) -> bool {
        let placed = self.gathered.pools.get(at);
        let is_of_module = |placed: &PlacedPool| {
            let path = self.gathered.scanned_path(placed.source);
            let is_template = path.ends_with(".tftpl") && is_library(folder(path));
            is_template || self.gathered.libraries.contains(&placed.source)
        };
        placed.is_some_and(is_of_module)
    }

    /// The clusters that a pool says, or its file.
    pub fn of_pool(&self, at: usize) -> BTreeSet<Group> {
        let Some(placed) = self.gathered.pools.get(at) else {
            return BTreeSet::new();
        };
        let path = self.gathered.scanned_path(placed.source);
        let is_named = placed.pool.variant.is_some() || own_cluster(&placed.pool).is_some();
        match self.states.of_pool(placed, path).filter(|_| !is_named) {
            Some(state) => BTreeSet::from([self.of_state(state)]),
            None => {
                let mut groups = self.named(path, self.names.of_pool(placed, path));
                if let (true, Some(name)) = (groups.is_empty(), self.sides.of_pool(at)) {
                    groups.insert(Group::Named(example_of(path).to_owned(), name.to_owned()));
                }
                groups
            }
        }
    }

    /// The clusters that the path of a file says.
    pub fn of_path(&self, path: &str) -> BTreeSet<Group> {
        let mut groups = self.named(path, self.names.of_path(path));
        match self.states.around(path) {
            Some(state) => {
                groups.insert(self.of_state(state));
            }
            // What is for an environment is for each of its clusters.
            None => {
                let all = groups.iter().filter_map(|group| self.sharing.get(group));
                let all: Vec<usize> = all.flatten().copied().collect();
                groups.extend(self.in_regions_of(path, &all).map(Group::State));
            }
        }
        if let (true, Some(name)) = (groups.is_empty(), self.sides.of_path(path)) {
            groups.insert(Group::Named(example_of(path).to_owned(), name.to_owned()));
        }
        groups
    }

    /// The clusters that a configuration makes, if it declares a workload beside their pools: each of them has it.
    pub fn of_configuration(&self, path: &str) -> BTreeSet<Group> {
        let is_declared = FileKind::of(path) == Some(FileKind::Terraform);
        let variants = self.variants.get(folder(path));
        variants
            .filter(|_| is_declared)
            .cloned()
            .unwrap_or_default()
    }

    /// Those of some clusters that are in the regions that a path names; all of them if it names none.
    fn in_regions_of<'s>(
        &'s self,
        path: &str,
        all: &'s [usize],
    ) -> impl Iterator<Item = usize> + 's {
        let regions: BTreeSet<String> = folder(path)
            .split('/')
            .filter(|name| is_region(name))
            .map(str::to_owned)
            .collect();
        let root = |state: &usize| self.states.root(*state).split('/');
        let is_there = move |state: &usize| {
            regions.is_empty() || root(state).any(|name| regions.contains(name))
        };
        all.iter().copied().filter(is_there)
    }

    fn named(&self, path: &str, names: Vec<Name>) -> BTreeSet<Group> {
        let names = names.into_iter();
        let named = names.map(|one| Group::Named(example_of(path).to_owned(), one.name));
        named.collect()
    }

    /// Whether several configurations make the pools of a cluster.
    pub fn is_joined(&self, group: &Group) -> bool {
        matches!(group, Group::State(state) if self.states.is_joined(*state))
    }

    /// Whether a file is among several configurations of one cluster.
    pub fn is_inside(&self, path: &str) -> bool {
        let around = self.states.around(path);
        around.is_some_and(|state| self.states.is_joined(state))
    }

    /// The name of a cluster, as short as it can be.
    pub fn name(&self, group: &Group, is_taken: &dyn Fn(&str) -> bool) -> String {
        match group {
            Group::State(state) => {
                let named = self
                    .in_environment
                    .get(state)
                    .filter(|name| !is_taken(name));
                if let Some(name) = named {
                    return name.clone();
                }
                let [short, whole] = self.states.names(*state);
                let name = if is_taken(short) { whole } else { short };
                name.to_owned()
            }
            Group::Named(example, name) => {
                let examples = self.examples.get(name);
                match examples.is_some_and(|all| all.len() > 1) && !example.is_empty() {
                    true => format!("{example}/{name}"),
                    false => name.clone(),
                }
            }
        }
    }

    /// What a gap calls a cluster.
    pub fn told(&self, group: &Group) -> String {
        match group {
            Group::State(state) => {
                let named = self.in_environment.get(state).cloned();
                named.unwrap_or_else(|| self.states.names(*state)[1].to_owned())
            }
            Group::Named(..) => self.name(group, &|_| false),
        }
    }

    /// Where a cluster is known from: its first pool, one beside its declaration if there is one.
    pub fn place(&self, group: &Group, pools: &BTreeSet<usize>) -> Option<Span> {
        let placed = pools.iter().filter_map(|at| self.gathered.pools.get(*at));
        let is_beside = |placed: &&PlacedPool| match group {
            Group::State(_) => {
                let mut clusters = self.gathered.declared_clusters.iter();
                clusters.any(|one| one.source == placed.source)
            }
            Group::Named(..) => true,
        };
        let first = placed.clone().find(is_beside).or(placed.clone().next())?;
        let pool = &first.pool;
        let variant = pool.variant.as_ref().map(|variant| variant.at);
        variant.or(pool.name_span).or(pool.span)
    }
}
