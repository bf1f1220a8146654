//! The graph: from the objects that nothing delivers, along what they deliver, to the files of each cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::applied::{Use, applied};
use super::clusters::{Clusters, From, example_of};
use super::facts::{ArgoCluster, Pointer, Says, SourceName};
use super::fleet::Bundles;
use super::helmfile::Helmfiles;
use super::home::{Home, flux_target};
use super::made::Made;
use super::order::{Order, To};
use super::orders::Orders;
use super::repository::Repository;
use super::result::Graph;
use super::roots::{Root, Roots};
use super::substitution::Variables;
use super::tree::{Mode, Target};
use super::trouble::Trouble;

/// The maximum number of pairs of a folder and a file in it, and of a cluster and its file.
const MAX_PAIRS: usize = 500_000;

/// How often objects are asked again whether their variables are known.
const MAX_ROUNDS: usize = 64;

/// Finds the clusters of a repository and what runs in each.
pub fn graph(repository: &Repository<'_>) -> Graph {
    let pointers = &repository.pointers;
    let names: Vec<SourceName> = pointers
        .iter()
        .map(|(_, pointer)| pointer.source_name())
        .collect();
    let home = Home::find(pointers, &names, &repository.tree);
    let secrets: Vec<(&Pointer, &ArgoCluster)> = pointers
        .iter()
        .filter_map(|(_, pointer)| match &pointer.says {
            Says::Cluster(cluster) => Some((*pointer, cluster)),
            _ => None,
        })
        .collect();
    let bundles = Bundles::new(repository, &home);
    let helmfiles = Helmfiles::new(repository);
    let orders = Orders {
        repository,
        home: &home,
        secrets: &secrets,
        bundles: &bundles,
        helmfiles: &helmfiles,
    };
    let mut walk = Walk {
        repository,
        orders: &orders,
        of_pointer: Vec::new(),
        reached: HashMap::new(),
        maps: HashMap::new(),
        in_file: HashMap::new(),
        clusters: Clusters::default(),
        files: BTreeMap::new(),
        objects: BTreeMap::new(),
        uses: Vec::new(),
        made: Made::new(&orders),
        troubles: Vec::new(),
        left: MAX_PAIRS,
    };
    walk.read();
    let delivers: Vec<BTreeSet<usize>> = (0..pointers.len())
        .map(|number| walk.delivered(number))
        .collect();
    let mut roots = Roots {
        repository,
        of_pointer: &walk.of_pointer,
        delivers: &delivers,
        clusters: &mut walk.clusters,
        troubles: &mut walk.troubles,
    };
    let roots = roots.find();
    walk.follow(roots);
    walk.finish()
}

struct Walk<'w, 'f> {
    repository: &'w Repository<'f>,
    orders: &'w Orders<'w, 'f>,
    /// What each object orders.
    of_pointer: Vec<Rc<Vec<Order>>>,
    /// The files that each target stands for.
    reached: HashMap<Target, Rc<Vec<u32>>>,
    /// The ConfigMaps of each name: their files, and the variables in them.
    maps: HashMap<&'f str, Vec<VariablesOf<'f>>>,
    /// The objects in each file.
    in_file: HashMap<u32, Vec<usize>>,
    clusters: Clusters,
    /// The clusters of each file.
    files: BTreeMap<u32, BTreeSet<usize>>,
    /// The clusters of what objects install.
    objects: BTreeMap<usize, BTreeSet<usize>>,
    /// What Kustomizations of Flux apply.
    uses: Vec<Use>,
    made: Made<'w, 'f>,
    troubles: Vec<Trouble>,
    left: usize,
}

/// The file of a ConfigMap, and the variables in it.
type VariablesOf<'f> = (u32, &'f [(String, String)]);

/// A cluster, an object in it, and the object that applies it.
type Step = (usize, usize, Option<usize>);

