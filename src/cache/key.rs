//! The key of what a file says: a digest of all that reading it depends on.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use siphasher::sip128::{Hasher128 as _, SipHasher13};

/// A digest of all that reading a file depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The key of these parts, in this order. Their lengths count, so that no part continues another. Who does not know the
    /// salt cannot make two files with the same key.
    pub fn of(salt: Key, parts: &[&[u8]]) -> Key {
        let mut hasher = SipHasher13::new_with_key(&salt.bytes());
        for part in parts {
            hasher.write(&(part.len() as u64).to_le_bytes());
        }
        for part in parts {
            hasher.write(part);
        }
        Key(hasher.finish128().as_u128())
    }

    /// A key that nobody can guess.
    pub fn random() -> Key {
        let half = || u128::from(RandomState::new().build_hasher().finish());
        Key(half() << 64 | half())
    }

    /// Makes the key of a text in pieces.
    pub fn writer() -> KeyWriter {
        KeyWriter(SipHasher13::new())
    }

    /// The first half of it, for a name.
    pub fn short(self) -> String {
        format!("{:016x}", self.0 >> 64)
    }

    /// Its bytes.
    pub fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The key with these bytes.
    pub fn of_bytes(bytes: [u8; 16]) -> Key {
        Key(u128::from_be_bytes(bytes))
    }
}

/// Makes the key of a text in pieces.
pub struct KeyWriter(SipHasher13);

impl KeyWriter {
    /// Adds a piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    /// The key of all pieces.
    pub fn key(&self) -> Key {
        Key(self.0.finish128().as_u128())
    }
}
