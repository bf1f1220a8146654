//! What helm and kustomize print for charts and kustomizations of the repository, traced back to the files that it comes
//! from, and the templates that comments in standard input name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use rayon::prelude::*;

use super::Content;
use super::kept::{Kept, Load};
use crate::extract::{self, FileFacts, Table};
use crate::finding::{Finding, Label, Object, Report};
use crate::rendering::{
    Job, Original, Rendered, Rendering, Section, Tool, align, section_at, sections,
};
use crate::source::{STDIN_PATH, Source, SourceId, Span};
use crate::yaml::{self, Pieces};

/// The most other files in which parts of a kustomization are looked up.
const MAX_OTHERS: usize = 32;

/// Reads everything that was rendered.
pub fn read(
    files: &[Kept],
    rendered: Option<&Rendered>,
    load: &Load<'_>,
    table: &Table,
) -> FileFacts {
    let renderings = rendered.map_or(&[][..], |rendered| &rendered.renderings);
    let by_path: HashMap<&str, &Kept> = match renderings.is_empty() {
        true => HashMap::new(),
        false => files.iter().map(|kept| (&*kept.input.path, kept)).collect(),
    };
    let read = |rendering: &Rendering| {
        let repository = Repository {
            files,
            by_path: &by_path,
            load,
        };
        let parts = match rendering.job.tool {
            Tool::Helm => Parts::of_chart(&rendering.job, &repository),
            Tool::Kustomize => Parts::of_kustomization(&rendering.job, &repository),
        };
        let mut facts = FileFacts::default();
        for section in sections(&rendering.text) {
            let text = rendering
                .text
                .get(section.range.clone())
                .unwrap_or_default();
            if !extract::is_about_scheduling(text, table) {
                continue;
            }
            let Some((kept, originals)) = parts.of(&section, text, &rendering.job, &repository)
            else {
                continue;
            };
            let whole = Span::new(kept.id, 0..0);
            let pieces = align(text, &originals, whole);
            let path = &*kept.input.path;
            facts.absorb(extract::extract_rendered(
                &pieces,
                whole,
                path,
                rendering.job.tool,
                table,
            ));
        }
        facts
    };
    let all: Vec<FileFacts> = renderings.par_iter().map(read).collect();
    let mut facts = FileFacts::default();
    for one in all {
        facts.absorb(one);
    }
    facts
}

/// The files of a run.
struct Repository<'r> {
    files: &'r [Kept],
    by_path: &'r HashMap<&'r str, &'r Kept>,
    load: &'r Load<'r>,
}

impl<'r> Repository<'r> {
    fn find(&self, path: &str) -> Option<&'r Kept> {
        self.by_path.get(path).copied()
    }

    fn text(&self, kept: &Kept) -> Option<String> {
        match kept.content(self.load) {
            Content::Text(text) | Content::Template(text) => Some(text),
            Content::Irrelevant
            | Content::Parameters(_)
            | Content::Unusable(_)
            | Content::Unreadable(_) => None,
        }
    }
}

/// The texts that a chart or a kustomization is made from.
struct Parts<'r> {
    texts: BTreeMap<&'r str, (&'r Kept, String)>,
    /// The objects in the files of a kustomization: kind, name, file and bytes.
    objects: Vec<(String, String, &'r str, Range<usize>)>,
}

impl<'r> Parts<'r> {
    fn of_chart(job: &Job, repository: &Repository<'r>) -> Self {
        let is_part = |path: &str| {
            let below = match job.folder() {
                "" => Some(path),
                folder => path
                    .strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            below.is_some_and(|below| {
                let name = below.rsplit('/').next().unwrap_or_default();
                name == "values.yaml"
                    || below.starts_with("templates/")
                    || below.contains("/templates/")
            })
        };
        Parts::of_files(
            repository
                .files
                .iter()
                .filter(|kept| is_part(&kept.input.path)),
            repository,
        )
    }

    fn of_kustomization(job: &Job, repository: &Repository<'r>) -> Self {
        let files = job.parts.iter().filter_map(|path| repository.find(path));
        let mut parts = Parts::of_files(files, repository);
        for (path, (kept, text)) in &parts.texts {
            for document in yaml::parse(text, kept.id).documents {
                let word = |root: yaml::Node<'_>, key: &str| {
                    root.get(key)
                        .and_then(|node| node.as_str())
                        .map(str::to_owned)
                };
                let root = document.root();
                let name = root
                    .get("metadata")
                    .and_then(|metadata| word(metadata, "name"));
                if let (Some(kind), Some(name)) = (word(root, "kind"), name) {
                    parts.objects.push((kind, name, *path, document.range()));
                }
            }
        }
        parts
    }

