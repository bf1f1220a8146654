//! Templates as the variants that they are written out in.

use super::*;

const WISHES: Wishes<'_> = Wishes {
    words: &["key", "kind", "a", "b"],
    oldest_release: 20,
};

/// The texts of all variants. Each must be readable as YAML.
fn variants(text: &str, language: Language) -> Vec<String> {
    let template = Template::parse(text, language).unwrap();
    let variants = template.variants(SourceId(7), Templates::none(), WISHES);
    assert!(variants.complete, "{text}");
    let read = |variant: &Variant| {
        assert_eq!(variant.stream.errors, [], "{}", variant.text.text());
        variant.text.text().to_owned()
    };
    variants.all.iter().map(read).collect()
}

fn go(text: &str) -> Vec<String> {
    variants(text, Language::Go)
}

fn broken(text: &str, language: Language) -> (usize, String) {
    let broken = Template::parse(text, language).err().unwrap();
    (broken.at, broken.message)
}

#[test]
fn each_branch_occurs_in_a_variant() {
    assert_eq!(
        go("{{ if .x }}\na: 1\n{{ else if .y }}\na: 2\n{{ else }}\na: 3\n{{ end }}\n"),
        ["\na: 1\n\n", "\na: 2\n\n", "\na: 3\n\n"]
    );
    assert_eq!(
        variants(
            "{% if x %}\na: 1\n{% elif y %}\na: 2\n{% else %}\na: 3\n{% endif %}\n",
            Language::Jinja
        ),
        ["\na: 1\n\n", "\na: 2\n\n", "\na: 3\n\n"]
    );
    assert_eq!(
        variants(
            "%{ if x }\na: 1\n%{ else }\na: ${y}\n%{ endif }\n",
            Language::Terraform
        ),
        ["\na: 1\n\n", "\na: $unknown\n\n"]
    );
}

#[test]
fn branches_with_the_same_key_exclude_each_other() {
    assert_eq!(
        go("{{ if .x }}\na: 1\n{{ end }}\n{{ if .y }}\na: 2\n{{ end }}\n"),
        ["\na: 1\n\n\n", "\n\na: 2\n\n"]
    );
}

#[test]
fn a_key_that_a_branch_writes_again_counts_without_that_branch() {
    assert_eq!(
        go("a: 1\n{{ if .x }}\na: 2\n{{ end }}\n"),
        ["a: 1\n\na: 2\n\n", "a: 1\n\n"]
    );
    assert_eq!(go("a: 1\na: 2\n"), ["a: 1\na: 2\n"]);
    assert_eq!(
        go("{{ if .x }}\na: 1\n{{ end }}\na: 2\n"),
        ["\na: 1\n\na: 2\n"],
        "the first never counts"
    );
}

#[test]
fn the_same_condition_has_the_same_value() {
    assert_eq!(
        go(
            "{{ if .x }}\na: 1\n{{ end }}\n{{ if not .x }}\na: 2\n{{ end }}\n{{ if .x }}\nb: 1\n{{ end }}\n"
        ),
        ["\na: 1\n\n\n\nb: 1\n\n", "\n\na: 2\n\n\n"]
    );
    assert_eq!(
        go("{{ if eq .x \"u\" }}\na: 1\n{{ end }}{{ if eq .x \"v\" }}\nb: 2\n{{ end }}\n"),
        ["\na: 1\n\n", "\nb: 2\n\n"]
    );
}

#[test]
fn conditions_below_different_values_are_different() {
    assert_eq!(
        go(
            "{{ with .u }}{{ if .x }}\na: 1\n{{ end }}{{ end }}{{ with .v }}{{ if not .x }}\nb: 1\n{{ end }}{{ end }}\n"
        ),
        ["\na: 1\n\nb: 1\n\n"]
    );
}

#[test]
fn what_an_action_prints_is_unknown_and_takes_the_place_it_is_indented_to() {
    for (text, expected) in [
        ("a: {{ .x }}\n", "a: $unknown\n"),
        ("a: \"{{ .x }}-b\"\n", "a: \"$unknown-b\"\n"),
        ("a:\n{{ toYaml .x | indent 2 }}\n", "a:\n  $unknown\n"),
        ("a:\n  {{- toYaml .x | nindent 2 }}\n", "a:\n  $unknown\n"),
        ("a: {{ toYaml .x | nindent 2 }}\n", "a: \n  $unknown\n"),
        (
            "a:\n  - b: 1\n  {{- toYaml .x | nindent 2 }}\n",
            "a:\n  - b: 1\n  - $unknown\n",
        ),
        (
            "a:\n  {{- include \"x\" . | nindent 2 }}\n  b: 1\n",
            "a:\n  $unknown1: $unknown\n  b: 1\n",
        ),
        (
            "a: 1\n{{- include \"x\" . }}\n",
            "a: 1\n$unknown1: $unknown\n",
        ),
        ("{{- $y := .x -}}\na: {{/* no */}}1\n", "a: 1\n"),
        ("a: {{ \"b\" | quote }}\n", "a: b\n"),
    ] {
        assert_eq!(go(text), [expected], "{text}");
    }
}

