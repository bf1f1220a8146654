//! Reads the arguments, runs one command, turns the outcome into an exit code.

// What a repository holds must end no run. Where an index is known to be right, its file says why; parts of texts are cut by
// `source::text`.
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::string_slice, clippy::unreachable)
)]

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use kubetaint::cli::{self, Command};
use kubetaint::commands::{
    CommandError, Exit, check, completions, explain, init, pools, rules, schema, test,
};
use kubetaint::lint::caught::{bug_text, caught};

fn main() -> ExitCode {
    let cli = cli::read(&|word| Path::new(word).exists());
    // What a mistake of ours has to say becomes part of the report; its trace would only stand in the way there.
    std::panic::set_hook(Box::new(|_| {}));
    caught(|| run(&cli)).unwrap_or_else(|why| {
        kubetaint::commands::say(format_args!("error: {}", bug_text("finished", &why)));
        ExitCode::from(Exit::Problems.code())
    })
}

fn run(cli: &cli::Cli) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let result = match &cli.command {
        Command::Check(arguments) => check::run(cli, arguments, &mut out),
        Command::Init(arguments) => init::run(cli, arguments, &mut out),
        Command::Pools(arguments) => pools::run(cli, arguments, &mut out),
        Command::Rules(arguments) => rules::run(cli, arguments, &mut out),
        Command::Explain(arguments) => explain::run(cli, arguments, &mut out),
        Command::Test(arguments) => test::run(arguments, &mut out),
        Command::Schema(arguments) => schema::run(arguments, &mut out),
        Command::Completions(arguments) => completions::run(arguments, &mut out),
        Command::Man(arguments) => completions::man(arguments, &mut out),
    };
    let result = result.and_then(|exit| Ok(out.flush().map(|()| exit)?));
    match result {
        Ok(exit) => ExitCode::from(exit.code()),
        // Whoever reads has read enough (`| head`); that is no failure of ours.
        Err(CommandError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::from(Exit::Clean.code())
        }
        Err(error) => {
            for line in error.to_string().lines() {
                kubetaint::commands::say(format_args!("error: {line}"));
            }
            ExitCode::from(Exit::Problems.code())
        }
    }
}
