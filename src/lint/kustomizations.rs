//! Kustomizations: each one that no other includes has its own workloads and pools, made from bases and patches. They take
//! the place of those that were read from these files alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::caught::caught;
use super::disk::Disk;
use super::included::Graph;
use super::kept::{Kept, Load};
use super::lost;
use super::origins::{Spans, is_within, pools_within, within};
use super::shapes::Shapes;
use crate::extract::{self, ChartSources, FileFacts, Overlay, ReadPool, Table, Whole};
use crate::finding::{Because, Open};
use crate::kustomize::{Doubt, Library, Object};
use crate::model::clouds::Clouds;
use crate::model::workload::{MoreTolerations, Workload};
use crate::source::{SourceId, Span};

/// The maximum number of workloads that kustomizations add.
const MAX_WORKLOADS: usize = 50_000;

const DOUBT: &str = "its kustomization could not be built completely";

/// What kustomizations make of the objects in other files.
#[derive(Default)]
pub struct Kustomizations {
    /// The facts of the objects that they build.
    built: FileFacts,
    /// The places of objects of which something else takes the place, wherever they are used.
    replaced: Spans,
    /// The places of patches that were applied.
    patches: Spans,
    /// Doubts about workloads, by their file and the place of their name.
    doubts: HashMap<(SourceId, Span), Doubt>,
    /// Places of entries in lists of tolerations that are judged as a part of something that was built.
    entries: HashSet<Span>,
    /// Objects that are used where they are, with the places where something else takes their place.
    beside: Vec<(Span, Vec<SourceId>)>,
}

