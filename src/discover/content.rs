//! Reads a file within limits and decodes it to UTF-8 text.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem;

use super::programs::declares_pools;
use super::reach::{open_at_once, special_kind};
use super::{Blobs, File, check_named};
use crate::source::text::Cut as _;
use crate::source::{FileKind, Position};
use crate::terraform::text_beside_comments;

/// The maximum size in bytes of a file that is read into memory (32 MiB).
pub const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// A text without any of these words contains no object, no toleration and no taint.
const WORDS: [&[u8]; 3] = [b"kind", b"olerations", b"aint"];

/// A NUL byte among the first this many bytes means that a file is not text.
const BINARY_PROBE_BYTES: usize = 8 * 1024;

/// The number of bytes of an oversized file that are in memory at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Its text as UTF-8, without byte order mark.
    Text(String),
    /// The text of a template or a program, which means nothing by itself.
    Template(String),
    /// Nothing in it is relevant for kubetaint. Only for JSON files and oversized files.
    Irrelevant,
    /// The text of a JSON file in which nothing is relevant by itself. Other files may name it.
    Parameters(String),
    /// It is larger than [`MAX_FILE_BYTES`] and may contain manifests.
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
    /// Not text: encrypted, compressed or otherwise binary.
    Binary,
    /// Text with bytes that are neither valid UTF-8 nor, after its byte order mark, valid UTF-16.
    NotUtf8 {
        /// The first invalid byte. The offset counts bytes of the file, including the byte order mark.
        at: Position,
    },
    /// The operating system returned this error.
    Unreadable(String),
}

/// Reads a file once. Memory is limited by [`MAX_FILE_BYTES`], whatever the file's size.
pub fn load(file: &File) -> Loaded {
    // A file with a size is an ordinary file; a file without one may never end, or may block.
    if file.bytes == 0
        && let Err(error) = check_named(&file.absolute)
    {
        return Loaded::Unreadable(error.to_string());
    }
    let opened = match file.bytes {
        0 => fs::File::open(&file.absolute),
        _ => open_at_once(&file.absolute),
    };
    match opened {
        Ok(opened) => {
            let mut reading = Reading {
                file: &opened,
                is_empty: true,
            };
            let loaded = read(&mut reading, file.bytes, file.kind);
            let is_empty = reading.is_empty && file.bytes > 0;
            match special(&opened).filter(|_| is_empty) {
                Some(why) => Loaded::Unreadable(why),
                None => loaded,
            }
        }
        Err(error) => Loaded::Unreadable(error.to_string()),
    }
}

/// A file that notes whether it has any content.
struct Reading<'f> {
    file: &'f fs::File,
    is_empty: bool,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.is_empty &= read == 0;
        Ok(read)
    }
}

/// What an open file is, if it is neither a file nor a folder.
fn special(opened: &fs::File) -> Option<String> {
    let metadata = opened.metadata().ok()?;
    let is_special = !(metadata.is_file() || metadata.is_dir());
    is_special.then(|| format!("it is {}", special_kind(&metadata)))
}

/// Reads a content of a revision, with the same limits as a file.
pub fn load_blob(blobs: &Blobs, object: &str, bytes: u64, kind: FileKind) -> Loaded {
    if bytes > MAX_FILE_BYTES {
        return match kind.is_beside() {
            true => Loaded::Irrelevant,
            false => Loaded::TooLarge { bytes },
        };
    }
    match blobs.read(object, MAX_FILE_BYTES) {
        Ok(content) => decode(content, kind),
        Err(error) => Loaded::Unreadable(error.to_string()),
    }
}

/// Reads the bytes of a file that is to be rewritten, at most [`MAX_FILE_BYTES`].
///
/// # Errors
/// Returns an error if the file cannot be read, is larger, or is not an ordinary file.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_bytes_up_to(path, MAX_FILE_BYTES)
}

/// Reads the bytes of a file that has at most so many.
///
/// # Errors
/// Returns an error if the file cannot be read, is larger, or is not an ordinary file.
pub fn read_bytes_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let opened = open_at_once(path)?;
    if let Some(kind) = special(&opened) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, kind));
    }
    let mut bytes = Vec::new();
    opened
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is too large to be read",
        ));
    }
    Ok(bytes)
}

/// Reads standard input to its end, with the same limits as a file. Its path is [`crate::source::STDIN_PATH`].
pub fn read_stdin() -> Loaded {
    read(io::stdin().lock(), 0, FileKind::Yaml)
}

