//! YAML: every place of a parsed text lies in it, and a document that is told to be valid without being parsed is.

#![no_main]

use kubetaint::extract::{extract, extract_all};
use kubetaint::source::{Source, SourceId};
use kubetaint::yaml;
use kubetaint_fuzz::{TABLE, inside, places, prepare};
use libfuzzer_sys::fuzz_target;

const ID: SourceId = SourceId(1);

fuzz_target!(init: prepare(), |text: &str| {
    let stream = yaml::parse(text, ID);
    places(text, &stream);
    let Some(parts) = yaml::split(text) else {
        return;
    };
    let mut end = 0;
    let mut is_outlined = false;
    for part in parts {
        assert_eq!(part.start, end, "the parts are not the whole text");
        end = part.end;
        inside(text, part.clone());
        let part = &text[part];
        if yaml::outline(part).is_some() {
            is_outlined = true;
            let stream = yaml::parse(part, ID);
            assert!(stream.errors.is_empty(), "{:?}", stream.errors);
            let held = stream.documents.iter().filter(|one| !one.is_empty());
            assert_eq!(held.count(), 1);
        }
    }
    assert_eq!(end, text.len(), "the parts are not the whole text");
    if is_outlined {
        let source = Source::new("a.yaml", text);
        let (short, whole) = (extract(&source, ID, &TABLE), extract_all(&source, ID, &TABLE));
        assert_eq!(format!("{short:?}"), format!("{whole:?}"));
    }
});
