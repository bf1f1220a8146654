//! Values of a Helm release: finds what is written at the paths of a table of charts, and decides the table's conditions.

use super::installed::Installed;
use super::read::{is_filled_in, is_placeholder};
use super::subject::Subject;
use crate::charts::{Condition, Group, Step, ValuePath};
use crate::model::Truth;
use crate::yaml::{self, Field, Kind, Node};

/// The values of one release.
pub(super) struct Values<'a> {
    /// The map of values.
    pub(super) root: Node<'a>,
    /// Its path.
    pub(super) base: String,
    /// Values that these are laid over, with their paths, the upper ones first.
    pub(super) under: Vec<(Node<'a>, String)>,
    /// Other files may set more values.
    pub(super) open: bool,
    /// What lies below is not read by itself.
    pub(super) is_whole: bool,
}

/// The values of one group of a release, where each `*` stands for one key.
pub(super) struct Instance<'g, 'a> {
    pub(super) subject: &'g Subject<'a>,
    pub(super) values: &'g Values<'a>,
    pub(super) installed: &'g Installed,
    pub(super) group: &'g Group,
    pub(super) caught: &'g [String],
}

/// A value that is written.
#[derive(Clone)]
pub(super) struct Spot<'a> {
    /// Its key and value.
    pub(super) field: Field<'a>,
    /// The map that contains it.
    pub(super) holder: Node<'a>,
    /// The path of that map.
    pub(super) holder_path: String,
    /// Its own path.
    pub(super) path: String,
    /// The keys and indices that stand for `*` and `[]` in the pattern.
    pub(super) caught: Vec<String>,
    /// Only the values below say it.
    pub(super) is_under: bool,
    /// The values that it is laid over, the upper ones first, if all of them are maps.
    pub(super) over: Vec<(Field<'a>, String)>,
}

/// What is at a path.
pub(super) enum At<'a> {
    /// A value, which may be null.
    Written(Spot<'a>),
    /// Nothing.
    Absent,
    /// It is unknown whether there is something.
    Open,
}

/// A place on the way along a path.
#[derive(Clone)]
struct Way<'a> {
    node: Node<'a>,
    path: String,
    caught: Vec<String>,
    last: Option<(Field<'a>, Node<'a>, String)>,
    /// The same place in the values below, if all of them are maps.
    under: Vec<(Node<'a>, String)>,
    is_under: bool,
    over: Vec<(Field<'a>, String)>,
}

impl<'a> Way<'a> {
    /// The way to a key.
    fn key(&self, key: &str, is_caught: bool) -> Option<Way<'a>> {
        let own = std::iter::once((self.node, &self.path, false));
        let under = self.under.iter().map(|(node, path)| (*node, path, true));
        let mut written = own.chain(under).filter_map(|(node, path, is_under)| {
            let field = node.field(key)?;
            Some((field, node, path, is_under))
        });
        let (field, holder, path, is_under) = written.next()?;
        let is_map = |field: &Field<'_>| field.value.kind() == Kind::Mapping;
        let over: Vec<_> = written
            .take_while(|(other, ..)| is_map(&field) && is_map(other))
            .map(|(other, _, path, _)| (other, yaml::join(path, key)))
            .collect();
        let caught = self.caught.iter().map(String::as_str);
        let caught = caught.chain(is_caught.then_some(key)).map(str::to_owned);
        Some(Way {
            node: field.value,
            path: yaml::join(path, key),
            caught: caught.collect(),
            last: Some((field, holder, path.clone())),
            under: over
                .iter()
                .map(|(field, path)| (field.value, path.clone()))
                .collect(),
            is_under: self.is_under || is_under,
            over,
        })
    }

    /// The names of all keys.
    fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let under = self.under.iter().flat_map(|(node, _)| node.fields());
        for field in self.node.fields().into_iter().chain(under) {
            names.extend(field.name().filter(|name| !names.contains(name)));
        }
        names
    }

    fn item(&self, item: Node<'a>, index: usize) -> Way<'a> {
        Way {
            node: item,
            path: yaml::index(&self.path, index),
            caught: self
                .caught
                .iter()
                .cloned()
                .chain([index.to_string()])
                .collect(),
            last: None,
            under: Vec::new(),
            is_under: self.is_under,
            over: Vec::new(),
        }
    }

    fn end(self) -> Option<Spot<'a>> {
        let (field, holder, holder_path) = self.last?;
        Some(Spot {
            field,
            holder,
            holder_path,
            path: self.path,
            caught: self.caught,
            is_under: self.is_under,
            over: self.over,
        })
    }
}

