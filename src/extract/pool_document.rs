//! The document that a pool is read from: resolves the paths of a row in it, and evaluates its conditions.

use super::notation::{Anchored, OneOrMany};
use super::pool_rows::{Implied, PoolRow, Values};
use super::read::{is_filled_in, is_placeholder, is_template_action, read_text};
use crate::finding::Object;
use crate::model::{Field, Truth};
use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};
use crate::yaml::{Found, Node, Path};

/// All that is needed to read the pools of a document.
pub struct PoolDocument<'a> {
    /// Root of the object.
    pub root: Node<'a>,
    /// Its identity.
    pub object: &'a Object,
    /// The file's text, for places inside block strings.
    pub text: &'a str,
    /// The file.
    pub source: SourceId,
    /// The file's path.
    pub file: &'a str,
    /// Field path of the object inside its document (`items[3]` in a List).
    pub base: &'a str,
    /// The same tree with `true` where a plan does not know the value yet.
    pub after_unknown: Option<Node<'a>>,
}

impl<'a> PoolDocument<'a> {
    /// Returns what a path leads to, from the element or from the root.
    pub(super) fn find(
        &self,
        element: Node<'a>,
        path: &Anchored,
        element_path: &str,
    ) -> Vec<Found<'a>> {
        let (from, base) = if path.from_root {
            (self.root, self.base)
        } else {
            (element, element_path)
        };
        let mut found = path.path.find(from);
        for one in &mut found {
            one.path = join_paths(base, &one.path);
        }
        found
    }

    /// The first text at a path and its place, or `None` if it is absent or unknown.
    pub(super) fn first_text(&self, element: Node<'a>, path: &Anchored) -> Option<(String, Span)> {
        let found = self.find(element, path, "");
        let one = found.first()?;
        match read_text(Some(one.node)) {
            Field::Is(text) => Some((
                text,
                one.field.map_or(one.node.span(), |field| field.span()),
            )),
            Field::Absent | Field::Unknown => None,
        }
    }
}

/// The reason why a pool is unknown if a template fills in its fields.
pub(super) const TEMPLATE: &str = "a template fills in what stands there";

/// Returns the reason why the value at a path is unknown, or `None` if it is known.
pub(super) fn open_at<'a>(
    document: &PoolDocument<'a>,
    element: Node<'a>,
    path: &Anchored,
) -> Option<&'a str> {
    let from = if path.from_root {
        document.root
    } else {
        element
    };
    open_below(from, &path.path)
}

/// Like [`open_at`], but starts from a node.
pub(super) fn open_below<'a>(from: Node<'a>, path: &Path) -> Option<&'a str> {
    let open = path.find_open(from);
    if open.is_some() || from.is_assembled() {
        return open;
    }
    let ends = path.find_ends(from);
    ends.into_iter().any(is_filled_in).then_some(TEMPLATE)
}

pub(super) fn join_paths(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) if path.starts_with('[') => format!("{base}{path}"),
        (false, false) => format!("{base}.{path}"),
    }
}

/// The conditions of a row for an element.
#[derive(Clone, Copy)]
pub(super) struct Condition<'r> {
    /// Values that the element must have.
    pub matches: &'r Values,
    /// Values that it must not have.
    pub unless: &'r Values,
    /// Fields that it must have.
    pub written: &'r [Anchored],
    /// Fields that it must not have.
    pub absent: &'r [Anchored],
}

impl<'r> Condition<'r> {
    pub(super) fn of_row(row: &'r PoolRow) -> Self {
        Condition {
            matches: &row.matches,
            unless: &row.unless,
            written: &row.match_written,
            absent: &row.match_absent,
        }
    }

    pub(super) fn of_implied(implied: &'r Implied) -> Self {
        Condition {
            matches: &implied.matches,
            unless: &implied.unless,
            written: &implied.match_written,
            absent: &implied.match_absent,
        }
    }

    /// Whether an element meets the conditions. `Unknown` if a placeholder decides.
    pub(super) fn holds<'a>(&self, document: &PoolDocument<'a>, element: Node<'a>) -> Truth {
        let any = |path: &Anchored, test: &dyn Fn(Node<'_>) -> Truth| {
            let found = document.find(element, path, "");
            let open = match open_at(document, element, path) {
                Some(_) => Truth::Unknown,
                None => Truth::No,
            };
            Truth::any(found.iter().map(|found| test(found.node))).or(open)
        };
        let has = |(path, values): (&Anchored, &OneOrMany<String>)| {
            any(path, &|node| has_value(node, values.as_slice()))
        };
        let written = |path: &Anchored| any(path, &|node| (!node.is_null()).into());
        Truth::all(self.matches.iter().map(has))
            .and(!Truth::any(self.unless.iter().map(has)))
            .and(Truth::all(self.written.iter().map(written)))
            .and(!Truth::any(self.absent.iter().map(written)))
    }
}

impl Condition<'_> {
    /// The reason from the first unknown value that leaves the conditions undecided.
    pub(super) fn why_open<'a>(
        &self,
        document: &PoolDocument<'a>,
        element: Node<'a>,
    ) -> Option<&'a str> {
        let fields = self.written.iter().chain(self.absent);
        let paths = self.matches.keys().chain(self.unless.keys()).chain(fields);
        paths.into_iter().find_map(|path| {
            let found = document.find(element, path, "");
            open_at(document, element, path)
                .or_else(|| found.iter().find_map(|one| one.node.first_unknown()))
        })
    }
}

fn has_value(node: Node<'_>, values: &[String]) -> Truth {
    let Some(text) = node.raw() else {
        return if is_template_action(node) {
            Truth::Unknown
        } else {
            Truth::No
        };
    };
    // An evaluated configuration has no gaps except values that are marked as unknown.
    let is_open = match node.is_assembled() {
        true => node.unknown_because().is_some(),
        false => node.has_local_tag() || is_placeholder(text),
    };
    if is_open {
        return Truth::Unknown;
    }
    let is_it = |wanted: &String| match node.as_bool() {
        Some(value) => *wanted == value.to_string(),
        None => fits(wanted, text),
    };
    values.iter().any(is_it).into()
}

/// Whether a text matches a pattern in which each `*` matches anything.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, mut pattern)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    while let Some((part, rest)) = pattern.split_once('*') {
        let Some(at) = text.find(part) else {
            return false;
        };
        (text, pattern) = (text.since(at + part.len()), rest);
    }
    text.ends_with(pattern)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in [
            ("Windows*", "WindowsServer2022"),
            ("*rke2*", "v1.31.2+rke2r1"),
            ("a*c", "abc"),
            ("a*", "a"),
            ("x", "x"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("a*c", "abcd"),
            ("x", "xy"),
            ("aa*aa", "aaa"),
            ("*k*", "v1"),
        ] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
