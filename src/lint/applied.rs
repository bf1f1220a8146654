//! Objects as Kustomizations of Flux change them for each cluster: by patches and components, and by filling in variables.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::caught::caught;
use super::disk::Disk;
use super::forms::{FactsOf, is_alike};
use super::kustomizations::Kustomizations;
use super::origins::within;
use super::shapes::Shapes;
use crate::delivery::{Applied, Graph, Variables, substitute_known};
use crate::extract::{self, ChartSources, FileFacts, Table, Whole};
use crate::kustomize::{Data, Entry, Library, Object, Value};
use crate::model::node_pool::Variant;
use crate::source::{SourceId, Span};
use crate::yaml::{self, Kind, Scalar};

/// The maximum number of objects that Kustomizations apply, counted for each cluster. Above it, no patch is applied and no
/// variable is filled in, so that what they change stays unknown.
const MAX_OBJECTS: usize = 100_000;

/// Why what a Kustomization applies is not known.
const UNCLEAR: &str = "a kustomization changes how Flux's Kustomization changes it";

/// Objects with this label or annotation keep their variables.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// A file where an object is used, and the place where it is written.
type Key = (SourceId, Span);

/// What it takes to read objects as Flux applies them.
pub struct Flux<'f> {
    /// The files.
    pub disk: Disk<'f>,
    /// What each of them says.
    pub facts: &'f FactsOf<'f>,
    /// Where workloads and pools are declared.
    pub table: &'f Table,
    /// What they say about charts.
    pub sources: &'f ChartSources,
    /// The pod shapes seen so far.
    pub shapes: &'f Shapes,
}

/// An object in one of the forms that clusters get it in.
struct Form {
    object: Object,
    clusters: BTreeSet<usize>,
    /// The Kustomization that makes it.
    by: Span,
}

/// The forms of objects.
type Forms = BTreeMap<Key, Vec<Form>>;

