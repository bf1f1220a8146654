//! Standard output, whose reader may leave early (`| head`). That is no failure: the command does the rest of its work, and
//! its exit code says what it found.

use std::io::{self, ErrorKind, Write};

/// A writer that drops everything once its reader has left.
pub struct Leavable<W> {
    to: W,
    has_left: bool,
}

impl<W: Write> Leavable<W> {
    /// Writes to `to` as long as somebody reads it.
    pub fn new(to: W) -> Leavable<W> {
        Leavable {
            to,
            has_left: false,
        }
    }

    fn unless_left<T>(
        &mut self,
        otherwise: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.has_left {
            return Ok(otherwise);
        }
        match write(&mut self.to) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.has_left = true;
                Ok(otherwise)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Leavable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_left(bytes.len(), |to| to.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_left((), Write::flush)
    }
}