    fn of_files(files: impl Iterator<Item = &'r Kept>, repository: &Repository<'r>) -> Self {
        let texts = files
            .filter_map(|kept| Some((&*kept.input.path, (kept, repository.text(kept)?))))
            .collect();
        Parts {
            texts,
            objects: Vec::new(),
        }
    }

    /// The file that a document belongs to, and the texts that its lines may come from.
    fn of(
        &self,
        section: &Section<'_>,
        text: &str,
        job: &Job,
        repository: &Repository<'r>,
    ) -> Option<(&'r Kept, Vec<Original<'_>>)> {
        let own = repository.find(&job.file)?;
        match job.tool {
            Tool::Helm => Some(self.of_template(section, job, own)),
            Tool::Kustomize => Some((own, self.of_object(text, job))),
        }
    }

    fn of_template(
        &self,
        section: &Section<'_>,
        job: &Job,
        own: &'r Kept,
    ) -> (&'r Kept, Vec<Original<'_>>) {
        let inside = section
            .template
            .and_then(|template| template.split_once('/'));
        let path = inside.map(|(_, inside)| within(job.folder(), inside));
        let known = path
            .as_deref()
            .and_then(|path| self.texts.get_key_value(path));
        let Some((path, (kept, template))) = known else {
            return (own, Vec::new());
        };
        let mut originals = vec![original(kept, template)];
        // The values of the template's chart, and of the charts around it.
        let mut folder = path.rfind("/templates/").map(|at| path.split_at(at).0);
        let mut values = BTreeSet::new();
        while let Some(chart) = folder {
            values.insert(within(chart, "values.yaml"));
            folder = chart.rsplit_once('/').map(|(above, _)| above);
        }
        values.insert("values.yaml".to_owned());
        let values = values
            .iter()
            .rev()
            .filter_map(|path| self.texts.get(path.as_str()));
        originals.extend(values.map(|(kept, text)| original(kept, text)));
        let parts = self
            .texts
            .iter()
            .filter(|(other, _)| other.ends_with(".tpl") && *other != path);
        originals.extend(
            parts
                .take(MAX_OTHERS)
                .map(|(_, (kept, text))| original(kept, text)),
        );
        (kept, originals)
    }

    /// The texts for an object of a kustomization: the longest document with its kind and name, then the other ones, which
    /// are patches, and at last the files.
    fn of_object(&self, text: &str, job: &Job) -> Vec<Original<'_>> {
        let document = yaml::parse(text, SourceId(0)).documents.into_iter().next();
        let Some(document) = document else {
            return Vec::new();
        };
        let root = document.root();
        let kind = root
            .get("kind")
            .and_then(|node| node.as_str())
            .unwrap_or_default();
        let name = root
            .get("metadata")
            .and_then(|metadata| metadata.get("name")?.as_str());
        let name = name.unwrap_or_default();
        let of_kind = self.objects.iter().filter(|(other, ..)| other == kind);
        let mut found: Vec<_> = of_kind
            .clone()
            .filter(|(_, other, ..)| other == name)
            .collect();
        if found.is_empty() {
            // The kustomization may add a prefix and a suffix.
            let like: Vec<_> = of_kind
                .filter(|(_, other, ..)| name.contains(other.as_str()))
                .collect();
            let longest = like.iter().map(|(_, other, ..)| other.len()).max();
            found = like
                .into_iter()
                .filter(|(_, other, ..)| Some(other.len()) == longest)
                .collect();
        }
        found.sort_by_key(|(_, _, path, range)| {
            (std::cmp::Reverse(range.len()), *path, range.start)
        });
        let mut originals: Vec<Original<'_>> = Vec::new();
        for (_, _, path, range) in found {
            if let Some((kept, text)) = self.texts.get(path) {
                originals.push(Original {
                    id: kept.id,
                    text,
                    range: range.clone(),
                });
            }
        }
        let known: BTreeSet<SourceId> = originals.iter().map(|one| one.id).collect();
        let others = self
            .texts
            .iter()
            .filter(|(path, (kept, _))| **path == job.file || !known.contains(&kept.id));
        let others = others.filter(|(_, (_, text))| {
            text.contains("oleration") || text.contains("nodeSelector") || text.contains("ffinity")
        });
        originals.extend(
            others
                .take(MAX_OTHERS)
                .map(|(_, (kept, text))| original(kept, text)),
        );
        originals
    }
}

