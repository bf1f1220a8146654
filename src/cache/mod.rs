//! Keeps what each file says from run to run, so that only files that are new are read. What is kept is found by a digest of
//! all that reading depends on. Texts are still compared and judged in each run. Touches no disk: whoever calls reads and
//! writes the pack.

mod bytes;
mod facts;
mod key;
mod model;
mod pack;
mod values;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use bytes::{About, Reader, Stored, Writer};
pub use key::{Key, KeyWriter};
pub use pack::MAX_BYTES;
use pack::Pack;

/// The facts of a file take at most so many times the bytes of its text, and a bit more. Others are not kept.
const MAX_GROWTH: usize = 16;

/// What files said in earlier runs, and in this one.
#[derive(Debug)]
pub struct Cache {
    /// The program that reads the files.
    program: Key,
    pack: Pack,
    new: Mutex<BTreeMap<Key, Vec<u8>>>,
    served: AtomicUsize,
    asked: AtomicUsize,
}

impl Cache {
    /// A cache for a program, with what an earlier run wrote; empty bytes if there was none.
    pub fn new(program: Key, bytes: Vec<u8>) -> Cache {
        Cache {
            program,
            pack: Pack::read(bytes),
            new: Mutex::default(),
            served: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
        }
    }

    /// The key for what this program reads from these parts.
    pub fn key(&self, parts: &[&[u8]]) -> Key {
        let program = self.program.bytes();
        let all: Vec<&[u8]> = std::iter::once(program.as_slice())
            .chain(parts.iter().copied())
            .collect();
        Key::of(self.pack.salt(), &all)
    }

    /// What a file said, if that is known.
    pub fn find<T: Stored>(&self, key: Key, about: About) -> Option<T> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let found = self.pack.find(key)?;
        let value = match found.len() <= most_bytes(about.length) {
            true => Reader::value(about, found),
            false => None,
        };
        match &value {
            Some(_) => {
                self.served.fetch_add(1, Ordering::Relaxed);
            }
            None => self.pack.refuse(key),
        }
        value
    }

    /// Keeps what a file says, if that can be kept.
    pub fn keep(&self, key: Key, about: About, value: &impl Stored) {
        let bytes = Writer::bytes(about, value);
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= most_bytes(about.length)) {
            // The map is whole even after a panic in another thread, because it only grows.
            let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
            new.insert(key, bytes);
        }
    }

    /// What the next run can use, or `None` if that is about what this one got.
    pub fn packed(&self) -> Option<Vec<u8>> {
        let new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        self.pack.with(&new)
    }

    /// How many files were asked for, and how many of them were known.
    pub fn counts(&self) -> (usize, usize) {
        let asked = self.asked.load(Ordering::Relaxed);
        (asked, self.served.load(Ordering::Relaxed))
    }
}

fn most_bytes(length: usize) -> usize {
    const ROOM: usize = 4 * 1024;
    length.saturating_mul(MAX_GROWTH).saturating_add(ROOM)
}
