//! Inventories and dumps of Nodes: one is read or refused, what is read is written so that it reads the same, and workloads
//! are judged by it.

#![no_main]

use kubetaint::inventory::{self, Inventory};
use kubetaint::source::SourceId;
use kubetaint::yaml;
use kubetaint_fuzz::{inside, prepare, report, report_places};
use libfuzzer_sys::fuzz_target;

const CONFIGURATION: &str = "clusters: {prod: {paths: ['*.yaml'], inventory: [inventory.yaml]}}\n";

const ID: SourceId = SourceId(1);

/// The only inventory of a text. It must be one.
fn again(text: &str) -> Inventory {
    let stream = yaml::parse(text, ID);
    assert!(stream.errors.is_empty(), "{:?}\n{text}", stream.errors);
    let read = stream
        .documents
        .first()
        .and_then(|one| inventory::read(one.root(), ID));
    match read {
        Some(Ok(read)) => read.inventory,
        other => panic!("{other:?}\n{text}"),
    }
}

fuzz_target!(init: prepare(), |text: &str| {
    let stream = yaml::parse(text, ID);
    for document in &stream.documents {
        match inventory::read(document.root(), ID) {
            None => {}
            Some(Err(errors)) => {
                assert!(!errors.is_empty(), "refused without a reason");
                errors.iter().for_each(|error| inside(text, error.span.range()));
            }
            Some(Ok(read)) => {
                let written = read.inventory.to_yaml().expect("an inventory is written");
                assert_eq!(again(&written), read.inventory, "{written}");
                let written = read.inventory.to_json().expect("an inventory is written");
                assert_eq!(again(&written), read.inventory, "{written}");
            }
        }
    }
    let files = [
        (".kubetaint.yaml", CONFIGURATION),
        ("inventory.yaml", text),
        ("web.yaml", include_str!("../samples/workloads.yaml")),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    if let Some(report) = report(&files) {
        report_places(&report);
    }
});
