//! A release of a Helm chart: which chart it installs, and whether something else sets its values.

use std::cell::OnceCell;
use std::sync::Arc;

use super::installed::{Described, Installed, Origin, edition};
use super::read::{is_filled_in, is_placeholder};
use super::release_rows::ReleaseRow;
use super::subject::Subject;
use crate::source::path;
use crate::yaml::{Kind, Node, Path};

/// A release, where a row finds one.
pub(super) struct Release<'r, 'a> {
    /// The document.
    pub(super) subject: &'r Subject<'a>,
    /// The row.
    pub(super) row: &'r ReleaseRow,
    /// The release in it.
    pub(super) node: Node<'a>,
    /// The path of the release.
    pub(super) base: String,
    /// The environments that a helmfile declares.
    pub(super) environments: &'r OnceCell<Vec<String>>,
}

impl<'a> Release<'_, 'a> {
    /// What is at some paths.
    pub(super) fn nodes(&self, paths: &[Path]) -> Vec<Node<'a>> {
        let found = paths.iter().flat_map(|path| path.find(self.node));
        found.map(|found| found.node).collect()
    }

    /// Whether it has values of its own.
    pub(super) fn has_values(&self) -> bool {
        // Beside maps of values, there may be names of files.
        let is_file = |node: &Node<'_>| node.kind() == Kind::Scalar && !node.is_null();
        let maps = self.nodes(&self.row.values);
        let others = [&self.row.texts, &self.row.sets];
        maps.iter().any(|node| !is_file(node))
            || others
                .into_iter()
                .any(|paths| !self.nodes(paths).is_empty())
    }

    /// The chart, if its templates are in the repository.
    pub(super) fn own(&self, refers: &mut bool) -> Option<Installed> {
        let name = self.text(self.row.chart.as_ref());
        let name = match name {
            None if self.row.in_folder => Some("./.".to_owned()),
            Some(name) if self.is_in_folder(&name) => Some(format!("./{name}")),
            other => other,
        };
        let local = name.filter(|name| name.starts_with("./") || name.starts_with("../"));
        let folder = local.or_else(|| self.text(self.row.folder.as_ref()))?;
        *refers = true;
        let reading = &self.subject.reading;
        let beside = path::join(path::folder(&reading.source.path), &folder);
        let from_root = path::join("", &folder).filter(|_| !self.row.in_folder);
        let mut charts = from_root.into_iter().chain(beside);
        let chart = charts.find_map(|folder| reading.sources.chart_at(&folder))?;
        Some(Installed {
            chart: chart.name.clone(),
            edition: Described::Templates(Arc::clone(&chart.edition)),
            folder: Some(chart.folder.clone()),
            version: None,
            sure: true,
            open: self.is_open(),
            namespace: self.namespace(),
            below: Vec::new(),
        })
    }

    /// Whether the name of a chart may be a path from the folder of the file.
    fn is_in_folder(&self, name: &str) -> bool {
        let has_address = || self.text(self.row.address.as_ref()).is_some();
        self.row.in_folder
            && !name.starts_with(['.', '/'])
            && !name.contains("://")
            && !has_address()
    }

    /// The chart, if its templates or the tables say what its values are.
    pub(super) fn installed(&self, refers: &mut bool) -> Option<Installed> {
        if let Some(own) = self.own(refers) {
            return Some(own);
        }
        let mut version = self.text(self.row.version.as_ref());
        let mut chart = self.text(self.row.chart.as_ref());
        let mut origin = match self.text(self.row.address.as_ref()) {
            Some(address) => Origin::Address(address),
            None => Origin::Unknown,
        };
        if let Some(name) = chart.clone() {
            if name.starts_with(['.', '/']) {
                return None;
            }
            if name.contains("://") {
                origin = Origin::Address(name.clone());
            } else if let Some((repository, _)) = name.split_once('/')
                && self.row.repositories.is_some()
            {
                origin = self
                    .repository(repository)
                    .map_or(Origin::Unknown, Origin::Address);
            }
        }
        for found in self
            .row
            .sources
            .iter()
            .flat_map(|path| path.find(self.node))
        {
            let field = |name: &str| found.node.get(name).and_then(Node::raw);
            let (Some(kind), Some(name)) = (field("kind"), field("name")) else {
                continue;
            };
            let own = self.subject.object.namespace.as_deref();
            let namespace = field("namespace").or(own);
            *refers = true;
            match self.subject.reading.sources.find(kind, name, namespace) {
                Some(source) => {
                    if source.whole {
                        chart = chart.or_else(|| Some(source.address.clone()));
                        version = version.or_else(|| source.version.clone());
                    }
                    origin = Origin::Address(source.address.clone());
                }
                // A chart in a Git repository may be anyone's.
                None if kind == "HelmRepository" => origin = Origin::Elsewhere,
                None => return None,
            }
        }
        let chart = chart?;
        let chart = chart.trim_end_matches('/').rsplit('/').next()?.to_owned();
        let (edition, sure) = edition(&chart, &origin)?;
        Some(Installed {
            chart,
            edition: Described::Table(edition),
            folder: None,
            version,
            sure,
            open: self.is_open(),
            namespace: self.namespace(),
            below: Vec::new(),
        })
    }

    /// The namespace that it is installed into.
    fn namespace(&self) -> Option<String> {
        let whole = Release {
            node: self.subject.root,
            base: String::new(),
            ..*self
        };
        let mut paths = self.row.namespace.iter();
        paths.find_map(|path| self.text(Some(path)).or_else(|| whole.text(Some(path))))
    }

    /// The document, if the release stands over it.
    pub(super) fn document(&self) -> Option<Self> {
        self.row.over_document.then(|| Release {
            node: self.subject.root,
            base: String::new(),
            ..*self
        })
    }

    /// Whether there may be more values than those written here.
    fn is_open(&self) -> bool {
        self.is_open_beside(&[], true)
    }

    /// Whether there may be more values than those written here and those in these files.
    pub(super) fn is_open_beside(&self, files: &[Node<'_>], with_sets: bool) -> bool {
        let is_file = |node: Node<'_>| files.iter().any(|file| file.id() == node.id());
        let says_something = |node: Node<'_>| match node.kind() {
            Kind::Mapping => node.fields().iter().any(|field| !field.value.is_null()),
            Kind::Sequence => node.items().any(|item| !is_file(item)),
            Kind::Scalar => {
                let text = node.raw().filter(|_| !node.is_null() && !is_file(node));
                text.is_some_and(|text| !text.is_empty())
            }
        };
        let own = || self.row.values.iter().flat_map(|path| path.find(self.node));
        // An item of a list of values may be the name of a file.
        if own().any(|found| found.node.kind() == Kind::Scalar && says_something(found.node)) {
            return true;
        }
        // A map before the name of a file lies below it.
        let last = files.last().map_or(0, |file| file.span().start);
        let is_below = |node: Node<'_>| node.kind() == Kind::Mapping && node.span().start < last;
        if own().any(|found| is_below(found.node)) && own().any(|found| is_file(found.node)) {
            return true;
        }
        if with_sets && !self.nodes(&self.row.sets).is_empty() {
            return true;
        }
        let paths = [&self.row.values, &self.row.texts, &self.row.others];
        let mut all = paths.into_iter().flatten();
        if all.any(|path| path.find_open(self.node).is_some()) {
            return true;
        }
        let document = self
            .document()
            .filter(|one| one.node.id() != self.node.id());
        let nodes = || std::iter::once(self.node).chain(document.as_ref().map(|one| one.node));
        let mut others = self
            .row
            .others
            .iter()
            .flat_map(|path| nodes().flat_map(|node| path.find(node)));
        let texts = self.row.texts.iter().flat_map(|path| path.find(self.node));
        let given = own()
            .chain(texts)
            .filter(|found| says_something(found.node));
        others.any(|found| says_something(found.node)) || given.count() > 1
    }

    /// The text at a path that says something, in the release or in the document that it stands over.
    pub(super) fn text(&self, path: Option<&Path>) -> Option<String> {
        let found = path?.find(self.node);
        let Some(node) = found.first().map(|found| found.node) else {
            let document = self
                .document()
                .filter(|one| one.node.id() != self.node.id());
            return document?.text(path);
        };
        let text = node
            .raw()
            .filter(|_| !node.is_null() && !is_filled_in(node))?;
        (!text.is_empty() && !is_placeholder(text)).then(|| text.to_owned())
    }

    /// The address of a repository that the document names.
    fn repository(&self, name: &str) -> Option<String> {
        let found = self.row.repositories.as_ref()?.find(self.subject.root);
        let one = found
            .iter()
            .find(|one| one.node.get("name").and_then(Node::raw) == Some(name))?;
        let address = one.node.get("url").and_then(Node::raw)?;
        (!is_placeholder(address)).then(|| address.to_owned())
    }
}