impl<'f> Walk<'_, 'f> {
    /// Reads what each object orders.
    fn read(&mut self) {
        for (number, (path, pointer)) in self.repository.pointers.iter().enumerate() {
            if let Some(file) = self.repository.tree.file(path) {
                if let Says::Variables(pairs) = &pointer.says {
                    let of_name = self.maps.entry(&pointer.name).or_default();
                    of_name.push((file, pairs));
                    self.of_pointer.push(Rc::default());
                    continue;
                }
                self.in_file.entry(file).or_default().push(number);
            }
            let told = self.troubles.len();
            let orders = match pointer.needs_variables() {
                // Only what applies it knows the path.
                true => Vec::new(),
                false => self.orders.of((*path, *pointer), &mut self.troubles),
            };
            if (self.repository.is_test)(path) {
                self.troubles.truncate(told);
            }
            self.of_pointer.push(Rc::new(orders));
        }
    }

    fn reach(&mut self, target: &Target) -> Rc<Vec<u32>> {
        if let Some(known) = self.reached.get(target) {
            return Rc::clone(known);
        }
        let files = match self.left {
            0 => Vec::new(),
            _ => self.repository.tree.reach(target),
        };
        self.left = self.left.saturating_sub(files.len());
        let files = Rc::new(files);
        self.reached.insert(target.clone(), Rc::clone(&files));
        files
    }

    /// The objects that each object delivers.
    fn delivered(&mut self, number: usize) -> BTreeSet<usize> {
        let orders = self.of_pointer.get(number).map(Rc::clone);
        let mut found = BTreeSet::new();
        for target in orders
            .iter()
            .flat_map(|orders| orders.iter())
            .flat_map(|order| &order.targets)
        {
            for file in self.reach(target).iter() {
                found.extend(self.in_file.get(file).into_iter().flatten());
            }
        }
        found
    }

    /// Follows what is delivered to each cluster.
    fn follow(&mut self, roots: Vec<Root>) {
        let mut open: VecDeque<Step> = VecDeque::new();
        // Objects whose variables are not known yet.
        let mut waiting: Vec<Step> = Vec::new();
        // Folders that something applies, even if it is not here. Whatever applies them here goes first: it has variables.
        let mut folders: VecDeque<(usize, Target)> = VecDeque::new();
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        let mut applied: HashSet<(usize, Target)> = HashSet::new();
        for root in roots {
            if let Some((path, _)) = self.repository.pointers.get(root.pointer)
                && let Some(file) = self.repository.tree.file(path)
                && root.cluster != usize::MAX
            {
                self.files.entry(file).or_default().insert(root.cluster);
            }
            if seen.insert((root.cluster, root.pointer)) {
                open.push_back((root.cluster, root.pointer, None));
            }
            folders.extend(
                root.folder
                    .map(|folder| (root.cluster, flux_target(folder))),
            );
        }
        // Whether what is still waiting is taken as it is.
        let mut is_last = false;
        let mut rounds = 0;
        loop {
            while let Some(step) = open.pop_front() {
                let (cluster, number, _) = step;
                let Some(orders) = self.orders_of(step, is_last) else {
                    waiting.push(step);
                    continue;
                };
                for order in orders.iter() {
                    let to = self.receiver(order, cluster, number);
                    let of_object = self.objects.entry(number).or_default();
                    let Some(to) = to else { continue };
                    of_object.insert(to);
                    let is_flux = |target: &&Target| target.mode == Mode::Flux;
                    if let Some(target) = order.targets.last().filter(is_flux) {
                        let folder = target.folder.clone();
                        self.uses.push(Use { step, to, folder });
                    }
                    for target in &order.targets {
                        if !applied.insert((to, target.clone())) {
                            continue;
                        }
                        let found = self.apply(to, target);
                        for one in self.made.filled(found, target, &mut self.of_pointer) {
                            if seen.insert((to, one)) {
                                open.push_back((to, one, Some(number)));
                            }
                        }
                    }
                }
            }
            if let Some((cluster, target)) = folders.pop_front() {
                if applied.insert((cluster, target.clone())) {
                    let found = self.apply(cluster, &target);
                    let new = found.into_iter().filter(|one| seen.insert((cluster, *one)));
                    open.extend(new.map(|one| (cluster, one, None)));
                }
                continue;
            }
            if is_last || waiting.is_empty() {
                return;
            }
            // What was delivered since may hold the variables.
            rounds += 1;
            if rounds < MAX_ROUNDS {
                open.extend(self.take_known(&mut waiting));
            }
            if open.is_empty() {
                is_last = true;
                open.extend(waiting.drain(..));
            }
        }
    }

    /// Takes out the objects whose variables are known by now.
    fn take_known(&self, waiting: &mut Vec<Step>) -> Vec<Step> {
        let (known, others) = waiting
            .drain(..)
            .partition(|(cluster, _, applier)| self.variables(*cluster, *applier).is_some());
        *waiting = others;
        known
    }

    /// What an object orders, or `None` if that depends on variables that are not known yet.
    fn orders_of(
        &mut self,
        (cluster, number, applier): Step,
        is_last: bool,
    ) -> Option<Rc<Vec<Order>>> {
        let own = self.repository.pointers.get(number).copied();
        let Some((path, pointer)) = own.filter(|(_, pointer)| pointer.needs_variables()) else {
            return Some(
                self.of_pointer
                    .get(number)
                    .map(Rc::clone)
                    .unwrap_or_default(),
            );
        };
        let variables = match self.variables(cluster, applier) {
            Some(variables) => variables,
            None if is_last => Variables {
                open: true,
                ..Variables::default()
            },
            None => return None,
        };
        let filled = pointer.filled(&variables);
        Some(Rc::new(self.orders.of((path, &filled), &mut self.troubles)))
    }

    /// The variables that an object fills into what it applies. `None` if it takes them from a ConfigMap that is not
    /// delivered to the cluster.
    fn variables(&self, cluster: usize, applier: Option<usize>) -> Option<Variables> {
        let applier = applier.and_then(|number| self.repository.pointers.get(number));
        let Some((
            _,
            Pointer {
                says: Says::Flux(flux),
                ..
            },
        )) = applier
        else {
            return Some(Variables::default());
        };
        let mut variables = Variables {
            known: Vec::new(),
            open: flux.has_secret_variables,
        };
        for name in &flux.variables_from {
            let mut maps =
                self.maps
                    .get(name.as_str())
                    .into_iter()
                    .flatten()
                    .filter(|(file, _)| {
                        self.files
                            .get(file)
                            .is_some_and(|clusters| clusters.contains(&cluster))
                    });
            let (_, pairs) = maps.next()?;
            match maps.all(|(_, others)| others == pairs) {
                true => variables.known.extend(pairs.iter().cloned()),
                false => variables.open = true,
            }
        }
        variables.known.extend(flux.variables.iter().cloned());
        Some(variables)
    }

    /// The cluster that an order goes to.
    fn receiver(&mut self, order: &Order, cluster: usize, number: usize) -> Option<usize> {
        let name = match &order.to {
            To::Here => return Some(cluster).filter(|cluster| *cluster != usize::MAX),
            To::Unknown => return None,
            To::Named(name) => name,
        };
        let (path, pointer) = self.made.object(number)?;
        let (from, at) = (From::of(pointer), pointer.at);
        let named = self.clusters.named(example_of(path), name, (from, at));
        if named.is_none() {
            let why = format!(
                "several clusters are named `{name}`, so it is not known which one is meant"
            );
            self.troubles.push(Trouble { at, why });
        }
        named
    }

    /// Puts the files of a target into a cluster. Returns the objects in them.
    fn apply(&mut self, cluster: usize, target: &Target) -> Vec<usize> {
        let mut found = Vec::new();
        for file in self.reach(target).iter() {
            if self.left == 0 {
                break;
            }
            if self.files.entry(*file).or_default().insert(cluster) {
                self.left -= 1;
            }
            found.extend(self.in_file.get(file).into_iter().flatten());
        }
        found
    }

    fn finish(mut self) -> Graph {
        if self.left == 0
            && let Some((_, pointer)) = self.repository.pointers.first()
        {
            let why = "the repository deploys too much to too many clusters to follow all of it";
            self.troubles.push(Trouble {
                at: pointer.at,
                why: why.to_owned(),
            });
        }
        let variables = |cluster, number| self.variables(cluster, number);
        let applied = applied(&self.uses, self.repository, &variables);
        let clusters = self.clusters.finish(&mut self.troubles);
        let path = |file: u32| self.repository.tree.path(file).to_owned();
        let files = self.files.iter();
        let of_file = files.map(|(file, of)| (path(*file), of.iter().copied().collect()));
        let of_object = self.made.clusters_of(&self.objects);
        self.made.finish(&mut self.troubles);
        self.troubles.sort();
        self.troubles.dedup();
        Graph {
            clusters,
            of_file: of_file.collect(),
            of_object,
            replaced: BTreeMap::new(),
            applied,
            troubles: self.troubles,
        }
    }
}
