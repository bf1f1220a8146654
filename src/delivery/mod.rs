//! What runs in which cluster, as far as the repository says it: objects of Flux, Argo CD and Fleet and helmfiles point to folders, and
//! the graph of these pointers begins with one object for each cluster. Pure: facts in, graph out.

mod applied;
mod clusters;
mod combined;
mod data;
mod facts;
mod fleet;
mod generators;
mod graph;
mod helmfile;
mod home;
mod made;
mod naming;
mod order;
mod orders;
mod params;
mod paths;
mod reading;
mod repository;
mod result;
mod roots;
mod selection;
mod substitution;
mod tree;
mod trouble;

pub use applied::Applied;
pub use clusters::{From, Known, example_of};
pub use data::{Data, Value};
pub use facts::{
    Application, ArgoCluster, ArgoSource, Chosen, Customization, Directory, Fleet, FleetGroup,
    Flux, Helmfile, Pointer, Release, Says, Set, SourceName, Word,
};
pub use graph::graph;
pub use helmfile::{is_helmfile, of_environment, read_helmfile};
pub use naming::{cluster_folder, may_hold_clusters, says_little};
pub use reading::{read, read_bundle, read_made, read_template};
pub use repository::Repository;
pub use result::Graph;
pub use substitution::{Variables, substitute, substitute_known};
pub use tree::Tree;

#[cfg(test)]
mod tests;
