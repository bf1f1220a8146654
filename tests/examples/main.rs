//! A test for each example of each rule, and for each folder of `fixtures/situations`.

#[path = "../it/builtin.rs"]
mod builtin;
mod differences;
#[path = "../it/program.rs"]
mod program;
mod rules;
mod situations;

use std::error::Error;

use libtest_mimic::Arguments;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::from_args();
    let mut trials = rules::trials();
    trials.extend(situations::trials()?);
    libtest_mimic::run(&arguments, trials).exit();
}
