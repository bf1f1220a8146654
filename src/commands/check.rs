//! `kubetaint check`: from paths to a report.

use std::env;
use std::fs::File as OutputFile;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::{CommandError, Exit, load_rules, load_table};
use crate::cli::{Check, Cli, Color, FormatTarget};
use crate::config::{self, Config};
use crate::discover::{self, CONFIG_FILE, Discovery, File, FileKind, Loaded, Pipes, STDIN_PATH};
use crate::finding::{Problem, Report, Severity};
use crate::lint::{Acceptance, Content, Input, Settings, lint};
use crate::model::near_miss::nearest_word;
use crate::output::{self, Format, View};
use crate::rule::RuleSet;
use crate::source::{Source, SourceId};

/// A run that takes longer shows its progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// Checks what the arguments name.
///
/// # Errors
/// Whatever keeps the job from being started: configuration, rules, formats, nothing to check.
pub fn run(cli: &Cli, arguments: &Check, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let formats = parse_formats(&arguments.formats)?;
    if arguments.threads > 0 {
        // Fails only when a pool exists already, which then serves as well.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(arguments.threads)
            .build_global();
    }
    let (stdin, paths): (Vec<_>, Vec<_>) = arguments
        .paths
        .iter()
        .cloned()
        .partition(|path| path.as_os_str() == "-");
    let root = discover::find_root(&paths)
        .map_err(|error| CommandError::Message(format!("the working directory: {error}")))?;
    let prefix = prefix_from_here(&root);
    let config = load_config(arguments, &root)?;
    let rules = load_selected_rules(arguments, &config, &root)?;
    let providers: Vec<PathBuf> = config
        .providers
        .iter()
        .map(|folder| root.join(&folder.value))
        .collect();
    let table = load_table(&providers)?;

    let mut discovery = discover::discover(&root, &paths, &|path| config.exclude.matches(path));
    let mut problems = std::mem::take(&mut discovery.problems);
    problems.extend(add_inventories(&mut discovery, &config, &root));
    if discovery.whole {
        let names: Vec<&str> = discovery
            .files
            .iter()
            .map(|file| file.path.as_str())
            .chain(discovery.others.iter().map(String::as_str))
            .collect();
        problems.extend(config.check_used(&names));
    }
    if discovery.files.is_empty() && stdin.is_empty() {
        if problems.is_empty() {
            problems.push(Problem {
                file: None,
                position: None,
                message: format!(
                    "nothing to check: no YAML or JSON files in {}",
                    shown(&paths)
                ),
            });
        }
        let report = Report {
            problems,
            ..Report::default()
        };
        let lines = output::problem_lines(&report, &prefix);
        return Err(CommandError::Message(lines.join("\n")));
    }

    let settings = Settings {
        rules: &rules,
        table: &table,
        config: &config,
        whole: discovery.whole,
        acceptance: acceptance(arguments),
    };
    let mut report = read_and_judge(&discovery, !stdin.is_empty(), settings, cli.quiet);
    report.problems.extend(problems);
    report.problems.sort();
    report.problems.dedup();
    for line in output::problem_lines(&report, &prefix) {
        eprintln!("error: {line}");
    }
    write_reports(&report, &formats, cli, arguments, prefix, out)?;
    Ok(exit(&report, arguments.fail_on.threshold()))
}

fn acceptance(arguments: &Check) -> Acceptance {
    if arguments.no_ignores {
        return Acceptance::Off;
    }
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    Acceptance::On(now.date())
}

fn exit(report: &Report, threshold: Option<Severity>) -> Exit {
    if !report.problems.is_empty() {
        return Exit::Problems;
    }
    match (report.worst(), threshold) {
        (Some(worst), Some(threshold)) if worst >= threshold => Exit::Findings,
        _ => Exit::Clean,
    }
}

fn shown(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}

