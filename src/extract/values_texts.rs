//! Helm values that an object holds as a text, such as those of an Argo CD Application: read as a file of values is.

use super::document::ObjectReader;
use super::embedded::pieces_of;
use super::relocation::Relocation;
use super::{FileFacts, TEMPLATE_FILE, broken, document, is_template};
use crate::source::Source;
use crate::yaml::{self, Found, Kind};

impl ObjectReader<'_, '_> {
    /// Reads the texts that the kind's rows name.
    pub(super) fn read_values_texts(&mut self, group: &str, kind: &str) {
        let (table, root) = (self.table, self.root);
        for found in table
            .values_texts(group, kind)
            .flat_map(|path| path.find(root))
        {
            self.read_values_text(&found);
        }
    }

    fn read_values_text(&mut self, found: &Found<'_>) {
        let Some(inner) = found
            .node
            .raw()
            .filter(|inner| found.node.kind() == Kind::Scalar && inner.contains("oleration"))
        else {
            return;
        };
        let pieces = pieces_of(&self.source.text, found.node, inner);
        let (text, stream) = pieces.parse(self.id);
        let source = Source::new(self.source.path.as_str(), text.text());
        let mut read = FileFacts::default();
        for error in &stream.errors {
            if is_template(text.text()) {
                read.not_judged.push(TEMPLATE_FILE);
            } else {
                read.oddities
                    .push(broken(error.span, &error.message, text.text()));
            }
        }
        for document in &stream.documents {
            // Values are no objects. What claims to be one is not read, and so texts in texts in texts are not either.
            if document.root().get("apiVersion").is_none() {
                document::extract(document.root(), &source, self.id, self.table, &mut read);
            }
        }
        read.ignores.read_documents(text.text(), &stream.documents);
        Relocation {
            text: &text,
            whole: found.node.span(),
            name: self.object.name.as_deref().unwrap_or_default(),
        }
        .apply(&mut read);
        let base = yaml::join(&self.base, &found.path);
        for workload in &mut read.workloads {
            workload.object = self.object.clone();
            workload.path = yaml::join(&base, &workload.path);
        }
        for oddity in &mut read.oddities {
            oddity.object = self.object.clone();
            oddity.path = yaml::join(&base, &oddity.path);
        }
        self.facts.workloads.extend(read.workloads);
        self.facts.oddities.extend(read.oddities);
        self.facts.not_judged.extend(read.not_judged);
        self.facts.ignores.ignores.extend(read.ignores.ignores);
        self.facts.ignores.misspelt.extend(read.ignores.misspelt);
    }
}
