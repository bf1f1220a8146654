//! The graph: from the objects that nothing delivers, along what they deliver, to the files of each cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::clusters::{Clusters, From, Place, example_of, place_of};
use super::facts::{ArgoCluster, Pointer, Says, SourceName};
use super::home::{Home, flux_target};
use super::naming::is_in_clusters;
use super::orders::{Order, Orders, To};
use super::repository::Repository;
use super::result::Graph;
use super::tree::Target;
use super::trouble::Trouble;

/// The maximum number of pairs of a folder and a file in it, and of a cluster and its file.
const MAX_PAIRS: usize = 500_000;

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
    let orders = Orders {
        repository,
        home: &home,
        secrets: &secrets,
    };
    let mut walk = Walk {
        repository,
        orders: &orders,
        of_pointer: Vec::new(),
        reached: HashMap::new(),
        in_file: HashMap::new(),
        clusters: Clusters::default(),
        files: BTreeMap::new(),
        objects: BTreeMap::new(),
        troubles: Vec::new(),
        left: MAX_PAIRS,
    };
    walk.read();
    let roots = walk.roots();
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
    /// The objects in each file.
    in_file: HashMap<u32, Vec<usize>>,
    clusters: Clusters,
    /// The clusters of each file.
    files: BTreeMap<u32, BTreeSet<usize>>,
    /// The clusters of what objects install.
    objects: BTreeMap<usize, BTreeSet<usize>>,
    troubles: Vec<Trouble>,
    left: usize,
}

/// An object that nothing delivers, and its cluster.
struct Root {
    pointer: usize,
    cluster: usize,
    /// The folder that must be applied for the object to be there.
    folder: Option<String>,
}

/// An object in a cluster, and the variables that what applies it fills in.
type Step = (usize, usize, Rc<Vec<(String, String)>>);

