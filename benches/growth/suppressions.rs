//! Cases with many comments and annotations, most of which suppress findings.

use crate::kinds::{deployment, each, repeat, single};
use crate::{CHECK, Case};

const WRONG: &str = "tolerations: [{key: a, operator: Exists, value: v, effect: NoSchedule}]\n";

pub const CASES: &[Case] = &[
    Case {
        name: "unused suppressions",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!(
                    "# kubetaint: ignore[value-with-exists] why\n- {{key: k{at}, operator: Exists, effect: NoSchedule}}\n"
                )
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{list}")),
            )
        },
    },
    Case {
        name: "used suppressions",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!(
                    "# kubetaint: ignore[value-with-exists] why\n- {{key: k{at}, operator: Exists, value: v, effect: NoSchedule}}\n"
                )
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{list}")),
            )
        },
    },
    Case {
        name: "suppressions of many documents",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "---\n# kubetaint: ignore[value-with-exists, unknown-effect] why\n{}",
                    deployment(&format!("app-{at}"), WRONG)
                )
            });
            single("all.yaml", text)
        },
    },
    Case {
        name: "suppressions of many files",
        arguments: CHECK,
        from: 1_000,
        to: 32_000,
        files: |n| {
            each(n, |at| {
                (
                    format!("apps/{at}.yaml"),
                    format!(
                        "# kubetaint: ignore[value-with-exists, unknown-effect] why\n{}",
                        deployment(&format!("app-{at}"), WRONG)
                    ),
                )
            })
        },
    },
    Case {
        name: "suppressions above one another",
        arguments: CHECK,
        from: 1_000,
        to: 128_000,
        files: |n| {
            let comments = repeat(n, |_| {
                "# kubetaint: ignore[value-with-exists] why\n".to_owned()
            });
            single(
                "apps/web.yaml",
                format!("{comments}{}", deployment("web", WRONG)),
            )
        },
    },
    Case {
        name: "comments",
        arguments: CHECK,
        from: 4_000,
        to: 512_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!("# comment {at}\n- {{key: k{at}, operator: Exists}} # more\n")
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{list}")),
            )
        },
    },
    Case {
        name: "suppressing annotations",
        arguments: CHECK,
        from: 1_000,
        to: 64_000,
        files: |n| {
            let list = repeat(n, |at| format!("ignore.kubetaint.io/rule-{at}: why, "));
            let text = deployment("web", WRONG).replace(
                "namespace: shop",
                &format!("namespace: shop, annotations: {{{list}}}"),
            );
            single("apps/web.yaml", text)
        },
    },
];
