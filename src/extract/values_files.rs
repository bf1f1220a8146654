//! Files of values that releases name: by path, or by a ConfigMap that is made of them.

use std::sync::Arc;

use super::chart_sources::ChartSources;
use super::installed::{Described, Installed};
use crate::charts;
use crate::source::path::{folder, join};
use crate::yaml::{Document, Node};

/// A file of values, as a release names it.
#[derive(Debug, Clone)]
pub struct ValuesFile {
    named: Named,
    /// The chart that the values are for.
    pub(super) installed: Installed,
}

#[derive(Debug, Clone)]
enum Named {
    /// By its path. The first one that exists counts.
    Path(Vec<String>),
    /// By a key of a ConfigMap or a Secret, which a Kustomization makes.
    Object {
        /// The folder of the release.
        folder: String,
        /// The name of the object.
        name: String,
        /// The key.
        key: String,
    },
}

/// The parts of a [`ValuesFile`] whose chart is in the tables.
#[derive(Debug, Clone)]
pub struct ValuesFileParts {
    /// The paths that may be meant.
    pub paths: Vec<String>,
    /// The folder, the name and the key of the object that is meant instead.
    pub object: Option<(String, String, String)>,
    /// The name of the chart.
    pub chart: String,
    /// The number of its edition.
    pub edition: u32,
    /// The version that is installed.
    pub version: Option<String>,
    /// Its address is one that the chart is published at.
    pub sure: bool,
    /// Something else may set more values.
    pub open: bool,
    /// The namespace that it is installed into.
    pub namespace: Option<String>,
}

impl ValuesFile {
    /// Takes it apart, if the tables have its chart.
    pub fn parts(&self) -> Option<ValuesFileParts> {
        let Installed {
            chart,
            edition,
            folder: _,
            version,
            sure,
            open,
            namespace,
            below: _,
        } = self.installed.clone();
        let Described::Table(edition) = edition else {
            return None;
        };
        let mut editions = charts::named(&chart).iter();
        let edition = editions.position(|one| std::ptr::eq(one, edition))?;
        let (paths, object) = match self.named.clone() {
            Named::Path(paths) => (paths, None),
            Named::Object { folder, name, key } => (Vec::new(), Some((folder, name, key))),
        };
        Some(ValuesFileParts {
            paths,
            object,
            chart,
            edition: u32::try_from(edition).ok()?,
            version,
            sure,
            open,
            namespace,
        })
    }

    /// Puts it together again, if the tables still have its chart.
    pub fn of_parts(parts: ValuesFileParts) -> Option<ValuesFile> {
        let edition = usize::try_from(parts.edition).ok()?;
        let edition = charts::named(&parts.chart).get(edition)?;
        Some(ValuesFile {
            named: match parts.object {
                Some((folder, name, key)) => Named::Object { folder, name, key },
                None => Named::Path(parts.paths),
            },
            installed: Installed {
                chart: parts.chart,
                edition: Described::Table(edition),
                folder: None,
                version: parts.version,
                sure: parts.sure,
                open: parts.open,
                namespace: parts.namespace,
                // It is found out when all files are known.
                below: Vec::new(),
            },
        })
    }

    /// A file that a release names by its path: relative to its own file, to its chart or to the root of the repository.
    /// `$name/` stands for the root of a repository.
    pub(super) fn at(path: &str, file: &str, chart: Option<&str>, installed: Installed) -> Self {
        let paths = match path.strip_prefix('$').and_then(|path| path.split_once('/')) {
            Some((_, path)) => vec![join("", path)],
            None => vec![
                chart.and_then(|chart| join(chart, path)),
                join(folder(file), path),
                join("", path),
            ],
        };
        ValuesFile {
            named: Named::Path(paths.into_iter().flatten().collect()),
            installed,
        }
    }

