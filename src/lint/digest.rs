//! Digests of texts, used to detect unchanged files.

use std::hash::{DefaultHasher, Hasher as _};

use super::Content;

/// A digest that identifies a text. A file without a text has the default digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(u64);

impl Digest {
    /// The digest of a file's content.
    pub fn of(content: &Content) -> Self {
        let (Content::Text(text) | Content::Template(text)) = content else {
            return Digest::default();
        };
        if text.is_empty() {
            return Digest::default();
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        Digest(hasher.finish())
    }
}
