//! Reads facts from documents: finds the pod templates, lists of tolerations and node pools of one file, and reports what
//! could not be read. Which kinds contain what is data (see `table`). What it means is up to `model` and the rules.

mod autoscaler;
mod borrowed;
mod bottlerocket;
mod broken;
mod built;
mod bundles;
mod character;
mod chart_addresses;
mod chart_defaults;
mod chart_files;
mod chart_inputs;
mod chart_notices;
mod chart_parts;
mod chart_pods;
mod chart_sources;
mod chart_templates;
mod chart_values;
mod charted;
mod charted_parts;
mod commands;
mod conditional_duplicates;
mod controllers;
mod dead_annotations;
mod declared;
mod decoding;
mod devices;
mod document;
mod duplicates;
mod elsewhere;
mod file_facts;
mod filled_charts;
mod flags;
mod generated_keys;
mod helm_sets;
mod heredocs;
mod ignored;
pub mod ignores;
mod implied;
mod ini;
mod injected;
mod installed;
mod labels;
mod makers;
mod manifests;
mod misspelt;
mod names;
mod namespaces;
mod node_errors;
mod nodes;
mod notation;
mod open;
mod overlays;
mod patches;
mod placeholders;
mod plans;
mod pod;
mod pool_document;
mod pool_facts;
mod pool_rows;
mod pools;
mod pools_from_values;
mod programs;
mod quiet;
mod read;
mod reading;
mod release;
mod release_rows;
mod releases;
mod relocation;
mod rendered;
mod reshaping;
mod resources;
pub mod rows;
mod scripts;
mod selectors;
mod strings;
mod subject;
mod table;
mod table_files;
mod table_names;
mod taint_errors;
mod taints;
mod template_files;
mod template_signs;
mod template_text;
mod terraform;
mod texts;
mod values_files;
mod values_objects;
mod values_of_charts;
mod values_selectors;
mod weak;
mod words;
mod workloads;
mod ytt;

use crate::delivery::read_template;
use crate::finding::{Because, Open};
use crate::model::clouds::Clouds;
use crate::source::{FileKind, STDIN_PATH, Source, SourceId, Span};
use crate::template::{Broken, Templates};
use crate::yaml;

pub use borrowed::Borrowed;
pub use built::{Whole, read_built};
pub use chart_defaults::set_defaults;
pub use chart_sources::{ChartName, ChartSource, ChartSources, Dependency, names_environment};
pub use chart_templates::ChartTemplates;
pub use conditional_duplicates::is_met;
pub use file_facts::{DeclaredCluster, FileFacts, Unread};
pub use filled_charts::made_of_values;
pub use generated_keys::GeneratedKey;
pub use injected::MOST_ADDITIONS;
pub use namespaces::{Namespace, RuntimeClass};
pub use nodes::without_machines;
pub use notation::api_group;
pub use overlays::{Injection, Kustomization, Overlay, Target, Words};
pub use placeholders::is_placeholder;
pub use pool_facts::{ReadPool, Referred};
pub use pools_from_values::{documents_from_values, pools_from_values};
use quiet::Parsed;
use reading::Reading;
pub use rendered::{extract_rendered, is_about_scheduling};
pub use reshaping::chart_of;
pub use table::Table;
use template_text::TemplateFile;
pub use terraform::{configurations, read_configuration};
pub use values_files::{ValuesFile, ValuesFileParts};

/// Reads the facts of a file that other files include: the text of a template, and for Terraform files, the comments that
/// suppress findings.
pub fn extract_part(source: &Source, id: SourceId, table: &Table) -> FileFacts {
    let mut facts = FileFacts::default();
    match source.kind {
        FileKind::Template => {
            let none = ChartSources::default();
            let reading = Reading::alone(source, id, table, &none);
            match template_text::read(reading) {
                TemplateFile::Read(read) => facts = *read,
                TemplateFile::Broken(broken) => facts.not_judged.push(broken_template(&broken, id)),
                TemplateFile::OffTopic | TemplateFile::Other => {}
            }
            add_clouds(&mut facts, source, id);
        }
        FileKind::Jsonnet => facts = programs::jsonnet(source, id, table),
        FileKind::Program => facts = programs::program(source, id),
        FileKind::Terraform | FileKind::Included if ignores::Ignores::may_be_in(&source.text) => {
            facts.ignores.read_configuration(&source.text, id);
        }
        _ => {}
    }
    if source.kind == FileKind::Template {
        facts.near_keys = near_keys(source, id).into();
    }
    facts
}

