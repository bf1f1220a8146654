//! kubetaint reads a repository's node pools and workloads and says where taints and tolerations do not fit.
//! The modules, in floor order: each imports only modules further down.

pub mod finding;
pub mod model;
pub mod source;