/// Builds the kustomizations among some files, of which these are the facts.
pub fn build(
    (files, load): (&[Kept], &Load<'_>),
    facts: &FactsOf<'_>,
    (table, sources): (&Table, &ChartSources),
    shapes: &Shapes,
) -> Kustomizations {
    let graph = Graph::of(files);
    let tops = graph.tops();
    if tops.is_empty() {
        return Kustomizations::default();
    }
    let disk = Disk::new(files, load);
    let library = Library::new(&disk);
    let mut uses: BTreeMap<Span, Vec<Object>> = BTreeMap::new();
    let mut made = Kustomizations::default();
    for top in &tops {
        let built = library.build(top);
        for object in &built.objects {
            object.patches.iter().for_each(|at| made.patches.add(*at));
            uses.entry(object.origin).or_default().push(object.clone());
        }
    }
    for trouble in library.troubles() {
        let because = Because::Kustomize(trouble.why.into());
        made.built.not_judged.push(Open::part(trouble.at, because));
    }
    let reader = Reader {
        disk: &disk,
        facts,
        in_place: &graph.in_place(&tops),
        table,
        sources,
    };
    let read: Vec<Use> = uses
        .into_par_iter()
        .flat_map_iter(|(origin, objects)| reader.read(origin, objects))
        .collect();
    made.add(read, facts);
    shapes.share(&mut made.built.workloads);
    made
}

/// What one object says where it is used.
enum Use {
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
}

/// The facts of a file.
pub type FactsOf<'f> = dyn Fn(SourceId) -> Option<&'f FileFacts> + Sync + 'f;

struct Reader<'r, 'f> {
    disk: &'r Disk<'r>,
    facts: &'r FactsOf<'f>,
    /// Files whose objects are used where they are.
    in_place: &'r HashSet<String>,
    table: &'r Table,
    sources: &'r ChartSources,
}

impl Reader<'_, '_> {
    /// Reads the different forms that one object has in different places.
    fn read(&self, origin: Span, objects: Vec<Object>) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut stays = self.in_place.contains(self.disk.path(origin.source));
        let mut places = Vec::new();
        let mut seen = HashSet::new();
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
            let changed = match object.touched {
                true => self.changed(&object, &name),
                false => None,
            };
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
        if uses.iter().any(|one| matches!(one, Use::Changed(..))) {
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

    /// The facts of an object, or `None` if they are those of its own file.
    fn changed(&self, object: &Object, name: &str) -> Option<FileFacts> {
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
        let mut facts = read.ok()?;
        let own: Vec<&Workload> = self.own(object.origin).collect();
        let is_same = |workload: &Workload| own.iter().any(|known| is_alike(known, workload));
        let says_same = own.len() == facts.workloads.len()
            && facts.workloads.iter().all(is_same)
            && facts.pools.is_empty()
            && facts.notices.is_empty();
        if says_same && object.replaced.is_empty() {
            return None;
        }
        facts.notices.extend(lost::notices(object, &facts));
        Some(facts)
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

impl Kustomizations {
    fn add<'f>(&mut self, uses: Vec<Use>, facts: &FactsOf<'f>) {
        let mut clouds: BTreeMap<SourceId, Clouds> = BTreeMap::new();
        let mut add_clouds = |place: SourceId, found: Clouds| {
            let known = clouds.entry(place).or_default();
            *known = known.with(found);
        };
        let mut left = MAX_WORKLOADS;
        for one in uses {
            let (workloads, doubt) = match one {
                Use::Elsewhere { origin } => {
                    self.replaced.add(origin);
                    continue;
                }
                Use::Beside { origin, places } => {
                    self.beside.push((origin, places));
                    continue;
                }
                Use::Same {
                    origin,
                    place,
                    namespace,
                    doubt,
                    is_changed_elsewhere,
                } => {
                    let Some(own) = facts(origin.source) else {
                        continue;
                    };
                    if is_changed_elsewhere {
                        let pools = pools_within(&own.pools, origin).cloned();
                        let moved = pools.map(|read| ReadPool {
                            source: place,
                            ..read
                        });
                        self.built.pools.extend(moved);
                    }
                    let workloads = within(&own.workloads, origin).cloned();
                    let moved = workloads.map(|mut workload| {
                        workload.source = place;
                        if let Some(namespace) = &namespace {
                            workload.object.namespace = Some(namespace.clone());
                        }
                        workload
                    });
                    let found = own.clouds.iter().map(|(_, found)| *found);
                    found.for_each(|found| add_clouds(place, found));
                    (moved.collect::<Vec<_>>(), doubt)
                }
                Use::Changed(facts, doubt) => {
                    for (place, found) in facts.clouds {
                        add_clouds(place, found);
                    }
                    self.built.pools.extend(facts.pools);
                    self.built.notices.extend(facts.notices);
                    (facts.workloads, doubt)
                }
            };
            left = left.saturating_sub(workloads.len());
            if left == 0 {
                continue;
            }
            self.add_workloads(workloads, doubt.as_ref());
        }
        self.built.clouds = clouds.into_iter().collect();
    }

    fn add_workloads(&mut self, workloads: Vec<Workload>, doubt: Option<&Doubt>) {
        for workload in workloads {
            if let Some(doubt) = doubt {
                let key = (workload.source, workload.span);
                self.doubts.insert(key, doubt.clone());
            }
            let entries = workload.located.iter().map(|located| located.entry);
            self.entries.extend(entries);
            self.built.workloads.push(workload);
        }
    }

    /// Adds the facts of an object that was changed on its way to a cluster.
    pub fn add_changed(&mut self, object: &Object, facts: FileFacts) {
        object.patches.iter().for_each(|at| self.patches.add(*at));
        self.built.pools.extend(facts.pools);
        self.built.notices.extend(facts.notices);
        self.add_workloads(facts.workloads, object.doubt.as_ref());
    }

    /// The workloads and pools that were built of an object for a place.
    pub fn built_at(&self, place: SourceId, origin: Span) -> impl Iterator<Item = &Workload> {
        let of_object = within(&self.built.workloads, origin);
        of_object.filter(move |workload| workload.source == place)
    }

    /// Leaves out what an object says at a place, because no cluster gets it in that form.
    pub fn leave_out(&mut self, place: SourceId, origin: Span) {
        if place == origin.source {
            self.replaced.add(origin);
        }
        let workloads = &mut self.built.workloads;
        workloads.retain(|workload| workload.source != place || !is_within(workload.span, origin));
        let pools = &mut self.built.pools;
        pools.retain(|read| {
            let own = read.pool.span.or(read.pool.name_span);
            read.source != place || !own.is_some_and(|own| is_within(own, origin))
        });
    }

    /// Puts the objects that were built in the place of what was read from their files.
    pub fn apply(&mut self, facts: &mut FileFacts) {
        let is_replaced = |span: Span| self.replaced.contain(span) || self.patches.contain(span);
        facts.workloads.retain_mut(|workload| {
            if !is_replaced(workload.span) {
                return true;
            }
            let mut entries = workload.located.iter();
            if entries.all(|located| self.entries.contains(&located.entry)) {
                return false;
            }
            // Entries that nothing else contains are still judged.
            workload.take_as_part();
            true
        });
        let built: BTreeSet<Span> = self
            .built
            .pools
            .iter()
            .filter_map(|read| read.pool.name_span.or(read.pool.span))
            .collect();
        facts.pools.retain(|read| {
            let own = read.pool.name_span.or(read.pool.span);
            own.is_none_or(|own| {
                !(self.patches.contain(own) || (self.replaced.contain(own) && built.contains(&own)))
            })
        });
        let known: HashSet<(Span, &str)> = facts
            .notices
            .iter()
            .map(|notice| (notice.span, notice.kind.as_str()))
            .collect();
        let mut new = std::mem::take(&mut self.built.notices);
        new.retain(|notice| !known.contains(&(notice.span, notice.kind.as_str())));
        self.built.notices = new;
        facts.overlays.retain(|overlay| !self.covers(overlay));
        facts.absorb(std::mem::take(&mut self.built));
    }

    /// Objects that are used where they are, with the places where something else takes their place.
    pub fn take_beside(&mut self) -> Vec<(Span, Vec<SourceId>)> {
        std::mem::take(&mut self.beside)
    }

    /// Whether what an overlay does was done.
    fn covers(&self, overlay: &Overlay) -> bool {
        self.patches.contain(overlay.span)
    }

    /// Marks the workloads that kustomizations may change in ways that are not known.
    pub fn doubt(&self, workloads: &mut [Workload]) -> Vec<Open> {
        let mut open = Vec::new();
        if self.doubts.is_empty() {
            return open;
        }
        for workload in workloads {
            let Some(doubt) = self.doubts.get(&(workload.source, workload.span)) else {
                continue;
            };
            let because = Because::Kustomize(Arc::clone(&doubt.why));
            open.push(Open::object(workload.span, &workload.object, because));
            let shape = Arc::make_mut(&mut workload.shape);
            shape
                .unread_tolerations
                .get_or_insert(MoreTolerations::Other(DOUBT));
            shape.selection.unknown = true;
        }
        open
    }
}
