//! Times the program as a whole process against a yardstick on the same files, in turn: on a generated monorepo, or on the
//! repositories in a folder. Prints ratios; nothing here asserts a time.
//!
//! `cargo bench --bench monorepo -- [--files 100000] [--seed 1] [--runs 10]` generates a monorepo and measures on it.
//! `-- --corpus FOLDER` measures on each repository in a folder instead, and `-- --write FOLDER` only writes the monorepo.
//! `KUBETAINT_YARDSTICK` is another command than `rg --hidden -c tolerations`; the folder is added to its arguments.

mod files;
#[path = "../process/memory.rs"]
mod memory;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, io};

/// What a person searches instead, and every tool that reads all files takes at least.
const YARDSTICK: &str = "rg --hidden -c tolerations";

struct Arguments {
    files: usize,
    seed: u64,
    runs: usize,
    corpus: Option<PathBuf>,
    write: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Result<Arguments, String> {
        let mut read = Arguments {
            files: 100_000,
            seed: 1,
            runs: 10,
            corpus: None,
            write: None,
        };
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            // Cargo passes `--bench`.
            if word == "--bench" {
                continue;
            }
            let value = words.next().ok_or(format!("{word} needs a value"))?;
            let number = || {
                value
                    .parse::<usize>()
                    .map_err(|why| format!("{word}: {why}"))
            };
            match word.as_str() {
                "--files" => read.files = number()?,
                "--seed" => read.seed = number()? as u64,
                "--runs" => read.runs = number()?.max(1),
                "--corpus" => read.corpus = Some(value.into()),
                "--write" => read.write = Some(value.into()),
                _ => return Err(format!("{word} is unknown")),
            }
        }
        Ok(read)
    }
}

fn main() -> ExitCode {
    let measured = Arguments::read().map_err(io::Error::other);
    match measured.and_then(|arguments| measure(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> io::Result<()> {
    if let Some(folder) = &arguments.write {
        return files::write(folder, arguments.files, arguments.seed);
    }
    println!(
        "{:44} {:>9} {:>9} {:>7} {:>7} {:>7}",
        "folder", "seconds", "CPU", "wall x", "CPU x", "MiB"
    );
    match &arguments.corpus {
        Some(corpus) => {
            let mut folders = Vec::new();
            for entry in fs::read_dir(corpus)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                }
            }
            folders.sort();
            for folder in folders {
                compare(&folder, arguments.runs)?;
            }
        }
        None => {
            let folder = tempfile::TempDir::new()?;
            files::write(folder.path(), arguments.files, arguments.seed)?;
            compare(folder.path(), arguments.runs)?;
        }
    }
    Ok(())
}

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    /// Processor seconds, where the system tells them.
    used: f64,
    /// The most memory in bytes, where the system tells it.
    bytes: u64,
}

/// Runs the program and the yardstick in turn, and prints the medians.
fn compare(folder: &Path, runs: usize) -> io::Result<()> {
    let other = env::var("KUBETAINT_YARDSTICK").unwrap_or(YARDSTICK.to_owned());
    let other: Vec<&str> = other.split_whitespace().collect();
    let program = env::var("KUBETAINT_PROGRAM");
    let program = program.unwrap_or(env!("CARGO_BIN_EXE_kubetaint").to_owned());
    let own = [
        program.as_str(),
        "check",
        "--fail-on",
        "never",
        "--format",
        "concise",
    ];
    // Both find the files in the memory of the system.
    run(&own, folder)?;
    let mut pairs = Vec::new();
    for _ in 0..runs {
        let one = run(&own, folder)?;
        let two = run(&other, folder)?;
        pairs.push((one, two));
    }
    let median = |of: &dyn Fn(&(Took, Took)) -> f64| {
        let mut all: Vec<f64> = pairs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name:44} {:9.3} {:9.3} {:7.1} {:7.1} {:7.1}",
        median(&|(one, _)| one.wall),
        median(&|(one, _)| one.used),
        median(&|(one, two)| one.wall / two.wall),
        median(&|(one, two)| one.used / two.used.max(1e-9)),
        median(&|(one, _)| one.bytes as f64) / f64::from(1 << 20),
    );
    Ok(())
}

fn run(command: &[&str], folder: &Path) -> io::Result<Took> {
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| io::Error::other("no command"))?;
    let before = used_by_children();
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .arg(".")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|why| io::Error::other(format!("{program}: {why}")))?;
    let mut bytes = 0;
    while child.try_wait()?.is_none() {
        bytes = memory::most_of(child.id()).unwrap_or(bytes);
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    Ok(Took {
        wall: start.elapsed().as_secs_f64(),
        used: used_by_children() - before,
        bytes,
    })
}

/// The processor seconds of all processes that have ended, in hundredths.
fn used_by_children() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks.flat_map(str::parse::<f64>).sum::<f64>() / 100.0
}
