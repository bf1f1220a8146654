//! What the graph is made from.

use super::data::Data;
use super::facts::Pointer;
use super::tree::Tree;
use crate::source::SourceId;

/// Fills in a template, given by its path and id.
pub type Fill<'f> = dyn Fn((&str, SourceId), &[String], &[Data]) -> Option<Vec<Pointer>> + 'f;

/// A repository, as far as deliveries are concerned.
pub struct Repository<'f> {
    /// Its files.
    pub tree: Tree<'f>,
    /// Objects with the paths of their files, in order.
    pub pointers: Vec<(&'f str, &'f Pointer)>,
    /// The contents of a file of parameters, if it can be read.
    pub read: &'f dyn Fn(&str) -> Option<Vec<Data>>,
    /// The documents of a text.
    pub parse: &'f dyn Fn(&str) -> Option<Vec<Data>>,
    /// The objects that a template of a chart makes of these files of values and of values that are laid over them. The upper
    /// ones come first. `None` if that is not known.
    pub fill: &'f Fill<'f>,
    /// Whether a file is only a test or an example.
    pub is_test: &'f dyn Fn(&str) -> bool,
}
