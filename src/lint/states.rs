//! The clusters that Terraform configurations make. A state is one cluster's. One that makes node pools only belongs to a
//! cluster that another configuration makes, in the nearest folder that holds one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use super::gather::Gathered;
use super::naming::is_example;
use super::placed_pool::PlacedPool;
use crate::delivery::{example_of, says_little};
use crate::extract::DeclaredCluster;
use crate::model::cluster::Part;
use crate::source::FileKind;
use crate::source::path::{common_folder, folder};

/// The configurations of one cluster.
struct State {
    /// The folder that holds all of them.
    root: String,
    /// Whether there are several.
    is_joined: bool,
}

/// The clusters that configurations make.
#[derive(Default)]
pub struct States {
    all: Vec<State>,
    of_folder: BTreeMap<String, usize>,
    /// By the folder that holds all of their configurations.
    of_root: HashMap<String, Vec<usize>>,
}

impl States {
    /// Finds the configurations of each cluster.
    pub fn find(gathered: &Gathered) -> States {
        let mut declaring: BTreeMap<&str, Vec<&DeclaredCluster>> = BTreeMap::new();
        for cluster in &gathered.declared_clusters {
            let at = folder(gathered.scanned_path(cluster.source));
            declaring.entry(at).or_default().push(cluster);
        }
        let mut with_pools: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for placed in &gathered.pools {
            let path = gathered.scanned_path(placed.source);
            if is_of_state(placed, path) && !gathered.libraries.contains(&placed.source) {
                let clouds = with_pools.entry(folder(path)).or_default();
                clouds.insert(cloud_of(&placed.pool.object.kind));
            }
        }
        let inside: BTreeMap<&str, String> =
            declaring.keys().map(|at| (*at, format!("{at}/"))).collect();
        let declaring: BTreeMap<&str, Home<'_>> = declaring
            .into_iter()
            .map(|(at, clusters)| (at, Home::of(inside.get(at).map_or("", |at| at), &clusters)))
            .collect();
        // The first of the folders of each cluster stands for all.
        let mut first: BTreeMap<&str, &str> = declaring.keys().map(|at| (*at, *at)).collect();
        for (at, clouds) in &with_pools {
            if declaring.contains_key(at) {
                continue;
            }
            let homes = homes(at, clouds, &declaring);
            let Some(home) = homes.first().and_then(|home| first.get(home)).copied() else {
                continue;
            };
            let others: BTreeSet<&str> = homes
                .iter()
                .filter_map(|home| first.get(home).copied())
                .collect();
            if others.len() > 1 {
                for one in first.values_mut().filter(|one| others.contains(**one)) {
                    *one = home;
                }
            }
            first.insert(at, home);
        }
        let mut states = States::default();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, home) in first {
            let number = *numbers.entry(home).or_insert(states.all.len());
            match states.all.get_mut(number) {
                Some(state) => {
                    state.root = common_folder(&state.root, at).to_owned();
                    state.is_joined = true;
                }
                None => states.all.push(State {
                    root: at.to_owned(),
                    is_joined: false,
                }),
            }
            states.of_folder.insert(at.to_owned(), number);
        }
        for (number, state) in states.all.iter().enumerate() {
            let same = states.of_root.entry(state.root.clone()).or_default();
            same.push(number);
        }
        states
    }

    /// The cluster whose configurations make a pool.
    pub fn of_pool(&self, placed: &PlacedPool, path: &str) -> Option<usize> {
        let number = self.of_folder.get(folder(path)).copied();
        number.filter(|_| is_of_state(placed, path))
    }

    /// The cluster whose configurations stand around a file.
    pub fn around(&self, path: &str) -> Option<usize> {
        let mut above = folder(path);
        loop {
            let below = path.get(above.len()..).unwrap_or_default();
            let is_example = is_example(below.strip_prefix('/').unwrap_or(below));
            if let Some(deepest) = self.of_root.get(above).filter(|_| !is_example) {
                return match deepest.as_slice() {
                    [only] => Some(*only),
                    _ => None,
                };
            }
            if above.is_empty() {
                return None;
            }
            above = folder(above);
        }
    }

    /// The folder of a cluster's configurations.
    pub fn root(&self, number: usize) -> &str {
        self.all.get(number).map_or("", |state| &state.root)
    }

    /// Whether a cluster has several configurations.
    pub fn is_joined(&self, number: usize) -> bool {
        self.all.get(number).is_some_and(|state| state.is_joined)
    }

    /// The names of a cluster, the best one first.
    pub fn names(&self, number: usize) -> [&str; 2] {
        let root = self.root(number);
        let last = root.rsplit('/').next().unwrap_or(root);
        let whole = if root.is_empty() { "." } else { root };
        match last.is_empty() || says_little(last) {
            true => [whole, whole],
            false => [last, whole],
        }
    }
}

