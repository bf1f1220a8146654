//! The values of flags, each with the word that users write.

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;

use crate::finding::Severity;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that has them
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// How the rules are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// For people
    #[default]
    Table,
    /// For programs
    Json,
}

/// How node pools are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PoolListing {
    /// A row per pool, for people
    #[default]
    Table,
    /// An inventory
    Yaml,
    /// An inventory, for programs
    Json,
}

/// Which findings turn the exit code to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Only what is provably wrong
    Error,
    /// Also what is dangerous or very probably wrong
    #[default]
    Warning,
    /// Also what is merely worth knowing
    Note,
    /// Nothing
    Never,
}

impl FailOn {
    /// Returns the lowest severity that fails the run, or `None` if no severity does.
    pub fn threshold(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Note => Some(Severity::Note),
            FailOn::Never => None,
        }
    }
}

/// A program that renders manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Renderer {
    /// `helm template` for each chart
    Helm,
    /// `kustomize build` for each kustomization
    Kustomize,
}

/// A severity as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Provably wrong
    Error,
    /// Dangerous or very probably wrong
    Warning,
    /// Worth knowing
    Note,
}

impl From<Level> for Severity {
    fn from(level: Level) -> Severity {
        match level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Note => Severity::Note,
        }
    }
}

/// A format and the destination of its report, written as `NAME` or `NAME=FILE`. The output module validates the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatTarget {
    /// The format's name.
    pub name: String,
    /// The file to write; standard output if `None`.
    pub file: Option<PathBuf>,
}

/// Why a text is not a valid [`FormatTarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatTargetError {
    /// Nothing before the `=`, or nothing at all.
    #[error("the name of a format is missing; write NAME or NAME=FILE, such as json=report.json")]
    NoName,
    /// Nothing after the `=`.
    #[error("the file is missing after `=`; write NAME=FILE, such as json=report.json")]
    NoFile,
}

impl FromStr for FormatTarget {
    type Err = FormatTargetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (text, None),
        };
        if name.is_empty() {
            return Err(FormatTargetError::NoName);
        }
        if file == Some("") {
            return Err(FormatTargetError::NoFile);
        }
        Ok(FormatTarget {
            name: name.to_owned(),
            file: file.map(PathBuf::from),
        })
    }
}

/// What there are schemas of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// .kubetaint.yaml
    Config,
    /// A rule
    Rule,
    /// A provider table
    Provider,
    /// A table of charts
    Chart,
    /// The report of `check --format json`
    Report,
    /// The list of `clusters -o json`
    Clusters,
}

impl SchemaOf {
    /// Returns the name that users give.
    pub fn name(self) -> &'static str {
        match self {
            SchemaOf::Config => "config",
            SchemaOf::Rule => "rule",
            SchemaOf::Provider => "provider",
            SchemaOf::Chart => "chart",
            SchemaOf::Report => "report",
            SchemaOf::Clusters => "clusters",
        }
    }
}