fn original<'t>(kept: &Kept, text: &'t str) -> Original<'t> {
    Original {
        id: kept.id,
        text,
        range: 0..text.len(),
    }
}

fn within(folder: &str, inside: &str) -> String {
    match folder {
        "" => inside.to_owned(),
        folder => format!("{folder}/{inside}"),
    }
}

/// Removes what is said about a rendered object and also about the file that the place is in.
pub fn say_once(findings: &mut Vec<Finding>, rendered: &BTreeSet<Object>) {
    if rendered.is_empty() {
        return;
    }
    let mut told: HashMap<(&str, SourceId), Vec<Span>> = HashMap::new();
    for finding in findings
        .iter()
        .filter(|one| !rendered.contains(&one.object))
    {
        let of_rule = told.entry((finding.rule.as_str(), finding.span.source));
        of_rule.or_default().push(finding.span);
    }
    let is_within = |one: Span, other: Span| one.start >= other.start && one.end <= other.end;
    let keep: Vec<bool> = findings
        .iter()
        .map(|finding| {
            let others = told.get(&(finding.rule.as_str(), finding.span.source));
            let others = others.filter(|_| rendered.contains(&finding.object));
            !others
                .into_iter()
                .flatten()
                .any(|other| is_within(finding.span, *other) || is_within(*other, finding.span))
        })
        .collect();
    let mut keep = keep.into_iter();
    findings.retain(|_| keep.next().unwrap_or(true));
}

/// Adds to each finding in standard input the place in the template that the comment above its document names.
pub fn name_templates(report: &mut Report, rendered: Option<&Rendered>) {
    let templates = rendered.map(|rendered| &rendered.templates);
    let Some(templates) = templates.filter(|templates| !templates.is_empty()) else {
        return;
    };
    let stdin = report
        .sources
        .iter()
        .find(|(_, source)| source.path == STDIN_PATH);
    let Some((id, stdin)) = stdin.map(|(id, source)| (*id, source.clone())) else {
        return;
    };
    // The ids of files begin far below those.
    let ids = (1..SourceId::CONFIGURATION.0).rev().map(SourceId);
    let ids: BTreeMap<&str, (SourceId, &Source)> = templates
        .iter()
        .zip(ids)
        .map(|((comment, source), id)| (comment.as_str(), (id, source)))
        .collect();
    let mut named = BTreeSet::new();
    let mut aligned: HashMap<usize, Pieces> = HashMap::new();
    let suppressed = report.suppressed.iter_mut().map(|one| &mut one.finding);
    let findings = report
        .findings
        .iter_mut()
        .chain(suppressed)
        .chain(&mut report.counted);
    for finding in findings.filter(|finding| finding.span.source == id) {
        let Some(section) = section_at(&stdin.text, finding.span.start as usize) else {
            continue;
        };
        let Some((id, source)) = section.template.and_then(|template| ids.get(template)) else {
            continue;
        };
        let from = section.range.start;
        let pieces = aligned.entry(from).or_insert_with(|| {
            let text = stdin.text.get(section.range.clone()).unwrap_or_default();
            let whole = Original {
                id: *id,
                text: &source.text,
                range: 0..source.text.len(),
            };
            align(text, &[whole], Span::new(*id, 0..0))
        });
        let range = finding.span.range();
        let place = pieces.place(range.start.saturating_sub(from)..range.end.saturating_sub(from));
        finding.related.push(Label {
            span: place.unwrap_or(Span::new(*id, 0..0)),
            message: "rendered from this template".to_owned(),
        });
        named.insert(*id);
    }
    for (id, source) in ids.values() {
        if named.contains(id) {
            report.sources.insert(*id, (*source).clone());
        }
    }
}