fn parse_formats(targets: &[FormatTarget]) -> Result<Vec<(Format, Option<PathBuf>)>, CommandError> {
    if targets.is_empty() {
        return Ok(vec![(Format::Text, None)]);
    }
    targets
        .iter()
        .map(|target| {
            let format: Format = target
                .name
                .parse()
                .map_err(|error: output::UnknownFormat| CommandError::Message(error.to_string()))?;
            Ok((format, target.file.clone()))
        })
        .collect()
}

fn load_config(arguments: &Check, root: &Path) -> Result<Config, CommandError> {
    let path = match &arguments.config {
        Some(path) => path.clone(),
        None => root.join(CONFIG_FILE),
    };
    let mut config = if arguments.isolated || (arguments.config.is_none() && !path.exists()) {
        Config::default()
    } else {
        read_config(&path, root)?
    };
    if let Some(version) = &arguments.kubernetes {
        config.kubernetes = version.parse().map_err(|error: config::VersionError| {
            CommandError::Message(format!("--kubernetes: {error}"))
        })?;
    }
    Ok(config)
}

fn read_config(path: &Path, root: &Path) -> Result<Config, CommandError> {
    let name = path
        .strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string();
    let file = File {
        path: name.clone(),
        absolute: path.to_path_buf(),
        scanned_from: 0,
        kind: FileKind::Yaml,
        bytes: 0,
    };
    match discover::load(&file) {
        Loaded::Text(text) => {
            config::parse(Source::new(name, text), SourceId(0)).map_err(CommandError::Problems)
        }
        other => Err(CommandError::Message(format!(
            "{name}: {}",
            refusal(&other)
        ))),
    }
}

fn refusal(loaded: &Loaded) -> String {
    match loaded {
        Loaded::Text(_) | Loaded::Irrelevant => "nothing to read".to_owned(),
        Loaded::TooLarge { bytes } => too_large(*bytes),
        Loaded::Binary => "not text".to_owned(),
        Loaded::NotUtf8 { at } => format!("not UTF-8 at line {}, column {}", at.line, at.column),
        Loaded::Unreadable(why) => why.clone(),
    }
}

fn too_large(bytes: u64) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1024 * 1024);
    format!(
        "{} MiB, and files beyond {} MiB are not read",
        mib(bytes),
        mib(discover::MAX_FILE_BYTES)
    )
}

fn load_selected_rules(
    arguments: &Check,
    config: &Config,
    root: &Path,
) -> Result<RuleSet, CommandError> {
    let folders: Vec<PathBuf> = config
        .rule_dirs
        .iter()
        .map(|folder| root.join(&folder.value))
        .chain(arguments.rules.iter().cloned())
        .collect();
    let mut rules = load_rules(&folders)?;
    let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let problems = config.check_names(&ids);
    if !problems.is_empty() {
        return Err(CommandError::Problems(problems));
    }
    for (flag, wanted) in [
        ("--select", &arguments.select),
        ("--ignore", &arguments.ignore),
    ] {
        if let Some(id) = wanted.iter().find(|id| !ids.contains(&id.as_str())) {
            let hint = nearest_word(id, &ids)
                .map(|near| format!(" (did you mean `{near}`?)"))
                .unwrap_or_default();
            return Err(CommandError::Message(format!(
                "{flag}: there is no rule `{id}`{hint}"
            )));
        }
    }
    rules.retain(|rule| {
        (arguments.select.is_empty() || arguments.select.contains(&rule.id))
            && !arguments.ignore.contains(&rule.id)
    });
    Ok(rules)
}

/// Inventories are read wherever they are; one that is not there is a problem at its place in the configuration.
fn add_inventories(discovery: &mut Discovery, config: &Config, root: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for inventory in config
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.inventory)
    {
        if discovery
            .files
            .iter()
            .any(|file| file.path == inventory.value)
        {
            continue;
        }
        let absolute = root.join(&inventory.value);
        match absolute.metadata() {
            Ok(metadata) => discovery.files.push(File {
                path: inventory.value.clone(),
                absolute,
                scanned_from: 0,
                kind: FileKind::Yaml,
                bytes: metadata.len(),
            }),
            Err(error) => problems.push(config.problem(
                inventory.span,
                format!("inventory `{}` cannot be read: {error}", inventory.value),
            )),
        }
    }
    discovery.files.sort();
    problems
}

