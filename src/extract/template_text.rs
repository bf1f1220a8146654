//! Templates: reads the text of each of their branches as manifests. What actions print is unknown.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::chart_inputs::{self, PodInputs};
use super::chart_sources;
use super::read::is_placeholder;
use super::reading::Reading;
use super::relocation::Relocation;
use super::template_signs::WORDS;
use super::{FileFacts, ReadPool, Unread, conditional_duplicates, document, nodes};
use crate::builtin;
use crate::charts::ValuePath;
use crate::finding::{Because, Open};
use crate::model::Field;
use crate::model::node_selection::OtherLabels;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::{MoreTolerations, Workload};
use crate::source::{FileKind, Source, Span};
use crate::template::{Broken, Language, Template, Variant, Wishes};
use crate::yaml::Node;

const BECAUSE: &str = "its document is a template";

const OTHER_BRANCH: &str = "another branch of the template may have tolerations";

/// Words in the text of a named template that makes it worth to be read where others include it.
const DEFINED: [&str; 6] = [
    "olerations:",
    "aints:",
    "nodeSelector:",
    "ffinity:",
    "nodeName:",
    "containers:",
];

/// Words of which a template must contain one to be read.
const TOPICS: [&str; 5] = [
    "oleration",
    "aint",
    "nodeSelector",
    "ffinity",
    "containers:",
];

/// Keys whose values are printed under a key of the same name.
const KEYS: [&str; 3] = ["tolerations", "nodeSelector", "affinity"];

/// The place of a workload and the path of its pods: the same in all variants of a template.
type Place = (Span, String);

/// What is known of a file that is a template.
pub(super) enum TemplateFile {
    /// It was read.
    Read(Box<FileFacts>),
    /// Nothing in it is about scheduling.
    OffTopic,
    /// It is broken.
    Broken(Broken),
    /// It is written in no language that is known.
    Other,
}

/// Reads a file that is a template.
pub(super) fn read(reading: Reading<'_>) -> TemplateFile {
    let Reading { source, table, .. } = reading;
    let has_topic =
        !reading.templates.is_empty() || TOPICS.iter().any(|word| source.text.contains(word));
    if !has_topic && !table.names_kinds(&source.text) {
        return TemplateFile::OffTopic;
    }
    let mut broken = None;
    for language in Language::of(&source.path, &source.text) {
        match Template::parse(&source.text, language) {
            Ok(template) => return TemplateFile::Read(Box::new(read_template(&template, reading))),
            Err(error) => broken = broken.or(Some(error)),
        }
    }
    broken.map_or(TemplateFile::Other, TemplateFile::Broken)
}

fn read_template(template: &Template, reading: Reading<'_>) -> FileFacts {
    let Reading { source, id, .. } = reading;
    let wishes = Wishes {
        words: &WORDS,
        oldest_release: builtin::oldest_release(),
    };
    let variants = template.variants(id, reading.templates, wishes);
    let mut facts = FileFacts {
        defines: template.defines(&DEFINED).into(),
        ..FileFacts::default()
    };
    for printed in template.misprinted(&KEYS) {
        let kind = NoticeKind::MisprintedValue {
            key: printed.key,
            value: printed.value,
            tested: printed.tested.unwrap_or_default(),
            nested: printed.is_nested,
        };
        let span = Span::new(id, printed.at);
        facts.notices.push(Notice::of_file(kind, span));
    }
    let mut known = Known::default();
    let mut pods: BTreeMap<Place, PodInputs> = BTreeMap::new();
    let mut expressions: BTreeMap<Span, bool> = BTreeMap::new();
    for (index, variant) in variants.all.iter().enumerate() {
        let (mut read, inputs) = read_variant(variant, reading, false);
        for (place, input) in inputs {
            for (offset, is_known) in &input.expressions {
                if let Some(place) = variant.text.place(*offset..offset + 1) {
                    *expressions.entry(place).or_default() |= is_known;
                }
            }
            match pods.entry(place) {
                Entry::Vacant(entry) => {
                    entry.insert(input);
                }
                Entry::Occupied(mut entry) => entry.get_mut().add(input),
            }
        }
        if index > 0 {
            read.documents = 0;
            read.unread.clear();
            read.not_judged.clear();
        }
        known.keep_new(&mut read);
        facts.absorb(read);
    }
    if !variants.complete {
        let whole = Span::new(id, 0..0);
        facts.not_judged.push(Open::part(whole, Because::Template));
        let unread = Unread {
            pools: reading.table.names_pools(&source.text),
            tolerations: source.text.contains("olerations"),
        };
        facts.unread.push((whole, unread));
    }
    nodes::fold(&mut facts.pools, reading.table);
    facts.expressions = expressions.into_iter().collect();
    let groups = pods.into_values().flat_map(PodInputs::groups);
    facts.chart_groups = groups.collect();
    if let Some(variant) = variants.all.first().filter(|_| source.rendered) {
        let errors = variant.stream.errors.iter();
        let texts = errors.filter_map(|error| variant.text.text().get(error.document.clone()));
        facts
            .chart_groups
            .extend(texts.filter_map(chart_inputs::unread));
    }
    let changed = variants.changed.into_iter().map(ValuePath::from_steps);
    facts.changed_values = changed.filter(|_| source.rendered).collect();
    facts
}

