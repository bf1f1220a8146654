//! Checks the text between values like go-yaml's scanner: tabs, anchors and tags that it rejects but the parser accepts.

use std::ops::Range;

use super::scan::Scan;
use crate::source::text::Cut as _;

/// The context of a gap between two values.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Whether it is inside brackets or braces.
    pub flow: bool,
    /// The start of the innermost block, if there is one.
    pub block: Option<usize>,
    /// Whether the value before it was plain. The following text may belong to that value.
    pub after_plain: bool,
    /// Whether a block entry may start here although no line ended.
    pub fresh: bool,
}

impl Around {
    /// The minimum column for the lines of a plain value.
    fn indent(self, text: &str) -> usize {
        self.block.map_or(0, |block| column(text, block) + 1)
    }
}

/// The column of an offset, in characters.
pub(super) fn column(text: &str, at: usize) -> usize {
    let line = text.get(line_start(text, at)..at).unwrap_or_default();
    line.chars().filter(|one| *one != '\u{feff}').count()
}

/// A construct that go-yaml rejects, and its place.
pub(super) type Flaw = (&'static str, Range<usize>);

const NO_TOKEN: &str = "found character that cannot start any token";
const TAB: &str = "found a tab character that violates indentation";
const TAB_IN_BLOCK: &str = "found a tab character where an indentation space is expected";
const ANCHOR: &str = "did not find expected alphabetic or numeric character";
const DIRECTIVE: &str = "found unknown directive name";
const BROKEN_KEY: &str = "did not find expected ',' or '}'";
const TAG_END: &str = "did not find expected whitespace or line break";

/// Returns the first construct in a gap that go-yaml rejects.
pub(super) fn flaw(text: &str, gap: Range<usize>, around: Around) -> Option<Flaw> {
    let bytes = text.as_bytes().get(..gap.end)?;
    let written = bytes.get(gap.start..)?;
    memchr::memchr3(b'\t', b'&', b'!', written).or_else(|| memchr::memchr(b'%', written))?;
    if leads_to_json(text, gap.end) {
        return None;
    }
    let mark = bytes.get(gap.start..)?.starts_with("\u{feff}".as_bytes());
    let start = gap.start + if mark { '\u{feff}'.len_utf8() } else { 0 };
    let mut walk = Walk {
        text,
        bytes,
        at: start,
        line: start,
        around,
        tail: around.after_plain,
        broken: false,
        entry: around.fresh,
    };
    loop {
        match walk.step() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(flaw) => return Some(flaw),
        }
    }
}

/// Finds a tab before the first line after a block scalar. go-yaml treats that line as part of the scalar until it sees
/// its indentation.
pub(super) fn flaw_behind_block(text: &str, gap: Range<usize>, indent: usize) -> Option<Flaw> {
    memchr::memchr(b'\t', text.as_bytes().get(gap.clone())?)?;
    // For the parser, the value ends after the blanks of the line that ends it.
    let line = line_start(text, gap.start);
    let is_blank = text.get(line..gap.start)?.bytes().all(|byte| byte == b' ');
    let mut at = if is_blank { line } else { gap.start };
    for line in text.get(at..gap.end)?.split_inclusive(['\n', '\r']) {
        let blanks = line.bytes().take_while(|byte| *byte == b' ').count();
        let rest = line.get(blanks..)?;
        if line_start(text, at) == at && blanks < indent && rest.starts_with('\t') {
            let place = at + blanks..at + blanks + 1;
            return Some((TAB_IN_BLOCK, place));
        }
        if !rest.trim_end_matches(['\n', '\r']).is_empty() {
            return None;
        }
        at += line.len();
    }
    None
}

/// Whether only blanks precede a JSON object.
fn leads_to_json(text: &str, end: usize) -> bool {
    let leads = text.get(..end).unwrap_or_default();
    leads.trim_start_matches('\u{feff}').trim().is_empty() && begins_json(text, end)
}

/// Whether a JSON object starts at an offset. Clients first read text that starts with a brace as JSON, which allows
/// tabs anywhere and escaped slashes, and as YAML if it is not JSON.
pub(super) fn begins_json(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
    rest.starts_with('{') && values.next().is_some_and(|value| value.is_ok())
}

/// Finds a line of a multi-line plain value that a tab indents too little.
pub(super) fn flaw_in_plain(text: &str, value: Range<usize>, around: Around) -> Option<Flaw> {
    let lines = text.get(value.clone())?;
    memchr::memchr(b'\t', lines.as_bytes())?;
    let indent = around.indent(text);
    let mut at = value.start;
    for (number, line) in lines.split_inclusive(['\n', '\r']).enumerate() {
        let start = at;
        at += line.len();
        if number == 0 {
            continue;
        }
        let blanks = line
            .bytes()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let tab = line.bytes().take(blanks).position(|byte| byte == b'\t');
        if let Some(tab) = tab.filter(|tab| *tab < indent) {
            return Some((TAB, start + tab..start + tab + 1));
        }
    }
    None
}

