//! Ansible inventories in INI format, as the tree that the same inventory would be in YAML.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "that there is a document was asked first"
    )
)]

use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, Document, Kind, Leaf, Node, NodeId, TreeBuilder};

/// Parses one inventory into a tree.
pub(super) fn tree(source: &Source, id: SourceId) -> Document {
    let mut groups: Vec<Group> = vec![Group::new("ungrouped", Span::new(id, 0..0))];
    let mut in_variables = false;
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let span = Span::new(id, start..start + line.trim_end().len());
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            let (name, part) = header.split_once(':').unwrap_or((header, "hosts"));
            in_variables = part == "vars";
            groups.push(Group::new(name, span));
            continue;
        }
        let Some(group) = groups.last_mut() else {
            continue;
        };
        let place = Place {
            text: &source.text,
            span,
        };
        if in_variables {
            if let Some((key, value)) = line.split_once('=') {
                let (key, value) = (key.trim(), value.trim());
                group
                    .variables
                    .push((key.to_owned(), value.to_owned(), place.of(value)));
            }
            continue;
        }
        let mut words = words(line).into_iter();
        let Some(host) = words.next() else { continue };
        let variables = words.filter_map(|word| {
            let (key, value) = word.split_once('=')?;
            Some((key.to_owned(), value.to_owned(), place.of(value)))
        });
        group.hosts.push((host, variables.collect(), span));
    }
    let mut tree = Tree(TreeBuilder::default());
    let root = tree.inventory(&groups);
    tree.0.finish(root)
}

type Variable = (String, String, Span);

/// A section.
struct Group {
    name: String,
    span: Span,
    variables: Vec<Variable>,
    hosts: Vec<(String, Vec<Variable>, Span)>,
}

impl Group {
    fn new(name: &str, span: Span) -> Self {
        Group {
            name: name.to_owned(),
            span,
            variables: Vec::new(),
            hosts: Vec::new(),
        }
    }
}

/// A line of the file.
struct Place<'t> {
    text: &'t str,
    span: Span,
}

impl Place<'_> {
    /// The place of a part of the line, or of the whole line if that is unknown.
    fn of(&self, part: &str) -> Span {
        let line = self.text.get(self.span.range()).unwrap_or_default();
        match line.find(part) {
            Some(at) if !part.is_empty() => {
                let start = self.span.start as usize + at;
                Span::new(self.span.source, start..start + part.len())
            }
            _ => self.span,
        }
    }
}

/// Splits the line of a host into words like a shell. A comment ends it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (None, '#') if word.is_empty() => break,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ' ' | '\t') => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

struct Tree(TreeBuilder);

impl Tree {
    fn inventory(&mut self, groups: &[Group]) -> NodeId {
        let mut fields = Vec::new();
        for group in groups {
            let variables = self.variables(&group.variables, group.span);
            let mut hosts = Vec::new();
            for (name, variables, span) in &group.hosts {
                let value = self.variables(variables, *span);
                hosts.push((self.0.scalar(Leaf::Text(name), *span), value));
            }
            let hosts = self.0.mapping(&hosts, group.span);
            let parts = [("vars", variables), ("hosts", hosts)]
                .map(|(name, part)| (self.0.scalar(Leaf::Text(name), group.span), part));
            let value = self.0.mapping(&parts, group.span);
            fields.push((self.0.scalar(Leaf::Text(&group.name), group.span), value));
        }
        let whole = groups.first().map(|group| group.span);
        let span = whole.unwrap_or(Span::new(SourceId(0), 0..0));
        self.0.mapping(&fields, span)
    }

    fn variables(&mut self, variables: &[Variable], span: Span) -> NodeId {
        let mut fields = Vec::new();
        for (name, value, at) in variables {
            let value = self.value(value, *at);
            fields.push((self.0.scalar(Leaf::Text(name), span), value));
        }
        self.0.mapping(&fields, span)
    }

    /// Ansible parses values as Python literals. Lists and maps of strings have the same syntax in YAML.
    fn value(&mut self, text: &str, span: Span) -> NodeId {
        let is_literal = text.starts_with(['[', '{']) && !text.starts_with("{{");
        let stream = is_literal.then(|| yaml::parse(text, span.source));
        match stream {
            Some(stream) if stream.errors.is_empty() && !stream.documents.is_empty() => {
                self.copy(stream.documents[0].root(), span)
            }
            Some(_) => self.0.scalar(
                Leaf::Unknown("a variable is a literal that could not be read"),
                span,
            ),
            None => {
                let text = text.trim_matches(['"', '\'']);
                self.0.scalar(Leaf::Text(text), span)
            }
        }
    }

    fn copy(&mut self, node: Node<'_>, span: Span) -> NodeId {
        match node.kind() {
            Kind::Sequence => {
                let items: Vec<NodeId> = node.items().map(|item| self.copy(item, span)).collect();
                self.0.sequence(&items, span)
            }
            Kind::Mapping => {
                let mut fields = Vec::new();
                for field in node.fields() {
                    let value = self.copy(field.value, span);
                    let name = field.name().unwrap_or_default();
                    fields.push((self.0.scalar(Leaf::Text(name), span), value));
                }
                self.0.mapping(&fields, span)
            }
            Kind::Scalar => self
                .0
                .scalar(Leaf::Text(node.raw().unwrap_or_default()), span),
        }
    }
}
