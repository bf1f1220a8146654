//! The names in the registry of the modules that sources mean.

use super::syntax::Block;

/// Returns the source of a `module` block in the registry's notation: `namespace/name/provider`, with `//folder` for a
/// submodule. Returns it as written if it is in no registry.
pub(super) fn registry_source(block: &Block) -> Option<String> {
    let source = block.body.attribute("source")?.plain_text()?;
    Some(registry_name(source).unwrap_or_else(|| source.to_owned()))
}

/// Returns the registry name of a module: `git::https://github.com/acme/terraform-aws-eks.git//modules/x?ref=v1` is
/// `acme/eks/aws//modules/x`.
fn registry_name(source: &str) -> Option<String> {
    let source = source.split('?').next().unwrap_or(source);
    let source = source.strip_prefix("git::").unwrap_or(source);
    let source = ["https://", "ssh://git@", "http://"]
        .iter()
        .find_map(|scheme| source.strip_prefix(scheme))
        .unwrap_or(source);
    let (whole, part) = match source.split_once("//") {
        Some((whole, part)) => (whole, Some(part.trim_end_matches('/'))),
        None => (source, None),
    };
    let whole = whole
        .strip_prefix("git@")
        .unwrap_or(whole)
        .replace("github.com:", "github.com/");
    let whole = whole.trim_end_matches('/').trim_end_matches(".git");
    let name = if let Some(repository) = whole.strip_prefix("github.com/") {
        let (owner, repository) = repository.split_once('/')?;
        match repository
            .strip_prefix("terraform-")
            .and_then(|rest| rest.split_once('-'))
        {
            Some((provider, name)) => format!("{owner}/{name}/{provider}"),
            // It is in no registry: use the name of its repository.
            None => format!("github.com/{owner}/{repository}"),
        }
    } else {
        let hosts = ["registry.terraform.io/", "registry.opentofu.org/"];
        let bare = hosts
            .iter()
            .find_map(|host| whole.strip_prefix(host))
            .unwrap_or(whole);
        if bare.split('/').count() != 3 || bare.contains([':', '\\', '.']) {
            return None;
        }
        bare.to_owned()
    };
    Some(match part {
        Some(part) if !part.is_empty() => format!("{name}//{part}"),
        _ => name,
    })
}

#[cfg(test)]
mod tests {
    use super::registry_name;

    #[test]
    fn every_spelling_of_a_source_is_one_module() {
        for source in [
            "terraform-aws-modules/eks/aws",
            "registry.terraform.io/terraform-aws-modules/eks/aws",
            "github.com/terraform-aws-modules/terraform-aws-eks",
            "git::https://github.com/terraform-aws-modules/terraform-aws-eks.git?ref=v20.1.0",
            "git@github.com:terraform-aws-modules/terraform-aws-eks.git",
        ] {
            let name = registry_name(source);
            assert_eq!(
                name.as_deref(),
                Some("terraform-aws-modules/eks/aws"),
                "{source}"
            );
        }
        assert_eq!(
            registry_name(
                "terraform-google-modules/kubernetes-engine/google//modules/private-cluster"
            )
            .as_deref(),
            Some("terraform-google-modules/kubernetes-engine/google//modules/private-cluster")
        );
        assert_eq!(registry_name("git::https://example.com/vpc.git"), None);
    }
}
