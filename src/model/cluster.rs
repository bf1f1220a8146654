//! Infers which pools serve which workloads from their folders if no configuration says so. Conservative on purpose: the
//! workloads of one example must never be judged by the pools of another.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::clouds::Clouds;
use super::path_words::{
    LIVE, all_but, environment, holds_environments, is_collection, is_infrastructure, is_region,
    name_words,
};

/// What a path says about the pods declared in it. Facts about one part of a repository do not apply to another part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part<'p> {
    /// The example: a child of a folder whose children are independent of each other.
    example: Option<&'p str>,
    /// The folder of one cluster: a child of a folder named `clusters`.
    cluster: Option<&'p str>,
    /// The environments that the path names.
    environments: BTreeSet<&'static str>,
}

impl<'p> Part<'p> {
    /// Returns the part of the repository that a path, relative to the scanned folder, belongs to.
    pub fn of(path: &'p str) -> Part<'p> {
        let child = |is_parent: &dyn Fn(&str) -> bool| {
            let mut end = 0;
            for segment in folder_of(path).split('/') {
                end += segment.len() + 1;
                if is_parent(segment) {
                    let rest = path.get(end..).unwrap_or_default();
                    let more = rest.split_once('/').map_or(0, |(child, _)| child.len());
                    return path.get(..end + more);
                }
            }
            None
        };
        Part {
            example: child(&is_collection),
            cluster: child(&|name| name == "clusters"),
            environments: environments(path),
        }
    }

    /// Whether something in this part may affect the clusters of another one. An example affects only itself.
    pub fn may_affect(&self, other: &Part<'_>) -> bool {
        let (own, theirs) = (&self.environments, &other.environments);
        (self.example.is_none() || self.example == other.example)
            && (self.cluster.is_none() || other.cluster.is_none() || self.cluster == other.cluster)
            && (own.is_empty() || theirs.is_empty() || !own.is_disjoint(theirs))
    }

    /// Returns the part that it belongs to in any environment.
    #[must_use]
    pub fn without_environments(self) -> Part<'p> {
        Part {
            environments: BTreeSet::new(),
            ..self
        }
    }
}

/// Returns the environments that a path names, each in one canonical spelling. `non-prod` is every one except production.
pub fn environments(path: &str) -> BTreeSet<&'static str> {
    let lower = path.to_ascii_lowercase();
    let mut found = BTreeSet::new();
    let mut is_live = false;
    for segment in lower.split('/') {
        if segment == LIVE {
            is_live = true;
            continue;
        }
        let mut before = "";
        for word in name_words(segment) {
            let named = environment(word);
            match (before, named) {
                ("non" | "not", Some(other)) => found.extend(all_but(other)),
                ("pre", Some("prod")) => {
                    found.insert("preprod");
                }
                (_, Some(name)) => {
                    found.insert(name);
                }
                (_, None) => {
                    if let Some(other) = word.strip_prefix("non").and_then(environment) {
                        found.extend(all_but(other));
                    }
                }
            }
            before = word;
        }
    }
    if is_live && found.is_empty() {
        found.extend(environment(LIVE));
    }
    found
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

/// Whether `folder` is `above` or is below it.
fn is_below(folder: &str, above: &str) -> bool {
    above.is_empty()
        || folder == above
        || folder
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Which pools serve which workloads. Workloads with the same pools share one list, to avoid storing every combination of
/// pool and workload.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Serving {
    /// Lists of pools, by index and in order.
    pub lists: Vec<Vec<usize>>,
    /// For each list, the pools that would also serve if no other pools were nearer to the workloads.
    pub beside: Vec<Vec<usize>>,
    /// For each workload, the index of its list.
    pub of_workload: Vec<usize>,
}

/// What determines the pools of a workload: the nearest folder above it that pools serve, its example, its environments,
/// the variants that its path names, and its clouds.
type Situation<'p> = (
    Option<&'p str>,
    Option<&'p str>,
    BTreeSet<&'static str>,
    BTreeSet<&'p str>,
    Clouds,
);

