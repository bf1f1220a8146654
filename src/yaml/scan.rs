//! Scans the text between two tokens, for places that the parser does not report.

use std::ops::Range;

/// How many bytes to search around an error or an unwritten value; keeps the work linear.
pub(super) const WINDOW: usize = 1024;

/// A short scan over the text between two tokens.
pub(super) struct Scan<'t> {
    bytes: &'t [u8],
    pub at: usize,
}

impl<'t> Scan<'t> {
    pub fn new(text: &'t str, at: usize) -> Self {
        Scan {
            bytes: text.as_bytes(),
            at,
        }
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips blanks, line breaks and comments.
    pub fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Returns the next comment before an offset, where there are only blanks and comments.
    pub fn next_comment(&mut self, end: usize) -> Option<Range<usize>> {
        let start = self.at + memchr::memchr(b'#', self.bytes.get(self.at..end)?)?;
        let rest = self.bytes.get(start..end)?;
        self.at = start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        Some(start..self.at)
    }

    pub fn skip_word(&mut self) {
        while let Some(byte) = self.peek() {
            if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return;
            }
            self.at += 1;
        }
    }
}
