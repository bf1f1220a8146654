//! Tests of where printed lines come from.

use super::*;

const TEMPLATE: SourceId = SourceId(1);
const VALUES: SourceId = SourceId(2);

fn whole(text: &str, id: SourceId) -> Original<'_> {
    Original {
        id,
        text,
        range: 0..text.len(),
    }
}

/// The text in the originals that a printed text comes from.
fn origin<'t>(pieces: &Pieces, printed: &str, originals: &[Original<'t>]) -> &'t str {
    let at = pieces.text().find(printed).unwrap();
    let span = pieces.place(at..at + printed.len()).unwrap();
    let original = originals.iter().find(|one| one.id == span.source).unwrap();
    original.text.within(span.range())
}

const TEXT: &str = "kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  hostNetwork: true # why\n  \
                    tolerations:\n    {{- toYaml .Values.b.tolerations | nindent 4 }}\n  nodeName: 'x'\n";

const SETTINGS: &str = "a:\n  tolerations:\n    - key: x\n      operator: \"Exists\"\nb:\n  tolerations:\n    - key: x\n      \
                        # here\n      operator: \"Exists\"\n";

const PRINTED: &str = "kind: Pod\nmetadata:\n  name: web\nspec:\n  hostNetwork: true # why\n  tolerations:\n    - key: x\n      \
                       operator: Exists\n  nodeName: 'x'\n";

#[test]
fn lines_come_from_the_template_and_from_the_values_that_its_actions_name() {
    let originals = [whole(TEXT, TEMPLATE), whole(SETTINGS, VALUES)];
    let pieces = align(PRINTED, &originals, Span::new(TEMPLATE, 0..0));
    assert_eq!(pieces.text(), PRINTED);
    for (printed, expected) in [
        ("hostNetwork: true", "hostNetwork: true"),
        ("nodeName: 'x'", "nodeName: 'x'"),
        ("name: web", "name: {{ .Release.Name }}"),
        ("operator: Exists", "operator: \"Exists\""),
    ] {
        assert_eq!(origin(&pieces, printed, &originals), expected, "{printed}");
    }
    let at = PRINTED.find("operator").unwrap();
    let span = pieces.place(at..at + 8).unwrap();
    assert_eq!(span.source, VALUES);
    assert_eq!(span.start as usize, SETTINGS.rfind("operator").unwrap());
}

#[test]
fn lines_that_repeat_come_from_their_own_entries() {
    let values = "tolerations:\n  - operator: Exists\n    effect: NoSchedule\n  - key: a\n    operator: Exists\n  - operator: Exists\n    \
                  effect: NoExecute\n";
    let printed = "spec:\n  - effect: NoSchedule\n    operator: Exists\n  - key: a\n    operator: Exists\n  - effect: NoExecute\n    \
                   operator: Exists\n";
    let text = "spec:\n  {{ toYaml .Values.tolerations }}\n";
    let originals = [whole(text, TEMPLATE), whole(values, VALUES)];
    let pieces = align(printed, &originals, Span::new(TEMPLATE, 0..0));
    let starts = |text: &str| -> Vec<u32> {
        let all = text.match_indices("operator: Exists");
        all.map(|(at, _)| u32::try_from(at).unwrap()).collect()
    };
    let found: Vec<u32> = starts(printed)
        .iter()
        .map(|at| pieces.place(*at as usize..*at as usize + 8).unwrap().start)
        .collect();
    assert_eq!(found, starts(values));
}

#[test]
fn what_several_values_may_have_printed_is_where_the_action_is() {
    let text = TEXT.replace(".Values.b.tolerations", "$list");
    let originals = [whole(&text, TEMPLATE), whole(SETTINGS, VALUES)];
    let pieces = align(PRINTED, &originals, Span::new(TEMPLATE, 0..0));
    let expected = "{{- toYaml $list | nindent 4 }}";
    assert_eq!(origin(&pieces, "operator: Exists", &originals), expected);
}

#[test]
fn a_text_without_originals_has_the_place_of_its_file() {
    let place = Span::new(VALUES, 3..4);
    assert_eq!(align("a: b\n", &[], place).place(0..4), Some(place));
}