fn read_and_judge(
    discovery: &Discovery,
    stdin: bool,
    settings: Settings<'_>,
    quiet: bool,
) -> Report {
    let mut inputs: Vec<Input> = discovery
        .files
        .iter()
        .map(|file| Input {
            path: file.path.clone(),
            scanned_from: file.scanned_from,
        })
        .collect();
    if stdin {
        inputs.push(Input {
            path: STDIN_PATH.to_owned(),
            scanned_from: 0,
        });
    }
    let pipes = Pipes::default();
    let started = Instant::now();
    let read = AtomicUsize::new(0);
    let bar = ProgressBar::hidden();
    bar.set_length(inputs.len() as u64);
    let report = lint(
        &inputs,
        &|index| {
            let loaded = pipes.load(index, discovery.files.get(index));
            let done = 1 + read.fetch_add(1, Ordering::Relaxed);
            if !quiet && started.elapsed() > PATIENCE {
                if bar.is_hidden() {
                    // Draws on a terminal only.
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_position(done.min(inputs.len()) as u64);
            }
            content(loaded)
        },
        settings,
    );
    bar.finish_and_clear();
    report
}

fn content(loaded: Loaded) -> Content {
    match loaded {
        Loaded::Text(text) => Content::Text(text),
        Loaded::Irrelevant => Content::Irrelevant,
        Loaded::TooLarge { bytes } => Content::Unusable {
            kind: "too-large",
            detail: too_large(bytes),
        },
        Loaded::Binary => Content::Unusable {
            kind: "binary",
            detail: "not text (NUL bytes)".to_owned(),
        },
        Loaded::NotUtf8 { .. } => Content::Unusable {
            kind: "not-utf8",
            detail: refusal(&loaded),
        },
        Loaded::Unreadable(why) => Content::Unreadable(format!("cannot be read: {why}")),
    }
}

fn write_reports(
    report: &Report,
    formats: &[(Format, Option<PathBuf>)],
    cli: &Cli,
    arguments: &Check,
    prefix: String,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let terminal = std::io::stdout().is_terminal();
    let wants_color = match cli.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let width = if terminal { textwrap_width() } else { 0 };
    for (format, file) in formats {
        let view = View {
            report,
            prefix: prefix.clone(),
            min_severity: arguments.min_severity.map(Severity::from),
            color: wants_color && file.is_none(),
            hyperlinks: false,
            width,
            version: env!("CARGO_PKG_VERSION"),
            quiet: cli.quiet,
        };
        match file {
            None => output::write(*format, &view, out)?,
            Some(path) => {
                let file = OutputFile::create(path).map_err(|error| {
                    CommandError::Message(format!("{}: {error}", path.display()))
                })?;
                output::write(*format, &view, &mut BufWriter::new(file))?;
            }
        }
        if *format != Format::Text && file.is_none() && !cli.quiet {
            eprintln!("{}", output::summary_line(report));
        }
    }
    Ok(())
}

/// The terminal's width in columns, when it says one.
fn textwrap_width() -> usize {
    console::Term::stdout()
        .size_checked()
        .map_or(0, |(_, columns)| usize::from(columns))
}

/// What to put before a path so that it leads to the file from the working directory.
fn prefix_from_here(root: &Path) -> String {
    let Ok(here) = env::current_dir() else {
        return String::new();
    };
    let root: Vec<Component<'_>> = root.components().collect();
    let here: Vec<Component<'_>> = here.components().collect();
    let common = root
        .iter()
        .zip(&here)
        .take_while(|(one, other)| one == other)
        .count();
    let mut prefix = "../".repeat(here.len() - common);
    let mut below = &root[common..];
    if common <= 1 {
        // Nothing in common but the file system's root: the whole path says it better.
        prefix = "/".to_owned();
        below = &root[1.min(root.len())..];
    }
    for component in below {
        prefix.push_str(&component.as_os_str().to_string_lossy());
        prefix.push('/');
    }
    prefix
}
