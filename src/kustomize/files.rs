//! The files of kustomizations, each of them parsed once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::value::{Value, of_node};
use crate::source::path::folder;
use crate::source::{SourceId, Span};
use crate::yaml::{self, Document};

/// The names of the files that make a folder a kustomization.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The maximum number of values in one document.
const MAX_VALUES: usize = 200_000;

/// The files of a repository.
pub trait Files {
    /// Whether there is a file.
    fn has(&self, path: &str) -> bool;

    /// Whether objects in a file may matter. Others are not read.
    fn matters(&self, _path: &str) -> bool {
        true
    }

    /// The text of a file, or `None` if it is not there or not text.
    fn text(&self, path: &str) -> Option<(SourceId, String)>;
}

/// Something that prevents building a kustomization in part or as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// Its place.
    pub at: Span,
    /// What it is.
    pub why: String,
}

/// The documents of a file.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) source: SourceId,
    /// The documents that are not empty, with the place of each.
    pub(super) values: Vec<(Value, Span)>,
    /// Some documents could not be read.
    pub(super) broken: bool,
    /// The text begins with a bracket but is not JSON. kustomize reads it as YAML only where no JSON patch may be.
    pub(super) half_json: bool,
}

/// A kustomization file.
pub(super) struct Form {
    pub(super) source: SourceId,
    /// Its folder.
    pub(super) folder: String,
    pub(super) text: String,
    pub(super) document: Document,
}

/// Files that were read so far.
pub(super) struct Shelf<'f> {
    files: &'f dyn Files,
    documents: RefCell<HashMap<String, Option<Rc<Documents>>>>,
    forms: RefCell<HashMap<String, Option<Rc<Form>>>>,
}

impl<'f> Shelf<'f> {
    pub(super) fn new(files: &'f dyn Files) -> Self {
        Shelf {
            files,
            documents: RefCell::default(),
            forms: RefCell::default(),
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.has(path)
    }

    pub(super) fn matters(&self, path: &str) -> bool {
        self.files.matters(path)
    }

    /// The kustomization file of a folder.
    pub(super) fn form_at(&self, folder: &str) -> Option<String> {
        let paths = NAMES.iter().map(|name| match folder {
            "" => (*name).to_owned(),
            _ => format!("{folder}/{name}"),
        });
        paths.into_iter().find(|path| self.files.has(path))
    }

    /// The documents of a file, or `None` if it cannot be read.
    pub(super) fn documents(&self, path: &str) -> Option<Rc<Documents>> {
        if let Some(known) = self.documents.borrow().get(path) {
            return known.clone();
        }
        let read = self.files.text(path);
        let read = read.map(|(source, text)| {
            let whole = |span| span;
            Rc::new(parse(&text, source, &whole))
        });
        let mut known = self.documents.borrow_mut();
        known.insert(path.to_owned(), read.clone());
        read
    }

    /// A kustomization file, or `None` if it cannot be read.
    pub(super) fn form(&self, path: &str) -> Option<Rc<Form>> {
        if let Some(known) = self.forms.borrow().get(path) {
            return known.clone();
        }
        let read = self.files.text(path).and_then(|(source, text)| {
            let stream = yaml::parse(&text, source);
            let is_whole = stream.errors.is_empty();
            let mut documents = stream.documents.into_iter();
            let document = documents.find(|document| !document.is_empty());
            let document = document.filter(|_| is_whole)?;
            Some(Rc::new(Form {
                source,
                folder: folder(path).to_owned(),
                text,
                document,
            }))
        });
        let mut known = self.forms.borrow_mut();
        known.insert(path.to_owned(), read.clone());
        read
    }

    /// A document of a file as a kustomization of another folder.
    pub(super) fn form_within(&self, path: &str, document: Span, folder: &str) -> Option<Form> {
        let (source, text) = self.files.text(path)?;
        let mut documents = yaml::parse(&text, source).documents.into_iter();
        let document = documents.find(|one| one.root().span() == document)?;
        Some(Form {
            source,
            folder: folder.to_owned(),
            text,
            document,
        })
    }
}

/// Reads the documents of a text. `place` says where its parts come from.
pub(super) fn parse(text: &str, source: SourceId, place: &dyn Fn(Span) -> Span) -> Documents {
    let stream = yaml::parse(text, source);
    let mut broken = !stream.errors.is_empty();
    let mut values = Vec::new();
    for document in stream.documents.iter().filter(|one| !one.is_empty()) {
        let mut budget = MAX_VALUES;
        match of_node(document.root(), place, &mut budget) {
            Some(value) => values.push((value, place(document.span()))),
            None => broken = true,
        }
    }
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    Documents {
        source,
        values,
        broken,
        half_json: text.trim_start().starts_with('[') && !is_json(),
    }
}
