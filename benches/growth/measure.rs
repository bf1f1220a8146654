//! Runs the program on growing inputs and finds the slope of its time.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Case, Files, memory};

/// How much to measure.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Sizes grow until a run takes this many seconds.
    enough: f64,
    /// A run that takes longer is ended.
    most: f64,
    /// Each size is measured this often, and the shortest time counts.
    runs: usize,
}

impl Plan {
    pub const FULL: Plan = Plan {
        enough: 1.5,
        most: 20.0,
        runs: 3,
    };

    pub const QUICK: Plan = Plan {
        enough: 0.4,
        most: 6.0,
        runs: 1,
    };

    /// The seconds that a run takes for a repository with one small file.
    pub fn start(self) -> io::Result<f64> {
        let folder = TempDir::new()?;
        write(
            folder.path(),
            &vec![("a.yaml".to_owned(), "kind: A\n".to_owned())],
        )?;
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            if let Some(run) = run(folder.path(), crate::CHECK, self.most)? {
                least = least.min(run.used());
            }
        }
        Ok(least)
    }
}

/// How the time of a case grows.
pub struct Grown {
    /// `None` if there are too few sizes.
    pub exponent: Option<f64>,
    size: usize,
    seconds: f64,
    bytes: u64,
    /// Whether a run was ended because it took too long.
    ended: bool,
}

impl fmt::Display for Grown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent {
            Some(exponent) => write!(f, "{exponent:8.2}")?,
            None => write!(f, "{:>8}", "-")?,
        }
        write!(
            f,
            " {:8} {:8.2} {:8}",
            self.size,
            self.seconds,
            self.bytes >> 20
        )?;
        if self.ended {
            write!(f, "  twice the size takes too long")?;
        }
        Ok(())
    }
}

/// Measures a case. `start` is the time of a run with nothing to do.
pub fn measure(case: &Case, plan: Plan, start: f64) -> io::Result<Grown> {
    /// The slope of a line through this many sizes is the exponent.
    const SIZES: usize = 4;
    /// Shorter times say little.
    const LEAST: f64 = 0.01;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut grown = Grown {
        exponent: None,
        size: 0,
        seconds: 0.0,
        bytes: 0,
        ended: false,
    };
    let mut size = case.from;
    while size <= case.to {
        let files = (case.files)(size);
        let Some(run) = shortest(case, &files, plan)? else {
            grown.ended = true;
            break;
        };
        let seconds = run.seconds(start);
        if seconds > LEAST {
            let bytes: usize = files
                .iter()
                .map(|(path, text)| path.len() + text.len())
                .sum();
            points.push(((bytes as f64).ln(), seconds.ln()));
        }
        (grown.size, grown.seconds, grown.bytes) = (size, seconds, run.bytes);
        if seconds > plan.enough {
            break;
        }
        size *= 2;
    }
    let last = points.len().saturating_sub(SIZES);
    grown.exponent = slope(points.get(last..).unwrap_or_default());
    Ok(grown)
}

fn shortest(case: &Case, files: &Files, plan: Plan) -> io::Result<Option<Run>> {
    let mut shortest: Option<Run> = None;
    for _ in 0..plan.runs {
        // The program may change the files.
        let folder = TempDir::new()?;
        write(folder.path(), files)?;
        let Some(run) = run(folder.path(), case.arguments, plan.most)? else {
            return Ok(None);
        };
        if shortest
            .as_ref()
            .is_none_or(|other| run.used() < other.used())
        {
            shortest = Some(run);
        }
        // Long runs vary less.
        if shortest
            .as_ref()
            .is_some_and(|one| one.used() > plan.enough)
        {
            break;
        }
    }
    Ok(shortest)
}

/// Writes files below a folder.
pub fn write(folder: &Path, files: &Files) -> io::Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// A run of the program.
struct Run {
    wall: f64,
    /// Processor seconds, where the system tells them.
    used: Option<f64>,
    /// The most memory, where the system tells it.
    bytes: u64,
}

impl Run {
    fn used(&self) -> f64 {
        self.used.unwrap_or(self.wall)
    }

    fn seconds(&self, start: f64) -> f64 {
        (self.used() - start).max(0.0)
    }
}

/// Runs the program with one thread. Returns `None` if it takes too long.
fn run(folder: &Path, arguments: &[&str], most: f64) -> io::Result<Option<Run>> {
    let start = Instant::now();
    let mut child = Command::new(program())
        .args(arguments)
        .env("RAYON_NUM_THREADS", "1")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut run = Run {
        wall: 0.0,
        used: None,
        bytes: 0,
    };
    while child.try_wait()?.is_none() {
        run.bytes = memory::most_of(child.id()).unwrap_or(run.bytes);
        run.used = used_by(&child).into_iter().chain(run.used).reduce(f64::max);
        if run.used.unwrap_or(start.elapsed().as_secs_f64()) > most {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        sleep(Duration::from_millis(1));
    }
    run.wall = start.elapsed().as_secs_f64();
    Ok(Some(run))
}

/// The program to measure: another one, to compare two versions, or the one that was built with this.
fn program() -> OsString {
    let other = std::env::var_os("KUBETAINT_PROGRAM");
    other.unwrap_or_else(|| env!("CARGO_BIN_EXE_kubetaint").into())
}

/// The processor seconds of all threads of a process. Other work on the machine hardly changes them.
fn used_by(child: &Child) -> Option<f64> {
    let mut used = 0.0;
    for thread in fs::read_dir(format!("/proc/{}/task", child.id())).ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        used += nanoseconds / 1e9;
    }
    Some(used)
}

/// The slope of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 2 {
        return None;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let both: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    Some(both / square)
}
