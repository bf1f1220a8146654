//! Which pools serve which workloads, where no configuration says so: by the folders that they stand in.
//! Conservative on purpose, so that the workloads of one example are never judged by the pools of another.

use std::collections::{BTreeMap, BTreeSet};

/// Folder names whose children are independent examples of something.
const COLLECTIONS: [&str; 16] = [
    "blueprints",
    "demo",
    "demos",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "patterns",
    "recipes",
    "sample",
    "samples",
    "scenarios",
    "templates",
    "test",
    "testdata",
    "tests",
];

/// Folder names that say "infrastructure", whose pools serve what stands beside them.
const INFRASTRUCTURE: [&str; 20] = [
    "aks",
    "capi",
    "cluster",
    "clusters",
    "eks",
    "gke",
    "infra",
    "infrastructure",
    "karpenter",
    "machines",
    "machinesets",
    "node-pools",
    "nodegroups",
    "nodepools",
    "nodes",
    "platform",
    "pools",
    "provisioners",
    "provisioning",
    "terraform",
];

/// Words for environments, each with the one that stands for all its spellings.
const ENVIRONMENTS: [(&str, &str); 19] = [
    ("dev", "dev"),
    ("devel", "dev"),
    ("development", "dev"),
    ("int", "int"),
    ("integration", "int"),
    ("live", "prod"),
    ("preprod", "preprod"),
    ("prd", "prod"),
    ("prod", "prod"),
    ("production", "prod"),
    ("qa", "qa"),
    ("sandbox", "sandbox"),
    ("stage", "staging"),
    ("staging", "staging"),
    ("stg", "staging"),
    ("test", "test"),
    ("testing", "test"),
    ("uat", "uat"),
    ("canary", "canary"),
];

/// Words in a path that say that what stands there is not what runs.
const REHEARSALS: [&str; 22] = [
    "archive",
    "archived",
    "attic",
    "demo",
    "demos",
    "deprecated",
    "disabled",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "old",
    "sample",
    "samples",
    "test",
    "testdata",
    "testing",
    "tests",
    "unused",
];

/// Whether a path below the scanned folder says test, example or archive.
pub fn is_rehearsal(path: &str) -> bool {
    path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase();
        words(&segment).any(|word| REHEARSALS.contains(&word)) || segment.starts_with(".chainsaw")
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['-', '_', '.', ' '])
        .filter(|word| !word.is_empty())
}

/// The environments that a path names.
fn environments(path: &str) -> BTreeSet<&'static str> {
    let lower = path.to_ascii_lowercase();
    lower
        .split('/')
        .flat_map(words)
        .filter_map(|word| {
            ENVIRONMENTS
                .iter()
                .find(|(spelling, _)| *spelling == word)
                .map(|(_, name)| *name)
        })
        .collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn parent_of(folder: &str) -> &str {
    folder_of(folder)
}

