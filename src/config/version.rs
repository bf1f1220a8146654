//! Versions of Kubernetes, and which of them know what.

use std::fmt;
use std::str::FromStr;

/// A minor release of Kubernetes 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KubernetesVersion {
    /// The number after `1.`
    pub minor: u32,
}

impl KubernetesVersion {
    /// The oldest release whose rules are known.
    pub const OLDEST: KubernetesVersion = KubernetesVersion { minor: 20 };

    /// The newest release whose rules are known.
    pub const NEWEST: KubernetesVersion = KubernetesVersion { minor: 37 };

    /// The first release that has the feature gate `TaintTolerationComparisonOperators` (KEP-5471). It is alpha, and
    /// so off unless it is switched on, in every release known here.
    const FIRST_WITH_COMPARISON_GATE: KubernetesVersion = KubernetesVersion { minor: 35 };

    /// Whether the API server of this release has the gate that allows the operators `Gt` and `Lt` in tolerations.
    pub fn has_comparison_gate(self) -> bool {
        self >= Self::FIRST_WITH_COMPARISON_GATE
    }
}

impl Default for KubernetesVersion {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

/// Why a text names no version that is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not of the form `1.34`, `v1.34` or `v1.34.2-vendor.1`.
    #[error("`{0}` is not a Kubernetes version; write it like \"{newest}\"", newest = KubernetesVersion::NEWEST)]
    Malformed(String),
    /// Before [`KubernetesVersion::OLDEST`].
    #[error("Kubernetes {0} is too old; the oldest known is {oldest}", oldest = KubernetesVersion::OLDEST)]
    TooOld(String),
    /// After [`KubernetesVersion::NEWEST`].
    #[error("Kubernetes {0} is not known yet; the newest known is {newest}", newest = KubernetesVersion::NEWEST)]
    TooNew(String),
}

impl FromStr for KubernetesVersion {
    type Err = VersionError;

    /// Reads what people write (`1.34`) and what clusters say of themselves (`v1.34.2-gke.100`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || VersionError::Malformed(text.to_owned());
        let number = text.strip_prefix('v').unwrap_or(text);
        // What a vendor appends says nothing about the API.
        let number = number.split(['-', '+']).next().unwrap_or(number);
        let mut parts = Vec::new();
        for part in number.split('.') {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(malformed());
            }
            // Whatever does not fit into 32 bits is newer than any release.
            parts.push(part.parse().unwrap_or(u32::MAX));
        }
        let (major, minor) = match parts[..] {
            [major, minor] | [major, minor, _] => (major, minor),
            _ => return Err(malformed()),
        };
        let version = KubernetesVersion { minor };
        if major < 1 || (major == 1 && version < Self::OLDEST) {
            Err(VersionError::TooOld(text.to_owned()))
        } else if major > 1 || version > Self::NEWEST {
            Err(VersionError::TooNew(text.to_owned()))
        } else {
            Ok(version)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_and_clusters_write_them() {
        for text in [
            "1.34",
            "v1.34",
            "1.34.0",
            "v1.34.12-gke.1080000",
            "1.34.1+k3s1",
        ] {
            assert_eq!(text.parse(), Ok(KubernetesVersion { minor: 34 }), "{text}");
        }
    }

    #[test]
    fn the_border_releases_are_known_and_their_neighbours_are_not() {
        assert_eq!("1.20".parse(), Ok(KubernetesVersion::OLDEST));
        assert_eq!("1.37".parse(), Ok(KubernetesVersion::NEWEST));
        let error = |text: &str| text.parse::<KubernetesVersion>().unwrap_err().to_string();
        assert_eq!(
            error("1.19"),
            "Kubernetes 1.19 is too old; the oldest known is 1.20"
        );
        assert_eq!(
            error("0.40"),
            "Kubernetes 0.40 is too old; the oldest known is 1.20"
        );
        assert_eq!(
            error("1.38"),
            "Kubernetes 1.38 is not known yet; the newest known is 1.37"
        );
        assert_eq!(
            error("2.30"),
            "Kubernetes 2.30 is not known yet; the newest known is 1.37"
        );
        assert_eq!(
            error("1.99999999999999999999"),
            "Kubernetes 1.99999999999999999999 is not known yet; the newest known is 1.37"
        );
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in [
            "", "1", "latest", "1.", ".34", "1.34.", "1.3x", "1.34.1.1", "1,34", "-1.34", "1.+34",
        ] {
            assert_eq!(
                text.parse::<KubernetesVersion>(),
                Err(VersionError::Malformed(text.to_owned()))
            );
        }
    }

    #[test]
    fn a_version_is_shown_as_it_is_read() {
        let version = KubernetesVersion { minor: 30 };
        assert_eq!(version.to_string(), "1.30");
        assert_eq!(version.to_string().parse(), Ok(version));
    }

    #[test]
    fn the_comparison_gate_exists_since_1_35() {
        assert!(!KubernetesVersion { minor: 34 }.has_comparison_gate());
        assert!(KubernetesVersion { minor: 35 }.has_comparison_gate());
    }
}
