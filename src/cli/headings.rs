//! The headings under which `check --help` groups its options.

pub(super) const INPUT: &str = "Input";
pub(super) const RULES: &str = "Rules";
pub(super) const OUTPUT: &str = "Output";
pub(super) const FIXES: &str = "Fixes";
pub(super) const SUPPRESSED: &str = "Suppressions and baseline";
