//! Releases of Helm charts: which chart an object installs, where its values are, and whether other files set more.

use std::collections::HashMap;
use std::sync::Arc;

use super::FileFacts;
use super::chart_sources::ChartSource;
use super::chart_values::Values;
use super::charted::{self, Charted};
use super::installed::{Described, Installed};
use super::read::{is_filled_in, is_placeholder};
use super::release_rows::ReleaseRow;
use super::subject::Subject;
use super::values_files::ValuesFile;
use crate::charts::{self, Edition};
use crate::source::path;
use crate::yaml::{self, Kind, Node, NodeId, Path};

/// The releases of an object.
#[derive(Default)]
pub(super) struct Releases {
    /// What their values say.
    pub(super) charted: Charted,
    /// Values as texts, which are read elsewhere, each with its chart.
    pub(super) texts: HashMap<NodeId, Installed>,
    /// Files of values that they name.
    pub(super) values_files: Vec<ValuesFile>,
    /// Some release refers to an object in another file for its address.
    pub(super) refers: bool,
}

/// Reads the releases of an object, or of a document without a kind.
pub(super) fn read(subject: &Subject<'_>) -> Releases {
    let mut read = Releases::default();
    for row in rows(subject) {
        let whole = vec![Path::default()];
        let each = if row.each.is_empty() {
            &whole
        } else {
            &row.each
        };
        for at in each.iter().flat_map(|path| path.find(subject.root)) {
            let release = Release {
                subject,
                row,
                node: at.node,
                base: subject.path(&at.path),
            };
            release.read(&mut read);
        }
    }
    read
}

/// Reads the address that an object names.
pub(super) fn source(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let (group, kind) = (subject.group(), &subject.object.kind);
    let providers = subject.reading.table.providers.iter();
    let rows = providers.flat_map(|provider| &provider.chart_sources);
    for row in rows.filter(|row| row.group == group && row.kinds.contains(kind)) {
        let text = |path: &Path| {
            let found = path.find(subject.root);
            let raw = found.first().and_then(|found| found.node.raw());
            raw.filter(|text| !is_placeholder(text)).map(str::to_owned)
        };
        let (Some(address), Some(name)) = (text(&row.address), subject.object.name.clone()) else {
            continue;
        };
        facts.chart_sources.push(ChartSource {
            kind: kind.clone(),
            name,
            namespace: subject.object.namespace.clone(),
            address,
            whole: row.whole,
            version: row.version.iter().find_map(text),
        });
    }
    facts
}

/// The rows for the kind of an object, or for the name of a file without a kind.
fn rows<'t>(subject: &'t Subject<'_>) -> impl Iterator<Item = &'t ReleaseRow> {
    let file = subject.reading.source.path.rsplit('/').next();
    let file = file.unwrap_or_default();
    let (group, kind) = (subject.group(), &subject.object.kind);
    let providers = subject.reading.table.providers.iter();
    let all = providers.flat_map(|provider| &provider.releases);
    all.filter(move |row| {
        let is_named = row
            .files
            .iter()
            .any(|start| file.starts_with(start.as_str()));
        (row.group == group && row.kinds.contains(kind)) || (is_named && kind.is_empty())
    })
}

/// The chart that a node installs, if a row says where its name is and the tables of charts know it.
pub(super) fn installed(subject: &Subject<'_>, row: &ReleaseRow) -> Option<Installed> {
    let release = Release {
        subject,
        row,
        node: subject.root,
        base: String::new(),
    };
    release.installed(&mut false)
}

/// Where a chart comes from.
enum Origin {
    /// An address. A whole one ends with the name of the chart.
    Address(String),
    /// An object that is not in this file.
    Elsewhere,
    Unknown,
}

/// The chart in the tables, and whether its address is one that it is published at.
fn edition(chart: &str, origin: &Origin) -> Option<(&'static Edition, bool)> {
    let editions = charts::named(chart);
    let only = match editions {
        [only] => Some((only, false)),
        _ => None,
    };
    let Origin::Address(address) = origin else {
        return only;
    };
    let mut published = editions
        .iter()
        .filter(|edition| edition.is_published_at(chart, address));
    published.next().map(|edition| (edition, true)).or(only)
}

/// Reads values for a chart whose templates are in the repository, and for the charts in it.
pub(super) fn own_values(subject: &Subject<'_>) -> Charted {
    let reading = &subject.reading;
    let mut charted = Charted::default();
    for (key, chart) in reading.sources.charts_of(&reading.source.path) {
        let (root, base) = match key {
            None => (Some(subject.root), subject.base.clone()),
            Some(key) => (subject.root.get(key), yaml::join(&subject.base, key)),
        };
        let Some(root) = root else { continue };
        // What one environment sets, beside the defaults of the chart, is a release of it.
        let open = key.is_some() || !reading.sources.is_environment(&reading.source.path);
        let installed = Installed {
            chart: chart.name.clone(),
            edition: Described::Templates(Arc::clone(&chart.edition)),
            version: None,
            sure: true,
            open,
            namespace: None,
        };
        let values = Values { root, base, open };
        charted.absorb(charted::read(subject, &values, &installed));
    }
    charted
}

