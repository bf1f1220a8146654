//! Parses YAML into trees with places. Only this module uses the YAML parser. It knows nothing of Kubernetes.
//!
//! [`parse`] turns a text into [`Document`]s, trees that own their strings and store the place of every node. Values
//! are typed like in Kubernetes' own YAML reader (go-yaml v2).

mod assembly;
mod base64;
mod between;
mod breaks;
mod build;
mod compare;
mod de;
pub mod edit;
mod embedded;
mod entries;
mod gaps;
mod json;
mod kept;
mod keys;
mod node;
mod outline;
mod parse;
mod path;
mod pieces;
mod print;
mod quoted;
mod quoting;
mod reading;
mod removal;
mod repair;
mod same;
mod scalar;
mod scan;
mod settle;
mod spanned;
mod target;
pub mod time;
mod tree;
mod wide;

pub use compare::{Difference, differences};
pub use de::DeError;
pub use embedded::{Embedded, pieces_of};
pub use entries::{Entries, Entry};
pub use node::{Comment, Document, Field, Kind, Node, NodeId, NodeSet, Style};
pub use outline::{Outline, outline, split};
pub use parse::{Stream, SyntaxError, parse};
pub use path::{Found, Path, PathError, index, join};
pub use pieces::Pieces;
pub use print::{Notation, print};
pub use reading::{Reading, from_node, read, read_json};
pub use same::same;
pub use scalar::Scalar;
pub use spanned::{NonEmpty, Spanned, Written};
pub use tree::{Leaf, TreeBuilder};

#[cfg(test)]
mod tests;
