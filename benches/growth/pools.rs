//! Cases with many pools, taints and labels, and with names that are nearly those of pools.

use crate::kinds::{deployment, each, node_pool, pools, repeat, single, word};
use crate::{CHECK, Case, Files};

/// The word with its fifth letter changed.
fn misspelt(number: usize) -> String {
    let word = word(number);
    let letter = if &word[4..5] == "x" { "y" } else { "x" };
    format!("{}{letter}{}", &word[..4], &word[5..])
}

/// Workloads, each with a toleration of this key, and pools, each with a taint of that key.
fn keys(
    count: usize,
    tolerated: impl Fn(usize) -> String,
    tainted: impl Fn(usize) -> String,
) -> Files {
    let mut files = each(count, |at| {
        let lines = format!(
            "tolerations: [{{key: {}, operator: Exists, effect: NoSchedule}}]\n",
            tolerated(at)
        );
        (
            format!("apps/{at}.yaml"),
            deployment(&format!("app-{at}"), &lines),
        )
    });
    files.extend(each(count, |at| {
        let taints = format!("{{key: {}, value: v, effect: NoSchedule}}", tainted(at));
        (
            format!("pools/{at}.yaml"),
            node_pool(&format!("pool-{at}"), &format!("p{at}"), &taints),
        )
    }));
    files
}

/// A short name.
fn short(number: usize) -> String {
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
    format!(
        "{}{}{}",
        letter(number),
        letter(number / 26),
        letter(number / 676)
    )
}

