//! The arguments of `kubetaint check`.

use std::path::PathBuf;

use clap::Args;

use super::headings::{FIXES, INPUT, OUTPUT, RULES, SUPPRESSED};
use super::{Beside, FailOn, FormatTarget, Level, Renderer};

/// `kubetaint check`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint check\n  \
        kubetaint check apps/ infra/pools.yaml\n  \
        kubectl get deployments -A -o yaml | kubetaint check -\n  \
        helm template my-chart | kubetaint check - infra/\n  \
        kubetaint check --format text --format json=report.json\n  \
        kubetaint check --format github --format sarif=kubetaint.sarif\n  \
        kubetaint check --select value-with-exists,unknown-effect\n  \
        kubetaint check --fail-on error\n  \
        kubetaint check --only apps/web.yaml infra/pools.yaml\n  \
        kubetaint check --statistics\n  \
        kubetaint check --pools nodes.yaml\n  \
        kubetaint check --render helm,kustomize\n  \
        kubetaint check --add-ignores \"agents run everywhere\" --select blanket-exists\n  \
        kubetaint check --write-baseline .kubetaint-baseline.yaml\n  \
        kubetaint check --baseline .kubetaint-baseline.yaml\n  \
        kubetaint check --base main\n\n\
        Exit codes: 0 nothing as bad as --fail-on says, 1 something, 2 the job could not be done (a path that does \
        not exist, an error in the configuration, nothing to check).")]
pub struct Check {
    /// Files and folders to check; `-` reads manifests from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// How to report: text, concise (one line each), json, jsonl, sarif, github, gitlab, junit, rdjson or markdown; with
    /// =FILE into a file. May be given several times [default: text]
    #[arg(long = "format", value_name = "NAME[=FILE]", help_heading = OUTPUT)]
    pub formats: Vec<FormatTarget>,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,

    /// A folder with rules of your own, beside the built-in ones. May be given several times
    #[arg(long, value_name = "DIR", help_heading = RULES)]
    pub rules: Vec<PathBuf>,

    /// Apply only these rules
    #[arg(long, value_name = "RULE,...", value_delimiter = ',', help_heading = RULES)]
    pub select: Vec<String>,

    /// Leave these rules out
    #[arg(long, value_name = "RULE,...", value_delimiter = ',', help_heading = RULES)]
    pub ignore: Vec<String>,

    /// Apply fixes that do not change where pods run, and report what is left
    #[arg(long, help_heading = FIXES)]
    pub fix: bool,

    /// Also apply fixes that may change where pods run
    #[arg(long, help_heading = FIXES)]
    pub unsafe_fixes: bool,

    /// Write comments that suppress the findings that fail the run, with this reason, and report what is left. These are
    /// findings of the selected rules that are at least as bad as --fail-on. With --diff, print the comments as a patch
    #[arg(
        long,
        value_name = "REASON",
        conflicts_with_all = ["fix", "unsafe_fixes", "no_ignores", "write_baseline", "prune_baseline"],
        help_heading = SUPPRESSED
    )]
    pub add_ignores: Option<String>,

    /// Print what --fix (or --unsafe-fixes) would change as a patch for `git apply`, and change nothing
    #[arg(long, help_heading = FIXES)]
    pub diff: bool,

    /// Suppress the findings in this file
    #[arg(long, value_name = "FILE", help_heading = SUPPRESSED)]
    pub baseline: Option<PathBuf>,

    /// Report only what changes since this git revision bring in: findings that it does not have, whatever file they stand
    /// in. With ... at its end, since the commit that it and HEAD both come from
    #[arg(
        long,
        value_name = "REV",
        conflicts_with_all = ["write_baseline", "add_ignores", "fix", "unsafe_fixes", "diff", "render", "show_files", "show_settings"],
        help_heading = SUPPRESSED
    )]
    pub base: Option<String>,

    /// Remove entries of the --baseline that no longer match
    #[arg(long, requires = "baseline", help_heading = SUPPRESSED)]
    pub prune_baseline: bool,

    /// Write all current findings to this file, for --baseline, and report nothing
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", help_heading = SUPPRESSED)]
    pub write_baseline: Option<PathBuf>,

    /// Also report what comments and annotations suppress
    #[arg(long, help_heading = SUPPRESSED)]
    pub no_ignores: bool,

    /// Omit suppressed findings from SARIF. Otherwise they are marked as suppressed, but GitHub's code scanning ignores the
    /// mark and opens an alert for each
    #[arg(long, help_heading = SUPPRESSED)]
    pub omit_suppressed: bool,

    /// The version of your API servers, such as 1.34; it decides what they accept [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = INPUT)]
    pub kubernetes: Option<String>,

    /// Also check what these installed programs make of the charts and kustomizations in PATH: `helm template` with the
    /// chart's own values, and `kustomize build` for each kustomization that no other one includes. They run without
    /// network, plugins and your settings
    #[arg(
        long,
        value_name = "PROGRAM,...",
        value_delimiter = ',',
        conflicts_with_all = ["fix", "unsafe_fixes", "diff", "add_ignores"],
        help_heading = INPUT
    )]
    pub render: Vec<Renderer>,

    /// Exit with 1 when there is a finding at least this bad
    #[arg(long, value_name = "SEVERITY", default_value = "warning", help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// Print the settings that a run would go by, defaults included, as YAML, and check nothing
    #[arg(long, help_heading = INPUT)]
    pub show_settings: bool,

    /// Report only findings at least this bad; `note` also unfolds the notes in text [default: all, notes folded]
    #[arg(long, value_name = "SEVERITY", help_heading = OUTPUT)]
    pub min_severity: Option<Level>,

    /// Report only findings that touch these files or folders, by their own place or by one that belongs to it; everything
    /// in PATH is read and compared all the same
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = OUTPUT)]
    pub only: Vec<PathBuf>,

    /// Count the findings of each rule instead of listing them; formats with =FILE are written as always
    #[arg(long, help_heading = OUTPUT)]
    pub statistics: bool,

    /// List the files that would be read, and on standard error those that would not and why; check nothing
    #[arg(long, conflicts_with = "statistics", help_heading = INPUT)]
    pub show_files: bool,

    /// Keep what each file says in this folder, and read only files that are new to it. The report is the same. Whoever can
    /// write into the folder can change reports
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub cache: Option<PathBuf>,

    /// How many threads to use, at most 256; 0 means one per processor core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=256))]
    pub threads: u16,
}
