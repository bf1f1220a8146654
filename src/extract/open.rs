//! What is open in a pool because values are not known, in Terraform and in plans; and lists that count for want of
//! others.

use super::notation::Anchored;
use super::pool_document::{Condition, PoolDocument, open_at};
use super::pools::PoolReader;
use crate::yaml::{self, Found, Node};

/// What `taints-by-pool` and `labels-by-pool` call every pool.
const EVERY_POOL: &str = "all";

impl PoolDocument<'_> {
    /// Whether a plan does not know yet what will stand at a path.
    fn unknown_in_plan(&self, path: &Anchored) -> bool {
        self.after_unknown.is_some_and(|root| {
            let found = path.path.find(root);
            found.into_iter().any(|one| holds_true(one.node))
        })
    }
}

/// `true` somewhere in a tree.
fn holds_true(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.as_bool() == Some(true) {
            return true;
        }
        open.extend(node.items());
        open.extend(node.fields().into_iter().map(|field| field.value));
    }
    false
}

impl<'a> PoolReader<'_, 'a> {
    fn is_written(&self, paths: &[Anchored]) -> bool {
        paths.iter().any(|path| {
            let found = self.document.find(self.element, path, "");
            found.iter().any(|one| !one.node.is_null())
        })
    }

    pub(super) fn is_open(&self, paths: &[Anchored]) -> bool {
        let mut open = paths
            .iter()
            .map(|path| open_at(self.document, self.element, path));
        open.any(|why| why.is_some())
    }

    /// Taints that count for want of others, and those that stand under the pool's name.
    pub(super) fn other_taints(&mut self) -> Vec<Found<'a>> {
        let row = self.row;
        let mut found = self.of_this_pool(&row.taints_by_pool);
        if !self.is_written(&row.taints) && !self.is_open(&row.taints) {
            for path in &row.fallback_taints {
                found.extend(self.document.find(self.element, path, &self.path));
            }
        }
        found
    }

    /// The same for labels.
    pub(super) fn other_labels(&mut self) -> Vec<Found<'a>> {
        let row = self.row;
        let mut found = self.of_this_pool(&row.labels_by_pool);
        if !self.is_written(&row.labels) {
            for path in &row.fallback_labels {
                found.extend(self.document.find(self.element, path, &self.path));
            }
        }
        found
    }

    /// Whether maps from pool names have something for single pools.
    fn names_pools(&self, paths: &[Anchored]) -> bool {
        let mut maps = paths
            .iter()
            .flat_map(|path| self.document.find(self.element, path, ""));
        maps.any(|map| {
            let mut fields = map.node.fields().into_iter();
            fields.any(|field| field.name().is_some_and(|name| name != EVERY_POOL))
        })
    }

    /// What maps from pool names have for this pool, and for all.
    fn of_this_pool(&mut self, paths: &[Anchored]) -> Vec<Found<'a>> {
        let mut found = Vec::new();
        for path in paths {
            for map in self.document.find(self.element, path, &self.path) {
                for field in map.node.fields() {
                    let Some(name) = field.name() else { continue };
                    if name == EVERY_POOL || name == self.pool.name {
                        found.push(Found {
                            node: field.value,
                            path: yaml::join(&map.path, name),
                            field: Some(field),
                        });
                    }
                }
            }
        }
        found
    }

    /// It is open whether there is such a pool.
    pub(super) fn doubt(&mut self, condition: Condition<'_>) {
        let why = condition.why_open(self.document, self.element);
        let why = why.unwrap_or("it depends on unknown values");
        self.incomplete(&format!("it may not exist: {why}"));
    }

    /// It is open whether the provider adds a taint.
    pub(super) fn doubt_implied(&mut self, condition: Condition<'_>) {
        match condition.why_open(self.document, self.element) {
            Some(why) => self.incomplete(&format!("the provider may add a taint: {why}")),
            None => self.incomplete("whether the provider adds a taint depends on a template"),
        }
    }

    /// Notes where taints and labels may be that cannot be read, with the reason that the value itself gives.
    pub(super) fn note_open(&mut self) {
        let row = self.row;
        let fallback = !self.is_written(&row.taints);
        let paths = row
            .taints
            .iter()
            .chain(row.fallback_taints.iter().filter(|_| fallback))
            .chain(&row.taint_flags)
            .chain(&row.flags)
            .chain(&row.patches)
            .chain(&row.startup_taints);
        for path in paths {
            let found = self.document.find(self.element, path, "");
            let inside = found.iter().find_map(|one| unknown_taint(one.node));
            let open = open_at(self.document, self.element, path);
            if let Some(why) = open.or(inside) {
                self.incomplete(why);
            }
            if self.document.unknown_in_plan(path) {
                self.incomplete("some of its taints are known only after the plan is applied");
            }
        }
        for path in &row.taints_by_pool {
            let open = open_at(self.document, self.element, path);
            let maps = self.document.find(self.element, path, "");
            let of_key = maps.iter().find_map(|map| {
                let mut fields = map.node.written_fields();
                fields.find_map(|field| field.key.unknown_because())
            });
            if let Some(why) = open.or(of_key) {
                self.incomplete(why);
            }
        }
        if self.name_is_open && self.names_pools(&row.taints_by_pool) {
            self.incomplete("its taints are listed by pool name, and its name is unknown");
        }
        if self.name_is_open && self.names_pools(&row.labels_by_pool) {
            self.open_labels();
        }
        for found in self.of_this_pool(&row.taints_by_pool) {
            if let Some(why) = unknown_taint(found.node) {
                self.incomplete(why);
            }
        }
        let labels = row.labels.iter().chain(&row.fallback_labels);
        for path in labels.chain(&row.labels_by_pool).chain(&row.label_flags) {
            if open_at(self.document, self.element, path).is_some()
                || self.document.unknown_in_plan(path)
            {
                self.open_labels();
            }
        }
    }
}

/// Why a list of taints is not known completely.
fn unknown_taint<'a>(list: Node<'a>) -> Option<&'a str> {
    list.unknown_because()
        .or_else(|| list.items().find_map(in_taint))
        .or_else(|| {
            list.written_fields().find_map(|field| {
                let of_value = in_taint(field.value);
                field.key.unknown_because().or(of_value)
            })
        })
}

fn in_taint<'a>(taint: Node<'a>) -> Option<&'a str> {
    taint.unknown_because().or_else(|| {
        taint.written_fields().find_map(|field| {
            let of_value = field.value.unknown_because();
            field.key.unknown_because().or(of_value)
        })
    })
}
