//! The arguments of `kubetaint whatif`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::Beside;
use super::headings::CHANGES;

/// `kubetaint whatif`
#[derive(Args, Clone, Debug)]
#[command(
    group(
        ArgGroup::new("change")
            .args(["remove_pool", "add_pool", "untaint", "taint", "label", "cordon"])
            .required(true)
            .multiple(true)
    ),
    after_help = "Changes may be given several times and together. They are applied in the order in which they are listed above: \
        an added pool can be tainted, and a removed taint makes room for another.\n\n\
        POOL is a name, or CLUSTER/POOL where several clusters have a pool of that name; without the cluster all of that \
        name are changed.\n\n\
        Examples:\n  \
        kubetaint whatif --taint gpu=dedicated=ml:NoExecute\n  \
        kubetaint whatif --untaint gpu=dedicated --taint gpu=team=ml:NoSchedule\n  \
        kubetaint whatif --remove-pool prod/old --add-pool new-pool.yaml -o markdown apps/ infra/\n\n\
        Exit codes: 0 nothing is lost, 1 pods are evicted or Pending, or a DaemonSet loses a pool, 2 the question could not \
        be answered (no such pool, a malformed taint, a file without pools, a path that does not exist)."
)]
pub struct WhatIf {
    /// Files and folders to read; `-` reads manifests from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// Remove a pool
    #[arg(long, value_name = "POOL", help_heading = CHANGES)]
    pub remove_pool: Vec<String>,

    /// Add the pools of a file: a manifest, Terraform, or what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml`
    /// prints. CLUSTER=FILE adds them to one cluster; otherwise they go to the cluster that they name, or to all
    #[arg(long, value_name = "[CLUSTER=]FILE", help_heading = CHANGES)]
    pub add_pool: Vec<String>,

    /// Remove the taints with this key, or with this key and effect
    #[arg(long, value_name = "POOL=key[:Effect]", help_heading = CHANGES)]
    pub untaint: Vec<String>,

    /// Add a taint, in place of one with the same key and effect
    #[arg(long, value_name = "POOL=key=value:Effect", help_heading = CHANGES)]
    pub taint: Vec<String>,

    /// Set a label of the nodes
    #[arg(long, value_name = "POOL=key=value", help_heading = CHANGES)]
    pub label: Vec<String>,

    /// Make the nodes unschedulable, as `kubectl cordon` does
    #[arg(long, value_name = "POOL", help_heading = CHANGES)]
    pub cordon: Vec<String>,

    /// How to answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: PlacementChange,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,
}

/// The format of what a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacementChange {
    /// For people.
    Text,
    /// For a page or a comment.
    Markdown,
    /// For programs.
    Json,
}
