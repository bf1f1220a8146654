//! Cases with charts, their templates and values.

use crate::kinds::{deployment, each, repeat, single};
use crate::{CHECK, Case, Files};

const CHART: &str = "apiVersion: v2\nname: c\nversion: 0.1.0\n";

/// A chart with this template and these values.
fn chart(template: String, values: String) -> Files {
    vec![
        ("c/Chart.yaml".to_owned(), CHART.to_owned()),
        ("c/templates/a.yaml".to_owned(), template),
        ("c/values.yaml".to_owned(), values),
    ]
}

const PRINTED: &str = "tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n";
const VALUES: &str = "tolerations:\n- {key: a, operator: Exists, value: v}\n";

pub const CASES: &[Case] = &[
    Case {
        name: "branches of a template",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let lines = repeat(n, |at| {
                format!("{{{{- if .Values.v{at} }}}}\nl{at}: x\n{{{{- end }}}}\n")
            });
            chart(
                deployment("web", &format!("{PRINTED}{lines}")),
                VALUES.to_owned(),
            )
        },
    },
    Case {
        name: "branches of a template around tolerations",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let lines = repeat(n, |at| {
                format!(
                    "{{{{- if .Values.v{at} }}}}\n- {{key: k{at}, operator: Exists, value: v}}\n{{{{- end }}}}\n"
                )
            });
            chart(
                deployment("web", &format!("tolerations:\n{lines}")),
                VALUES.to_owned(),
            )
        },
    },
    Case {
        name: "branches within one another",
        arguments: CHECK,
        from: 25,
        to: 3_200,
        files: |n| {
            let open = repeat(n, |at| format!("{{{{- if .Values.v{at} }}}}\n"));
            let close = repeat(n, |_| "{{- end }}\n".to_owned());
            chart(
                deployment("web", &format!("{open}{PRINTED}{close}")),
                VALUES.to_owned(),
            )
        },
    },
    Case {
        name: "objects of one template",
        arguments: CHECK,
        from: 50,
        to: 6_400,
        files: |n| {
            let text = repeat(n, |at| {
                format!(
                    "---\n{}",
                    deployment(
                        &format!("'{{{{ .Release.Name }}}}-{at}'"),
                        &PRINTED.replace("tolerations |", &format!("c{at}.tolerations |"))
                    )
                )
            });
            let values = repeat(n, |at| {
                format!("c{at}:\n  tolerations:\n  - {{key: k{at}, operator: Exists, value: v}}\n")
            });
            chart(text, values)
        },
    },
    Case {
        name: "templates of one chart",
        arguments: CHECK,
        from: 50,
        to: 6_400,
        files: |n| {
            let mut files = single("c/Chart.yaml", CHART.to_owned());
            files.extend(each(n, |at| {
                let lines = PRINTED.replace("tolerations |", &format!("c{at}.tolerations |"));
                (
                    format!("c/templates/{at}.yaml"),
                    deployment(&format!("'{{{{ .Release.Name }}}}-{at}'"), &lines),
                )
            }));
            let values = repeat(n, |at| {
                format!("c{at}:\n  tolerations:\n  - {{key: k{at}, operator: Exists, value: v}}\n")
            });
            files.extend(single("c/values.yaml", values));
            files
        },
    },
    Case {
        name: "templates that print one value",
        arguments: CHECK,
        from: 50,
        to: 6_400,
        files: |n| {
            let mut files = single("c/Chart.yaml", CHART.to_owned());
            files.extend(each(n, |at| {
                (
                    format!("c/templates/{at}.yaml"),
                    deployment(&format!("'{{{{ .Release.Name }}}}-{at}'"), PRINTED),
                )
            }));
            files.extend(single("c/values.yaml", VALUES.to_owned()));
            files
        },
    },
    Case {
        name: "a chain of includes",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let helpers = repeat(n, |at| {
                format!(
                    "{{{{- define \"c{at}\" }}}}{{{{ include \"c{}\" . }}}}{{{{- end }}}}\n",
                    at + 1
                )
            });
            let helpers = format!(
                "{helpers}{{{{- define \"c{n}\" }}}}{{{{ toYaml .Values.tolerations | nindent 8 }}}}{{{{- end }}}}\n"
            );
            let mut files = chart(
                deployment("web", "tolerations: {{- include \"c0\" . }}\n"),
                VALUES.to_owned(),
            );
            files.extend(single("c/templates/_helpers.tpl", helpers));
            files
        },
    },
    Case {
        name: "includes of one helper",
        arguments: CHECK,
        from: 50,
        to: 6_400,
        files: |n| {
            let helpers =
                "{{- define \"c.t\" }}{{ toYaml .Values.tolerations | nindent 8 }}{{- end }}\n";
            let text = repeat(n, |at| {
                format!(
                    "---\n{}",
                    deployment(
                        &format!("web-{at}"),
                        "tolerations: {{- include \"c.t\" . }}\n"
                    )
                )
            });
            let mut files = chart(text, VALUES.to_owned());
            files.extend(single("c/templates/_helpers.tpl", helpers.to_owned()));
            files
        },
    },
    Case {
        name: "values files of one chart",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let mut files = chart(deployment("web", PRINTED), VALUES.to_owned());
            files.extend(each(n, |at| {
                (
                    format!("c/values-c{at}.yaml"),
                    format!("tolerations:\n- {{key: k{at}, operator: Exists, value: v}}\n"),
                )
            }));
            files
        },
    },
    Case {
        name: "charts",
        arguments: CHECK,
        from: 50,
        to: 12_800,
        files: |n| {
            let of = |at: usize| {
                chart(deployment("web", PRINTED), VALUES.to_owned())
                    .into_iter()
                    .map(move |(path, text)| (format!("charts/c{at}/{path}"), text))
            };
            (0..n).flat_map(of).collect()
        },
    },
    Case {
        name: "blocks of a template that do not end",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let lines = repeat(n, |at| {
                format!("{{{{- if .Values.v{at} }}}}\n- {{key: k{at}}}\n")
            });
            chart(
                deployment("web", &format!("tolerations:\n{lines}")),
                VALUES.to_owned(),
            )
        },
    },
    Case {
        name: "holes of a template",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let lines = repeat(n, |at| {
                format!("- {{key: {{{{ .Values.k{at} }}}}, operator: Exists, value: v}}\n")
            });
            chart(
                deployment("web", &format!("tolerations:\n{lines}")),
                VALUES.to_owned(),
            )
        },
    },
    Case {
        name: "loops of Jinja",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let lines = repeat(n, |at| {
                format!(
                    "{{% if v{at} %}}\n- {{key: k{at}, operator: Exists, value: v}}\n{{% endif %}}\n"
                )
            });
            single(
                "roles/a/templates/web.yaml.j2",
                deployment("web", &format!("tolerations:\n{lines}")),
            )
        },
    },
];
