//! All commands and flags with their help texts; nothing else.

mod check;
mod diff;
mod headings;
mod known;
mod placement;
mod values;
mod whatif;

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use check::Check;
pub use diff::Diff;
use headings::INPUT;
pub use known::{Charts, Explain, Rules};
pub use placement::{Answer, Clusters, Matrix, MatrixFormat, Why};
pub use values::{
    Color, FailOn, FormatTarget, FormatTargetError, Level, Listing, PoolListing, Renderer, SchemaOf,
};
pub use whatif::{PlacementChange, WhatIf};

/// The command line.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "kubetaint",
    version,
    about = "Finds taints and tolerations that do not fit together, before they reach a cluster",
    long_about = "Finds taints and tolerations that do not fit together, before they reach a cluster.\n\n\
        kubetaint reads the manifests of a repository (node pools, Deployments, DaemonSets, Helm values and so on) and \
        says which pods will be rejected, stay Pending, or run where they should not. It needs no cluster and no \
        network.",
    after_help = "Examples:\n  \
        kubetaint check                    everything below this folder\n  \
        kubetaint explain blanket-exists   what a rule means and how to fix what it finds\n\n\
        Exit codes: 0 nothing found, 1 something found, 2 the job could not be done.",
    propagate_version = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = 100
    )]
    pub color: Color,

    /// Say less: leave out the summary and hints
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        display_order = 101
    )]
    pub quiet: bool,

    /// Say more: what was read, and what could not be judged and why
    #[arg(short, long, global = true, display_order = 102)]
    pub verbose: bool,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Check manifests
    #[command(
        long_about = "Check manifests: YAML and JSON files as you would hand them to `kubectl apply -f`, and the files \
        around them that declare node pools. Folders are searched with everything below them; what .gitignore names is \
        left out."
    )]
    Check(Box<Check>),
    /// List the node pools that were understood, with their taints and labels
    #[command(
        long_about = "List the node pools that were understood, with their taints and labels, where they are declared, \
        and what could not be read and why. As YAML or JSON the list is an inventory: `kubetaint check --pools FILE` \
        reads it in another repository."
    )]
    Pools(Pools),
    /// List the clusters that the repository shows, with their pools and what is missing
    Clusters(Clusters),
    /// Say why a workload can or cannot run on each pool, or who can run on a pool
    Why(Why),
    /// Show which workloads can run on which pools
    Matrix(Matrix),
    /// Say what changes on node pools would do: who is evicted, Pending, or runs elsewhere
    #[command(name = "whatif")]
    WhatIf(Box<WhatIf>),
    /// Say what a change does to placement, and which findings are new
    Diff(Box<Diff>),
    /// Write a commented .kubetaint.yaml for what is found here
    Init(Init),
    /// List the rules
    Rules(Rules),
    /// List the Helm charts whose values are understood, or show what is known of one
    Charts(Charts),
    /// Explain one rule: what it finds, why it matters, how to fix it
    Explain(Explain),
    /// Run the examples that rule files carry
    #[command(
        long_about = "Run the examples that rule files carry: each bad one must be found at the marked line, each good \
        one must not be found."
    )]
    Test(Test),
    /// Print the JSON Schema of a form of file, for editors and other programs
    Schema(Schema),
    /// Print completions for a shell
    Completions(Completions),
    /// Print a manual page
    Man(Man),
}

/// What is read beside the manifests in PATH.
#[derive(Args, Clone, Debug)]
pub struct Beside {
    /// The configuration to use instead of .kubetaint.yaml at the repository's root
    #[arg(long, value_name = "FILE", conflicts_with = "isolated", help_heading = INPUT)]
    pub config: Option<PathBuf>,

    /// Use no configuration file
    #[arg(long, help_heading = INPUT)]
    pub isolated: bool,

    /// A file with node pools, beside those in PATH: what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml`
    /// prints. May be given several times
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub pools: Vec<PathBuf>,
}

/// `kubetaint pools`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint pools\n  \
        kubetaint pools infra/ -o json\n  \
        kubetaint pools -o yaml > pools.yaml\n  \
        kubectl get nodes -o yaml | kubetaint pools -\n\n\
        Exit codes: 0 the pools were listed, 2 the job could not be done (a path that does not exist, an error in the \
        configuration, nothing to read).")]
