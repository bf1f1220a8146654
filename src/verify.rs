//! Runs the examples of rules: bad ones must have findings at their marked lines, good ones must have none.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::{self, Config};
use crate::extract::Table;
use crate::finding::{Finding, Problem, Report};
use crate::lint::fixes::apply;
use crate::lint::session::Session;
use crate::lint::{Content, Input, Settings, Suppressions, examine, lint};
use crate::placement::difference;
use crate::rule::{Example, MARK, Rule, RuleSet};
use crate::source::{Source, SourceId};
use crate::yaml;

/// The place of an expected or actual finding: file and line.
pub type Line = (String, u32);

/// The result of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The example passed.
    Passed,
    /// Marked lines without a finding, or findings on unmarked lines.
    Differs {
        /// Marked lines without a finding.
        missing: Vec<Line>,
        /// Findings on unmarked lines.
        unexpected: Vec<Line>,
        /// YAML syntax errors in the example, which are the most likely cause.
        broken: Vec<Problem>,
    },
    /// The rule's fixes produced another text than the example expects.
    Fixed {
        /// The file.
        file: String,
        /// The text after the fixes.
        text: String,
    },
    /// The example could not be run.
    Unusable(Vec<Problem>),
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Passed => f.write_str("passed"),
            Outcome::Differs {
                missing,
                unexpected,
                broken,
            } => {
                for problem in broken {
                    writeln!(f, "  {problem}")?;
                }
                for (file, line) in missing {
                    writeln!(f, "  {file}:{line}: expected a finding, but there is none")?;
                }
                for (file, line) in unexpected {
                    writeln!(f, "  {file}:{line}: unexpected finding")?;
                }
                Ok(())
            }
            Outcome::Fixed { file, text } => {
                writeln!(f, "  {file}: the fixed text differs from `fixed`:")?;
                for line in text.lines() {
                    writeln!(f, "    {line}")?;
                }
                Ok(())
            }
            Outcome::Unusable(problems) => {
                for problem in problems {
                    writeln!(f, "  {problem}")?;
                }
                Ok(())
            }
        }
    }
}

/// Runs an example of a rule.
pub fn run(rules: &RuleSet, table: &Table, rule: &Rule, example: &Example) -> Outcome {
    let report = match rule.scope.is_of_changes() {
        true => news(
            rules,
            table,
            (&example.before, &example.files),
            SUPPRESSIONS,
        ),
        false => report(rules, table, &example.files, SUPPRESSIONS),
    };
    let report = match report {
        Ok(report) if report.problems.is_empty() => report,
        Ok(report) => return Outcome::Unusable(report.problems),
        Err(problems) => return Outcome::Unusable(problems),
    };
    let found = found_lines(&report, &rule.id);
    let marked: BTreeSet<Line> = example
        .files
        .iter()
        .filter(|(path, _)| path != CONFIG)
        .flat_map(|(path, text)| marked_lines(path, text))
        .collect();
    let missing: Vec<Line> = marked.difference(&found).cloned().collect();
    let unexpected: Vec<Line> = found.difference(&marked).cloned().collect();
    if !missing.is_empty() || !unexpected.is_empty() {
        return Outcome::Differs {
            missing,
            unexpected,
            broken: example
                .before
                .iter()
                .chain(&example.files)
                .flat_map(broken)
                .collect(),
        };
    }
    if example.bad && rule.has_fix() && !example.fixed.is_empty() {
        return fixed(rules, table, rule, example);
    }
    Outcome::Passed
}

/// YAML syntax errors in a file.
fn broken((path, text): &(String, String)) -> Vec<Problem> {
    let source = Source::new(path.as_str(), text.as_str());
    let is_yaml = [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending));
    let errors = if is_yaml {
        yaml::parse(text, SourceId(0)).errors
    } else {
        Vec::new()
    };
    errors
        .iter()
        .map(|error| Problem {
            file: Some(path.clone()),
            position: Some(source.position(error.span.start)),
            message: format!("not valid YAML: {}", error.message),
        })
        .collect()
}

/// Applies the rule's fixes to the files without their marks. The marks are comments, which fixes never change.
fn fixed(rules: &RuleSet, table: &Table, rule: &Rule, example: &Example) -> Outcome {
    let plain: Vec<(String, String)> = example
        .files
        .iter()
        .map(|(path, text)| (path.clone(), without_marks(text)))
        .collect();
    let report = match report(rules, table, &plain, SUPPRESSIONS) {
        Ok(report) => report,
        Err(problems) => return Outcome::Unusable(problems),
    };
    for (path, text) in &plain {
        let source = Source::new(path.clone(), text.as_str());
        let here = |finding: &&Finding| {
            let file = report.sources.get(&finding.span.source);
            finding.rule == rule.id && file.is_some_and(|file| file.path == *path)
        };
        let fixes = report.findings.iter().filter(here);
        let fixed = apply(&source, fixes.filter_map(|finding| finding.fix.as_ref()))
            .map_or_else(|| text.clone(), |(text, _)| text);
        let expected = example.fixed.iter().find(|(known, _)| known == path);
        if fixed != *expected.map_or(text, |(_, text)| text) {
            return Outcome::Fixed {
                file: path.clone(),
                text: fixed,
            };
        }
    }
    Outcome::Passed
}

