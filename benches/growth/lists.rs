//! Cases with long lists of tolerations and long maps.

use crate::kinds::{deployment, node_pool, repeat, single, word};
use crate::{CHECK, Case, Files};

/// A Deployment with a list of tolerations, one line for each.
pub fn tolerations(count: usize, one: impl Fn(usize) -> String) -> Files {
    let mut lines = "tolerations:\n".to_owned();
    lines.push_str(&repeat(count, |at| format!("- {{{}}}\n", one(at))));
    single("apps/web.yaml", deployment("web", &lines))
}

const MOST: usize = 256_000;

pub const CASES: &[Case] = &[
    Case {
        name: "tolerations of one key",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| tolerations(n, |at| format!("key: a, value: v{at}, effect: NoSchedule")),
    },
    Case {
        name: "tolerations of one key with seconds",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            tolerations(n, |at| {
                format!("key: a, value: v{at}, effect: NoExecute, tolerationSeconds: {at}")
            })
        },
    },
    Case {
        name: "tolerations of one key, all equal",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| tolerations(n, |_| "key: a, value: v, effect: NoSchedule".to_owned()),
    },
    Case {
        name: "tolerations without effect, and with",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            tolerations(n, |at| match at % 3 {
                0 => format!("key: a, value: v{at}"),
                1 => format!("key: a, value: v{}, effect: NoExecute", at - 1),
                _ => format!("key: a, operator: Lt, value: '{at}', effect: NoSchedule"),
            })
        },
    },
    Case {
        name: "tolerations of distinct keys",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| tolerations(n, |at| format!("key: {}, operator: Exists", word(at))),
    },
    Case {
        name: "tolerations that are all wrong",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            tolerations(n, |at| {
                format!("key: k{at}, operator: Exists, value: v, efect: NoSchedule")
            })
        },
    },
    Case {
        name: "tolerations that are unknown",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            tolerations(n, |at| {
                format!("key: '${{KEY_{at}}}', value: '${{VALUE}}', effect: NoSchedule")
            })
        },
    },
    Case {
        name: "tolerations of one key, one pool",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let mut files = tolerations(n, |at| {
                format!("key: a.com/a, value: v{at}, effect: NoSchedule")
            });
            files.extend(single(
                "pools/a.yaml",
                node_pool("a", "a", "{key: a.com/a, value: w, effect: NoSchedule}"),
            ));
            files
        },
    },
    Case {
        name: "duplicate keys of a map",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let lines = repeat(n, |at| format!("  k{}: {at}\n", at % 10));
            single(
                "apps/web.yaml",
                deployment("web", &format!("nodeSelector:\n{lines}")),
            )
        },
    },
    Case {
        name: "duplicate keys of a pod spec",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let lines = repeat(n, |at| {
                format!("tolerations: [{{key: k{at}, operator: Exists}}]\n")
            });
            single("apps/web.yaml", deployment("web", &lines))
        },
    },
    Case {
        name: "keys of one map, no two equal",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let lines = repeat(n, |at| format!("  acme.com/k{at}: v\n"));
            single(
                "apps/web.yaml",
                deployment("web", &format!("nodeSelector:\n{lines}")),
            )
        },
    },
    Case {
        name: "unknown fields of a pod spec",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let lines = repeat(n, |at| format!("tolerationz{at}: []\n"));
            single("apps/web.yaml", deployment("web", &lines))
        },
    },
    Case {
        name: "lists in one values file",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "c{at}:\n  tolerations:\n  - {{key: acme.com/k{at}, operator: Exists, effect: NoSchedule}}\n"
                )
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "wrong lists in one values file",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "c{at}:\n  tolerations:\n  - {{key: acme.com/k{at}, operator: Exists, value: v, efect: NoSchedule}}\n"
                )
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "lists below each other in a values file",
        arguments: CHECK,
        from: 100,
        to: 4_000,
        files: |n| {
            let text = repeat(n, |at| {
                let pad = " ".repeat(at);
                format!("{pad}tolerations: [{{key: k{at}, operator: Exists, value: v}}]\n{pad}c:\n")
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "terms of node affinity",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let terms = repeat(n, |at| {
                format!(
                    "      - matchExpressions: [{{key: acme.com/pool, operator: In, values: [v{at}]}}]\n"
                )
            });
            let lines = format!(
                "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms:\n{terms}"
            );
            let mut files = single("apps/web.yaml", deployment("web", &lines));
            files.extend(crate::kinds::pools(20));
            files
        },
    },
    Case {
        name: "values of one node affinity",
        arguments: CHECK,
        from: 1_000,
        to: MOST,
        files: |n| {
            let values = repeat(n, |at| format!("v{at}, "));
            let lines = format!(
                "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms:\n      - matchExpressions: [{{key: acme.com/pool, operator: In, values: [{values}]}}]\n"
            );
            let mut files = single("apps/web.yaml", deployment("web", &lines));
            files.extend(crate::kinds::pools(20));
            files
        },
    },
];
