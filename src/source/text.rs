//! Parts and lines of a text by byte offset. Nothing here panics: an offset past the end or inside a character becomes the
//! nearest one before, and a range that ends before its start is empty.

use std::ops::Range;

/// Returns the last character boundary at or before an offset.
pub fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    at
}

/// Parts of a text.
pub trait Cut {
    /// Returns the text before an offset.
    fn until(&self, at: usize) -> &str;
    /// Returns the text from an offset on.
    fn since(&self, at: usize) -> &str;
    /// Returns the text in a range.
    fn within(&self, range: Range<usize>) -> &str;
}

impl Cut for str {
    fn until(&self, at: usize) -> &str {
        self.get(..floor(self, at)).unwrap_or_default()
    }

    fn since(&self, at: usize) -> &str {
        self.get(floor(self, at)..).unwrap_or_default()
    }

    fn within(&self, range: Range<usize>) -> &str {
        let (start, end) = (floor(self, range.start), floor(self, range.end));
        self.get(start..end).unwrap_or_default()
    }
}

/// Returns the start of the line at an offset. As in YAML, a line ends with a line feed, a carriage return, or both. A line
/// break belongs to the line that it ends.
pub fn line_start(text: &str, at: usize) -> usize {
    let mut before = text.until(at).as_bytes();
    // An offset between the two halves of a line break is at the end of the line, not at the start of the next one.
    if text.since(at).starts_with('\n')
        && let Some(rest) = before.strip_suffix(b"\r")
    {
        before = rest;
    }
    memchr::memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1)
}

/// Returns the end of the line at an offset: its line break, or the end of the text.
pub fn line_end(text: &str, at: usize) -> usize {
    let mut at = floor(text, at);
    // At an offset between the two halves of a line break, the line has already ended.
    if text.since(at).starts_with('\n') && text.until(at).ends_with('\r') {
        at = at.saturating_sub(1);
    }
    let rest = text.since(at).as_bytes();
    memchr::memchr2(b'\n', b'\r', rest).map_or(text.len(), |end| at + end)
}

/// Returns the start of the next line, or the end of the text if there is none.
pub fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    end + break_at(text, end).len()
}

/// Returns a text without its trailing line break.
pub fn without_break(text: &str) -> &str {
    let rest = text.strip_suffix('\n').unwrap_or(text);
    rest.strip_suffix('\r').unwrap_or(rest)
}

/// Returns the line break near an offset: that of the previous line, or else that of its own line.
pub fn line_break_near(text: &str, at: usize) -> &'static str {
    let before = text.until(line_start(text, at));
    if before.ends_with("\r\n") {
        return "\r\n";
    }
    if before.ends_with('\r') {
        return "\r";
    }
    match break_at(text, line_end(text, at)) {
        _ if !before.is_empty() => "\n",
        "" => "\n",
        own => own,
    }
}

/// Returns the line break at an offset; empty if there is none.
fn break_at(text: &str, at: usize) -> &'static str {
    let rest = text.since(at);
    ["\r\n", "\n", "\r"]
        .into_iter()
        .find(|one| rest.starts_with(one))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_offset_is_out_of_a_text() {
        let text = "aé\n";
        assert_eq!((text.until(2), text.since(2)), ("a", "é\n"));
        assert_eq!((text.until(99), text.since(99)), ("aé\n", ""));
        assert_eq!(text.within(1..3), "é");
        let (late, early) = (3, 1);
        assert_eq!(text.within(late..early), "");
        assert_eq!(
            (floor("", 3), line_start("", 3), line_end("", 3)),
            (0, 0, 0)
        );
    }

    #[test]
    fn a_line_ends_with_a_line_feed_a_carriage_return_or_both() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("ab{end}cd{end}{end}e");
            let second = 2 + end.len();
            for at in second..second + 2 + end.len() {
                assert_eq!(line_start(&text, at), second, "{text:?}, {at}");
            }
            assert_eq!(line_end(&text, second), second + 2);
            assert_eq!(next_line(&text, 1), second);
            assert_eq!(next_line(&text, text.len()), text.len());
            for at in 0..text.len() {
                assert_eq!(line_break_near(&text, at), end, "{text:?}, {at}");
            }
            assert_eq!(without_break(&format!("a{end}")), "a");
        }
        assert_eq!(without_break("a"), "a");
        assert_eq!(line_break_near("a", 0), "\n");
    }
}
