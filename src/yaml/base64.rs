//! Decodes `!!binary`.

/// Decodes standard base64 with padding into a text. As in Go's JSON, invalid bytes become the replacement character.
/// Line breaks are ignored. Returns `None` if the text is not base64.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = 0_u32;
    let (mut digits, mut padding) = (0, 0);
    for byte in text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if digits >= 2 => {
                padding += 1;
                0
            }
            _ => return None,
        };
        if padding > 0 && byte != b'=' || bytes.len() % 3 != 0 {
            return None;
        }
        group = group << 6 | u32::from(value);
        digits += 1;
        if digits == 4 {
            let [_, whole @ ..] = group.to_be_bytes();
            bytes.extend(whole.iter().take(3 - padding));
            (group, digits) = (0, 0);
        }
    }
    (digits == 0).then(|| go_text(&bytes))
}

/// Go replaces each invalid byte, not each run of them.
fn go_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn bytes_are_decoded_as_go_decodes_them() {
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(decode(""), is(""));
        assert_eq!(decode("YQ=="), is("a"));
        assert_eq!(decode("YR=="), is("a"));
        assert_eq!(decode("YW\nI=\n"), is("ab"));
        assert_eq!(decode("YWJjZA=="), is("abcd"));
        assert_eq!(decode("gICA"), is("\u{fffd}\u{fffd}\u{fffd}"));
        for text in [
            "x", "YQ", "YQ=", "Y===", "YQ==YQ==", "Y Q==", "YQ==x", "====", "Y=Q=",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
