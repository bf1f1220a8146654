//! Builds the objects of a kustomization from its files and those of its bases.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::bench::{Bench, Built};
use super::files::{Documents, Files, Form, Shelf, Trouble};
use super::metadata;
use super::object::Object;
use super::patches;
use super::paths::{is_remote, is_within, resolve};
use super::replacements;
use super::value::Value;
use crate::source::Span;
use crate::source::path::folder;
use crate::yaml::{Kind, Node};

/// The maximum number of objects of one kustomization.
const MAX_OBJECTS: usize = 20_000;

/// The maximum number of objects of all kustomizations of a repository together.
const MAX_ALL: usize = 300_000;

/// How deep kustomizations may include each other.
const MAX_DEPTH: usize = 40;

/// Fields that add objects which are not read.
const GENERATORS: [&str; 5] = [
    "configMapGenerator",
    "generators",
    "helmCharts",
    "helmChartInflationGenerator",
    "secretGenerator",
];

/// The kustomizations of a repository. Each is built once, however many others include it.
pub struct Library<'f> {
    shelf: Shelf<'f>,
    built: RefCell<HashMap<String, Rc<Built>>>,
    troubles: RefCell<BTreeSet<Trouble>>,
    left: RefCell<usize>,
}

impl<'f> Library<'f> {
    /// A library over these files.
    pub fn new(files: &'f dyn Files) -> Self {
        Library {
            shelf: Shelf::new(files),
            built: RefCell::default(),
            troubles: RefCell::default(),
            left: RefCell::new(MAX_ALL),
        }
    }

    /// The kustomization file of a folder.
    pub fn form_at(&self, folder: &str) -> Option<String> {
        self.shelf.form_at(folder)
    }

    /// The objects of the kustomization in a file that no other includes.
    pub fn build(&self, path: &str) -> Rc<Built> {
        let built = self.built(path, &mut Vec::new());
        if !built.objects.iter().any(is_local) {
            return built;
        }
        let mut objects = built.objects.clone();
        for object in objects.iter_mut().filter(|object| is_local(object)) {
            object.gone = true;
        }
        Rc::new(Built {
            objects,
            open: built.open,
            more: built.more,
        })
    }

    /// The objects in a file, as they are written there.
    pub fn objects(&self, path: &str) -> Vec<Object> {
        let is_wanted = self.shelf.matters(path);
        let documents = is_wanted.then(|| self.shelf.documents(path)).flatten();
        documents.map_or_else(Vec::new, |documents| objects(path, &documents))
    }

    /// Changes objects as the Kustomization of Flux at a place of a file does: by its components, patches and namespace.
    /// `folder` is the one that it applies.
    pub fn apply(&self, objects: Vec<Object>, path: &str, by: Span, folder: &str) -> Vec<Object> {
        let mut built = Built {
            objects,
            ..Built::default()
        };
        if let Some(form) = self.shelf.form_within(path, by, folder)
            && let Some(spec) = form.document.root().get("spec")
        {
            let mut above = Vec::new();
            let mut builder = self.builder(&form, &mut built, &mut above);
            builder.entries(spec, "components", Builder::component);
            patches::patches(&mut builder.bench, spec);
            metadata::namespace(&mut builder.bench, spec, "targetNamespace");
        }
        built.objects
    }

    /// What prevented building the kustomizations so far.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.troubles.borrow().iter().cloned().collect()
    }

    fn builder<'b>(
        &'b self,
        form: &'b Form,
        built: &'b mut Built,
        above: &'b mut Vec<String>,
    ) -> Builder<'b, 'f> {
        Builder {
            library: self,
            bench: Bench {
                shelf: &self.shelf,
                form,
                built,
                troubles: &self.troubles,
            },
            above,
        }
    }

    fn built(&self, path: &str, above: &mut Vec<String>) -> Rc<Built> {
        if let Some(known) = self.built.borrow().get(path) {
            return Rc::clone(known);
        }
        let mut built = Built::default();
        match self.shelf.form(path) {
            Some(form) => {
                above.push(path.to_owned());
                self.builder(&form, &mut built, above).run();
                above.pop();
                let source = form.source;
                for object in &mut built.objects {
                    // A kustomization in the same folder or above says less than the file's own path.
                    if !is_within(&object.folder, &form.folder) {
                        object.place = source;
                        object.folder = form.folder.as_str().into();
                    }
                }
            }
            None => built.open = true,
        }
        let built = Rc::new(built);
        let mut known = self.built.borrow_mut();
        known.insert(path.to_owned(), Rc::clone(&built));
        built
    }
}

