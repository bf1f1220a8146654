//! What one object orders: which folders go to which cluster.

use std::borrow::Cow;

use super::data::Data;
use super::facts::{
    Application, ArgoCluster, ArgoSource, Flux, Pointer, Release, Says, Set, Word, is_local,
    is_open,
};
use super::fleet::Bundles;
use super::generators::{Generators, Made};
use super::helmfile::Helmfiles;
use super::home::{Home, flux_target};
use super::naming::by_secret;
use super::order::{Order, To};
use super::params::{Params, fill, fill_all};
use super::paths::{join, of_argo, of_flux};
use super::reading::application;
use super::repository::Repository;
use super::tree::{Mode, Target};
use super::trouble::Trouble;
use crate::source::path::folder;

/// Works out what objects order.
pub struct Orders<'r, 'f> {
    pub repository: &'r Repository<'f>,
    pub home: &'r Home<'r>,
    /// The clusters that Secrets describe to Argo CD.
    pub secrets: &'r [(&'r Pointer, &'r ArgoCluster)],
    pub bundles: &'r Bundles<'r>,
    pub helmfiles: &'r Helmfiles<'r>,
}

impl Orders<'_, '_> {
    /// What an object in a file orders.
    pub fn of(&self, (file, pointer): (&str, &Pointer), troubles: &mut Vec<Trouble>) -> Vec<Order> {
        match &pointer.says {
            Says::Flux(flux) => self.flux(file, pointer, flux, troubles),
            Says::Release(release) => self.release(file, release),
            Says::Application(one) => self.application(file, pointer, one, troubles),
            Says::Set(set) => self.set(file, pointer, set, troubles),
            Says::Fleet(fleet) => {
                let existing = |path: &str| self.existing(path, file);
                self.bundles.of_repository(fleet, &existing)
            }
            Says::Helmfile(one) => self.helmfiles.of(file, one),
            Says::Customization(one) => self.bundles.of_customization(file, one),
            Says::Source(_)
            | Says::Cluster(_)
            | Says::FleetCluster(_)
            | Says::FleetGroup(_)
            | Says::Template
            | Says::Variables(_) => Vec::new(),
        }
    }

    fn flux(
        &self,
        file: &str,
        pointer: &Pointer,
        flux: &Flux,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Order> {
        let to = remote(flux.remote.as_ref());
        let at = flux.path.as_ref().map_or(pointer.at, |path| path.at);
        let written = flux.path.as_ref().map_or("", |path| path.text.as_str());
        if is_open(written) {
            troubles.push(Trouble {
                at,
                why: format!(
                    "the path `{written}` is filled in later, so what it applies is not known"
                ),
            });
            return Vec::new();
        }
        let path = of_flux(written);
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
            given: Vec::new(),
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
        let (Some(made), Some(template)) = (generators.all(&set.generators), &set.template) else {
            return vec![Order {
                to: To::Unknown,
                targets: Vec::new(),
            }];
        };
        let mut orders = Vec::new();
        for Made {
            params,
            template: own,
        } in made
        {
            let template = match own {
                Some(own) => Cow::Owned(template.merged(&own)),
                None => Cow::Borrowed(template),
            };
            let filled = fill_all(&template, &params, set.go_template);
            let patched = match &set.patch {
                Some(patch) => self.patched(filled, patch, set, &params),
                None => Some(filled),
            };
            let Some(spec) = patched.as_ref().and_then(|one| one.get("spec")) else {
                if let Some(patch) = &set.patch {
                    troubles.push(Trouble {
                        at: patch.at,
                        why: "the patch is not read, so what is deployed where is not known"
                            .to_owned(),
                    });
                }
                orders.push(Order {
                    to: To::Unknown,
                    targets: Vec::new(),
                });
                continue;
            };
            orders.extend(self.application(file, pointer, &application(spec), troubles));
        }
        orders
    }

    /// An Application with the patch of its ApplicationSet, or `None` if that is not known and may say what goes where.
    fn patched(&self, made: Data, patch: &Word, set: &Set, params: &Params) -> Option<Data> {
        let text = fill(&patch.text, params, set.go_template);
        if text.contains("{{") {
            let matters = ["source", "destination"]
                .iter()
                .any(|word| text.contains(word));
            return (!matters).then_some(made);
        }
        let read = (self.repository.parse)(&text)?;
        let read = read.into_iter().next()?.placed(patch.at);
        Some(made.merged(&read))
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
        let (charts, folders): (Vec<&ArgoSource>, Vec<&ArgoSource>) =
            application.sources.iter().partition(|one| one.is_chart);
        let is_here = |one: &&ArgoSource| self.home.is_url(&one.url) != Some(false);
        for source in folders.iter().copied().filter(is_here) {
            targets.extend(self.argo_target(file, source, &application.sources, troubles));
        }
        if folders.iter().any(is_here) {
            targets.extend(charts.into_iter().filter_map(values_beside));
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
        let values =
            source
                .helm
                .iter()
                .flatten()
                .filter_map(|value| match of_other_source(&value.text) {
                    Some(inside) => join("", inside).filter(|_| !all.is_empty()),
                    None => join(&folder, &value.text),
                });
        let values = values.collect();
        let text = source.text.as_deref();
        let text = text.and_then(|text| (self.repository.parse)(text)?.into_iter().next());
        let given = source.given.iter().cloned().chain(text).collect();
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
            given,
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

/// The path of a file in another source: `$name/` stands for its root.
fn of_other_source(path: &str) -> Option<&str> {
    let (_, inside) = path.strip_prefix('$')?.split_once('/')?;
    Some(inside)
}

/// The files of values in other sources that the source with a chart names.
fn values_beside(chart: &ArgoSource) -> Option<Target> {
    let named = chart.helm.iter().flatten();
    let inside = named.filter_map(|value| join("", of_other_source(&value.text)?));
    let values: Vec<String> = inside.collect();
    (!values.is_empty()).then(|| Target {
        folder: String::new(),
        mode: Mode::Nothing,
        values,
        given: Vec::new(),
    })
}

fn remote(secret: Option<&Word>) -> To {
    match secret {
        None => To::Here,
        Some(secret) if is_open(&secret.text) => To::Unknown,
        Some(secret) => To::Named(by_secret(&secret.text).to_owned()),
    }
}
