//! How a text of a rule is compiled: its variables and its expected result.

use std::sync::Arc;

use super::kinds::Kinds;
use super::names::Names;
use super::schema::Scope;

/// The settings for compiling the texts of a rule.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The scope, which determines the variables.
    pub scope: Scope,
    /// The named values that the texts may use.
    pub names: Arc<Names>,
    /// The possible kinds of the notice.
    pub kinds: Kinds,
    /// Compile only on first use: the built-in rules are known to be valid, most of their texts are not needed in a run,
    /// and compiling them all would dominate a short run.
    pub deferred: bool,
}

impl Compiler {
    /// Returns the same settings for texts that only apply to these kinds of notices.
    pub fn within(&self, kinds: Kinds) -> Compiler {
        Compiler {
            kinds: self.kinds.and(kinds),
            ..self.clone()
        }
    }
}

/// The expected result of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A boolean.
    Condition,
    /// A boolean that chooses a sentence.
    Choice,
    /// Any value, for a named value.
    Value,
    /// Something that can be part of a sentence.
    Text,
    /// A fact or a list of facts.
    Facts,
}
