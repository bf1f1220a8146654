//! The headings under which the help of commands groups options.

pub(super) const CHANGES: &str = "Changes, in the order in which they are applied";
pub(super) const INPUT: &str = "Input";
pub(super) const RULES: &str = "Rules";
pub(super) const OUTPUT: &str = "Output";
pub(super) const FIXES: &str = "Fixes";
pub(super) const SUPPRESSED: &str = "Suppressions and baseline";
