//! Counts the actions of templates that print something under the keys for scheduling, and what is known of it.

use std::collections::BTreeMap;

use kubetaint::source::SourceId;
use kubetaint::template::{Language, Origin, Template, Templates, Variant, Wishes};
use kubetaint::yaml::{Kind, Node};

const KEYS: [&str; 3] = ["tolerations", "nodeSelector", "affinity"];

/// The placeholder for what an action prints.
const OPEN: &str = "$unknown";

/// What is known of the actions of some templates.
#[derive(Debug, Default, Clone)]
pub struct Prints {
    templates: usize,
    by_path: usize,
    as_text: usize,
    neither: usize,
}

/// What is known of one action, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    No,
    Text,
    Path,
}

impl Prints {
    pub fn add(&mut self, other: &Prints) {
        self.templates += other.templates;
        self.by_path += other.by_path;
        self.as_text += other.as_text;
        self.neither += other.neither;
    }

    pub fn said(&self) -> String {
        let all = self.by_path + self.as_text + self.neither;
        format!(
            "{} templates with such keys, {all} actions: {} paths, {} text, {} unknown",
            self.templates, self.by_path, self.as_text, self.neither
        )
    }

    /// What is known of the actions in the templates of a chart.
    pub fn of(texts: &[String]) -> Prints {
        let mut prints = Prints::default();
        let words: Vec<&str> = KEYS
            .iter()
            .copied()
            .chain(["kind:", "operator:", "effect:"])
            .collect();
        let wishes = Wishes {
            words: &words,
            oldest_release: 29,
        };
        let parse = |(at, text): (u32, &String)| {
            Some((SourceId(at), Template::parse(text, Language::Go).ok()?))
        };
        let all: Templates = (0..).zip(texts).filter_map(parse).collect();
        let mut found = BTreeMap::new();
        for (at, text) in (0..).zip(texts) {
            if !KEYS.iter().any(|key| text.contains(&format!("{key}:"))) {
                continue;
            }
            prints.templates += 1;
            let Some((id, template)) = parse((at, text)) else {
                continue;
            };
            for variant in &template.variants(id, &all, wishes).all {
                for document in &variant.stream.documents {
                    read(document.root(), variant, &mut found);
                }
            }
        }
        for known in found.into_values() {
            match known {
                Known::Path => prints.by_path += 1,
                Known::Text => prints.as_text += 1,
                Known::No => prints.neither += 1,
            }
        }
        prints
    }
}

/// Finds the keys in a document.
fn read(node: Node<'_>, variant: &Variant, found: &mut BTreeMap<(SourceId, u32), Known>) {
    for field in node.written_fields() {
        match field.name().is_some_and(|name| KEYS.contains(&name)) {
            true => under(field.value, variant, true, found),
            false => read(field.value, variant, found),
        }
    }
    for item in node.items() {
        read(item, variant, found);
    }
}

/// Finds the actions below a key. `whole` says whether an action there prints entries, and not a part of one.
fn under(
    node: Node<'_>,
    variant: &Variant,
    whole: bool,
    found: &mut BTreeMap<(SourceId, u32), Known>,
) {
    match node.kind() {
        Kind::Scalar => note(node, variant, whole, found),
        Kind::Sequence => {
            for item in node.items() {
                under(item, variant, whole, found);
            }
        }
        Kind::Mapping => {
            for field in node.written_fields() {
                note(field.key, variant, whole, found);
                under(field.value, variant, false, found);
            }
        }
    }
}

fn note(
    node: Node<'_>,
    variant: &Variant,
    whole: bool,
    found: &mut BTreeMap<(SourceId, u32), Known>,
) {
    let range = node.span().range();
    let text = variant.text.text().get(range.clone()).unwrap_or_default();
    for (at, _) in text.match_indices(OPEN) {
        let at = range.start + at;
        let Some(place) = variant.text.place(at..at + OPEN.len()) else {
            continue;
        };
        let origin = variant.flow_at(at).map(|flow| &flow.origin);
        let known = match origin {
            Some(origin) if is_known(origin) => Known::Path,
            _ if whole => Known::No,
            _ => Known::Text,
        };
        let best = found.entry((place.source, place.start)).or_insert(known);
        *best = (*best).max(known);
    }
}

fn is_known(origin: &Origin) -> bool {
    match origin {
        Origin::Unknown => false,
        Origin::Template => true,
        Origin::Value(steps) => !steps.is_empty(),
        Origin::First(all) | Origin::All(all) => all.iter().all(is_known),
    }
}
