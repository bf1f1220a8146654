//! Documents that cannot be read: guesses from their text what they would have been.

use crate::model::notice::{Notice, NoticeKind};
use crate::source::{SourceId, Span};
use crate::terraform::SyntaxError;
use crate::yaml::{Node, Style};

/// What rules call a document that would have been an object.
const MANIFEST: &str = "manifest";
const DUMP: &str = "dump";
const OTHER: &str = "other";

/// The notice about a broken document.
pub(super) fn document(span: Span, message: &str, text: &str) -> Notice {
    let kind = NoticeKind::UnparsableManifest {
        why: message.to_owned(),
        content: sort(text),
        is_string: false,
    };
    Notice::of_file(kind, span)
}

/// The notice about a manifest that a `|` or `>` above it makes one string.
pub(super) fn block_scalar(root: Node<'_>, text: &str) -> Option<Notice> {
    let mark = match root.style() {
        Style::Literal => '|',
        Style::Folded => '>',
        _ => return None,
    };
    let start = root.span().start;
    let span = Span {
        end: start + 1,
        ..root.span()
    };
    let kind = NoticeKind::UnparsableManifest {
        why: format!("the `{mark}` makes everything below it one string"),
        content: sort(text),
        is_string: true,
    };
    is_manifest(text).then(|| Notice::of_file(kind, span))
}

/// The notice about a syntax error in a Terraform file.
pub(super) fn configuration(id: SourceId, error: &SyntaxError) -> Notice {
    let span = Span::new(id, error.at.0 as usize..error.at.1 as usize);
    let why = error.message.to_string();
    Notice::of_file(NoticeKind::UnparsableConfiguration { why }, span)
}

/// Whether a broken document would have been an object of some API.
pub(super) fn is_manifest(text: &str) -> bool {
    sort(text) != OTHER
}

/// Whether a file is JSON with comments and no manifest. Editors and compilers accept it, so it is not broken.
pub(super) fn is_commented_json(path: &str, text: &str) -> bool {
    let is_json = path
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
    let has_comment = || {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with("//") || line.starts_with("/*") || line.contains(" //"))
    };
    is_json && !is_manifest(text) && has_comment()
}

fn sort(text: &str) -> &'static str {
    let top = match text.trim_start().as_bytes().first() {
        Some(b'{' | b'[') => Top::of_json(text),
        _ => Top::of_yaml(text),
    };
    match (
        top.is_object(),
        top.has_status || text.lines().any(is_of_server),
    ) {
        (true, true) => DUMP,
        (true, false) => MANIFEST,
        (false, _) => OTHER,
    }
}

/// What the top level of a document contains.
#[derive(Default)]
struct Top {
    version: bool,
    kind: bool,
    /// `metadata`, `spec` or another map that objects have.
    body: bool,
    /// A non-empty status of an object. CustomResourceDefinitions do not count: their generators write a status.
    has_status: bool,
}

impl Top {
    /// Whether this looks like an object. The syntax error may have swallowed one of the two names.
    fn is_object(&self) -> bool {
        (self.version && (self.kind || self.body)) || (self.kind && self.body)
    }

    fn take(&mut self, name: &str, value: &str) {
        let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
        match name {
            "apiVersion" => self.version |= is_version(value),
            "kind" => self.kind |= value.starts_with(|first: char| first.is_ascii_uppercase()),
            "metadata" | "spec" | "items" | "resources" => self.body = true,
            _ => {}
        }
    }

    fn of_yaml(text: &str) -> Top {
        let mut top = Top::default();
        let mut lines = text
            .lines()
            .map(|line| {
                let rest = line.trim_start().trim_start_matches("- ");
                (line.len() - rest.len(), rest)
            })
            .filter(|(_, rest)| !rest.is_empty() && !rest.starts_with(['#', '%']))
            .filter(|(_, rest)| !rest.starts_with("---"))
            .peekable();
        let base = lines.peek().map_or(0, |(column, _)| *column);
        let mut is_definition = false;
        while let Some((column, rest)) = lines.next() {
            // An extra blank or tab is a common reason why a document is broken.
            if column > base + 1 {
                continue;
            }
            let Some((name, value)) = rest.split_once(':') else {
                continue;
            };
            let name = name.trim().trim_matches(['"', '\'']);
            let value = value.split(" #").next().unwrap_or_default();
            top.take(name, value);
            is_definition |= name == "kind" && value.trim() == "CustomResourceDefinition";
            let goes_on = lines.peek().is_some_and(|(column, _)| *column > base);
            top.has_status |= name == "status" && goes_on;
        }
        top.has_status &= !is_definition;
        top
    }