fn last_segment(folder: &str) -> String {
    folder
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Whether a folder is another or lies below it.
fn is_below(folder: &str, above: &str) -> bool {
    above.is_empty()
        || folder == above
        || folder
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// For each workload path, the indices of the pools that serve it, in order. Paths are below the scanned folder.
pub fn infer(pools: &[&str], workloads: &[&str]) -> Vec<Vec<usize>> {
    let workload_folders: BTreeSet<&str> = workloads.iter().map(|path| folder_of(path)).collect();
    let pool_folders: BTreeSet<&str> = pools.iter().map(|path| folder_of(path)).collect();
    let examples: BTreeSet<&str> = pool_folders
        .intersection(&workload_folders)
        .copied()
        .collect();
    let serves: BTreeMap<&str, Option<&str>> = pool_folders
        .iter()
        .map(|folder| (*folder, reach(folder, &examples, &workload_folders)))
        .collect();
    let pool_environments: Vec<_> = pools.iter().map(|path| environments(path)).collect();

    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for path in workloads {
        if by_path.contains_key(path) {
            continue;
        }
        let folder = folder_of(path);
        let example = examples
            .iter()
            .filter(|example| is_below(folder, example))
            .max_by_key(|example| example.len());
        let own = environments(path);
        let serving = pools
            .iter()
            .enumerate()
            .filter(|(index, pool)| {
                let at = folder_of(pool);
                let reaches = serves
                    .get(at)
                    .copied()
                    .flatten()
                    .is_some_and(|reach| is_below(folder, reach));
                let not_a_neighbour = example.is_none_or(|example| is_below(at, example));
                let agree = own.is_empty()
                    || pool_environments[*index].is_empty()
                    || !own.is_disjoint(&pool_environments[*index]);
                reaches && not_a_neighbour && agree
            })
            .map(|(index, _)| index)
            .collect();
        by_path.insert(path, serving);
    }
    workloads
        .iter()
        .map(|path| by_path.get(path).cloned().unwrap_or_default())
        .collect()
}

/// The folder below which the pools of a folder serve; none when they serve nothing.
fn reach<'a>(
    folder: &'a str,
    examples: &BTreeSet<&str>,
    workloads: &BTreeSet<&str>,
) -> Option<&'a str> {
    let any_below = |above: &str| workloads.iter().any(|at| is_below(at, above));
    if any_below(folder) {
        return Some(folder);
    }
    let mut parent = parent_of(folder);
    // `infra/prod/pools` and the like: climb while the names say infrastructure or an environment.
    while !any_below(parent) && !parent.is_empty() {
        let name = last_segment(parent);
        let climbs = words(&name).any(|word| INFRASTRUCTURE.contains(&word))
            || INFRASTRUCTURE.contains(&name.as_str())
            || !environments(&name).is_empty();
        if !climbs {
            return None;
        }
        parent = parent_of(parent);
    }
    if COLLECTIONS.contains(&last_segment(parent).as_str()) {
        return None;
    }
    let beside_examples = examples
        .iter()
        .any(|example| *example != parent && is_below(example, parent));
    if beside_examples {
        return None;
    }
    Some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(pools: &[&str], workloads: &[&str]) -> Vec<Vec<usize>> {
        infer(pools, workloads)
    }

    #[test]
    fn a_folder_with_both_is_an_example_of_its_own() {
        let pools = ["blueprints/gpu/pool.yaml", "blueprints/arm/pool.yaml"];
        let workloads = ["blueprints/gpu/app.yaml", "blueprints/arm/app.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![1]]);
    }

    #[test]
    fn a_pool_only_folder_beside_examples_serves_nobody() {
        let pools = ["a/pool.yaml", "b/pool.yaml"];
        let workloads = ["a/app.yaml", "c/app.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![]]);
    }

    #[test]
    fn an_infrastructure_folder_serves_everything_beside_it() {
        let pools = ["infra/pools.yaml"];
        let workloads = ["apps/web/web.yaml", "jobs/nightly.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![0]]);
    }

    #[test]
    fn a_deep_infrastructure_folder_climbs_to_the_applications() {
        let pools = ["infra/prod/pools/gpu.yaml"];
        assert_eq!(served(&pools, &["apps/web.yaml"]), vec![vec![0]]);
    }

    #[test]
    fn pools_of_one_cluster_folder_do_not_serve_the_next() {
        let pools = ["clusters/a/pools/p.yaml", "clusters/b/pools/p.yaml"];
        let workloads = ["clusters/a/apps/web.yaml", "clusters/b/apps/web.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![1]]);
    }

    #[test]
    fn environments_on_both_sides_must_agree() {
        let pools = ["infra/prod.yaml", "infra/staging.yaml", "infra/common.yaml"];
        let workloads = ["apps/values-production.yaml", "apps/base.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0, 2], vec![0, 1, 2]]);
    }

    #[test]
    fn children_of_an_examples_folder_are_strangers_to_each_other() {
        let pools = ["examples/a/pool.yaml"];
        assert_eq!(
            served(&pools, &["examples/b/app.yaml"]),
            vec![Vec::<usize>::new()]
        );
    }

    #[test]
    fn pools_at_the_root_serve_the_folders_below() {
        let pools = ["pools.yaml"];
        assert_eq!(
            served(&pools, &["apps/web.yaml", "x.yaml"]),
            vec![vec![0], vec![0]]
        );
    }

    #[test]
    fn only_whole_words_make_a_rehearsal() {
        assert!(is_rehearsal("apps/test/web.yaml"));
        assert!(is_rehearsal(".archive/web.yaml"));
        assert!(is_rehearsal("charts/web/values-example.yaml"));
        assert!(!is_rehearsal("apps/latest/web.yaml"));
        assert!(!is_rehearsal("apps/contest/web.yaml"));
    }
}
