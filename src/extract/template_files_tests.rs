//! What makes a file a template, and what does not. Every text here is broken.

use super::*;
use crate::source::FileKind;
use crate::terraform;

/// Whether a broken text counts as a template, or `None` if it is not broken.
fn judged(path: &str, text: &str) -> Option<bool> {
    let id = SourceId(0);
    let source = Source::new(path, text);
    if source.kind == FileKind::Terraform {
        let errors = |text: &str| terraform::parse(path, text, id, &|_| true).1.len();
        let broken = errors(text);
        return (broken > 0).then(|| is_template_configuration(&source, broken, &errors));
    }
    let broken = yaml::parse(text, id).errors.len();
    (broken > 0).then(|| is_template(&source, broken, id))
}

fn all(expected: bool, path: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(judged(path, text), Some(expected), "{path}:\n{text}");
    }
}

const HEAD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";

fn with_head(rest: &[&str]) -> Vec<String> {
    rest.iter().map(|rest| format!("{HEAD}{rest}")).collect()
}

fn all_pods(expected: bool, rest: &[&str]) {
    let texts = with_head(rest);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    all(expected, "pod.yaml", &texts);
}

#[test]
fn a_condition_that_closes_in_another_document_makes_all_of_them_a_template() {
    all(
        true,
        "a.yaml",
        &[
            "{{ if .Values.a }}\nkind: A\n---\nkind: B\n---\nkind: C\n{{ end }}\n",
            "{{if .a}}\n---\nkind: A\n---\nkind: B\n{{end}}\n",
            "{% if a %}\n---\nkind: A\n---\nkind: B\n{% endif %}\n",
            "<% if a %>\n---\nkind: A\n<% end %>\n",
            "[[ if .A ]]\n---\nkind: A\n[[ end ]]\n",
            "[[- range $x := .A ]]\nkind: A\n[[- end ]]\n",
            "<#if a>\n---\nkind: A\n</#if>\n",
            "%{ for a in b ~}\nkind: A\n%{ endfor ~}\n",
            "% if a:\nkind: A\n---\nkind: B\n% endif\n",
            "<?php if ($a): ?>\nkind: A\n<?php endif ?>\n",
            "{{#a}}\nkind: A\n---\nkind: B\n{{/a}}\n",
            "{# a\n license #}\nkind: A\n",
            // The unreadable document shows no sign.
            "a: {{ .x }}\n---\nkind: B\n bad\nx\n",
        ],
    );
}

#[test]
fn words_that_scripts_replace_make_a_template_where_they_are_what_breaks_it() {
    all_pods(
        true,
        &[
            "spec:\n  {EXTRA_SPEC}\n  hostNetwork: true\n",
            "spec:\n  nodeName: {NODE}-1\n",
            "spec:\n  nodeName: @NODE@\n",
            "spec:\n  nodeName: @@NODE@@\n",
            "spec:\n  nodeName: %s\n",
            "spec:\n  nodeName: %[1]s\n",
            "spec:\n  nodeName: %d-x\n",
            "spec:\n  nodeName: %(node)s\n",
            "spec:\n  nodeName: %NODE%\n",
            "spec:\n  nodeName: %%NODE%%\n",
            "spec:\n  nodeName: %{NODE}%\n",
            "__SPEC__\n",
            "spec:\n  containers:\n__CONTAINERS__\n    - name: b\n",
            "spec:\n  containers:\n    - name: a\n${SIDECARS}\n",
            "spec:\n  containers:\n    - name: a\n    ${SIDECARS:=[]}\n    ${OTHERS:-${SIDECARS}}\n",
            "spec:\n  containers:\n    - name: a\n$SIDECARS\n",
            "spec:\n  $(SPEC)\n  nodeName: a\n",
            "spec:\n  <<SPEC>>\n  nodeName: a\n",
            "spec:\n  [[SPEC]]\n  nodeName: a\n",
            "spec:\n  ((spec))\n  nodeName: a\n",
            "spec:\n  <EXTRA SPEC>\n  nodeName: a\n",
            "spec:\n  containers: [${A}b, ${C}]\n",
            "spec:\n  nodeName: \"${NODE:-\"none\"}\"\n",
            "spec: {a: 1 ${MORE}, b: 2}\n",
            "spec:\n  ...\n  nodeName: a\n",
            "spec:\n  containers:\n    - name: a\n    [...]\n    - name: b\n",
            "spec:\n  containers:\n    - name: a\n    %s\n    - name: {NAME}-b\n",
        ],
    );
    all(
        true,
        "a.json",
        &[
            "{\"kind\": \"Pod\", \"replicas\": {{replicas}} {{#a}},\"b\": 1{{/a}}}",
            "{\"kind\": \"Pod\", \"replicas\": %d}",
            "{\"kind\": \"Pod\", \"replicas\": @REPLICAS@}",
            "{\"kind\": \"Pod\", \"spec\": {\"a\": #{A}#}}",
            "{\"kind\": \"Pod\", \"items\": [\n  \"a\"\n  ${MORE}\n]}",
        ],
    );
}

