//! Catches panics: a bug in kubetaint aborts the reading, judging or fixing of one item, never the run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::finding::Problem;

/// Runs `work` and returns its result, or the panic message if it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Any half-finished state is dropped together with `work`.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "no reason given".to_owned())
    })
}

/// The problem for a file that could not be `done`.
pub fn bug(file: &str, done: &str, why: &str) -> Problem {
    Problem {
        file: Some(file.to_owned()),
        position: None,
        message: bug_text(done, why),
    }
}

/// The problem text for anything that has no file.
pub fn bug_text(done: &str, why: &str) -> String {
    format!(
        "not {done} because of a bug in kubetaint ({why}); please report it with this file: {}/issues",
        env!("CARGO_PKG_REPOSITORY")
    )
}

#[cfg(test)]
mod tests {
    use crate::builtin;
    use crate::config::Config;
    use crate::extract::Table;
    use crate::lint::{Content, Input, Settings, Suppressions, lint};
    use crate::rule::RuleSet;
    use crate::source::Source;

    #[test]
    fn a_panic_over_one_file_is_a_problem_and_all_other_findings_stand() {
        let files = builtin::RULES.iter();
        let files: Vec<Source> = files
            .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
            .collect();
        let rules = RuleSet::load(&files).unwrap();
        let table = Table::load(builtin::PROVIDERS.iter().copied()).unwrap();
        let config = Config::default();
        let settings = Settings {
            rules: &rules,
            table: &table,
            config: &config,
            whole: true,
            suppressions: Suppressions::Off,
            rendered: None,
            cache: None,
        };
        let input = |path: &str| Input {
            path: path.into(),
            scanned_from: 0,
        };
        let inputs = [input("a.yaml"), input("b.yaml"), input("c.yaml")];
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {tolerations: [{operator: Exist}]}\n";
        let load = |index: usize| {
            assert!(index != 1, "the second file");
            Content::Text(pod.to_owned())
        };
        let report = lint(&inputs, &load, settings);
        assert_eq!(report.problems.len(), 1);
        let problem = report.problems[0].to_string();
        assert!(
            problem.starts_with(
                "b.yaml: not read because of a bug in kubetaint (the second file); please report it"
            ),
            "{problem}"
        );
        let found = |path: &str| {
            let mut sources = report.findings.iter().map(|one| one.span.source);
            sources.any(|id| report.sources[&id].path == path)
        };
        assert!(found("a.yaml") && found("c.yaml"));
    }
}
