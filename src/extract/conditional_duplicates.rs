//! Keys that a template writes twice under a condition: which values decide it, and whether given ones do.

use crate::charts::{Step, ValuePath};
use crate::model::notice::{Notice, NoticeKind};
use crate::source::SourceId;
use crate::template::{Given, Test, Variant};
use crate::yaml;

use super::is_placeholder;

/// Adds the condition under which a template writes both keys. The places of the notice are those in the text of the variant.
pub(super) fn add_condition(notice: &mut Notice, variant: &Variant) {
    let NoticeKind::DuplicateYamlKey {
        condition, tests, ..
    } = &mut notice.kind
    else {
        return;
    };
    let Some(first) = notice.related.first() else {
        return;
    };
    let (first, later) = (first.span.start as usize, notice.span.start as usize);
    let mut all = variant.tests_at(later, Some(first));
    all.extend(variant.tests_at(first, Some(later)));
    if all.is_empty() {
        return;
    }
    let known: Vec<(String, bool)> = all.iter().filter_map(|test| path_of(test)).collect();
    let words = known.iter().map(|(path, holds)| match holds {
        true => format!("`{path}` is set"),
        false => format!("`{path}` is not set"),
    });
    let other = match known.is_empty() {
        true => "a condition of the template holds",
        false => "another condition holds",
    };
    let other = (known.len() < all.len()).then(|| other.to_owned());
    *condition = words.chain(other).collect::<Vec<_>>().join(" and ");
    // What is not known cannot be met.
    let whole = known.iter().filter(|_| known.len() == all.len());
    let lines = whole.map(|(path, holds)| match holds {
        true => path.clone(),
        false => format!("!{path}"),
    });
    *tests = lines.collect::<Vec<_>>().join("\n");
}

/// The path of the value that a condition tests, and whether that must be set.
fn path_of(test: &Test) -> Option<(String, bool)> {
    let steps = test.value.as_ref().filter(|steps| !steps.is_empty())?;
    let is_single = |step: &Step| matches!(step, Step::Key(_));
    let path = || ValuePath::from_steps(steps.clone()).to_string();
    steps.iter().all(is_single).then(|| (path(), test.holds))
}

/// Whether the values of a chart meet all of these conditions. The text is that of its file of values.
pub fn is_met(tests: &str, text: &str, id: SourceId) -> bool {
    let stream = yaml::parse(text, id);
    if !stream.errors.is_empty() {
        return false;
    }
    let documents = stream.documents.iter().filter(|one| !one.is_empty());
    let given = Given {
        layers: documents.map(yaml::Document::root).collect(),
        globals: Vec::new(),
        is_open: is_placeholder,
    };
    tests.lines().all(|test| {
        let (path, wanted) = match test.strip_prefix('!') {
            Some(path) => (path, false),
            None => (test, true),
        };
        let is_set = given.truth(ValuePath::from(path.to_owned()).steps());
        is_set == Some(wanted)
    })
}
