//! What one object orders: which folders go to which cluster.

use super::facts::{
    Application, ArgoCluster, ArgoSource, Flux, Pointer, Release, Says, Set, Word, is_local,
    is_open,
};
use super::folder;
use super::generators::Generators;
use super::home::{Home, flux_target};
use super::naming::by_secret;
use super::params::fill_all;
use super::paths::{join, of_argo, of_flux};
use super::repository::Repository;
use super::tree::{Mode, Target};
use super::trouble::Trouble;

/// The cluster that something goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// The one where the object itself is.
    Here,
    /// The one of this name.
    Named(String),
    /// It is not known.
    Unknown,
}

/// What goes to one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The cluster.
    pub to: To,
    /// The folders.
    pub targets: Vec<Target>,
}

/// Variables that a Kustomization of Flux fills in.
pub type Variables = [(String, String)];

/// Works out what objects order.
pub struct Orders<'r, 'f> {
    pub repository: &'r Repository<'f>,
    pub home: &'r Home<'r>,
    /// The clusters that Secrets describe to Argo CD.
    pub secrets: &'r [(&'r Pointer, &'r ArgoCluster)],
}

impl Orders<'_, '_> {
    /// What an object in a file orders.
    pub fn of(
        &self,
        (file, pointer): (&str, &Pointer),
        variables: &Variables,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Order> {
        match &pointer.says {
            Says::Flux(flux) => self.flux(file, pointer, flux, variables, troubles),
            Says::Release(release) => self.release(file, release),
            Says::Application(one) => self.application(file, pointer, one, troubles),
            Says::Set(set) => self.set(file, pointer, set, troubles),
            Says::Fleet(fleet) if self.home.is_url(&fleet.url) != Some(false) => {
                let folders = fleet.paths.iter();
                let folders = folders.filter_map(|path| self.existing(&of_flux(&path.text), file));
                let target = |folder| Target {
                    folder,
                    mode: Mode::Argo,
                    values: Vec::new(),
                };
                let targets: Vec<Target> = folders.map(target).collect();
                let order = |name: &String| Order {
                    to: To::Named(name.clone()),
                    targets: targets.clone(),
                };
                fleet.clusters.iter().map(order).collect()
            }
            Says::Source(_) | Says::Cluster(_) | Says::Fleet(_) => Vec::new(),
        }
    }

    fn flux(
        &self,
        file: &str,
        pointer: &Pointer,
        flux: &Flux,
        variables: &Variables,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Order> {
        let to = remote(flux.remote.as_ref());
        let at = flux.path.as_ref().map_or(pointer.at, |path| path.at);
        let written = flux.path.as_ref().map_or("", |path| path.text.as_str());
        let Some(path) = fill_in(written, variables) else {
            troubles.push(Trouble {
                at,
                why: format!(
                    "the path `{written}` is filled in later, so what it applies is not known"
                ),
            });
            return Vec::new();
        };
        let path = of_flux(&path);
        let declared = self.home.is_source(&flux.source);
        // Other repositories also have a root.
        let is_here = declared.unwrap_or(!path.is_empty());
        if !is_here {
            return Vec::new();
        }
        let Some(folder) = self.existing(&path, file) else {
            troubles.push(Trouble {
                at,
                why: format!("there is nothing to apply at `{written}`"),
            });
            return Vec::new();
        };
        let components = flux.components.iter();
        let components = components.filter_map(|one| join(&folder, &one.text));
        let mut targets: Vec<Target> = components.map(flux_target).collect();
        targets.push(flux_target(folder));
        vec![Order { to, targets }]
    }

    fn release(&self, file: &str, release: &Release) -> Vec<Order> {
        let to = remote(release.remote.as_ref());
        let is_here = self.home.is_source(&release.source).unwrap_or(true);
        let chart = release.chart.as_ref().filter(|_| is_here);
        let folder = chart.and_then(|chart| self.existing(&of_flux(&chart.text), file));
        let chart = folder.map(|folder| Target {
            folder,
            mode: Mode::Chart,
            values: release
                .values
                .iter()
                .map(|one| of_flux(&one.text))
                .collect(),
        });
        let targets = chart.into_iter().collect();
        vec![Order { to, targets }]
    }

    fn set(
        &self,
        file: &str,
        pointer: &Pointer,
        set: &Set,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Order> {
        let mut generators = Generators {
            repository: self.repository,
            home: self.home,
            secrets: self.secrets,
            go_template: set.go_template,
            troubles,
        };
        let spec = set.template.as_ref().and_then(|one| one.get("spec"));
        let (Some(made), Some(spec)) = (generators.all(&set.generators), spec) else {
            return vec![Order {
                to: To::Unknown,
                targets: Vec::new(),
            }];
        };
        let mut orders = Vec::new();
        for params in made {
            let application = Application::of(&fill_all(spec, &params, set.go_template));
            orders.extend(self.application(file, pointer, &application, troubles));
        }
        orders
    }

    /// What an Application in a file orders.
    pub fn application(
        &self,
        file: &str,
        pointer: &Pointer,
        application: &Application,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Order> {
        let mut targets = Vec::new();
        for source in application.sources.iter().filter(|one| !one.is_chart) {
            if self.home.is_url(&source.url) != Some(false) {
                targets.extend(self.argo_target(file, source, &application.sources, troubles));
            }
        }
        let to = self.destination(application, pointer, troubles);
        vec![Order { to, targets }]
    }

    fn argo_target(
        &self,
        file: &str,
        source: &ArgoSource,
        all: &[ArgoSource],
        troubles: &mut Vec<Trouble>,
    ) -> Option<Target> {
        let path = source.path.as_ref()?;
        let mut trouble = |why: String| troubles.push(Trouble { at: path.at, why });
        if is_open(&path.text) {
            trouble(format!(
                "the path `{}` is filled in later, so what it deploys is not known",
                path.text
            ));
            return None;
        }
        let folder = match of_argo(&path.text) {
            Ok(folder) => folder,
            Err(why) => {
                trouble(format!("the path `{}` {why}", path.text));
                return None;
            }
        };
        if !self.home.has(&source.url, &folder) {
            return None;
        }
        let Some(folder) = self.existing(&folder, file) else {
            if self.home.is_url(&source.url) == Some(true) {
                trouble(format!("there is nothing to deploy at `{}`", path.text));
            }
            return None;
        };
        let values = source.helm.iter().flatten().filter_map(|value| {
            let text = value.text.as_str();
            match text.strip_prefix('$').and_then(|text| text.split_once('/')) {
                // `$name/` stands for the root of another source.
                Some((_, inside)) => join("", inside).filter(|_| !all.is_empty()),
                None => join(&folder, text),
            }
        });
        let values = values.collect();
        let mode = match &source.directory {
            _ if source.helm.is_some() => Mode::Chart,
            Some(directory) => Mode::Directory(directory.clone()),
            None if source.kustomize => Mode::Kustomize,
            None => Mode::Argo,
        };
        Some(Target {
            folder,
            mode,
            values,
        })
    }

    fn destination(
        &self,
        application: &Application,
        pointer: &Pointer,
        troubles: &mut Vec<Trouble>,
    ) -> To {
        let said = application.cluster.as_ref().or(application.server.as_ref());
        let Some(said) = said else {
            return To::Here;
        };
        if is_open(&said.text) {
            let name = &pointer.name;
            let why = format!(
                "the cluster of `{name}` is filled in later: `{}`",
                said.text
            );
            troubles.push(Trouble { at: said.at, why });
            return To::Unknown;
        }
        if application.cluster.is_some() {
            return match said.text.as_str() {
                "in-cluster" => To::Here,
                name => To::Named(name.to_owned()),
            };
        }
        let server = said.text.trim_end_matches('/');
        if is_local(server) {
            return To::Here;
        }
        let mut known = self.secrets.iter();
        let known = known.find(|(_, one)| one.server.trim_end_matches('/') == server);
        To::Named(match known {
            Some((_, one)) => one.name.clone(),
            None => server.split("://").last().unwrap_or(server).to_owned(),
        })
    }

    /// The folder that exists for a path. A repository that lies in another as a copy is meant with the folders above it.
    pub fn existing(&self, path: &str, file: &str) -> Option<String> {
        let tree = &self.repository.tree;
        if tree.has_folder(path) {
            return Some(path.to_owned());
        }
        let own = folder(file);
        let ends = own.match_indices('/').map(|(at, _)| at);
        let mut bases = ends.chain([own.len()]).filter_map(|end| own.get(..end));
        bases.find_map(|base| join(base, path).filter(|path| tree.has_folder(path)))
    }
}

fn remote(secret: Option<&Word>) -> To {
    match secret {
        None => To::Here,
        Some(secret) if is_open(&secret.text) => To::Unknown,
        Some(secret) => To::Named(by_secret(&secret.text).to_owned()),
    }
}

/// Fills in variables as Flux does: `${name}`, and `${name:=default}` where it is not known.
fn fill_in(text: &str, variables: &Variables) -> Option<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (inside, behind) = after.split_once('}')?;
        let (name, default) = match inside.split_once(':') {
            Some((name, default)) => (name, default.get(1..)),
            None => (inside, None),
        };
        let known = variables.iter().find(|(known, _)| known == name);
        let value = known.map(|(_, value)| value.as_str()).or(default)?;
        filled.push_str(before);
        filled.push_str(value);
        rest = behind;
    }
    filled.push_str(rest);
    (!is_open(&filled)).then_some(filled)
}