fn near_keys(source: &Source, id: SourceId) -> Vec<(SourceId, String)> {
    let keys = misspelt::keys_in(&source.text).into_iter();
    keys.map(|key| (id, key)).collect()
}

/// Reads one file.
pub fn extract(source: &Source, id: SourceId, table: &Table) -> FileFacts {
    extract_with(source, id, table, &ChartSources::default())
}

/// Reads one file without leaving out documents that cannot matter, to compare with [`extract`].
pub fn extract_all(source: &Source, id: SourceId, table: &Table) -> FileFacts {
    let sources = ChartSources::default();
    extract_parsed(source, id, table, &Beside::of(&sources), &|text| {
        quiet::parse_all(text, id)
    })
}

/// Reads one file, where it is known what other files say about its charts.
pub fn extract_with(
    source: &Source,
    id: SourceId,
    table: &Table,
    sources: &ChartSources,
) -> FileFacts {
    extract_beside(source, id, table, &Beside::of(sources))
}

/// What other files say about a file.
pub struct Beside<'b> {
    /// What they say about charts.
    pub sources: &'b ChartSources,
    /// The release that names it as a file of values.
    pub values: Option<&'b ValuesFile>,
    /// Templates that it includes.
    pub templates: &'b Templates,
}

impl<'b> Beside<'b> {
    /// Only what they say about charts.
    fn of(sources: &'b ChartSources) -> Beside<'b> {
        Beside {
            sources,
            values: None,
            templates: Templates::none(),
        }
    }
}

/// Reads one file, where it is known what other files say about it.
pub fn extract_beside(
    source: &Source,
    id: SourceId,
    table: &Table,
    beside: &Beside<'_>,
) -> FileFacts {
    extract_parsed(source, id, table, beside, &|text| {
        quiet::parse(text, id, table)
    })
}

fn extract_parsed(
    source: &Source,
    id: SourceId,
    table: &Table,
    beside: &Beside<'_>,
    parse: &dyn Fn(&str) -> Parsed,
) -> FileFacts {
    let Beside {
        sources,
        values,
        templates,
    } = *beside;
    let reading = Reading {
        source,
        id,
        table,
        sources,
        installed: values.map(|values| &values.installed),
        templates,
        is_values: values.is_some() || chart_sources::names_values(&source.path),
        depth: 0,
    };
    if source.kind == FileKind::Terraform {
        let mut facts = terraform::read_file(source, id, table);
        facts.ignores = extract_part(source, id, table).ignores;
        facts.heredocs = strings::read_heredocs(reading, &document::read);
        return facts;
    }
    if matches!(
        source.kind,
        FileKind::Included | FileKind::Jsonnet | FileKind::Program
    ) {
        return extract_part(source, id, table);
    }
    let mut facts = FileFacts::default();
    if reshaping::chart_of(&source.path).is_some() && reshaping::reshapes(&source.text) {
        facts.reshaping.push(id);
    }
    if source.kind == FileKind::Hosts {
        let tree = ini::tree(source, id);
        facts = document::read(tree.root(), reading);
        facts.documents = 1;
        return facts;
    }
    if source.kind == FileKind::Script {
        let mut facts = scripts::read_script(source, id);
        for (_, heredoc) in strings::read_heredocs(reading, &document::read) {
            facts.absorb(heredoc);
        }
        return facts;
    }
    facts.near_keys = near_keys(source, id).into();
    facts.has_variables = memchr::memmem::find(source.text.as_bytes(), b"${").is_some();
    let templates = source.rendered.then(|| read_template(&source.text, id));
    facts.pointers.extend(templates.flatten());
    // An action in quotes, or one that looks like a map in braces, leaves the text readable as YAML.
    let is_certain = source.rendered && source.text.contains("{{");
    if is_certain && let TemplateFile::Read(read) = template_text::read(reading) {
        facts.absorb(*read);
        add_clouds(&mut facts, source, id);
        return facts;
    }
    let filled = ytt::fill(&source.text);
    let Parsed { stream, quiet } = match &filled {
        Some(filled) => quiet::parse_all(filled, id),
        None => parse(&source.text),
    };
    facts.documents += quiet.values().sum::<u32>();
    let is_broken = !stream.errors.is_empty();
    let is_template = is_broken && template_files::is_template(source, stream.errors.len(), id);
    let mut in_template = is_template;
    if is_template {
        match template_text::read(reading) {
            TemplateFile::Read(read) => {
                facts.absorb(*read);
                add_clouds(&mut facts, source, id);
                return facts;
            }
            // Standard input is named in order to be checked.
            TemplateFile::OffTopic => in_template = source.path == STDIN_PATH,
            TemplateFile::Broken(broken) => {
                facts.not_judged.push(broken_template(&broken, id));
                in_template = false;
            }
            TemplateFile::Other => {}
        }
    }
    for error in &stream.errors {
        let text = source.text.get(error.document.clone()).unwrap_or_default();
        let unread = Unread {
            pools: table.names_pools(text),
            tolerations: text.contains("olerations"),
        };
        if unread != Unread::default() {
            facts.unread.push((error.span, unread));
        }
        // Nothing but the end of a document is a mistake without harm.
        let is_empty = text.trim() == "...";
        if !is_template && !is_empty && !broken::is_commented_json(&source.path, text) {
            facts
                .notices
                .push(broken::document(error.span, &error.message, text));
        }
    }
    for document in &stream.documents {
        if document.is_empty() {
            continue;
        }
        facts.documents += 1;
        let text = source.text.get(document.range()).unwrap_or_default();
        facts
            .notices
            .extend(broken::block_scalar(document.root(), text));
        let mut read = document::read(document.root(), reading);
        if filled.is_some() && ytt::has_directives(text) {
            ytt::doubt(&mut read);
            in_template = true;
        }
        facts.absorb(read);
    }
    if in_template {
        let whole = Span::new(id, 0..0);
        facts.not_judged.push(Open::part(whole, Because::Template));
    }
    facts
        .ignores
        .read_documents(&source.text, &stream.documents);
    if ignores::Ignores::may_be_in(&source.text) {
        for error in &stream.errors {
            facts
                .ignores
                .read_lines(&source.text, error.document.clone(), id);
            let unread = Span::new(id, error.document.clone());
            facts.ignores.unread.push(unread);
        }
    }
    add_clouds(&mut facts, source, id);
    bundles::mark(&stream.documents, &quiet, source, &mut facts.workloads);
    nodes::fold(&mut facts.pools, table);
    // Most files contain one workload. A `Vec` that grew to one item keeps room for four until the end of the run.
    facts.workloads.shrink_to_fit();
    facts.pools.shrink_to_fit();
    facts.notices.shrink_to_fit();
    facts
}

/// Reports a template that cannot be parsed.
fn broken_template(broken: &Broken, id: SourceId) -> Open {
    let because = Because::BrokenTemplate(broken.message.as_str().into());
    Open::part(Span::new(id, broken.at..broken.at + 1), because)
}

/// Adds the clouds that a file with workloads mentions.
fn add_clouds(facts: &mut FileFacts, source: &Source, id: SourceId) {
    if !facts.workloads.is_empty() {
        let clouds = Clouds::spoken_of_in(&source.text);
        let named = (clouds != Clouds::default()).then_some((id, clouds));
        facts.clouds.extend(named);
    }
}

/// Whether a text contains a manifest or any other facts.
pub fn has_manifest(source: &Source, id: SourceId, facts: &FileFacts) -> bool {
    let is_silent = facts.workloads.is_empty()
        && facts.pools.is_empty()
        && facts.devices.is_empty()
        && facts.inventories.is_empty()
        && facts.unreadable.is_empty()
        && facts.kustomizations.is_empty();
    if !is_silent {
        return true;
    }
    let stream = yaml::parse(&source.text, id);
    let text = |range: std::ops::Range<usize>| source.text.get(range).unwrap_or_default();
    let mut errors = stream.errors.iter();
    let mut documents = stream.documents.iter();
    documents.any(|document| subject::is_object(document.root()))
        || errors.any(|error| broken::is_manifest(text(error.document.clone())))
}
