//! The generators of ApplicationSets: each makes a list of parameters.

use std::collections::{BTreeMap, BTreeSet};

use super::combined::{joined, merged};
use super::data::{Data, Value};
use super::facts::{ArgoCluster, Pointer};
use super::home::Home;
use super::params::{Params, add_path, fill, fill_all, flatten, normalized};
use super::paths::Star;
use super::repository::Repository;
use super::selection::{entries, is_chosen, selects};
use super::trouble::Trouble;

/// The maximum number of Applications of one ApplicationSet.
pub const MAX_APPLICATIONS: usize = 5_000;

/// Parameters, and the template of their generator.
pub struct Made {
    pub params: Params,
    /// What it sets goes before the template of the ApplicationSet.
    pub template: Option<Data>,
}

/// Why a generator makes nothing.
enum Why {
    /// It is not read.
    Unread,
    /// Argo CD refuses it.
    Refused,
}

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
    /// The parameters that a list of generators makes, one after the other, each with the template of its generator, if it
    /// has one. `None` if some are not known, or Argo CD refuses one.
    pub fn all(&mut self, generators: &[Data]) -> Option<Vec<Made>> {
        let mut all = Vec::new();
        let mut whole = true;
        for generator in generators {
            for (kind, body) in kinds(generator) {
                match self.one(generator, (kind, body), &Params::new(), 0) {
                    Ok(made) => {
                        let template = body.get("template").filter(|one| one.is_map());
                        all.extend(made.into_iter().map(|params| Made {
                            params,
                            template: template.cloned(),
                        }));
                    }
                    Err(Why::Unread) => whole = false,
                    // It makes no Application at all then.
                    Err(Why::Refused) => return None,
                }
            }
        }
        (whole || !all.is_empty()).then_some(all)
    }

    fn unread<T>(&mut self, at: &Data, why: impl Into<String>) -> Result<T, Why> {
        self.troubles.push(Trouble {
            at: at.at,
            why: why.into(),
        });
        Err(Why::Unread)
    }

    /// Says why Argo CD refuses a generator.
    fn refused<T>(&mut self, at: &Data, why: &str) -> Result<T, Why> {
        self.troubles.push(Trouble {
            at: at.at,
            why: format!("Argo CD refuses this generator: {why}"),
        });
        Err(Why::Refused)
    }

    /// A generator inside another, which is of one kind.
    fn inner(&mut self, generator: &Data, outer: &Params, depth: u8) -> Result<Vec<Params>, Why> {
        match kinds(generator).collect::<Vec<_>>().as_slice() {
            [known] => self.one(generator, *known, outer, depth),
            [] => self.refused(generator, "it has no kind"),
            _ => self.refused(generator, "it has several kinds"),
        }
    }

    fn one(
        &mut self,
        generator: &Data,
        (kind, body): (&str, &Data),
        outer: &Params,
        depth: u8,
    ) -> Result<Vec<Params>, Why> {
        if !KINDS.contains(&kind) || depth > 2 {
            return self.unread(
                generator,
                format!(
                    "the generator `{kind}` is not read, so what it deploys where is not known"
                ),
            );
        }
        let body = match outer.is_empty() {
            true => body.clone(),
            false => fill_all(body, outer, self.go_template),
        };
        let mut made = match kind {
            "list" => self.list(&body)?,
            "git" => self.git(&body)?,
            "clusters" => self.clusters(&body)?,
            "matrix" => self.matrix(&body, depth)?,
            _ => self.merge(&body, depth)?,
        };
        if let Some(selector) = generator.get("selector").filter(|one| one.is_map()) {
            made.retain(|params| selects(selector, &|key| params.get(key).map(String::as_str)));
        }
        if made.len() > MAX_APPLICATIONS {
            made.truncate(MAX_APPLICATIONS);
            let why = format!(
                "only the first {MAX_APPLICATIONS} Applications of this generator are followed"
            );
            self.troubles.push(Trouble {
                at: generator.at,
                why,
            });
        }
        Ok(made)
    }

    fn list(&mut self, body: &Data) -> Result<Vec<Params>, Why> {
        let elements = body.get("elements").map_or(&[][..], Data::items);
        let mut made = Vec::new();
        for element in elements {
            let mut params = Params::new();
            if !self.go_template {
                let values = element
                    .fields()
                    .filter(|(name, _)| *name == "values")
                    .flat_map(|(_, values)| values.fields());
                let other = element.fields().filter(|(name, _)| *name != "values");
                let is_text = |(_, value): (&str, &Data)| matches!(value.value, Value::Text(_));
                if !other.chain(values).all(is_text) {
                    return self.refused(
                        element,
                        "without `goTemplate`, all values of an element must be texts",
                    );
                }
            }
            flatten("", element, &mut params);
            made.push(params);
        }
        let text = body.get("elementsYaml").filter(|text| is_filled(text));
        let Some((text, at)) = text.and_then(|text| Some((text.text()?, text.at))) else {
            return Ok(made);
        };
        if text.contains("{{") {
            let why = "`elementsYaml` is filled in later, so what it deploys where is not known";
            return self.unread(body, why);
        }
        let Some(read) = (self.repository.parse)(text) else {
            return self.refused(body, "`elementsYaml` is no YAML");
        };
        let elements = read.first().cloned().map(|read| read.placed(at));
        for element in elements.as_ref().map_or(&[][..], Data::items) {
            let mut params = Params::new();
            match self.go_template {
                true => flatten("", element, &mut params),
                // Only texts are filled in then.
                false => {
                    let texts = element
                        .fields()
                        .filter(|(_, value)| matches!(value.value, Value::Text(_)));
                    texts.for_each(|(name, value)| flatten(name, value, &mut params));
                }
            }
            made.push(params);
        }
        Ok(made)
    }

    fn git(&mut self, body: &Data) -> Result<Vec<Params>, Why> {
        let url = body.text_at(&["repoURL"]).unwrap_or_default();
        if self.home.is_url(url) == Some(false) {
            return self.unread(
                body,
                format!(
                    "the repository `{url}` is not read, so what is deployed from it is not known"
                ),
            );
        }
        let prefix = body.text_at(&["pathParamPrefix"]).unwrap_or_default();
        let list = |name| body.get(name).filter(|list| !list.items().is_empty());
        let mut made = Vec::new();
        if let Some(directories) = list("directories") {
            let entries = entries(directories);
            for folder in self.repository.tree.folders() {
                if is_chosen(&entries, &folder, Star::Segment) {
                    let mut params = Params::new();
                    add_path(prefix, &folder, None, self.go_template, &mut params);
                    made.push(params);
                }
            }
        } else if let Some(files) = list("files") {
            let entries = entries(files);
            let tree = &self.repository.tree;
            let chosen = tree
                .files()
                .iter()
                .filter(|path| is_chosen(&entries, path, Star::Git));
            for path in chosen.take(MAX_APPLICATIONS) {
                let Some(contents) = (self.repository.read)(path) else {
                    let why = format!(
                        "the file `{path}` is not read, so what is deployed by it is not known"
                    );
                    self.troubles.push(Trouble { at: files.at, why });
                    continue;
                };
                // Argo CD reads the first document. An empty file has no parameters of its own.
                let contents = contents.into_iter().next();
                let many = contents.as_ref().map_or(&[][..], Data::items);
                let one = contents.as_ref().filter(|one| one.is_map());
                let none = match &contents {
                    None => true,
                    Some(one) => one.value == Value::Other,
                };
                let elements = many.iter().chain(one).map(Some);
                for element in elements.chain(none.then_some(None)) {
                    let mut params = Params::new();
                    if let Some(element) = element {
                        flatten("", element, &mut params);
                    }
                    let folder = crate::source::path::folder(path);
                    add_path(prefix, folder, Some(path), self.go_template, &mut params);
                    made.push(params);
                }
            }
        } else {
            return self.refused(body, "it names neither `directories` nor `files`");
        }
        self.add_values(body, &mut made);
        Ok(made)
    }

    fn clusters(&mut self, body: &Data) -> Result<Vec<Params>, Why> {
        if body.text_at(&["flatList"]) == Some("true") {
            let why = "`flatList` is not read, so what it deploys where is not known";
            return self.unread(body, why);
        }
        if self.secrets.is_empty() {
            return self.unread(body, "no Secret here describes the clusters of Argo CD, so what runs in them is not known");
        }
        let selector = body.get("selector").filter(|selector| {
            let mut parts = selector.fields();
            parts.any(|(_, part)| part.fields().next().is_some() || !part.items().is_empty())
        });
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, cluster) in self.secrets {
            *counts.entry(&cluster.name).or_default() += 1;
        }
        let mut made = Vec::new();
        for (pointer, cluster) in self.secrets {
            if counts.get(cluster.name.as_str()) > Some(&1) {
                let name = &cluster.name;
                let why = format!(
                    "several Secrets describe a cluster `{name}`, so it is not known which one counts"
                );
                self.troubles.push(Trouble {
                    at: pointer.at,
                    why,
                });
                continue;
            }
            let label = |key: &str| {
                let mut labels = cluster.labels.iter();
                let found = labels.find(|(name, _)| name == key);
                found.map(|(_, value)| value.as_str())
            };
            if selector.is_some_and(|selector| !selects(selector, &label)) {
                continue;
            }
            let mut params = cluster_params(&cluster.name, &cluster.server, &cluster.project);
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
        let own = "https://kubernetes.default.svc";
        let is_own = |(_, one): &(&Pointer, &ArgoCluster)| one.server == own;
        if selector.is_none() && !self.secrets.iter().any(is_own) {
            made.push(cluster_params("in-cluster", own, ""));
        }
        self.add_values(body, &mut made);
        Ok(made)
    }

    fn matrix(&mut self, body: &Data, depth: u8) -> Result<Vec<Params>, Why> {
        let [one, other] = body.get("generators").map_or(&[][..], Data::items) else {
            return self.refused(body, "a matrix has two generators");
        };
        let mut made = Vec::new();
        for first in self.inner(one, &Params::new(), depth + 1)? {
            for second in self.inner(other, &first, depth + 1)? {
                match joined(&first, second, self.go_template) {
                    Ok(params) => made.push(params),
                    Err(why) => return self.refused(body, &why),
                }
                if made.len() > MAX_APPLICATIONS {
                    return Ok(made);
                }
            }
        }
        Ok(made)
    }

    fn merge(&mut self, body: &Data, depth: u8) -> Result<Vec<Params>, Why> {
        let keys = body.get("mergeKeys").map_or(&[][..], Data::items);
        let keys: BTreeSet<&str> = keys.iter().filter_map(Data::text).collect();
        let generators = body.get("generators").map_or(&[][..], Data::items);
        let (first, others) = match generators {
            [first, others @ ..] if !keys.is_empty() && !others.is_empty() => (first, others),
            _ => return self.refused(body, "a merge has two or more generators and merge keys"),
        };
        let first = self.inner(first, &Params::new(), depth + 1)?;
        let others = others
            .iter()
            .map(|other| self.inner(other, &Params::new(), depth + 1));
        let others: Vec<Vec<Params>> = others.collect::<Result<_, Why>>()?;
        merged(&keys, first, others, self.go_template).or_else(|why| self.refused(body, why))
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

/// The kinds of a generator, each with its body.
fn kinds(generator: &Data) -> impl Iterator<Item = (&str, &Data)> {
    let fields = generator.fields();
    fields.filter(|(name, value)| *name != "selector" && value.value != Value::Other)
}

fn is_filled(text: &Data) -> bool {
    text.text().is_some_and(|text| !text.is_empty())
}

fn cluster_params(name: &str, server: &str, project: &str) -> Params {
    let pairs = [
        ("project", project.to_owned()),
        ("name", name.to_owned()),
        ("nameNormalized", normalized(name)),
        ("server", server.to_owned()),
    ];
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}
