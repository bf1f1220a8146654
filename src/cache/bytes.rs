//! Values as bytes: what a [`Writer`] writes, a [`Reader`] reads. The bytes may be damaged, or made by somebody with bad
//! intentions, so a reader checks each of them, and has no value rather than a wrong one.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use crate::source::{SourceId, Span};

/// How deeply values may contain others. Each level takes room on the stack.
const MAX_DEPTH: u8 = 32;

/// The facts of a file take at most so many bytes of memory for each byte of its text, and a bit more. Few bytes can stand for
/// a large value, and those that somebody made up must not take all of the memory.
const MAX_MEMORY: usize = 64;

/// How many different texts of the program may be read. It has some hundreds.
const MAX_FIXED: usize = 2_000;

/// The longest text of the program in bytes.
const MAX_FIXED_BYTES: usize = 200;

/// A value that can be kept.
pub trait Stored: Sized {
    /// Writes the value.
    fn put(&self, to: &mut Writer);
    /// Reads a value.
    fn get(from: &mut Reader<'_>) -> Option<Self>;
}

/// The file that a value is about. Ids differ from run to run, so places are written without them.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its id in this run.
    pub id: SourceId,
    /// The length of its text in bytes.
    pub length: usize,
}

impl About {
    /// Whether a place is in the text. What follows the last byte counts, because a place of the end has one byte.
    fn has(&self, start: u32, end: u32) -> bool {
        let length = self.length.saturating_add(1);
        start <= end && usize::try_from(end).is_ok_and(|end| end <= length)
    }
}

/// Collects the bytes of a value.
#[derive(Debug)]
pub struct Writer {
    about: About,
    bytes: Vec<u8>,
    depth: u8,
    refused: bool,
}

impl Writer {
    /// The bytes of a value, or `None` if it cannot be kept.
    pub fn bytes(about: About, value: &impl Stored) -> Option<Vec<u8>> {
        let mut writer = Writer {
            about,
            bytes: Vec::new(),
            depth: 0,
            refused: false,
        };
        value.put(&mut writer);
        (!writer.refused).then_some(writer.bytes)
    }

    /// Says that the value cannot be kept.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes a number: seven bits in each byte, the lowest first.
    pub(super) fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.bytes.push(0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        self.bytes.push((rest & 0x7f) as u8);
    }

    pub(super) fn length(&mut self, length: usize) {
        self.number(length as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes what may contain values of its own kind.
    pub(super) fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.refused = true;
            return;
        }
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// Refuses the places of other files.
    fn own(&mut self, id: SourceId) {
        self.refused |= id != self.about.id;
    }

    /// Writes a place in the text.
    pub(super) fn place(&mut self, start: u32, end: u32) {
        if !self.about.has(start, end) {
            self.refused = true;
            return;
        }
        self.number(u64::from(start));
        self.number(u64::from(end.saturating_sub(start)));
    }
}

/// Reads a value from bytes.
#[derive(Debug)]
pub struct Reader<'b> {
    about: About,
    rest: &'b [u8],
    depth: u8,
    /// How many bytes of memory may still be taken.
    room: usize,
}

impl<'b> Reader<'b> {
    /// The value in these bytes, if it is one and all of them belong to it.
    pub fn value<T: Stored>(about: About, bytes: &'b [u8]) -> Option<T> {
        const ROOM: usize = 1024 * 1024;
        let mut reader = Reader {
            about,
            rest: bytes,
            depth: 0,
            room: about.length.saturating_mul(MAX_MEMORY).saturating_add(ROOM),
        };
        let value = T::get(&mut reader)?;
        reader.rest.is_empty().then_some(value)
    }

    /// Takes memory for a value of this type.
    pub(super) fn make_room<T>(&mut self) -> Option<()> {
        self.room = self.room.checked_sub(size_of::<T>())?;
        Some(())
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads how many items follow. Each takes at least one byte.
    pub(super) fn length(&mut self) -> Option<usize> {
        let length = usize::try_from(self.number()?).ok()?;
        (length <= self.rest.len()).then_some(length)
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        let length = self.length()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    pub(super) fn place(&mut self) -> Option<(u32, u32)> {
        let start = u32::try_from(self.number()?).ok()?;
        let length = u32::try_from(self.number()?).ok()?;
        let end = start.checked_add(length)?;
        self.about.has(start, end).then_some((start, end))
    }
}

/// It takes a byte, so that the length of a list is at most that of its bytes.
impl Stored for SourceId {
    fn put(&self, to: &mut Writer) {
        to.own(*self);
        to.byte(0);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        (from.byte()? == 0).then_some(from.about.id)
    }
}

impl Stored for Span {
    fn put(&self, to: &mut Writer) {
        to.own(self.source);
        to.place(self.start, self.end);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        let source = from.about.id;
        let (start, end) = from.place()?;
        Some(Span { source, start, end })
    }
}

/// The texts of the program that were read. They stay until the end of the run, like those in the program itself.
static FIXED: RwLock<Option<HashSet<&'static str>>> = RwLock::new(None);

/// A text that is part of the program, such as a reason. There are few different ones, which limits what others can make
/// the program keep.
fn fixed(text: &str) -> Option<&'static str> {
    let known = FIXED.read().unwrap_or_else(PoisonError::into_inner);
    let found = known.as_ref().and_then(|known| known.get(text).copied());
    drop(known);
    if found.is_some() {
        return found;
    }
    let mut known = FIXED.write().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_with(HashSet::new);
    if let Some(found) = known.get(text) {
        return Some(found);
    }
    if known.len() >= MAX_FIXED || text.len() > MAX_FIXED_BYTES {
        return None;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(kept);
    Some(kept)
}

impl Stored for &'static str {
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        fixed(from.text()?)
    }
}
