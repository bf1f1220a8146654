//! Rancher Fleet: the clusters that targets choose, and what each of them gets of a folder with a `fleet.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use super::data::Data;
use super::facts::{Chosen, Customization, Fleet, FleetGroup, Says, Word};
use super::home::Home;
use super::order::{Order, To};
use super::paths::{join, of_flux};
use super::repository::Repository;
use super::selection::selects;
use super::tree::{Mode, Target, Tree};
use crate::source::path::folder;

/// The names of the file that says how Fleet deploys the folder that it is in.
pub const FILES: [&str; 2] = ["fleet.yaml", "fleet.yml"];

/// Whether a file says how Fleet deploys its folder.
pub fn is_bundle(path: &str) -> bool {
    FILES.contains(&path.rsplit('/').next().unwrap_or_default())
}

/// A target of a `fleet.yaml`, and the names of the clusters that it chooses.
type Choice<'r> = (&'r Customization, BTreeSet<String>);

/// Works out what goes to the clusters of Fleet.
pub struct Bundles<'r> {
    tree: &'r Tree<'r>,
    home: &'r Home<'r>,
    /// The clusters that objects describe, with their labels.
    described: Vec<(&'r str, &'r [(String, String)])>,
    groups: Vec<(&'r str, &'r FleetGroup)>,
    /// The targets of each `fleet.yaml`.
    by_file: BTreeMap<&'r str, Vec<Choice<'r>>>,
    /// The folders that GitRepos name, and their clusters.
    asked: Vec<(String, BTreeSet<String>)>,
}

