//! Writes one variant of a template: one arm of each block, with the place where each part of the text is written.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::ops::Range;

use super::branches::{Arm, Assumed, Branches, Condition, Plan, Wanted};
use super::flows::{Flow, Origin, Test};
use super::given::Given;
use crate::charts::Step;
use crate::source::{SourceId, Span};
use crate::yaml::Pieces;

/// The maximum length in bytes of a variant.
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// The maximum number of parts of a variant. Templates that include each other many times produce no text.
const MAX_PARTS: u32 = 200_000;

/// Writes one variant.
pub struct Writer<'p> {
    plan: &'p Plan,
    source: SourceId,
    pieces: Pieces,
    branches: Branches,
    /// The mark of the current arm.
    current: u32,
    /// The arms around the current text, from the outermost one, with the conditions that they need.
    around: Vec<(Arm, Option<Condition>)>,
    /// A number for the calls of templates that led to the current text.
    call: u64,
    /// Arms with relevant text that were met, whether they are written or not.
    wanted: BTreeMap<Arm, Wanted>,
    /// Arms with relevant text that are not in this variant.
    left_out: bool,
    /// What was printed, by tag from 1 on.
    flows: Vec<Flow>,
    /// The tests for the arms that were written, by mark from 1 on.
    tests: Vec<Test>,
    /// Paths of values that the template changes.
    changed: BTreeSet<Vec<Step>>,
    assumed: Assumed,
    /// The number of parts that were written.
    parts: u32,
    is_full: bool,
    /// Values that are known.
    given: Option<&'p Given<'p>>,
}

/// A block of which one arm is written.
pub struct Block<'b> {
    /// Its offset in the file.
    pub at: usize,
    /// The condition for its first arm. The second one is written otherwise.
    pub condition: Option<Condition>,
    /// Its arms: whether each has relevant text.
    pub arms: &'b [bool],
    /// The arm that is written if there is no reason for another one.
    pub usual: usize,
    /// What the first arm tests.
    pub test: Test,
}

/// A variant.
pub struct Written {
    /// Its text.
    pub pieces: Pieces,
    /// The arms in it.
    pub branches: Branches,
    /// Arms with relevant text that were met.
    pub wanted: BTreeMap<Arm, Wanted>,
    /// Whether some of them are not in it.
    pub left_out: bool,
    /// Whether the text became too long.
    pub is_full: bool,
    /// What was printed, by tag from 1 on.
    pub flows: Vec<Flow>,
    /// The tests for the arms, by mark from 1 on.
    pub tests: Vec<Test>,
    /// Paths of values that the template changes.
    pub changed: BTreeSet<Vec<Step>>,
}

impl<'p> Writer<'p> {
    /// Begins a variant of a template in this file.
    pub fn new(plan: &'p Plan, source: SourceId) -> Self {
        Writer {
            plan,
            source,
            pieces: Pieces::default(),
            branches: Branches::default(),
            current: 0,
            around: Vec::new(),
            call: 0,
            wanted: BTreeMap::new(),
            left_out: false,
            flows: Vec::new(),
            tests: Vec::new(),
            changed: BTreeSet::new(),
            assumed: plan.assumed.clone(),
            parts: 0,
            is_full: false,
            given: None,
        }
    }

    /// Fills in these values.
    pub fn fill(&mut self, given: Option<&'p Given<'p>>) {
        self.given = given;
    }

    /// The values that are filled in.
    pub fn given(&self) -> Option<&'p Given<'p>> {
        self.given
    }

    /// A place in the file that is written.
    pub fn place(&self, at: Range<usize>) -> Span {
        Span::new(self.source, at)
    }

    /// Ends the variant.
    pub fn finish(self) -> Written {
        Written {
            pieces: self.pieces,
            branches: self.branches,
            wanted: self.wanted,
            left_out: self.left_out,
            is_full: self.is_full,
            flows: self.flows,
            tests: self.tests,
            changed: self.changed,
        }
    }

    /// Counts one more part. Returns whether it may still be written.
    pub fn may_write(&mut self) -> bool {
        self.parts += 1;
        self.is_full |= self.parts > MAX_PARTS || self.pieces.text().len() > MAX_TEXT;
        !self.is_full
    }

    /// Writes a text that is in the file from an offset on.
    pub fn text(&mut self, text: &str, offset: usize) {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.pieces.push_verbatim(text, self.source, offset);
    }

    /// Writes a text that stands for something at a place.
    pub fn made(&mut self, text: &str, at: Range<usize>) {
        self.pieces.push_made(text, Span::new(self.source, at));
    }

    /// Writes something unknown that comes from somewhere.
    pub fn unknown(&mut self, why: &str, at: Range<usize>, flow: Flow) {
        let at = Span::new(self.source, at);
        if flow.origin == Origin::Unknown {
            return self.pieces.push_open(why, at);
        }
        self.flows.push(flow);
        let tag = u32::try_from(self.flows.len()).unwrap_or_default();
        self.pieces.push_tagged(why, at, tag);
    }

