//! Objects that templates of a chart make of its values: Applications of Argo CD that a chart has for each cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::facts::{Pointer, Says};
use super::order::Order;
use super::orders::Orders;
use super::paths::join;
use super::tree::{Mode, Target};
use super::trouble::Trouble;
use crate::source::SourceId;

/// The maximum number of objects that templates make.
const MAX_MADE: usize = 5_000;

/// For objects whose pods run in other clusters than the object itself, by their start: their end, and the clusters.
type ClustersOf = BTreeMap<(SourceId, u32), (u32, Vec<usize>)>;

/// The objects that templates make. Their numbers follow those of the objects in files.
pub struct Made<'w, 'f> {
    orders: &'w Orders<'w, 'f>,
    objects: Vec<(&'f str, Pointer)>,
    /// Their numbers, by the template and what it is applied with.
    numbers: HashMap<(u32, Target), Option<Vec<usize>>>,
    troubles: Vec<Trouble>,
}

impl<'w, 'f> Made<'w, 'f> {
    /// Nothing yet.
    pub fn new(orders: &'w Orders<'w, 'f>) -> Self {
        Made {
            orders,
            objects: Vec::new(),
            numbers: HashMap::new(),
            troubles: Vec::new(),
        }
    }

    /// An object of a file, or one that a template makes.
    pub fn object(&self, number: usize) -> Option<(&'f str, &Pointer)> {
        let own = &self.orders.repository.pointers;
        if let Some((path, pointer)) = own.get(number) {
            return Some((path, pointer));
        }
        let (path, pointer) = self.objects.get(number.checked_sub(own.len())?)?;
        Some((path, pointer))
    }

    /// Replaces objects in the templates of a chart by those that the templates make of its values.
    /// `of_pointer` has what each object orders.
    pub fn filled(
        &mut self,
        found: Vec<usize>,
        target: &Target,
        of_pointer: &mut Vec<Rc<Vec<Order>>>,
    ) -> Vec<usize> {
        let repository = self.orders.repository;
        let is_chart = matches!(target.mode, Mode::Argo | Mode::Chart)
            && repository.tree.is_chart(&target.folder);
        let templates = join(&target.folder, "templates").filter(|_| is_chart);
        let Some(templates) = templates else {
            return found;
        };
        let mut all = BTreeSet::new();
        for number in found {
            let own = repository.pointers.get(number).copied();
            let is_template = |path: &str| {
                let inside = path.strip_prefix(&templates);
                inside.is_some_and(|inside| inside.starts_with('/'))
            };
            let template = own.filter(|(path, _)| is_template(path));
            let made = template.and_then(|one| self.make(one, target, of_pointer));
            match made {
                Some(made) => all.extend(made),
                None => {
                    all.insert(number);
                    if let Some((_, pointer)) = template
                        && pointer.says == Says::Template
                    {
                        let why = "the values of this template are not known, so neither is what it deploys";
                        self.troubles.push(Trouble {
                            at: pointer.at,
                            why: why.to_owned(),
                        });
                    }
                }
            }
        }
        all.into_iter().collect()
    }

    /// The numbers of the objects that the template of an object makes. `None` if they are not known.
    fn make(
        &mut self,
        (path, pointer): (&'f str, &Pointer),
        target: &Target,
        of_pointer: &mut Vec<Rc<Vec<Order>>>,
    ) -> Option<Vec<usize>> {
        let repository = self.orders.repository;
        let key = (repository.tree.file(path)?, target.clone());
        if let Some(known) = self.numbers.get(&key) {
            return known.clone();
        }
        let defaults = join(&target.folder, "values.yaml");
        let defaults = defaults.filter(|path| repository.tree.file(path).is_some());
        let files: Vec<String> = target
            .values
            .iter()
            .rev()
            .cloned()
            .chain(defaults)
            .collect();
        let made = match self.objects.len() < MAX_MADE {
            true => (repository.fill)((path, pointer.whole.source), &files, &target.given),
            false => None,
        };
        // A folder of templates is no example.
        let chart = repository.tree.file(&join(&target.folder, "Chart.yaml")?)?;
        let chart = repository.tree.path(chart);
        let numbers = made.map(|made| {
            let mut numbers = Vec::new();
            for pointer in made {
                let orders = self.orders.of((chart, &pointer), &mut self.troubles);
                numbers.push(of_pointer.len());
                of_pointer.push(Rc::new(orders));
                self.objects.push((chart, pointer));
            }
            numbers
        });
        self.numbers.insert(key, numbers.clone());
        numbers
    }

    /// The clusters of what objects install, given by number.
    pub fn clusters_of(&self, objects: &BTreeMap<usize, BTreeSet<usize>>) -> ClustersOf {
        let mut found = ClustersOf::new();
        for (number, of) in objects {
            let Some((_, pointer)) = self.object(*number) else {
                continue;
            };
            if matches!(pointer.says, Says::Flux(_)) {
                continue;
            }
            let whole = pointer.whole;
            // A template makes several of one.
            let start = (whole.source, whole.start);
            let (_, known) = found.entry(start).or_insert((whole.end, Vec::new()));
            known.extend(of);
            known.sort_unstable();
            known.dedup();
        }
        found
    }

    /// Replaces the troubles of templates by those of the objects that they make.
    pub fn finish(&mut self, troubles: &mut Vec<Trouble>) {
        let filled: HashSet<SourceId> = self
            .objects
            .iter()
            .map(|(_, one)| one.whole.source)
            .collect();
        troubles.retain(|one| !filled.contains(&one.at.source));
        troubles.append(&mut self.troubles);
    }
}
