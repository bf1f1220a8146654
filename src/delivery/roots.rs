//! The objects that nothing delivers, and the clusters that they belong to.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::clusters::{Clusters, From, Place, example_of, place_of};
use super::facts::Says;
use super::naming::is_in_clusters;
use super::order::{Order, To};
use super::repository::Repository;
use super::trouble::Trouble;

/// An object that nothing delivers, and its cluster.
pub struct Root {
    pub pointer: usize,
    pub cluster: usize,
    /// The folder that must be applied for the object to be there.
    pub folder: Option<String>,
}

/// Finds the objects that nothing delivers.
pub struct Roots<'r, 'f> {
    pub repository: &'r Repository<'f>,
    /// What each object orders.
    pub of_pointer: &'r [Rc<Vec<Order>>],
    /// The objects that each object delivers.
    pub delivers: &'r [BTreeSet<usize>],
    pub clusters: &'r mut Clusters,
    /// Where to say what is not known.
    pub troubles: &'r mut Vec<Trouble>,
}

impl Roots<'_, '_> {
    /// The objects that nothing delivers, and one of each circle that nothing else delivers.
    pub fn find(&mut self) -> Vec<Root> {
        let count = self.repository.pointers.len();
        let delivers = self.delivers;
        let mut is_delivered = vec![false; count];
        // These deliver their own files, but say themselves where they go.
        let goes_by_itself = |number: usize| {
            let pointer = self.repository.pointers.get(number);
            pointer.is_some_and(|(_, one)| one.says.names_its_clusters())
        };
        for (number, delivered) in delivers.iter().enumerate() {
            for other in delivered
                .iter()
                .filter(|other| **other != number && !goes_by_itself(**other))
            {
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
                    Says::Flux(_)
                        | Says::Application(_)
                        | Says::Set(_)
                        | Says::Fleet(_)
                        | Says::Customization(_)
                        | Says::Helmfile(_)
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
            // Whatever its folder is called.
            if pointer.says.names_its_clusters() {
                roots.push(Root {
                    pointer: *number,
                    cluster: usize::MAX,
                    folder: None,
                });
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
}