pub const CASES: &[Case] = &[
    Case {
        name: "taints of one pool",
        arguments: CHECK,
        from: 500,
        to: 128_000,
        files: |n| {
            let taints = repeat(n, |at| {
                format!(
                    "{{key: acme.com/{}, value: v{at}, effect: NoSchedule}}, ",
                    word(at)
                )
            });
            let mut files = single("pools/a.yaml", node_pool("a", "a", &taints));
            files.extend(single(
                "apps/web.yaml",
                deployment("web", "nodeSelector: {acme.com/pool: a}\n"),
            ));
            files
        },
    },
    Case {
        name: "taints of one pool and one key",
        arguments: CHECK,
        from: 500,
        to: 128_000,
        files: |n| {
            let taints = repeat(n, |at| {
                format!("{{key: acme.com/a, value: v{at}, effect: NoSchedule}}, ")
            });
            single("pools/a.yaml", node_pool("a", "a", &taints))
        },
    },
    Case {
        name: "taints of one pool, tolerations of one list",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let taints = repeat(n, |at| {
                format!(
                    "{{key: acme.com/{}, value: v{at}, effect: NoSchedule}}, ",
                    word(at)
                )
            });
            let list = repeat(n, |at| {
                format!(
                    "- {{key: acme.com/{}, value: v{at}, effect: NoSchedule}}\n",
                    word(at)
                )
            });
            let mut files = single("pools/a.yaml", node_pool("a", "a", &taints));
            let lines = format!("nodeSelector: {{acme.com/pool: a}}\ntolerations:\n{list}");
            files.extend(single("apps/web.yaml", deployment("web", &lines)));
            files
        },
    },
    Case {
        name: "pools of one taint",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let mut files = each(n, |at| {
                let taints = "{key: acme.com/gpu, value: v, effect: NoSchedule}";
                (
                    format!("pools/{at}.yaml"),
                    node_pool(&format!("pool-{at}"), &format!("p{at}"), taints),
                )
            });
            files.extend(each(n, |at| {
                let lines = format!("nodeSelector: {{acme.com/pool: p{at}}}\ntolerations: [{{key: acme.com/gpu, value: w{at}, effect: NoSchedule}}]\n");
                (format!("apps/{at}.yaml"), deployment(&format!("app-{at}"), &lines))
            }));
            files
        },
    },
    Case {
        name: "pools of one taint, one workload",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let mut files = each(n, |at| {
                let taints = "{key: acme.com/gpu, value: v, effect: NoSchedule}";
                (
                    format!("pools/{at}.yaml"),
                    node_pool(&format!("pool-{at}"), "gpu", taints),
                )
            });
            let lines = "nodeSelector: {acme.com/pool: gpu}\ntolerations: [{key: acme.com/gpu, value: w, effect: NoSchedule}]\n";
            files.extend(single("apps/web.yaml", deployment("web", lines)));
            files
        },
    },
    Case {
        name: "pools in one file",
        arguments: CHECK,
        from: 500,
        to: 32_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "---\n{}",
                    node_pool(
                        &format!("pool-{at}"),
                        &format!("p{at}"),
                        &format!(
                            "{{key: acme.com/{}, value: v, effect: NoSchedul}}",
                            word(at)
                        )
                    )
                )
            });
            single("pools.yaml", text)
        },
    },
    Case {
        name: "nodes of an inventory",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "- {{apiVersion: v1, kind: Node, metadata: {{name: n{at}, labels: {{kubernetes.io/hostname: n{at}, acme.com/pool: p{}}}}}, spec: {{taints: [{{key: acme.com/{}, effect: NoSchedule}}]}}}}\n",
                    at / 10,
                    word(at / 10)
                )
            });
            let mut files = single(
                "nodes.yaml",
                format!("apiVersion: v1\nkind: List\nitems:\n{text}"),
            );
            files.extend(single(
                ".kubetaint.yaml",
                "clusters: {prod: {paths: ['**'], complete: true, inventory: [nodes.yaml]}}\n"
                    .to_owned(),
            ));
            files.extend(each(n / 10, |at| {
                let lines = format!("nodeSelector: {{acme.com/pool: p{at}}}\n");
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            }));
            files
        },
    },
    Case {
        name: "misspelt keys beside keys of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            keys(
                n,
                |at| format!("acme.com/{}", misspelt(at)),
                |at| format!("acme.com/{}", word(at)),
            )
        },
    },
    Case {
        name: "misspelt prefixes beside keys of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            keys(
                n,
                |at| format!("acmee.com/{}", word(at)),
                |at| format!("acme.com/{}", word(at)),
            )
        },
    },
    Case {
        name: "short keys beside short keys of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| keys(n, |at| short(2 * at), |at| short(2 * at + 1)),
    },
    Case {
        name: "numbered keys beside numbered keys of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| keys(n, |at| format!("team-{at}a"), |at| format!("team-{at}")),
    },
    Case {
        name: "misspelt values beside values of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let lines = format!(
                    "tolerations: [{{key: acme.com/team, value: {}, effect: NoSchedule}}]\n",
                    misspelt(at)
                );
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            });
            files.extend(each(n, |at| {
                let taints = format!(
                    "{{key: acme.com/team, value: {}, effect: NoSchedule}}",
                    word(at)
                );
                (
                    format!("pools/{at}.yaml"),
                    node_pool(&format!("pool-{at}"), &format!("p{at}"), &taints),
                )
            }));
            files
        },
    },
    Case {
        name: "misspelt selectors beside labels of pools",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                let lines = format!("nodeSelector: {{acme.com/pool: {}}}\n", misspelt(at));
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            });
            files.extend(each(n, |at| {
                (
                    format!("pools/{at}.yaml"),
                    node_pool(&format!("pool-{at}"), &word(at), ""),
                )
            }));
            files
        },
    },
    Case {
        name: "misspelt keys in one list beside keys of pools",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!(
                    "- {{key: acme.com/{}, operator: Exists, effect: NoSchedule}}\n",
                    misspelt(at)
                )
            });
            let mut files = single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{list}")),
            );
            files.extend(each(n, |at| {
                let taints = format!(
                    "{{key: acme.com/{}, value: v, effect: NoSchedule}}",
                    word(at)
                );
                (
                    format!("pools/{at}.yaml"),
                    node_pool(&format!("pool-{at}"), &format!("p{at}"), &taints),
                )
            }));
            files
        },
    },
    Case {
        name: "labels of one pool",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let labels = repeat(n, |at| format!(", acme.com/{}: v{at}", word(at)));
            let text = node_pool("a", &format!("a{labels}"), "");
            let mut files = single("pools/a.yaml", text);
            files.extend(each(20, |at| {
                let lines = format!("nodeSelector: {{acme.com/{}: v}}\n", misspelt(at));
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), &lines),
                )
            }));
            files
        },
    },
    Case {
        name: "pools beside one another, no workload",
        arguments: CHECK,
        from: 1_000,
        to: 32_000,
        files: pools,
    },
];