impl Walk<'_, '_> {
    /// Reads what each object orders.
    fn read(&mut self) {
        for (number, (path, pointer)) in self.repository.pointers.iter().enumerate() {
            if let Some(file) = self.repository.tree.file(path) {
                self.in_file.entry(file).or_default().push(number);
            }
            let told = self.troubles.len();
            let orders = match pointer.needs_variables() {
                // Only what applies it knows the path.
                true => Vec::new(),
                false => self.orders.of((*path, *pointer), &[], &mut self.troubles),
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

    /// The objects that nothing delivers, and one of each circle that nothing else delivers.
    fn roots(&mut self) -> Vec<Root> {
        let count = self.repository.pointers.len();
        let delivers: Vec<BTreeSet<usize>> =
            (0..count).map(|number| self.delivered(number)).collect();
        let mut is_delivered = vec![false; count];
        for (number, delivered) in delivers.iter().enumerate() {
            for other in delivered.iter().filter(|other| **other != number) {
                if let Some(flag) = is_delivered.get_mut(*other) {
                    *flag = true;
                }
            }
        }
        let is_mover = |number: usize| {
            let pointer = self.repository.pointers.get(number);
            pointer.is_some_and(|(_, pointer)| {
                matches!(
                    pointer.says,
                    Says::Flux(_) | Says::Application(_) | Says::Set(_) | Says::Fleet(_)
                )
            })
        };
        let mut seen = vec![false; count];
        let mut tops = Vec::new();
        let free = (0..count).filter(|number| is_delivered.get(*number) == Some(&false));
        let circles = 0..count;
        for (number, is_circle) in free
            .map(|one| (one, false))
            .chain(circles.map(|one| (one, true)))
        {
            if !is_mover(number) || seen.get(number) != Some(&false) {
                continue;
            }
            if is_circle && let Some((_, pointer)) = self.repository.pointers.get(number) {
                let why = format!(
                    "`{}` is delivered only by what it delivers itself",
                    pointer.name
                );
                self.troubles.push(Trouble {
                    at: pointer.at,
                    why,
                });
            }
            tops.push(number);
            let mut open = vec![number];
            while let Some(one) = open.pop() {
                if let Some(flag) = seen.get_mut(one)
                    && !std::mem::replace(flag, true)
                {
                    open.extend(delivers.get(one).into_iter().flatten());
                }
            }
        }
        tops.sort_unstable();
        self.place(&tops)
    }

    /// The clusters of the objects that nothing delivers.
    fn place(&mut self, tops: &[usize]) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut weak = Vec::new();
        for number in tops {
            let Some((path, pointer)) = self.repository.pointers.get(*number).copied() else {
                continue;
            };
            let orders = self
                .of_pointer
                .get(*number)
                .map(Rc::clone)
                .unwrap_or_default();
            if orders.is_empty() {
                continue;
            }
            let here = orders.iter().filter(|order| order.to == To::Here);
            let targets = here.flat_map(|order| &order.targets);
            let applies: Vec<String> = targets.map(|target| target.folder.clone()).collect();
            let example = example_of(path);
            let who = (From::of(pointer), pointer.at);
            match place_of(path, pointer, &applies) {
                Place::Folder(folder, name) => {
                    let cluster = self.clusters.at_folder(example, folder, name, who);
                    // Something must apply the folder of a cluster, even if that stands elsewhere.
                    let is_flux = matches!(pointer.says, Says::Flux(_));
                    let applied = is_flux && is_in_clusters(folder);
                    roots.push(Root {
                        pointer: *number,
                        cluster,
                        folder: applied.then(|| folder.to_owned()),
                    });
                }
                Place::Weak(name) => weak.push((*number, name.to_owned(), !applies.is_empty())),
            }
        }
        let has_flux = self.clusters.all.iter().any(|one| one.from == From::Flux);
        for (number, name, here) in weak {
            let Some((path, pointer)) = self.repository.pointers.get(number).copied() else {
                continue;
            };
            let is_flux = matches!(pointer.says, Says::Flux(_));
            if is_flux && has_flux {
                if !(self.repository.is_test)(path) {
                    let why = format!(
                        "nothing here applies `{}`, so its cluster is not known",
                        pointer.name
                    );
                    self.troubles.push(Trouble {
                        at: pointer.at,
                        why,
                    });
                }
                continue;
            }
            let who = (From::of(pointer), pointer.at);
            // An Application for another cluster says nothing of its own.
            let is_needed = here || self.installs_here(number);
            let cluster = match is_needed {
                true => self.clusters.named(example_of(path), &name, who),
                false => Some(usize::MAX),
            };
            roots.extend(cluster.map(|cluster| Root {
                pointer: number,
                cluster,
                folder: None,
            }));
        }
        roots
    }

    fn installs_here(&self, number: usize) -> bool {
        let orders = self.of_pointer.get(number);
        let mut orders = orders.into_iter().flat_map(|orders| orders.iter());
        orders.any(|order| order.to == To::Here)
    }

    /// Follows what is delivered to each cluster.
    fn follow(&mut self, roots: Vec<Root>) {
        let mut open: VecDeque<Step> = VecDeque::new();
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        let mut applied: HashSet<(usize, Target)> = HashSet::new();
        let nothing = Rc::new(Vec::new());
        for root in roots {
            if let Some((path, _)) = self.repository.pointers.get(root.pointer)
                && let Some(file) = self.repository.tree.file(path)
                && root.cluster != usize::MAX
            {
                self.files.entry(file).or_default().insert(root.cluster);
            }
            if seen.insert((root.cluster, root.pointer)) {
                open.push_back((root.cluster, root.pointer, Rc::clone(&nothing)));
            }
            if let Some(folder) = root.folder {
                let target = flux_target(folder);
                if applied.insert((root.cluster, target.clone())) {
                    let found = self.apply(root.cluster, &target);
                    open.extend(
                        found
                            .into_iter()
                            .filter(|one| seen.insert((root.cluster, *one)))
                            .map(|one| (root.cluster, one, Rc::clone(&nothing))),
                    );
                }
            }
        }
        while let Some((cluster, number, variables)) = open.pop_front() {
            let Some((path, pointer)) = self.repository.pointers.get(number).copied() else {
                continue;
            };
            let orders = match pointer.needs_variables() {
                true => Rc::new(
                    self.orders
                        .of((path, pointer), &variables, &mut self.troubles),
                ),
                false => self
                    .of_pointer
                    .get(number)
                    .map(Rc::clone)
                    .unwrap_or_default(),
            };
            let own = match &pointer.says {
                Says::Flux(flux) => Rc::new(flux.variables.clone()),
                _ => Rc::clone(&nothing),
            };
            for order in orders.iter() {
                let to = match &order.to {
                    To::Here => Some(cluster).filter(|cluster| *cluster != usize::MAX),
                    To::Named(name) => {
                        let who = (From::of(pointer), pointer.at);
                        let named = self.clusters.named(example_of(path), name, who);
                        if named.is_none() {
                            let why = format!(
                                "several clusters are named `{name}`, so it is not known which one is meant"
                            );
                            self.troubles.push(Trouble {
                                at: pointer.at,
                                why,
                            });
                        }
                        named
                    }
                    To::Unknown => None,
                };
                let of_object = self.objects.entry(number).or_default();
                let Some(to) = to else { continue };
                of_object.insert(to);
                for target in &order.targets {
                    if !applied.insert((to, target.clone())) {
                        continue;
                    }
                    for one in self.apply(to, target) {
                        if seen.insert((to, one)) {
                            open.push_back((to, one, Rc::clone(&own)));
                        }
                    }
                }
            }
        }
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
        let clusters = self.clusters.finish(&mut self.troubles);
        let path = |file: u32| self.repository.tree.path(file).to_owned();
        let files = self.files.iter();
        let of_file = files.map(|(file, of)| (path(*file), of.iter().copied().collect()));
        let of_object = self.objects.iter().filter_map(|(number, of)| {
            let (_, pointer) = self.repository.pointers.get(*number)?;
            let whole = pointer.whole;
            let installs = !matches!(pointer.says, Says::Flux(_));
            let value = (whole.end, of.iter().copied().collect());
            installs.then_some(((whole.source, whole.start), value))
        });
        let of_object = of_object.collect();
        self.troubles.sort();
        self.troubles.dedup();
        Graph {
            clusters,
            of_file: of_file.collect(),
            of_object,
            troubles: self.troubles,
        }
    }
}
