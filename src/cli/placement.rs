//! Commands that show clusters and where pods can land.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Beside, Listing};

/// `kubetaint clusters`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint clusters -o json\n\n\
        Exit codes: 0 the clusters were listed, 2 the job could not be done (a path that does not exist, an error in the \
        configuration, nothing to read).")]
pub struct Clusters {
    /// Files and folders to read; `-` reads manifests from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// How to list them
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Listing,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,
}

/// `kubetaint why`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint why deployment/web\n  \
        kubetaint why shop/deployment/web apps/ infra/\n  \
        kubetaint why apps/web.yaml:12\n  \
        kubetaint why --pool gpu\n\n\
        Exit codes: 0 the question was answered, 2 it could not be (no such workload or pool, a path that does not exist, an \
        error in the configuration).")]
pub struct Why {
    /// The workload: KIND/NAME, NAMESPACE/KIND/NAME or FILE:LINE. With --pool, the first PATH
    #[arg(value_name = "WORKLOAD", required_unless_present = "pool")]
    pub workload: Option<String>,

    /// Files and folders to read [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Say who can run on this pool, and who selects it and cannot
    #[arg(long, value_name = "POOL")]
    pub pool: Option<String>,

    /// How to answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Answer,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Answer {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// `kubetaint matrix`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint matrix\n  \
        kubetaint matrix --problems --cluster prod\n  \
        kubetaint matrix -o csv --output matrix.csv\n  \
        kubetaint matrix -o html --output matrix.html\n\n\
        Exit codes: 0 the matrix was written, 2 the job could not be done (a path that does not exist, an error in the \
        configuration, nothing to read).")]
pub struct Matrix {
    /// Files and folders to read; `-` reads manifests from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// Only this cluster
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,

    /// Only workloads in this namespace
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,

    /// Only workloads that can run on none of the pools
    #[arg(long)]
    pub problems: bool,

    /// How to show it
    #[arg(short = 'o', value_name = "FORMAT", default_value = "text")]
    pub format: MatrixFormat,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,
}

/// The format of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MatrixFormat {
    /// A table for terminals.
    Text,
    /// Tables for a page or a comment.
    Markdown,
    /// A line for each workload and pool.
    Csv,
    /// For programs.
    Json,
    /// A page for browsers, with search and filters, that needs no other file.
    Html,
}