/// Reads the documents of one variant, and the values of the chart that reach each workload. If its values are filled in, what it
/// says of pools is certain.
pub(super) fn read_variant(
    variant: &Variant,
    reading: Reading<'_>,
    is_filled: bool,
) -> (FileFacts, Vec<(Place, PodInputs)>) {
    let text = variant.text.text();
    let source = Source::new(reading.source.path.as_str(), text).rendered(reading.source.rendered);
    let own = Reading {
        source: &source,
        is_values: chart_sources::names_values(&source.path),
        ..reading
    };
    let mut read = FileFacts::default();
    let mut inputs = Vec::new();
    for error in &variant.stream.errors {
        let text = text.get(error.document.clone()).unwrap_or_default();
        let unread = Unread {
            pools: reading.table.names_pools(text),
            tolerations: text.contains("olerations"),
        };
        let span = variant.text.place(error.span.range());
        let span = span.unwrap_or(Span::new(reading.id, 0..0));
        if unread != Unread::default() {
            read.unread.push((span, unread));
        }
        let is_manifest = reading.source.kind != FileKind::Template || text.contains("apiVersion:");
        if is_manifest || unread != Unread::default() {
            let open = Open::part(error.span, Because::Template);
            read.not_judged.push(open);
        }
    }
    for document in variant
        .stream
        .documents
        .iter()
        .filter(|one| !one.is_empty())
    {
        read.documents += 1;
        let mut facts = document::read(document.root(), own);
        for workload in facts.workloads.iter().filter(|_| source.rendered) {
            let place = variant.text.place(workload.span.range());
            let found = PodInputs::read(workload, document.root(), variant);
            inputs.extend(
                place
                    .zip(found)
                    .map(|(place, found)| ((place, workload.path.clone()), found)),
            );
        }
        for notice in &mut facts.notices {
            conditional_duplicates::add_condition(notice, variant);
        }
        if !is_filled || variant.has_choices() || has_gaps(document.root()) {
            for pool in &mut facts.pools {
                doubt_pool(pool, variant);
            }
        }
        read.absorb(facts);
    }
    if variant.left_out {
        read.workloads.iter_mut().for_each(doubt_workload);
    }
    read.ignores.read_documents(text, &variant.stream.documents);
    Relocation {
        text: &variant.text,
        id: reading.id,
        whole: Span::new(reading.id, 0..0),
        name: None,
    }
    .apply(&mut read);
    (read, inputs)
}

/// Whether something unknown is printed where fields or items of an object may stand, apart from its own metadata.
fn has_gaps(root: Node<'_>) -> bool {
    let is_open = |node: Node<'_>| node.raw().is_some_and(is_placeholder);
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        for field in node.written_fields() {
            let is_own = node.id() == root.id() && field.name() == Some("metadata");
            if is_open(field.key) {
                return true;
            }
            if !is_own {
                open.push(field.value);
            }
        }
        for item in node.items() {
            if is_open(item) {
                return true;
            }
            open.push(item);
        }
    }
    false
}

/// Marks what branches of the template decide in a pool: which taints it has, and which fields these have.
fn doubt_pool(read: &mut ReadPool, variant: &Variant) {
    let pool = &mut read.pool;
    let start = |span: Span| span.start as usize;
    let own = pool.span.or(pool.name_span).map_or(0, start);
    pool.taints.retain(|taint| {
        let at = taint.span.map_or(own, start);
        !variant.is_conditional(at, own)
    });
    for taint in &mut pool.taints {
        let at = taint.span.map_or(own, start);
        let is_open = |field: &str| {
            let field = taint.fields.get(field);
            field.is_some_and(|span| variant.is_conditional(start(*span), at))
        };
        if is_open("key") {
            taint.taint.key = Field::Unknown;
        }
        if is_open("value") {
            taint.taint.value = Field::Unknown;
        }
        if is_open("effect") {
            taint.taint.effect = Field::Unknown;
        }
    }
    pool.incomplete_because = None;
    pool.doubt(BECAUSE);
    pool.labels.others = OtherLabels::Possible;
    pool.open_labels = true;
    read.taints_written = true;
}

/// Marks a workload of a template that has more to say in other branches.
fn doubt_workload(workload: &mut Workload) {
    let mut shape = (*workload.shape).clone();
    shape
        .unread_tolerations
        .get_or_insert(MoreTolerations::Template(OTHER_BRANCH));
    shape.selection.unknown |= workload.selectors.is_empty();
    workload.shape = shape.into();
}

/// Facts that were read before, by their place. Most of what a variant contains is in the others, too.
#[derive(Default)]
struct Known {
    workloads: HashMap<(Span, String), Vec<Workload>>,
    pools: HashMap<Option<Span>, ReadPool>,
    notices: HashMap<Span, Vec<Notice>>,
}

impl Known {
    /// Removes what is already known.
    fn keep_new(&mut self, facts: &mut FileFacts) {
        facts.workloads.retain(|workload| {
            let place = (workload.span, workload.path.clone());
            let known = self.workloads.entry(place).or_default();
            let says_more = workload.list.is_some() || !workload.selectors.is_empty();
            let is_new = known.is_empty()
                || (says_more && !known.iter().any(|known| is_same(known, workload)));
            if is_new {
                known.push(workload.clone());
            }
            is_new
        });
        facts.pools.retain(|read| {
            let place = read.pool.span.or(read.pool.name_span);
            let is_new = !self.pools.contains_key(&place);
            if is_new {
                self.pools.insert(place, read.clone());
            }
            is_new
        });
        facts.notices.retain(|notice| {
            let known = self.notices.entry(notice.span).or_default();
            let is_new = !known.iter().any(|known| known.kind == notice.kind);
            if is_new {
                known.push(notice.clone());
            }
            is_new
        });
    }
}

/// Whether two workloads have the same tolerations and selectors, written in the same places.
fn is_same(one: &Workload, other: &Workload) -> bool {
    one.shape == other.shape && one.located == other.located && one.selectors == other.selectors
}