/// Reads to the end. `expected` is an estimate of the size: the file may have grown, and a pipe has none.
fn read(reader: impl Read, expected: u64, kind: FileKind) -> Loaded {
    let mut bytes = Vec::new();
    let mut reader = reader;
    if expected <= MAX_FILE_BYTES {
        // One byte more than expected, so that the end is detected without growing the buffer.
        let room = usize::try_from(expected).unwrap_or(0) + 1;
        if bytes.try_reserve_exact(room).is_err() {
            return Loaded::Unreadable("there is not enough memory".to_owned());
        }
        if let Err(error) = (&mut reader)
            .take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
        {
            return Loaded::Unreadable(error.to_string());
        }
        if bytes.len() as u64 <= MAX_FILE_BYTES {
            return decode(bytes, kind);
        }
    }
    if kind.is_beside() {
        return Loaded::Irrelevant;
    }
    match scan(bytes.as_slice().chain(reader)) {
        Ok(scanned) if scanned.relevant => Loaded::TooLarge {
            bytes: scanned.bytes,
        },
        Ok(_) => Loaded::Irrelevant,
        Err(error) => Loaded::Unreadable(error.to_string()),
    }
}

/// What is known about a file that is too large to keep.
struct Scanned {
    bytes: u64,
    relevant: bool,
}

/// Reads to the end in chunks that overlap by more than the longest word. Input without an end (a device) is not read to
/// the end, and its relevance is unknown.
fn scan(mut reader: impl Read) -> io::Result<Scanned> {
    const OVERLAP: usize = 16;
    const ENDLESS: u64 = 1024 * 1024 * 1024;
    let words = WORDS.map(memmem::Finder::new);
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut kept = 0;
    let mut scanned = Scanned {
        bytes: 0,
        relevant: false,
    };
    loop {
        let read = match reader.read(chunk.get_mut(kept..).unwrap_or_default()) {
            Ok(0) => return Ok(scanned),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let filled = kept + read;
        let first = scanned.bytes == 0;
        scanned.bytes += read as u64;
        // UTF-16 encodes the words differently, so its byte order mark is enough.
        scanned.relevant = scanned.relevant
            || words
                .iter()
                .any(|word| word.find(chunk.get(..filled).unwrap_or_default()).is_some())
            || (first && utf16(chunk.get(..filled).unwrap_or_default()).is_some());
        if scanned.bytes >= ENDLESS {
            scanned.relevant = true;
            return Ok(scanned);
        }
        kept = filled.min(OVERLAP);
        chunk.copy_within(filled - kept..filled, 0);
    }
}

#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

/// Returns the byte order of a UTF-16 byte order mark. That of UTF-32 starts the same, followed by NUL.
fn utf16(bytes: &[u8]) -> Option<ByteOrder> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(ByteOrder::Little),
        [0xFE, 0xFF, ..] => Some(ByteOrder::Big),
        _ => None,
    }
}

/// Words of which a jsonnet file must contain one to be listed.
const JSONNET_WORDS: [&str; 5] = ["oleration", "taint", "Taint", "nodeSelector", "odeAffinity"];

fn decode(bytes: Vec<u8>, kind: FileKind) -> Loaded {
    if kind.holds_commands() {
        // A script provides hints, and manifests in heredocs. A binary one provides none.
        let concerns = |text: &str| {
            text.contains("taint")
                || crate::terraform::names_var_files(text)
                || (text.contains("<<") && text.contains("oleration"))
        };
        return match String::from_utf8(bytes) {
            Ok(text) if concerns(&text) && !text.contains('\0') => Loaded::Text(text),
            Ok(_) | Err(_) => Loaded::Irrelevant,
        };
    }
    if kind == FileKind::Jsonnet {
        let is_about = |text: &str| JSONNET_WORDS.iter().any(|word| text.contains(word));
        return match String::from_utf8(bytes) {
            Ok(text) if is_about(&text) => Loaded::Template(text),
            Ok(_) | Err(_) => Loaded::Irrelevant,
        };
    }
    if kind == FileKind::Program {
        return match String::from_utf8(bytes) {
            Ok(text) if declares_pools(&text) => Loaded::Template(text),
            Ok(_) | Err(_) => Loaded::Irrelevant,
        };
    }
    if kind.is_read_by_others() {
        // Even what an included file does not mention is relevant.
        let is_included = kind == FileKind::Included;
        let text = match String::from_utf8(bytes) {
            Err(error) if is_included => text_beside_comments(error.as_bytes()),
            other => other.ok(),
        };
        return match text.map(without_mark) {
            Some(text) if is_included || concerns_kubetaint(text.as_bytes()) => {
                Loaded::Template(text)
            }
            // Templates of a chart include it for what it defines.
            Some(text) => Loaded::Parameters(text),
            None => Loaded::Irrelevant,
        };
    }
    let text = if let Some(order) = utf16(&bytes) {
        match decode_utf16(bytes.get(2..).unwrap_or_default(), order) {
            Ok(text) => text,
            Err(at) => return Loaded::NotUtf8 { at },
        }
    } else {
        let probe = bytes
            .get(..bytes.len().min(BINARY_PROBE_BYTES))
            .unwrap_or_default();
        if memchr::memchr(0, probe).is_some() {
            return Loaded::Binary;
        }
        match String::from_utf8(bytes) {
            Ok(text) => without_mark(text),
            Err(error) => {
                // Terraform ignores the encoding of comments.
                if kind == FileKind::Terraform
                    && let Some(text) = text_beside_comments(error.as_bytes())
                {
                    return Loaded::Text(without_mark(text));
                }
                let valid = error.utf8_error().valid_up_to();
                let before =
                    String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
                return Loaded::NotUtf8 {
                    at: position_after(before.strip_prefix('\u{FEFF}').unwrap_or(&before), valid),
                };
            }
        }
    };
    if kind == FileKind::Json && !concerns_kubetaint(text.as_bytes()) {
        return Loaded::Parameters(text);
    }
    Loaded::Text(text)
}

