//! Words that a tool replaces with a value before anything is sent to a cluster.

use crate::yaml::{Kind, Node, Style};

/// Whether a template language or a person fills in a text later.
pub fn is_placeholder(text: &str) -> bool {
    if ["{{", "}}", "<<", "%{", "{%", "[[", "@@", "#{", "(("]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return true;
    }
    let bytes = text.as_bytes();
    // `$` is not valid in keys, values or effects, so `$NAME`, `$1`, `${NAME}` and `$(NAME)` are variables.
    if bytes.windows(2).any(|pair| {
        matches!(pair, [b'$', b'{' | b'('])
            || matches!(pair, [b'$', next] if next.is_ascii_alphanumeric())
    }) {
        return true;
    }
    // Neither is `@` or `%`. One alone may be a typo; two around a word mark a variable.
    if (0..text.len()).any(|at| enclosed_word(bytes, at).is_some()) {
        return true;
    }
    // `str.format` and the like use braces, which are not valid in keys, values or effects.
    if braced_word(text) {
        return true;
    }
    // ARM templates use brackets for expressions, which are not valid in keys, values or effects.
    if text.starts_with('[') && text.ends_with(']') {
        return true;
    }
    let dunder = text.len() > 4 && text.starts_with("__") && text.ends_with("__");
    let angle = text.len() > 2 && text.starts_with('<') && text.ends_with('>');
    dunder || angle
}

/// Whether a text contains a word in braces.
fn braced_word(text: &str) -> bool {
    let part_of_word = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    text.split('{').skip(1).any(|rest| {
        let word = rest.split_once('}').map_or("", |(word, _)| word);
        !word.is_empty() && word.chars().all(part_of_word)
    })
}

/// The end of the `@WORD@`, `%WORD%`, `@@WORD@@` or `%%WORD%%` that starts at an offset, or `None` if there is none.
pub(super) fn enclosed_word(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = *bytes.get(at).filter(|byte| b"@%".contains(byte))?;
    let count = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take(2)
            .take_while(|byte| **byte == mark)
            .count()
    };
    let open = count(at);
    let word = bytes
        .get(at + open..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
        .count();
    let close = at + open + word;
    (word > 0 && count(close) == open).then_some(close + open)
}

/// Whether a node is an unquoted template action, which YAML parses as a nested map, or a function call that a tool
/// replaces: `!Ref x`, `{Ref: x}`, `{"Fn::If": […]}`.
pub fn is_template_action(node: Node<'_>) -> bool {
    if node.has_local_tag() || is_call(node) {
        return true;
    }
    if node.kind() != Kind::Mapping || node.style() != Style::Flow {
        return false;
    }
    let mut fields = node.written_fields();
    matches!((fields.next(), fields.next()), (Some(only), None)
        if only.key.kind() == Kind::Mapping && only.key.style() == Style::Flow)
}

/// Whether a node is a placeholder: a template action, or a text that is filled in later.
pub fn is_filled_in(node: Node<'_>) -> bool {
    is_template_action(node)
        || (node.kind() == Kind::Scalar && node.raw().is_some_and(is_placeholder))
}

/// Whether a node is a map whose only field is the name of a CloudFormation or Pulumi function.
fn is_call(node: Node<'_>) -> bool {
    if node.kind() != Kind::Mapping {
        return false;
    }
    let mut fields = node.written_fields();
    matches!((fields.next(), fields.next()), (Some(only), None)
    if only.name().is_some_and(|name| {
        name == "Ref" || name.starts_with("Fn::") || name.starts_with("fn::")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_tools_replace_are_placeholders() {
        for text in [
            "{{ x }}",
            "${x}",
            "$(x)",
            "$x",
            "__X__",
            "<x>",
            "[x]",
            "@X@",
            "a-@X@",
            "@@X@@",
            "%X%",
            "%%X%%",
            "%{X}%",
            "#{x}#",
            "#{x}",
            "((x))",
            "[[ x ]]",
            "{x}",
            "a-{pool_name}",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "", "a", "a@b", "50%", "a@b.c", "@", "%", "%%", "%20", "__", "a_b__c", "{}", "{",
            "a}b{", "{a: b}",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
