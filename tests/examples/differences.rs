//! In how many facts two examples differ: a value, a field or an entry that is other, more or gone.

use kubetaint::rule::Example;
use kubetaint::source::SourceId;
use kubetaint::verify;
use kubetaint::yaml::{self, Kind, Node};

/// In how many facts two examples differ. A field or entry that only one has is one fact, with all that is in it.
pub fn between(one: &Example, other: &Example) -> usize {
    in_files(&one.before, &other.before) + in_files(&one.files, &other.files)
}

fn in_files(one: &[(String, String)], other: &[(String, String)]) -> usize {
    let text = |files: &[(String, String)], path: &str| {
        let found = files.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| verify::without_marks(text))
    };
    let mut paths: Vec<&str> = [one, other]
        .iter()
        .flat_map(|files| files.iter().map(|(path, _)| path.as_str()))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| match (text(one, path), text(other, path)) {
            (Some(one), Some(other)) => between_texts(&one, &other),
            _ => 1,
        })
        .sum()
}

fn between_texts(one: &str, other: &str) -> usize {
    if one == other {
        return 0;
    }
    let (first, second) = (
        yaml::parse(one, SourceId(0)),
        yaml::parse(other, SourceId(0)),
    );
    if !first.errors.is_empty() || !second.errors.is_empty() {
        return between_lines(one, other);
    }
    let roots = |stream: &'_ yaml::Stream| -> Vec<usize> { (0..stream.documents.len()).collect() };
    let found = between_lists(&roots(&first), &roots(&second), &|a, b| {
        between_nodes(first.documents[*a].root(), second.documents[*b].root())
    });
    // What is not in the trees is in comments.
    found.max(1)
}

/// Lines at which two texts differ between what they begin and end with alike.
fn between_lines(one: &str, other: &str) -> usize {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    between_lists(&one, &other, &|a, b| usize::from(a != b))
}

fn between_nodes(one: Node<'_>, other: Node<'_>) -> usize {
    match (one.kind(), other.kind()) {
        (Kind::Mapping, Kind::Mapping) => {
            let (ours, theirs) = (one.fields(), other.fields());
            let missing = theirs
                .iter()
                .filter(|field| ours.iter().all(|own| own.name() != field.name()))
                .count();
            let mut gone = 0;
            let mut changed = 0;
            for field in &ours {
                match theirs.iter().find(|their| their.name() == field.name()) {
                    Some(their) => changed += between_nodes(field.value, their.value),
                    None => gone += 1,
                }
            }
            // A field that has another name instead is one fact.
            changed + gone.max(missing)
        }
        (Kind::Sequence, Kind::Sequence) => {
            let (ours, theirs): (Vec<_>, Vec<_>) = (one.items().collect(), other.items().collect());
            between_lists(&ours, &theirs, &|a, b| between_nodes(*a, *b))
        }
        (Kind::Scalar, Kind::Scalar) => {
            usize::from((one.raw(), one.style()) != (other.raw(), other.style()))
        }
        _ => 1,
    }
}

/// The fewest changes that make one list the other: an entry more or less is one.
fn between_lists<T>(one: &[T], other: &[T], distance: &dyn Fn(&T, &T) -> usize) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, first) in one.iter().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, second) in other.iter().enumerate() {
            let changed = before + distance(first, second);
            before = row[to + 1];
            row[to + 1] = changed.min(before + 1).min(row[to] + 1);
        }
    }
    row[other.len()]
}
