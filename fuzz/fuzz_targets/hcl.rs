//! Terraform's language: mistakes, heredocs and quoted parts have places in the text, and every configuration is evaluated to
//! the end within its budget.

#![no_main]

use std::collections::BTreeSet;
use std::sync::Arc;

use kubetaint::source::SourceId;
use kubetaint::terraform::{self, Repository};
use kubetaint_fuzz::{each_node, files, inside, prepare};
use libfuzzer_sys::fuzz_target;

/// The environments that a path names.
fn environments(path: &str) -> BTreeSet<&'static str> {
    let names = path.split('/').filter(|name| *name == "prod");
    names.map(|_| "prod").collect()
}

fuzz_target!(init: prepare(), |input: &str| {
    let files = files(input, "main.tf");
    let mut read = Vec::new();
    for ((path, text), number) in files.iter().zip(1..) {
        let (file, errors) = terraform::parse(path, text, SourceId(number), &|_| true);
        for error in &errors {
            let (start, end) = error.at;
            inside(text, start as usize..end as usize);
        }
        read.push((path.clone(), Arc::new(file)));
        if path.ends_with(".json") {
            continue;
        }
        for heredoc in terraform::heredocs(text) {
            inside(text, heredoc.whole);
            inside(text, heredoc.lines);
        }
        let mut end = 0;
        for quoted in terraform::quoted(text) {
            assert!(end <= quoted.start, "quoted parts overlap");
            end = quoted.end;
            inside(text, quoted);
        }
        if let Some(kept) = terraform::text_beside_comments(text.as_bytes()) {
            assert_eq!(kept, *text);
        }
        // Values that are written as literals, and templates of files.
        let _ = terraform::literals(text);
        let _ = terraform::literal_of_template(text);
        if let Ok(pieces) = terraform::template::pieces(text) {
            drop(pieces);
        }
    }
    let repository = Repository::new(read, &BTreeSet::new(), environments);
    for top in repository.tops() {
        for values in [None].into_iter().chain(top.variants().iter().map(Some)) {
            let evaluated = repository.evaluate(top, values, None, terraform::BUDGET);
            for declared in &evaluated.declared {
                let mut nodes = 0_usize;
                each_node(&declared.tree, &mut |node| {
                    nodes += usize::from(!node.span().range().is_empty());
                });
            }
        }
    }
});
