//! Which sources of Flux and Argo CD are this repository itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::data::Data;
use super::facts::{Pointer, Says, SourceName};
use super::paths::of_flux;
use super::tree::{Mode, Target, Tree};

/// What is known about the address of this repository.
pub struct Home<'f> {
    /// The addresses of declared sources.
    sources: HashMap<&'f SourceName, &'f str>,
    /// The names that this repository has in addresses.
    names: BTreeSet<String>,
}

impl<'f> Home<'f> {
    /// Finds the address of this repository: the one that most paths that exist here are read from. An object that lies in
    /// the folder that it points to is certain.
    pub fn find(
        pointers: &'f [(&'f str, &'f Pointer)],
        names: &'f [SourceName],
        tree: &Tree<'_>,
    ) -> Home<'f> {
        let mut sources = HashMap::new();
        for ((_, pointer), name) in pointers.iter().zip(names) {
            if let Says::Source(url) = &pointer.says {
                sources.insert(name, url.as_str());
            }
        }
        let mut votes: BTreeMap<String, u32> = BTreeMap::new();
        for (file, pointer) in pointers {
            for (url, path) in addresses(pointer, &sources) {
                let folder = of_flux(path);
                let Some(name) = repository_name(url) else {
                    continue;
                };
                if !folder.is_empty() && tree.has_folder(&folder) {
                    let is_inside = file.starts_with(&format!("{folder}/"));
                    *votes.entry(name).or_default() += if is_inside { 1_000 } else { 1 };
                }
            }
        }
        let most = votes.values().max().copied().unwrap_or_default();
        let enough = most.min(1_000);
        let names = votes.into_iter().filter(|(_, count)| *count >= enough);
        Home {
            sources,
            names: names.map(|(name, _)| name).collect(),
        }
    }

    /// Whether a source of Flux is this repository, as far as its address says it.
    pub fn is_source(&self, name: &SourceName) -> Option<bool> {
        self.is_url(self.sources.get(name)?)
    }

    /// Whether an address is that of this repository. `None` if it is filled in later, or nothing shows the own address.
    pub fn is_url(&self, url: &str) -> Option<bool> {
        let name = repository_name(url)?;
        (!self.names.is_empty()).then(|| self.names.contains(&name))
    }

    /// Whether a folder of an address is one of this repository. Every repository has a root.
    pub fn has(&self, url: &str, folder: &str) -> bool {
        self.is_url(url).unwrap_or(!folder.is_empty())
    }
}

/// The addresses of repositories that an object reads, with the paths in them.
fn addresses<'p>(
    pointer: &'p Pointer,
    sources: &HashMap<&SourceName, &'p str>,
) -> Vec<(&'p str, &'p str)> {
    match &pointer.says {
        Says::Flux(flux) => {
            let url = sources.get(&flux.source).copied();
            let path = flux.path.as_ref().map(|path| path.text.as_str());
            url.zip(path).into_iter().collect()
        }
        Says::Application(application) => {
            let sources = application.sources.iter().filter(|one| !one.is_chart);
            sources
                .filter_map(|one| Some((one.url.as_str(), one.path.as_ref()?.text.as_str())))
                .collect()
        }
        Says::Fleet(fleet) => {
            let paths = fleet.paths.iter();
            paths
                .map(|path| (fleet.url.as_str(), path.text.as_str()))
                .collect()
        }
        Says::Set(set) => {
            let mut found = Vec::new();
            let mut open: Vec<&Data> = set.generators.iter().collect();
            while let Some(generator) = open.pop() {
                for (kind, body) in generator.fields() {
                    open.extend(body.get("generators").map_or(&[][..], Data::items));
                    let lists = ["directories", "files"].iter().filter(|_| kind == "git");
                    let entries = lists
                        .filter_map(|list| body.get(list))
                        .flat_map(Data::items);
                    let paths = entries.filter_map(|entry| entry.text_at(&["path"]));
                    // What stands before the first pattern must exist.
                    let starts = paths.map(|path| {
                        let end = path.find(['*', '?', '[', '{']).unwrap_or(path.len());
                        path.get(..end).unwrap_or_default()
                    });
                    let starts = starts.map(crate::source::path::folder);
                    let url = body.text_at(&["repoURL"]).unwrap_or_default();
                    found.extend(starts.map(|start| (url, start)));
                }
            }
            found
        }
        Says::Source(_)
        | Says::Release(_)
        | Says::Cluster(_)
        | Says::FleetCluster(_)
        | Says::FleetGroup(_)
        | Says::Customization(_)
        | Says::Helmfile(_)
        | Says::Template
        | Says::Variables(_) => Vec::new(),
    }
}

/// The name of a repository in its address, or `None` if it is filled in later. Forks and mirrors have the same name.
pub fn repository_name(url: &str) -> Option<String> {
    let is_open = url.is_empty()
        || ["{{", "${", "<", "$("]
            .iter()
            .any(|mark| url.contains(mark));
    let url = url.trim_end_matches('/');
    let url = url.strip_suffix(".git").unwrap_or(url);
    let name = url.rsplit(['/', ':']).next().unwrap_or_default();
    (!is_open && !name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// The folder that Flux reads, for a path that may be missing.
pub fn flux_target(folder: String) -> Target {
    Target {
        folder,
        mode: Mode::Flux,
        values: Vec::new(),
        given: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_one_name_in_all_notations() {
        for url in [
            "https://github.com/acme/fleet-infra",
            "ssh://git@github.com/acme/Fleet-Infra.git",
            "git@github.com:acme/fleet-infra.git",
            "oci://ghcr.io/acme/fleet-infra/",
        ] {
            assert_eq!(
                repository_name(url).as_deref(),
                Some("fleet-infra"),
                "{url}"
            );
        }
        assert_eq!(repository_name("{{ .Values.repoURL }}"), None);
    }
}
