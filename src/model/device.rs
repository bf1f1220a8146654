//! Taints and tolerations of devices (dynamic resource allocation, KEP-5055). They look like those of nodes, but a
//! toleration of one kind never tolerates a taint of the other.

use super::taint::Taint;
use super::toleration::Toleration;
use super::workload::LocatedToleration;
use crate::finding::Object;

/// A taint or a toleration of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceEntry {
    /// A taint, in a ResourceSlice or a DeviceTaintRule.
    Taint(Taint),
    /// A toleration of a request, in a ResourceClaim or a ResourceClaimTemplate.
    Toleration(Toleration),
}

/// A taint or a toleration of devices with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedDeviceEntry {
    /// The entry.
    pub entry: DeviceEntry,
    /// The location of the entry and its fields.
    pub located: LocatedToleration,
    /// The object that it belongs to.
    pub object: Object,
}
