//! How chart templates use `tolerations`. Most copy the value into the pod unchanged, so its mistakes reach the pod.
//! Some write each entry separately, and may add quotes or a dash that the value lacks.

use memchr::memmem;

/// Words in an action that transform a value or each of its entries.
const RESHAPING: [&str; 10] = [
    "first", "get", "index", "join", "list", "printf", "quote", "range", "squote", "toString",
];

/// Fields of a toleration that a template may write one by one.
const FIELDS: [&str; 5] = ["key", "operator", "value", "effect", "tolerationSeconds"];

/// The chart folder of a template, or `None` if the file is not a chart template.
pub fn chart_of(path: &str) -> Option<&str> {
    let at = path
        .rfind("/templates/")
        .or_else(|| path.starts_with("templates/").then_some(0))?;
    path.get(..at)
}

/// Whether a template does more with `tolerations` than copy it.
pub(super) fn reshapes(text: &str) -> bool {
    if memmem::find(text.as_bytes(), b"olerations").is_none() {
        return false;
    }
    let mut rest = text;
    // The number of open blocks inside a `with` block on tolerations.
    let mut inside: Option<u32> = None;
    while let Some((before, opened)) = rest.split_once("{{") {
        let Some((action, after)) = opened.split_once("}}") else {
            return false;
        };
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_item = line.trim() == "-";
        let words: Vec<&str> = words(action).collect();
        let first = words.first().copied().unwrap_or_default();
        let names = action.contains("olerations");
        if names && (is_item || is_reshaped(action, &words)) {
            return true;
        }
        if inside.is_some() && !names {
            let writes_field = words.iter().any(|word| {
                let field = word.strip_prefix('.');
                field.is_some_and(|field| FIELDS.contains(&field))
            });
            let of_it = words.iter().any(|word| *word == "." || *word == "$");
            let made_anew = words.iter().any(|word| RESHAPING.contains(word));
            if writes_field || (of_it && (is_item || made_anew)) {
                return true;
            }
        }
        inside = match (inside, first) {
            (Some(depth), "if" | "with" | "range" | "define" | "block") => Some(depth + 1),
            (Some(0), "end") => None,
            (Some(depth), "end") => Some(depth - 1),
            (None, "with") if names => Some(0),
            (inside, _) => inside,
        };
        rest = after;
    }
    false
}

/// Whether an action that names tolerations transforms them or uses only a part of them.
fn is_reshaped(action: &str, words: &[&str]) -> bool {
    let part = action.match_indices("olerations").any(|(at, name)| {
        let rest = action.get(at + name.len()..).unwrap_or_default();
        let field = rest.strip_prefix('.').unwrap_or_default();
        field.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    part || words.iter().any(|word| RESHAPING.contains(word))
}

fn words(action: &str) -> impl Iterator<Item = &str> {
    let action = action.trim_start_matches('-').trim_end_matches('-');
    action
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | ','))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_that_copies_the_list_reshapes_nothing() {
        for text in [
            "      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}",
            "{{- with .Values.tolerations }}\ntolerations:\n  {{- toYaml . | nindent 2 }}\n{{- end }}",
            "{{ if .Values.tolerations }}\ntolerations:\n{{ toYaml .Values.tolerations | indent 8 }}\n{{ end }}",
            "{{- range .Values.hosts }}\n- {{ .value | quote }}\n{{- end }}\n{{ toYaml .Values.tolerations }}",
            "{{- if .Values.tolerations }}\n{{- include \"common.tplvalues.render\" (dict \"value\" .x) }}{{ end }}",
            "tolerations: {{ tpl (toYaml .Values.tolerations) . | nindent 8 }}",
            "{{- with .Values.tolerations }}\n{{ toYaml . }}\n{{- end }}\n- key: {{ .key | quote }}",
        ] {
            assert!(!reshapes(text), "{text}");
        }
    }

    #[test]
    fn a_template_that_writes_entries_itself_reshapes_them() {
        for text in [
            "{{- range .Values.tolerations }}\n- key: {{ .key }}\n  value: {{ .value | quote }}\n{{- end }}",
            "tolerations:\n  - {{- toYaml .Values.tolerations | nindent 4 }}",
            "- key: {{ .Values.tolerations.key }}",
            "tolerations: {{ list .Values.tolerations | toYaml }}",
            "{{- with .Values.tolerations }}\ntolerations:\n  - key: {{ .key }}\n{{- end }}",
            "{{- with .Values.tolerations }}\ntolerations:\n  - {{ toYaml . }}\n{{- end }}",
            "{{- with .Values.tolerations }}{{ if . }}{{ range . }}- {{ . }}{{ end }}{{ end }}{{ end }}",
        ] {
            assert!(reshapes(text), "{text}");
        }
    }

    #[test]
    fn templates_belong_to_the_folder_above_theirs() {
        assert_eq!(chart_of("charts/web/templates/a.yaml"), Some("charts/web"));
        assert_eq!(chart_of("templates/sub/a.yaml"), Some(""));
        assert_eq!(chart_of("charts/web/values.yaml"), None);
    }
}
