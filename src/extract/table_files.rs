//! Loads provider tables: those that the program carries, and those of a repository.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::rows::Provider;
use super::table::{RowRef, TERRAFORM, Table};
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

impl Table {
    /// Loads provider files, given as name and text.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Table, Vec<Problem>> {
        let files: Vec<Source> = files
            .into_iter()
            .map(|(file, text)| Source::new(file, text))
            .collect();
        Table::load_beside(&[], &files)
    }

    /// Does the same together with the tables that the program carries, given as name and JSON. A file replaces a table with
    /// the same name.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn load_beside(carried: &[(&str, &str)], files: &[Source]) -> Result<Table, Vec<Problem>> {
        let carried = carried
            .iter()
            .map(|(name, json)| (*name, Written::Json(json)));
        let files = files.iter().map(|file| {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            (name, Written::Yaml(file))
        });
        let all: BTreeMap<&str, Written<'_>> = carried.chain(files).collect();
        let all: Vec<(&str, Written<'_>)> = all.into_iter().collect();
        let read: Vec<_> = all
            .par_iter()
            .map(|(name, written)| match written {
                Written::Yaml(source) => Self::read(source, yaml::read(source, SourceId(0), WHAT)),
                Written::Json(json) => {
                    let source = Source::new(format!("providers/{name}"), "");
                    Self::read(&source, yaml::read_json(json, SourceId(0), WHAT))
                }
            })
            .collect();
        let mut table = Table::default();
        let mut problems = Vec::new();
        for provider in read {
            match provider {
                Ok(provider) => table.add(provider),
                Err(wrong) => problems.extend(wrong),
            }
        }
        match problems.is_empty() {
            true => Ok(table),
            false => Err(problems),
        }
    }

    fn read(source: &Source, reading: Reading<Provider>) -> Result<Provider, Vec<Problem>> {
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

    fn add(&mut self, provider: Provider) {
        let at = self.providers.len();
        let mut rows: Vec<((String, String), RowRef)> = Vec::new();
        for (row_at, row) in provider.workloads.iter().enumerate() {
            for kind in &row.kinds {
                rows.push((
                    (row.group.clone(), kind.clone()),
                    RowRef::Workload(at, row_at),
                ));
            }
        }
        for (row_at, row) in provider.pools.iter().enumerate() {
            let reference = RowRef::Pool(at, row_at);
            for kind in &row.kinds {
                rows.push(((row.group.clone(), kind.clone()), reference));
            }
            for of_type in &row.terraform {
                rows.push(((TERRAFORM.to_owned(), of_type.clone()), reference));
            }
            for module in &row.modules {
                self.modules.push((module.clone(), at, row_at));
            }
            let of_terraform = !row.terraform.is_empty() || !row.modules.is_empty();
            if row.kinds.is_empty() && !of_terraform {
                self.kindless.push((at, row_at));
            }
        }
        for (row_at, row) in provider.manifests.iter().enumerate() {
            for of_type in &row.terraform {
                let reference = RowRef::Manifest(at, row_at);
                rows.push(((TERRAFORM.to_owned(), of_type.clone()), reference));
            }
        }
        for row in &provider.clusters {
            for kind in &row.kinds {
                rows.push(((row.group.clone(), kind.clone()), RowRef::Cluster(at)));
            }
            for of_type in &row.terraform {
                let key = (TERRAFORM.to_owned(), of_type.clone());
                rows.push((key, RowRef::Cluster(at)));
            }
        }
        for (key, row) in rows {
            let is_pool = self.kinds.entry(key.1.clone()).or_default();
            *is_pool |= matches!(row, RowRef::Pool(..));
            self.by_kind.entry(key).or_default().push(row);
        }
        self.providers.push(provider);
    }
}
