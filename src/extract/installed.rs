//! A chart that a release installs, or that values are for.

use std::ops::Deref;
use std::sync::Arc;

use crate::charts::{self, Edition};
use crate::source::SourceId;
use crate::yaml::{Document, Node};

/// What is known about the values of a chart.
#[derive(Debug, Clone)]
pub(super) enum Described {
    /// The tables of charts say it.
    Table(&'static Edition),
    /// Its templates, which are in the repository, say it.
    Templates(Arc<Edition>),
}

impl Deref for Described {
    type Target = Edition;

    fn deref(&self) -> &Edition {
        match self {
            Described::Table(edition) => edition,
            Described::Templates(edition) => edition,
        }
    }
}

/// A chart that is installed, as far as it is known.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    /// The name of the chart.
    pub(super) chart: String,
    /// What is known about its values.
    pub(super) edition: Described,
    /// Its folder, if its templates are in the repository.
    pub(super) folder: Option<String>,
    /// The version that is installed.
    pub(super) version: Option<String>,
    /// Its address is one that this chart is published at. Otherwise it only has the same name.
    pub(super) sure: bool,
    /// Other files may set more values, or patches may change the result.
    pub(super) open: bool,
    /// The namespace that it is installed into, if the release says one.
    pub(super) namespace: Option<String>,
    /// Lower layers of values, the uppermost first.
    pub(super) below: Vec<Arc<Document>>,
}

impl Installed {
    /// The lower layers of values as maps, with their paths.
    pub(super) fn below_all(&self) -> Vec<(Node<'_>, String)> {
        let below = self.below.iter().map(|one| one.root());
        below.map(|root| (root, String::new())).collect()
    }

    /// The files of the lower layers.
    pub(super) fn files_below(&self) -> impl Iterator<Item = SourceId> {
        self.below.iter().map(|one| one.root().span().source)
    }

    /// Whether its templates are in the repository.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.edition, Described::Templates(_))
    }

    /// The chart, with the version that was examined.
    pub(super) fn examined(&self) -> String {
        format!("{} {}", self.chart, self.edition.version)
    }

    /// Whether the defaults are those of the chart that is installed: it is in the repository, or its version is the
    /// examined one.
    pub(super) fn is_certain(&self) -> bool {
        self.is_own() || self.is_examined_version()
    }

    /// Whether the version is the examined one, apart from patches.
    fn is_examined_version(&self) -> bool {
        let release = |version: &str| {
            let mut parts = version.trim_start_matches('v').split(['.', '-', '+']);
            let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
            Some((number(parts.next())?, number(parts.next())?))
        };
        let own = self.version.as_deref().and_then(release);
        own.is_some() && own == release(&self.edition.version)
    }
}

/// Where a chart comes from.
pub(super) enum Origin {
    /// An address. A whole one ends with the name of the chart.
    Address(String),
    /// An object that is not in this file.
    Elsewhere,
    Unknown,
}

/// The chart in the tables, and whether its address is one that it is published at.
pub(super) fn edition(chart: &str, origin: &Origin) -> Option<(&'static Edition, bool)> {
    let editions = charts::named(chart);
    let only = match editions {
        [only] => Some((only, false)),
        _ => None,
    };
    let Origin::Address(address) = origin else {
        return only;
    };
    let mut published = editions
        .iter()
        .filter(|edition| edition.is_published_at(chart, address));
    published.next().map(|edition| (edition, true)).or(only)
}
