//! Templates that are filled in with all values of a release: the pods that are known must be those that Helm makes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::claims::{Chart, collect, is_named};
use super::written::{as_read, meets, same, same_terms};
use super::{Pod, Rendered};
use crate::builtin::TABLE;
use kubetaint::extract::{ChartSources, ChartTemplates, FileFacts, is_placeholder, made_of_values};
use kubetaint::model::Field;
use kubetaint::model::workload::Workload;
use kubetaint::source::{Source, SourceId};
use kubetaint::yaml;
use serde_json::{Value as Json, json};

/// The templates of a chart that make pods, with their paths.
pub struct Templates {
    parsed: Option<ChartSources>,
    paths: BTreeMap<SourceId, String>,
}

/// What a comparison of filled templates counts.
#[derive(Default)]
pub struct Filled {
    /// Releases of charts.
    releases: usize,
    /// Those of which it is known what the templates make.
    known: usize,
    /// Tolerations and node selections of pods that are known.
    fields: usize,
    /// Those that are known in part.
    in_part: usize,
}

impl Filled {
    pub fn said(&self) -> String {
        format!(
            "{} of {} releases are filled in: {} fields known, {} in part",
            self.known, self.releases, self.fields, self.in_part
        )
    }
}

impl Templates {
    pub fn of(chart: &Chart) -> Templates {
        let mut files = Vec::new();
        collect(&chart.folder.join("templates"), &mut files);
        collect(&chart.folder.join("charts"), &mut files);
        let (mut templates, mut named, mut paths) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (file, id) in files.iter().zip((1..).map(SourceId)) {
            let path = below(file, &chart.folder);
            let Ok(text) = fs::read_to_string(file) else {
                continue;
            };
            let facts = chart.facts.get(&path);
            if facts.is_some_and(|facts| !facts.workloads.is_empty()) {
                templates.push((Source::new(path.as_str(), text).rendered(true), id));
                paths.insert(id, path);
            } else if !path.ends_with(".yaml") {
                named.push((text, id));
            }
        }
        let defaults = fs::read_to_string(chart.folder.join("values.yaml")).unwrap_or_default();
        let changes = |facts: &FileFacts| !facts.changed_values.is_empty();
        let parsed = match chart.facts.values().any(changes) {
            true => None,
            false => ChartTemplates::parse(templates, named, Some((defaults, SourceId(0)))),
        };
        let parsed = parsed.map(|parsed| {
            let mut sources = ChartSources::default();
            sources.add_templates("", parsed);
            sources
        });
        Templates { parsed, paths }
    }

    /// What differs between the pods that Helm makes of values and those that are known.
    pub fn differences(
        &self,
        values: &Json,
        rendered: &[Rendered],
        tally: &mut Filled,
    ) -> Vec<String> {
        tally.releases += 1;
        let written = yaml::parse(&values.to_string(), SourceId(u32::MAX - 1));
        let root = written.documents.first().map(|one| one.root());
        let parsed = self.parsed.as_ref();
        let pods = parsed.and_then(|parsed| made_of_values((parsed, ""), root.as_slice(), &TABLE));
        let Some(pods) = pods else {
            return Vec::new();
        };
        tally.known += 1;
        let mut found = Vec::new();
        for template in rendered.iter().filter(|one| one.refused.is_empty()) {
            let own = pods.iter().filter(|one| {
                let path = self.paths.get(&one.source);
                path.is_some_and(|path| *path == template.path)
            });
            let own: Vec<&Workload> = own.collect();
            for pod in &template.pods {
                let alike: Vec<_> = own.iter().filter(|one| may_be(one, pod)).collect();
                let said = || format!("{}/{} in {}", pod.kind, pod.name, template.path);
                let Some(made) = as_read(pod) else { continue };
                if !self.paths.values().any(|path| *path == template.path) {
                    continue;
                }
                let agree = alike.iter().filter_map(|one| compared(one, &made)).max();
                match agree {
                    Some((known, in_part)) => {
                        tally.fields += known;
                        tally.in_part += in_part;
                    }
                    None if alike.is_empty() => found.push(format!("{} is not known", said())),
                    None => found.push(format!("{} has {}", said(), json!(pod.fields))),
                }
            }
            for one in own {
                let is_made = template.pods.iter().any(|pod| may_be(one, pod));
                if !is_made {
                    let name = one.component.as_deref().unwrap_or_default();
                    let kind = &one.object.kind;
                    found.push(format!("{}: {kind} {name} is not made", template.path));
                }
            }
        }
        found
    }
}

fn below(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.to_string_lossy().into_owned()
}

/// Whether a pod may be this one.
fn may_be(own: &Workload, pod: &Pod) -> bool {
    let end = own.component.as_deref().unwrap_or_default();
    (own.object.kind == pod.kind || is_placeholder(&own.object.kind))
        && own.path == pod.place
        && is_named(end, &pod.name)
}

/// How many fields of a pod are known, and how many in part. `None` if one is wrong.
pub fn compared(own: &Workload, made: &Workload) -> Option<(usize, usize)> {
    let (own, made) = (&own.shape, &made.shape);
    let same_list = own.tolerations.len() == made.tolerations.len();
    let entries = own.tolerations.iter().zip(&made.tolerations);
    if own.unread_tolerations.is_none() && !(same_list && entries.clone().all(|(a, b)| same(a, b)))
    {
        return None;
    }
    let (own_nodes, nodes) = (&own.selection, &made.selection);
    let mut labels = own_nodes.node_selector.iter();
    let has_labels = labels.all(|(key, value)| {
        let other = nodes.node_selector.get(key);
        other.is_some_and(|other| meets(value, other))
    });
    let same_count = own_nodes.node_selector.len() == nodes.node_selector.len();
    let same_nodes = has_labels && same_count && same_terms(own_nodes, nodes);
    if !own_nodes.unknown && !same_nodes {
        return None;
    }
    let is_open = own_nodes.unknown
        || own_nodes.has_unknown_values()
        || matches!(own_nodes.required, Field::Unknown);
    let in_part = [own.unread_tolerations.is_some(), is_open];
    let in_part = in_part.into_iter().filter(|one| *one).count();
    Some((2 - in_part, in_part))
}