/// What is known of pools. Each list has one entry for each pool, or is empty.
pub struct Pools<'p> {
    /// Their paths, relative to the scanned folder.
    pub paths: &'p [&'p str],
    /// Their clouds.
    pub clouds: &'p [Clouds],
    /// The names of the variants of a configuration that create them.
    pub variants: &'p [Option<&'p str>],
}

/// Infers which pools serve which workloads. Paths are relative to the scanned folder. Each workload path comes with its
/// known clouds.
pub fn infer<'p>(
    known: &Pools<'p>,
    workloads: &[&'p str],
    clouds_at: &BTreeMap<&str, Clouds>,
) -> Serving {
    let pools = known.paths;
    let variant = |index: usize| known.variants.get(index).copied().flatten();
    let variants: BTreeSet<&str> = known.variants.iter().flatten().copied().collect();
    let workload_folders: BTreeSet<&str> = workloads.iter().map(|path| folder_of(path)).collect();
    let pool_folders: BTreeSet<&str> = pools.iter().map(|path| folder_of(path)).collect();
    let examples: BTreeSet<&str> = pool_folders
        .intersection(&workload_folders)
        .copied()
        .collect();
    // Pools above the workloads that they serve also form an example, which matters for workloads beside it.
    let worlds: BTreeSet<&str> = pool_folders
        .iter()
        .copied()
        .filter(|folder| any_below(&workload_folders, folder))
        .collect();
    let serves: BTreeMap<&str, Option<&str>> = pool_folders
        .iter()
        .map(|folder| (*folder, reach(folder, &worlds, &workload_folders)))
        .collect();
    let mut reaching: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, pool) in pools.iter().enumerate() {
        if let Some(above) = serves.get(folder_of(pool)).copied().flatten() {
            reaching.entry(above).or_default().push(index);
        }
    }
    let pool_environments: Vec<_> = pools
        .iter()
        .enumerate()
        .map(|(index, path)| {
            let mut found = environments(path);
            found.extend(variant(index).into_iter().flat_map(environments));
            found
        })
        .collect();

    let mut serving = Serving::default();
    let mut of_situation: BTreeMap<Situation<'_>, usize> = BTreeMap::new();
    let mut of_path: BTreeMap<&str, usize> = BTreeMap::new();
    for path in workloads {
        let list = *of_path.entry(path).or_insert_with(|| {
            let folder = folder_of(path);
            let served = folders_above(folder).find(|above| reaching.contains_key(above));
            let example = folders_above(folder).find(|above| examples.contains(above));
            let own = environments(path);
            let named = named_in(path, &variants);
            let clouds = clouds_at.get(path).copied().unwrap_or_default();
            let next = serving.lists.len();
            *of_situation
                .entry((served, example, own.clone(), named.clone(), clouds))
                .or_insert_with(|| {
                    let in_environment: Vec<usize> = served
                        .into_iter()
                        .flat_map(folders_above)
                        .filter_map(|above| reaching.get(above))
                        .flatten()
                        .copied()
                        .filter(|index| {
                            let theirs = &pool_environments[*index];
                            own.is_empty() || theirs.is_empty() || !own.is_disjoint(theirs)
                        })
                        .filter(|index| {
                            let variant = variant(*index);
                            named.is_empty() || variant.is_none_or(|one| named.contains(one))
                        })
                        .collect();
                    let cloud_of = |index: &usize| known.clouds.get(*index).copied();
                    let cloud_of = |index: &usize| cloud_of(index).unwrap_or_default();
                    // If nothing names the cloud of a workload, use the cloud of the pools that name its environment.
                    let theirs = in_environment
                        .iter()
                        .filter(|index| !own.is_disjoint(&pool_environments[**index]))
                        .map(cloud_of)
                        .fold(Clouds::default(), Clouds::with);
                    let clouds = if clouds == Clouds::default() {
                        theirs
                    } else {
                        clouds
                    };
                    let (mut list, mut beside): (Vec<usize>, Vec<usize>) = in_environment
                        .into_iter()
                        .filter(|index| clouds.can_be(cloud_of(index)))
                        .partition(|index| {
                            let at = folder_of(pools[*index]);
                            example.is_none_or(|example| is_below(at, example))
                        });
                    beside.retain(|index| {
                        example.is_some_and(|example| is_akin(pools[*index], example))
                    });
                    list.sort_unstable();
                    beside.sort_unstable();
                    serving.lists.push(list);
                    serving.beside.push(beside);
                    next
                })
        });
        serving.of_workload.push(list);
    }
    serving
}

