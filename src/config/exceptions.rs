//! The exceptions of a rule. Those that name one path or one object are looked up, so that many of them cost little.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::Except;
use super::patterns::Pattern;

/// The exceptions of a rule, in source order.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    all: Vec<Except>,
    index: OnceLock<Index>,
}

/// Exceptions by the texts that they match exactly.
#[derive(Clone, Debug, Default)]
struct Index {
    by_path: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl Index {
    fn of(exceptions: &[Except]) -> Index {
        let mut index = Index::default();
        for (at, except) in exceptions.iter().enumerate() {
            let literal =
                |pattern: &Option<Pattern>| pattern.as_ref()?.literal().map(str::to_owned);
            let list = match (literal(&except.path), literal(&except.name)) {
                (Some(path), _) => index.by_path.entry(path).or_default(),
                (None, Some(name)) => index.by_name.entry(name).or_default(),
                (None, None) => &mut index.others,
            };
            list.push(at);
        }
        index
    }
}

impl Exceptions {
    /// The indices of the exceptions that cover an object, in order.
    pub fn covering(
        &self,
        kind: Option<&str>,
        namespace: Option<&str>,
        name: Option<&str>,
        path: &str,
    ) -> Vec<usize> {
        let index = self.index.get_or_init(|| Index::of(&self.all));
        let named = name.and_then(|name| index.by_name.get(name));
        let lists = [index.by_path.get(path), named, Some(&index.others)];
        let covers = |at: &usize| {
            let except = self.all.get(*at);
            except.is_some_and(|except| except.covers(kind, namespace, name, path))
        };
        let lists = lists.into_iter().flatten().flatten();
        let mut found: Vec<usize> = lists.copied().filter(covers).collect();
        found.sort_unstable();
        found
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The exceptions in source order.
    pub fn iter(&self) -> impl Iterator<Item = &Except> {
        self.all.iter()
    }
}

impl FromIterator<Except> for Exceptions {
    fn from_iter<I: IntoIterator<Item = Except>>(exceptions: I) -> Self {
        Exceptions {
            all: exceptions.into_iter().collect(),
            index: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceId, Span};

    #[test]
    fn exceptions_that_are_looked_up_are_those_that_cover() {
        let span = Span::new(SourceId(0), 0..0);
        let path = |text: &str| Pattern::over_paths(text, span).ok();
        let name = |text: &str| Pattern::over_names(text, span).ok();
        let (paths, names) = (
            [
                "", "a.yaml", "./a.yaml", "apps/", "*.yaml", "a\\.yaml", "[a].yaml",
            ],
            ["", "web", "we*", "{web,db}"],
        );
        let all: Exceptions = paths
            .iter()
            .flat_map(|one| names.iter().map(move |other| (one, other)))
            .map(|(one, other)| Except {
                path: path(one),
                name: name(other),
                ..Except::default()
            })
            .collect();
        let mut found = 0;
        for path in ["a.yaml", "apps/a.yaml", "b.yaml", "apps"] {
            for name in [None, Some("web"), Some("db"), Some("we*")] {
                let covering = all.covering(None, None, name, path);
                let each = all.iter().enumerate();
                let each = each.filter(|(_, one)| one.covers(None, None, name, path));
                let each: Vec<usize> = each.map(|(at, _)| at).collect();
                assert_eq!(covering, each, "{path} {name:?}");
                found += each.len();
            }
        }
        assert!(found > 50, "{found}");
    }
}
