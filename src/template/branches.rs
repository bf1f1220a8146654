//! The branches of a template: which arm of each block is written, and which texts can only occur apart from each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One arm of one block. A block that is written several times, such as one in a template that is included twice, is a
/// different block each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arm {
    /// The block: a number for its place and for the calls that led to it.
    pub block: u64,
    /// The index of the arm in the block.
    pub index: u32,
}

/// A condition as far as it matters for others: conditions that are written alike have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// A number for what is tested.
    pub subject: u64,
    /// What it must be equal to, or `None` if it must be true or not empty.
    pub equal: Option<u64>,
    /// Whether the block is written if this does not hold.
    pub negated: bool,
}

/// What was assumed about conditions.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// Whether a condition without negation holds.
    holds: HashMap<(u64, Option<u64>), bool>,
    /// What a subject is equal to.
    equal: HashMap<u64, u64>,
}

impl Assumed {
    /// Whether a condition holds, as far as that follows from the others.
    pub fn get(&self, condition: Condition) -> Option<bool> {
        let equal = condition.equal.and_then(|wanted| {
            let known = self.equal.get(&condition.subject)?;
            Some(*known == wanted)
        });
        let key = (condition.subject, condition.equal);
        let holds = equal.or_else(|| self.holds.get(&key).copied())?;
        Some(holds != condition.negated)
    }

    /// Assumes that a condition holds, or does not. What was assumed before stays.
    pub fn assume(&mut self, condition: Condition, holds: bool) {
        if self.get(condition).is_some() {
            return;
        }
        let holds = holds != condition.negated;
        let key = (condition.subject, condition.equal);
        self.holds.insert(key, holds);
        if let (Some(equal), true) = (condition.equal, holds) {
            self.equal.insert(condition.subject, equal);
        }
    }
}

/// The arms that were written, as a tree. Marks of a text are indices in it; 0 is the text outside of all blocks.
#[derive(Clone, Debug, Default)]
pub struct Branches(Vec<(u32, Arm)>);

impl Branches {
    /// Adds an arm within another, and returns its mark.
    pub fn enter(&mut self, parent: u32, arm: Arm) -> u32 {
        self.0.push((parent, arm));
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Returns the arm with a mark, and the mark of the arm around it.
    pub fn get(&self, mark: u32) -> Option<(u32, Arm)> {
        self.0.get(mark.checked_sub(1)? as usize).copied()
    }

    /// The arms that were written.
    pub fn arms(&self) -> impl Iterator<Item = Arm> {
        self.0.iter().map(|(_, arm)| *arm)
    }

    /// Whether a text is written whenever another one is: its arm is that of the other text or contains it.
    pub fn contains(&self, outer: u32, inner: u32) -> bool {
        let mut at = inner;
        loop {
            if at == outer {
                return true;
            }
            match self.get(at) {
                Some((parent, _)) => at = parent,
                None => return false,
            }
        }
    }

    /// The outermost arm within a text's arm that leads to another text, if the first contains the second.
    pub fn leading_to(&self, inner: u32, outer: u32) -> Option<Arm> {
        let mut at = inner;
        while let Some((parent, arm)) = self.get(at) {
            if parent == outer {
                return Some(arm);
            }
            at = parent;
        }
        None
    }

    /// Returns the arms in which two texts differ, from the outermost one, or `None` if wherever one of them is written
    /// the other may be, too: they are in the same arm, or one is in an arm within the other's.
    pub fn apart(&self, one: u32, other: u32) -> Option<(Arm, Arm)> {
        let way = |mark: u32| {
            let mut way: Vec<Arm> = Vec::new();
            let mut at = mark;
            while let Some((parent, arm)) = self.get(at) {
                way.push(arm);
                at = parent;
            }
            way.reverse();
            way
        };
        std::iter::zip(way(one), way(other)).find(|(one, other)| one != other)
    }
}

/// An arm with relevant text, and what leads to it.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The condition that it needs.
    pub condition: Option<Condition>,
    /// The arms around it, from the innermost one, with the conditions that they need.
    pub around: Vec<(Arm, Option<Condition>)>,
}

/// Which arms to write.
#[derive(Debug, Default)]
pub struct Plan {
    /// Arms that were written before. Others are preferred.
    pub covered: BTreeSet<Arm>,
    /// Arms that are not written this time.
    pub excluded: BTreeSet<Arm>,
    /// What to assume from the start.
    pub assumed: Assumed,
    /// The arms to write of some blocks.
    preferred: HashMap<u64, u32>,
}

impl Plan {
    /// Plans a variant that contains as many new arms of `wanted` as possible.
    pub fn new(covered: &BTreeSet<Arm>, wanted: &BTreeMap<Arm, Wanted>) -> Plan {
        let mut plan = Plan {
            covered: covered.clone(),
            ..Plan::default()
        };
        for (arm, wanted) in wanted.iter().filter(|(arm, _)| !covered.contains(arm)) {
            let own = (*arm, wanted.condition);
            for (arm, condition) in wanted.around.iter().copied().chain([own]) {
                plan.preferred.entry(arm.block).or_insert(arm.index);
                if let Some(condition) = condition {
                    plan.assumed.assume(condition, true);
                }
            }
        }
        plan
    }

    /// Plans a variant without some arms.
    pub fn without(excluded: BTreeSet<Arm>) -> Plan {
        Plan {
            excluded,
            ..Plan::default()
        }
    }

    /// Chooses an arm of a block with so many arms, or `None` if all of them are excluded. `usual` is the arm to write if
    /// there is no reason for another one.
    pub fn choose(&self, block: u64, arms: u32, usual: usize) -> Option<u32> {
        let is_in = |set: &BTreeSet<Arm>, index: u32| set.contains(&Arm { block, index });
        let allowed = |index: &u32| !is_in(&self.excluded, *index);
        let preferred = self.preferred.get(&block).copied().filter(allowed);
        let usual = u32::try_from(usual).ok().filter(|index| *index < arms);
        let all = || usual.into_iter().chain(0..arms);
        let new = || all().find(|index| allowed(index) && !is_in(&self.covered, *index));
        preferred.or_else(new).or_else(|| all().find(allowed))
    }
}
