//! Marks workloads that patches, policies or namespaces change before they reach the cluster. Fields that a workload lacks
//! may come from there.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::gather::change;
use super::injections::Injections;
use super::paths::Paths;
use crate::config::Config;
use crate::extract::{Kustomization, Overlay, Target, Words};
use crate::finding::{Because, Open};
use crate::kustomize::paths::resolve;
use crate::model::workload::{MoreTolerations, Stands, Workload};
use crate::source::SourceId;
use crate::source::path::folder;

/// Marks the workloads that overlays touch and returns the overlays.
pub fn apply(
    workloads: &mut [Workload],
    overlays: &[Overlay],
    kustomizations: &[Kustomization],
    config: &Config,
    paths: &Paths,
) -> Vec<Open> {
    let path = |source: SourceId| paths.of(source);
    // Flux Kustomizations are often next to kustomize's own, so a folder includes the resources of all of them.
    let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in kustomizations {
        let entries = one.entries.iter().map(String::as_str);
        by_folder
            .entry(folder(path(one.source)))
            .or_default()
            .extend(entries);
    }
    let parts = take_patches(workloads, kustomizations, path);
    let unlisted = Unlisted::new(kustomizations, path);
    let is_used = |overlay: &&Overlay| !overlay.is_part || !unlisted.is(path(overlay.source));
    let overlays = overlays.iter().filter(is_used).chain(&parts);
    let overlays: Vec<&Overlay> = overlays.collect();
    let index = Index::new(&overlays);
    let mut injections = Injections::new(&overlays, config, paths);
    let mut reached: HashMap<usize, BTreeSet<String>> = HashMap::new();
    let mut changed = Vec::new();
    for workload in workloads {
        if workload.stands != Stands::Alone || !workload.shape.level.has_owner() {
            continue;
        }
        let own = path(workload.source);
        let touching = index.candidates(workload).find(|at| {
            let overlay = overlays[*at];
            touches(&overlay.target, workload)
                && overlay.within.as_ref().is_none_or(|entries| {
                    // All patches of one Kustomization share its resources.
                    let shared = Arc::as_ptr(entries).cast::<String>() as usize;
                    let reach = reached.entry(shared).or_insert_with(|| {
                        let entries = entries.iter().map(String::as_str).collect();
                        reach(folder(path(overlay.source)), entries, &by_folder)
                    });
                    is_within(own, reach)
                })
        });
        let patched = touching.map(|at| (overlays[at].what, Because::Patched(overlays[at].span)));
        let injected = injections.add_to(workload);
        let opened = patched.or(injected);
        if let Some((what, because)) = opened {
            let selects_too = matches!(because, Because::Patched(_));
            changed.push(Open::object(workload.span, &workload.object, because));
            change(workload, |shape| {
                shape
                    .unread_tolerations
                    .get_or_insert(MoreTolerations::Other(what));
                shape.selection.unknown |= selects_too;
            });
        }
    }
    changed
}

/// Treats the contents of files that Kustomizations name as patches as partial objects, even if they have containers.
/// Returns the overlays that may change the tolerations or selectors of other workloads.
fn take_patches<'p>(
    workloads: &mut [Workload],
    kustomizations: &[Kustomization],
    path: impl Fn(SourceId) -> &'p str,
) -> Vec<Overlay> {
    let patches: HashSet<String> = kustomizations
        .iter()
        .flat_map(|one| {
            let at = folder(path(one.source));
            one.patches.iter().filter_map(move |file| resolve(at, file))
        })
        .collect();
    let mut overlays = Vec::new();
    for workload in workloads {
        if workload.stands == Stands::Alone && patches.contains(path(workload.source)) {
            if workload.says_where() {
                overlays.push(Overlay::partial(&workload.object, workload.span));
            }
            workload.take_as_part();
        }
    }
    overlays
}

/// The files beside a kustomization that neither it nor another one names. Nothing merges the parts of objects in them.
struct Unlisted<'p> {
    /// Folders with a kustomization that names all files it uses.
    folders: HashSet<&'p str>,
    named: HashSet<String>,
}