/// Reads the values that a chart passes to its dependencies. Other files of values may be used beside this one.
pub(super) fn passed_on(subject: &Subject<'_>) -> Charted {
    let mut charted = Charted::default();
    let reading = &subject.reading;
    for dependency in reading.sources.dependencies_of(&reading.source.path) {
        let Some(root) = subject.root.get(&dependency.key) else {
            continue;
        };
        let address = dependency.address.clone();
        let origin = address.map_or(Origin::Unknown, Origin::Address);
        let Some((edition, sure)) = edition(&dependency.chart, &origin) else {
            continue;
        };
        let installed = Installed {
            chart: dependency.chart.clone(),
            edition: Described::Table(edition),
            version: dependency.version.clone(),
            sure,
            open: true,
            namespace: None,
        };
        let values = Values {
            root,
            base: yaml::join(&subject.base, &dependency.key),
            open: true,
        };
        charted.absorb(charted::read(subject, &values, &installed));
    }
    charted
}

struct Release<'r, 'a> {
    subject: &'r Subject<'a>,
    row: &'r ReleaseRow,
    node: Node<'a>,
    base: String,
}

impl<'a> Release<'_, 'a> {
    fn read(&self, read: &mut Releases) {
        let text = self.subject.reading.source.slice(self.node.span());
        let has_words = ["oleration", "nodeSelector", "ffinity"]
            .iter()
            .any(|word| text.contains(word));
        let names_files = self.row.values_files.iter().chain(&self.row.values_from);
        if !has_words
            && !names_files
                .flat_map(|path| path.find(self.node))
                .any(|_| true)
        {
            return;
        }
        let Some(installed) = self.installed(&mut read.refers) else {
            return;
        };
        read.values_files.extend(self.values_files(&installed));
        if !has_words {
            return;
        }
        for path in &self.row.values {
            for found in path.find(self.node) {
                let maps: Vec<(Node<'a>, String)> = match found.node.kind() {
                    Kind::Mapping => vec![(found.node, found.path)],
                    _ => Vec::new(),
                };
                for (root, at) in maps {
                    let values = Values {
                        root,
                        base: super::subject::join(&self.base, &at),
                        open: installed.open,
                    };
                    let one = charted::read(self.subject, &values, &installed);
                    read.charted.absorb(one);
                }
            }
        }
        for found in self.row.texts.iter().flat_map(|path| path.find(self.node)) {
            read.texts.insert(found.node.id(), installed.clone());
        }
    }

    /// The files of values that it names.
    fn values_files(&self, installed: &Installed) -> Vec<ValuesFile> {
        let file = &self.subject.reading.source.path;
        let folder = self.row.folder.as_ref();
        let folder = folder.and_then(|path| self.text(Some(path)));
        let open = Installed {
            open: true,
            ..installed.clone()
        };
        let find = |paths: &'_ [Path]| -> Vec<Node<'a>> {
            let found = paths.iter().flat_map(|path| path.find(self.node));
            found.map(|found| found.node).collect()
        };
        let paths = find(&self.row.values_files).into_iter();
        let paths = paths
            .filter(|node| !is_filled_in(*node))
            .filter_map(Node::as_str)
            .map(|path| ValuesFile::at(path, file, folder.as_deref(), open.clone()));
        let objects = find(&self.row.values_from).into_iter();
        let objects = objects.filter_map(|node| ValuesFile::of_object(node, file, open.clone()));
        paths.chain(objects).collect()
    }

    /// The chart, if its templates are in the repository.
    fn own(&self, refers: &mut bool) -> Option<Installed> {
        let name = self.text(self.row.chart.as_ref());
        let local = name.filter(|name| name.starts_with("./") || name.starts_with("../"));
        let folder = local.or_else(|| self.text(self.row.folder.as_ref()))?;
        *refers = true;
        let reading = &self.subject.reading;
        let beside = path::join(path::folder(&reading.source.path), &folder);
        let places = [path::join("", &folder), beside];
        let mut charts = places.into_iter().flatten();
        let chart = charts.find_map(|folder| reading.sources.chart_at(&folder))?;
        Some(Installed {
            chart: chart.name.clone(),
            edition: Described::Templates(Arc::clone(&chart.edition)),
            version: None,
            sure: true,
            open: self.is_open(),
            namespace: self.namespace(),
        })
    }

    /// The chart, if its templates or the tables say what its values are.
    fn installed(&self, refers: &mut bool) -> Option<Installed> {
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
            version,
            sure,
            open: self.is_open(),
            namespace: self.namespace(),
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

    /// Whether there may be more values than those written here.
    fn is_open(&self) -> bool {
        let says_something = |node: Node<'_>| match node.kind() {
            Kind::Mapping => node.fields().iter().any(|field| !field.value.is_null()),
            Kind::Sequence => node.items().next().is_some(),
            Kind::Scalar => !node.is_null() && node.raw().is_some_and(|text| !text.is_empty()),
        };
        let files = self.row.values.iter().flat_map(|path| path.find(self.node));
        // An item of a list of values may be the name of a file.
        if files
            .into_iter()
            .any(|found| found.node.kind() == Kind::Scalar && says_something(found.node))
        {
            return true;
        }
        let paths = [&self.row.values, &self.row.texts, &self.row.others];
        let mut all = paths.into_iter().flatten();
        if all.any(|path| path.find_open(self.node).is_some()) {
            return true;
        }
        let mut others = self.row.others.iter().flat_map(|path| path.find(self.node));
        let maps = self.row.values.iter().flat_map(|path| path.find(self.node));
        let texts = self.row.texts.iter().flat_map(|path| path.find(self.node));
        let given = maps.chain(texts).filter(|found| says_something(found.node));
        others.any(|found| says_something(found.node)) || given.count() > 1
    }

    fn text(&self, path: Option<&Path>) -> Option<String> {
        let found = path?.find(self.node);
        let node = found.first()?.node;
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
