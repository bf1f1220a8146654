//! Wraps sentences to the width of the terminal, and limits their length.

/// The most characters shown of a message.
pub(super) const MESSAGE_LIMIT: usize = 1000;
/// The most characters of a label next to a place.
pub(super) const LABEL_LIMIT: usize = 160;
/// The most and the fewest characters shown of a source line.
pub(super) const COLUMNS: (usize, usize) = (160, 40);

/// Wraps a sentence to the terminal's `width` (0 if unknown). `used` columns are taken on the first line, `indent` on the
/// others. Words are never broken, because they may be names to copy.
pub fn wrap(sentence: &str, width: usize, used: usize, indent: usize) -> String {
    let width = match width {
        0 => usize::MAX,
        width => width.max(COLUMNS.1),
    };
    let mut wrapped = String::with_capacity(sentence.len());
    let mut column = used;
    for (at, word) in sentence.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if at > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}