impl Flux<'_> {
    /// Adds each object that Kustomizations of Flux change, once for each form that clusters get. What its file says then counts
    /// only for clusters that get the object unchanged.
    pub fn change(&self, graph: &mut Graph, kustomizations: &mut Kustomizations) {
        let applied = std::mem::take(&mut graph.applied);
        let (forms, unchanged) = self.forms(&applied);
        let plain: HashSet<(usize, &str)> = applied
            .iter()
            .filter(|one| !self.may_change(one))
            .flat_map(|one| {
                one.parts
                    .all
                    .iter()
                    .map(|path| (one.cluster, path.as_str()))
            })
            .collect();
        let built: &Kustomizations = kustomizations;
        let names: Vec<String> = graph.clusters.iter().map(|one| one.name.clone()).collect();
        let read: Vec<(Key, Vec<(Form, FileFacts)>)> = forms
            .into_par_iter()
            .map(|(key, forms)| (key, self.read(key, forms, built, &names)))
            .filter(|(_, read)| !read.is_empty())
            .collect();
        for ((place, origin), forms) in read {
            let clusters: BTreeSet<usize> = forms
                .iter()
                .flat_map(|(form, _)| form.clusters.iter().copied())
                .filter(|cluster| !unchanged.contains(&(*cluster, (place, origin))))
                .filter(|cluster| !plain.contains(&(*cluster, self.disk.path(origin.source))))
                .collect();
            let path = self.disk.path(place);
            let all = graph.of_file.get(path).into_iter().flatten();
            match all.clone().all(|cluster| clusters.contains(cluster)) {
                true => kustomizations.leave_out(place, origin),
                false => graph.replace(place, origin, clusters),
            }
            for (form, mut facts) in forms {
                self.shapes.share(&mut facts.workloads);
                kustomizations.add_changed(&form.object, facts);
            }
        }
    }

    /// Whether a file may have variables.
    fn has_variables(&self, path: &str) -> bool {
        let kept = self.disk.find(path);
        let facts = kept.and_then(|kept| (self.facts)(kept.id));
        facts.is_some_and(|facts| facts.has_variables)
    }

    /// Whether a Kustomization may change some of what it applies.
    fn may_change(&self, one: &Applied) -> bool {
        let mut files = one.parts.all.iter();
        one.changes || (one.variables.is_some() && files.any(|path| self.has_variables(path)))
    }

    /// The forms of each object that is changed, and the clusters that get some of these objects unchanged, too.
    fn forms(&self, applied: &[Applied]) -> (Forms, HashSet<(usize, Key)>) {
        let library = Library::new(&self.disk);
        let mut forms: BTreeMap<Key, BTreeMap<String, Form>> = BTreeMap::new();
        let mut unchanged = HashSet::new();
        let mut left = MAX_OBJECTS;
        for one in applied.iter().filter(|one| self.may_change(one)) {
            let objects = self.objects(&library, one);
            match left.checked_sub(objects.len()) {
                Some(rest) => left = rest,
                None => return (Forms::new(), HashSet::new()),
            }
            for (object, is_changed) in objects {
                let key = (object.place, object.origin);
                if !is_changed {
                    unchanged.insert((one.cluster, key));
                    continue;
                }
                let text = object.value.write().text().to_owned();
                let known = forms.entry(key).or_default();
                let form = known.entry(text).or_insert_with(|| Form {
                    object,
                    clusters: BTreeSet::new(),
                    by: one.by,
                });
                form.clusters.insert(one.cluster);
            }
        }
        let forms = forms.into_iter();
        let forms = forms.map(|(key, forms)| (key, forms.into_values().collect()));
        (forms.collect(), unchanged)
    }

    /// The objects that a Kustomization applies, and whether it changes them.
    fn objects(&self, library: &Library<'_>, applied: &Applied) -> Vec<(Object, bool)> {
        let parts = &applied.parts;
        let mut objects: Vec<Object> = Vec::new();
        for path in &parts.kustomizations {
            objects.extend(library.build(path).objects.iter().cloned());
        }
        for path in &parts.manifests {
            objects.extend(library.objects(path));
        }
        let mut patched: Vec<bool> = vec![false; objects.len()];
        if applied.changes {
            let state = |object: &Object| (object.patches.len(), object.doubt.is_some());
            let before: Vec<_> = objects.iter().map(state).collect();
            let path = self.disk.path(applied.by.source);
            match applied.is_unclear {
                true => objects
                    .iter_mut()
                    .for_each(|one| one.doubt(UNCLEAR, applied.by)),
                false => objects = library.apply(objects, path, applied.by, &applied.folder),
            }
            let is_patched = |(object, (patches, is_in_doubt)): (&Object, &(usize, bool))| {
                let is_touched = object.patches.len() > *patches && object.touched;
                is_touched || (object.doubt.is_some() && !is_in_doubt)
            };
            patched = objects.iter().zip(&before).map(is_patched).collect();
        }
        let all = objects.into_iter().zip(patched);
        let all = all.filter(|(object, _)| !object.gone);
        all.map(|(mut object, is_patched)| {
            let variables = applied.variables.as_ref();
            let variables = variables.filter(|_| !keeps_variables(&object.value));
            let filled = variables.and_then(|variables| filled(&object.value, variables));
            let is_changed = is_patched || filled.is_some();
            if let Some(filled) = filled {
                object.value = filled;
            }
            (object, is_changed)
        })
        .collect()
    }

    /// The facts of the forms of an object. Nothing if all of them say what its file says.
    fn read(
        &self,
        (place, origin): Key,
        forms: Vec<Form>,
        built: &Kustomizations,
        names: &[String],
    ) -> Vec<(Form, FileFacts)> {
        let facts = forms.into_iter().filter_map(|form| {
            let name = form.object.value.at_path(&["metadata", "name"]);
            let whole = Whole {
                text: &form.object.value.write(),
                items: form.object.value.items_by_key(),
                at: origin,
                name: name.and_then(Value::word).unwrap_or_default(),
                path: self.disk.path(origin.source),
                place,
            };
            let facts = caught(|| extract::read_built(&whole, self.table, self.sources)).ok()?;
            Some((form, facts))
        });
        let mut read: Vec<(Form, FileFacts)> = facts.collect();
        let is_same = |(form, facts): &(Form, FileFacts)| {
            form.object.doubt.is_none() && self.says_same(facts, (place, origin), built)
        };
        if read.iter().all(is_same) {
            return Vec::new();
        }
        for (form, facts) in &mut read {
            let clusters = || {
                form.clusters
                    .iter()
                    .filter_map(|at| u32::try_from(*at).ok())
            };
            for workload in &mut facts.workloads {
                workload.delivered_to = clusters().collect();
            }
            let only = form.clusters.iter().next();
            let only = only.filter(|_| form.clusters.len() == 1);
            let only = only.and_then(|at| names.get(*at));
            for read in &mut facts.pools {
                read.delivered_to = clusters().collect();
                read.pool.variant = only.map(|name| Variant {
                    name: name.clone(),
                    at: form.by,
                });
            }
        }
        read
    }

    /// Whether a form of an object says what the object says at its place.
    fn says_same(&self, facts: &FileFacts, (place, origin): Key, built: &Kustomizations) -> bool {
        let own = (self.facts)(origin.source);
        let own_workloads = own.map_or(&[][..], |own| &own.workloads);
        let own_workloads = within(own_workloads, origin).filter(|one| one.source == place);
        let known = own_workloads.chain(built.built_at(place, origin));
        let known: Vec<_> = known.collect();
        let is_known = |workload| known.iter().any(|known| is_alike(known, workload));
        known.len() == facts.workloads.len()
            && facts.workloads.iter().all(is_known)
            && facts.pools.is_empty()
            && facts.notices.is_empty()
    }
}

