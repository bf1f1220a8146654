//! Mistakes in the values of known charts: a list that drops entries of the chart's default, a value without effect, and a
//! value that the chart does not read.

use serde_json::Value;

use super::chart_values::{At, Instance, Spot, Values};
use super::duplicates;
use super::installed::Installed;
use super::read::{is_filled_in, is_placeholder, looks_like_tolerations};
use super::subject::Subject;
use crate::charts::{Input, Step, ValuePath};
use crate::finding::Label;
use crate::model::near_miss::nearest_word;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::redundancy::covers;
use crate::model::toleration::Toleration;
use crate::model::workload::{Level, Workload};
use crate::model::{Field, Truth};
use crate::yaml::{Kind, NodeId};

fn level(installed: &Installed) -> Level {
    match installed.sure {
        true => Level::Chart,
        false => Level::Values,
    }
}

/// Reports a value that is written but not used.
pub(super) fn idle(
    group: &Instance<'_, '_>,
    input: &Input,
    spot: &Spot<'_>,
    notices: &mut Vec<Notice>,
) {
    let value = spot.field.value;
    let is_empty =
        value.is_null() || (value.kind() == Kind::Sequence && value.items().next().is_none());
    // What a template fills in may be empty, too.
    let may_be_empty = is_empty || is_filled_in(value);
    let Some(condition) = input.only_if.as_ref().filter(|_| !may_be_empty) else {
        return;
    };
    let kind = NoticeKind::IdleValue {
        value: input.path.to_string(),
        condition: condition.written.clone(),
        chart: group.installed.examined(),
        sure: group.installed.sure,
    };
    let mut context = group.subject.context(level(group.installed), notices);
    context.note(kind, spot.field.key.span(), spot.path.clone());
}

/// Reports a list that replaces the default of its chart, if its entries do not tolerate what the default tolerates.
pub(super) fn replaced(
    group: &Instance<'_, '_>,
    input: &Input,
    workload: &Workload,
    on_every_node: bool,
    notices: &mut Vec<Notice>,
) {
    let own = group.subject.reading.id;
    if input.default_at.is_some_and(|at| at.source == own) {
        return;
    }
    let default = input.default.as_ref().or(input.when_empty.as_ref());
    let Some(default) = default.and_then(Value::as_array) else {
        return;
    };
    let written = &workload.shape.tolerations;
    let Some(list) = workload.list else { return };
    // An empty list is meant. Entries that are not known may be the missing ones.
    if written.is_empty() || workload.shape.unread_tolerations.is_some() {
        return;
    }
    let lost: Vec<String> = default
        .iter()
        .filter_map(entry)
        .filter(|known| !written.iter().any(|own| speaks_of(own, known)))
        .map(|known| format!("`- {known}`"))
        .collect();
    let (Some(first), more) = (lost.first(), lost.len().saturating_sub(1)) else {
        return;
    };
    let kind = NoticeKind::ReplacedDefaults {
        chart: group.installed.examined(),
        lost: match more {
            0 => first.clone(),
            more => format!("{first} and {more} more"),
        },
        all: lost.join(", "),
        certain: on_every_node && group.installed.sure && group.installed.is_certain(),
    };
    let mut context = group.subject.context(level(group.installed), notices);
    let path = match group.values.at(&input.path, group.caught) {
        At::Written(spot) => spot.path,
        At::Absent | At::Open => return,
    };
    context.note(kind, list, path);
    if let (Some(span), Some(notice)) = (input.default_at, notices.last_mut()) {
        let message = "the default of the chart".to_owned();
        notice.related.push(Label { span, message });
    }
}

/// Whether an entry may tolerate what an entry of the default tolerates, or deliberately tolerates less of the same key.
fn speaks_of(own: &Toleration, known: &Toleration) -> bool {
    let has_key = known.key.text().is_some_and(|key| !key.is_empty());
    (has_key && own.key == known.key) || covers(own, known) != Truth::No
}

/// The entries of a list in a chart, or `None` if it is no list of tolerations.
pub(super) fn entries(list: &Value) -> Option<Vec<Toleration>> {
    list.as_array()?.iter().map(entry).collect()
}

