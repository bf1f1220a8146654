//! The arguments of `kubetaint diff`.

use std::path::PathBuf;

use clap::Args;

use super::headings::{INPUT, OUTPUT, RULES};
use super::{Beside, FailOn, PlacementChange};

/// `kubetaint diff`
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "BASE and HEAD are git revisions, or two folders. BASE...HEAD compares HEAD with the commit that both come \
        from, as a pull request does. Write ./NAME for a folder that has the name of a revision.\n\n\
        Examples:\n  \
        kubetaint diff main                       what the working tree changes\n  \
        kubetaint diff main...HEAD -o markdown    what a branch changes, for a comment\n  \
        kubetaint diff v1.2 v1.3 -o json\n  \
        kubetaint diff before/ after/\n\n\
        Exit codes: 0 nothing is lost, 1 pods become Pending or are evicted, a DaemonSet loses a pool, or a new finding is as \
        bad as --fail-on says, 2 the question could not be answered (no such revision, a commit that a shallow clone does \
        not have, an error in the configuration)."
)]
pub struct Diff {
    /// The state before: a git revision or a folder
    #[arg(value_name = "BASE")]
    pub base: String,

    /// The state after [default: the working tree]
    #[arg(value_name = "HEAD")]
    pub head: Option<String>,

    /// How to answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub output: PlacementChange,

    /// Exit with 1 when there is a new finding at least this bad
    #[arg(long, value_name = "SEVERITY", default_value = "warning", help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// A folder with rules of your own, beside the built-in ones. May be given several times
    #[arg(long, value_name = "DIR", help_heading = RULES)]
    pub rules: Vec<PathBuf>,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,

    /// Node pools before the change, from a file like that of --pools. May be given several times
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub base_pools: Vec<PathBuf>,

    /// Node pools after the change, from a file like that of --pools. May be given several times
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub head_pools: Vec<PathBuf>,
}