/// Whether an object says that its variables are not filled in.
fn keeps_variables(object: &Value) -> bool {
    ["labels", "annotations"].iter().any(|field| {
        let pairs = object.at_path(&["metadata", field]);
        pairs.and_then(|pairs| pairs.get(SUBSTITUTE)?.word()) == Some("disabled")
    })
}

/// A value with the variables in it filled in, as far as they are known. `None` if that changes nothing.
fn filled(value: &Value, variables: &Variables) -> Option<Value> {
    let data = match &value.data {
        // Places inside a text of several lines would be lost.
        Data::Text(text) if text.contains("${") && !text.contains('\n') => {
            typed(&substitute_known(text, variables)?)
        }
        Data::List(items) => {
            let all: Vec<Option<Value>> =
                items.iter().map(|item| filled(item, variables)).collect();
            if all.iter().all(Option::is_none) {
                return None;
            }
            let items = all.into_iter().zip(items.iter());
            let items = items.map(|(new, old)| new.unwrap_or_else(|| old.clone()));
            Data::List(Arc::new(items.collect()))
        }
        Data::Map(entries) => {
            let all: Vec<(Option<Arc<str>>, Option<Value>)> = entries
                .iter()
                .map(|entry| {
                    let has = entry.key.contains("${");
                    let key = has
                        .then(|| substitute_known(&entry.key, variables))
                        .flatten();
                    (key.map(Arc::from), filled(&entry.value, variables))
                })
                .collect();
            if all
                .iter()
                .all(|(key, value)| key.is_none() && value.is_none())
            {
                return None;
            }
            let entries = all.into_iter().zip(entries.iter());
            let entries = entries.map(|((key, value), old)| Entry {
                key: key.unwrap_or_else(|| Arc::clone(&old.key)),
                key_at: old.key_at,
                value: value.unwrap_or_else(|| old.value.clone()),
            });
            Data::Map(Arc::new(entries.collect()))
        }
        _ => return None,
    };
    Some(Value { at: value.at, data })
}

/// What a text is where Flux reads the manifest again: it fills in variables where no text has quotes any more.
fn typed(text: &str) -> Data {
    let stream = yaml::parse(text, SourceId(0));
    let root = match stream.documents.as_slice() {
        [only] if stream.errors.is_empty() => Some(only.root()),
        _ => None,
    };
    let scalar = root.filter(|root| root.kind() == Kind::Scalar);
    match scalar.and_then(|root| root.scalar()) {
        Some(Scalar::Null) => Data::Null(true),
        Some(Scalar::Str(text)) => Data::Text(text.into()),
        Some(_) => Data::Plain(text.into()),
        None if text.trim().is_empty() => Data::Null(true),
        None => Data::Text(text.into()),
    }
}