/// An entry of a default list.
fn entry(value: &Value) -> Option<Toleration> {
    let fields = value.as_object()?;
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Field::Absent,
        Some(Value::String(text)) if is_placeholder(text) => Field::Unknown,
        Some(Value::String(text)) => Field::Is(text.clone()),
        Some(_) => Field::Unknown,
    };
    let seconds = fields.get("tolerationSeconds").and_then(Value::as_i64);
    Some(Toleration {
        key: text("key"),
        operator: text("operator"),
        value: text("value"),
        effect: text("effect"),
        toleration_seconds: seconds.map_or(Field::Absent, Field::Is),
    })
}

/// Names of fields that mean something for scheduling, as people write them in values.
const FIELDS: [&str; 3] = ["tolerations", "nodeSelector", "affinity"];

/// Reports lists and selectors at paths that the chart does not read, if they resemble one that it reads. Returns them.
pub(super) fn unread(
    subject: &Subject<'_>,
    values: &Values<'_>,
    installed: &Installed,
    notices: &mut Vec<Notice>,
) -> Vec<NodeId> {
    let mut reported = Vec::new();
    let groups = installed.edition.values.iter();
    let inputs: Vec<&Input> = groups
        .flat_map(|group| group.inputs().map(|(_, input)| input))
        .collect();
    let visits = duplicates::walk(values.root);
    for at in 0..visits.len() {
        let Some(name) = duplicates::key_of(&visits, at) else {
            continue;
        };
        let Some(node) = visits.get(at).map(|visit| visit.node) else {
            continue;
        };
        let is_list = looks_like_tolerations(node);
        let resembles = FIELDS.contains(&name) || nearest_word(name, &FIELDS).is_some();
        let is_selector = node.kind() == Kind::Mapping && !node.fields().is_empty();
        if !(is_list || (resembles && is_selector)) {
            continue;
        }
        let steps = steps_of(&visits, at);
        let Some(steps) = steps.filter(|steps| !inputs.iter().any(|one| is_at(&one.path, steps)))
        else {
            continue;
        };
        let near: Vec<&ValuePath> = inputs
            .iter()
            .map(|input| &input.path)
            .filter(|path| is_near(path, &steps))
            .filter(|path| values.all(path).is_empty())
            .collect();
        let [meant] = near.as_slice() else { continue };
        let path = duplicates::path_of(&visits, at, &values.base);
        let kind = NoticeKind::UnreadValue {
            value: steps.join("."),
            meant: meant.to_string(),
            chart: installed.examined(),
            sure: installed.sure,
        };
        let parent = visits.get(duplicates::parent_of(&visits, at));
        let field = parent.and_then(|parent| parent.node.field(name));
        let span = field.map_or(node.span(), |field| field.key.span());
        let mut context = subject.context(level(installed), notices);
        context.note(kind, span, path);
        reported.push(node.id());
    }
    reported
}

/// The keys that lead to a place. `None` if there are lists on the way.
fn steps_of<'a>(visits: &[duplicates::Visit<'a>], mut at: usize) -> Option<Vec<&'a str>> {
    let mut steps = Vec::new();
    while at != 0 {
        steps.push(duplicates::key_of(visits, at)?);
        at = duplicates::parent_of(visits, at);
    }
    steps.reverse();
    Some(steps)
}

/// Whether a path leads to a place, or to something around or inside it.
fn is_at(path: &ValuePath, steps: &[&str]) -> bool {
    std::iter::zip(path.steps(), steps).all(|(step, own)| match step {
        Step::Key(key) => key == own,
        Step::AnyKey | Step::Items => true,
    })
}

/// Whether a path differs from a place in one key, which resembles the other.
fn is_near(path: &ValuePath, steps: &[&str]) -> bool {
    if path.steps().len() != steps.len() {
        return false;
    }
    let mut slips = 0;
    for (step, own) in std::iter::zip(path.steps(), steps) {
        match step {
            Step::Key(key) if key == own => {}
            Step::Key(key) if nearest_word(own, &[key.as_str()]).is_some() => slips += 1,
            Step::AnyKey => {}
            Step::Key(_) | Step::Items => return false,
        }
    }
    slips == 1
}
