//! Releases of Helm charts: which chart an object installs, where its values are, and whether other files set more.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::FileFacts;
use super::chart_templates::map_of;
use super::chart_values::Values;
use super::charted::{self, Charted};
use super::charted_parts;
use super::filled_charts;
use super::helm_sets;
use super::installed::Installed;
use super::read::{is_filled_in, is_placeholder};
use super::release::Release;
use super::release_rows::ReleaseRow;
use super::subject::Subject;
use super::values_files::{Layers, ValuesFile};
use crate::delivery::{is_helmfile, of_environment};
use crate::yaml::{self, Document, Kind, Node, NodeId, Path};

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
            read_one(&release, &mut read);
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

/// Reads one release.
fn read_one<'a>(release: &Release<'_, 'a>, read: &mut Releases) {
    let text = release.subject.reading.source.slice(release.node.span());
    let has_words = ["oleration", "nodeSelector", "ffinity"]
        .iter()
        .any(|word| text.contains(word));
    let files = [&release.row.values_files, &release.row.values_from];
    let names_files = files
        .into_iter()
        .any(|paths| !release.nodes(paths).is_empty());
    // The templates of a chart may make a selector of any value, and of its own ones where a release has none.
    let own = release.own(&mut read.refers);
    if !has_words && !names_files && own.is_none() {
        return;
    }
    let has_more = has_words || (own.is_some() && release.has_values());
    let Some(installed) = own.or_else(|| release.installed(&mut read.refers)) else {
        return;
    };
    read.charted.facts.installs.extend(installed.folder.clone());
    let filled = filled(release, &installed, &mut read.charted);
    let is_filled = filled.is_some();
    let layers = layers(release, &installed, has_more, true);
    let installed = layers.under_inline(installed);
    read.values_files.extend(layers.files);
    if let Some(filled) = filled {
        let charted = Charted {
            facts: filled,
            ..Charted::default()
        };
        read.charted.absorb(charted);
    }
    if !has_more {
        return;
    }
    for found in release
        .row
        .texts
        .iter()
        .flat_map(|path| path.find(release.node))
    {
        read.texts.insert(found.node.id(), installed.clone());
    }
    // Its templates were filled in already, if that was possible.
    let installed = Installed {
        folder: None,
        ..installed
    };
    if !is_filled {
        read.charted.absorb(set_one_by_one(release, &installed));
    }
    for path in &release.row.values {
        for found in path.find(release.node) {
            let maps: Vec<(Node<'a>, String)> = match found.node.kind() {
                Kind::Mapping => vec![(found.node, found.path)],
                _ => Vec::new(),
            };
            for (root, at) in maps {
                let document = release.document().and_then(|document| {
                    let found = path.find(document.node).into_iter().next()?;
                    let is_map = found.node.kind() == Kind::Mapping;
                    is_map.then_some((found.node, found.path))
                });
                let under = document.into_iter().chain(installed.below_all()).collect();
                let values = Values {
                    root,
                    base: super::subject::join(&release.base, &at),
                    under,
                    open: installed.open,
                    is_whole: false,
                };
                let mut one = charted::read(release.subject, &values, &installed);
                if is_filled {
                    one.facts.workloads.clear();
                }
                one.facts.laid_over.extend(installed.files_below());
                read.charted.absorb(one);
            }
        }
    }
}

/// What values say that are set one by one, where a release has no others of its own.
fn set_one_by_one(release: &Release<'_, '_>, installed: &Installed) -> Charted {
    let others = [&release.row.values, &release.row.texts];
    let has_others = others
        .into_iter()
        .any(|paths| !release.nodes(paths).is_empty());
    let sets = release.nodes(&release.row.sets);
    let Some(set) = helm_sets::document(sets.into_iter()).filter(|_| !has_others) else {
        return Charted::default();
    };
    let installed = Installed {
        open: release.is_open_beside(&[], false),
        ..installed.clone()
    };
    let values = Values {
        root: set.root(),
        base: release.base.clone(),
        under: installed.below_all(),
        open: installed.open,
        is_whole: false,
    };
    let mut read = charted::read(release.subject, &values, &installed);
    read.facts.laid_over.extend(installed.files_below());
    read
}