#[test]
fn a_loop_is_written_once_and_may_write_more() {
    assert_eq!(
        go("a:\n{{- range .x }}\n  - key: {{ .y }}\n{{- end }}\nb: 1\n"),
        ["a:\n  - key: $unknown\n  - $unknown2\n\nb: 1\n"]
    );
}

#[test]
fn templates_of_the_same_file_are_written_where_they_are_included() {
    assert_eq!(
        go(
            "{{ define \"t\" }}\n- key: {{ .x }}\n{{- end }}a:\n  {{- include \"t\" . | nindent 2 }}\n"
        ),
        ["a:\n  \n  - key: $unknown\n"]
    );
}

#[test]
fn templates_that_include_themselves_come_to_an_end() {
    let text = "{{ define \"t\" }}{{ include \"t\" . }}{{ include \"t\" . }}{{ end }}a: {{ include \"t\" . }}\n";
    let [written] = go(text).try_into().unwrap();
    let written: String = written;
    // Twice for each of the levels, and then it is unknown.
    assert_eq!(written.matches("$unknown").count(), 16);
}

#[test]
fn conditions_on_releases_that_no_cluster_has_are_decided() {
    let text = "{{ if semverCompare \"<1.14-0\" .Capabilities.KubeVersion.GitVersion }}\na: 1\n{{ else }}\nb: 1\n{{ end }}\n";
    assert_eq!(go(text), ["\nb: 1\n\n"]);
    let text = text.replace("<1.14-0", ">=1.25-0");
    assert_eq!(go(&text).len(), 2);
}

#[test]
fn broken_templates_say_where() {
    for (text, language, at, message) in [
        (
            "a: {{ if .x }}b",
            Language::Go,
            3,
            "this block has no `end`",
        ),
        (
            "a: {{ end }}",
            Language::Go,
            3,
            "`end` without an open block",
        ),
        ("a: {{ .x }\n", Language::Go, 3, "this action has no `}}`"),
        (
            "a: {% if x %}b",
            Language::Jinja,
            8,
            "this block is not closed",
        ),
        ("a: {{ x }\n", Language::Jinja, 3, "this tag has no `}}`"),
        ("{% endif %}", Language::Jinja, 0, "there is no open block"),
    ] {
        assert_eq!(broken(text, language), (at, message.to_owned()), "{text}");
    }
    assert!(Template::parse("%{ if x }a", Language::Terraform).is_err());
}

#[test]
fn nesting_and_many_branches_are_bounded() {
    let deep = "{{ if .x }}".repeat(5_000) + "a: 1" + &"{{ end }}".repeat(5_000);
    assert!(Template::parse(&deep, Language::Go).is_err());
    let wide: String = (0..200)
        .map(|n| format!("{{{{ if .x{n} }}}}\na: {n}\n{{{{ end }}}}\n"))
        .collect();
    let template = Template::parse(&wide, Language::Go).unwrap();
    let variants = template.variants(SourceId(7), Templates::none(), WISHES);
    assert!(!variants.complete && variants.all.len() < 20);
}

#[test]
fn languages_are_told_by_names_and_marks() {
    let of = |path: &str, text: &str| Language::of(path, text).first().copied();
    assert_eq!(of("a.yaml.j2", "a: {{ b }}"), Some(Language::Jinja));
    assert_eq!(of("a.yaml", "{% if %}{{ b }}"), Some(Language::Jinja));
    assert_eq!(of("templates/a.yaml", "{{ .b }} ${c}"), Some(Language::Go));
    assert_eq!(
        of("a.yaml.tftpl", "{{ .b }} ${c}"),
        Some(Language::Terraform)
    );
    assert_eq!(of("a.yaml", "a: b"), None);
}

/// A value that a block sets was evaluated for no file, so that what it printed had a place in another one.
#[test]
fn what_a_block_prints_of_its_value_stands_in_the_file() {
    for text in [
        "{{ with \"x\" }}\na: {{ . }}\n{{ end }}\n",
        "{{ with (default \"x\" \"\") }}\na: {{ . }}\n{{ end }}\n",
        "{{ range $at, $one := list \"x\" \"y\" }}\na: {{ $one }}\n{{ end }}\n",
        "{{ with printf \"%s\\n\" \"x\" }}\na: {{ . }}\n{{ end }}\n",
    ] {
        let template = Template::parse(text, Language::Go).unwrap();
        for variant in template
            .variants(SourceId(7), Templates::none(), WISHES)
            .all
        {
            let written = variant.text.text();
            for (at, _) in written.char_indices() {
                let place = variant.text.place(at..at + 1);
                let source = place.map(|span| span.source);
                assert!(source.is_none_or(|source| source == SourceId(7)), "{text}");
            }
        }
    }
}
