//! The clusters of a repository, and which of them an object that nothing delivers belongs to.

use std::collections::BTreeMap;

use super::facts::{Pointer, Says};
use super::naming::{by_folder, cluster_folder};
use super::trouble::Trouble;
use crate::model::cluster::environments;
use crate::model::path_words::is_collection;
use crate::source::Span;
use crate::source::path::folder;

/// How a cluster is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum From {
    /// Objects of Flux.
    Flux,
    /// Objects of Argo CD.
    Argo,
    /// Objects of Rancher Fleet.
    Fleet,
    /// Helmfiles.
    Helmfile,
}

impl From {
    /// What an object belongs to.
    pub fn of(pointer: &Pointer) -> From {
        match pointer.says {
            Says::Application(_) | Says::Set(_) | Says::Cluster(_) | Says::Template => From::Argo,
            Says::Helmfile(_) => From::Helmfile,
            Says::Fleet(_)
            | Says::FleetCluster(_)
            | Says::FleetGroup(_)
            | Says::Customization(_) => From::Fleet,
            Says::Flux(_) | Says::Release(_) | Says::Source(_) | Says::Variables(_) => From::Flux,
        }
    }
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name, which no other has.
    pub name: String,
    /// How it is known.
    pub from: From,
    /// Where.
    pub at: Span,
    /// The folder that describes it, if it is one.
    pub folder: String,
    /// The example that it belongs to, or empty.
    pub example: String,
}

/// The clusters found so far.
#[derive(Default)]
pub struct Clusters {
    pub all: Vec<Known>,
    by_folder: BTreeMap<(String, String), usize>,
    by_name: BTreeMap<(String, String), Vec<usize>>,
}

impl Clusters {
    /// The cluster that a folder describes.
    pub fn at_folder(
        &mut self,
        example: &str,
        folder: &str,
        name: &str,
        who: (From, Span),
    ) -> usize {
        let key = (example.to_owned(), folder.to_owned());
        if let Some(known) = self.by_folder.get(&key) {
            return *known;
        }
        let number = self.add(example, folder, name, who);
        self.by_folder.insert(key, number);
        number
    }

    /// The cluster of a name, or `None` if there are several.
    pub fn named(&mut self, example: &str, name: &str, who: (From, Span)) -> Option<usize> {
        let key = (example.to_owned(), name.to_owned());
        match self.by_name.get(&key).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            Some(_) => None,
            None => Some(self.add(example, "", name, who)),
        }
    }

    fn add(&mut self, example: &str, folder: &str, name: &str, (from, at): (From, Span)) -> usize {
        let number = self.all.len();
        let key = (example.to_owned(), name.to_owned());
        self.by_name.entry(key).or_default().push(number);
        self.all.push(Known {
            name: name.to_owned(),
            from,
            at,
            folder: folder.to_owned(),
            example: example.to_owned(),
        });
        number
    }

    /// The clusters, each with a name of its own.
    pub fn finish(self, troubles: &mut Vec<Trouble>) -> Vec<Known> {
        let mut of_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, found) in self.all.iter().enumerate() {
            of_name.entry(found.name.clone()).or_default().push(number);
        }
        let mut all = self.all;
        for (name, numbers) in of_name.into_iter().filter(|(_, numbers)| numbers.len() > 1) {
            for number in numbers {
                let Some(found) = all.get_mut(number) else {
                    continue;
                };
                let place = match found.folder.as_str() {
                    "" => found.example.as_str(),
                    folder => folder,
                };
                if place.is_empty() {
                    continue;
                }
                troubles.push(Trouble {
                    at: found.at,
                    why: format!(
                        "several clusters are named `{name}`; this one is called `{place}` here"
                    ),
                });
                found.name = place.to_owned();
            }
        }
        all
    }
}

/// The example that a path belongs to: a child of a folder whose children have nothing to do with each other.
pub fn example_of(path: &str) -> &str {
    let mut end = 0;
    for segment in folder(path).split('/') {
        end += segment.len() + 1;
        if is_collection(segment) {
            let rest = path.get(end..).unwrap_or_default();
            let more = rest.split_once('/').map_or(0, |(child, _)| child.len());
            return path.get(..end + more).unwrap_or_default();
        }
    }
    ""
}

/// Where an object belongs that nothing delivers.
pub enum Place<'p> {
    /// To the cluster of this folder and name.
    Folder(&'p str, &'p str),
    /// To a cluster with this name, which says little.
    Weak(&'p str),
}

/// Where an object in a file belongs that nothing delivers. `applies` are the folders that it applies in its own cluster.
pub fn place_of<'p>(file: &'p str, pointer: &Pointer, applies: &'p [String]) -> Place<'p> {
    let own = folder(file);
    let is_flux = matches!(pointer.says, Says::Flux(_));
    if let Says::Flux(_) = pointer.says {
        let is_inside =
            |folder: &&String| folder.is_empty() || file.starts_with(&format!("{folder}/"));
        if let Some(folder) = applies.iter().find(is_inside) {
            return match cluster_folder(folder) {
                Some((folder, name)) => Place::Folder(folder, name),
                None => Place::Folder(folder, by_folder(folder).unwrap_or("cluster")),
            };
        }
    }
    if let Some((folder, name)) = cluster_folder(own) {
        return Place::Folder(folder, name);
    }
    if let Some((folder, name)) = applies
        .iter()
        .find_map(|folder| cluster_folder(folder))
        .filter(|_| is_flux)
    {
        return Place::Folder(folder, name);
    }
    let named = environments(file);
    match (named.len(), named.first()) {
        (1, Some(name)) => Place::Weak(name),
        _ if is_flux => Place::Weak("cluster"),
        _ => Place::Weak("in-cluster"),
    }
}
