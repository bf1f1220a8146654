//! Patches that stand as texts in a Kustomization, kustomize's or Flux': each is read as the file of a patch is, and what it
//! does not write may stand in the object that it changes.

use super::FileFacts;
use super::document::{self, ObjectReader, join};
use super::embedded::pieces_of;
use super::overlays::holder;
use super::reading::Reading;
use super::relocation::Relocation;
use crate::source::Source;
use crate::yaml::{self, Kind, Node};

impl ObjectReader<'_, '_> {
    /// Reads the patches of the Kustomization.
    pub(super) fn read_inline_patches(&mut self) {
        let holder = holder(self.root);
        let above = if holder.id() == self.root.id() {
            ""
        } else {
            "spec"
        };
        for list in ["patches", "patchesStrategicMerge"] {
            let Some(items) = holder
                .get(list)
                .filter(|list| list.kind() == Kind::Sequence)
            else {
                continue;
            };
            let path = join(&self.base, &join(above, list));
            for (index, item) in items.items().enumerate() {
                let at = yaml::index(&path, index);
                match item.kind() {
                    Kind::Scalar => self.read_inline_patch(item, &at),
                    Kind::Mapping => {
                        if let Some(text) = item.get("patch") {
                            self.read_inline_patch(text, &yaml::join(&at, "patch"));
                        }
                    }
                    Kind::Sequence => {}
                }
            }
        }
    }

    fn read_inline_patch(&mut self, node: Node<'_>, path: &str) {
        let is_patch = |text: &&str| text.contains("oleration") && text.contains("kind");
        let Some(inner) = node.raw().filter(is_patch) else {
            return;
        };
        let pieces = pieces_of(&self.source.text, node, inner);
        let (text, stream) = pieces.parse(self.id);
        // A text that is no YAML may be the name of a file, and is kustomize's to refuse.
        if !stream.errors.is_empty() {
            return;
        }
        let source =
            Source::new(self.source.path.as_str(), text.text()).rendered(self.source.rendered);
        let reading = Reading {
            source: &source,
            is_values: false,
            ..self.reading()
        };
        let mut read = FileFacts::default();
        for document in &stream.documents {
            let root = document.root();
            let object = document::read_object(root);
            let is_object = !object.kind.is_empty() && !object.api_version.is_empty();
            if is_object && object.kind != "Kustomization" {
                document::extract(root, reading, &mut read);
            }
        }
        read.ignores.read_documents(text.text(), &stream.documents);
        Relocation {
            text: &text,
            whole: node.span(),
            name: self.object.name.as_deref().unwrap_or_default(),
        }
        .apply(&mut read);
        for workload in &mut read.workloads {
            workload.take_as_part();
            workload.path = join(path, &workload.path);
            for located in &mut workload.located {
                located.path = join(path, &located.path);
            }
            for (_, _, at) in &mut workload.selectors {
                *at = join(path, at);
            }
        }
        for notice in &mut read.notices {
            notice.path = join(path, &notice.path);
        }
        // That the patch changes an object is known of the Kustomization, and pools are not made of patches.
        self.facts.workloads.extend(read.workloads);
        self.facts.notices.extend(read.notices);
        self.facts.not_judged.extend(read.not_judged);
        self.facts.ignores.ignores.extend(read.ignores.ignores);
        self.facts.ignores.misspelt.extend(read.ignores.misspelt);
    }
}
