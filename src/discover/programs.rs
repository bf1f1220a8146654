//! Programs that declare node pools: what Pulumi and the CDK run, in Python, TypeScript, Go, Java and C#. They are not run here.

use std::collections::HashSet;

use super::File;
use crate::source::FileKind;
use crate::source::path::folder;

/// Files that say what runs the program in their folder.
const PROJECTS: [&str; 5] = [
    "Pulumi.yaml",
    "Pulumi.yml",
    "cdk.json",
    "cdktf.json",
    "cdk8s.yaml",
];

/// Takes out the programs in compiled languages that are below no project of Pulumi or the CDK, except those that the user
/// names: a repository may have very many, and reading all would take long. Returns the paths of those taken out.
pub(super) fn without_others(
    files: &mut Vec<File>,
    is_named: impl Fn(&File) -> bool,
) -> Vec<String> {
    let is_project = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        PROJECTS.contains(&name)
    };
    let projects: HashSet<String> = files
        .iter()
        .filter(|file| is_project(&file.path))
        .map(|file| folder(&file.path).to_owned())
        .collect();
    let is_other = |file: &File| {
        let mut at = &*file.path;
        FileKind::is_compiled(at)
            && loop {
                at = folder(at);
                if projects.contains(at) {
                    break false;
                }
                if at.is_empty() {
                    break true;
                }
            }
    };
    let mut others = Vec::new();
    files.retain(|file| {
        let is_other = is_other(file) && !is_named(file);
        if is_other {
            others.push(file.path.to_string());
        }
        !is_other
    });
    others
}

/// Parts of the names of packages that create infrastructure.
const PACKAGES: [&str; 11] = [
    "pulumi",
    "Pulumi",
    "aws_cdk",
    "aws-cdk",
    "awscdk",
    "Amazon.CDK",
    "cdktf",
    "Cdktf",
    "terraform-cdk-go",
    "cdk8s",
    "Cdk8s",
];

/// Words of a program that creates node pools.
const POOLS: [&str; 11] = [
    "AgentPool",
    "agentPool",
    "agent_pool",
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
    let is_code = |line: &&str| {
        let comments = ["#", "//", "/*", "* "];
        !comments.iter().any(|mark| line.starts_with(mark))
    };
    let code = || text.lines().map(str::trim_start).filter(is_code);
    let imports = code().any(|line| {
        let is_import = line.starts_with("import ")
            || line.starts_with("from ")
            || line.starts_with("} from ")
            || line.contains("require(")
            || line.starts_with("using ")
            || is_import_of_go(line);
        is_import && PACKAGES.iter().any(|name| line.contains(name))
    });
    imports
        && code().any(|line| mentions_taints(line) || POOLS.iter().any(|word| line.contains(word)))
}

/// Whether a line of Go is one of a block of imports: a path in quotes, which may have a name before it.
fn is_import_of_go(line: &str) -> bool {
    let Some((name, path)) = line.trim_end().split_once('"') else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ' ' | '\t');
    name.chars().all(is_name) && path.find('"').is_some_and(|end| end + 1 == path.len())
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
            "import (\n\t\"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks\"\n)\nfunc a() { eks.NewNodeGroup(ctx, \"gpu\", nil) }\n",
            "import (\n\tcdk \"github.com/aws/aws-cdk-go/awscdk/v2/awseks\"\n)\nfunc a() { c.AddNodegroupCapacity(nil, nil) }\n",
            "import com.pulumi.azurenative.containerservice.AgentPool;\nvar a = new AgentPool(\"gpu\");\n",
            "import software.amazon.awscdk.services.eks.*;\ncluster.addNodegroupCapacity(\"gpu\", a);\n",
            "using Pulumi.Gcp.Container;\nvar gpu = new NodePool(\"gpu\");\n",
            "using Amazon.CDK.AWS.EKS;\nvar a = new TaintSpec();\n",
        ] {
            assert!(declares_pools(text), "{text}");
        }
        for text in [
            "taints = ['a']\n",
            "import pulumi\nbucket = pulumi.export('a', tainted)\n",
            "import pulumi_aws as aws\n# No NodeGroup here, and no taints.\naws.s3.Bucket('a')\n",
            "import kubernetes\n# like pulumi\nnode.spec.taints.append(taint)\n",
            "import (\n\t\"k8s.io/api/core/v1\"\n)\n// like pulumi\nvar text = \"pulumi\"\nvar taints []v1.Taint\n",
            "import java.util.List;\n/* pulumi */\nList<Taint> taints;\n",
            "using System;\n// Pulumi\nvar pool = new NodePool();\n",
            "import { scan } from './scan';\n// pulumi\nconst isTainted = scan.taints;\n",
        ] {
            assert!(!declares_pools(text), "{text}");
        }
    }
}
