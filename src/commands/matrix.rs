//! `kubetaint matrix`: shows which workloads can run on which pools.

use std::io::Write;

use super::inputs::{Inputs, Place};
use super::screen::Screen;
use super::{CommandError, Exit, write};
use crate::cli::{Cli, Matrix, MatrixFormat};
use crate::output::{
    MatrixTable, write_matrix_csv, write_matrix_html, write_matrix_json, write_matrix_markdown,
};
use crate::placement::{MatrixFilter, matrix};

/// Writes the matrix of the files that the arguments name.
///
/// # Errors
/// Returns an error if the configuration has errors, there is nothing to read, or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Matrix, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let place = Place::find(&arguments.paths, &arguments.beside)?;
    let inputs = Inputs::find(place, &arguments.beside.pools)?;
    let survey = inputs.survey(cli.quiet);
    inputs.place.say("error", &survey.problems());
    if let Some(name) = &arguments.cluster
        && !survey.clusters.iter().any(|cluster| cluster.name == *name)
    {
        let names = survey.clusters.iter().map(|cluster| cluster.name.as_str());
        let names: Vec<&str> = names.collect();
        let names = names.join("`, `");
        return Err(CommandError::Message(format!(
            "there is no cluster `{name}`; there are `{names}`"
        )));
    }
    let filter = MatrixFilter {
        cluster: arguments.cluster.as_deref(),
        namespace: arguments.namespace.as_deref(),
        problems: arguments.problems,
    };
    let clusters = matrix(&survey, filter);
    inputs.place.say("error", &survey.changed());
    let screen = Screen::of(cli);
    let to_file = arguments.output.is_some();
    let table = MatrixTable {
        clusters: &clusters,
        color: screen.color && !to_file,
        width: if to_file { 0 } else { screen.width },
    };
    let mut text = Vec::new();
    match arguments.format {
        MatrixFormat::Text => table.write(&mut text)?,
        MatrixFormat::Markdown => write_matrix_markdown(&clusters, &mut text)?,
        MatrixFormat::Csv => write_matrix_csv(&clusters, &mut text)?,
        MatrixFormat::Json => write_matrix_json(&clusters, &mut text)?,
        MatrixFormat::Html => write_matrix_html(&clusters, &mut text)?,
    }
    match &arguments.output {
        None => out.write_all(&text)?,
        Some(path) => write::replace(&inputs.place.root, path, &text)
            .map_err(|error| CommandError::Message(format!("{}: {error}", path.display())))?,
    }
    if !cli.quiet {
        super::say(format_args!("{}", table.summary()));
    }
    Ok(Exit::after(&survey.problems()))
}
