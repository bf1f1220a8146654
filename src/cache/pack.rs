//! One file with what many files said: a head, an index by key, and the bytes of each entry. All of it is checked, because
//! it may be cut off, damaged, or from elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use siphasher::sip::SipHasher13;
use std::hash::Hasher as _;

use super::key::Key;

/// How a pack begins. A form that differs gets another number.
const MAGIC: &[u8] = b"kubetaint facts 1\n";

/// The length of the head in bytes: the salt, the number of entries, and a check sum of the index.
const HEAD: usize = MAGIC.len() + 16 + 8 + 8;

/// The length of an entry of the index in bytes: key, end, check sum and age.
const ENTRY: usize = 16 + 8 + 8 + 1;

/// The largest pack in bytes.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// An entry that so many new packs did not use is left out.
const MAX_AGE: u8 = 8;

/// A pack that was read, with what was used of it.
#[derive(Debug)]
pub struct Pack {
    bytes: Vec<u8>,
    /// What its keys are made with.
    salt: Key,
    /// By key.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    range: Range<usize>,
    sum: u64,
    /// How many packs were written since it was used.
    age: u8,
    used: AtomicBool,
}

impl Pack {
    /// Reads a pack. One that is not whole is empty.
    pub fn read(bytes: Vec<u8>) -> Pack {
        let (salt, entries) = index(&bytes).unwrap_or_else(|| (Key::random(), Vec::new()));
        Pack {
            bytes,
            salt,
            entries,
        }
    }

    /// What its keys are made with. It stays the same from pack to pack.
    pub fn salt(&self) -> Key {
        self.salt
    }

    /// The bytes of an entry, if it is there and undamaged.
    pub fn find(&self, key: Key) -> Option<&[u8]> {
        let at = self.entries.binary_search_by_key(&key, |one| one.key);
        let entry = self.entries.get(at.ok()?)?;
        let bytes = self.bytes.get(entry.range.clone())?;
        if sum(key, bytes) != entry.sum {
            return None;
        }
        entry.used.store(true, Ordering::Relaxed);
        Some(bytes)
    }

    /// Takes back that an entry was used, because it is none that can be read.
    pub fn refuse(&self, key: Key) {
        let at = self.entries.binary_search_by_key(&key, |one| one.key);
        if let Some(entry) = at.ok().and_then(|at| self.entries.get(at)) {
            entry.used.store(false, Ordering::Relaxed);
        }
    }

    /// The pack with new entries, without those that are no longer used. `None` if it is about the same.
    pub fn with(&self, new: &BTreeMap<Key, Vec<u8>>) -> Option<Vec<u8>> {
        /// Of so many entries, one may be missing: the files of some are read faster than all entries are written.
        const SHARE: usize = 64;
        if new.len().saturating_mul(SHARE) <= self.entries.len() {
            return None;
        }
        let mut kept: BTreeMap<Key, (u8, &[u8])> = BTreeMap::new();
        for entry in &self.entries {
            let age = match entry.used.load(Ordering::Relaxed) {
                true => 0,
                false => entry.age.saturating_add(1),
            };
            let bytes = self.bytes.get(entry.range.clone());
            if let Some(bytes) = bytes.filter(|_| age < MAX_AGE) {
                kept.insert(entry.key, (age, bytes));
            }
        }
        kept.extend(new.iter().map(|(key, bytes)| (*key, (0, bytes.as_slice()))));
        drop_oldest(&mut kept);
        Some(write(self.salt, &kept))
    }
}

/// Leaves out the entries that were not used for the longest time, until the rest is small enough.
fn drop_oldest(entries: &mut BTreeMap<Key, (u8, &[u8])>) {
    let size = |(_, (_, bytes)): (&Key, &(u8, &[u8]))| bytes.len() as u64 + ENTRY as u64;
    let mut total: u64 = HEAD as u64 + entries.iter().map(size).sum::<u64>();
    for oldest in (0..=MAX_AGE).rev() {
        if total <= MAX_BYTES {
            return;
        }
        entries.retain(|_, (age, bytes)| {
            let stays = *age < oldest || total <= MAX_BYTES;
            if !stays {
                total = total.saturating_sub(bytes.len() as u64 + ENTRY as u64);
            }
            stays
        });
    }
}

/// Reads the index, or returns `None` if the pack is not whole.
fn index(bytes: &[u8]) -> Option<(Key, Vec<Entry>)> {
    let (magic, rest) = bytes.split_at_checked(MAGIC.len())?;
    let (salt, rest) = rest.split_first_chunk::<16>()?;
    let salt = Key::of_bytes(*salt);
    let (count, rest) = rest.split_first_chunk::<8>()?;
    let (expected, rest) = rest.split_first_chunk::<8>()?;
    let count = u64::from_le_bytes(*count);
    let length = usize::try_from(count).ok()?.checked_mul(ENTRY)?;
    let (index, data) = rest.split_at_checked(length)?;
    let found = sum(salt, index);
    if magic != MAGIC || found != u64::from_le_bytes(*expected) {
        return None;
    }
    let start = bytes.len().checked_sub(data.len())?;
    let mut entries: Vec<Entry> = Vec::with_capacity(length / ENTRY);
    let mut at = 0_usize;
    let mut rest = index;
    while let Some((key, after)) = rest.split_first_chunk::<16>() {
        let (end, after) = after.split_first_chunk::<8>()?;
        let (sum, after) = after.split_first_chunk::<8>()?;
        let (age, after) = after.split_first()?;
        rest = after;
        let key = Key::of_bytes(*key);
        let end = usize::try_from(u64::from_le_bytes(*end)).ok()?;
        let is_sorted = entries.last().is_none_or(|last| last.key < key);
        if !is_sorted || end < at || end > data.len() {
            return None;
        }
        entries.push(Entry {
            key,
            range: start.checked_add(at)?..start.checked_add(end)?,
            sum: u64::from_le_bytes(*sum),
            age: *age,
            used: AtomicBool::new(false),
        });
        at = end;
    }
    Some((salt, entries))
}

fn write(salt: Key, entries: &BTreeMap<Key, (u8, &[u8])>) -> Vec<u8> {
    let mut index = Vec::with_capacity(entries.len().saturating_mul(ENTRY));
    let mut end = 0_u64;
    for (key, (age, bytes)) in entries {
        end = end.saturating_add(bytes.len() as u64);
        index.extend_from_slice(&key.bytes());
        index.extend_from_slice(&end.to_le_bytes());
        index.extend_from_slice(&sum(*key, bytes).to_le_bytes());
        index.push(*age);
    }
    let mut pack = MAGIC.to_vec();
    pack.extend_from_slice(&salt.bytes());
    pack.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    pack.extend_from_slice(&sum(salt, &index).to_le_bytes());
    pack.append(&mut index);
    for (_, bytes) in entries.values() {
        pack.extend_from_slice(bytes);
    }
    pack
}

/// A check sum of some bytes and of the key that they belong to.
fn sum(key: Key, bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(&key.bytes());
    hasher.write(bytes);
    hasher.finish()
}
