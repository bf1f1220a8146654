//! Programs that declare node pools: what Pulumi and the CDK run, in Python and TypeScript. They are not run here.

/// Parts of the names of packages that create infrastructure.
const PACKAGES: [&str; 5] = ["pulumi", "aws_cdk", "aws-cdk", "cdktf", "cdk8s"];

/// Words of a program that creates node pools.
const POOLS: [&str; 8] = [
    "NodeGroup",
    "Nodegroup",
    "nodeGroup",
    "node_group",
    "nodegroup",
    "NodePool",
    "nodePool",
    "node_pool",
];

/// Whether a program imports such a package and mentions node pools or taints, comments aside.
pub fn declares_pools(text: &str) -> bool {
    // Most programs import none.
    if !PACKAGES.iter().any(|name| text.contains(name)) {
        return false;
    }
    let is_code = |line: &&str| !line.starts_with('#') && !line.starts_with("//");
    let code = || text.lines().map(str::trim_start).filter(is_code);
    let imports = code().any(|line| {
        let is_import = line.starts_with("import ")
            || line.starts_with("from ")
            || line.starts_with("} from ")
            || line.contains("require(");
        is_import && PACKAGES.iter().any(|name| line.contains(name))
    });
    imports
        && code().any(|line| mentions_taints(line) || POOLS.iter().any(|word| line.contains(word)))
}

/// Whether a line has the word `taint` or `taints`, also as a part of a name. `tainted` is another word.
fn mentions_taints(line: &str) -> bool {
    ["taint", "Taint"].iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let after = line.get(at + word.len()..).unwrap_or_default();
            let after = after.strip_prefix('s').unwrap_or(after);
            !after.starts_with(|c: char| c.is_ascii_lowercase())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::declares_pools;

    #[test]
    fn a_program_declares_pools_if_it_imports_what_creates_them_and_mentions_them() {
        for text in [
            "import pulumi_aws as aws\naws.eks.NodeGroup('gpu', taints=[])\n",
            "from aws_cdk import aws_eks as eks\ncluster.add_nodegroup_capacity('gpu')\n",
            "import * as gcp from \"@pulumi/gcp\";\nnew gcp.container.NodePool(\"gpu\", {});\n",
            "import {\n  Cluster,\n} from 'aws-cdk-lib/aws-eks';\nconst a = { nodeTaints: [] };\n",
            "const aws = require('@pulumi/aws');\nconst a = { taints: [] };\n",
        ] {
            assert!(declares_pools(text), "{text}");
        }
        for text in [
            "taints = ['a']\n",
            "import pulumi\nbucket = pulumi.export('a', tainted)\n",
            "import pulumi_aws as aws\n# No NodeGroup here, and no taints.\naws.s3.Bucket('a')\n",
            "import kubernetes\n# like pulumi\nnode.spec.taints.append(taint)\n",
            "import { scan } from './scan';\n// pulumi\nconst isTainted = scan.taints;\n",
        ] {
            assert!(!declares_pools(text), "{text}");
        }
    }
}