    /// Names in the outermost map, or in the maps of the outermost list.
    fn of_json(text: &str) -> Top {
        let mut top = Top::default();
        let lists = text.trim_start().starts_with('[');
        let (mut depth, wanted) = (0_usize, 1 + usize::from(lists));
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}', '[', ']', '"']) {
            let (mark, behind) = (rest.as_bytes().get(at), rest.get(at + 1..));
            let behind = behind.unwrap_or_default();
            rest = behind;
            match mark {
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth = depth.saturating_sub(1),
                _ => {
                    // An unterminated string ends with its line.
                    let Some(end) = behind.find(['"', '\n']) else {
                        break;
                    };
                    rest = behind.get(end + 1..).unwrap_or_default();
                    let value = rest.trim_start().strip_prefix(':');
                    if let (true, Some(value)) = (depth == wanted, value) {
                        let line = value.trim_start().split('\n').next().unwrap_or_default();
                        let word = line
                            .strip_prefix('"')
                            .and_then(|word| word.split('"').next());
                        top.take(
                            behind.get(..end).unwrap_or_default(),
                            word.unwrap_or_default(),
                        );
                    }
                }
            }
        }
        top
    }
}

/// Whether a text is an API version: `v1`, `apps/v1beta2`.
fn is_version(text: &str) -> bool {
    let version = text.rsplit('/').next().unwrap_or_default();
    version
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether only an API server writes such a line. It then comes from a dump of a cluster, not from a handwritten manifest.
fn is_of_server(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    let Some((name, value)) = line.split_once(':') else {
        return false;
    };
    let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    let starts_with_digit = value.starts_with(|first: char| first.is_ascii_digit());
    match name.trim_matches(['"', '\'']) {
        "managedFields" => true,
        "selfLink" => value.starts_with('/'),
        "resourceVersion" => starts_with_digit,
        "creationTimestamp" => starts_with_digit,
        "uid" => {
            value.len() == 36
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_known_although_a_break_swallowed_a_name() {
        for text in [
            "apiVersion: apps/v1\nkind: Deployment\nspec: [\n",
            "apiVersion: v1\n\tkind: Pod\n",
            "apiVersion: v1\nkind Pod\nmetadata:\n",
            "# web\n---\n- apiVersion: \"v1\"\n  kind: Pod\n",
            "  apiVersion: v1\n  kind: Pod\n bad\n",
            "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n",
            "[{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}",
        ] {
            assert_eq!(sort(text), MANIFEST, "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_objects_is_none() {
        for text in [
            "",
            "just words: [\n",
            "kind: pipeline\nsteps: [\n",
            "on: push\njobs:\n  a:\n    apiVersion: v1\n    kind: Pod\n",
            "example: |\n  apiVersion: v1\n  kind: Pod\n bad: [\n",
            "apiVersion: v2\nname: chart\nversion: [\n",
            "{\"definitions\": {\"Pod\": {\"properties\": {\"apiVersion\": {\"type\": \"string\"}, \"kind\": {}}}},\n",
            "{\"apiVersion\": {\"type\": \"string\"}, \"kind\": {\"type\": \"string\"},\n",
            "{\n  // comment\n  \"kind\": \"build\",\n",
        ] {
            assert_eq!(sort(text), OTHER, "{text}");
        }
    }

    #[test]
    fn what_an_api_server_wrote_is_a_dump() {
        let head = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
        for more in [
            "  managedFields: [\n",
            "  uid: 0b1c2d3e-0000-4a4a-8b8b-0123456789ab\n  x: [\n",
            "  resourceVersion: \"42\"\n",
            "  creationTimestamp: \"2024-01-01T00:00:00Z\"\n",
            "status:\n  phase: Running\n",
        ] {
            assert_eq!(sort(&format!("{head}{more}")), DUMP, "{more}");
        }
        for more in [
            "  uid: dashboard\n",
            "  creationTimestamp: null\n",
            "status: {}\n",
        ] {
            assert_eq!(sort(&format!("{head}{more}")), MANIFEST, "{more}");
        }
        let definition =
            "apiVersion: v1\nkind: CustomResourceDefinition\nstatus:\n  acceptedNames: {\n";
        assert_eq!(sort(definition), MANIFEST);
    }
}
