//! The lines of manifests, regardless of how they are indented and quoted.

use std::ops::Range;

use crate::source::text::Cut as _;

/// One line without indentation, dashes, comments and the difference between kinds of quotes.
#[derive(Clone)]
pub(super) struct Line<'t> {
    /// The number of spaces before it.
    pub(super) indent: usize,
    /// Whether it begins an item of a list.
    pub(super) is_item: bool,
    /// The offset of what follows the indentation and the dashes.
    pub(super) start: usize,
    /// The text from there, without the line break and a comment.
    pub(super) content: &'t str,
    /// The length of the key. 0 if there is none.
    pub(super) key: usize,
    /// The value in `content`, with its quotes.
    pub(super) value: Range<usize>,
}

impl<'t> Line<'t> {
    fn new(text: &'t str, at: usize) -> Line<'t> {
        let mut content = text.trim_start();
        let indent = text.len() - content.len();
        let is_item = content.starts_with("- ");
        while let Some(rest) = content.strip_prefix("- ") {
            content = rest.trim_start();
        }
        let start = at + (text.len() - content.len());
        let content = without_comment(content).trim_end();
        let colon = content.find(": ");
        let key = colon.or_else(|| content.strip_suffix(':').map(str::len));
        let key = key.unwrap_or(0);
        let after = content.get(key..).unwrap_or_default();
        let after = after.strip_prefix(':').filter(|_| key > 0).unwrap_or(after);
        let value = content.len() - after.trim_start().len()..content.len();
        Line {
            indent,
            is_item,
            start,
            content,
            key,
            value,
        }
    }

    pub(super) fn key(&self) -> &'t str {
        unquoted(self.content.until(self.key))
    }

    pub(super) fn value(&self) -> &'t str {
        unquoted(self.content.within(self.value.clone()))
    }

    pub(super) fn is_blank(&self) -> bool {
        self.content.is_empty()
    }

    /// What two lines have in common if one was printed from the other.
    pub(super) fn said(&self) -> (&'t str, &'t str) {
        (self.key(), self.value())
    }
}

fn without_comment(content: &str) -> &str {
    if content.starts_with('#') {
        return "";
    }
    content.find(" #").map_or(content, |at| content.until(at))
}

fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// The lines in a part of a text.
pub(super) fn lines(text: &str, range: Range<usize>) -> Vec<Line<'_>> {
    let mut at = range.start;
    let mut all = Vec::new();
    for line in text.within(range).split_inclusive('\n') {
        all.push(Line::new(line, at));
        at += line.len();
    }
    all
}
