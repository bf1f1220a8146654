//! Documents that helm or kustomize has printed. Their facts get the places of the lines that they come from.

use super::chart_sources::ChartSources;
use super::reading::Reading;
use super::relocation::Text;
use super::table::Table;
use super::{FileFacts, document};
use crate::finding::{Because, Object, Open};
use crate::model::workload::{MoreTolerations, Workload};
use crate::rendering::Tool;
use crate::source::{Source, Span};
use crate::yaml::Pieces;

const OTHER_VALUES: &str = "other values of the chart may add tolerations";

/// Whether a rendered document may have something to do with scheduling.
pub fn is_about_scheduling(text: &str, table: &Table) -> bool {
    const TOPICS: [&str; 5] = [
        "oleration",
        "aint",
        "nodeSelector",
        "ffinity",
        "containers:",
    ];
    // What these contain is read from the files that it comes from.
    const OTHERS: [&str; 3] = ["ConfigMap", "CustomResourceDefinition", "Secret"];
    let is_other = |line: &str| {
        let kind = line.strip_prefix("kind: ");
        kind.is_some_and(|kind| OTHERS.contains(&kind.trim_end()))
    };
    let has_topic = || TOPICS.iter().any(|word| text.contains(word));
    (has_topic() || table.names_kinds(text)) && !text.lines().any(is_other)
}

/// Reads one rendered document. `path` is the file that it belongs to, and `whole` the place of what has no place of its
/// own.
pub fn extract_rendered(
    pieces: &Pieces,
    whole: Span,
    path: &str,
    tool: Tool,
    table: &Table,
) -> FileFacts {
    let (file, none) = (Source::new(path, ""), ChartSources::default());
    let text = Text {
        pieces,
        whole,
        owner: &Object::default(),
        reading: Reading::alone(&file, whole.source, table, &none),
    };
    let Some(mut facts) = text.read(true, &document::read) else {
        let why = format!("what {} prints for it is not valid YAML", tool.name());
        return FileFacts {
            not_judged: vec![Open::part(whole, Because::Own(why.into()))],
            ..FileFacts::default()
        };
    };
    facts.documents = 0;
    // These are read from the files themselves.
    facts.ignores = Default::default();
    facts.overlays.clear();
    facts.kustomizations.clear();
    facts.inventories.clear();
    facts.unreadable.clear();
    if tool == Tool::Helm {
        facts.workloads.iter_mut().for_each(doubt);
        for read in &mut facts.pools {
            read.pool
                .doubt("other values of the chart may change it".to_owned());
        }
    }
    facts
}

/// The chart's own values may leave out what other values say. What they do say is known.
fn doubt(workload: &mut Workload) {
    if !workload.selectors.is_empty() {
        return;
    }
    let mut shape = (*workload.shape).clone();
    shape
        .unread_tolerations
        .get_or_insert(MoreTolerations::Template(OTHER_VALUES));
    shape.selection.unknown = true;
    workload.shape = shape.into();
}