/// Returns the names among these that a folder or file of a path has.
fn named_in<'n>(path: &str, names: &BTreeSet<&'n str>) -> BTreeSet<&'n str> {
    if names.is_empty() {
        return BTreeSet::new();
    }
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = ["values-", "values."]
        .iter()
        .find_map(|before| stem.strip_prefix(before))
        .or_else(|| stem.strip_suffix(".values"))
        .unwrap_or(stem);
    let parts = folder.split('/').chain(Some(stem));
    parts.filter_map(|part| names.get(part).copied()).collect()
}

/// Whether a pool is in the same part of the repository as a folder, ignoring environments.
fn is_akin(pool: &str, folder: &str) -> bool {
    let inside = format!("{folder}/");
    let (one, other) = (Part::of(pool), Part::of(&inside));
    (one.example, one.cluster) == (other.example, other.cluster)
}

/// Returns a folder and all folders above it, from the bottom up. The last is the scanned folder, whose name is empty.
fn folders_above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| parent_of(at)))
}

/// Whether one of these folders is `above` or is below it.
fn any_below(folders: &BTreeSet<&str>, above: &str) -> bool {
    if above.is_empty() {
        return !folders.is_empty();
    }
    folders.contains(above) || any_strictly_below(folders, above)
}

/// Returns the folder below which the pools of a folder serve, or `None` if they serve nothing.
fn reach<'a>(
    folder: &'a str,
    worlds: &BTreeSet<&str>,
    workloads: &BTreeSet<&str>,
) -> Option<&'a str> {
    if any_below(workloads, folder) {
        return Some(folder);
    }
    let mut parent = parent_of(folder);
    let mut infrastructure = is_infrastructure(&last_segment(folder));
    // For `infra/prod/pools` and similar, climb while the names mean infrastructure, a cloud, a region, an environment or several.
    while !any_below(workloads, parent) && !parent.is_empty() {
        let name = last_segment(parent);
        let says = is_infrastructure(&name);
        let is_cloud = is_region(&name) || Clouds::named_by(&name) != Clouds::default();
        if !says && !is_cloud && !holds_environments(&name) && environments(&name).is_empty() {
            return None;
        }
        infrastructure |= says;
        parent = parent_of(parent);
    }
    if is_collection(&last_segment(parent)) {
        return None;
    }
    // A folder beside examples with pools of their own is another example, unless its name says that it serves all.
    let beside_examples = !infrastructure && any_strictly_below(worlds, parent);
    (!beside_examples).then_some(parent)
}

