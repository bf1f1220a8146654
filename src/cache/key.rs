//! The key of what a file says: a digest of all that reading it depends on.

use std::hash::Hasher as _;

use siphasher::sip128::{Hasher128 as _, SipHasher13};

/// A digest of all that reading a file depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The key of these parts, in this order. Their lengths count, so that no part continues another.
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut hasher = SipHasher13::new();
        for part in parts {
            hasher.write(&(part.len() as u64).to_le_bytes());
        }
        for part in parts {
            hasher.write(part);
        }
        Key(hasher.finish128().as_u128())
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
