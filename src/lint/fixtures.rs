//! Files that are broken on purpose, as input of tests: what is wrong with them is worth a note at most.

use crate::model::broken_on_purpose::is_broken_on_purpose;
use crate::model::workload::Notice;

/// Notices that tests of parsers and validators ask for.
const WANTED_IN_TESTS: [&str; 5] = [
    "unparsable-manifest",
    "unparsable-configuration",
    "duplicate-yaml-key",
    "too-large",
    "not-utf8",
];

/// What rules see of such a notice as `written`.
const FIXTURE: &str = "fixture";

/// Notes of what is broken whether its path says that this is on purpose. Paths are those below the scanned folder, by source.
pub fn note(notices: &mut [Notice], paths: &[String]) {
    for notice in notices {
        let path = paths.get(notice.span.source.0 as usize);
        let is_fixture = path.is_some_and(|path| is_broken_on_purpose(path));
        if is_fixture && WANTED_IN_TESTS.contains(&notice.kind) {
            FIXTURE.clone_into(&mut notice.written);
        }
    }
}
