//! The rules and provider tables that the program carries; `build.rs` lists them.

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));
