//! Cases about what writes files: fixes, patches, comments that suppress, and baselines.

use crate::kinds::{deployment, each, repeat, single};
use crate::lists::tolerations;
use crate::{Case, Files};

const WRONG: &str = "tolerations: [{key: a, operator: Exists, value: v, effect: NoSchedule}]\n";

/// A list of tolerations that can each be fixed.
fn list(count: usize) -> Files {
    tolerations(count, |at| {
        format!("key: k{at}, operator: Exists, value: v, effect: NoSchedule")
    })
}

/// A list of tolerations in block style that can each be fixed.
fn block_list(count: usize) -> Files {
    let lines = repeat(count, |at| {
        format!("- key: k{at}\n  operator: Exists\n  value: v\n  effect: NoSchedule\n")
    });
    single(
        "apps/web.yaml",
        deployment("web", &format!("tolerations:\n{lines}")),
    )
}

/// A file of documents that can each be fixed.
fn documents(count: usize) -> Files {
    single(
        "all.yaml",
        repeat(count, |at| {
            format!("---\n{}", deployment(&format!("app-{at}"), WRONG))
        }),
    )
}

fn many_files(count: usize) -> Files {
    each(count, |at| {
        (
            format!("apps/{at}.yaml"),
            deployment(&format!("app-{at}"), WRONG),
        )
    })
}

const FIX: &[&str] = &["check", "--fix"];
const UNSAFE: &[&str] = &["check", "--unsafe-fixes"];
const DIFF: &[&str] = &["check", "--fix", "--diff"];
const ADD: &[&str] = &["check", "--add-ignores", "why"];
const ADD_DIFF: &[&str] = &["check", "--add-ignores", "why", "--diff"];

pub const CASES: &[Case] = &[
    case("--fix in one list", FIX, list),
    case("--fix in one list in block style", FIX, block_list),
    case("--fix in one file", FIX, documents),
    case("--fix in many files", FIX, many_files),
    case("--unsafe-fixes of equal tolerations", UNSAFE, |n| {
        tolerations(n, |_| {
            "key: a, operator: Exists, effect: NoSchedule".to_owned()
        })
    }),
    case(
        "--unsafe-fixes of equal tolerations in block style",
        UNSAFE,
        |n| {
            let lines = repeat(n, |_| {
                "- key: a\n  operator: Exists\n  effect: NoSchedule\n".to_owned()
            });
            single(
                "apps/web.yaml",
                deployment("web", &format!("tolerations:\n{lines}")),
            )
        },
    ),
    case("--fix --diff in one list", DIFF, list),
    case("--fix --diff in one file", DIFF, documents),
    case("--fix --diff of equal lines", DIFF, |n| {
        tolerations(n, |_| {
            "key: a, operator: Exists, value: v, effect: NoSchedule".to_owned()
        })
    }),
    case("--add-ignores in one list", ADD, list),
    case("--add-ignores in one list in block style", ADD, block_list),
    case("--add-ignores in one file", ADD, documents),
    case("--add-ignores in many files", ADD, many_files),
    case("--add-ignores --diff in one file", ADD_DIFF, documents),
    case("--add-ignores in one line", ADD, |n| {
        let list = repeat(n, |at| {
            format!("{{key: k{at}, operator: Exists, value: v, effect: NoSchedule}}, ")
        });
        single(
            "apps/web.yaml",
            deployment("web", &format!("tolerations: [{list}]\n")),
        )
    }),
    case(
        "--write-baseline of one file",
        &["check", "--write-baseline", "base.yaml"],
        documents,
    ),
    case(
        "--baseline that matches nothing",
        &["check", "--baseline", "base.yaml"],
        |n| {
            let entries = repeat(n, |at| {
                format!(
                    "- {{rule: value-with-exists, file: apps/{at}.yaml, object: Deployment shop/app-{at}, fingerprint: '{at:016x}'}}\n"
                )
            });
            let mut files = many_files(20);
            files.extend(single(
                "base.yaml",
                format!("version: 1\nfindings:\n{entries}"),
            ));
            files
        },
    ),
    case(
        "--baseline beside many files",
        &["check", "--baseline", "base.yaml"],
        |n| {
            let entries = repeat(n, |at| {
                format!(
                    "- {{rule: value-with-exists, file: apps/{at}.yaml, object: Deployment shop/app-{at}, fingerprint: '{at:016x}'}}\n"
                )
            });
            let mut files = many_files(n);
            files.extend(single(
                "base.yaml",
                format!("version: 1\nfindings:\n{entries}"),
            ));
            files
        },
    ),
    case("exceptions of a rule", &["check"], |n| {
        let list = repeat(n, |at| format!("    - {{path: 'apps/{at}.yaml'}}\n"));
        let mut files = many_files(n);
        files.extend(single(
            ".kubetaint.yaml",
            format!("rules:\n  value-with-exists:\n    except:\n{list}"),
        ));
        files
    }),
];

const fn case(
    name: &'static str,
    arguments: &'static [&'static str],
    files: fn(usize) -> Files,
) -> Case {
    Case {
        name,
        arguments,
        from: 250,
        to: 64_000,
        files,
    }
}
