//! Writes the requested reports, each in its format and to its destination.

use std::io::Write;
use std::path::PathBuf;

use super::inputs::Place;
use super::screen::Screen;
use super::{CommandError, Exit, write};
use crate::builtin;
use crate::cli::{Check, Cli, FormatTarget};
use crate::explain::page;
use crate::finding::{Report, Severity};
use crate::model::near_miss::nearest_word;
use crate::output::{self, Format, RulePage, View};
use crate::rule::{Rule, RuleSet};

/// The repository with the pages of the rules.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The requested reports.
pub struct Reports<'a> {
    targets: Vec<(Format, Option<PathBuf>)>,
    statistics: bool,
    cli: &'a Cli,
    min_severity: Option<Severity>,
    with_suppressed: bool,
}

impl<'a> Reports<'a> {
    /// Reads the requested reports from the arguments. The default is text on standard output.
    ///
    /// # Errors
    /// Returns an error for an unknown format, two reports for one file, or a report on standard output next to statistics.
    pub fn asked_for(cli: &'a Cli, arguments: &Check) -> Result<Reports<'a>, CommandError> {
        let mut targets = arguments
            .formats
            .iter()
            .map(target)
            .collect::<Result<Vec<_>, _>>()?;
        for (at, (format, file)) in targets.iter().enumerate() {
            let before = targets.get(..at).unwrap_or_default();
            let same = file.as_ref().and_then(|file| {
                let other = before
                    .iter()
                    .find(|(_, other)| other.as_ref() == Some(file));
                other.map(|(other, _)| (other, file))
            });
            if let Some((other, file)) = same {
                return Err(CommandError::Message(format!(
                    "--format: {} and {} would both be written to {}",
                    other.name(),
                    format.name(),
                    file.display()
                )));
            }
        }
        let shown: Vec<Format> = targets
            .iter()
            .filter(|(_, file)| file.is_none())
            .map(|(format, _)| *format)
            .collect();
        if let Some(alone) = shown.iter().find(|one| one.stands_alone())
            && shown.len() > 1
        {
            let name = alone.name();
            return Err(CommandError::Message(format!(
                "--format: nobody could read {name} on standard output with another report; write \
                 `--format {name}=FILE`"
            )));
        }
        if arguments.statistics {
            if let Some((format, _)) = targets.iter().find(|(_, file)| file.is_none()) {
                let name = format.name();
                return Err(CommandError::Message(format!(
                    "--statistics takes the place of the report on standard output; write `--format {name}=FILE` \
                     to have both"
                )));
            }
        } else if targets.is_empty() {
            targets.push((Format::Text, None));
        }
        Ok(Reports {
            targets,
            statistics: arguments.statistics,
            cli,
            min_severity: arguments.min_severity.map(Severity::from),
            with_suppressed: !arguments.omit_suppressed,
        })
    }

    /// Writes all reports. One that cannot be written does not keep the others from being written.
    ///
    /// # Errors
    /// Returns an error that names each report that could not be written.
    pub fn write(
        &self,
        report: &Report,
        rules: &RuleSet,
        exit: Exit,
        place: &Place,
        out: &mut dyn Write,
    ) -> Result<(), CommandError> {
        let screen = Screen::of(self.cli);
        let rules: Vec<RulePage<'_>> = rules.iter().map(rule_page).collect();
        let mut view = View {
            report,
            standpoint: &place.standpoint,
            min_severity: self.min_severity,
            color: false,
            hyperlinks: false,
            width: screen.width,
            with_suppressed: self.with_suppressed,
            version: env!("CARGO_PKG_VERSION"),
            quiet: self.cli.quiet,
            verbose: self.cli.verbose,
            rules: &rules,
            exit_code: exit.code(),
        };
        let mut failed: Vec<String> = Vec::new();
        let mut shown = match self.statistics {
            true => output::write_statistics(&view, out),
            false => Ok(()),
        };
        for (format, file) in &self.targets {
            view.color = screen.color && file.is_none();
            view.hyperlinks = screen.hyperlinks && file.is_none();
            match file {
                None if shown.is_ok() => shown = output::write(*format, &view, out),
                None => {}
                Some(path) => {
                    let written =
                        write::report(&place.root, path, &|to| output::write(*format, &view, to));
                    failed.extend(
                        written
                            .err()
                            .map(|why| format!("{}: {why}", path.display())),
                    );
                }
            }
            if *format != Format::Text && file.is_none() && !self.cli.quiet {
                if self.cli.verbose {
                    for line in output::not_judged_lines(&view) {
                        super::say(format_args!("{line}"));
                    }
                }
                let verbose = self.cli.verbose;
                super::say(format_args!("{}", output::summary_line(report, verbose)));
            }
        }
        let shown = shown.and_then(|()| out.flush());
        failed.extend(shown.err().map(|why| CommandError::from(why).to_string()));
        match failed.is_empty() {
            true => Ok(()),
            false => Err(CommandError::Message(failed.join("\n"))),
        }
    }
}

fn target(asked: &FormatTarget) -> Result<(Format, Option<PathBuf>), CommandError> {
    let format = asked.name.parse().map_err(|error: output::UnknownFormat| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let hint = nearest_word(&asked.name, &names)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        CommandError::Message(format!("{error}{hint}"))
    })?;
    Ok((format, asked.file.clone()))
}

fn rule_page(rule: &Rule) -> RulePage<'_> {
    let file = format!("{}.yaml", rule.id);
    let built_in = rule.file == format!("rules/{file}")
        && builtin::CARRIED_RULES.iter().any(|one| one.file == file);
    RulePage {
        id: rule.id.clone(),
        title: rule.title.clone(),
        severity: rule.severity,
        tags: rule.tags.clone(),
        why: rule.why.clone(),
        page: Box::new(|| page(rule)),
        uri: built_in.then(|| format!("{REPOSITORY}/blob/HEAD/docs/rules/{}.md", rule.id)),
    }
}
