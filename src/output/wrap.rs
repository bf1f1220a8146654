//! Sentences that fit the terminal, and how long they may be.

/// Characters of a message that are shown.
pub(super) const MESSAGE_LIMIT: usize = 1000;
/// Characters of what is written beside a place.
pub(super) const LABEL_LIMIT: usize = 160;
/// Characters of a source line that are shown, at most and at least.
pub(super) const COLUMNS: (usize, usize) = (160, 40);

/// Breaks a sentence between words so that it fits the terminal, if its `width` is known (not 0); `used` columns are
/// taken on the first line, `indent` on the others. Words are never broken: they are names to copy.
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