#[test]
fn a_broken_manifest_stays_one_whatever_its_containers_run() {
    let broken = "  tolerations:\n    - key: a: b\n";
    for harmless in [
        "  containers:\n    - name: a\n      args: [--node=$(NODE_NAME), \"--x=${X}\"]\n",
        "  containers:\n    - name: a\n      args:\n        - --node=$(NODE_NAME)\n        - $(ARGUMENT)\n",
        "  containers:\n    - name: a\n      command: [sh, -c]\n      args:\n        - |\n          echo $HOME ${PATH} $(date)\n          \
         if [[ -n $X ]]; then printf '%s %d' a 1; fi\n",
        "  containers:\n    - name: a\n      env:\n        - name: FORMAT\n          value: '%(asctime)s {name} __x__ @x@ <X>'\n",
        "  containers:\n    - name: a\n      image: r/{NAME}:${TAG}\n",
        "  # {{ .Values.x }} {% if %}\n  containers: []\n",
        "  containers: [] # see {{ x }}\n",
        "  nodeName: http://a/{id}/b\n",
        "  containers:\n    - name: a\n      config: |\n        [[inputs.cpu]]\n        x = [[1, 2]]\n",
    ] {
        all_pods(false, &[&format!("spec:\n{harmless}{broken}")]);
    }
    all_pods(
        false,
        &[
            "spec:\n\tnodeName: a\n",
            "spec:\n  nodeName: @daily\n",
            "spec:\n  nodeName: `a`\n",
            "spec:\n  nodeName: %Y-%m-%d\n",
            "spec:\n  nodeName: \"a\n",
            "spec:\n  containers: [a\n",
            "spec:\n  nodeName: a: ...\n  x: wait...\n",
            "<<<<<<< HEAD\nspec: {}\n=======\nspec: {a: b}\n>>>>>>> other\n",
            "spec:\n  nodeName: 50% of: it\n",
            "spec:\n  url: http://$(HOST): 80\n",
        ],
    );
}

#[test]
fn names_of_templates_say_so_before_and_behind_the_ending() {
    for path in [
        "pool.yaml.j2",
        "pool.j2.yaml",
        "a/values.gotmpl",
        "a/pool.tmpl.yaml",
        "pool.yaml.tmpl",
        "pool.json.tpl",
        "pool.template.json",
        "POOL.YAML.TPL",
        "deploy.yaml.in",
        "user-data.tftpl",
        "main.tf.tmpl",
        "pool.yml.jinja2",
        "pool.yaml.erb",
    ] {
        assert!(has_template_name(path), "{path}");
    }
    for path in [
        "template.yaml",
        "pod-template.yaml",
        "templates/pod.yaml",
        "a.tpl/pod.yaml",
        "log.in.yaml",
        "j2.yaml",
        "j2",
    ] {
        assert!(!has_template_name(path), "{path}");
    }
    all(true, "pool.yaml.j2", &["a: [\n"]);
    all(true, "prod.j2.tfvars", &["a = [\n"]);
}

#[test]
fn a_file_in_a_charts_templates_is_a_template_without_any_action() {
    let id = SourceId(0);
    let source = Source::new("web/templates/a.yaml", "a: [\n");
    assert!(!is_template(&source, 1, id));
    assert!(is_template(&source.rendered(true), 1, id));
}

#[test]
fn terraform_that_another_language_makes_is_a_template() {
    let jinja = "{% for pool in pools %}\nresource \"x\" \"{{ pool.name }}\" {\n  a = {{ pool.a }}\n}\n{% endfor %}\n";
    all(
        true,
        "main.tf",
        &[
            jinja,
            "resource \"x\" \"y\" {\n  a = @A@\n}\n",
            "resource \"x\" \"y\" {\n  a = %d\n}\n",
        ],
    );
    all(
        true,
        "prod.tfvars",
        &[
            "a = {{ a }}\n",
            "{% if a %}\na = 1\n{% endif %}\n",
            "a = \"{{ lookup(\"x\") }}\"\n",
            "a = <% a %>\n",
            "a = {NAME}\n",
            "a = ${A}\n",
            "# {{ a }}\n{{ b }}\n",
        ],
    );
}

#[test]
fn broken_terraform_stays_broken_whatever_its_texts_hold() {
    all(
        false,
        "main.tf",
        &[
            "a = \"{{ .Values.x }} ${b} %{ if c }d%{ endif }\"\nb = [\n",
            "a = <<-EOT\n  {{ x }}\n  {% y %}\nEOT\nb = [\n",
            "# {{ a }}\nb = [\n",
            "// {{ a }}\nb = [\n",
            "a = \"$(X) @Y@ __Z__ %s\"\nb = {\n",
        ],
    );
}

#[test]
fn many_marks_that_nothing_closes_take_no_longer() {
    for mark in [
        "${", "{{", "{", "__", "<<", "[[", "((", "%(", "@", "$", "_", "<% ",
    ] {
        let text = mark.repeat(20_000);
        let _ = template_signs::filled(&text);
        let _ = template_signs::has_actions(&text, Language::Yaml);
        let _ = template_signs::has_actions(&text, Language::Hcl);
    }
}
