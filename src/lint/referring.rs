//! Files whose charts are named in other files: releases that refer to a repository, and values for the dependencies of a
//! chart. They are read again when all files are known.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Content;
use super::caught::caught;
use super::kept::{Kept, Load};
use super::shapes::Shapes;
use crate::extract::{self, ChartSources, FileFacts, Table};
use crate::source::{Source, SourceId};

/// The facts of such files, where their charts are known. A file whose text has changed since it was
/// read is left out; the check starts over anyway.
pub fn read_again(
    files: &[Kept],
    load: &Load<'_>,
    table: &Table,
    shapes: &Shapes,
) -> HashMap<SourceId, FileFacts> {
    let facts = || {
        files
            .iter()
            .filter_map(|kept| Some((kept, kept.read.facts.as_deref()?)))
    };
    let mut sources = ChartSources::default();
    for (kept, facts) in facts() {
        facts.chart_sources.iter().for_each(|one| sources.add(one));
        if !facts.dependencies.is_empty() {
            let folder = kept.input.path.rsplit_once('/');
            let folder = folder.map_or("", |(folder, _)| folder);
            sources.add_dependencies(folder, &facts.dependencies);
        }
    }
    if sources.is_empty() {
        return HashMap::new();
    }
    let refers = |kept: &&Kept| {
        let facts = kept.read.facts.as_deref();
        facts.is_some_and(|facts| !facts.referring.is_empty())
            || !sources.dependencies_of(&kept.input.path).is_empty()
    };
    let referring: Vec<&Kept> = files.iter().filter(refers).collect();
    let read = referring.into_par_iter().filter_map(|kept| {
        let content = kept.content(load);
        if super::digest::Digest::of(&content) != kept.read.digest {
            return None;
        }
        let Content::Text(text) = content else {
            return None;
        };
        let source = Source::new(kept.input.path.clone(), text).rendered(kept.rendered);
        let read = || extract::extract_with(&source, kept.id, table, &sources);
        // The first reading has said so already if this fails.
        let mut facts = caught(read).ok()?;
        facts.documents = 0;
        facts.configuration = None;
        shapes.share(&mut facts.workloads);
        Some((kept.id, facts))
    });
    read.collect()
}
