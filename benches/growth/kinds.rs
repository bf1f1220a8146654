//! Texts of objects that the cases are made of, and cases with many objects of one kind.

use crate::{CHECK, Case, Files};

/// A Deployment whose pod spec has these lines, without indentation.
pub fn deployment(name: &str, lines: &str) -> String {
    workload("Deployment", name, lines)
}

/// A workload whose pod spec has these lines, without indentation.
pub fn workload(kind: &str, name: &str, lines: &str) -> String {
    let mut text = format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      \
         containers: [{{name: a, image: a}}]\n"
    );
    for line in lines.lines() {
        text.push_str("      ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A NodePool of Karpenter with a label and these taints, in flow style.
pub fn node_pool(name: &str, label: &str, taints: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    \
         metadata: {{labels: {{acme.com/pool: {label}}}}}\n    spec:\n      \
         nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}\n      taints: [{taints}]\n"
    )
}

/// One text for each number, joined.
pub fn repeat(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// One file for each number.
pub fn each(count: usize, one: impl Fn(usize) -> (String, String)) -> Files {
    (0..count).map(one).collect()
}

/// A file by itself.
pub fn single(path: &str, text: String) -> Files {
    vec![(path.to_owned(), text)]
}

/// A word for each number; no two are near to each other.
pub fn word(number: usize) -> String {
    let mut state = (number as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut word = String::new();
    for _ in 0..10 {
        state ^= state >> 29;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let letter = (state >> 40) % 26;
        word.push(char::from(b'a' + letter as u8));
    }
    word
}

pub const CASES: &[Case] = &[
    Case {
        name: "tolerations x pools, distinct",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let key = word(at);
                let lines = format!(
                    "tolerations: [{{key: acme.com/{key}, operator: Exists, effect: NoSchedule}}]\n"
                );
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            });
            files.extend(pools(n / 20));
            files
        },
    },
    Case {
        name: "workloads x pools, each with its own selector",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let pool = at % (n / 20);
                let key = word(pool + 1_000_000);
                let lines = format!(
                    "nodeSelector: {{acme.com/pool: {pool}-x}}\n\
                     tolerations: [{{key: acme.com/{key}, value: v{at}, effect: NoSchedule}}]\n"
                );
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            });
            files.extend(pools(n / 20));
            files
        },
    },
    Case {
        name: "workloads with selectors of no pool",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let lines = format!("nodeSelector: {{acme.com/pool: {}}}\n", word(at));
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            });
            files.extend(pools(n));
            files
        },
    },
    Case {
        name: "DaemonSets and as many pools",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let key = word(at + 1_000_000);
                let lines = format!("tolerations: [{{key: acme.com/{key}, operator: Exists}}]\n");
                (
                    format!("apps/{at}.yaml"),
                    workload("DaemonSet", &format!("agent-{at}"), &lines),
                )
            });
            files.extend(pools(n));
            files
        },
    },
    Case {
        name: "objects of one name",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            each(n, |at| {
                let lines = format!(
                    "nodeSelector: {{acme.com/pool: p{}}}\ntolerations: [{{key: gpu, operator: Exist, value: v{at}}}]\n",
                    at % 7
                );
                (format!("apps/{at}.yaml"), deployment("app", &lines))
            })
        },
    },
    Case {
        name: "siblings in one file",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                let lines = match at % 50 {
                    0 => "",
                    _ => {
                        "tolerations: [{key: acme.com/gpu, operator: Exists, effect: NoSchedule}]\n"
                    }
                };
                format!("---\n{}", deployment(&format!("shop-{}", word(at)), lines))
            });
            single("shop/all.yaml", text)
        },
    },
    Case {
        name: "siblings in one folder",
        arguments: CHECK,
        from: 500,
        to: 32_000,
        files: |n| {
            each(n, |at| {
                let lines = match at % 50 {
                    0 => String::new(),
                    _ => format!(
                        "tolerations: [{{key: acme.com/gpu, value: v{}, effect: NoSchedule}}]\n",
                        at % 40
                    ),
                };
                (
                    format!("shop/{at}.yaml"),
                    deployment(&format!("shop-{}", word(at)), &lines),
                )
            })
        },
    },
    Case {
        name: "folders of their own",
        arguments: CHECK,
        from: 500,
        to: 32_000,
        files: |n| {
            each(n, |at| {
                let lines = format!(
                    "nodeSelector: {{acme.com/pool: {0}}}\ntolerations: [{{key: acme.com/{0}, operator: Exists}}]\n",
                    word(at)
                );
                (
                    format!("teams/{at}/apps/web/web.yaml"),
                    deployment("web", &lines),
                )
            })
        },
    },
];

/// Pools with keys of their own.
pub fn pools(count: usize) -> Files {
    each(count, |at| {
        let taints = format!(
            "{{key: acme.com/{}, value: yes-{at}, effect: NoSchedule}}",
            word(at + 1_000_000)
        );
        (
            format!("pools/{at}.yaml"),
            node_pool(&format!("pool-{at}"), &format!("{at}-x"), &taints),
        )
    })
}
