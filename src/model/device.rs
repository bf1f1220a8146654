//! Taints and tolerations of devices (dynamic resource allocation, KEP-5055). They look like those of nodes, and no
//! toleration of the one kind ever tolerates a taint of the other.

use super::taint::Taint;
use super::toleration::Toleration;
use super::workload::LocatedToleration;
use crate::finding::Object;

/// What stands at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceEntry {
    /// A taint, in a ResourceSlice or a DeviceTaintRule.
    Taint(Taint),
    /// A toleration of a request, in a ResourceClaim or a ResourceClaimTemplate.
    Toleration(Toleration),
}

/// A taint or a toleration of devices, where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedDeviceEntry {
    /// What stands there.
    pub entry: DeviceEntry,
    /// Where it and its fields stand.
    pub located: LocatedToleration,
    /// The object that it belongs to.
    pub object: Object,
}
