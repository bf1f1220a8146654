//! The documents of rendered manifests, and the comments in which helm names their templates.

use std::ops::Range;

use memchr::memmem;

/// The beginning of the line in which helm names the template of a document.
pub const COMMENT: &str = "# Source: ";

/// One document of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'t> {
    /// Its bytes, without the line that separates it from the document before.
    pub range: Range<usize>,
    /// The template that it names: the name of the chart and the path in it.
    pub template: Option<&'t str>,
}

/// Splits a text into its documents.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let mut all = Vec::new();
    let (mut from, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.strip_prefix("---").is_some_and(is_separator_end) {
            all.push(section(text, from..at));
            from = at + line.len();
        }
        at += line.len();
    }
    all.push(section(text, from..text.len()));
    all.retain(|section| !section.range.is_empty());
    all
}

/// Returns the document at an offset of a text.
pub fn section_at(text: &str, offset: usize) -> Option<Section<'_>> {
    let is_separator = |at: &usize| {
        let after = text.get(at + "\n---".len()..).unwrap_or_default();
        is_separator_end(after.split_inclusive('\n').next().unwrap_or_default())
    };
    let before = text.get(..offset)?;
    let after = text.get(offset..)?;
    let mut separators = memmem::rfind_iter(before.as_bytes(), "\n---");
    let start = separators.find(is_separator).map_or(0, |at| at + 1);
    let mut separators = memmem::find_iter(after.as_bytes(), "\n---").map(|at| offset + at);
    let end = separators
        .find(is_separator)
        .map_or(text.len(), |at| at + 1);
    Some(section(text, start..end))
}

/// Whether the rest of a line after `---` shows that the line separates documents.
fn is_separator_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])
}

fn section(text: &str, range: Range<usize>) -> Section<'_> {
    let own = text.get(range.clone()).unwrap_or_default();
    let head = own
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#') || line.starts_with("---"));
    let template = head
        .filter_map(|line| line.strip_prefix(COMMENT))
        .map(str::trim)
        .next();
    Section { range, template }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\n# Source: web/templates/a.yaml\na: 1\n---\n# Source: web/charts/b/templates/b.yaml\nb: |\n  ---x\n";

    #[test]
    fn each_document_names_its_template() {
        let all = sections(TEXT);
        let named: Vec<_> = all.iter().map(|section| section.template).collect();
        let expected = ["web/templates/a.yaml", "web/charts/b/templates/b.yaml"];
        assert_eq!(named, expected.map(Some));
        assert_eq!(
            &TEXT[all[0].range.clone()],
            "# Source: web/templates/a.yaml\na: 1\n"
        );
        for (word, template) in [
            ("a: 1", expected[0]),
            ("b: |", expected[1]),
            ("---x", expected[1]),
        ] {
            let at = TEXT.find(word).unwrap();
            assert_eq!(
                section_at(TEXT, at).unwrap().template,
                Some(template),
                "{word}"
            );
        }
    }

    #[test]
    fn a_text_without_comments_names_nothing() {
        assert_eq!(section_at("a: 1\n", 2).unwrap().template, None);
        assert_eq!(section_at("a: 1\n", 99), None);
        assert_eq!(sections(""), []);
    }
}
