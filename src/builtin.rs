//! The rules, provider tables and the table of releases that the program carries; `build.rs` lists those of which there
//! are several.

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// The table of releases.
pub const RELEASES: &str = include_str!("../kubernetes/releases.yaml");
