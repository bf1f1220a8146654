//! Templates: in each language that a text may be written in, it is read or refused at a place in it, and what it prints has
//! places in the files that it comes from.

#![no_main]

use kubetaint::source::SourceId;
use kubetaint::template::{Language, Template, Templates, Wishes, names_after};
use kubetaint_fuzz::{files, inside, places, prepare};
use libfuzzer_sys::fuzz_target;

/// Words of the blocks that are read for their own sake.
const WORDS: [&str; 6] = [
    "tolerations",
    "taints",
    "nodeSelector",
    "affinity",
    "key",
    "effect",
];

fuzz_target!(init: prepare(), |input: &str| {
    let files = files(input, "templates/a.yaml");
    let ids = || (1..).map(SourceId);
    let parsed = |language: Language| {
        let read = files.iter().zip(ids()).map(move |((_, text), id)| {
            let template = Template::parse(text, language);
            if let Err(broken) = &template {
                assert!(broken.at <= text.len() && !broken.message.is_empty());
            }
            (id, text, template)
        });
        read.collect::<Vec<_>>()
    };
    for (path, text) in &files {
        for language in Language::of(path, text) {
            let all = parsed(language);
            let others = parsed(language).into_iter();
            let others: Templates = others
                .filter_map(|(id, _, template)| Some((id, template.ok()?)))
                .collect();
            for (id, text, template) in &all {
                let Ok(template) = template else { continue };
                for printed in template.misprinted(&WORDS) {
                    inside(text, printed.at);
                }
                template.defines(&WORDS);
                let wishes = Wishes { words: &WORDS, oldest_release: 25 };
                for variant in template.variants(*id, &others, wishes).all {
                    let written = variant.text.text();
                    for error in &variant.stream.errors {
                        assert!(!error.message.is_empty());
                    }
                    let (mut at, mut lines) = (0, written.split_inclusive('\n'));
                    while let Some(line) = lines.next() {
                        let range = at..at + line.len();
                        at = range.end;
                        let Some(span) = variant.text.place(range.clone()) else { continue };
                        let file = all.iter().find(|(id, ..)| *id == span.source);
                        let (_, text, _) = file.expect("a place is in one of the files");
                        inside(text, span.range());
                        variant.is_unknown_at(range.start);
                        variant.flow_at(range.start);
                        variant.tests_at(range.start, None);
                    }
                }
            }
        }
        for word in ["include", "define", "template"] {
            names_after(text, word).for_each(drop);
        }
    }
    // What is written without a template is read as it stands.
    if let [(_, text)] = files.as_slice()
        && !text.contains(['{', '$', '%'])
        && let Ok(template) = Template::parse(text, Language::Go)
    {
        let wishes = Wishes { words: &WORDS, oldest_release: 25 };
        let variants = template.variants(SourceId(1), Templates::none(), wishes);
        for variant in variants.all {
            places(variant.text.text(), &variant.stream);
        }
    }
});
