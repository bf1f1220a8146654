//! Sorts the variables files that are named on the command line. Files of which only one applies at a time are variants:
//! the configuration is evaluated once with each, and each has the name of its cluster or environment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::run::Run;
use super::syntax::{Expression, ExpressionKind, File};
use super::value::Term;
use super::var_files::stem;
use crate::source::Span;
use crate::source::path::common_folder;

/// The maximum number of variants of one configuration.
const MAX_VARIANTS: usize = 100;

/// Folders whose names say nothing about the variables files below them.
const FOLDERS: [&str; 24] = [
    "cluster",
    "clusters",
    "config",
    "configs",
    "configuration",
    "deployments",
    "encrypted",
    "env",
    "environment",
    "environments",
    "envs",
    "inputs",
    "parameters",
    "params",
    "private",
    "secret",
    "secrets",
    "stages",
    "terraform",
    "tfvars",
    "values",
    "variables",
    "vars",
    "workspaces",
];

/// Names of files that apply together with all others.
const COMMON: [&str; 9] = [
    "all", "base", "common", "default", "defaults", "general", "global", "globals", "shared",
];

/// Words that mark a file as one that nobody applies.
const SAMPLES: [&str; 14] = [
    "archive",
    "archived",
    "deprecated",
    "disabled",
    "dummy",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "old",
    "sample",
    "samples",
    "template",
    "unused",
];

/// Returns the environments that the name of a file or folder names.
pub(super) type Environments = fn(&str) -> BTreeSet<&'static str>;

/// A variables file and its path.
type Named = (String, Arc<File>);

/// The values of one variant.
#[derive(Debug)]
pub struct Values {
    /// Its name.
    pub name: String,
    /// Where it is named: its variables file, or the name of its workspace.
    pub at: Span,
    /// In Terraform's order: the last value of a variable wins.
    files: Vec<Arc<File>>,
}

impl Values {
    /// The value that it gives a variable.
    pub(super) fn get(&self, name: &str) -> Option<(&File, &Expression)> {
        last(self.files.iter(), name)
    }

    /// A variant of which only the workspace is known.
    pub fn of_workspace(name: String, at: Span) -> Values {
        Values {
            name,
            at,
            files: Vec::new(),
        }
    }
}

/// Variables files that are named on the command line, by what they are for.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// One is applied at a time.
    pub variants: Vec<Values>,
    /// Applied together with each variant.
    pub common: Vec<Arc<File>>,
    /// Perhaps applied.
    pub others: Vec<Named>,
    /// The first file of the variants that are left out because there are too many.
    pub left_out: Option<Span>,
}

/// What the path of a file says.
struct Words<'p> {
    /// The telling names in its path, from the configuration's folder on.
    names: Vec<&'p str>,
    /// The names among them that name an environment.
    environment: Vec<&'p str>,
    is_common: bool,
    is_sample: bool,
}