    /// Notes that the template changes the value at a path.
    pub fn change(&mut self, path: Vec<Step>) {
        self.changed.insert(path);
    }

    /// Writes that there may be more lines like the first one of a text that was written from an offset on.
    pub fn more(&mut self, why: &str, at: Range<usize>, from: usize) {
        let written = self.pieces.text().get(from..).unwrap_or_default();
        let begins_line = match self.pieces.text().get(..from) {
            Some(before) => {
                before.is_empty() || before.ends_with('\n') || written.starts_with('\n')
            }
            None => false,
        };
        let line = written.lines().find(|line| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let Some(line) = line.filter(|line| begins_line && is_entry(line)) else {
            return;
        };
        if written.lines().any(|line| line.starts_with("---")) {
            return;
        }
        let line = line.to_owned();
        let at = Span::new(self.source, at);
        if !self.pieces.text().ends_with('\n') {
            self.pieces.push_made("\n", at);
        }
        self.pieces.push_open_lines(why, at, &line);
    }

    /// Whether the current line has a text that is more than a key.
    pub fn is_within_line(&self) -> bool {
        let text = self.pieces.text();
        let line = text.rsplit('\n').next().unwrap_or_default().trim_end();
        !line.trim().is_empty() && !line.ends_with(':') && !line.ends_with("- ")
    }

    /// Whether the current line has any text.
    pub fn has_begun_line(&self) -> bool {
        let line = self.pieces.text().rsplit('\n').next();
        line.is_some_and(|line| !line.trim().is_empty())
    }

    /// The length of the text so far.
    pub fn len(&self) -> usize {
        self.pieces.text().len()
    }

    /// Writes pieces that were taken from this variant.
    pub fn pieces(&mut self, pieces: &Pieces) {
        self.pieces.append(pieces);
    }

    /// Returns what is written in between instead of adding it to the variant.
    pub fn take(&mut self, write: impl FnOnce(&mut Self)) -> Pieces {
        let mut own = Pieces::default();
        own.set_mark(self.current);
        let outer = std::mem::replace(&mut self.pieces, own);
        write(self);
        std::mem::replace(&mut self.pieces, outer)
    }

    /// Writes a template that another one calls at an offset, in the file of that template.
    pub fn call(&mut self, at: usize, source: SourceId, write: impl FnOnce(&mut Self)) {
        let outer = (self.call, self.source);
        self.call = number((self.call, self.source, at));
        self.source = source;
        write(self);
        (self.call, self.source) = outer;
    }

    /// A number for the calls of templates that led to the current text.
    pub fn calls(&self) -> u64 {
        self.call
    }

    /// Writes one arm of a block.
    pub fn choose(&mut self, block: &Block<'_>, write: impl FnOnce(&mut Self, usize)) {
        let number = number((self.call, self.source, block.at));
        let arm = |index: u32| Arm {
            block: number,
            index,
        };
        let condition = block.condition;
        let needs = |index: u32| {
            let condition = condition.filter(|_| index < 2)?;
            Some(Condition {
                negated: condition.negated != (index > 0),
                ..condition
            })
        };
        for (index, is_relevant) in (0..).zip(block.arms) {
            if *is_relevant {
                let wanted = Wanted {
                    condition: needs(index),
                    around: self.around.iter().rev().copied().collect(),
                };
                self.wanted.insert(arm(index), wanted);
            }
        }
        let count = u32::try_from(block.arms.len()).unwrap_or(u32::MAX);
        let given = condition.and_then(|condition| self.assumed.get(condition));
        let chosen = match given {
            Some(true) => Some(0),
            Some(false) => (count > 1).then_some(1),
            None => self.plan.choose(number, count, block.usual),
        };
        let chosen = chosen.filter(|index| !self.plan.excluded.contains(&arm(*index)));
        if let Some(condition) = condition {
            self.assumed.assume(condition, chosen == Some(0));
        }
        self.left_out |= (0..)
            .zip(block.arms)
            .any(|(index, is_relevant)| *is_relevant && chosen != Some(index));
        let Some(index) = chosen else {
            return;
        };
        let outer = self.current;
        self.current = self.branches.enter(outer, arm(index));
        self.tests.push(Test {
            holds: block.test.holds == (index == 0),
            ..block.test.clone()
        });
        self.around.push((arm(index), needs(index)));
        self.pieces.set_mark(self.current);
        write(self, index as usize);
        self.around.pop();
        self.current = outer;
        self.pieces.set_mark(outer);
    }
}

/// Returns a number for something.
pub fn number(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Whether a line is an item of a list or a field.
fn is_entry(line: &str) -> bool {
    let content = line.trim();
    content == "-" || content.starts_with("- ") || content.contains(": ") || content.ends_with(':')
}
