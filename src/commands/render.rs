//! `kubetaint check --render`: runs helm and kustomize for the charts and kustomizations of the repository.
//!
//! The repository is not trusted. The programs get no network, no other programs and no settings of the user.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use walkdir::WalkDir;

use super::inputs::Inputs;
use crate::cli::Renderer;
use crate::discover;
use crate::finding::Problem;
use crate::rendering::{self, Job, Rendering, Tool};

/// The most programs that run at once.
const AT_ONCE: usize = 4;

/// The time for all of them.
const TOTAL_TIME: Duration = Duration::from_secs(300);

/// How long a program may take for one chart or kustomization, and how many bytes it may print.
#[derive(Clone, Copy)]
struct Limits {
    time: Duration,
    output: u64,
}

const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    output: 32 * 1024 * 1024,
};

/// The most files in a chart.
const MAX_FILES: usize = 20_000;

/// The most characters of a program's error that a problem quotes.
const MAX_ERROR: usize = 300;

/// Where requests to the network end: nothing listens on this port.
const NOWHERE: &str = "http://127.0.0.1:1";

/// Renders the charts and kustomizations among the inputs. Returns what was printed, and what could not be rendered.
pub fn run(tools: &[Renderer], inputs: &Inputs) -> (Vec<Rendering>, Vec<Problem>) {
    let tools: BTreeSet<Tool> = tools.iter().map(|tool| tool_of(*tool)).collect();
    let tools: Vec<Tool> = tools.into_iter().collect();
    if tools.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let root = &inputs.place.root;
    let files = &inputs.discovery.files;
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    let text = |path: &str| {
        let at = paths.binary_search(&path).ok()?;
        let bytes = discover::read_bytes(&files.get(at)?.absolute).ok()?;
        String::from_utf8(bytes).ok()
    };
    let jobs = rendering::plan(&paths, &tools, &text);
    let mut problems = Vec::new();
    let mut programs = Vec::new();
    for tool in tools {
        if !jobs.iter().any(|job| job.tool == tool) {
            let what = match tool {
                Tool::Helm => "no chart",
                Tool::Kustomize => "no kustomization",
            };
            super::say(format_args!(
                "warning: --render {}: there is {what} to render",
                tool.name()
            ));
            continue;
        }
        match find(tool.name(), root) {
            Some(path) => programs.push((tool, path)),
            None => problems.push(Problem {
                file: None,
                position: None,
                message: format!("--render {0}: `{0}` is not on the PATH", tool.name()),
            }),
        }
    }
    let runner = Runner {
        root,
        programs,
        until: Instant::now() + TOTAL_TIME,
        limits: LIMITS,
    };
    let results = runner.run_all(&jobs);
    let mut renderings = Vec::new();
    for (job, result) in jobs.into_iter().zip(results) {
        match result {
            Some(Ok(text)) => renderings.push(Rendering { job, text }),
            Some(Err(why)) => problems.push(Problem {
                message: format!("not rendered by {}: {why}", job.tool.name()),
                file: Some(job.file),
                position: None,
            }),
            None => {}
        }
    }
    (renderings, problems)
}

fn tool_of(renderer: Renderer) -> Tool {
    match renderer {
        Renderer::Helm => Tool::Helm,
        Renderer::Kustomize => Tool::Kustomize,
    }
}

/// Finds a program on the PATH. Folders inside the repository do not count, nor do relative ones.
fn find(name: &str, root: &Path) -> Option<PathBuf> {
    let real_root = root.canonicalize().ok()?;
    let path = env::var_os("PATH")?;
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .filter_map(|program| program.canonicalize().ok())
        .find(|program| program.is_file() && !program.starts_with(&real_root))
}

/// The result of a job: what the program printed, or why there is nothing.
type Outcome = Result<String, String>;

struct Runner<'r> {
    root: &'r Path,
    programs: Vec<(Tool, PathBuf)>,
    until: Instant,
    limits: Limits,
}