/// Sorts the variables files of the configuration in a folder. `is_needed` says whether a variable has no other value.
/// `environments` says which environments a name names.
pub(super) fn sort(
    folder: &str,
    named: &[Named],
    is_needed: &dyn Fn(&str) -> bool,
    environments: Environments,
) -> Sorted {
    let mut sorted = Sorted::default();
    let mut candidates: Vec<(Words<'_>, &Named)> = Vec::new();
    let mut samples = Vec::new();
    for one in named {
        let words = words_of(folder, &one.0, environments);
        if words.is_sample {
            samples.push(one.clone());
        } else if words.is_common && words.environment.is_empty() {
            sorted.common.push(Arc::clone(&one.1));
        } else if words.names.is_empty() {
            sorted.others.push(one.clone());
        } else {
            candidates.push((words, one));
        }
    }
    drop_shared(&mut candidates);
    let varying = varying(candidates.iter().map(|(_, one)| &*one.1));
    let is_only = candidates.len() == 1;
    let mut groups: BTreeMap<String, Vec<(Words<'_>, &Named)>> = BTreeMap::new();
    for (words, one) in candidates {
        let name = match words.environment.is_empty() {
            false => words.environment.join("-"),
            // Files without a variable in common, such as `network.tfvars` and `nodes.tfvars`, are applied together.
            true if sets(&one.1, &varying) || (is_only && needed(&one.1, is_needed)) => {
                words.names.join("-")
            }
            true => {
                sorted.others.push(one.clone());
                continue;
            }
        };
        groups.entry(name).or_default().push((words, one));
    }
    let mut variants = BTreeMap::new();
    for (name, group) in groups {
        split(name, group, &mut variants);
    }
    if let Some((name, files)) = variants.iter().next()
        && variants.len() == 1
        && environments(name).is_empty()
        && !files.iter().any(|(_, file)| needed(file, is_needed))
    {
        sorted
            .others
            .extend(variants.into_values().flatten().cloned());
        variants = BTreeMap::new();
    }
    if variants.is_empty() {
        sorted.others.extend(samples);
    }
    for (name, files) in variants {
        let Some(source) = files.last().and_then(|(_, file)| file.source) else {
            continue;
        };
        let at = Span::new(source, 0..0);
        if sorted.variants.len() == MAX_VARIANTS {
            sorted.left_out = Some(at);
            break;
        }
        sorted.variants.push(Values {
            name,
            at,
            files: files
                .into_iter()
                .map(|(_, file)| Arc::clone(file))
                .collect(),
        });
    }
    sorted
}

/// Returns the last value that files give a variable.
pub(super) fn last<'f>(
    files: impl DoubleEndedIterator<Item = &'f Arc<File>>,
    name: &str,
) -> Option<(&'f File, &'f Expression)> {
    files.rev().find_map(|file| {
        let mut values = file.values.iter().rev();
        let (_, value) = values.find(|(known, _)| **known == *name)?;
        Some((&**file, value))
    })
}

/// Returns the value that files and a default agree on. Each candidate has the path of its file; the default has none.
pub(super) fn agreed(
    run: &Run,
    candidates: Vec<(&str, Option<Term>)>,
    base: Option<Term>,
) -> Result<Term, String> {
    let mut known: Option<(&str, Term)> = None;
    for (path, term) in candidates {
        let Some(term) = term else { continue };
        match &known {
            None => known = Some((path, term)),
            Some((other, first)) => {
                if run.equal(&first.value, &term.value) != Some(true) {
                    let shown = |path: &str| match path {
                        "" => "its default".to_owned(),
                        path => path.to_owned(),
                    };
                    let (one, two) = (shown(other), shown(path));
                    return Err(format!("differs between {one} and {two}"));
                }
            }
        }
    }
    let term = base.or(known.map(|(_, term)| term));
    term.ok_or_else(|| "has no default, and no values file sets it".to_owned())
}

/// Splits the files of one environment into variants if they contradict each other, like those of several regions.
fn split<'n>(
    name: String,
    group: Vec<(Words<'_>, &'n Named)>,
    variants: &mut BTreeMap<String, Vec<&'n Named>>,
) {
    let own = |words: &Words<'_>| match words.is_common {
        true => String::new(),
        false => words.names.join("-"),
    };
    let several: BTreeSet<String> = group.iter().map(|(words, _)| own(words)).collect();
    let varying = varying(group.iter().map(|(_, one)| &*one.1));
    let (mut apart, together): (Vec<_>, Vec<_>) = group.into_iter().partition(|(words, one)| {
        several.len() > 1 && !words.is_common && own(words) != name && sets(&one.1, &varying)
    });
    if apart.len() < 2 {
        let mut all = together;
        all.append(&mut apart);
        all.sort_by_key(|(words, one)| (!words.is_common, one.0.as_str()));
        variants.insert(name, all.into_iter().map(|(_, one)| one).collect());
        return;
    }
    for (words, one) in apart {
        let shared = together.iter().map(|(_, one)| *one);
        let files = variants
            .entry(own(&words))
            .or_insert_with(|| shared.collect());
        files.push(one);
    }
}

