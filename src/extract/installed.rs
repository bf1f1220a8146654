//! A chart that a release installs.

use crate::charts::Edition;

/// A chart that is installed, as far as the tables of charts know it.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    /// The name of the chart.
    pub(super) chart: String,
    /// The chart in the tables.
    pub(super) edition: &'static Edition,
    /// The version that is installed.
    pub(super) version: Option<String>,
    /// Its address is one that this chart is published at. Otherwise it only has the same name.
    pub(super) sure: bool,
    /// Other files may set more values, or patches may change the result.
    pub(super) open: bool,
}

impl Installed {
    /// The chart, with the version that was examined.
    pub(super) fn examined(&self) -> String {
        format!("{} {}", self.chart, self.edition.version)
    }

    /// Whether the version is the examined one, apart from patches.
    pub(super) fn is_examined_version(&self) -> bool {
        let release = |version: &str| {
            let mut parts = version.trim_start_matches('v').split(['.', '-', '+']);
            let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
            Some((number(parts.next())?, number(parts.next())?))
        };
        let own = self.version.as_deref().and_then(release);
        own.is_some() && own == release(&self.edition.version)
    }
}