/// Returns a text without its byte order mark.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    text
}

/// Whether the text contains one of the words, or an escape that could hide one.
fn concerns_kubetaint(text: &[u8]) -> bool {
    WORDS.iter().any(|word| memmem::find(text, word).is_some())
        || memmem::find(text, b"\\u").is_some()
}

fn decode_utf16(bytes: &[u8], order: ByteOrder) -> Result<String, Position> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| match order {
        ByteOrder::Little => u16::from_le_bytes(*pair),
        ByteOrder::Big => u16::from_be_bytes(*pair),
    });
    let mut text = String::with_capacity(bytes.len());
    let mut offset = 2;
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => {
                text.push(character);
                offset += 2 * character.len_utf16();
            }
            Err(_) => return Err(position_after(&text, offset)),
        }
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(position_after(&text, offset))
    }
}

/// Returns the position after `before`; `offset` is in bytes of the original file.
fn position_after(before: &str, offset: usize) -> Position {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position {
        line: count(memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1),
        column: count(before.since(line_start).chars().count() + 1),
        offset: count(offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_bytes(content: &[u8], kind: FileKind) -> Loaded {
        read(content, content.len() as u64, kind)
    }

    fn text(text: &str) -> Loaded {
        Loaded::Text(text.to_owned())
    }

    fn as_utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xFEFF)
            .chain(text.encode_utf16())
            .flat_map(to_bytes)
            .collect()
    }

    #[test]
    fn bytes_that_are_no_utf_8_in_a_comment_of_terraform_keep_nothing_from_being_read() {
        let written = b"# gro\xDFe \"\n/* \xFF */ a = \"\xC3\xA9\" // \xE9\n";
        for kind in [FileKind::Terraform, FileKind::Included] {
            let read = "# gro?e \"\n/* ? */ a = \"\u{e9}\" // ?\n".to_owned();
            match load_bytes(written, kind) {
                Loaded::Text(text) | Loaded::Template(text) => assert_eq!(text, read),
                other => panic!("{other:?}"),
            }
            let loaded = load_bytes(b"# a\na = \"\xE9\" # \xE9\n", kind);
            assert!(matches!(
                loaded,
                Loaded::NotUtf8 { .. } | Loaded::Irrelevant
            ));
        }
        assert!(matches!(
            load_bytes(written, FileKind::Yaml),
            Loaded::NotUtf8 { .. }
        ));
    }

    #[test]
    fn a_file_that_a_configuration_reads_has_no_byte_order_mark() {
        for kind in [FileKind::Template, FileKind::Included] {
            let loaded = load_bytes(b"\xEF\xBB\xBFkind: a", kind);
            assert_eq!(loaded, Loaded::Template("kind: a".to_owned()));
        }
    }

    #[test]
    fn text_in_utf8_loses_its_byte_order_mark() {
        assert_eq!(
            load_bytes(b"\xEF\xBB\xBFa: \xC3\xA9\r\n", FileKind::Yaml),
            text("a: é\r\n")
        );
        assert_eq!(load_bytes(b"", FileKind::Yaml), text(""));
    }

    #[test]
    fn text_in_utf16_is_decoded_in_either_byte_order() {
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes = as_utf16("kind: 😀\n", to_bytes);
            assert_eq!(load_bytes(&bytes, FileKind::Yaml), text("kind: 😀\n"));
            assert_eq!(load_bytes(&bytes, FileKind::Json), text("kind: 😀\n"));
        }
    }

    #[test]
    fn broken_utf16_is_told_with_its_place() {
        let mut bytes = as_utf16("a\nb", u16::to_le_bytes);
        bytes.extend(0xD800u16.to_le_bytes());
        let lone = Position {
            line: 2,
            column: 2,
            offset: 8,
        };
        assert_eq!(
            load_bytes(&bytes, FileKind::Yaml),
            Loaded::NotUtf8 { at: lone }
        );
        let mut bytes = as_utf16("ab", u16::to_be_bytes);
        bytes.push(0);
        let odd = Position {
            line: 1,
            column: 3,
            offset: 6,
        };
        assert_eq!(
            load_bytes(&bytes, FileKind::Yaml),
            Loaded::NotUtf8 { at: odd }
        );
    }

    #[test]
    fn broken_utf8_is_told_with_the_place_of_the_first_wrong_byte() {
        let at = Position {
            line: 2,
            column: 4,
            offset: 8,
        };
        assert_eq!(
            load_bytes(b"a: b\n\xC3\xA9:\xFF\xFE", FileKind::Yaml),
            Loaded::NotUtf8 {
                at: Position {
                    line: 2,
                    column: 3,
                    ..at
                }
            }
        );
        assert_eq!(
            load_bytes(b"\xEF\xBB\xBFab\xFF", FileKind::Json),
            Loaded::NotUtf8 {
                at: Position {
                    line: 1,
                    column: 3,
                    offset: 5
                }
            }
        );
    }

    #[test]
    fn files_with_nul_bytes_are_binary() {
        for bytes in [
            b"\0GITCRYPT\0abc".as_slice(),
            b"kind: a\0b",
            b"\xFF\xFE\0\0k\0\0\0",
            b"k\0i\0n\0d\0",
        ] {
            assert_eq!(load_bytes(bytes, FileKind::Yaml), Loaded::Binary);
        }
    }

    #[test]
    fn a_nul_byte_far_into_a_text_is_left_to_the_parser() {
        let late = format!("{}\0", "x".repeat(BINARY_PROBE_BYTES));
        assert_eq!(load_bytes(late.as_bytes(), FileKind::Yaml), text(&late));
    }

    #[test]
    fn only_json_is_judged_by_its_words() {
        let plain = br#"{"name": "x", "rules": [1, 2]}"#;
        assert!(matches!(
            load_bytes(plain, FileKind::Json),
            Loaded::Parameters(_)
        ));
        assert!(matches!(load_bytes(plain, FileKind::Yaml), Loaded::Text(_)));
        for relevant in [
            r#"{"kind": 1}"#,
            r#"{"Tolerations": 1}"#,
            r#"{"Taints": 1}"#,
            r#"{"k\u0069nd": 1}"#,
        ] {
            assert_eq!(
                load_bytes(relevant.as_bytes(), FileKind::Json),
                text(relevant)
            );
        }
    }

    #[test]
    fn a_word_is_found_wherever_the_chunks_end() {
        for before in 0..200 {
            let bytes = [
                vec![b' '; CHUNK_BYTES - 100 + before],
                b"olerations".to_vec(),
            ]
            .concat();
            assert!(scan(bytes.as_slice()).unwrap().relevant, "{before}");
        }
        assert!(!scan("olerat ions".as_bytes()).unwrap().relevant);
    }

    #[test]
    fn a_file_that_grew_beyond_the_limit_is_too_large() {
        let content = io::repeat(b'a').take(MAX_FILE_BYTES).chain(&b"kind"[..]);
        let bytes = MAX_FILE_BYTES + 4;
        assert_eq!(
            read(content, 10, FileKind::Yaml),
            Loaded::TooLarge { bytes }
        );
        let content = io::repeat(b' ').take(MAX_FILE_BYTES);
        assert!(matches!(read(content, 0, FileKind::Yaml), Loaded::Text(_)));
    }

    #[test]
    fn a_huge_file_in_utf16_may_hold_anything() {
        let bytes = as_utf16("kind", u16::to_le_bytes);
        assert!(scan(bytes.as_slice()).unwrap().relevant);
    }

    #[test]
    fn a_word_split_over_reads_is_found() {
        let content = io::repeat(b'a')
            .take(MAX_FILE_BYTES)
            .chain(&b"ki"[..])
            .chain(&b"nd"[..]);
        let bytes = MAX_FILE_BYTES + 4;
        assert_eq!(read(content, 0, FileKind::Yaml), Loaded::TooLarge { bytes });
    }
}
