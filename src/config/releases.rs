//! The table of Kubernetes releases, `kubernetes/releases.yaml`: the differences between releases, as data.

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
    /// Parses a version with two or three numbers, whether or not the release is known.
    pub(super) fn read(text: &str) -> Option<(u32, KubernetesVersion)> {
        let number = text.strip_prefix('v').unwrap_or(text);
        // A vendor's suffix does not affect the API.
        let number = number.split(['-', '+']).next().unwrap_or(number);
        let mut parts = Vec::new();
        for part in number.split('.') {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // A number that exceeds 32 bits is newer than any release.
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

/// Accepts any release, because the table itself defines which releases are known.
impl<'de> Deserialize<'de> for KubernetesVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match KubernetesVersion::read(&text) {
            Some((1, version)) => Ok(version),
            _ => Err(D::Error::custom(format!("`{text}` is not a version"))),
        }
    }
}

/// The contents of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Releases {
    /// The oldest release whose rules are known.
    pub oldest: KubernetesVersion,
    /// The newest release whose rules are known.
    pub newest: KubernetesVersion,
    /// Feature gates by name: their stages, oldest first.
    pub feature_gates: BTreeMap<String, Vec<GateStage>>,
    /// The first releases with certain behavior.
    pub since: Since,
}

/// The state of a feature gate from a release on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateStage {
    /// The first release with this state.
    pub from: KubernetesVersion,
    /// `alpha`, `beta` or `GA`.
    pub stage: String,
    /// The default of the gate.
    pub default: bool,
    /// The gate cannot be set.
    #[serde(default)]
    pub locked: bool,
}

/// The first releases with certain behavior.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Since {
    /// The API server requires label values in required node affinity.
    pub affinity_values_checked: KubernetesVersion,
    /// kubeadm's nodes have the taint `node-role.kubernetes.io/control-plane`.
    pub control_plane_taint: KubernetesVersion,
    /// Device taints may have the effect None.
    pub device_effect_none: KubernetesVersion,
}

/// The table.
pub static RELEASES: LazyLock<Releases> = LazyLock::new(|| builtin::table(builtin::RELEASES));

impl Releases {
    /// Returns the stage of a gate in a release, or `None` if the release does not have the gate.
    pub fn stage(&self, gate: &str, version: KubernetesVersion) -> Option<&GateStage> {
        let stages = self.feature_gates.get(gate)?;
        stages.iter().rfind(|stage| stage.from <= version)
    }

    /// Whether a gate is on in a release, given the user's setting.
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
                // Kubernetes never enables or locks an alpha feature by default.
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
