//! What templates write themselves: the pods that Helm makes of a template must agree with a variant of it that was read.

use super::claims::{Chart, is_named};
use super::{Pod, Rendered, Tally};
use crate::builtin::TABLE;
use kubetaint::extract::{self, FileFacts};
use kubetaint::model::Field;
use kubetaint::model::node_selection::{NodeSelection, Requirement, Term};
use kubetaint::model::toleration::Toleration;
use kubetaint::model::workload::{Stands, Workload};
use kubetaint::source::{Source, SourceId, Span};
use serde_json::json;

/// What differs between the pods of some templates and what was read of them.
pub fn differences(chart: &Chart, templates: &[Rendered], tally: &mut Tally) -> Vec<String> {
    let mut found = Vec::new();
    for template in templates {
        let Some(facts) = chart.facts.get(&template.path) else {
            continue;
        };
        if !template.refused.is_empty() {
            continue;
        }
        for pod in &template.pods {
            let own = candidates(facts, pod);
            let Some(made) = as_read(pod).filter(|_| !own.is_empty()) else {
                continue;
            };
            let blocks = chart
                .blocks
                .get(&template.path)
                .expect("blocks of each template");
            let checks: [(&str, Check); 2] = [("tolerations", tolerations), ("nodes", nodes)];
            for (field, check) in checks {
                let all: Vec<_> = own
                    .iter()
                    .map(|workload| check(workload, &made, blocks))
                    .collect();
                match all.iter().flatten().max() {
                    Some(true) => tally.known += 1,
                    Some(false) => tally.in_part += 1,
                    None => found.push(format!(
                        "{field} of {}/{} in {} are {}",
                        pod.kind,
                        pod.name,
                        template.path,
                        json!(pod.fields)
                    )),
                }
            }
        }
    }
    found
}

/// Compares a workload of a template with a rendered one: `None` if they differ, else whether it is known completely.
type Check = fn(&Workload, &Workload, &Blocks) -> Option<bool>;

/// The workloads of a template that a pod may be.
fn candidates<'f>(facts: &'f FileFacts, pod: &Pod) -> Vec<&'f Workload> {
    let same = facts.workloads.iter().filter(|workload| {
        let name = workload.object.name.as_deref().unwrap_or("$unknown");
        let end = name.rsplit("$unknown").next().unwrap_or_default();
        workload.object.kind == pod.kind
            && workload.path == pod.place
            && workload.stands == Stands::Alone
            && (is_named(end, &pod.name) || end.contains('$'))
    });
    same.collect()
}

/// A rendered pod, read as a manifest.
pub fn as_read(pod: &Pod) -> Option<Workload> {
    let mut spec = pod.fields.clone();
    spec.insert("containers".to_owned(), json!([]));
    let manifest =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec});
    let source = Source::new("pod.yaml", manifest.to_string());
    let facts = extract::extract(&source, SourceId(0), &TABLE);
    facts.workloads.into_iter().next()
}

fn tolerations(own: &Workload, made: &Workload, blocks: &Blocks) -> Option<bool> {
    let made = &made.shape.tolerations;
    let is_known = own.shape.unread_tolerations.is_none();
    let mut others = made.iter();
    for (entry, located) in own.shape.tolerations.iter().zip(&own.located) {
        let mut rest = others.clone();
        match rest.any(|other| same(entry, other)) {
            true => others = rest,
            // The order of what is not known is not known either.
            false if !is_known && made.iter().any(|other| same(entry, other)) => {}
            false if blocks.may_leave_out(located.entry, own.span) => {}
            false => return None,
        }
    }
    let entries = &own.shape.tolerations;
    if is_known && made.len() > entries.len() {
        return None;
    }
    let open = |one: &Toleration| {
        let fields = [&one.key, &one.operator, &one.value, &one.effect];
        fields.iter().any(|field| field.is_unknown())
    };
    Some(is_known && !entries.iter().any(open))
}

