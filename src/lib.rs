//! kubetaint reads a repository's node pools and workloads and says where taints and tolerations do not fit.
//! The modules, in floor order: each imports only modules further down.

// What a repository holds must end no run. Where an index is known to be right, its file says why; parts of texts are cut by
// `source::text`.
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::string_slice, clippy::unreachable)
)]

pub mod commands;

pub mod verify;

pub mod discover;
pub mod explain;
pub mod lint;
pub mod proposal;
pub mod schema;

pub mod baseline;
pub mod config;
pub mod extract;
pub mod output;
pub mod rule;

pub mod inventory;
pub mod terraform;

pub mod cli;
pub mod model;
pub mod yaml;

pub mod finding;

pub mod builtin;
pub mod source;
