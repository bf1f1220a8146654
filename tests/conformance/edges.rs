//! The texts at which the checks of keys, values, integers, operators and effects turn.

pub const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

pub const WRONG_EFFECTS: [&str; 12] = [
    "noSchedule",
    "NOEXECUTE",
    "NoSchedule ",
    " NoExecute",
    "NoSchedule\n",
    "PreferredNoSchedule",
    "NoScheduleNoAdmit",
    "NO_SCHEDULE",
    "NoExec",
    "None",
    "NoSchedul\u{435}",
    " ",
];

pub const OPERATORS: [&str; 4] = ["Equal", "Exists", "Gt", "Lt"];

pub const WRONG_OPERATORS: [&str; 16] = [
    "equal", "exists", "EXISTS", "Exist", "Equals", "gt", "GT", "lt", "Gte", "Le", "In", "NotIn",
    "Exists ", " Equal", "=", "Gt\n",
];

pub const SELECTOR_OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

pub const WRONG_SELECTOR_OPERATORS: [&str; 10] = [
    "in",
    "notin",
    "NotExists",
    "Equal",
    "=",
    "gt",
    "Gte",
    "Lte",
    "In ",
    "",
];

/// Keys that meet each other often. None of them has an old name that means the same, and none comes and goes with a
/// node's state: there the model deliberately knows more than one object's text.
pub const KEYS: [&str; 8] = [
    "k",
    "K",
    "gpu",
    "dedicated",
    "example.com/gpu",
    "example.com/GPU",
    "example.org/gpu",
    "a.b-c/d_e.f",
];

pub const VALUES: [&str; 10] = ["", "v", "V", "true", "True", "1", "01", "gpu", "a.b", "-1"];

pub const INTEGERS: [&str; 44] = [
    "0",
    "-0",
    "+0",
    "00",
    "1",
    "-1",
    "+1",
    "01",
    "-01",
    "2",
    "9",
    "10",
    "99",
    "100",
    "007",
    "-7",
    "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808",
    "+9223372036854775807",
    "09223372036854775807",
    "-9223372036854775807",
    "-9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999",
    "-99999999999999999999",
    "18446744073709551616",
    "1_000",
    "0x10",
    "0b1",
    "0o7",
    "1e3",
    "1.0",
    "5.",
    ".5",
    "\u{663}",
    "\u{ff15}",
    " 5",
    "5 ",
    "5\n",
    "-",
    "+",
    "--1",
    "+-1",
];

/// Texts at the edges of what a label key or value may be.
pub fn edges() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "a",
        "Z",
        "9",
        "-",
        "_",
        ".",
        "/",
        "a-b",
        "-a",
        "a-",
        ".a",
        "a.",
        "_a",
        "a_",
        "a b",
        " a",
        "a ",
        "a\t",
        "a\n",
        "\na",
        "a\u{0}b",
        "a//b",
        "/a",
        "a/",
        "a/b",
        "a/b/c",
        "A/b",
        "a_b/c",
        "a..b/c",
        "-a/b",
        "a-/b",
        "a.-b/c",
        ".a/b",
        "a./b",
        "1/1",
        "a/-b",
        "a/b-",
        "a/b c",
        "a b/c",
        "example.com/a",
        "Example.com/a",
        "example.com/A",
        "example.com./a",
        "a=b",
        "a:b",
        "a,b",
        "a@b",
        "a+b",
        "a*b",
        "~",
        "true",
        "null",
        "\u{e9}",
        "\u{430}",
        "\u{ff41}",
        "a\u{200b}",
        "a\u{a0}",
        "\u{1f600}",
        "a\u{301}",
        "\u{130}",
        "\u{e9}.com/a",
        "a/\u{e9}",
        "x--y",
        "x__y",
        "x..y",
        "-5",
        "+5",
        "1.5",
    ]
    .map(str::to_owned)
    .into();
    for length in [62, 63, 64] {
        texts.push("n".repeat(length));
        texts.push(format!("{}-", "n".repeat(length - 1)));
        texts.push(format!("p/{}", "n".repeat(length)));
        // A part of a prefix has no limit of its own.
        texts.push(format!("{}.io/n", "p".repeat(length)));
    }
    for length in [252, 253, 254] {
        let prefix = format!("{}.io", "p".repeat(length - 3));
        texts.push(format!("{prefix}/n"));
        texts.push(format!("{prefix}/{}", "n".repeat(63)));
        texts.push(format!("{prefix}/{}", "n".repeat(64)));
    }
    // 62 and 64 bytes, 31 and 32 characters.
    texts.push("\u{e9}".repeat(31));
    texts.push("\u{e9}".repeat(32));
    texts.extend(INTEGERS.map(str::to_owned));
    for length in [18, 19, 20, 62, 63, 64] {
        texts.push("1".repeat(length));
        texts.push(format!("-{}", "1".repeat(length)));
        texts.push(format!("{}1", "0".repeat(length - 1)));
    }
    texts
}
