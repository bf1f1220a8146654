//! Words that some tool puts a value in the place of before anything is sent to a cluster, and texts that are no YAML before that.

use crate::source::SourceId;
use crate::yaml;

/// Whether a text is filled in later by some template language or by a person.
pub fn is_placeholder(text: &str) -> bool {
    if ["{{", "}}", "<<", "%{", "{%", "[[", "@@", "#{", "(("]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return true;
    }
    let bytes = text.as_bytes();
    // `$` can stand in no key, value or effect, so `$NAME`, `$1`, `${NAME}` and `$(NAME)` are variables.
    if bytes.windows(2).any(|pair| {
        pair[0] == b'$' && (pair[1] == b'{' || pair[1] == b'(' || pair[1].is_ascii_alphanumeric())
    }) {
        return true;
    }
    // Neither can `@` or `%`: one may be a slip, two around a word are a variable.
    if (0..text.len()).any(|at| enclosed_word(bytes, at).is_some()) {
        return true;
    }
    // What `str.format` and the like fill in stands in braces, and no key, value or effect does.
    if braced_word(text) {
        return true;
    }
    // What ARM templates compute stands in brackets, and no key, value or effect does.
    if text.starts_with('[') && text.ends_with(']') {
        return true;
    }
    let dunder = text.len() > 4 && text.starts_with("__") && text.ends_with("__");
    let angle = text.len() > 2 && text.starts_with('<') && text.ends_with('>');
    dunder || angle
}

/// Whether a text has a word in braces.
fn braced_word(text: &str) -> bool {
    let part_of_word = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    text.split('{').skip(1).any(|rest| {
        let word = rest.split_once('}').map_or("", |(word, _)| word);
        !word.is_empty() && word.chars().all(part_of_word)
    })
}

/// Whether a broken text is one that some template language, or a script that replaces words, makes YAML of.
pub(super) fn is_template(text: &str, id: SourceId) -> bool {
    has_directives(text) || is_filled_in(text, id)
}

/// Whether a text has actions of a template language, or words that stand for lines.
fn has_directives(text: &str) -> bool {
    let stands_for_lines = |line: &str| {
        let line = line.trim();
        let word = |open: &str, close: &str| {
            line.len() > open.len() + close.len() && line.starts_with(open) && line.ends_with(close)
        };
        word("__", "__")
            || word("${", "}")
            || word("@@", "@@")
            || word("<<", ">>")
            || word("[[", "]]")
            || word("<#", ">")
            || word("</#", ">")
    };
    text.contains("{{")
        || text.contains("{%")
        || text.contains("<%")
        || ["%{ for", "%{ if", "%{for", "%{if", "%{~"]
            .iter()
            .any(|directive| text.contains(directive))
        || text.lines().any(stands_for_lines)
}

/// Whether a broken text reads well once a word stands for each placeholder: `${…}` as in files that `templatefile` or
/// `envsubst` fill in, and `%{…}%`, `@WORD@` and `%WORD%`, which begin with what no plain value can begin with.
fn is_filled_in(text: &str, id: SourceId) -> bool {
    let bytes = text.as_bytes();
    let mut filled = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    // Behind the last brace none is looked for, however many are open.
    let last_brace = text.rfind('}').unwrap_or(0);
    while let Some(found) = memchr::memchr3(b'$', b'@', b'%', &bytes[at..]) {
        at += found;
        let braced = (at < last_brace).then(|| braced(text, at)).flatten();
        match braced.or_else(|| enclosed_word(bytes, at)) {
            Some(end) => {
                filled.push_str(&text[copied..at]);
                filled.push('x');
                (at, copied) = (end, end);
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return false;
    }
    filled.push_str(&text[copied..]);
    yaml::parse(&filled, id).errors.is_empty()
}

/// Where `${…}`, `%{…}` or `%{…}%` that starts at an offset ends.
fn braced(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if !rest.starts_with("${") && !rest.starts_with("%{") {
        return None;
    }
    let end = at + rest.find('}')? + 1;
    let closed = rest.starts_with('%') && text[end..].starts_with('%');
    Some(end + usize::from(closed))
}

/// Where `@WORD@`, `%WORD%`, `@@WORD@@` or `%%WORD%%` that starts at an offset ends.
fn enclosed_word(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = *bytes.get(at).filter(|byte| b"@%".contains(byte))?;
    let count = |from: usize| {
        bytes[from..]
            .iter()
            .take(2)
            .take_while(|byte| **byte == mark)
            .count()
    };
    let open = count(at);
    let word = bytes[at + open..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
        .count();
    let close = at + open + word;
    (word > 0 && count(close) == open).then_some(close + open)
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

    #[test]
    fn a_word_that_stands_for_lines_makes_a_template() {
        assert!(has_directives("volumes:\n__EXTRA_VOLUMES__\n- name: x\n"));
        assert!(has_directives("spec:\n  ${POD_SPEC}\n"));
        assert!(has_directives("spec:\n<#if remote>\n  a: b\n</#if>\n"));
        assert!(has_directives(
            "spec:\n  [[- if .X ]]\n  a: b\n  [[- end ]]\n"
        ));
        assert!(!has_directives("name: __x__ y\nlist: [\n"));
        assert!(has_directives(
            "pools:\n%{ for pool in pools ~}\n  - ${pool}\n%{ endfor ~}\n"
        ));
    }

    #[test]
    fn a_word_for_each_placeholder_makes_a_template_readable() {
        let id = SourceId(0);
        assert!(is_filled_in("values: [${zones}b, ${other}]\n", id));
        assert!(is_filled_in("{\"replicas\": ${replicas}}\n", id));
        assert!(is_filled_in(
            "address: %{ADDRESS}%\nimage: @IMAGE@\nnode: %%NODE%%\n",
            id
        ));
        assert!(!is_filled_in("name: ${name}\nlist: [a\n", id));
        assert!(!is_filled_in(
            "share: 50%\nmail: a@example.com\nlist: [a\n",
            id
        ));
        assert!(!is_filled_in("share: %\nlist: [a]\n", id));
    }
}