/// Whether a configuration makes a pool, always in the same way.
fn is_of_state(placed: &PlacedPool, path: &str) -> bool {
    FileKind::of(path) == Some(FileKind::Terraform)
        && placed.pool.variant.is_none()
        && !placed.pool.weak
}

/// A folder whose configurations declare clusters.
struct Home<'g> {
    example: &'g str,
    part: Part<'g>,
    clouds: BTreeSet<&'g str>,
    /// The names that its clusters share with other configurations; empty for one that shares none.
    names: BTreeSet<&'g str>,
}

impl<'g> Home<'g> {
    /// `inside` is the folder with a slash at its end.
    fn of(inside: &'g str, clusters: &[&'g DeclaredCluster]) -> Home<'g> {
        let name = |one: &&'g DeclaredCluster| one.shared_name.as_deref().unwrap_or_default();
        Home {
            example: example_of(inside),
            part: Part::of(inside),
            clouds: clusters.iter().map(|one| cloud_of(&one.of_type)).collect(),
            names: clusters.iter().map(name).collect(),
        }
    }
}

/// The folders with the configurations of the cluster that a configuration of node pools belongs to. Several make it in
/// different ways.
fn homes<'g>(
    at: &str,
    clouds: &BTreeSet<&str>,
    declaring: &BTreeMap<&'g str, Home<'_>>,
) -> Vec<&'g str> {
    let inside = format!("{at}/");
    let (example, own) = (example_of(&inside), Part::of(&inside));
    let mut above = at;
    while !above.is_empty() {
        above = folder(above);
        let found: Vec<_> = below(above, declaring)
            .filter(|(_, home)| {
                !home.clouds.is_disjoint(clouds)
                    && home.example == example
                    && home.part.may_affect(&own)
            })
            .collect();
        if !found.is_empty() {
            let names = found.iter().flat_map(|(_, home)| &home.names);
            let names: BTreeSet<&str> = names.copied().collect();
            // A name that comes from files of several configurations is the name of one cluster.
            let is_one = found.len() == 1 || (names.len() == 1 && !names.contains(""));
            return match is_one {
                true => found.into_iter().map(|(other, _)| other).collect(),
                false => Vec::new(),
            };
        }
    }
    Vec::new()
}

/// What belongs to a folder and to those below it, in order.
fn below<'a, 'g, T>(
    above: &str,
    all: &'a BTreeMap<&'g str, T>,
) -> impl Iterator<Item = (&'g str, &'a T)> {
    let inside = match above.is_empty() {
        true => String::new(),
        false => format!("{above}/"),
    };
    let own = all.get_key_value(above).filter(|_| !above.is_empty());
    let start = all.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded));
    let deeper = start.take_while(move |(at, _)| at.starts_with(&inside));
    own.into_iter().chain(deeper).map(|(at, one)| (*at, one))
}

/// The provider of a resource's type, or of a module's name in the registry.
fn cloud_of(of_type: &str) -> &str {
    let module = of_type.split("//").next().unwrap_or(of_type);
    match module.split('/').nth(2) {
        Some(provider) => provider,
        None => of_type.split('_').next().unwrap_or(of_type),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_whose_name_only_begins_alike_is_not_below_another() {
        let all = ["", "a", "a-b", "a/b", "a/b/c", "ab"].map(|at| (at, ()));
        let all = BTreeMap::from(all);
        let found = |above| -> Vec<&str> { below(above, &all).map(|(at, ())| at).collect() };
        assert_eq!(found("a"), ["a", "a/b", "a/b/c"]);
        assert_eq!(found("a/b"), ["a/b", "a/b/c"]);
        assert_eq!(found(""), ["", "a", "a-b", "a/b", "a/b/c", "ab"]);
        assert_eq!(found("b"), [""; 0]);
    }

    #[test]
    fn the_nearest_configurations_stand_around_a_file_unless_it_is_an_example_of_theirs() {
        let state = |root: &str| State {
            root: root.to_owned(),
            is_joined: false,
        };
        let roots = ["live", "live/prod", "live/twice", "live/twice"];
        let mut states = States {
            all: roots.map(state).into(),
            ..States::default()
        };
        for (number, root) in roots.into_iter().enumerate() {
            let same = states.of_root.entry(root.to_owned()).or_default();
            same.push(number);
        }
        assert_eq!(states.around("live/prod/apps/web.yaml"), Some(1));
        assert_eq!(states.around("live/prod-two/web.yaml"), Some(0));
        assert_eq!(states.around("live/twice/web.yaml"), None);
        assert_eq!(states.around("other/web.yaml"), None);
        assert_eq!(states.around("live/prod/examples/a/web.yaml"), None);
    }
}
