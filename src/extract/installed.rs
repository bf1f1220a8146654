//! A chart that a release installs, or that values are for.

use std::ops::Deref;
use std::sync::Arc;

use crate::charts::Edition;

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
    /// The version that is installed.
    pub(super) version: Option<String>,
    /// Its address is one that this chart is published at. Otherwise it only has the same name.
    pub(super) sure: bool,
    /// Other files may set more values, or patches may change the result.
    pub(super) open: bool,
    /// The namespace that it is installed into, if the release says one.
    pub(super) namespace: Option<String>,
}

impl Installed {
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