pub struct Pools {
    /// Files and folders to read; `-` reads manifests from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// How to list them; yaml and json are inventories, which `kubetaint check --pools` reads
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: PoolListing,

    /// What is read beside them.
    #[command(flatten)]
    pub beside: Beside,
}

/// `kubetaint init`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint init\n  \
        kubetaint init --stdout\n  \
        kubetaint init --force")]
pub struct Init {
    /// The folder that it is for, and that it is written into; `-` prints it for this folder
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,

    /// Print it instead of writing it
    #[arg(long)]
    pub stdout: bool,

    /// Replace the one that is there
    #[arg(long)]
    pub force: bool,
}

/// `kubetaint test`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint test                       the built-in rules\n  \
        kubetaint test policies/             a folder with rules of your own\n  \
        kubetaint test policies/team-key.yaml")]
pub struct Test {
    /// Rule files, or folders with rule files [default: the built-in rules]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// `kubetaint schema`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint schema config > kubetaint.schema.json\n  \
        kubetaint schema rule\n\n\
        An editor with the YAML language server takes it from a first line such as\n\
        # yaml-language-server: $schema=kubetaint.schema.json")]
pub struct Schema {
    /// Which form
    #[arg(value_name = "FORM")]
    pub of: SchemaOf,
}

/// `kubetaint completions`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint completions bash > ~/.local/share/bash-completion/completions/kubetaint\n  \
        kubetaint completions zsh > ~/.zfunc/_kubetaint\n  \
        kubetaint completions fish > ~/.config/fish/completions/kubetaint.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `kubetaint man`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint man > kubetaint.1\n  \
        kubetaint man check > kubetaint-check.1")]
pub struct Man {
    /// The command that the page is about [default: the program]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Reads the arguments of the process, and ends it where they ask for help or cannot be read. `kubetaint help check` is what
/// `kubetaint check --help` is. `is_path` says whether a word is the path of something that exists.
pub fn read(is_path: &dyn Fn(&str) -> bool) -> Cli {
    let read = parser().try_get_matches();
    read.and_then(|matches| Cli::from_arg_matches(&matches))
        .unwrap_or_else(|error| path_as_command(error, is_path).exit())
}

/// The same error, or a better one where a path stands in the place of the command.
fn path_as_command(error: clap::Error, is_path: &dyn Fn(&str) -> bool) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    if word != "-" && !is_path(word) {
        return error;
    }
    definition().error(
        ErrorKind::InvalidSubcommand,
        format!("`{word}` is a path, not a command; to check it, run `kubetaint check {word}`"),
    )
}

/// What reads the arguments: the definition, with the command `help`, which has no place in completions and manual pages.
fn parser() -> clap::Command {
    definition().disable_help_subcommand(false)
}

/// The definition of the whole command line, from which help, completions and manual pages are made.
pub fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
        let matches = parser().try_get_matches_from([&["kubetaint"], arguments].concat())?;
        Cli::from_arg_matches(&matches)
    }

    fn check(arguments: &[&str]) -> Check {
        match parse(&[&["check"], arguments].concat()).unwrap().command {
            Command::Check(check) => *check,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definitions_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_argument_is_explained_and_every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name}");
            let after = command.get_after_help().unwrap().to_string();
            assert!(after.contains(&format!("  kubetaint {name}")), "{name}");
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{name} {}",
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn every_example_in_the_help_is_a_command_line_that_is_understood() {
        for command in Cli::command().get_subcommands() {
            let after = command.get_after_help().unwrap().to_string();
            for line in after.lines().filter(|line| line.starts_with("  ")) {
                // What follows is for the shell.
                let call = line.split(" > ").next().unwrap();
                let (_, call) = call.rsplit_once("kubetaint ").unwrap();
                let call = call.trim_start().split("   ").next().unwrap();
                let words: Vec<&str> = call.split_whitespace().collect();
                assert!(parse(&words).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn help_is_the_help_of_the_command_and_no_page_of_its_own() {
        let help = |arguments: &[&str]| {
            let told = parse(arguments).unwrap_err();
            (told.exit_code(), told.to_string())
        };
        assert_eq!(help(&["help"]), help(&["--help"]));
        for command in definition().get_subcommands() {
            let name = command.get_name();
            assert_ne!(name, "help");
            assert_eq!(help(&["help", name]), help(&[name, "--help"]), "{name}");
            assert_eq!(help(&["help", name]).0, 0, "{name}");
        }
        let (code, told) = help(&["help", "chek"]);
        assert_eq!(code, 2);
        assert!(told.contains("unrecognized subcommand 'chek'"), "{told}");
    }

    #[test]
    fn check_without_anything_checks_the_working_directory() {
        let check = check(&[]);
        assert_eq!(check.paths, [PathBuf::from(".")]);
        assert_eq!(check.fail_on.threshold(), Some(Severity::Warning));
        assert!(check.formats.is_empty());
        assert_eq!(check.min_severity, None);
        assert_eq!(check.threads, 0);
    }

    #[test]
    fn a_dash_is_a_path() {
        assert_eq!(check(&["-"]).paths, [PathBuf::from("-")]);
    }

    #[test]
    fn rule_lists_are_split_at_commas_and_add_up() {
        let check = check(&["--select", "a,b", "--select=c", "--ignore", "d"]);
        assert_eq!(check.select, ["a", "b", "c"]);
        assert_eq!(check.ignore, ["d"]);
        assert_eq!(check.paths, [PathBuf::from(".")]);
    }

    #[test]
    fn formats_name_a_file_after_the_first_equals_sign() {
        let check = check(&["--format", "text", "--format", "json=out/a=b.json"]);
        assert_eq!(
            check.formats[0],
            FormatTarget {
                name: "text".to_owned(),
                file: None
            }
        );
        assert_eq!(check.formats[1].name, "json");
        assert_eq!(check.formats[1].file, Some(PathBuf::from("out/a=b.json")));
    }

    #[test]
    fn formats_without_name_or_file_are_refused() {
        assert_eq!("".parse::<FormatTarget>(), Err(FormatTargetError::NoName));
        assert_eq!("=x".parse::<FormatTarget>(), Err(FormatTargetError::NoName));
        assert_eq!(
            "json=".parse::<FormatTarget>(),
            Err(FormatTargetError::NoFile)
        );
    }

    #[test]
    fn the_options_of_check_stand_under_headings() {
        let definition = definition();
        let check = definition.find_subcommand("check").unwrap();
        for option in check.get_arguments().filter(|one| !one.is_positional()) {
            let name = option.get_id().as_str();
            // What every command has stands with the help.
            let expected = !option.is_global_set() && name != "threads";
            assert_eq!(option.get_help_heading().is_some(), expected, "{name}");
        }
    }

    #[test]
    fn a_path_in_the_place_of_the_command_is_for_check() {
        let told = |word: &str, exists: bool| {
            let error = path_as_command(parse(&[word]).unwrap_err(), &|_| exists);
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        };
        let advice =
            "error: `apps` is a path, not a command; to check it, run `kubetaint check apps`\n";
        assert!(told("apps", true).starts_with(advice));
        assert!(told("-", false).contains("run `kubetaint check -`"));
        assert!(told("chek", false).contains("unrecognized subcommand 'chek'"));
    }

    #[test]
    fn what_contradicts_itself_is_a_usage_error_with_code_2() {
        for arguments in [
            &["check", "--isolated", "--config", "x.yaml"][..],
            &["check", "-q", "-v"],
            // `-f` is a file to kubectl and a format to others: it is nothing here.
            &["check", "-f", "pod.yaml"],
            &["check", "--fail-on", "fatal"],
            &["check", "--format", "json="],
            &["check", "--threads", "-1"],
            &["explain"],
            &["frobnicate"],
            &[],
        ] {
            assert_eq!(
                parse(arguments).unwrap_err().exit_code(),
                2,
                "{arguments:?}"
            );
        }
    }

    #[test]
    fn colour_and_loudness_may_stand_behind_the_command() {
        let cli = parse(&["rules", "-o", "json", "--color", "never", "-q"]).unwrap();
        assert_eq!(cli.color, Color::Never);
        assert!(cli.quiet && !cli.verbose);
        assert!(matches!(
            cli.command,
            Command::Rules(Rules {
                output: Listing::Json,
                ..
            })
        ));
    }

    #[test]
    fn never_fails_on_nothing() {
        assert_eq!(check(&["--fail-on", "never"]).fail_on.threshold(), None);
        assert_eq!(
            check(&["--fail-on", "note"]).fail_on.threshold(),
            Some(Severity::Note)
        );
    }
}
