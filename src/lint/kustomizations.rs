//! Kustomizations: each one that no other includes has its own workloads and pools, made from bases and patches. They take
//! the place of those that were read from these files alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::disk::Disk;
use super::forms::{FactsOf, Reader, Use};
use super::included::Graph;
use super::kept::{Kept, Load};
use super::origins::{Spans, is_within, pools_within, within};
use super::shapes::Shapes;
use crate::delivery::Pointer;
use crate::extract::{ChartSources, FileFacts, Overlay, ReadPool, Table};
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
    /// The places of objects that some patch deletes.
    deleted: Spans,
    /// Objects of Flux and Argo CD as patches make them, each for the file of a kustomization.
    pointers: Vec<(SourceId, Pointer)>,
    /// The places of the objects whose place they take.
    pointed: Spans,
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
                Use::Deleted { origin } => {
                    self.deleted.add(origin);
                    continue;
                }
                Use::Pointers { origin, forms } => {
                    self.pointed.add(origin);
                    let forms = forms.into_iter();
                    let all = forms.flat_map(|(place, all)| {
                        all.into_iter().map(move |pointer| (place, pointer))
                    });
                    self.pointers.extend(all);
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
                let is_built = self.replaced.contain(own) && built.contains(&own);
                !(is_built || self.patches.contain(own) || self.deleted.contain(own))
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

    /// The objects of Flux and Argo CD that patches change, each with the file of a kustomization that makes it.
    pub fn pointers(&self) -> &[(SourceId, Pointer)] {
        &self.pointers
    }

    /// Whether something else takes the place of an object of Flux or Argo CD: it is a patch, or patches change it.
    pub fn points_elsewhere(&self, pointer: &Pointer) -> bool {
        self.pointed.contain(pointer.whole) || self.patches.contain(pointer.whole)
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
