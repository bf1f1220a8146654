//! Values of known charts: the tables of charts say which pods a list of tolerations or a node selector reaches, so it is
//! read as part of these pods.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::FileFacts;
use super::character;
use super::chart_notices;
use super::chart_pods::{Reached, reached};
use super::chart_values::{At, Instance, Spot, Values};
use super::filled_charts;
use super::installed::Installed;
use super::pod::{Pod, read_affinity_at, read_selector_at};
use super::read::{is_filled_in, read_text};
use super::subject::Subject;
use super::workloads;
use crate::charts::{Group, Input, ValuePath};
use crate::model::toleration::Toleration;
use crate::model::workload::{Level, MoreTolerations, Stands, Workload};
use crate::model::{Field, Truth};
use crate::source::Span;
use crate::yaml::{Kind, NodeId};

/// What the values of a release say.
#[derive(Default)]
pub(super) struct Charted {
    pub(super) facts: FileFacts,
    /// Lists of tolerations that were read.
    pub(super) lists: HashSet<NodeId>,
}

impl Charted {
    pub(super) fn absorb(&mut self, other: Charted) {
        self.facts.absorb(other.facts);
        self.lists.extend(other.lists);
    }
}

/// Reads the values of a release of a known chart.
pub(super) fn read(subject: &Subject<'_>, values: &Values<'_>, installed: &Installed) -> Charted {
    let mut charted = Charted::default();
    for group in &installed.edition.values {
        let inputs = group
            .inputs()
            .flat_map(|(_, input)| values.all(&input.path));
        let mut instances: BTreeSet<Vec<String>> = inputs.map(|spot| spot.caught).collect();
        if instances.is_empty() && !values.open && installed.is_own() && has_defaults(group) {
            instances.insert(Vec::new());
        }
        for caught in instances {
            // What lies below is read by itself.
            if !values.is_whole && !values.under.is_empty() && !says_more(values, group, &caught) {
                continue;
            }
            let of = Instance {
                subject,
                values,
                installed,
                group,
                caught: &caught,
            };
            GroupReading { of }.read(&mut charted);
        }
    }
    if let Some(folder) = installed.folder.as_ref().filter(|_| !values.open) {
        charted.facts.installs.push(folder.clone());
        let under = values.under.iter().map(|(root, _)| *root);
        let layers: Vec<_> = std::iter::once(values.root).chain(under).collect();
        if let Some(made) = filled_charts::workloads(subject, (&layers, true), installed) {
            charted.facts.workloads = made;
        }
    }
    // Templates in the repository may read values in ways that are not understood.
    if !installed.is_own() {
        let notices = &mut charted.facts.notices;
        let unread = chart_notices::unread(subject, values, installed, notices);
        charted.lists.extend(unread);
    }
    charted
}

/// Whether values say something of a group that those below them do not.
fn says_more(values: &Values<'_>, group: &Group, caught: &[String]) -> bool {
    let mut inputs = group.inputs().map(|(_, input)| &input.path);
    inputs.any(|path| match values.at(path, caught) {
        At::Written(spot) => !spot.is_under,
        At::Absent | At::Open => false,
    })
}

/// Drops the labels of a selector that are written again in values above.
fn keep_uppermost(selectors: &mut Vec<(String, Span, String)>) {
    let mut seen = HashSet::new();
    selectors.reverse();
    selectors.retain(|(key, _, _)| seen.insert(key.clone()));
    selectors.reverse();
}

/// Reads the values of one group.
struct GroupReading<'g, 'a> {
    of: Instance<'g, 'a>,
}

