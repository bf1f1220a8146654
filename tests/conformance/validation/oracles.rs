//! The oracles, one for each release: programs named by their release in the folder `KUBETAINT_VALIDATION_ORACLES`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cases::{Answer, Case, Setting, Vector};
use crate::questions::ask;

/// How an oracle is told to switch the gate on.
const GATE: &str = "TaintTolerationComparisonOperators=true";

/// The oracles that were built, with what they can be asked for.
pub struct Oracles {
    programs: Vec<(Setting, PathBuf)>,
}

impl Oracles {
    pub fn find() -> Oracles {
        let folder = std::env::var_os("KUBETAINT_VALIDATION_ORACLES")
            .expect("KUBETAINT_VALIDATION_ORACLES names the folder with the oracles");
        let mut programs = Vec::new();
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let minor = name.strip_prefix("1.").and_then(|minor| minor.parse().ok());
            let minor = minor.unwrap_or_else(|| panic!("{name} is no release"));
            programs.push((Setting::new(minor, false), path.clone()));
            // An oracle whose release does not know the gate says so before it reads anything.
            let status = Command::new(&path)
                .arg(GATE)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .expect("the oracle starts");
            match status.code() {
                Some(0) => programs.push((Setting::new(minor, true), path)),
                Some(3) => {}
                other => panic!("{name}: {other:?}"),
            }
        }
        programs.sort();
        assert!(!programs.is_empty(), "there are oracles");
        Oracles { programs }
    }

    pub fn settings(&self) -> Vec<Setting> {
        self.programs.iter().map(|(setting, _)| *setting).collect()
    }

    /// Asks the newest oracle, without its gate.
    pub fn ask_newest<A: DeserializeOwned>(&self, questions: &[impl Serialize + Sync]) -> Vec<A> {
        let mut without = self.programs.iter().filter(|(setting, _)| !setting.gate);
        let (setting, program) = without.next_back().expect("there are oracles");
        ask_one(program, *setting, questions)
    }

    /// Asks every oracle each case.
    pub fn ask(&self, cases: &[Case]) -> Vec<Vector> {
        let mut vectors: Vec<Vector> = cases
            .iter()
            .map(|case| Vector {
                case: case.clone(),
                kubernetes: BTreeMap::new(),
            })
            .collect();
        let mut last: Vec<Option<Answer>> = vec![None; cases.len()];
        for (setting, program) in &self.programs {
            let answers: Vec<Answer> = ask_one(program, *setting, cases);
            assert_eq!(
                answers.len(),
                cases.len(),
                "{setting}: an answer to each case"
            );
            for ((vector, last), answer) in vectors.iter_mut().zip(&mut last).zip(answers) {
                // What says the same as the one before is not written.
                if last.as_ref() != Some(&answer) {
                    vector
                        .kubernetes
                        .insert(setting.to_string(), answer.clone());
                    *last = Some(answer);
                }
            }
        }
        vectors
    }
}

fn ask_one<A: DeserializeOwned>(
    program: &PathBuf,
    setting: Setting,
    cases: &[impl Serialize + Sync],
) -> Vec<A> {
    let mut command = Command::new(program);
    if setting.gate {
        command.arg(GATE);
    }
    let mut answers = Vec::new();
    ask(&mut command, cases.iter(), |_, answer| answers.push(answer));
    answers
}
