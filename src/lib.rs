//! kubetaint reads a repository's node pools and workloads and reports mismatched taints and tolerations. The modules are
//! in layer order: each imports only modules further down.

// No repository content may crash a run. If an index is known to be valid, its file says why. `source::text` slices texts
// safely.
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::string_slice, clippy::unreachable)
)]

pub mod commands;

pub mod verify;

pub mod placement;

pub mod discover;
pub mod explain;
pub mod lint;
pub mod proposal;
pub mod schema;

pub mod cache;

pub mod baseline;
pub mod config;
pub mod extract;
pub mod output;
pub mod rule;

pub mod rendering;
pub mod template;

pub mod charts;
pub mod delivery;
pub mod inventory;
pub mod kustomize;
pub mod terraform;

pub mod cli;
pub mod model;
pub mod yaml;

pub mod finding;

pub mod builtin;
pub mod source;
