//! The order of files and documents changes no delivery, and neither do files that have nothing to do with it.

use super::generate::Generator;
use super::{Delivered, Files, delivered, is_manifest, manifest, own_graph};

const CASES: usize = 120;

fn samples() -> impl Iterator<Item = Files> {
    let mut generator = Generator::new(7);
    let questions = (0..).map(move |number| generator.question(number % 2 == 0));
    let files = questions.map(|one| one.files);
    files.filter(|files| !files.is_empty()).take(CASES)
}

#[test]
fn the_order_of_files_changes_no_delivery() {
    let mut delivering = 0;
    for files in samples() {
        let (expected, _) = delivered(&files);
        delivering += usize::from(!expected.is_empty());
        let backwards = own_graph(files.iter().rev());
        let mut found = Delivered::new();
        for (path, clusters) in &backwards.of_file {
            if is_manifest(&files, path) {
                for cluster in clusters {
                    let name = backwards.clusters[*cluster].name.clone();
                    found.entry(name).or_default().insert(path.clone());
                }
            }
        }
        assert_eq!(found, expected, "{files:?}");
    }
    assert!(delivering > CASES / 3, "{delivering}");
}

#[test]
fn the_order_of_documents_changes_no_delivery() {
    for files in samples() {
        let secrets: Vec<&String> = files
            .iter()
            .filter(|(path, _)| path.starts_with("secrets/"))
            .map(|(_, text)| text)
            .collect();
        let with = |secrets: Vec<&str>| {
            let mut files = files.clone();
            files.retain(|path, _| !path.starts_with("secrets/"));
            files.insert("secrets/all.yaml".to_owned(), secrets.join("---\n"));
            delivered(&files)
        };
        let texts: Vec<&str> = secrets.iter().map(|text| text.as_str()).collect();
        let backwards: Vec<&str> = texts.iter().rev().copied().collect();
        assert_eq!(with(texts), with(backwards), "{files:?}");
    }
}

#[test]
fn unrelated_files_change_no_delivery() {
    for files in samples() {
        let expected = delivered(&files);
        let mut more = files.clone();
        more.insert("README.md".to_owned(), "# Read me\n".to_owned());
        let left_out = ".github/labels.yml";
        more.insert(left_out.to_owned(), manifest(left_out));
        more.insert("apps/notes.md".to_owned(), "apps/web\n".to_owned());
        assert_eq!(delivered(&more), expected, "{files:?}");
    }
}
