//! Cases about the form of files: many documents, findings and anchors, long lines and deep nesting.

use crate::kinds::{deployment, each, node_pool, repeat, single, word};
use crate::{CHECK, Case};

const WRONG: &str = "tolerations: [{key: a, operator: Exists, value: v, effect: NoSchedule}]\n";

pub const CASES: &[Case] = &[
    Case {
        name: "documents of one file",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "---\n{}",
                    deployment(&format!("app-{at}"), "nodeSelector: {a: b}\n")
                )
            });
            single("all.yaml", text)
        },
    },
    Case {
        name: "findings of one file",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            single(
                "all.yaml",
                repeat(n, |at| {
                    format!("---\n{}", deployment(&format!("app-{at}"), WRONG))
                }),
            )
        },
    },
    Case {
        name: "findings of one file, as text",
        arguments: &["check"],
        from: 1_000,
        to: 64_000,
        files: |n| {
            single(
                "all.yaml",
                repeat(n, |at| {
                    format!("---\n{}", deployment(&format!("app-{at}"), WRONG))
                }),
            )
        },
    },
    Case {
        name: "findings of one file, as SARIF",
        arguments: &["check", "--format", "sarif"],
        from: 1_000,
        to: 64_000,
        files: |n| {
            single(
                "all.yaml",
                repeat(n, |at| {
                    format!("---\n{}", deployment(&format!("app-{at}"), WRONG))
                }),
            )
        },
    },
    Case {
        name: "findings of one file, as Markdown and others",
        arguments: &[
            "check",
            "--format",
            "markdown",
            "--format",
            "github=a",
            "--format",
            "gitlab=b",
            "--format",
            "junit=c",
            "--format",
            "rdjson=d",
            "--format",
            "concise=e",
        ],
        from: 1_000,
        to: 64_000,
        files: |n| {
            single(
                "all.yaml",
                repeat(n, |at| {
                    format!("---\n{}", deployment(&format!("app-{at}"), WRONG))
                }),
            )
        },
    },
    Case {
        name: "findings of one line",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!("{{key: k{at}, operator: Exists, value: 'ü', effect: NoSchedule}}, ")
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations: [{list}]\n")),
            )
        },
    },
    Case {
        name: "findings of one line, as text",
        arguments: &["check"],
        from: 1_000,
        to: 128_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!("{{key: k{at}, operator: Exists, value: 'ü', effect: NoSchedule}}, ")
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations: [{list}]\n")),
            )
        },
    },
    Case {
        name: "findings of many files",
        arguments: CHECK,
        from: 1_000,
        to: 32_000,
        files: |n| {
            each(n, |at| {
                (
                    format!("apps/{at}.yaml"),
                    deployment(&format!("app-{at}"), WRONG),
                )
            })
        },
    },
    Case {
        name: "items of a List in JSON",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let items = repeat(n, |at| {
                format!(
                    "{}{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"p{at}\"}}, \"spec\": {{\"containers\": [], \"tolerations\": [{{\"key\": \"k{at}\", \"operator\": \"Exists\", \"value\": \"v\"}}]}}}}",
                    if at == 0 { "" } else { ", " }
                )
            });
            single(
                "all.json",
                format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{items}]}}"),
            )
        },
    },
    Case {
        name: "anchors and aliases of one list",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| match at {
                0 => {
                    "a0: &a\n  tolerations: &t [{key: a, operator: Exists, value: v}]\n".to_owned()
                }
                _ => format!("a{at}: {{tolerations: *t}}\n"),
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "anchors that are each used once",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "a{at}: &a{at} {{tolerations: [{{key: k{at}, operator: Exists, value: v}}]}}\nb{at}: *a{at}\n"
                )
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "merges of one map",
        arguments: CHECK,
        from: 500,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| match at {
                0 => "a0: &a {key: a, operator: Exists}\nlist:\n  tolerations:\n".to_owned(),
                _ => format!("  - {{<<: *a, value: v{at}}}\n"),
            });
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "nested maps",
        arguments: CHECK,
        from: 250,
        to: 8_000,
        files: |n| {
            let text = format!(
                "{}tolerations: [{{key: a, operator: Exists, value: v}}]{}",
                "a: {".repeat(n),
                "}".repeat(n)
            );
            single("chart/values.yaml", text)
        },
    },
    Case {
        name: "nested lists",
        arguments: CHECK,
        from: 250,
        to: 8_000,
        files: |n| {
            single(
                "chart/values.yaml",
                format!("tolerations: {}{}", "[".repeat(n), "]".repeat(n)),
            )
        },
    },
    Case {
        name: "a long text",
        arguments: CHECK,
        from: 16_000,
        to: 4_000_000,
        files: |n| {
            let text = repeat(n, |_| "  tolerations: x\n".to_owned());
            single(
                "apps/map.yaml",
                format!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n a: |\n{text}"
                ),
            )
        },
    },
    Case {
        name: "texts with manifests in them",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let text = repeat(n, |at| {
                let inner = deployment(&format!("app-{at}"), WRONG).replace('\n', "\n    ");
                format!("  a{at}.yaml: |\n    {inner}\n")
            });
            single(
                "apps/map.yaml",
                format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{text}"),
            )
        },
    },
    Case {
        name: "broken lines",
        arguments: CHECK,
        from: 1_000,
        to: 256_000,
        files: |n| {
            let list = repeat(n, |at| format!("- key: k{at}\n   operator: Exists\n"));
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{list}")),
            )
        },
    },
    Case {
        name: "broken documents",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!("---\n{}  bad: [\n", deployment(&format!("app-{at}"), WRONG))
            });
            single("all.yaml", text)
        },
    },
    Case {
        name: "heredocs of a script",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "kubectl apply -f - <<EOF{at}\n{}EOF{at}\n",
                    deployment(&format!("app-{at}"), WRONG)
                )
            });
            single("apply.sh", format!("#!/bin/sh\n{text}"))
        },
    },
    Case {
        name: "heredocs that do not end",
        arguments: CHECK,
        from: 250,
        to: 64_000,
        files: |n| {
            single(
                "apply.sh",
                format!(
                    "#!/bin/sh\n{}",
                    repeat(n, |at| format!("kubectl apply -f - <<EOF{at}\nkind: Pod\n"))
                ),
            )
        },
    },
    Case {
        name: "kubectl taint in a script",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "kubectl taint nodes n{at} acme.com/{}=v:NoSchedul\n",
                    word(at)
                )
            });
            single("taint.sh", format!("#!/bin/sh\n{text}"))
        },
    },
    Case {
        name: "kubectl taint of one pool's key",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!("kubectl taint nodes n{at} acme.com/gpu=v{at}:NoSchedule\n")
            });
            let mut files = single("taint.sh", format!("#!/bin/sh\n{text}"));
            let pool = node_pool(
                "a",
                "a",
                "{key: acme.com/gpu, value: v, effect: NoSchedule}",
            );
            files.extend(single("pool.yaml", pool));
            files.extend(each(20, |at| {
                (
                    format!("apps/{at}.yaml"),
                    deployment(
                        &format!("app-{at}"),
                        "tolerations: [{key: acme.com/gpu, value: w, effect: NoSchedule}]\n",
                    ),
                )
            }));
            files
        },
    },
];