impl<'r> Bundles<'r> {
    /// Finds the clusters, and what the targets in the repository choose.
    pub fn new(repository: &'r Repository<'r>, home: &'r Home<'r>) -> Bundles<'r> {
        let mut all = Bundles {
            tree: &repository.tree,
            home,
            described: Vec::new(),
            groups: Vec::new(),
            by_file: BTreeMap::new(),
            asked: Vec::new(),
        };
        for (_, pointer) in &repository.pointers {
            match &pointer.says {
                Says::FleetCluster(labels) => all.described.push((&pointer.name, labels)),
                Says::FleetGroup(group) => all.groups.push((&pointer.name, group)),
                _ => {}
            }
        }
        for (path, pointer) in &repository.pointers {
            match &pointer.says {
                Says::Fleet(fleet) if home.is_url(&fleet.url) != Some(false) => {
                    let names = all.clusters(&fleet.targets);
                    let folders = fleet.paths.iter().map(|path| of_flux(&path.text));
                    all.asked.extend(folders.map(|at| (at, names.clone())));
                }
                Says::Customization(one) => {
                    let chosen = one.chosen.as_ref().map(std::slice::from_ref);
                    let names = all.clusters(chosen.unwrap_or_default());
                    all.by_file.entry(path).or_default().push((one, names));
                }
                _ => {}
            }
        }
        all
    }

    /// What a GitRepo in a file orders. `existing` finds its folders.
    pub fn of_repository(
        &self,
        fleet: &Fleet,
        existing: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<Order> {
        let declared = self.home.is_url(&fleet.url);
        if declared == Some(false) {
            return Vec::new();
        }
        let mut folders: Vec<String> = fleet
            .paths
            .iter()
            .filter_map(|path| existing(&of_flux(&path.text)))
            .collect();
        // Every repository has a root.
        if fleet.paths.is_empty() && declared == Some(true) {
            folders.push(String::new());
        }
        let mut orders = Vec::new();
        for name in self.clusters(&fleet.targets) {
            let targets = folders.iter().flat_map(|at| self.below(at, &name));
            orders.push(Order {
                targets: targets.collect(),
                to: To::Named(name),
            });
        }
        orders
    }

    /// What one target of the `fleet.yaml` in a file orders: its folder goes to the clusters that it chooses.
    pub fn of_customization(&self, file: &str, one: &Customization) -> Vec<Order> {
        let own = self.by_file.get(file).into_iter().flatten();
        let Some((_, names)) = own.into_iter().find(|(other, _)| *other == one) else {
            return Vec::new();
        };
        let is_in = |(at, _): &&(String, BTreeSet<String>)| is_below(file, at);
        let asked: Vec<_> = self.asked.iter().filter(is_in).collect();
        let mut orders = Vec::new();
        for name in names {
            let is_asked = asked.is_empty() || asked.iter().any(|(_, names)| names.contains(name));
            if is_asked && self.of(file, name) == Some(one) && !one.is_off {
                orders.push(Order {
                    targets: self.below(folder(file), name),
                    to: To::Named(name.clone()),
                });
            }
        }
        orders
    }

    /// The names of the clusters that some targets choose. Where no object describes clusters, a target that chooses them by
    /// their labels stands for the cluster of its own name.
    fn clusters(&self, targets: &[Chosen]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for target in targets {
            match &target.cluster {
                Some(name) => {
                    names.insert(name.clone());
                }
                None if self.described.is_empty() => names.extend(target.name.clone()),
                None => {
                    let chosen = self
                        .described
                        .iter()
                        .filter(|(_, labels)| self.chooses(target, labels));
                    names.extend(chosen.map(|(name, _)| (*name).to_owned()));
                }
            }
        }
        names
    }

    /// Whether a target chooses a cluster with some labels. All that it says must hold.
    fn chooses(&self, target: &Chosen, labels: &[(String, String)]) -> bool {
        let groups = || {
            let all = self.groups.iter();
            all.filter(|(_, group)| selected(&group.selector, labels))
        };
        let by_labels = target.selector.as_ref();
        let by_group = target.group.as_ref();
        let by_groups = target.groups.as_ref();
        by_labels.is_none_or(|selector| selected(selector, labels))
            && by_group.is_none_or(|name| groups().any(|(own, _)| own == name))
            && by_groups
                .is_none_or(|selector| groups().any(|(_, group)| selected(selector, &group.labels)))
    }

    /// The first target of a `fleet.yaml` that chooses a cluster. Fleet reads no others.
    fn of(&self, file: &str, cluster: &str) -> Option<&'r Customization> {
        let mut own = self.by_file.get(file)?.iter();
        let found = own.find(|(_, names)| names.contains(cluster));
        found.map(|(one, _)| *one)
    }

    /// What a cluster gets of a folder: everything, without what the targets of other clusters name.
    fn below(&self, at: &str, cluster: &str) -> Vec<Target> {
        let mut others = BTreeSet::new();
        let mut targets = Vec::new();
        let files = self.by_file.range(at..);
        let files = files.take_while(|(file, _)| file.starts_with(at));
        let inside = files.filter(|(file, _)| is_below(file, at));
        let all = inside.flat_map(|(file, all)| all.iter().map(|(one, _)| (*file, *one)));
        for (file, one) in all {
            let own = folder(file);
            let within = |words: &[Word]| -> Vec<String> {
                let paths = words.iter();
                paths.filter_map(|word| join(own, &word.text)).collect()
            };
            let overlays: Vec<String> = one
                .overlays
                .iter()
                .filter_map(|word| join(own, &format!("overlays/{}", word.text)))
                .collect();
            let values = within(&one.values);
            let kustomize = one.kustomize.as_slice();
            let kustomize = within(kustomize);
            let first = self.of(file, cluster);
            let is_used = match (&one.chosen, first) {
                (Some(_), first) => first == Some(one),
                // The folder of a target stands in for that of all.
                (None, Some(first)) => first.kustomize.is_none(),
                (None, None) => true,
            };
            if !is_used || first.is_some_and(|first| first.is_off) {
                others.extend(overlays.into_iter().chain(values).chain(kustomize));
                if first.is_some_and(|first| first.is_off) {
                    others.insert(own.to_owned());
                }
                continue;
            }
            for overlay in overlays {
                others.extend(self.tree.replaced(&overlay, own));
                targets.push(Target {
                    folder: overlay,
                    mode: Mode::Without(BTreeSet::new()),
                    values: Vec::new(),
                    given: Vec::new(),
                });
            }
            targets.extend(kustomize.into_iter().map(|folder| Target {
                folder,
                mode: Mode::Kustomize,
                values: Vec::new(),
                given: Vec::new(),
            }));
            if !values.is_empty() {
                targets.push(Target {
                    folder: own.to_owned(),
                    mode: Mode::Nothing,
                    values,
                    given: Vec::new(),
                });
            }
        }
        targets.push(Target {
            folder: at.to_owned(),
            mode: Mode::Without(others),
            values: Vec::new(),
            given: Vec::new(),
        });
        targets
    }
}

fn is_below(file: &str, folder: &str) -> bool {
    let inside = file.strip_prefix(folder);
    folder.is_empty() || inside.is_some_and(|inside| inside.starts_with('/'))
}

fn selected(selector: &Data, labels: &[(String, String)]) -> bool {
    selects(selector, &|key| {
        let mut pairs = labels.iter();
        pairs
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    })
}
