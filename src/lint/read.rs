//! Reads one loaded file into facts.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::digest::Digest;
use super::{Content, Input};
use crate::cache::{About, Cache, Reader, Stored, Writer};
use crate::extract::{self, FileFacts, Table};
use crate::finding::{Because, Open, Problem};
use crate::model::notice::{Notice, NoticeKind};
use crate::source::{FileKind, STDIN_PATH, Source, SourceId, Span};
use crate::template::names_after;
use crate::terraform::File;
use crate::terraform::var_files;

/// A file after reading. Its text is dropped: few files have findings, and those are loaded again.
#[derive(Default)]
pub struct ReadFile {
    /// Documents that are not empty.
    pub documents: u32,
    /// Its facts. Most files have none.
    pub facts: Option<Box<FileFacts>>,
    /// A parsed Terraform file, which is meaningful only together with the others of its folder.
    pub configuration: Option<Arc<File>>,
    /// Digests of the names of the templates that it includes, if a tool renders it.
    pub includes: Box<[u64]>,
    /// The digest of its text.
    pub digest: Digest,
    /// Problems that prevented reading it.
    pub problems: Vec<Problem>,
    /// Whether it counts as read.
    pub counted: bool,
    /// Whether it is standard input without a manifest.
    pub without_manifest: bool,
}

impl ReadFile {
    fn of(mut facts: FileFacts) -> ReadFile {
        ReadFile {
            documents: std::mem::take(&mut facts.documents),
            configuration: facts.configuration.take(),
            facts: (!facts.is_empty()).then(|| Box::new(facts)),
            ..ReadFile::default()
        }
    }
}

/// A Terraform file is not kept, and neither is one that could not be read.
impl Stored for ReadFile {
    fn put(&self, to: &mut Writer) {
        let ReadFile {
            documents,
            facts,
            configuration,
            includes,
            digest: _,
            problems,
            counted,
            without_manifest,
        } = self;
        if configuration.is_some() || !problems.is_empty() || *without_manifest {
            to.refuse();
            return;
        }
        documents.put(to);
        counted.put(to);
        includes.put(to);
        facts.put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Some(ReadFile {
            documents: Stored::get(from)?,
            counted: Stored::get(from)?,
            includes: Stored::get(from)?,
            facts: Stored::get(from)?,
            ..ReadFile::default()
        })
    }
}

/// The digest of the name of a template.
pub fn name_digest(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Digests of the names of the templates that a file of a chart includes.
fn included(source: &Source) -> Box<[u64]> {
    let words = ["include", "template"];
    let words = words.iter().filter(|_| source.rendered);
    let names = words.flat_map(|word| names_after(&source.text, word));
    let names: BTreeSet<u64> = names.map(name_digest).collect();
    names.into_iter().collect()
}

/// Takes what a file said in an earlier run, or reads it. `rendered` says whether a tool renders it before it is used.
///
/// The key has everything that [`read_one`] is given, except for the id, which places are kept without.
pub fn read_or_find(
    (id, input): (SourceId, &Input),
    content: Content,
    rendered: bool,
    table: &Table,
    cache: Option<&Cache>,
) -> ReadFile {
    let (kind, text) = match &content {
        Content::Text(text) => (b"text".as_slice(), text),
        Content::Template(text) => (b"template".as_slice(), text),
        _ => return read_one(id, input, content, table, rendered),
    };
    let Some(cache) = cache.filter(|_| &*input.path != STDIN_PATH) else {
        return read_one(id, input, content, table, rendered);
    };
    let key = cache.key(&[
        kind,
        &table.identity().to_le_bytes(),
        &[u8::from(rendered)],
        input.path.as_bytes(),
        text.as_bytes(),
    ]);
    let about = About {
        id,
        length: text.len(),
    };
    if let Some(known) = cache.find::<ReadFile>(key, about) {
        let digest = Digest::of(&content);
        return ReadFile { digest, ..known };
    }
    let read = read_one(id, input, content, table, rendered);
    cache.keep(key, about, &read);
    read
}

/// Reads one file. `rendered` says whether a tool renders it before it is used.
pub fn read_one(
    id: SourceId,
    input: &Input,
    content: Content,
    table: &Table,
    rendered: bool,
) -> ReadFile {
    let is_stdin = &*input.path == STDIN_PATH;
    let digest = Digest::of(&content);
    let read = match content {
        // A script that never mentions taints is not counted as a file, and a program is none to read.
        Content::Irrelevant | Content::Parameters(_) => ReadFile {
            counted: !FileKind::of(&input.path)
                .is_some_and(|kind| kind.holds_commands() || kind == FileKind::Program),
            ..ReadFile::default()
        },
        Content::Template(text) => {
            let source = Source::new(&*input.path, text).rendered(rendered);
            let facts = extract::extract_part(&source, id, table);
            ReadFile {
                counted: facts.documents > 0,
                includes: included(&source),
                ..ReadFile::of(facts)
            }
        }
        Content::Unreadable(why) => ReadFile {
            problems: vec![Problem {
                file: Some(input.path.to_string()),
                position: None,
                message: why,
            }],
            ..ReadFile::default()
        },
        Content::Unusable(kind) => {
            let mut facts = FileFacts::default();
            let span = Span::new(id, 0..0);
            let is_binary = kind == NoticeKind::Binary {};
            let because = match &kind {
                NoticeKind::TooLarge { why } | NoticeKind::NotUtf8 { why } => {
                    Because::Unusable(why.as_str().into())
                }
                // No rule reports these: an encrypted file is not an error, but it was not checked either.
                _ => Because::Binary,
            };
            facts.not_judged.push(Open::part(span, because));
            facts.notices.push(Notice::of_file(kind, span));
            ReadFile {
                counted: true,
                without_manifest: is_stdin && is_binary,
                ..ReadFile::of(facts)
            }
        }
        Content::Text(text) => {
            let source = Source::new(&*input.path, text).rendered(rendered);
            let mut facts = extract::extract(&source, id, table);
            facts.var_files = var_files(&source.path, &source.text).into();
            let unreadable = facts.unreadable.iter();
            let problems = unreadable.map(|unreadable| Problem {
                file: Some(input.path.to_string()),
                position: Some(source.position(unreadable.span.start)),
                message: unreadable.message.clone(),
            });
            ReadFile {
                problems: problems.collect(),
                counted: true,
                without_manifest: is_stdin && !extract::has_manifest(&source, id, &facts),
                includes: included(&source),
                ..ReadFile::of(facts)
            }
        }
    };
    ReadFile { digest, ..read }
}