pub fn same(own: &Toleration, other: &Toleration) -> bool {
    meets(&own.key, &other.key)
        && meets(&own.operator, &other.operator)
        && meets(&own.value, &other.value)
        && meets(&own.effect, &other.effect)
        && (own.toleration_seconds.is_unknown()
            || own.toleration_seconds == other.toleration_seconds)
}

/// Whether a field may be the other one.
pub fn meets(own: &Field<String>, other: &Field<String>) -> bool {
    let text = |field: &Field<String>| field.known().cloned().unwrap_or_default();
    own.is_unknown() || other.is_unknown() || text(own) == text(other)
}

fn nodes(own: &Workload, made: &Workload, blocks: &Blocks) -> Option<bool> {
    let may_lack = |key: &str| {
        let mut all = own.selectors.iter().filter(|(known, ..)| known == key);
        all.any(|(_, span, _)| blocks.may_leave_out(*span, own.span))
    };
    let (own, other) = (&own.shape.selection, &made.shape.selection);
    let labels = own
        .node_selector
        .iter()
        .all(|(key, value)| match other.node_selector.get(key) {
            Some(other) => meets(value, other),
            None => may_lack(key),
        });
    if own.unknown {
        return labels.then_some(false);
    }
    let more = |key: &String| !own.node_selector.contains_key(key);
    let terms = match (&own.required, &other.required) {
        (Field::Is(terms), Field::Absent) => {
            let mut all = terms.iter().flat_map(|term| &term.expressions);
            all.any(|one| one.key.known().is_some_and(|key| may_lack(key)))
        }
        _ => same_terms(own, other),
    };
    let same = labels && terms && !other.node_selector.keys().any(more);
    same.then(|| !own.has_unknown_values() && !own.required.is_unknown())
}

pub fn same_terms(own: &NodeSelection, other: &NodeSelection) -> bool {
    let same_all = |own: &[Requirement], other: &[Requirement]| {
        own.len() == other.len()
            && own.iter().zip(other).all(|(own, other)| {
                meets(&own.key, &other.key)
                    && meets(&own.operator, &other.operator)
                    && own.values.len() == other.values.len()
                    && own
                        .values
                        .iter()
                        .zip(&other.values)
                        .all(|(own, other)| meets(own, other))
            })
    };
    let same_term = |(own, other): (&Term, &Term)| {
        same_all(&own.expressions, &other.expressions) && same_all(&own.fields, &other.fields)
    };
    match (&own.required, &other.required) {
        (Field::Unknown, _) | (Field::Absent, Field::Absent) => true,
        (Field::Is(own), Field::Is(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(same_term)
        }
        _ => false,
    }
}

/// The blocks of a Go template: for each action, the blocks that the text behind it is in.
pub struct Blocks(Vec<(usize, Vec<usize>)>);

impl Blocks {
    pub fn of(text: &str) -> Blocks {
        let mut all = vec![(0, Vec::new())];
        let mut around = Vec::new();
        let mut from = 0;
        while let Some(start) = text[from..].find("{{").map(|at| from + at) {
            let Some(end) = text[start..].find("}}").map(|at| start + at) else {
                break;
            };
            let action = text[start + 2..end].trim_start_matches('-').trim_start();
            match action.split(|c: char| !c.is_alphabetic()).next() {
                Some("if" | "with" | "range" | "define" | "block") => around.push(start),
                Some("else") => {
                    around.pop();
                    around.push(start);
                }
                Some("end") => {
                    around.pop();
                }
                _ => {}
            }
            all.push((end, around.clone()));
            from = end;
        }
        Blocks(all)
    }

    /// Whether a block that something is in may be left out of what is written around it. What comes from another file may
    /// stand in a block there.
    fn may_leave_out(&self, at: Span, beside: Span) -> bool {
        let around = |at: u32| {
            let known = self.0.iter().rev().find(|(end, _)| *end <= at as usize);
            known.map_or(&[][..], |(_, around)| around)
        };
        at.source != beside.source || !around(beside.start).starts_with(around(at.start))
    }
}
