//! Reads provider tables: those that the program carries, and those of a repository.

use std::collections::BTreeMap;
use std::hash::Hash as _;

use rayon::prelude::*;
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::rows::Provider;
use crate::finding::Problem;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, Reading, Spanned};

/// A provider file in messages.
const WHAT: &str = "the provider table";

/// How a table is written.
enum Written<'w> {
    Yaml(&'w Source),
    Json(&'w str),
}

/// A digest of the names of the carried tables, and of the names and texts of files: what one program makes of equal ones
/// is equal.
pub(super) fn identity(carried: &[(&str, &str)], files: &[Source]) -> u128 {
    let mut hasher = SipHasher13::new();
    carried.len().hash(&mut hasher);
    carried.iter().for_each(|(name, _)| name.hash(&mut hasher));
    for file in files {
        name(file).hash(&mut hasher);
        file.text.hash(&mut hasher);
    }
    hasher.finish128().as_u128()
}

/// The name of a file of a repository.
fn name(file: &Source) -> &str {
    file.path.rsplit('/').next().unwrap_or_default()
}

/// Reads the tables that the program carries, given as name and JSON, and the files of a repository. A file replaces a table
/// with the same name.
///
/// # Errors
/// Returns all errors in the files.
pub(super) fn read(
    carried: &[(&str, &str)],
    files: &[Source],
) -> Result<Vec<Provider>, Vec<Problem>> {
    let carried = carried
        .iter()
        .map(|(name, json)| (*name, Written::Json(json)));
    let files = files.iter().map(|file| (name(file), Written::Yaml(file)));
    let all: BTreeMap<&str, Written<'_>> = carried.chain(files).collect();
    let all: Vec<(&str, Written<'_>)> = all.into_iter().collect();
    let read: Vec<_> = all
        .par_iter()
        .map(|(name, written)| match written {
            Written::Yaml(source) => read_one(source, yaml::read(source, SourceId(0), WHAT)),
            Written::Json(json) => {
                let source = Source::new(format!("providers/{name}"), "");
                read_one(&source, yaml::read_json(json, SourceId(0), WHAT))
            }
        })
        .collect();
    let mut providers = Vec::new();
    let mut problems = Vec::new();
    for provider in read {
        match provider {
            Ok(provider) => providers.push(provider),
            Err(wrong) => problems.extend(wrong),
        }
    }
    match problems.is_empty() {
        true => Ok(providers),
        false => Err(problems),
    }
}

fn read_one(source: &Source, reading: Reading<Provider>) -> Result<Provider, Vec<Problem>> {
    let start = Span::new(SourceId(0), 0..0);
    let (span, message) = match reading.whole(source, Problem::at)? {
        None => (start, "the provider table is empty".to_owned()),
        Some(provider) => {
            let Spanned { value: name, span } = &provider.name;
            // Reports show the name, and users look for the file.
            if name == source.stem() {
                return Ok(provider);
            }
            let stem = source.stem();
            let message = format!("name `{name}` differs from the file's name, `{stem}`");
            (*span, message)
        }
    };
    Err(vec![Problem::at(source, span, message)])
}
