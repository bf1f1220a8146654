//! What a text of a rule is compiled for: what it sees, and what it must give.

use std::sync::Arc;

use super::kinds::Kinds;
use super::names::Names;
use super::schema::Scope;

/// What texts of a rule are compiled for, and when.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// What they see.
    pub scope: Scope,
    /// The named values that they may use.
    pub names: Arc<Names>,
    /// What a notice may be where they are read.
    pub kinds: Kinds,
    /// Only when it is first needed: the rules that the program carries are known to be right, most of their texts are
    /// not needed in a run, and compiling them all would be most of a short one.
    pub deferred: bool,
}

impl Compiler {
    /// The same for texts that are only read of these kinds of notices.
    pub fn within(&self, kinds: Kinds) -> Compiler {
        Compiler {
            kinds: self.kinds.and(kinds),
            ..self.clone()
        }
    }
}

/// What an expression must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A boolean.
    Condition,
    /// A boolean that chooses a sentence.
    Choice,
    /// Anything, for a named value.
    Value,
    /// Something that can be written in a sentence.
    Text,
    /// A fact or a list of facts.
    Facts,
}
