//! Terraform configurations. Reading one takes all files of its folder and the modules and files that it refers to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::Content;
use super::caught::{bug, caught};
use super::kept::{Kept, Load};
use crate::extract::{self, FileFacts, Table};
use crate::finding::Problem;
use crate::source::SourceId;
use crate::terraform::{Files, Folder, Repository, Used, VarFiles};

/// The contents of each configuration, keyed by the path of its folder.
#[derive(Default)]
pub struct Configurations(BTreeMap<String, Arc<Configuration>>);

/// The contents of one configuration.
struct Configuration {
    /// The files it was read from.
    used: Used,
    /// A digest of those files.
    digest: u64,
    facts: FileFacts,
}

impl Configurations {
    /// Reads the configurations among some files. A configuration is read again only if a file that it uses has changed.
    pub fn read(
        &mut self,
        files: &[Kept],
        load: &Load<'_>,
        table: &Table,
    ) -> Vec<Result<FileFacts, Problem>> {
        let configurations = files.iter().filter_map(|kept| {
            let file = Arc::clone(kept.read.configuration.as_ref()?);
            Some((kept.input.path.to_string(), file))
        });
        let facts = files.iter().filter_map(|kept| kept.read.facts.as_ref());
        let named = facts.flat_map(|facts| facts.var_files.iter().cloned());
        let named: BTreeSet<VarFiles> = named.collect();
        let others = OtherFiles {
            files,
            load,
            by_path: OnceLock::new(),
        };
        let repository = extract::configurations(configurations.collect(), &named).beside(&others);
        let read: Vec<_> = repository
            .tops()
            .into_par_iter()
            .map(|top| (top.path(), self.read_one(&repository, top, &others, table)))
            .collect();
        let mut known = BTreeMap::new();
        let mut all = Vec::new();
        for (path, one) in read {
            if let Ok(one) = &one {
                known.insert(path.to_owned(), Arc::clone(one));
            }
            all.push(one);
        }
        self.0 = known;
        all.into_iter()
            .map(|one| one.map(|one| one.facts.clone()))
            .collect()
    }

    fn read_one(
        &self,
        repository: &Repository<'_>,
        top: &Folder,
        others: &OtherFiles<'_>,
        table: &Table,
    ) -> Result<Arc<Configuration>, Problem> {
        let known = self.0.get(top.path());
        let same = known.filter(|known| known.digest == others.digest(repository, &known.used));
        if let Some(same) = same {
            return Ok(Arc::clone(same));
        }
        let (facts, used) = caught(|| extract::read_configuration(repository, top, table))
            .map_err(|why| bug(top.path(), "read", &why))?;
        Ok(Arc::new(Configuration {
            digest: others.digest(repository, &used),
            used,
            facts,
        }))
    }
}

/// Files that configurations read by name. They are loaded again because texts are not kept.
struct OtherFiles<'f> {
    files: &'f [Kept],
    load: &'f Load<'f>,
    by_path: OnceLock<HashMap<&'f str, &'f Kept>>,
}

impl<'f> OtherFiles<'f> {
    fn find(&self, path: &str) -> Option<&'f Kept> {
        // Most repositories need none of these.
        let by_path = self.by_path.get_or_init(|| {
            let files = self.files.iter();
            files.map(|kept| (&*kept.input.path, kept)).collect()
        });
        by_path.get(path).copied()
    }

    fn by_id(&self, id: SourceId) -> Option<&'f Kept> {
        let at = self.files.binary_search_by_key(&id, |kept| kept.id).ok()?;
        self.files.get(at)
    }

    /// A digest of the files that a configuration was read from.
    fn digest(&self, repository: &Repository<'_>, used: &Used) -> u64 {
        let mut hasher = DefaultHasher::new();
        for folder in &used.folders {
            folder.hash(&mut hasher);
            for id in repository.sources(folder) {
                let digest = self.by_id(id).map(|kept| kept.read.digest);
                (id, digest).hash(&mut hasher);
            }
        }
        for path in &used.files {
            let digest = self.find(path).map(|kept| (kept.id, kept.read.digest));
            (path, digest).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Files for OtherFiles<'_> {
    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        let kept = self.find(path)?;
        match kept.content(self.load) {
            Content::Text(text) | Content::Template(text) => Some((kept.id, text)),
            Content::Irrelevant
            | Content::Parameters(_)
            | Content::Unusable(_)
            | Content::Unreadable(_) => None,
        }
    }

    fn path(&self, file: SourceId) -> &str {
        self.by_id(file).map_or("", |kept| &kept.input.path)
    }
}
