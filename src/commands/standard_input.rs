//! Standard input that holds nothing to check: the command that was to write there has most likely failed.

use super::inputs::Inputs;
use crate::finding::{Counts, Problem};

impl Inputs {
    /// A problem where standard input is all that there was to read, and it holds no manifest: the command that was to write
    /// there has most likely failed, and what stands there is its message.
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