/// The pods that the templates of its chart make of all its values, and what these say of charts from elsewhere in it. `None` if that is not known, and for values that are a
/// text, which is read elsewhere.
fn filled<'a>(
    release: &Release<'_, 'a>,
    installed: &Installed,
    read: &mut Charted,
) -> Option<FileFacts> {
    let reading = &release.subject.reading;
    reading.sources.templates_at(installed.folder.as_deref()?)?;
    if !release.nodes(&release.row.texts).is_empty() {
        return None;
    }
    let below = Installed {
        open: release.is_open_beside(&[], false),
        ..installed.clone()
    };
    let below = layers(release, &below, true, false).under_inline(below);
    let set = match release.nodes(&release.row.sets).as_slice() {
        [] => None,
        sets => Some(helm_sets::document(sets.iter().copied())?),
    };
    let nothing = map_of("{}", reading.id)?;
    let document = release.document();
    let over = document.map_or_else(Vec::new, |one| one.nodes(&release.row.values));
    let layers = set.iter().map(Document::root);
    let layers = layers.chain(release.nodes(&release.row.values)).chain(over);
    let layers = layers.chain(below.below_all().into_iter().map(|(root, _)| root));
    let layers: Vec<Node<'_>> = layers.collect();
    let has_values = !layers.is_empty();
    let layers = match has_values {
        true => layers,
        false => vec![nothing.root()],
    };
    if below.open || layers.iter().any(|one| one.kind() != Kind::Mapping) {
        return None;
    }
    // Files of values that are not laid over by others are read by themselves.
    if set.is_some() || below.below.is_empty() || !release.nodes(&release.row.values).is_empty() {
        read.absorb(charted_parts::read(release.subject, &layers, &below));
    }
    let made = filled_charts::workloads(release.subject, (&layers, has_values), &below)?;
    Some(FileFacts {
        workloads: made,
        laid_over: below.files_below().collect(),
        ..FileFacts::default()
    })
}

/// What lies over what: the files that it names, in order, and the values in it. `has_more` says whether there are such,
/// and `with_sets` whether those count that are set one by one.
fn layers<'a>(
    release: &Release<'_, 'a>,
    installed: &Installed,
    has_more: bool,
    with_sets: bool,
) -> Layers {
    let file = &release.subject.reading.source.path;
    let folder = release.row.folder.as_ref();
    let folder = folder.and_then(|path| release.text(Some(path)));
    let open = Installed {
        open: true,
        ..installed.clone()
    };
    // Each may be one of several files.
    let mut levels: Vec<Vec<ValuesFile>> = Vec::new();
    let named = release.nodes(&release.row.values_files);
    for node in named.iter().filter(|node| node.kind() == Kind::Scalar) {
        let paths = names_of(release, *node).into_iter();
        let at = |path: String| ValuesFile::at(&path, file, folder.as_deref(), open.clone());
        levels.push(paths.map(at).collect());
    }
    let objects = release.nodes(&release.row.values_from);
    for node in &objects {
        let file = ValuesFile::of_object(*node, file, open.clone());
        levels.push(file.into_iter().collect());
    }
    let is_open = release.is_open_beside(&[named, objects].concat(), with_sets);
    Layers::of(levels, release.subject.reading.sources, is_open, has_more)
}

/// The paths that a node names: one for each environment, if it has the name of the environment in it.
fn names_of<'a>(release: &Release<'_, 'a>, node: Node<'_>) -> Vec<String> {
    // The name of another source of Argo CD looks like a variable.
    let behind = node
        .as_str()
        .and_then(|text| text.strip_prefix('$')?.split_once('/'));
    if !is_filled_in(node) || behind.is_some_and(|(_, path)| !is_placeholder(path)) {
        return node.as_str().map(str::to_owned).into_iter().collect();
    }
    let text = node.raw().unwrap_or_default();
    let source = release.subject.reading.source;
    if !is_helmfile(&source.path) || !text.contains(".Environment.Name") {
        return Vec::new();
    }
    let names = release.environments.get_or_init(|| {
        let stream = yaml::parse(&source.text, release.subject.reading.id);
        let documents = stream.documents.iter();
        let declared = documents.filter_map(|one| one.root().get("environments"));
        let fields = declared.flat_map(|one| one.fields());
        fields
            .filter_map(|one| one.name().map(str::to_owned))
            .collect()
    });
    let of_all = release.subject.reading.sources.environments();
    // A helmfile may take its environments from another file.
    let of_all = of_all.filter(|_| names.is_empty());
    let names = names.iter().map(String::as_str).chain(of_all);
    names
        .filter_map(|name| of_environment(text, name))
        .collect()
}
