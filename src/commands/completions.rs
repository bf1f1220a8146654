//! `kubetaint completions` and `kubetaint man`: shell completions and manual pages, generated from the definition of the
//! command line.

use std::io::Write;

use super::{CommandError, Exit};
use crate::builtin;
use crate::cli::{self, Completions, Man};
use crate::model::near_miss::nearest_word;
use crate::output::Format;

/// Prints the completion script for a shell.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn run(arguments: &Completions, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let ids: Vec<&str> = builtin::CARRIED_RULES
        .iter()
        .map(|one| one.file.trim_end_matches(".yaml"))
        .collect();
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    // Completions only offer common values. Report files and custom rules can still be typed.
    let mut definition = cli::definition()
        .mut_subcommand("check", |check| {
            check
                .mut_arg("formats", |formats_of| formats_of.value_parser(formats))
                .mut_arg("select", |select| select.value_parser(ids.clone()))
                .mut_arg("ignore", |ignore| ignore.value_parser(ids.clone()))
        })
        .mut_subcommand("explain", |explain| {
            explain.mut_arg("rule", |rule| rule.value_parser(ids.clone()))
        });
    let mut script = Vec::new();
    // Generated in memory, because the generator panics if its writer returns an error.
    clap_complete::generate(arguments.shell, &mut definition, "kubetaint", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Clean)
}

/// Prints the manual page of the program or of a command.
///
/// # Errors
/// Returns an error if the command does not exist or the output cannot be written.
pub fn man(arguments: &Man, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let mut program = cli::definition();
    program.build();
    let Some(name) = &arguments.command else {
        clap_mangen::Man::new(program).render(out)?;
        return Ok(Exit::Clean);
    };
    let Some(command) = program.find_subcommand(name) else {
        let known: Vec<&str> = program
            .get_subcommands()
            .map(|one| one.get_name())
            .collect();
        let hint = nearest_word(name, &known)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        return Err(CommandError::Message(format!(
            "there is no command `{name}`{hint}; `kubetaint --help` lists them"
        )));
    };
    clap_mangen::Man::new(command.clone())
        .title(format!("kubetaint-{name}"))
        .source(concat!("kubetaint ", env!("CARGO_PKG_VERSION")))
        .render(out)?;
    Ok(Exit::Clean)
}