/// Runs one kustomization over the objects so far.
struct Builder<'b, 'f> {
    library: &'b Library<'f>,
    bench: Bench<'b>,
    /// The kustomizations that include this one, and itself.
    above: &'b mut Vec<String>,
}

impl Builder<'_, '_> {
    fn run(&mut self) {
        let root = self.bench.form.document.root();
        const HEAD: [&str; 2] = ["apiVersion", "kind"];
        let is_content = |name: Option<&str>| name.is_none_or(|name| !HEAD.contains(&name));
        if !root.written_fields().any(|field| is_content(field.name())) {
            self.bench.built.open = true;
            self.bench
                .trouble(root.span(), "this kustomization is empty");
        }
        for list in ["resources", "bases"] {
            self.entries(root, list, Self::resource);
        }
        self.bench.built.open |= GENERATORS.iter().any(|key| is_used(root.get(key)));
        self.entries(root, "components", Self::component);
        patches::strategic(&mut self.bench, root);
        patches::patches(&mut self.bench, root);
        metadata::namespace(&mut self.bench, root, "namespace");
        metadata::names(&mut self.bench, root);
        metadata::pairs(&mut self.bench, root);
        patches::json(&mut self.bench, root);
        replacements::apply(&mut self.bench, root);
        if let Some(transformers) = root
            .field("transformers")
            .filter(|one| is_used(Some(one.value)))
        {
            let why = "its kustomization uses transformers, which are not run";
            self.bench.doubt_all(why, transformers.span());
        }
        if let Some(openapi) = root.field("openapi").filter(|one| is_used(Some(one.value))) {
            let why = "its kustomization has its own schema, which is not read";
            self.bench.doubt_all(why, openapi.span());
        }
    }

    fn entries(&mut self, root: Node<'_>, list: &str, take: fn(&mut Self, &str, Span)) {
        let Some(list) = root.get(list).filter(|list| !list.is_null()) else {
            return;
        };
        if list.kind() != Kind::Sequence {
            self.bench
                .trouble(list.span(), "this must be a list of paths");
        }
        for entry in list.items() {
            match entry.as_str() {
                Some(path) => take(self, path, entry.span()),
                None => self.bench.trouble(entry.span(), "this must be a path"),
            }
        }
    }

    /// Takes in a file, or the kustomization in a folder.
    fn resource(&mut self, entry: &str, at: Span) {
        if is_remote(entry) {
            self.bench.built.open = true;
            return self
                .bench
                .trouble(at, format!("`{entry}` is not in this repository"));
        }
        let path = resolve(&self.bench.form.folder, entry);
        let Some(path) = path else {
            self.bench.built.open = true;
            return self
                .bench
                .trouble(at, format!("`{entry}` is outside the files that were read"));
        };
        if self.bench.shelf.has(&path) {
            return self.file(&path, entry, at);
        }
        let Some(inner) = self.form_of(&path, entry, at, false) else {
            return;
        };
        let base = self.library.built(&inner, self.above);
        self.bench.built.open |= base.open;
        self.bench.built.more |= base.more;
        self.take(base.objects.clone(), at);
    }

    /// Adds objects, up to a limit.
    fn take(&mut self, objects: Vec<Object>, at: Span) {
        let mut left = self.library.left.borrow_mut();
        let room = MAX_OBJECTS
            .saturating_sub(self.bench.built.objects.len())
            .min(*left);
        *left = left.saturating_sub(objects.len());
        drop(left);
        if objects.len() > room {
            self.bench.built.open = true;
            self.bench.trouble(
                at,
                "there are too many objects in kustomizations to build them all",
            );
        }
        self.bench
            .built
            .objects
            .extend(objects.into_iter().take(room));
    }