impl<'a> Values<'a> {
    fn start(&self) -> Way<'a> {
        Way {
            node: self.root,
            path: self.base.clone(),
            caught: Vec::new(),
            last: None,
            under: self.under.clone(),
            is_under: false,
            over: Vec::new(),
        }
    }

    /// Everything that is written at a path.
    pub(super) fn all(&self, path: &ValuePath) -> Vec<Spot<'a>> {
        let mut ways = vec![self.start()];
        for step in path.steps() {
            let next = ways.iter().flat_map(|way| -> Vec<Way<'a>> {
                match step {
                    Step::Key(key) => way.key(key, false).into_iter().collect(),
                    Step::AnyKey => {
                        let names = way.names().into_iter();
                        names.filter_map(|name| way.key(name, true)).collect()
                    }
                    Step::Items => {
                        let items = way.node.items().enumerate();
                        items.map(|(index, item)| way.item(item, index)).collect()
                    }
                }
            });
            ways = next.collect();
        }
        ways.into_iter().filter_map(Way::end).collect()
    }

    /// What is at a path whose `*` and `[]` stand for these keys and indices.
    pub(super) fn at(&self, path: &ValuePath, caught: &[String]) -> At<'a> {
        let mut way = self.start();
        let mut caught = caught.iter();
        for step in path.steps() {
            let next = match step {
                Step::Key(key) => way.key(key, false),
                Step::AnyKey => {
                    let Some(key) = caught.next() else {
                        return At::Open;
                    };
                    way.key(key, true)
                }
                Step::Items => {
                    let index = caught.next().and_then(|text| text.parse().ok());
                    let Some(index) = index else {
                        return At::Open;
                    };
                    way.node
                        .items()
                        .nth(index)
                        .map(|item| way.item(item, index))
                }
            };
            match next {
                Some(next) => way = next,
                None if may_hide(way.node) => return At::Open,
                None if way.under.iter().any(|(under, _)| may_hide(*under)) => return At::Open,
                None => return At::Absent,
            }
        }
        way.end().map_or(At::Open, At::Written)
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: &Condition, caught: &[String]) -> Truth {
        let Some(all) = &condition.all else {
            return Truth::Unknown;
        };
        Truth::all(
            all.iter()
                .map(|(path, wanted)| match self.at(path, caught) {
                    At::Written(spot) if is_filled_in(spot.field.value) => Truth::Unknown,
                    At::Written(spot) => match spot.field.value.raw() {
                        Some(text) if is_placeholder(text) => Truth::Unknown,
                        Some(_) if spot.field.value.is_null() => Truth::Unknown,
                        Some(text) => (text == wanted).into(),
                        None => Truth::Unknown,
                    },
                    // A table has conditions only for what differs from the default.
                    At::Absent if !self.open => Truth::No,
                    At::Absent | At::Open => Truth::Unknown,
                }),
        )
    }
}

/// Whether a node may have more fields once it is filled in.
fn may_hide(node: Node<'_>) -> bool {
    let has_gap = |field: &Field<'_>| field.name().is_none_or(is_placeholder);
    is_filled_in(node)
        || (node.kind() == Kind::Mapping && node.fields().iter().any(has_gap))
        || (node.kind() == Kind::Scalar && !node.is_null())
}
