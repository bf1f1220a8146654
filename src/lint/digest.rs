//! What a text is known by when it is seen again.

use std::hash::{DefaultHasher, Hasher as _};

use super::Content;

/// What a text is known by when it is seen again. That of a file without a text is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(u64);

impl Digest {
    /// That of a file.
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
