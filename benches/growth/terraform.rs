//! Cases with Terraform configurations.

use crate::kinds::{each, repeat, single, word};
use crate::{CHECK, Case, Files};

fn pool(name: &str, taint: &str) -> String {
    format!(
        "resource \"azurerm_kubernetes_cluster_node_pool\" \"{name}\" {{\n  name = \"{name}\"\n  node_taints = [\"{taint}\"]\n}}\n"
    )
}

pub const CASES: &[Case] = &[
    Case {
        name: "pools of one Terraform file",
        arguments: CHECK,
        from: 100,
        to: 25_600,
        files: |n| {
            single(
                "main.tf",
                repeat(n, |at| {
                    pool(
                        &format!("p{at}"),
                        &format!("acme.com/{}=v:NoSchedul", word(at)),
                    )
                }),
            )
        },
    },
    Case {
        name: "files of one Terraform folder",
        arguments: CHECK,
        from: 100,
        to: 12_800,
        files: |n| {
            each(n, |at| {
                (
                    format!("{at}.tf"),
                    pool(
                        &format!("p{at}"),
                        &format!("acme.com/{}=v:NoSchedul", word(at)),
                    ),
                )
            })
        },
    },
    Case {
        name: "Terraform folders",
        arguments: CHECK,
        from: 100,
        to: 12_800,
        files: |n| {
            each(n, |at| {
                (
                    format!("f{at}/main.tf"),
                    pool("p", &format!("acme.com/{}=v:NoSchedul", word(at))),
                )
            })
        },
    },
    Case {
        name: "locals that build on each other",
        arguments: CHECK,
        from: 100,
        to: 25_600,
        files: |n| {
            let locals = repeat(n, |at| match at {
                0 => "  l0 = \"NoSchedul\"\n".to_owned(),
                _ => format!("  l{at} = local.l{}\n", at - 1),
            });
            single(
                "main.tf",
                format!(
                    "locals {{\n{locals}}}\n{}",
                    pool("p", &format!("a.com/a=v:${{local.l{}}}", n - 1))
                ),
            )
        },
    },
    Case {
        name: "a list that grows by concat",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let locals = repeat(n, |at| match at {
                0 => "  l0 = [\"a=0:NoSchedule\"]\n".to_owned(),
                _ => format!(
                    "  l{at} = concat(local.l{}, [\"a=v{at}:NoSchedule\"])\n",
                    at - 1
                ),
            });
            let pool = format!(
                "resource \"azurerm_kubernetes_cluster_node_pool\" \"p\" {{\n  name = \"p\"\n  node_taints = local.l{}\n}}\n",
                n - 1
            );
            single("main.tf", format!("locals {{\n{locals}}}\n{pool}"))
        },
    },
    Case {
        name: "count in nested modules",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let calls = |count: usize, of: &str| {
                repeat(count, |at| {
                    format!("module \"m{at}\" {{\n  source = \"{of}\"\n  count = 5\n}}\n")
                })
            };
            vec![
                ("main.tf".to_owned(), calls(n, "./a")),
                ("a/main.tf".to_owned(), calls(1, "./b")),
                (
                    "a/b/main.tf".to_owned(),
                    pool("p", "a=v:NoSchedul").replace("}\n", "  count = 3\n}\n"),
                ),
            ]
        },
    },
    Case {
        name: "for_each over pools of a map",
        arguments: CHECK,
        from: 50,
        to: 25_600,
        files: |n| {
            let map = repeat(n, |at| {
                format!(
                    "    p{at} = {{ taints = [\"acme.com/{}=v:NoSchedule\"] }}\n",
                    word(at)
                )
            });
            single(
                "main.tf",
                format!(
                    "locals {{\n  pools = {{\n{map}  }}\n}}\nresource \"azurerm_kubernetes_cluster_node_pool\" \"p\" {{\n  for_each = local.pools\n  name = each.key\n  node_taints = each.value.taints\n}}\n"
                ),
            )
        },
    },
    Case {
        name: "tfvars files",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let mut files = single(
                "main.tf",
                format!(
                    "variable \"taint\" {{\n  type = string\n}}\n{}",
                    pool("p", "${var.taint}")
                ),
            );
            files.extend(each(n, |at| {
                (
                    format!("env/e{at}.tfvars"),
                    format!("taint = \"acme.com/{}=v:NoSchedul\"\n", word(at)),
                )
            }));
            files
        },
    },
    Case {
        name: "calls of one module",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let calls = repeat(n, |at| {
                format!(
                    "module \"m{at}\" {{\n  source = \"./a\"\n  taint = \"acme.com/{}=v:NoSchedul\"\n}}\n",
                    word(at)
                )
            });
            let mut files = single("main.tf", calls);
            files.extend(single(
                "a/main.tf",
                format!("variable \"taint\" {{}}\n{}", pool("p", "${var.taint}")),
            ));
            files
        },
    },
    Case {
        name: "folders that call one module",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let mut files: Files = each(n, |at| {
                (
                    format!("live/f{at}/main.tf"),
                    format!(
                        "module \"m\" {{\n  source = \"../../a\"\n  taint = \"acme.com/{}=v:NoSchedul\"\n}}\n",
                        word(at)
                    ),
                )
            });
            files.extend(single(
                "a/main.tf",
                format!("variable \"taint\" {{}}\n{}", pool("p", "${var.taint}")),
            ));
            files
        },
    },
    Case {
        name: "templates of Terraform with a manifest",
        arguments: CHECK,
        from: 50,
        to: 6_400,
        files: |n| {
            let lines = repeat(n, |at| {
                format!(
                    "%{{ if var.v{at} }}\n  - {{key: k{at}, operator: Exists, value: v}}\n%{{ endif }}\n"
                )
            });
            single(
                "main.tf",
                format!(
                    "variable \"v\" {{}}\nresource \"kubectl_manifest\" \"a\" {{\n  yaml_body = <<EOT\napiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: []\n  tolerations:\n{lines}EOT\n}}\n"
                ),
            )
        },
    },
    Case {
        name: "nested parentheses",
        arguments: CHECK,
        from: 250,
        to: 64_000,
        files: |n| {
            single(
                "main.tf",
                pool("p", &format!("${{{}1{}}}", "(".repeat(n), ")".repeat(n))),
            )
        },
    },
    Case {
        name: "broken blocks",
        arguments: CHECK,
        from: 250,
        to: 64_000,
        files: |n| {
            single(
                "main.tf",
                repeat(n, |at| {
                    format!(
                        "resource \"azurerm_kubernetes_cluster_node_pool\" \"p{at}\" {{\n  node_taints = [\"a\"\n"
                    )
                }),
            )
        },
    },
];