fn any_strictly_below(folders: &BTreeSet<&str>, above: &str) -> bool {
    if above.is_empty() {
        return folders.iter().any(|folder| !folder.is_empty());
    }
    // Other folders can sort between a folder and its contents: `a`, `a-b`, `a/c`.
    let inside = format!("{above}/");
    let next = folders.range(inside.as_str()..).next();
    next.is_some_and(|next| next.starts_with(&inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'p>(paths: &'p [&'p str]) -> Pools<'p> {
        Pools {
            paths,
            clouds: &[],
            variants: &[],
        }
    }

    fn served(pools: &[&str], workloads: &[&str]) -> Vec<Vec<usize>> {
        let serving = infer(&at(pools), workloads, &BTreeMap::new());
        let lists = serving.of_workload.iter();
        lists.map(|list| serving.lists[*list].clone()).collect()
    }

    #[test]
    fn a_path_tells_its_part_of_the_repository() {
        let alike = |one, other| Part::of(one) == Part::of(other);
        assert!(alike("apps/a/web.yaml", "charts/b/values.yaml"));
        assert!(alike("examples/a/web.yaml", "examples/a/b/web.yaml"));
        assert!(alike("apps/production/a.yaml", "values-prod.yaml"));
        assert!(!alike("examples/a/web.yaml", "examples/b/web.yaml"));
        assert!(!alike("examples/a/web.yaml", "a/web.yaml"));
        assert!(!alike("clusters/a/web.yaml", "clusters/b/web.yaml"));
        assert!(!alike("apps/production/a.yaml", "apps/staging/a.yaml"));
        assert!(alike("tests/a.yaml", "tests/b.yaml"));
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
    fn pools_that_nearer_ones_keep_out_stand_beside() {
        let beside = |pools: &[&str], workloads: &[&str]| {
            let serving = infer(&at(pools), workloads, &BTreeMap::new());
            serving.beside[serving.of_workload[0]].clone()
        };
        let workloads = ["box/manifests/job.yaml"];
        let own = "box/manifests/pool.yaml";
        assert_eq!(beside(&[own, "box/nodepools/p.yaml"], &workloads), vec![1]);
        let nothing: Vec<usize> = Vec::new();
        assert_eq!(beside(&[own, "else/pool.yaml"], &workloads), nothing);
        let prod = ["box/prod/job.yaml"];
        let pools = ["box/prod/pool.yaml", "box/nodepools/staging.yaml"];
        assert_eq!(beside(&pools, &prod), nothing);
        let pools = ["examples/a/pool.yaml", "pools.yaml"];
        assert_eq!(beside(&pools, &["examples/a/job.yaml"]), nothing);
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
    fn examples_with_folders_inside_are_examples_too() {
        let pools = ["workshop/gpu/pool.yaml", "workshop/arm/pool.yaml"];
        let workloads = ["workshop/gpu/apps/web.yaml", "workshop/plain/web.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![]]);
        let pools = ["patterns/a/pools/p.yaml", "patterns/b/pools/p.yaml"];
        let workloads = ["patterns/a/apps/web.yaml", "patterns/b/apps/web.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![1]]);
    }

    #[test]
    fn infrastructure_serves_all_but_those_with_pools_of_their_own() {
        let pools = ["infra/pools.yaml", "apps/batch/pool.yaml"];
        let workloads = ["apps/batch/job.yaml", "apps/web/web.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![1], vec![0]]);
    }

    #[test]
    fn a_folder_of_environments_is_climbed_like_an_environment() {
        let pools = [
            "infra/environments/dev/eks/main.tf",
            "infra/environments/prod/eks/main.tf",
        ];
        let workloads = ["k8s/overlays/dev/a.yaml", "k8s/overlays/prod/a.yaml"];
        assert_eq!(served(&pools, &workloads), [vec![0], vec![1]]);
        let pools = pools.map(|path| path.replace("infra/environments", "live"));
        let pools: Vec<&str> = pools.iter().map(String::as_str).collect();
        assert_eq!(served(&pools, &workloads), [vec![0], vec![1]]);
    }

    #[test]
    fn the_region_of_an_environment_is_climbed() {
        let workloads = ["k8s/overlays/dev/a.yaml", "k8s/overlays/prod/a.yaml"];
        let of = |region: &str| {
            let pools = ["dev", "prod"].map(|one| format!("infra/{one}/{region}/eks/main.tf"));
            let pools: Vec<&str> = pools.iter().map(String::as_str).collect();
            served(&pools, &workloads)
        };
        for region in ["eu-west-1", "europe-west4", "westeurope"] {
            assert_eq!(of(region), [vec![0], vec![1]], "{region}");
        }
        assert_eq!(of("berlin"), [Vec::<usize>::new(), vec![]]);
    }

    #[test]
    fn inventories_are_folders_of_environments() {
        let pools = [
            "inventory/dev/group_vars/gpu.yml",
            "inventory/prod/group_vars/gpu.yml",
        ];
        let workloads = ["k8s/overlays/dev/a.yaml", "k8s/overlays/prod/a.yaml"];
        assert_eq!(served(&pools, &workloads), [vec![0], vec![1]]);
    }

    #[test]
    fn live_is_production_unless_other_environments_are_in_it() {
        assert_eq!(environments("live/web.yaml"), ["prod"].into());
        assert_eq!(environments("live/dev/web.yaml"), ["dev"].into());
        assert_eq!(environments("live-eu/dev/web.yaml"), ["dev", "prod"].into());
    }

    #[test]
    fn pools_of_one_environment_do_not_serve_the_next() {
        let pools = ["clusters/prod/pools/x.yaml"];
        let workloads = [
            "clusters/prod/apps/shop/web.yaml",
            "clusters/prod/apps/job.yaml",
            "clusters/staging/apps/shop/web.yaml",
        ];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![0], vec![]]);
    }

    #[test]
    fn names_that_contain_a_word_for_infrastructure_climb() {
        let workloads = ["apps/web.yaml", "apps/overlays/staging/web.yaml"];
        let pools = ["terraform-aws/prod/pools/gpu.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![0], vec![]]);
        assert_eq!(
            served(&["modules/gpu/pools.yaml"], &workloads),
            vec![Vec::<usize>::new(), vec![]]
        );
    }

    #[test]
    fn pools_at_the_root_do_not_serve_an_example_below() {
        let pools = ["pools.yaml", "demo/gpu/pool.yaml"];
        let workloads = ["demo/gpu/app.yaml", "apps/web.yaml", "app.yaml"];
        assert_eq!(served(&pools, &workloads), vec![vec![1], vec![0], vec![0]]);
    }

    #[test]
    fn components_of_a_monorepo_meet_in_their_environment() {
        let pools = [
            "components/karpenter/base/pool.yaml",
            "components/karpenter/production/pool.yaml",
            "components/karpenter/staging/pool.yaml",
        ];
        let workloads = [
            "components/web/base/web.yaml",
            "components/web/production/web.yaml",
            "components/web/staging/web.yaml",
        ];
        assert_eq!(
            served(&pools, &workloads),
            vec![vec![0, 1, 2], vec![0, 1], vec![0, 2]]
        );
    }

    #[test]
    fn non_prod_is_not_prod_and_neither_is_pre_prod() {
        for name in ["non-prod", "nonprod", "non_production"] {
            let pool = format!("infra/{name}/pools.yaml");
            let workloads = ["apps/values-prod.yaml", "apps/values-dev.yaml"];
            assert_eq!(
                served(&[&pool], &workloads),
                vec![vec![], vec![0]],
                "{name}"
            );
        }
        let workloads = ["apps/prod/web.yaml", "apps/preprod/web.yaml"];
        assert_eq!(
            served(&["infra/pre-prod/pools.yaml"], &workloads),
            vec![vec![], vec![0]]
        );
    }

    #[test]
    fn many_pools_and_many_workloads_share_one_list() {
        let pools = vec!["infra/pools.yaml"; 20_000];
        let workloads: Vec<String> = (0..20_000).map(|at| format!("apps/{at}/w.yaml")).collect();
        let workloads: Vec<&str> = workloads.iter().map(String::as_str).collect();
        let serving = infer(&at(&pools), &workloads, &BTreeMap::new());
        assert_eq!(serving.lists.len(), 1);
    }
}
