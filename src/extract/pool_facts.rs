//! The facts about a pool from one place of a document, their combination, and the resulting pool.

use std::collections::BTreeMap;

use jiff::civil::Date;
use thin_vec::ThinVec;

use super::names::Name;
use super::notation::Anchored;
use super::pool_document::{PoolDocument, open_at};
use super::pool_rows::PoolRow;
use super::read::Context;
use super::table::Table;
use crate::model::Field;
use crate::model::node_pool::{AutoscalerTemplate, NodePool, PoolTaint};
use crate::model::node_selection::{OtherLabels, Requirement};
use crate::model::notice::Notice;
use crate::model::workload::Level;
use crate::source::SourceId;
use crate::yaml::{self, Found, Node};

/// The key for every pool in `taints-by-pool` and `labels-by-pool`.
const EVERY_POOL: &str = "all";

/// A pool from one document, before documents that refer to each other are merged.
#[derive(Debug, Clone)]
pub struct ReadPool {
    /// The pool.
    pub pool: NodePool,
    /// The file of its document.
    pub source: SourceId,
    /// Documents that add taints and labels to it.
    pub refers: Vec<Referred>,
    /// Its name as written, by which other documents refer to it, if it is such a part itself.
    pub part: Option<String>,
    /// The kind by which they refer to it, if that is not its own kind.
    pub part_kind: Option<String>,
    /// The part is complete by itself.
    pub whole: bool,
    /// It is in a list of all pools of its cluster.
    pub lists_all: bool,
    /// What identifies its nodes, if it was read from a dump of them: the key and value of a label, or the kind and name of
    /// the object that made their machines.
    pub named_by: Option<(String, String)>,
    /// The day on which its nodes last reported their state.
    pub seen: Option<Date>,
    /// A list of taints is written, even an empty one, so defaults do not apply.
    pub taints_written: bool,
    /// The clusters that get it in this form, as indices of those that the repository shows. Empty if its file says where
    /// it is.
    pub delivered_to: ThinVec<u32>,
}

impl ReadPool {
    /// Creates a pool about which nothing else is known.
    pub(super) fn new(pool: NodePool, source: SourceId) -> Self {
        ReadPool {
            pool,
            source,
            refers: Vec::new(),
            part: None,
            part_kind: None,
            whole: false,
            lists_all: false,
            named_by: None,
            seen: None,
            taints_written: false,
            delivered_to: ThinVec::new(),
        }
    }
}

/// A document that adds to a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referred {
    /// Its kind.
    pub kind: String,
    /// Its name as written. It may contain variables: equal texts in one file become equal names.
    pub name: String,
    /// It may be missing.
    pub optional: bool,
}

/// The part of a document that is read as one pool. It does not change while it is read.
pub(super) struct Element<'e, 'a> {
    pub(super) table: &'e Table,
    pub(super) provider: &'e str,
    pub(super) row: &'e PoolRow,
    pub(super) document: &'e PoolDocument<'a>,
    pub(super) node: Node<'a>,
    pub(super) path: String,
    pub(super) name: Name,
}

impl<'a> Element<'_, 'a> {
    /// Returns what the paths of the row lead to.
    pub(super) fn find<'p>(&self, paths: impl IntoIterator<Item = &'p Anchored>) -> Vec<Found<'a>> {
        let paths = paths.into_iter();
        let found = paths.map(|path| self.document.find(self.node, path, &self.path));
        found.flatten().collect()
    }

    /// Whether one of these paths has a value.
    pub(super) fn is_written(&self, paths: &[Anchored]) -> bool {
        self.find(paths).iter().any(|found| !found.node.is_null())
    }

    /// Whether the value at one of these paths is unknown.
    pub(super) fn is_open(&self, paths: &[Anchored]) -> bool {
        let mut open = paths.iter().map(|path| self.open_at(path));
        open.any(|why| why.is_some())
    }

    /// The reason why the value at a path is unknown, or `None` if it is known.
    pub(super) fn open_at(&self, path: &Anchored) -> Option<&'a str> {
        open_at(self.document, self.node, path)
    }

    /// Whether maps by pool name have entries for single pools.
    pub(super) fn names_pools(&self, paths: &[Anchored]) -> bool {
        self.find(paths).iter().any(|map| {
            let mut fields = map.node.fields().into_iter();
            fields.any(|field| field.name().is_some_and(|name| name != EVERY_POOL))
        })
    }

    /// The entries of maps by pool name for this pool, and for all pools.
    pub(super) fn of_this_pool(&self, paths: &[Anchored]) -> Vec<Found<'a>> {
        let mut found = Vec::new();
        for map in self.find(paths) {
            for field in map.node.fields() {
                let Some(name) = field.name() else { continue };
                if name == EVERY_POOL || name == self.name.text {
                    found.push(Found {
                        node: field.value,
                        path: yaml::join(&map.path, name),
                        field: Some(field),
                    });
                }
            }
        }
        found
    }

    /// The context for readers of single values. It collects `notices`.
    pub(super) fn context<'c>(&'c self, level: Level, notices: &'c mut Vec<Notice>) -> Context<'c> {
        Context {
            object: self.document.object,
            level,
            notices,
        }
    }
}

/// The facts about a pool.
#[derive(Default)]
pub(super) struct PoolFacts {
    pub(super) taints: Vec<PoolTaint>,
    pub(super) labels: BTreeMap<String, Field<String>>,
    pub(super) requirements: Vec<Requirement>,
    /// There may be labels that were not read.
    pub(super) other_labels: bool,
    /// Labels are filled in by a template.
    pub(super) open_labels: bool,
    /// A list of taints is written, even an empty one.
    pub(super) taints_written: bool,
    /// Why some taints are unknown.
    pub(super) incomplete_because: Option<String>,
    /// The template for the autoscaler.
    pub(super) autoscaler: Option<AutoscalerTemplate>,
    pub(super) notices: Vec<Notice>,
}

impl PoolFacts {
    /// Records that some taints are unknown. The first reason is kept.
    pub(super) fn doubt(&mut self, because: impl Into<String>) {
        self.incomplete_because
            .get_or_insert_with(|| because.into());
    }

    /// Records that there may be labels that cannot be read.
    pub(super) fn open_labels(&mut self) {
        self.other_labels = true;
        self.open_labels = true;
    }

    /// Adds the facts from another place. Skips taints that another list already has: nodes carry them once either way.
    /// Duplicates within a list are kept for the rules that check lists.
    pub(super) fn absorb(&mut self, other: PoolFacts) {
        let before = self.taints.len();
        for taint in other.taints {
            let mut known = self.taints.iter().take(before);
            if !known.any(|one| one.taint == taint.taint && one.origin == taint.origin) {
                self.taints.push(taint);
            }
        }
        self.labels.extend(other.labels);
        self.requirements.extend(other.requirements);
        self.other_labels |= other.other_labels;
        self.open_labels |= other.open_labels;
        self.taints_written |= other.taints_written;
        if let Some(why) = other.incomplete_because {
            self.doubt(why);
        }
        self.autoscaler = other.autoscaler.or(self.autoscaler.take());
        self.notices.extend(other.notices);
    }

    /// Adds all facts to a pool.
    pub(super) fn fill(self, pool: &mut NodePool) {
        pool.taints.extend(self.taints);
        pool.labels.labels.extend(self.labels);
        pool.labels.requirements.extend(self.requirements);
        pool.open_labels |= self.open_labels;
        pool.autoscaler = self.autoscaler;
        if self.other_labels {
            pool.labels.others = OtherLabels::Possible;
        }
        if let Some(why) = self.incomplete_because {
            pool.doubt(why);
        }
    }
}
