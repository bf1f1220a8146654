//! The pages in `docs/rules` match the rules. `KUBETAINT_PAGES=write cargo test --test it pages` regenerates them, which is
//! required after any change of a built-in rule. `.ci/run` rejects stale pages.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::builtin::RULES;
use kubetaint::explain;

/// The expected contents of the folder, by name.
fn pages() -> BTreeMap<String, String> {
    let mut pages: BTreeMap<String, String> = RULES
        .iter()
        .map(|rule| (format!("{}.md", rule.id), explain::page(rule)))
        .collect();
    pages.insert("README.md".to_owned(), explain::table(&RULES));
    pages
}

#[test]
fn every_rule_has_its_page_and_the_page_is_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let due = pages();
    if std::env::var_os("KUBETAINT_PAGES").is_some_and(|value| value == "write") {
        fs::create_dir_all(&folder).expect("the folder can be made");
        for (name, text) in &due {
            fs::write(folder.join(name), text).expect("a page can be written");
        }
    }
    let mut wrong: Vec<String> = due
        .iter()
        .filter(|(name, text)| fs::read_to_string(folder.join(name)).ok().as_ref() != Some(*text))
        .map(|(name, _)| format!("docs/rules/{name} is not what its rule says"))
        .collect();
    for entry in fs::read_dir(&folder).expect("docs/rules is there") {
        let name = entry.expect("the folder can be read").file_name();
        let name = name.to_string_lossy().into_owned();
        if !due.contains_key(&name) {
            wrong.push(format!("docs/rules/{name} belongs to no rule; remove it"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n\nKUBETAINT_PAGES=write cargo test --test it pages\n\nwrites the pages anew",
        wrong.join("\n")
    );
}
