//! Addresses that charts are installed from, in the spellings of different tools.

/// Whether the address of a repository, or of the chart itself, is one of those that a chart is published at.
pub fn is_one_of(published: &[String], chart: &str, address: &str) -> bool {
    let given = plain(address);
    let whole = format!("{given}/{chart}");
    published
        .iter()
        .map(|one| plain(one))
        .any(|known| known == given || known == whole)
}

/// An address without its scheme, and without what makes no difference.
fn plain(address: &str) -> String {
    let bare = address
        .split_once("://")
        .map_or(address, |(_, rest)| rest)
        .trim_end_matches('/');
    let bare = bare.strip_suffix("/index.yaml").unwrap_or(bare);
    let (host, rest) = bare.split_once('/').unwrap_or((bare, ""));
    let host = host.to_ascii_lowercase();
    // The two names of one registry.
    let host = match host.as_str() {
        "docker.io" | "index.docker.io" => "registry-1.docker.io",
        host => host,
    };
    match rest {
        "" => host.to_owned(),
        rest => format!("{host}/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_recognised_in_the_spellings_of_different_tools() {
        let published = [
            "https://charts.example.com/stable".to_owned(),
            "oci://registry.example.com/charts/web".to_owned(),
        ];
        let is = |address: &str| is_one_of(&published, "web", address);
        assert!(is("https://charts.example.com/stable/"));
        assert!(is("https://Charts.Example.com/stable"));
        assert!(is("oci://registry.example.com/charts"));
        assert!(is("oci://registry.example.com/charts/web"));
        assert!(is("registry.example.com/charts"));
        assert!(!is("https://charts.example.com"));
        assert!(!is("oci://registry.example.com/charts/api"));
    }

    #[test]
    fn both_names_of_one_registry_are_the_same() {
        let published = ["oci://registry-1.docker.io/example/web".to_owned()];
        assert!(is_one_of(&published, "web", "oci://docker.io/example"));
    }
}
