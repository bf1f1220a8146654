//! What the program carries, which is prepared when it is built, says what the files say.

use kubetaint::builtin;
use kubetaint::charts::ChartFile;
use kubetaint::extract::rows::Provider;
use kubetaint::rule::schema::RuleFile;
use kubetaint::source::{Source, SourceId};
use kubetaint::yaml;

/// A value without the places in it.
fn without_places(value: &impl std::fmt::Debug, places: &regex::Regex) -> String {
    let shown = format!("{value:?}");
    places.replace_all(&shown, "Span").into_owned()
}

#[test]
fn what_the_program_carries_says_what_the_files_say() {
    let places = regex::Regex::new(r"Span \{[^}]*\}").unwrap();
    fn of_yaml<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> T {
        let read = yaml::read(&Source::new(file, text), SourceId(0), file);
        assert_eq!(read.errors, [], "{file}");
        read.value.expect("a file with content")
    }
    fn of_json<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> T {
        let read = yaml::read_json(text, SourceId(0), file);
        assert_eq!(read.errors, [], "{file}");
        read.value.expect("a file with content")
    }
    for ((file, text), carried) in builtin::RULES.iter().zip(builtin::CARRIED_RULES) {
        assert_eq!(*file, carried.file);
        let written: RuleFile = of_yaml(file, text);
        let mut read: RuleFile = of_json(file, carried.rule);
        assert!(read.examples.is_empty());
        read.examples = of_json(file, carried.examples);
        assert_eq!(
            without_places(&read, &places),
            without_places(&written, &places),
            "{file}"
        );
        let order = |rule: &RuleFile| {
            let mut names: Vec<_> = rule.names.iter().collect();
            names.sort_by_key(|(_, text)| text.span.start);
            let names = names.into_iter();
            names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order(&read), order(&written), "{file}");
    }
    let carried = builtin::CARRIED_PROVIDERS.iter();
    for ((file, text), (name, json)) in builtin::PROVIDERS.iter().zip(carried) {
        assert_eq!(file, name);
        let (read, written): (Provider, Provider) = (of_json(file, json), of_yaml(file, text));
        assert_eq!(
            without_places(&read, &places),
            without_places(&written, &places),
            "{file}"
        );
    }
    for ((file, text), (name, json)) in builtin::CHARTS.iter().zip(builtin::CARRIED_CHARTS) {
        assert_eq!(file, name);
        let read: ChartFile = serde_json::from_str(json).expect("a table of a chart");
        let written: ChartFile = serde_yaml::from_str(text).expect("a table of a chart");
        assert_eq!(format!("{read:?}"), format!("{written:?}"), "{file}");
    }
}