/// Finds what go-yaml reads differently in a plain value in brackets or braces: there, a question mark ends it, and
/// neither a question mark nor a colon starts one.
pub(super) fn flaw_in_flow(text: &str, value: Range<usize>) -> Option<Flaw> {
    let written = text.get(value.clone())?;
    let at = written
        .find('?')
        .or(written.starts_with(':').then_some(0))?;
    let place = value.start + at..value.start + at + 1;
    Some(("did not find expected node content", place))
}

/// Finds an escaped slash, which JSON allows, but YAML did not when go-yaml was written.
pub(super) fn escaped_slash(text: &str, value: Range<usize>) -> Option<Flaw> {
    let bytes = text.as_bytes().get(value.clone())?;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..)?) {
        at += found + 2;
        if bytes.get(at - 1) == Some(&b'/') {
            let place = value.start + at - 2..value.start + at;
            return Some(("found unknown escape character", place));
        }
    }
    None
}

/// The commas and brackets that go-yaml reads as part of a tag in brackets or braces, where the parser ends the tag.
pub(super) fn swallowed(text: &str, gap: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(gap.clone())?;
    memchr::memchr(b'!', bytes)?;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'#' => at += memchr::memchr2(b'\n', b'\r', bytes.get(at..)?)?,
            b'!' => {
                let rest = text.as_bytes().get(gap.start + at..)?;
                let length = rest.iter().take_while(|byte| !is_blank(Some(byte))).count();
                let word = rest.get(..length)?;
                if !word.starts_with(b"!<") && word.iter().any(|byte| b",[]".contains(byte)) {
                    return Some(gap.start + at..gap.start + at + length);
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// Finds a key in brackets or braces that is not on one line with its colon. Its tag and anchor are part of it. `before`
/// is the end of the token before it, and `value` the start of its value.
pub(super) fn broken_key(
    text: &str,
    before: usize,
    key: Range<usize>,
    value: usize,
) -> Option<Flaw> {
    let mut scan = Scan::new(text.until(value), before);
    let (mut start, mut colon, mut is_explicit) = (None, None, false);
    loop {
        scan.skip_blanks();
        if scan.at == key.start && !key.is_empty() {
            start.get_or_insert(key.start);
            scan.at = key.end;
            continue;
        }
        match scan.peek() {
            None => break,
            // The pair before has no value.
            Some(b',') => (start, colon, is_explicit) = (None, None, false),
            Some(b'?') => is_explicit = true,
            Some(b':') => colon = colon.or(Some(scan.at)),
            Some(b'!' | b'&') => start = start.or(Some(scan.at)),
            Some(_) => {}
        }
        match scan.peek() {
            Some(b'!') => scan.skip_word(),
            _ => scan.at += 1,
        }
    }
    let written = text.get(start?..colon?)?;
    (!is_explicit && has_break(written)).then_some((BROKEN_KEY, key))
}

/// Finds a key of a block that is not on one line. The parser checks the text between the key and its colon.
pub(super) fn broken_block_key(text: &str, key: Range<usize>) -> Option<Flaw> {
    let is_explicit = text.until(key.start).trim_end().ends_with('?');
    let is_broken = has_break(text.within(key.clone())) && !is_explicit;
    is_broken.then_some((BROKEN_KEY, key))
}

fn has_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Finds a tab at the start of the first line of a block scalar. While go-yaml looks for the indentation of the lines, no
/// tab may follow the spaces.
pub(super) fn flaw_in_block(text: &str, header: usize, content: usize) -> Option<Flaw> {
    let indicators = text.since(header).split([' ', '\t', '\n', '\r']).next()?;
    let is_flaw = !indicators.contains(|one: char| one.is_ascii_digit())
        && text.since(content).starts_with('\t');
    is_flaw.then_some((TAB_IN_BLOCK, content..content + 1))
}

/// Whether go-yaml accepts the name of an alias.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_alpha)
}

/// The error that go-yaml reports for an invalid name.
pub(super) fn bad_name(place: Range<usize>) -> Flaw {
    (ANCHOR, place)
}

fn is_alpha(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_blank(byte: Option<&u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind(['\n', '\r']).map_or(0, |line| line + 1)
}

struct Walk<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The start of the line, or of the gap.
    line: usize,
    around: Around,
    /// Whether there were only blanks since the plain value.
    tail: bool,
    /// Whether a line ended since the gap started.
    broken: bool,
    /// Whether a key or an entry of a block may start here. A tab must not precede it.
    entry: bool,
}

impl Walk<'_> {
    /// Takes one step, or returns `Ok(false)` at the end.
    fn step(&mut self) -> Result<bool, Flaw> {
        let Some(byte) = self.bytes.get(self.at).copied() else {
            return Ok(false);
        };
        let here = self.at..self.at + 1;
        let first = self.at == self.line && (self.broken || self.around.fresh);
        self.at += 1;
        match byte {
            b' ' => {}
            b'\t' if self.tail => {
                if self.broken && here.start - self.line < self.around.indent(self.text) {
                    return Err((TAB, here));
                }
            }
            b'\t' => {
                if self.entry && !self.around.flow {
                    return Err((NO_TOKEN, here));
                }
            }
            b'\n' | b'\r' => {
                self.broken = true;
                self.line = self.at;
                self.entry = true;
            }
            b'#' => self.skip_line(),
            b'%' if first => self.directive(here.start)?,
            b'-' if first
                && self
                    .bytes
                    .get(here.start..)
                    .is_some_and(|rest| rest.starts_with(b"---")) =>
            {
                self.at += 2;
                self.entry = false;
            }
            b'-' | b'?' if is_blank(self.bytes.get(self.at)) => self.entry = true,
            // The colon of a key on its own line. No entry can start after a simple key.
            b':' => self.entry = self.blanks_before(here.start) && self.broken,
            b'&' => self.anchor(here.start)?,
            b'!' => self.tag(here.start)?,
            _ => self.entry = false,
        }
        self.tail &= matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        Ok(true)
    }

    fn directive(&mut self, start: usize) -> Result<(), Flaw> {
        self.skip_line();
        let written = self.text.get(start + 1..self.at).unwrap_or_default();
        let name = written.split([' ', '\t']).next().unwrap_or_default();
        match name {
            "YAML" | "TAG" => Ok(()),
            _ => Err((DIRECTIVE, start..start + 1 + name.len())),
        }
    }

    fn skip_line(&mut self) {
        while !matches!(self.bytes.get(self.at), None | Some(b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn blanks_before(&self, at: usize) -> bool {
        let before = self.bytes.get(self.line..at);
        before.is_some_and(|before| before.iter().all(|byte| *byte == b' '))
    }

    fn anchor(&mut self, start: usize) -> Result<(), Flaw> {
        self.entry = false;
        // The token after the gap may end it.
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).copied().is_some_and(is_alpha) {
            self.at += 1;
        }
        let next = bytes.get(self.at);
        // For the parser, other characters that go-yaml allows here belong to the name and fail for another reason.
        let ends = is_blank(next) || matches!(next, Some(b',' | b']' | b'}'));
        match ends && self.at > start + 1 {
            true => Ok(()),
            false => Err((ANCHOR, start..self.at)),
        }
    }

    fn tag(&mut self, start: usize) -> Result<(), Flaw> {
        self.entry = false;
        let bytes = self.text.as_bytes();
        let verbatim = bytes.get(self.at) == Some(&b'<');
        while let Some(byte) = bytes.get(self.at).filter(|byte| !is_blank(Some(byte))) {
            self.at += 1;
            let good = is_alpha(*byte)
                || b";/?:@&=+$,.!~*'()[]%".contains(byte)
                || verbatim && b"<>".contains(byte);
            if !good {
                return Err((TAG_END, start..self.at));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Around = Around {
        flow: false,
        block: Some(0),
        after_plain: false,
        fresh: false,
    };

    fn refused(gap: &str, around: Around) -> bool {
        flaw(gap, 0..gap.len(), around).is_some()
    }

    #[test]
    fn a_tab_may_not_stand_where_an_entry_of_a_block_may_begin() {
        for gap in [
            "\n\t",
            "\n \t\n",
            "\n\t# c\n",
            "\n-\t",
            "\n?\t",
            "\n? a\n:\t",
        ] {
            assert!(refused(gap, BLOCK), "{gap:?}");
        }
        for gap in [
            "\t",
            " \t# c\n",
            ":\t",
            ": # \tc\n",
            "\t\n",
            "\n---\t\n",
            ": &a\t",
            ": !a\t",
        ] {
            assert!(!refused(gap, BLOCK), "{gap:?}");
        }
        let flow = Around {
            flow: true,
            ..BLOCK
        };
        assert!(!refused("\n\t", flow));
    }

    #[test]
    fn behind_a_plain_value_a_tab_may_stand_as_deep_as_it_continues() {
        let plain = Around {
            after_plain: true,
            ..BLOCK
        };
        assert!(refused("\n\t\n", plain));
        assert!(refused(
            "\n\t\n",
            Around {
                flow: true,
                ..plain
            }
        ));
        assert!(!refused("\n \t\n", plain));
        assert!(refused("\n # c\n\t", plain));
    }

    #[test]
    fn anchors_and_tags_have_the_letters_that_go_yaml_knows() {
        for gap in [": &é ", ": &a.b ", ": & ", ": !a} ", ": !é ", ": !\"x\" "] {
            assert!(refused(gap, BLOCK), "{gap:?}");
        }
        for gap in [
            ": &a-b_1 ",
            ": !a ",
            ": !!str ",
            ": !<tag:a,b> ",
            ": !a%20b ",
            ": ! ",
        ] {
            assert!(!refused(gap, BLOCK), "{gap:?}");
        }
    }
}