impl<'g, 'a> GroupReading<'g, 'a> {
    fn at(&self, input: Option<&Input>) -> Option<At<'a>> {
        input.map(|input| self.of.values.at(&input.path, self.of.caught))
    }

    fn read(&self, charted: &mut Charted) {
        let Some(reached) = reached(&self.of) else {
            return;
        };
        let tolerations = self.of.group.tolerations.as_ref();
        let list = match self.at(tolerations) {
            Some(At::Written(spot)) => Some(spot),
            _ => None,
        };
        if let (Some(input), Some(spot)) = (tolerations, &list) {
            let is_idle = input
                .only_if
                .as_ref()
                .map(|condition| self.of.values.holds(condition, self.of.caught));
            match is_idle {
                Some(Truth::No) => {
                    chart_notices::idle(&self.of, input, spot, &mut charted.facts.notices);
                    return;
                }
                Some(Truth::Unknown) => return,
                Some(Truth::Yes) | None => {}
            }
            if input.text || input.uncertain || !self.is_readable(spot) {
                return;
            }
        }
        let workload = self.workload(&reached, list.as_ref(), &mut charted.facts);
        let Some(workload) = workload else { return };
        if let (Some(input), Some(spot)) = (tolerations, &list)
            && !spot.is_under
        {
            charted.lists.insert(spot.field.value.id());
            let on_every_node = reached.kind == "DaemonSet";
            let notices = &mut charted.facts.notices;
            chart_notices::replaced(&self.of, input, &workload, on_every_node, notices);
        }
        charted.facts.workloads.push(workload);
    }

    /// Whether a value under `tolerations` can be read as a list: templates copy it into the pods as it is.
    fn is_readable(&self, spot: &Spot<'_>) -> bool {
        let value = spot.field.value;
        match value.kind() {
            Kind::Sequence => true,
            Kind::Mapping => self.of.installed.sure && !value.fields().is_empty(),
            Kind::Scalar => value.is_null() || is_filled_in(value),
        }
    }

    /// The pods as a workload, or `None` if the values say nothing that can be judged.
    fn workload(
        &self,
        reached: &Reached<'_>,
        list: Option<&Spot<'a>>,
        facts: &mut FileFacts,
    ) -> Option<Workload> {
        let subject = self.of.subject;
        let level = match self.of.installed.sure {
            true => Level::Chart,
            false => Level::Values,
        };
        let mut notices = Vec::new();
        let mut context = subject.context(level, &mut notices);
        let mut read = Pod::default();
        if let Some(spot) = list {
            read.tolerations = context.read_tolerations(spot.field, &spot.path);
        }
        // What lies below has been told where it is read by itself.
        let told = context.notices.len() * usize::from(list.is_some_and(|spot| spot.is_under));
        context.notices.drain(..told);
        // Charts that write each label of a selector separately, in quotes, are not rare.
        context.level = Level::Other;
        let mut place = list.filter(|spot| !spot.is_under).cloned();
        let selector = self.at(self.of.group.node_selector.as_ref());
        match &selector {
            Some(At::Written(spot)) => {
                for (under, path) in spot.over.iter().rev() {
                    read_selector_at(&mut context, *under, path, &mut read);
                }
                read_selector_at(&mut context, spot.field, &spot.path, &mut read);
                keep_uppermost(&mut read.selectors);
                place = place.or_else(|| Some(spot.clone()).filter(|spot| !spot.is_under));
            }
            Some(At::Open) => read.selection.unknown = true,
            Some(At::Absent) | None => {}
        }
        let affinity = self.at(self.of.group.affinity.as_ref());
        match &affinity {
            Some(At::Written(spot)) => {
                read_affinity_at(&mut context, spot.field.value, &spot.path, &mut read);
                read.selection.unknown |= !spot.over.is_empty();
                place = place.or_else(|| Some(spot.clone()).filter(|spot| !spot.is_under));
            }
            Some(At::Open) => read.selection.unknown = true,
            Some(At::Absent) | None => {}
        }
        let by_default = self.take_defaults(list.is_some(), &mut read);
        if place.is_none() && by_default.is_none() {
            return None;
        }
        // Other values may add to a selector, which only leaves fewer nodes. They rarely replace what one file has together.
        let is_together = list.is_some() && matches!(selector, Some(At::Written(_)));
        read.selection.unknown |= self.of.values.open && !is_together;
        self.complete_selection(selector.as_ref(), affinity.as_ref(), &mut read);
        let (possible, reason) = self.additions(list.is_some() || read.tolerations.span.is_some());
        let unread = read.tolerations.unread.or(reason);
        if list.is_none() && (level != Level::Chart || unread.is_some() || read.selection.unknown) {
            return None;
        }
        let says_where = !read.selectors.is_empty();
        if list.is_none() && !says_where && by_default.is_none() {
            return None;
        }
        if let Some(place) = &place {
            self.read_holder(place, &mut read);
        }
        facts.notices.append(&mut notices);
        let mut shape = workloads::shape(subject, level, &read, unread, Stands::Alone);
        shape.possible = possible;
        let holder = place.as_ref().map_or(subject.root, |place| place.holder);
        shape.character = character::of(subject, holder, level);
        reached.kind.clone_into(&mut shape.character.controller);
        let names = [reached.name.unwrap_or_default(), &self.of.installed.chart];
        shape.character.agent |=
            reached.kind == "DaemonSet" && subject.reading.table.is_node_agent(&names);
        if level == Level::Chart && reached.only {
            reached.kind.clone_into(&mut shape.kind);
        }
        let written = place.as_ref().map(|place| place.field.key.span());
        let span = written.or(by_default)?;
        let path = place.map_or_else(String::new, |place| place.holder_path);
        let mut workload = workloads::workload(subject, shape, read, path, Stands::Alone, span);
        workload.component = reached.name.map(Into::into);
        let of_release = self.of.installed.namespace.as_deref();
        workload.pods_in = reached.namespace.or(of_release).map(Into::into);
        Some(workload)
    }

    /// Takes the tolerations that a chart of the repository has by default, where nothing else can set them. Returns the place
    /// of its defaults.
    fn take_defaults(&self, is_written: bool, read: &mut Pod) -> Option<Span> {
        if self.of.values.open || !self.of.installed.is_own() {
            return None;
        }
        let group = self.of.group;
        let of_list = group.tolerations.as_ref();
        let default = of_list.and_then(|input| input.default.as_ref());
        let entries = default.and_then(chart_notices::entries);
        let at = of_list.and_then(|input| input.default_at);
        if !is_written && let (Some(entries), Some(at)) = (entries, at) {
            read.tolerations.entries = entries;
            read.tolerations.span = Some(at);
        }
        let others = [&group.node_selector, &group.affinity];
        let mut others = others.into_iter().flatten();
        at.or_else(|| others.find_map(|input| input.default_at))
    }

    /// Reads the fields of the map around a value that have their usual names there.
    fn read_holder(&self, place: &Spot<'_>, read: &mut Pod) {
        read.priority_class = read_text(place.holder.get("priorityClassName"));
        read.host_network = match place.holder.get("hostNetwork") {
            Some(node) => node.as_bool().map_or(Field::Unknown, Field::Is),
            None => Field::Absent,
        };
    }

    /// Adds what the chart adds to a selector, and notes whether more may be selected.
    fn complete_selection(
        &self,
        selector: Option<&At<'_>>,
        affinity: Option<&At<'_>>,
        read: &mut Pod,
    ) {
        let group = self.of.group;
        let both = [&group.node_selector, &group.affinity];
        let others = both.into_iter().flatten();
        let is_unclear = others.clone().any(|input| input.uncertain || input.text);
        let stands_in = group
            .inputs()
            .any(|(_, input)| !input.stands_in_for.is_empty());
        let mut combined = others.flat_map(|input| input.joins.iter().chain(&input.falls_back_to));
        read.selection.unknown |= is_unclear
            || stands_in
            || combined.any(|path| self.may_say(path))
            || self.is_selected_elsewhere();
        if let Some(input) = &group.node_selector {
            let is_written = matches!(selector, Some(At::Written(_)));
            let when_empty = input.when_empty.as_ref().filter(|_| !is_written);
            let added = [input.default.as_ref(), input.keeps.as_ref(), when_empty];
            for labels in added.into_iter().flatten().filter_map(Value::as_object) {
                for (key, value) in labels {
                    let value = value
                        .as_str()
                        .map_or(Field::Unknown, |text| Field::Is(text.to_owned()));
                    read.selection
                        .node_selector
                        .entry(key.clone())
                        .or_insert(value);
                }
            }
        }
        if let Some(input) = &group.affinity {
            // Helm merges maps, so the default requirements may stay beside the written ones.
            let is_replaced =
                matches!(affinity, Some(At::Written(_))) && !read.selection.required.is_absent();
            let has_default = input.default.is_some() || input.when_empty.is_some();
            read.selection.unknown |= has_default && !is_replaced;
        }
    }

    /// Whether values of another group select nodes for the same pods.
    fn is_selected_elsewhere(&self) -> bool {
        self.others().any(|other| {
            let inputs = [&other.node_selector, &other.affinity];
            let mut inputs = inputs.into_iter().flatten();
            inputs.any(|input| self.may_say(&input.path))
        })
    }

    /// Whether values of another group may have tolerations of the same pods.
    fn is_tolerated_elsewhere(&self) -> bool {
        self.others().any(|other| {
            let input = other.tolerations.as_ref();
            input.is_some_and(|input| self.of.values.open || self.may_say(&input.path))
        })
    }

    /// The other groups with values for the same pods.
    fn others(&self) -> impl Iterator<Item = &Group> {
        let groups = self.of.installed.edition.values.iter();
        let others = groups.filter(|other| !std::ptr::eq(*other, self.of.group));
        others.filter(|other| {
            let mut pods = other.all_pods();
            pods.any(|pod| self.of.group.all_pods().any(|own| own.meets(pod)))
        })
    }

    /// Whether another value says something, or has a default that does.
    fn may_say(&self, path: &ValuePath) -> bool {
        let written = self.of.values.all(path);
        if written.iter().any(|spot| !spot.field.value.is_null()) {
            return true;
        }
        let groups = self.of.installed.edition.values.iter();
        let mut inputs = groups
            .flat_map(Group::inputs)
            .filter(|(_, input)| input.path == *path);
        let is_default = inputs.any(|(_, input)| {
            // Nearly every chart selects Linux by default.
            let default = input.default.as_ref().filter(|value| !is_linux(value));
            default.is_some() || input.when_empty.is_some()
        });
        is_default && written.is_empty()
    }

    /// The entries that the chart may add to the list, and why there may be others.
    fn additions(&self, is_written: bool) -> (Vec<Toleration>, Option<MoreTolerations>) {
        let Some(input) = self.of.group.tolerations.as_ref() else {
            let elsewhere = "other values of the chart have its tolerations";
            let reason = self.is_tolerated_elsewhere();
            return (
                Vec::new(),
                reason.then_some(MoreTolerations::Other(elsewhere)),
            );
        };
        let default = input.default.as_ref().or(input.when_empty.as_ref());
        let default = default.filter(|_| !is_written);
        let known = |value: Option<&Value>| match value {
            Some(value) => chart_notices::entries(value),
            None => Some(Vec::new()),
        };
        let (keeps, default) = (known(input.keeps.as_ref()), known(default));
        let reason = if keeps.is_none() {
            Some("the chart adds tolerations")
        } else if input.joins.iter().any(|path| self.may_say(path)) {
            Some("the chart adds tolerations of other values")
        } else if is_written {
            None
        } else if self.of.values.open {
            Some("other values may have tolerations")
        } else if default.is_none() {
            Some("the chart has tolerations by default")
        } else if input.falls_back_to.iter().any(|path| self.may_say(path)) {
            Some("the chart may take tolerations from other values")
        } else if input.uncertain {
            Some("it is not clear which tolerations the chart has")
        } else {
            None
        };
        let both = [keeps, default].into_iter().flatten().flatten();
        (both.collect(), reason.map(MoreTolerations::Other))
    }
}

/// Whether values of a group have defaults in the repository.
fn has_defaults(group: &Group) -> bool {
    group.inputs().any(|(_, input)| input.default_at.is_some())
}

/// Whether a node selector only asks for Linux.
fn is_linux(value: &Value) -> bool {
    let labels = value.as_object();
    labels.is_some_and(|labels| {
        labels.len() == 1 && labels.keys().all(|key| key.ends_with("kubernetes.io/os"))
    })
}