impl<'p> Unlisted<'p> {
    fn new(kustomizations: &[Kustomization], path: impl Fn(SourceId) -> &'p str) -> Self {
        let mut found = Unlisted {
            folders: HashSet::new(),
            named: HashSet::new(),
        };
        for one in kustomizations {
            let at = folder(path(one.source));
            let files = one.entries.iter().chain(&one.patches);
            found
                .named
                .extend(files.filter_map(|file| resolve(at, file)));
            if one.applies.is_none() {
                found.folders.insert(at);
            }
        }
        for one in kustomizations.iter().filter(|one| one.transforms) {
            found.folders.remove(folder(path(one.source)));
        }
        found
    }

    fn is(&self, path: &str) -> bool {
        self.folders.contains(folder(path)) && !self.named.contains(path)
    }
}

/// Overlays by target name, so that thousands of patches are not all compared with thousands of workloads.
struct Index<'o> {
    named: HashMap<&'o str, Vec<usize>>,
    patterns: Vec<usize>,
}

impl<'o> Index<'o> {
    fn new(overlays: &[&'o Overlay]) -> Self {
        let mut named = HashMap::<&str, Vec<usize>>::new();
        let mut patterns = Vec::new();
        for (at, overlay) in overlays.iter().enumerate() {
            match &overlay.target {
                Target::Object {
                    name: Some(Words::Exactly(name)),
                    ..
                } => named.entry(name).or_default().push(at),
                Target::Object { .. } => patterns.push(at),
                Target::Injected(_) => {}
            }
        }
        Index { named, patterns }
    }

    /// Patches that may touch a workload.
    fn candidates(&self, workload: &Workload) -> impl Iterator<Item = usize> {
        let name = workload.object.name.as_deref().unwrap_or_default();
        let named = self.named.get(name).map_or(&[][..], Vec::as_slice);
        named.iter().chain(&self.patterns).copied()
    }
}

/// The files and folders that a Kustomization includes, directly and through other Kustomizations.
fn reach(
    from: &str,
    entries: Vec<&str>,
    by_folder: &BTreeMap<&str, Vec<&str>>,
) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![(from.to_owned(), entries.as_slice())];
    while let Some((at, entries)) = pending.pop() {
        for entry in entries {
            let Some(path) = resolve(&at, entry) else {
                continue;
            };
            if let Some(more) = by_folder.get(path.as_str()) {
                if reached.contains(&path) {
                    continue;
                }
                pending.push((path.clone(), more));
            }
            reached.insert(path);
        }
    }
    reached
}

fn is_within(path: &str, reach: &BTreeSet<String>) -> bool {
    if reach.contains(path) || reach.contains("") {
        return true;
    }
    let mut at = folder(path);
    while !at.is_empty() {
        if reach.contains(at) {
            return true;
        }
        at = folder(at);
    }
    false
}

fn touches(target: &Target, workload: &Workload) -> bool {
    match target {
        Target::Injected(_) => false,
        Target::Object { kind, name } => {
            let own = workload.object.name.as_deref();
            kind.as_ref()
                .is_none_or(|kind| kind.fit(&workload.object.kind))
                && name
                    .as_ref()
                    .is_none_or(|name| own.is_some_and(|own| name.fit(own)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kustomization_reaches_what_its_bases_take_in() {
        let overlay = vec!["../../base", "https://example.com/x"];
        let by_folder = BTreeMap::from([("base", vec!["web.yaml", "../shared"])]);
        let reach = reach("overlays/prod", overlay, &by_folder);
        assert!(is_within("base/web.yaml", &reach));
        assert!(is_within("shared/deep/job.yaml", &reach));
        assert!(!is_within("other/web.yaml", &reach));
    }

    #[test]
    fn kustomizations_that_take_in_each_other_end() {
        let by_folder = BTreeMap::from([("a", vec!["../b"]), ("b", vec!["../a"])]);
        let reach = reach("a", vec!["../b"], &by_folder);
        assert!(is_within("a/x.yaml", &reach) && is_within("b/x.yaml", &reach));
    }
}
