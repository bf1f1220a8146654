//! The generators of ApplicationSets: each makes a list of parameters.

use std::collections::BTreeMap;

use super::data::Data;
use super::facts::{ArgoCluster, Pointer};
use super::home::Home;
use super::params::{Params, add_path, fill, fill_all, flatten, normalized};
use super::paths::{Star, matches, of_flux};
use super::repository::Repository;
use super::trouble::Trouble;

/// The maximum number of Applications of one ApplicationSet.
pub const MAX_APPLICATIONS: usize = 5_000;

/// The generators that are read.
const KINDS: [&str; 5] = ["list", "git", "clusters", "matrix", "merge"];

/// Works out the parameters of an ApplicationSet.
pub struct Generators<'g, 'f> {
    pub repository: &'g Repository<'f>,
    pub home: &'g Home<'g>,
    /// The clusters that Secrets describe.
    pub secrets: &'g [(&'g Pointer, &'g ArgoCluster)],
    pub go_template: bool,
    /// Where to say what is not read.
    pub troubles: &'g mut Vec<Trouble>,
}

impl Generators<'_, '_> {
    /// The parameters that a list of generators makes, one after the other. `None` if some are not known.
    pub fn all(&mut self, generators: &[Data]) -> Option<Vec<Params>> {
        let mut all = Vec::new();
        let mut whole = true;
        for generator in generators {
            match self.one(generator, &Params::new(), 0) {
                Some(made) => all.extend(made),
                None => whole = false,
            }
        }
        (whole || !all.is_empty()).then_some(all)
    }

    fn trouble<T>(&mut self, at: &Data, why: impl Into<String>) -> Option<T> {
        self.troubles.push(Trouble {
            at: at.at,
            why: why.into(),
        });
        None
    }

    fn one(&mut self, generator: &Data, outer: &Params, depth: u8) -> Option<Vec<Params>> {
        let known = KINDS
            .iter()
            .find_map(|kind| Some((*kind, generator.get(kind)?)));
        let Some((kind, body)) = known.filter(|_| depth < 3) else {
            let name = generator
                .fields()
                .map(|(name, _)| name)
                .find(|name| *name != "selector");
            let name = name.unwrap_or_default().to_owned();
            return self.trouble(
                generator,
                format!(
                    "the generator `{name}` is not read, so what it deploys where is not known"
                ),
            );
        };
        let body = fill_all(body, outer, self.go_template);
        let mut made = match kind {
            "list" => self.list(&body)?,
            "git" => self.git(&body)?,
            "clusters" => self.clusters(&body)?,
            "matrix" => self.matrix(&body, depth)?,
            _ => self.merge(&body, outer, depth)?,
        };
        if let Some(selector) = generator.get("selector") {
            made.retain(|params| selects(selector, &|key| params.get(key).map(String::as_str)));
        }
        if made.len() > MAX_APPLICATIONS {
            made.truncate(MAX_APPLICATIONS);
            let why = format!(
                "only the first {MAX_APPLICATIONS} Applications of this generator are followed"
            );
            self.trouble::<()>(generator, why);
        }
        Some(made)
    }

    fn list(&mut self, body: &Data) -> Option<Vec<Params>> {
        if let Some(text) = body.get("elementsYaml") {
            return self.trouble(
                text,
                "`elementsYaml` is not read, so what it deploys where is not known",
            );
        }
        let elements = body.get("elements").map_or(&[][..], Data::items);
        let made = elements.iter().map(|element| {
            let mut params = Params::new();
            flatten("", element, &mut params);
            params
        });
        Some(made.collect())
    }

    fn git(&mut self, body: &Data) -> Option<Vec<Params>> {
        let url = body.text_at(&["repoURL"]).unwrap_or_default();
        if self.home.is_url(url) == Some(false) {
            return self.trouble(
                body,
                format!(
                    "the repository `{url}` is not read, so what is deployed from it is not known"
                ),
            );
        }
        let prefix = body
            .text_at(&["pathParamPrefix"])
            .unwrap_or_default()
            .to_owned();
        let mut made = Vec::new();
        if let Some(directories) = body.get("directories") {
            let entries = entries(directories);
            for folder in self.repository.tree.folders() {
                if is_chosen(&entries, &folder, Star::Segment) {
                    let mut params = Params::new();
                    add_path(&prefix, &folder, None, self.go_template, &mut params);
                    made.push(params);
                }
            }
        } else if let Some(files) = body.get("files") {
            let entries = entries(files);
            let tree = &self.repository.tree;
            let chosen = tree
                .files()
                .iter()
                .filter(|path| is_chosen(&entries, path, Star::Anything));
            for path in chosen.take(MAX_APPLICATIONS) {
                let Some(contents) = (self.repository.read)(path) else {
                    let why = format!(
                        "the file `{path}` is not read, so what is deployed by it is not known"
                    );
                    self.troubles.push(Trouble { at: files.at, why });
                    continue;
                };
                let folder = super::folder(path);
                for contents in contents {
                    let many = contents.items();
                    let one = many.is_empty().then_some(&contents);
                    for element in many.iter().chain(one) {
                        let mut params = Params::new();
                        flatten("", element, &mut params);
                        add_path(&prefix, folder, Some(path), self.go_template, &mut params);
                        made.push(params);
                    }
                }
            }
        }
        self.add_values(body, &mut made);
        Some(made)
    }

