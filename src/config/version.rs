//! The known versions of Kubernetes and their features.

use std::str::FromStr;

use super::releases::{KubernetesVersion, RELEASES};

impl KubernetesVersion {
    /// Returns the oldest release whose rules are known.
    pub fn oldest() -> Self {
        RELEASES.oldest
    }

    /// Returns the newest release whose rules are known.
    pub fn newest() -> Self {
        RELEASES.newest
    }

    /// Whether the API server of this release requires label values in required node affinity.
    pub fn checks_affinity_values(self) -> bool {
        self >= RELEASES.since.affinity_values_checked
    }

    /// Whether kubeadm of this release gives control-plane nodes the taint `node-role.kubernetes.io/control-plane`.
    pub fn has_control_plane_taint(self) -> bool {
        self >= RELEASES.since.control_plane_taint
    }

    /// Whether device taints may have the effect None (`pkg/apis/resource/validation/validation.go`).
    pub fn knows_device_effect_none(self) -> bool {
        self >= RELEASES.since.device_effect_none
    }
}

impl Default for KubernetesVersion {
    fn default() -> Self {
        Self::newest()
    }
}

/// Why a text is not a known version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not of the form `1.34`, `v1.34` or `v1.34.2-vendor.1`.
    #[error("invalid Kubernetes version `{0}`; expected a version such as \"{newest}\"", newest = KubernetesVersion::newest())]
    Malformed(String),
    /// Before [`KubernetesVersion::oldest`].
    #[error("Kubernetes {0} is no longer supported; {known}", known = known_range())]
    TooOld(String),
    /// After [`KubernetesVersion::newest`].
    #[error("Kubernetes {0} is not supported yet; {known}", known = known_range())]
    TooNew(String),
}

fn known_range() -> String {
    format!(
        "supported releases are {} to {}",
        KubernetesVersion::oldest(),
        KubernetesVersion::newest()
    )
}

impl FromStr for KubernetesVersion {
    type Err = VersionError;

    /// Parses versions as users write them (`1.34`) and as clusters report them (`v1.34.2-gke.100`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (major, version) = KubernetesVersion::read(text)
            .ok_or_else(|| VersionError::Malformed(text.to_owned()))?;
        if major < 1 || (major == 1 && version < Self::oldest()) {
            Err(VersionError::TooOld(text.to_owned()))
        } else if major > 1 || version > Self::newest() {
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
        assert_eq!("1.20".parse(), Ok(KubernetesVersion::oldest()));
        assert_eq!("1.37".parse(), Ok(KubernetesVersion::newest()));
        let error = |text: &str| text.parse::<KubernetesVersion>().unwrap_err().to_string();
        assert_eq!(
            error("1.19"),
            "Kubernetes 1.19 is no longer supported; supported releases are 1.20 to 1.37"
        );
        assert_eq!(
            error("0.40"),
            "Kubernetes 0.40 is no longer supported; supported releases are 1.20 to 1.37"
        );
        assert_eq!(
            error("1.38"),
            "Kubernetes 1.38 is not supported yet; supported releases are 1.20 to 1.37"
        );
        assert_eq!(
            error("2.30"),
            "Kubernetes 2.30 is not supported yet; supported releases are 1.20 to 1.37"
        );
        assert_eq!(
            error("1.99999999999999999999"),
            "Kubernetes 1.99999999999999999999 is not supported yet; supported releases are 1.20 to 1.37"
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
}
