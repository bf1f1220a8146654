//! Parses the arguments, runs one command and turns the outcome into an exit code.

// No repository content may crash a run. If an index is known to be valid, its file says why. `source::text` slices texts
// safely.
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::string_slice, clippy::unreachable)
)]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use kubetaint::cli::{self, Command};
use kubetaint::commands::{
    Exit, charts, check, clusters, completions, diff, explain, init, matrix, pools, rules, schema,
    standard_output, test, threads, whatif, why,
};
use kubetaint::lint::caught::{bug_text, caught};

fn main() -> ExitCode {
    let cli = cli::read(&|word| Path::new(word).exists());
    // Panic messages become part of the report, where a backtrace would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    caught(|| run(&cli)).unwrap_or_else(|why| {
        kubetaint::commands::say(format_args!("error: {}", bug_text("finished", &why)));
        ExitCode::from(Exit::Problems.code())
    })
}

fn run(cli: &cli::Cli) -> ExitCode {
    threads::start(match &cli.command {
        Command::Check(arguments) => usize::from(arguments.threads),
        _ => 0,
    });
    let mut out = standard_output::Leavable::new(std::io::stdout().lock());
    let result = match &cli.command {
        Command::Check(arguments) => check::run(cli, arguments, &mut out),
        Command::Init(arguments) => init::run(cli, arguments, &mut out),
        Command::Clusters(arguments) => clusters::run(cli, arguments, &mut out),
        Command::Why(arguments) => why::run(cli, arguments, &mut out),
        Command::Matrix(arguments) => matrix::run(cli, arguments, &mut out),
        Command::WhatIf(arguments) => whatif::run(cli, arguments, &mut out),
        Command::Diff(arguments) => diff::run(cli, arguments, &mut out),
        Command::Pools(arguments) => pools::run(cli, arguments, &mut out),
        Command::Rules(arguments) => rules::run(cli, arguments, &mut out),
        Command::Charts(arguments) => charts::run(cli, arguments, &mut out),
        Command::Explain(arguments) => explain::run(cli, arguments, &mut out),
        Command::Test(arguments) => test::run(arguments, &mut out),
        Command::Schema(arguments) => schema::run(arguments, &mut out),
        Command::Completions(arguments) => completions::run(arguments, &mut out),
        Command::Man(arguments) => completions::man(arguments, &mut out),
    };
    let result = result.and_then(|exit| Ok(out.flush().map(|()| exit)?));
    match result {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) => {
            for line in error.to_string().lines() {
                kubetaint::commands::say(format_args!("error: {line}"));
            }
            ExitCode::from(Exit::Problems.code())
        }
    }
}
