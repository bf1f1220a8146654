//! Reads one file: from what was loaded to facts.

use std::sync::Arc;

use super::digest::Digest;
use super::{Content, Input};
use crate::extract::{self, FileFacts, Table};
use crate::finding::{Because, Open, Problem};
use crate::model::notice::{Notice, NoticeKind};
use crate::source::{FileKind, STDIN_PATH, Source, SourceId, Span};
use crate::terraform::File;

/// One file after reading. Its text is gone: few files have findings, and those are loaded again.
#[derive(Default)]
pub struct ReadFile {
    /// Documents that are not empty.
    pub documents: u32,
    /// What it says. Most files say nothing.
    pub facts: Option<Box<FileFacts>>,
    /// A Terraform file, which means something only together with the others of its folder.
    pub configuration: Option<Arc<File>>,
    /// What the text was.
    pub digest: Digest,
    /// What kept it from being read.
    pub problems: Vec<Problem>,
    /// It counts as a file that was read.
    pub counted: bool,
    /// It is standard input and holds no manifest.
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

/// Reads one file. `rendered` says that a tool renders it before anyone reads it.
pub fn read_one(
    id: SourceId,
    input: &Input,
    content: Content,
    table: &Table,
    rendered: bool,
) -> ReadFile {
    let is_stdin = input.path == STDIN_PATH;
    let digest = Digest::of(&content);
    let read = match content {
        // A script without a word about taints is none of the files that people mean.
        Content::Irrelevant => ReadFile {
            counted: !FileKind::of(&input.path).is_some_and(FileKind::holds_commands),
            ..ReadFile::default()
        },
        Content::Template(text) => {
            let source = Source::new(input.path.clone(), text);
            ReadFile::of(extract::extract_part(&source, id))
        }
        Content::Unreadable(why) => ReadFile {
            problems: vec![Problem {
                file: Some(input.path.clone()),
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
                // No rule reports these: an encrypted file is no mistake, and it was not checked either.
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
            let source = Source::new(input.path.clone(), text).rendered(rendered);
            let facts = extract::extract(&source, id, table);
            let unreadable = facts.unreadable.iter();
            let problems = unreadable.map(|unreadable| Problem {
                file: Some(input.path.clone()),
                position: Some(source.position(unreadable.span.start)),
                message: unreadable.message.clone(),
            });
            ReadFile {
                problems: problems.collect(),
                counted: true,
                without_manifest: is_stdin && !extract::has_manifest(&source, id, &facts),
                ..ReadFile::of(facts)
            }
        }
    };
    ReadFile { digest, ..read }
}
