//! The table of releases, `kubernetes/releases.yaml`: what differs between releases of Kubernetes, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use crate::builtin;

/// A minor release of Kubernetes 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KubernetesVersion {
    /// The number after `1.`
    pub minor: u32,
}

impl KubernetesVersion {
    /// Reads a number of two parts without asking whether the release is known.
    pub(super) fn read(text: &str) -> Option<(u32, KubernetesVersion)> {
        let number = text.strip_prefix('v').unwrap_or(text);
        // What a vendor appends says nothing about the API.
        let number = number.split(['-', '+']).next().unwrap_or(number);
        let mut parts = Vec::new();
        for part in number.split('.') {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // Whatever does not fit into 32 bits is newer than any release.
            parts.push(part.parse().unwrap_or(u32::MAX));
        }
        match parts[..] {
            [major, minor] | [major, minor, _] => Some((major, KubernetesVersion { minor })),
            _ => None,
        }
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

/// As the table of releases writes it, which says what is known.
impl<'de> Deserialize<'de> for KubernetesVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match KubernetesVersion::read(&text) {
            Some((1, version)) => Ok(version),
            _ => Err(D::Error::custom(format!("`{text}` is not a version"))),
        }
    }
}

/// What the file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Releases {
    /// The oldest release whose rules are known.
    pub oldest: KubernetesVersion,
    /// The newest release whose rules are known.
    pub newest: KubernetesVersion,
    /// Feature gates by name: their stages, oldest first.
    pub feature_gates: BTreeMap<String, Vec<GateStage>>,
    /// Since when something holds.
    pub since: Since,
}

/// A feature gate from one release on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateStage {
    /// The first release with it.
    pub from: KubernetesVersion,
    /// `alpha`, `beta` or `GA`.
    pub stage: String,
    /// Whether the gate is on when nobody sets it.
    pub default: bool,
    /// Nobody can set it.
    #[serde(default)]
    pub locked: bool,
}

/// The first releases in which something holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Since {
    /// The API server wants label values in required node affinity.
    pub affinity_values_checked: KubernetesVersion,
    /// kubeadm's nodes have the taint `node-role.kubernetes.io/control-plane`.
    pub control_plane_taint: KubernetesVersion,
    /// The effect None of devices' taints.
    pub device_effect_none: KubernetesVersion,
}

/// The table.
pub static RELEASES: LazyLock<Releases> = LazyLock::new(|| builtin::table(builtin::RELEASES));

impl Releases {
    /// The stage of a gate in a release; `None` where the release does not have it.
    pub fn stage(&self, gate: &str, version: KubernetesVersion) -> Option<&GateStage> {
        let stages = self.feature_gates.get(gate)?;
        stages.iter().rfind(|stage| stage.from <= version)
    }

    /// Whether a gate is on in a release, with what a user sets.
    pub fn is_on(&self, gate: &str, version: KubernetesVersion, set: Option<bool>) -> bool {
        match self.stage(gate, version) {
            None => false,
            Some(stage) if stage.locked => stage.default,
            Some(stage) => set.unwrap_or(stage.default),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        let within = |version| (RELEASES.oldest..=RELEASES.newest).contains(&version);
        for (gate, stages) in &RELEASES.feature_gates {
            assert!(!stages.is_empty(), "{gate}");
            assert!(stages.iter().all(|stage| within(stage.from)), "{gate}");
            assert!(stages.is_sorted_by_key(|stage| stage.from), "{gate}");
            for stage in stages {
                assert!(["alpha", "beta", "GA"].contains(&stage.stage.as_str()));
                // Kubernetes never has an alpha feature on, nor locks one.
                assert!(stage.stage != "alpha" || !(stage.default || stage.locked));
            }
        }
        assert!(within(RELEASES.since.affinity_values_checked));
        assert!(within(RELEASES.since.control_plane_taint));
        assert!(within(RELEASES.since.device_effect_none));
    }

    #[test]
    fn a_gate_follows_its_stage_unless_it_is_set() {
        let releases: Releases = serde_yaml::from_str(
            "oldest: '1.30'\nnewest: '1.36'\nfeature-gates:\n  G:\n    - {from: '1.31', stage: alpha, default: false}\n    \
             - {from: '1.33', stage: beta, default: true}\n    - {from: '1.35', stage: GA, default: true, locked: true}\n\
             since: {affinity-values-checked: '1.33', control-plane-taint: '1.31', device-effect-none: '1.31'}\n",
        )
        .unwrap();
        let on = |minor, set| releases.is_on("G", KubernetesVersion { minor }, set);
        // Absent, alpha, beta, locked: unset, set to true, set to false.
        for (minor, expected) in [
            (30, [false, false, false]),
            (31, [false, true, false]),
            (32, [false, true, false]),
            (33, [true, true, false]),
            (36, [true, true, true]),
        ] {
            let said = [
                on(minor, None),
                on(minor, Some(true)),
                on(minor, Some(false)),
            ];
            assert_eq!(said, expected, "1.{minor}");
        }
        assert!(!releases.is_on("H", KubernetesVersion { minor: 36 }, Some(true)));
    }
}
