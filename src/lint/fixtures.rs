//! Files that are broken on purpose, as input of tests: what is wrong with them is worth a note at most.

use crate::model::broken_on_purpose::is_broken_on_purpose;
use crate::model::workload::Oddity;

/// Oddities that tests of parsers and validators ask for.
const WANTED_IN_TESTS: [&str; 5] = [
    "unparsable-manifest",
    "unparsable-configuration",
    "duplicate-yaml-key",
    "too-large",
    "not-utf8",
];

/// What rules see of such an oddity as `written`.
const FIXTURE: &str = "fixture";

/// Notes of what is broken whether its path says that this is on purpose. Paths are those below the scanned folder, by source.
pub fn note(oddities: &mut [Oddity], paths: &[String]) {
    for oddity in oddities {
        let path = paths.get(oddity.span.source.0 as usize);
        let is_fixture = path.is_some_and(|path| is_broken_on_purpose(path));
        if is_fixture && WANTED_IN_TESTS.contains(&oddity.kind) {
            FIXTURE.clone_into(&mut oddity.written);
        }
    }
}