impl Runner<'_> {
    /// Runs all jobs. There is no result for jobs whose program is missing.
    fn run_all(&self, jobs: &[Job]) -> Vec<Option<Outcome>> {
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Outcome>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (Some(job), Some(slot)) = (jobs.get(at), results.get(at)) else {
                    return;
                };
                let program = self.programs.iter().find(|(tool, _)| *tool == job.tool);
                let result = program.map(|(_, program)| self.run_one(program, job));
                if let Ok(mut slot) = slot.lock() {
                    *slot = result;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..cores.min(AT_ONCE).min(jobs.len()) {
                // This thread works, too, so it does all the work if no other can be started.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let taken = results.into_iter().map(|slot| slot.into_inner());
        taken.map(|slot| slot.unwrap_or_default()).collect()
    }

    fn run_one(&self, program: &Path, job: &Job) -> Outcome {
        if let Some(outside) = &job.outside {
            return Err(format!(
                "it includes `{outside}`, which is not in the repository"
            ));
        }
        let folder = self.root.join(job.folder());
        self.check_links(job, &folder)?;
        let failed = |error: std::io::Error| error.to_string();
        let home = TempDir::new().map_err(failed)?;
        let (out, err) = (home.path().join("out"), home.path().join("err"));
        let mut command = Command::new(program);
        command
            .env_clear()
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(File::create(&out).map_err(failed)?)
            .stderr(File::create(&err).map_err(failed)?);
        for name in [
            "HOME",
            "PATH",
            "TMPDIR",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "HELM_CACHE_HOME",
            "HELM_CONFIG_HOME",
            "HELM_DATA_HOME",
            "HELM_PLUGINS",
        ] {
            let own = home.path().join(name);
            fs::create_dir(&own).map_err(failed)?;
            command.env(name, own);
        }
        command.env("KUBECONFIG", home.path().join("none"));
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, NOWHERE);
        }
        match job.tool {
            Tool::Helm => command.arg("template").arg(release(&job.name)).arg(&folder),
            Tool::Kustomize => command
                .args(["build", "--load-restrictor", "LoadRestrictionsRootOnly"])
                .arg(&folder),
        };
        let until = self.until.min(Instant::now() + self.limits.time);
        let mut child = command.spawn().map_err(failed)?;
        let mut pause = Duration::from_millis(2);
        let ended = loop {
            match child.try_wait().map_err(failed)? {
                Some(status) => break Ok(status),
                None if Instant::now() >= until => break Err("it takes too long".to_owned()),
                None if fs::metadata(&out).is_ok_and(|file| file.len() > self.limits.output) => {
                    break Err("it prints too much".to_owned());
                }
                None => thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(50));
        };
        if ended.is_err() {
            // Fails only if the program has just ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
        if !ended?.success() {
            let told = read(&err, 64 * 1024).unwrap_or_default();
            return Err(first_error(&told, self.root));
        }
        read(&out, self.limits.output).ok_or_else(|| "it prints too much, or no text".to_owned())
    }

    /// `Err` if a chart or kustomization contains a link that leads out of the repository.
    fn check_links(&self, job: &Job, folder: &Path) -> Result<(), String> {
        let refuse = |path: &Path| {
            let name = path.strip_prefix(self.root).unwrap_or(path);
            format!("`{}` points outside the repository", name.display())
        };
        if job.tool == Tool::Kustomize {
            let parts = job.parts.iter().map(|part| self.root.join(part));
            let mut outside = parts.filter(|part| discover::leads_out(self.root, part));
            return outside.next().map_or(Ok(()), |part| Err(refuse(&part)));
        }
        for (at, entry) in WalkDir::new(folder).into_iter().enumerate() {
            if at == MAX_FILES {
                return Err(format!("it has more than {MAX_FILES} files"));
            }
            let entry = entry.map_err(|error| error.to_string())?;
            if entry.path_is_symlink() && discover::leads_out(self.root, entry.path()) {
                return Err(refuse(entry.path()));
            }
        }
        Ok(())
    }
}

/// A name for the release of a chart. It must not look like an option.
fn release(chart: &str) -> String {
    let name: String = chart
        .to_ascii_lowercase()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .take(40)
        .collect();
    match name.trim_matches('-') {
        "" => "release".to_owned(),
        name => name.to_owned(),
    }
}

/// Reads a text file up to a number of bytes. `None` if it is longer or not UTF-8.
fn read(path: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(most + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= most).then_some(text)
}

/// The first line of a program's error, without the place of the repository on this machine.
fn first_error(told: &str, root: &Path) -> String {
    let lines = || told.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find(|line| line.starts_with("Error"));
    let line = error
        .or_else(|| lines().next())
        .unwrap_or("it fails without an error");
    let inside = format!("{}/", root.display());
    let line = line.replace(&inside, "");
    let mut short: String = line.chars().take(MAX_ERROR).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shell script in place of helm.
    #[cfg(unix)]
    fn outcome(script: &str) -> Outcome {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("helm");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let runner = Runner {
            root: folder.path(),
            programs: vec![(Tool::Helm, program)],
            until: Instant::now() + TOTAL_TIME,
            limits: Limits {
                time: Duration::from_secs(1),
                output: 1000,
            },
        };
        let jobs = rendering::plan(&["Chart.yaml"], &[Tool::Helm], &|_| {
            Some("name: web\n".to_owned())
        });
        runner.run_all(&jobs).pop().unwrap().unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_or_prints_without_end_is_stopped() {
        assert_eq!(
            outcome("while :; do :; done"),
            Err("it takes too long".to_owned())
        );
        let endless = "while :; do echo 'a: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; done";
        assert_eq!(outcome(endless), Err("it prints too much".to_owned()));
        assert_eq!(outcome("echo 'a: 1'"), Ok("a: 1\n".to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_gets_nothing_of_the_environment() {
        let told = outcome("echo \"Error: [$CARGO_MANIFEST_DIR] [$HTTPS_PROXY]\" >&2; exit 1");
        assert_eq!(told, Err(format!("Error: [] [{NOWHERE}]")));
        let told =
            outcome("test -d \"$HOME\" && test \"${PATH%/PATH}\" = \"${HOME%/HOME}\" && echo ok");
        assert_eq!(told, Ok("ok\n".to_owned()));
        assert!(outcome("ls").is_err());
    }

    #[test]
    fn a_release_is_named_like_its_chart() {
        assert_eq!(release("web"), "web");
        assert_eq!(release("--post-renderer=x"), "post-rendererx");
        assert_eq!(release("../.."), "release");
    }

    #[test]
    fn the_error_of_a_program_is_one_line_without_the_folder_of_the_repository() {
        let told = "level=WARN msg=x\n\nError: /repo/a/b.yaml is odd\nmore\n";
        assert_eq!(
            first_error(told, Path::new("/repo")),
            "Error: a/b.yaml is odd"
        );
        assert_eq!(
            first_error("", Path::new("/repo")),
            "it fails without an error"
        );
    }
}
