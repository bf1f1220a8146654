//! Reports standard input without manifests: the command that writes to it has probably failed.

use super::inputs::Inputs;
use crate::finding::{Counts, Problem};

impl Inputs {
    /// A problem if standard input was the only input and contains no manifest. The command that writes to it has probably
    /// failed, and the input is its error message.
    pub fn check_stdin(&self, counts: &Counts, is_told: bool) -> Option<Problem> {
        if !(self.only_stdin && counts.no_manifest_on_stdin) {
            return None;
        }
        let is_empty = counts.documents == 0 && counts.not_judged.is_empty() && !is_told;
        let what = match is_empty {
            true => "standard input is empty",
            false => "standard input holds no manifest",
        };
        Some(Problem {
            file: None,
            position: None,
            message: format!("nothing to check: {what}"),
        })
    }
}
