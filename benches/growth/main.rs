//! How the time of a run grows with its input: the exponent of each of many generated worst cases. An exponent of 1 means
//! that twice the input takes twice the time. Nothing here asserts a time.
//!
//! `cargo bench --bench growth -- [--quick] [NAME]...` measures the cases whose names contain one of these words.
//! `-- --write FOLDER SIZE NAME` writes the files of the first such case, so that the program can be profiled with them.
//! With `KUBETAINT_PROGRAM=PATH`, it measures that program, such as one of an earlier release.

mod clusters;
mod deliveries;
mod edits;
mod files;
mod kinds;
mod lists;
mod measure;
#[path = "../process/memory.rs"]
mod memory;
mod pools;
mod suppressions;
mod templates;
mod terraform;

use std::process::ExitCode;

use measure::{Plan, measure};

/// A repository: paths and texts.
type Files = Vec<(String, String)>;

/// A family of repositories, each a worst case of its size.
struct Case {
    name: &'static str,
    /// The arguments of the program.
    arguments: &'static [&'static str],
    /// The smallest size.
    from: usize,
    /// The largest size that a limit of kubetaint allows, or a size that is large enough.
    to: usize,
    files: fn(usize) -> Files,
}

const CHECK: &[&str] = &["check", "--format", "json"];

/// Exponents above this count as too large.
const LIMIT: f64 = 1.2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Cargo passes `--bench`.
    let names: Vec<&str> = arguments
        .iter()
        .filter(|one| !one.starts_with("--"))
        .map(String::as_str)
        .collect();
    let plan = match arguments.iter().any(|one| one == "--quick") {
        true => Plan::QUICK,
        false => Plan::FULL,
    };
    let mut cases = cases();
    cases.retain(|case| names.is_empty() || names.iter().any(|name| case.name.contains(name)));
    if arguments.iter().any(|one| one == "--write") {
        return write_one(&names);
    }
    let start = match plan.start() {
        Ok(start) => start,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "{:48} {:>8} {:>8} {:>8} {:>8}",
        "case", "exponent", "n", "seconds", "MiB"
    );
    let mut steep = 0;
    for case in &cases {
        match measure(case, plan, start) {
            Ok(grown) => {
                let is_steep = grown.exponent.is_some_and(|exponent| exponent > LIMIT);
                steep += usize::from(is_steep);
                println!(
                    "{:48} {grown}{}",
                    case.name,
                    if is_steep { "  *" } else { "" }
                );
            }
            Err(error) => println!("{:48} {error}", case.name),
        }
    }
    println!("{steep} of {} exponents are over {LIMIT}", cases.len());
    ExitCode::SUCCESS
}

fn cases() -> Vec<&'static Case> {
    let groups: [&[Case]; 10] = [
        lists::CASES,
        pools::CASES,
        clusters::CASES,
        deliveries::CASES,
        files::CASES,
        suppressions::CASES,
        kinds::CASES,
        templates::CASES,
        terraform::CASES,
        edits::CASES,
    ];
    groups.into_iter().flatten().collect()
}

/// Writes the files of a case into a folder: the folder, the size and the name are given.
fn write_one(names: &[&str]) -> ExitCode {
    let [folder, size, name] = names else {
        eprintln!("--write FOLDER SIZE NAME");
        return ExitCode::FAILURE;
    };
    let cases = cases();
    let case = cases.iter().find(|case| case.name.contains(name));
    let (Some(case), Ok(size)) = (case, size.parse()) else {
        eprintln!("no such case, or no size");
        return ExitCode::FAILURE;
    };
    match measure::write(folder.as_ref(), &(case.files)(size)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