    /// The kustomization file of an included folder, if it can be included.
    fn form_of(&mut self, path: &str, entry: &str, at: Span, component: bool) -> Option<String> {
        let found = self.bench.shelf.form_at(path);
        let Some(inner) = found else {
            self.bench.built.open = true;
            self.bench.trouble(
                at,
                format!("`{entry}` is not among the files that were read"),
            );
            return None;
        };
        if self.above.contains(&inner) || self.above.len() > MAX_DEPTH {
            self.bench.built.open = true;
            self.bench
                .trouble(at, format!("`{entry}` includes this kustomization again"));
            return None;
        }
        let Some(form) = self.bench.shelf.form(&inner) else {
            self.bench.built.open = true;
            self.bench
                .trouble(at, format!("the kustomization in `{entry}` cannot be read"));
            return None;
        };
        let kind = form
            .document
            .root()
            .get("kind")
            .and_then(|kind| kind.as_str());
        if (kind == Some("Component")) != component {
            self.bench.built.open = true;
            let what = match component {
                true => "is not a component",
                false => "is a component and belongs under `components`",
            };
            self.bench.trouble(at, format!("`{entry}` {what}"));
            return None;
        }
        Some(inner)
    }

    fn component(&mut self, entry: &str, at: Span) {
        let path = resolve(&self.bench.form.folder, entry);
        let Some(path) = path else {
            self.bench.built.open = true;
            self.bench
                .doubt_all("its component is not in this repository", at);
            return self
                .bench
                .trouble(at, format!("`{entry}` is not in this repository"));
        };
        let Some(inner) = self.form_of(&path, entry, at, true) else {
            return self
                .bench
                .doubt_all("a component of its kustomization could not be read", at);
        };
        let Some(form) = self.bench.shelf.form(&inner) else {
            return;
        };
        self.above.push(inner);
        Builder {
            library: self.library,
            bench: Bench {
                form: &form,
                built: self.bench.built,
                ..self.bench
            },
            above: self.above,
        }
        .run();
        self.above.pop();
    }

    fn file(&mut self, path: &str, entry: &str, at: Span) {
        if !self.bench.shelf.matters(path) {
            self.bench.built.more = true;
            return;
        }
        let Some(documents) = self.bench.shelf.documents(path) else {
            self.bench.built.open = true;
            return;
        };
        if documents.broken {
            self.bench.built.open = true;
            self.bench
                .trouble(at, format!("`{entry}` could not be read completely"));
        }
        self.take(objects(path, &documents), at);
    }
}

/// The objects in a file.
fn objects(path: &str, documents: &Documents) -> Vec<Object> {
    let folder: Arc<str> = folder(path).into();
    let mut objects = Vec::new();
    for (value, origin) in &documents.values {
        let new = |value: &Value, origin| {
            Object::new(value.clone(), origin, documents.source, Arc::clone(&folder))
        };
        let kind = value.get("kind").and_then(Value::word).unwrap_or_default();
        match value.get("items").filter(|_| kind.ends_with("List")) {
            Some(items) => objects.extend(items.items().iter().map(|item| new(item, item.at))),
            None if value.get("kind").is_some() => objects.push(new(value, *origin)),
            None => {}
        }
    }
    objects
}

/// Whether an object only configures kustomize.
fn is_local(object: &Object) -> bool {
    const KEY: &str = "config.kubernetes.io/local-config";
    let annotations = object.value.at_path(&["metadata", "annotations"]);
    annotations.and_then(|all| all.get(KEY)?.word()) == Some("true")
}

/// Whether a field of a kustomization contains anything.
fn is_used(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|node| match node.kind() {
        Kind::Scalar => !node.is_null(),
        Kind::Sequence => node.items().next().is_some(),
        Kind::Mapping => node.written_fields().next().is_some(),
    })
}