    /// A file that a release names by a reference to an object.
    pub(super) fn of_object(reference: Node<'_>, file: &str, installed: Installed) -> Option<Self> {
        let text = |key: &str| reference.get(key).and_then(Node::raw).map(str::to_owned);
        Some(ValuesFile {
            named: Named::Object {
                folder: folder(file).to_owned(),
                name: text("name")?,
                key: text("valuesKey").unwrap_or_else(|| "values.yaml".to_owned()),
            },
            installed,
        })
    }

    /// The path of the file, if it exists.
    pub fn find(&self, sources: &ChartSources, exists: impl Fn(&str) -> bool) -> Option<String> {
        match &self.named {
            Named::Path(paths) => paths.iter().find(|path| exists(path)).cloned(),
            Named::Object { folder, name, key } => {
                let path = sources.generated(folder, name, key)?;
                exists(path).then(|| path.to_owned())
            }
        }
    }

    /// The same, read with what it is laid over.
    #[must_use]
    pub(super) fn laid_over(self, below: Vec<Arc<Document>>) -> ValuesFile {
        ValuesFile {
            installed: Installed {
                open: false,
                below,
                ..self.installed
            },
            ..self
        }
    }

    /// The file as two releases name it. If they lay it over different files, nothing is known of the values below it.
    #[must_use]
    pub fn open_unless_same(&self, other: &ValuesFile) -> ValuesFile {
        let [own, theirs] = [self, other].map(|one| &one.installed);
        let mut pairs = own.below.iter().zip(&theirs.below);
        let is_same = own.open == theirs.open
            && own.below.len() == theirs.below.len()
            && pairs.all(|(own, theirs)| Arc::ptr_eq(own, theirs));
        let mut found = self.clone();
        if !is_same {
            found.installed.open = true;
            found.installed.below.clear();
        }
        found
    }

    /// Whether it has values for the same chart.
    pub fn is_for_same(&self, other: &ValuesFile) -> bool {
        self.installed.chart == other.installed.chart
    }
}

/// The values of a release, by layers.
pub(super) struct Layers {
    /// The files that it names.
    pub(super) files: Vec<ValuesFile>,
    /// What the values in the release itself are laid over, if everything is known.
    inline: Option<Vec<Arc<Document>>>,
}

impl Layers {
    /// The chart, as the values in the release itself are for it.
    pub(super) fn under_inline(&self, installed: Installed) -> Installed {
        match &self.inline {
            Some(below) => Installed {
                open: false,
                below: below.clone(),
                ..installed
            },
            None => installed,
        }
    }

    /// Puts files over each other. Each level may be one of several files. `is_open` says whether something else may set values,
    /// and `has_more` whether the release itself lays values over all of them.
    pub(super) fn of(
        levels: Vec<Vec<ValuesFile>>,
        sources: &ChartSources,
        is_open: bool,
        has_more: bool,
    ) -> Layers {
        let mut below: Vec<Arc<Document>> = Vec::new();
        let (mut files, count) = (Vec::new(), levels.len());
        let mut is_whole = !is_open && count > 0;
        for (at, level) in levels.into_iter().enumerate() {
            let found = |one: &ValuesFile| {
                let path = one.find(sources, |path| sources.has_values(path))?;
                let document = sources.values_at(&path)?;
                Some((Arc::clone(document), sources.is_environment(&path)))
            };
            let is_top = at + 1 == count && !has_more && is_whole;
            let documents: Vec<_> = level.iter().map(found).collect();
            for (one, document) in level.into_iter().zip(&documents) {
                // The values of an environment are read with those of their chart.
                let is_read = document.as_ref().is_some_and(|(_, is_own)| !is_own);
                files.push(match is_top && is_read {
                    true => one.laid_over(below.clone()),
                    false => one,
                });
            }
            match documents.as_slice() {
                [Some((document, _))] => below.insert(0, Arc::clone(document)),
                _ => is_whole = false,
            }
        }
        Layers {
            files,
            inline: is_whole.then_some(below),
        }
    }
}