    fn clusters(&mut self, body: &Data) -> Option<Vec<Params>> {
        if self.secrets.is_empty() {
            return self.trouble(body, "no Secret here describes the clusters of Argo CD, so what runs in them is not known");
        }
        let selector = body.get("selector");
        let mut made = Vec::new();
        for (_, cluster) in self.secrets {
            let label = |key: &str| {
                let mut labels = cluster.labels.iter();
                let found = labels.find(|(name, _)| name == key);
                found.map(|(_, value)| value.as_str())
            };
            if selector.is_some_and(|selector| !selects(selector, &label)) {
                continue;
            }
            let mut params = cluster_params(&cluster.name, &cluster.server);
            for (kind, pairs) in [
                ("labels", &cluster.labels),
                ("annotations", &cluster.annotations),
            ] {
                for (key, value) in pairs {
                    params.insert(format!("metadata.{kind}.{key}"), value.clone());
                }
            }
            made.push(params);
        }
        // Without a selector, the cluster of Argo CD itself is one of them.
        let is_local = |(_, one): &(&Pointer, &ArgoCluster)| super::facts::is_local(&one.server);
        if selector.is_none_or(|selector| selector.fields().next().is_none())
            && !self.secrets.iter().any(is_local)
        {
            made.push(cluster_params(
                "in-cluster",
                "https://kubernetes.default.svc",
            ));
        }
        self.add_values(body, &mut made);
        Some(made)
    }

    fn matrix(&mut self, body: &Data, depth: u8) -> Option<Vec<Params>> {
        let [one, other] = body.get("generators").map_or(&[][..], Data::items) else {
            return self.trouble(body, "a matrix needs two generators");
        };
        let mut made = Vec::new();
        for first in self.one(one, &Params::new(), depth + 1)? {
            for second in self.one(other, &first, depth + 1)? {
                let mut params = first.clone();
                params.extend(second);
                made.push(params);
                if made.len() > MAX_APPLICATIONS {
                    return Some(made);
                }
            }
        }
        Some(made)
    }

    fn merge(&mut self, body: &Data, outer: &Params, depth: u8) -> Option<Vec<Params>> {
        let keys = body.get("mergeKeys").map_or(&[][..], Data::items);
        let keys: Vec<&str> = keys.iter().filter_map(Data::text).collect();
        let generators = body.get("generators").map_or(&[][..], Data::items);
        let (first, others) = generators.split_first()?;
        let mut made = self.one(first, outer, depth + 1)?;
        let key = |params: &Params| -> Option<Vec<String>> {
            keys.iter().map(|key| params.get(*key).cloned()).collect()
        };
        for other in others {
            let more = self.one(other, outer, depth + 1)?;
            let by_key: BTreeMap<Vec<String>, Params> = more
                .into_iter()
                .filter_map(|params| Some((key(&params)?, params)))
                .collect();
            for params in &mut made {
                if let Some(more) = key(params).and_then(|key| by_key.get(&key)) {
                    params.extend(more.clone());
                }
            }
        }
        Some(made)
    }

    /// Adds `values` of a generator, which may refer to its parameters.
    fn add_values(&self, body: &Data, made: &mut [Params]) {
        let Some(values) = body.get("values") else {
            return;
        };
        for params in made {
            let own = params.clone();
            for (name, value) in values.fields() {
                if let Some(text) = value.text() {
                    let text = fill(text, &own, self.go_template);
                    params.insert(format!("values.{name}"), text);
                }
            }
        }
    }
}

fn cluster_params(name: &str, server: &str) -> Params {
    let pairs = [
        ("name", name.to_owned()),
        ("nameNormalized", normalized(name)),
        ("server", server.to_owned()),
    ];
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// Patterns, and whether each leaves out what it matches.
fn entries(list: &Data) -> Vec<(String, bool)> {
    let items = list.items().iter();
    items
        .filter_map(|item| {
            let exclude = item.text_at(&["exclude"]) == Some("true");
            Some((item.text_at(&["path"])?.to_owned(), exclude))
        })
        .collect()
}

fn is_chosen(entries: &[(String, bool)], path: &str, star: Star) -> bool {
    let fits = |pattern: &str| match star {
        Star::Segment => matches(pattern, path, star),
        // Git also takes the name of a folder.
        Star::Anything => {
            let folder = of_flux(pattern);
            matches(pattern, path, star) || path.starts_with(&format!("{folder}/"))
        }
    };
    let any = |exclude: bool| {
        let mut chosen = entries.iter().filter(|(_, one)| *one == exclude);
        chosen.any(|(pattern, _)| fits(pattern))
    };
    any(false) && !any(true)
}

/// Whether a label selector selects an object with some labels. An operator that does not exist selects nothing.
fn selects<'l>(selector: &Data, label: &dyn Fn(&str) -> Option<&'l str>) -> bool {
    let mut equal = selector
        .get("matchLabels")
        .into_iter()
        .flat_map(Data::fields);
    let mut asked = selector
        .get("matchExpressions")
        .map_or(&[][..], Data::items)
        .iter();
    equal.all(|(key, value)| label(key) == value.text())
        && asked.all(|one| {
            let own = label(one.text_at(&["key"]).unwrap_or_default());
            let values = one.get("values").map_or(&[][..], Data::items);
            let is_in =
                || own.is_some_and(|own| values.iter().any(|value| value.text() == Some(own)));
            match one.text_at(&["operator"]) {
                Some("In") => is_in(),
                Some("NotIn") => !is_in(),
                Some("Exists") => own.is_some(),
                Some("DoesNotExist") => own.is_none(),
                _ => false,
            }
        })
}
