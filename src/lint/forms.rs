//! The different forms that one object has where kustomizations use it.

use std::collections::HashSet;

use super::caught::caught;
use super::disk::Disk;
use super::lost;
use super::origins::{is_within, within};
use crate::delivery::Pointer;
use crate::extract::{self, ChartSources, FileFacts, Table, Whole};
use crate::kustomize::{Doubt, Object};
use crate::model::workload::Workload;
use crate::source::{SourceId, Span};

/// What one object says where it is used.
pub enum Use {
    /// Its own file says it, for this place.
    Same {
        origin: Span,
        place: SourceId,
        namespace: Option<String>,
        doubt: Option<Doubt>,
        /// Whether patches make it say something else in other places.
        is_changed_elsewhere: bool,
    },
    /// Patches make it say something else.
    Changed(Box<FileFacts>, Option<Doubt>),
    /// Nothing remains of it where its own file is read.
    Elsewhere { origin: Span },
    /// It is used where it is, and in other forms at these places.
    Beside { origin: Span, places: Vec<SourceId> },
    /// A patch deletes it somewhere.
    Deleted { origin: Span },
    /// Patches change what an object of Flux or Argo CD says at some places.
    Pointers {
        origin: Span,
        forms: Vec<(SourceId, Vec<Pointer>)>,
    },
}

/// The facts of a file.
pub type FactsOf<'f> = dyn Fn(SourceId) -> Option<&'f FileFacts> + Sync + 'f;

/// Reads objects that kustomizations use.
pub struct Reader<'r, 'f> {
    /// The files.
    pub disk: &'r Disk<'r>,
    /// What each of them says.
    pub facts: &'r FactsOf<'f>,
    /// Files whose objects are used where they are.
    pub in_place: &'r HashSet<String>,
    /// Where workloads and pools are declared.
    pub table: &'r Table,
    /// What the files say about charts.
    pub sources: &'r ChartSources,
}

impl Reader<'_, '_> {
    /// Reads the different forms that one object has in different places.
    pub fn read(&self, origin: Span, objects: Vec<Object>) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut stays = self.in_place.contains(self.disk.path(origin.source));
        let mut places = Vec::new();
        let mut seen = HashSet::new();
        let mut forms: Vec<(SourceId, Option<Vec<Pointer>>)> = Vec::new();
        let gone = objects.iter().filter(|object| object.gone);
        let gone: Vec<SourceId> = gone.map(|object| object.place).collect();
        places.extend(gone.iter().filter(|place| **place != origin.source));
        for object in objects.into_iter().filter(|object| !object.gone) {
            let word = |key: &str| {
                let found = object.value.at_path(&["metadata", key]);
                found.and_then(|value| value.word()).map(str::to_owned)
            };
            let namespace = word("namespace");
            let key = (object.place, object.patches.clone(), namespace.clone());
            if !seen.insert(key) {
                continue;
            }
            let name = word("name").unwrap_or_default();
            let (changed, pointers) = match object.touched {
                true => self.changed(&object, &name),
                false => (None, Vec::new()),
            };
            forms.push((object.place, (!pointers.is_empty()).then_some(pointers)));
            let (place, doubt) = (object.place, object.doubt);
            // Pools that are the same everywhere stand in their own file only.
            if changed.is_some() || self.own(origin).next().is_some() {
                places.extend((place != origin.source).then_some(place));
            }
            uses.push(match changed {
                Some(facts) => Use::Changed(Box::new(facts), doubt),
                None if place == origin.source && doubt.is_none() => {
                    stays = true;
                    continue;
                }
                None => Use::Same {
                    origin,
                    place,
                    namespace,
                    doubt,
                    is_changed_elsewhere: false,
                },
            });
        }
        if !gone.is_empty() || uses.iter().any(|one| matches!(one, Use::Changed(..))) {
            for one in &mut uses {
                if let Use::Same {
                    is_changed_elsewhere,
                    ..
                } = one
                {
                    *is_changed_elsewhere = true;
                }
            }
        }
        if !gone.is_empty() && !stays {
            uses.push(Use::Deleted { origin });
        }
        if !stays && (!gone.is_empty() || forms.iter().any(|(_, form)| form.is_some())) {
            let forms = forms.into_iter().map(|(place, form)| {
                let own = || self.own_pointers(origin).cloned().collect();
                (place, form.unwrap_or_else(own))
            });
            let forms: Vec<_> = forms.collect();
            uses.push(Use::Pointers { origin, forms });
        }
        match stays {
            true if places.is_empty() => {}
            true => uses.push(Use::Beside { origin, places }),
            false => uses.push(Use::Elsewhere { origin }),
        }
        uses
    }

    /// The workloads of an object where its own file is read.
    fn own(&self, origin: Span) -> impl Iterator<Item = &Workload> {
        let facts = (self.facts)(origin.source);
        within(facts.map_or(&[], |facts| &facts.workloads), origin)
    }

    /// What an object says of what runs where, where its own file is read.
    fn own_pointers(&self, origin: Span) -> impl Iterator<Item = &Pointer> {
        let facts = (self.facts)(origin.source);
        let pointers = facts.into_iter().flat_map(|facts| &facts.pointers);
        pointers.filter(move |one| is_within(one.whole, origin))
    }

    /// The facts of an object, or `None` if they are those of its own file; and what it says of what runs where.
    fn changed(&self, object: &Object, name: &str) -> (Option<FileFacts>, Vec<Pointer>) {
        let text = object.value.write();
        let whole = Whole {
            text: &text,
            items: object.value.items_by_key(),
            at: object.origin,
            name,
            path: self.disk.path(object.origin.source),
            place: object.place,
        };
        let read = caught(|| extract::read_built(&whole, self.table, self.sources));
        let Ok(mut facts) = read else {
            return (None, Vec::new());
        };
        let mut pointers: Vec<Pointer> = std::mem::take(&mut facts.pointers).into_iter().collect();
        let before: Vec<&Pointer> = self.own_pointers(object.origin).collect();
        for (new, old) in pointers.iter_mut().zip(before) {
            new.compare(old);
        }
        let own: Vec<&Workload> = self.own(object.origin).collect();
        let is_same = |workload: &Workload| own.iter().any(|known| is_alike(known, workload));
        let says_same = own.len() == facts.workloads.len()
            && facts.workloads.iter().all(is_same)
            && facts.pools.is_empty()
            && facts.notices.is_empty();
        if says_same && object.replaced.is_empty() {
            return (None, pointers);
        }
        facts.notices.extend(lost::notices(object, &facts));
        (Some(facts), pointers)
    }
}

/// The keys by which a workload selects nodes, with their paths.
fn selects(workload: &Workload) -> impl Iterator<Item = (&str, &str)> {
    let selectors = workload.selectors.iter();
    selectors.map(|(key, _, path)| (key.as_str(), path.as_str()))
}

/// Whether two workloads say the same, in the same places.
pub fn is_alike(one: &Workload, other: &Workload) -> bool {
    one.path == other.path
        && one.shape == other.shape
        && one.list == other.list
        && one.located == other.located
        && selects(one).eq(selects(other))
        && one.stands == other.stands
}