/// Drops the names that the paths of all files have: they tell none from the others.
fn drop_shared(candidates: &mut [(Words<'_>, &Named)]) {
    let sets = candidates.iter().map(|(words, _)| &words.names);
    let sets = sets.map(|names| names.iter().copied().collect::<BTreeSet<&str>>());
    let Some(shared) = sets.reduce(|one, other| &one & &other) else {
        return;
    };
    let has_own = |(words, _): &(Words<'_>, &Named)| {
        let mut names = words.names.iter();
        names.any(|name| !shared.contains(name))
    };
    if candidates.iter().all(has_own) {
        for (words, _) in candidates {
            words.names.retain(|name| !shared.contains(name));
        }
    }
}

/// Drops the names that the next name repeats: a file often has the name of its folder, as in `dev/dev.tfvars`.
fn drop_repeated(names: &mut Vec<&str>) {
    names.reverse();
    names.dedup_by(|above, name| name.split(['-', '_', '.', ' ']).any(|word| word == *above));
    names.reverse();
}

fn needed(file: &File, is_needed: &dyn Fn(&str) -> bool) -> bool {
    file.values.iter().any(|(name, _)| is_needed(name))
}

/// Returns the variables that several files set differently.
fn varying<'f>(files: impl Iterator<Item = &'f File>) -> BTreeSet<&'f str> {
    let mut first: BTreeMap<&str, &Expression> = BTreeMap::new();
    let mut varying = BTreeSet::new();
    for (name, value) in files.flat_map(|file| &file.values) {
        let known = first.entry(name).or_insert(value);
        if !same(known, value) {
            varying.insert(&**name);
        }
    }
    varying
}

fn sets(file: &File, varying: &BTreeSet<&str>) -> bool {
    file.values
        .iter()
        .any(|(name, _)| varying.contains(&**name))
}

/// Whether two expressions are written with the same value.
fn same(one: &Expression, other: &Expression) -> bool {
    use ExpressionKind::{List, Object};
    if std::ptr::eq(one, other) {
        return true;
    }
    match (&one.kind, &other.kind) {
        (List(one), List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Object(one), Object(other)) => {
            let equal = |((a, b), (c, d)): (&(_, _), &(_, _))| same(a, c) && same(b, d);
            one.len() == other.len() && one.iter().zip(other).all(equal)
        }
        (List(_) | Object(_), _) => false,
        (one, other) => one == other,
    }
}

