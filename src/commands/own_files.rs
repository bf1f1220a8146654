//! Reads kubetaint's own files: the configuration, rules, tables and baselines. Each is read completely, within the size
//! limit of all files.

use std::path::{Component, Path};

use super::CommandError;
use crate::discover::{self, File, Loaded};
use crate::finding::Problem;
use crate::source::{FileKind, Source};

/// The text of a file, under the name that messages use.
///
/// # Errors
/// Returns an error if the file cannot be read, is too large or is not text.
pub(super) fn read_source(path: &Path, name: String) -> Result<Source, CommandError> {
    let file = File {
        path: name.as_str().into(),
        absolute: path.to_path_buf(),
        scanned_from: 0,
        kind: FileKind::Yaml,
        bytes: 0,
        blob: None,
    };
    match discover::load(&file) {
        Loaded::Text(text) => Ok(Source::new(name, text)),
        Loaded::NotUtf8 { at } => Err(CommandError::Problems(vec![Problem {
            file: Some(name),
            position: Some(at),
            message: "not UTF-8".to_owned(),
        }])),
        other => Err(CommandError::Message(format!(
            "{name}: {}",
            refusal(&other)
        ))),
    }
}

/// `Err` if a path in the configuration is outside the repository. Whoever runs the check can name such a path on the
/// command line.
pub(super) fn check_repository(root: &Path, named: &str) -> Result<(), String> {
    let path = Path::new(named);
    let is_below = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_below {
        return Err(
            "it is not in the repository; name it on the command line (--pools, --rules)"
                .to_owned(),
        );
    }
    discover::check_found(root, &root.join(path)).map_err(|error| error.to_string())
}

/// The reason why the content of a file cannot be used.
pub(super) fn refusal(loaded: &Loaded) -> String {
    match loaded {
        Loaded::Text(_) | Loaded::Template(_) | Loaded::Parameters(_) | Loaded::Irrelevant => {
            "nothing to read".to_owned()
        }
        Loaded::TooLarge { bytes } => too_large(*bytes),
        Loaded::Binary => "not text".to_owned(),
        Loaded::NotUtf8 { at } => format!("not UTF-8 at line {}, column {}", at.line, at.column),
        Loaded::Unreadable(why) => why.clone(),
    }
}

/// The message for a file above the size limit.
pub(super) fn too_large(bytes: u64) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1024 * 1024);
    format!(
        "{} MiB, and files beyond {} MiB are not read",
        mib(bytes),
        mib(discover::MAX_FILE_BYTES)
    )
}
