//! Releases of Helm charts: which chart an object installs, where its values are, and whether other files set more.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::chart_values::Values;
use super::charted::{self, Charted};
use super::installed::{Described, Installed, Origin, edition};
use super::read::{is_filled_in, is_placeholder};
use super::release_rows::ReleaseRow;
use super::subject::Subject;
use super::values_files::{Layers, ValuesFile};
use crate::delivery::{is_helmfile, of_environment};
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
    let environments = OnceCell::new();
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
                environments: &environments,
            };
            release.read(&mut read);
        }
    }
    read
}

/// Whether an object installs charts.
pub(super) fn is_release(subject: &Subject<'_>) -> bool {
    rows(subject).next().is_some()
}

/// The rows for the kind of an object, or for the name of a file without a kind.
fn rows<'t>(subject: &'t Subject<'_>) -> impl Iterator<Item = &'t ReleaseRow> {
    let path = subject.reading.source.path.as_str();
    let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (group, kind) = (subject.group(), &subject.object.kind);
    let providers = subject.reading.table.providers.iter();
    let all = providers.flat_map(|provider| &provider.releases);
    all.filter(move |row| {
        let is_named = row.files.iter().any(|start| match start.strip_suffix('/') {
            Some(folder) => above.ends_with(folder),
            None => file.starts_with(start.as_str()),
        });
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
        environments: &OnceCell::new(),
    };
    release.installed(&mut false)
}

struct Release<'r, 'a> {
    subject: &'r Subject<'a>,
    row: &'r ReleaseRow,
    node: Node<'a>,
    base: String,
    /// The environments that a helmfile declares.
    environments: &'r OnceCell<Vec<String>>,
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
        let layers = self.layers(&installed, has_words);
        let installed = layers.under_inline(installed);
        read.values_files.extend(layers.files);
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
                    let document = self.document().and_then(|document| {
                        let found = path.find(document.node).into_iter().next()?;
                        let is_map = found.node.kind() == Kind::Mapping;
                        is_map.then_some((found.node, found.path))
                    });
                    let under = document.into_iter().chain(installed.below_all()).collect();
                    let values = Values {
                        root,
                        base: super::subject::join(&self.base, &at),
                        under,
                        open: installed.open,
                    };
                    let mut one = charted::read(self.subject, &values, &installed);
                    one.facts.laid_over.extend(installed.files_below());
                    read.charted.absorb(one);
                }
            }
        }
        for found in self.row.texts.iter().flat_map(|path| path.find(self.node)) {
            read.texts.insert(found.node.id(), installed.clone());
        }
    }

    /// What lies over what: the files that it names, in order, and the values in it. `has_words` says whether these may be
    /// about scheduling.
    fn layers(&self, installed: &Installed, has_words: bool) -> Layers {
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
        // Each may be one of several files.
        let mut levels: Vec<Vec<ValuesFile>> = Vec::new();
        let named = find(&self.row.values_files);
        for node in named.iter().filter(|node| node.kind() == Kind::Scalar) {
            let paths = self.names_of(*node).into_iter();
            let at = |path: String| ValuesFile::at(&path, file, folder.as_deref(), open.clone());
            levels.push(paths.map(at).collect());
        }
        let objects = find(&self.row.values_from);
        for node in &objects {
            let file = ValuesFile::of_object(*node, file, open.clone());
            levels.push(file.into_iter().collect());
        }
        let is_open = self.is_open_beside(&[named, objects].concat());
        Layers::of(levels, self.subject.reading.sources, is_open, has_words)
    }

    /// The paths that a node names: one for each environment, if it has the name of the environment in it.
    fn names_of(&self, node: Node<'_>) -> Vec<String> {
        // The name of another source of Argo CD looks like a variable.
        let behind = node
            .as_str()
            .and_then(|text| text.strip_prefix('$')?.split_once('/'));
        if !is_filled_in(node) || behind.is_some_and(|(_, path)| !is_placeholder(path)) {
            return node.as_str().map(str::to_owned).into_iter().collect();
        }
        let text = node.raw().unwrap_or_default();
        let source = self.subject.reading.source;
        if !is_helmfile(&source.path) || !text.contains(".Environment.Name") {
            return Vec::new();
        }
        let names = self.environments.get_or_init(|| {
            let stream = yaml::parse(&source.text, self.subject.reading.id);
            let documents = stream.documents.iter();
            let declared = documents.filter_map(|one| one.root().get("environments"));
            let fields = declared.flat_map(|one| one.fields());
            fields
                .filter_map(|one| one.name().map(str::to_owned))
                .collect()
        });
        let paths = names.iter().filter_map(|name| of_environment(text, name));
        paths.collect()
    }

    /// The chart, if its templates are in the repository.
    fn own(&self, refers: &mut bool) -> Option<Installed> {
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
    fn document(&self) -> Option<Self> {
        self.row.over_document.then(|| Release {
            node: self.subject.root,
            base: String::new(),
            ..*self
        })
    }

    /// Whether there may be more values than those written here.
    fn is_open(&self) -> bool {
        self.is_open_beside(&[])
    }

    /// Whether there may be more values than those written here and those in these files.
    fn is_open_beside(&self, files: &[Node<'_>]) -> bool {
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

    fn text(&self, path: Option<&Path>) -> Option<String> {
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