fn words_of<'p>(folder: &str, path: &'p str, environments: Environments) -> Words<'p> {
    let shared = common_folder(folder, crate::source::path::folder(path));
    let below = path.strip_prefix(shared).unwrap_or(path);
    let below = below.trim_start_matches('/');
    let folders = crate::source::path::folder(below);
    let stem = stem(below);
    let lower = |name: &str| name.to_ascii_lowercase();
    let says_nothing = |name: &str| FOLDERS.contains(&lower(name).as_str());
    let is_common = COMMON.contains(&lower(stem).as_str());
    let says_nothing_itself = |name: &str| says_nothing(name) || lower(name) == "main";
    let mut names: Vec<&str> = folders
        .split('/')
        .filter(|name| !name.is_empty() && !says_nothing(name))
        .chain(Some(stem).filter(|stem| !is_common && !says_nothing_itself(stem)))
        .collect();
    let is_sample = |name: &&str| {
        let lower = lower(name);
        let mut words = lower.split(['-', '_', '.', ' ']);
        words.any(|word| SAMPLES.contains(&word))
    };
    let mut environment = names.clone();
    environment.retain(|name| !environments(name).is_empty());
    environment.dedup_by_key(|name| environments(name));
    drop_repeated(&mut names);
    Words {
        environment,
        is_sample: names.iter().any(is_sample),
        is_common,
        names,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    /// The names of the variants, with the number of files of each.
    fn variants(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let named: Vec<Named> = files
            .iter()
            .zip(0..)
            .map(|((path, text), at)| {
                let (file, _) = super::super::parse(path, text, SourceId(at), &|_| true);
                ((*path).to_owned(), Arc::new(file))
            })
            .collect();
        let environments = |name: &str| {
            let known = ["prod", "staging", "test", "dev"].into_iter();
            known
                .filter(|one| name.split('-').any(|word| word == *one))
                .collect()
        };
        let sorted = sort("tf", &named, &|name| name == "needed", environments);
        let variants = sorted.variants.into_iter();
        variants.map(|one| (one.name, one.files.len())).collect()
    }

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        variants(files).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn files_of_environments_are_variants_wherever_they_lie() {
        for [one, other] in [
            ["tf/prod.tfvars", "tf/staging.tfvars"],
            ["tf/env/prod.tfvars", "tf/env/staging.tfvars"],
            [
                "tf/environments/prod/terraform.tfvars",
                "tf/environments/staging/terraform.tfvars",
            ],
            [
                "tf/envs/prod/eks.tfvars",
                "tf/envs/staging/eks.auto.tfvars.json",
            ],
        ] {
            let found = names(&[(one, "a = 1"), (other, "a = 2")]);
            let json = names(&[(one, "a = 1"), (other, "{\"a\": 2}")]);
            let expected = ["prod", "staging"];
            assert!(found == expected || json == expected, "{one}: {found:?}");
        }
    }

    #[test]
    fn a_file_that_repeats_the_name_of_its_folder_does_not_repeat_it_in_its_own() {
        let of = |dev: &str, prod: &str| names(&[(dev, "a = 1"), (prod, "a = 2")]);
        let expected = ["dev", "prod"];
        assert_eq!(of("tf/dev/dev.tfvars", "tf/prod/prod.tfvars"), expected);
        assert_eq!(
            of("tf/dev/dev-eks.tfvars", "tf/prod/prod-eks.tfvars"),
            expected
        );
        assert_eq!(
            of("tf/dev/test.tfvars", "tf/prod.tfvars"),
            ["dev-test", "prod"]
        );
        let regions = [
            ("tf/prod/prod-eu.tfvars", "a = 1"),
            ("tf/prod/prod-us.tfvars", "a = 2"),
            ("tf/dev/dev.tfvars", "a = 3"),
        ];
        assert_eq!(names(&regions), ["dev", "prod-eu", "prod-us"]);
    }

    #[test]
    fn files_with_other_values_are_variants_whatever_their_names() {
        let files = [("tf/berlin.tfvars", "a = 1"), ("tf/oslo.tfvars", "a = 2")];
        assert_eq!(names(&files), ["berlin", "oslo"]);
        let secrets = [
            ("tf/berlin.tfvars", "a = 1"),
            ("tf/oslo.tfvars", "a = 2"),
            ("tf/secrets/berlin.tfvars", "token = 1"),
            ("tf/secrets/oslo.tfvars", "token = 2"),
        ];
        let found = variants(&secrets);
        assert_eq!(found, [("berlin".to_owned(), 2), ("oslo".to_owned(), 2)]);
    }

    #[test]
    fn files_about_other_things_are_applied_together() {
        let files = [("tf/nodes.tfvars", "a = 1"), ("tf/network.tfvars", "b = 2")];
        assert!(names(&files).is_empty());
        let in_one = [
            ("tf/prod/nodes.tfvars", "a = 1\nregion = \"x\""),
            ("tf/prod/network.tfvars", "b = 2\nregion = \"x\""),
            ("tf/test/nodes.tfvars", "a = 3"),
        ];
        let found = variants(&in_one);
        assert_eq!(found, [("prod".to_owned(), 2), ("test".to_owned(), 1)]);
    }

    #[test]
    fn regions_of_one_environment_are_variants() {
        let files = [
            ("tf/prod/eu.tfvars", "a = 1"),
            ("tf/prod/us.tfvars", "a = 2"),
            ("tf/prod/common.tfvars", "b = 2"),
        ];
        let found = variants(&files);
        assert_eq!(
            found,
            [("prod-eu".to_owned(), 2), ("prod-us".to_owned(), 2)]
        );
    }

    #[test]
    fn samples_and_files_for_all_are_no_variants() {
        let files = [
            ("tf/example.tfvars", "a = 0"),
            ("tf/common.tfvars", "a = 4"),
            ("tf/prod.tfvars", "a = 1"),
            ("tf/dev.tfvars", "a = 2"),
        ];
        assert_eq!(names(&files), ["dev", "prod"]);
    }

    #[test]
    fn one_file_is_a_variant_if_the_configuration_needs_it() {
        assert!(names(&[("tf/oslo.tfvars", "a = 1")]).is_empty());
        assert_eq!(names(&[("tf/oslo.tfvars", "needed = 1")]), ["oslo"]);
        assert_eq!(names(&[("tf/prod.tfvars", "a = 1")]), ["prod"]);
    }
}
