//! Marks workloads that patches, policies or namespaces change before they reach the cluster: what they lack may stand
//! there.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::{change, folder};
use crate::extract::{Kustomization, Overlay, Target};
use crate::model::workload::{Level, Stands, Workload};
use crate::source::SourceId;

/// Marks what overlays touch. Gives how many workloads they touch.
pub fn apply(
    workloads: &mut [Workload],
    overlays: &[Overlay],
    kustomizations: &[Kustomization],
    paths: &[String],
) -> usize {
    let path = |source: SourceId| paths.get(source.0 as usize).map_or("", String::as_str);
    let by_folder: BTreeMap<&str, &[String]> = kustomizations
        .iter()
        .map(|one| (folder(path(one.source)), one.entries.as_slice()))
        .collect();
    let reaches: Vec<Option<BTreeSet<String>>> = overlays
        .iter()
        .map(|overlay| {
            let entries = overlay.within.as_ref()?;
            Some(reach(folder(path(overlay.source)), entries, &by_folder))
        })
        .collect();
    let mut changed = 0;
    for workload in workloads {
        if workload.stands != Stands::Alone || workload.shape.level == Level::Other {
            continue;
        }
        let own = path(workload.source);
        let touching = overlays.iter().zip(&reaches).find(|(overlay, reach)| {
            touches(&overlay.target, workload)
                && reach.as_ref().is_none_or(|reach| is_within(own, reach))
        });
        let Some((overlay, _)) = touching else {
            continue;
        };
        changed += 1;
        let selects_too = matches!(overlay.target, Target::Object { .. });
        change(workload, |shape| {
            shape
                .unread_tolerations
                .get_or_insert_with(|| overlay.what.to_owned());
            shape.selection.unknown |= selects_too;
        });
    }
    changed
}

/// The files and folders that a Kustomization takes in, directly and through those that it names.
fn reach(
    from: &str,
    entries: &[String],
    by_folder: &BTreeMap<&str, &[String]>,
) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<(String, &[String])> = vec![(from.to_owned(), entries)];
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

/// `../base` from `overlays/prod` is `base`; nothing for what lies elsewhere, such as URLs.
fn resolve(at: &str, entry: &str) -> Option<String> {
    if entry.contains("://") {
        return None;
    }
    let mut steps: Vec<&str> = match entry.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => at.split('/').filter(|step| !step.is_empty()).collect(),
    };
    for step in entry.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            other => steps.push(other),
        }
    }
    Some(steps.join("/"))
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
        Target::Injected { label, kinds } => {
            label
                .as_ref()
                .is_none_or(|label| workload.labels.iter().any(|(key, _)| key == label))
                && (kinds.is_empty() || kinds.contains(&workload.object.kind))
        }
        // A manifest without a namespace gets one from kustomize, Flux or the command line: it may be this one.
        Target::Namespace(namespace) => workload
            .object
            .namespace
            .as_ref()
            .is_none_or(|own| own == namespace),
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
        let base = vec!["web.yaml".to_owned(), "../shared".to_owned()];
        let overlay = vec!["../../base".to_owned(), "https://example.com/x".to_owned()];
        let by_folder = BTreeMap::from([("base", base.as_slice())]);
        let reach = reach("overlays/prod", &overlay, &by_folder);
        assert!(is_within("base/web.yaml", &reach));
        assert!(is_within("shared/deep/job.yaml", &reach));
        assert!(!is_within("other/web.yaml", &reach));
    }

    #[test]
    fn kustomizations_that_take_in_each_other_end() {
        let (a, b) = (vec!["../b".to_owned()], vec!["../a".to_owned()]);
        let by_folder = BTreeMap::from([("a", a.as_slice()), ("b", b.as_slice())]);
        let reach = reach("a", &a, &by_folder);
        assert!(is_within("a/x.yaml", &reach) && is_within("b/x.yaml", &reach));
    }

    #[test]
    fn a_path_out_of_the_repository_is_nowhere() {
        assert_eq!(resolve("a", "../../x"), None);
        assert_eq!(resolve("a/b", "../x.yaml").as_deref(), Some("a/x.yaml"));
    }
}