/// The text of an example without the marks of expected findings.
pub fn without_marks(text: &str) -> String {
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| match line.split_once(MARK) {
            Some((before, _)) => before.trim_end(),
            None => line,
        })
        .collect();
    lines.join("\n")
}

/// The name of the configuration among the files of an example.
const CONFIG: &str = ".kubetaint.yaml";

/// The date for suppression comments in examples. It is fixed, so that examples do not change over time.
pub const SUPPRESSIONS: Suppressions = Suppressions::On(jiff::civil::date(2026, 1, 1));

/// Files in memory.
struct Memory<'t> {
    config: Config,
    inputs: Vec<Input>,
    texts: Vec<&'t str>,
}

impl<'t> Memory<'t> {
    fn of<T: AsRef<str>>(files: &'t [(T, T)]) -> Result<Memory<'t>, Vec<Problem>> {
        let mut config = Config::default();
        let mut inputs = Vec::new();
        let mut texts = Vec::new();
        for (path, text) in files {
            let (path, text) = (path.as_ref(), text.as_ref());
            if path == CONFIG {
                config = config::parse(Source::new(path, text), SourceId::CONFIGURATION)?;
                continue;
            }
            inputs.push(Input {
                path: path.into(),
                scanned_from: 0,
            });
            texts.push(text);
        }
        let paths: Vec<&str> = inputs.iter().map(|input| &*input.path).collect();
        let unnamed = config.make_clusters(&paths);
        match unnamed.is_empty() {
            true => Ok(Memory {
                config,
                inputs,
                texts,
            }),
            false => Err(unnamed),
        }
    }

    fn settings<'s>(
        &'s self,
        rules: &'s RuleSet,
        table: &'s Table,
        suppressions: Suppressions,
    ) -> Settings<'s> {
        Settings {
            rules,
            table,
            config: &self.config,
            whole: true,
            suppressions,
            rendered: None,
            cache: None,
        }
    }

    fn content(&self, at: usize) -> Content {
        Content::Text(self.texts.get(at).copied().unwrap_or_default().to_owned())
    }
}

/// Checks files in memory, given as paths and texts, using the configuration among them, if any.
///
/// # Errors
/// Returns an error if the configuration has errors.
pub fn report<T: AsRef<str>>(
    rules: &RuleSet,
    table: &Table,
    files: &[(T, T)],
    suppressions: Suppressions,
) -> Result<Report, Vec<Problem>> {
    let memory = Memory::of(files)?;
    let settings = memory.settings(rules, table, suppressions);
    Ok(lint(&memory.inputs, &|at| memory.content(at), settings))
}

/// Paths and texts.
pub type Files<'t, T> = &'t [(T, T)];

/// What a change of files in memory brings in: the report after, with only the findings that are new.
///
/// # Errors
/// Returns an error if a configuration has errors.
pub fn news<T: AsRef<str>>(
    rules: &RuleSet,
    table: &Table,
    (before, after): (Files<'_, T>, Files<'_, T>),
    suppressions: Suppressions,
) -> Result<Report, Vec<Problem>> {
    let (before, after) = (Memory::of(before)?, Memory::of(after)?);
    let load_base = |at: usize| before.content(at);
    let load_head = |at: usize| after.content(at);
    let settings = after.settings(rules, table, suppressions);
    let mut session = Session::open(&after.inputs, &load_head, settings);
    let now = examine(&mut session, Box::new(load_head));
    session.update(
        &before.inputs,
        &load_base,
        before.settings(rules, table, suppressions),
    );
    let then = examine(&mut session, Box::new(load_base));
    let found = difference(then, now, settings, BTreeMap::new());
    Ok(found.findings.into_news())
}

fn found_lines(report: &Report, rule: &str) -> BTreeSet<Line> {
    report
        .findings
        .iter()
        .chain(&report.counted)
        .filter(|finding| finding.rule == rule)
        .filter_map(|finding| {
            let source = report.sources.get(&finding.span.source)?;
            Some((
                source.path.clone(),
                source.position(finding.span.start).line,
            ))
        })
        .collect()
}

fn marked_lines(path: &str, text: &str) -> Vec<Line> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.contains(MARK))
        .map(|(number, _)| (path.to_owned(), number))
        .collect()
}
