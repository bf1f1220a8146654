//! The configuration of a run, and files that look like a configuration but are not read.

use std::fs;
use std::path::Path;

use super::CommandError;
use super::own_files::{read_source, refusal};
use crate::config::{self, Config};
use crate::discover::{self, CONFIG_FILE, Discovery, Loaded, Revision};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::source::{Position, Source, SourceId};
use crate::yaml;

/// The base name of a configuration file.
const STEM: &str = "kubetaint";

const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "toml"];

/// Reads the named configuration, or else the one of the repository, or else returns the defaults.
///
/// # Errors
/// Returns an error if the file cannot be read or contains errors.
pub fn load(named: Option<&Path>, isolated: bool, root: &Path) -> Result<Config, CommandError> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => root.join(CONFIG_FILE),
    };
    // A dangling link counts as a configuration, because somebody created it on purpose.
    if isolated || (named.is_none() && path.symlink_metadata().is_err()) {
        return Ok(Config::default());
    }
    if named.is_none() {
        // The user did not name this file, and messages may show its lines.
        discover::check_found(root, &path)
            .map_err(|why| CommandError::Message(format!("{CONFIG_FILE}: {why}")))?;
    }
    let name = path
        .strip_prefix(root)
        .unwrap_or(&path)
        .display()
        .to_string();
    let source = read_source(&path, name)?;
    config::parse(source, SourceId::CONFIGURATION).map_err(CommandError::Problems)
}

/// Reads the configuration of a revision, or returns the defaults.
///
/// # Errors
/// Returns an error if it cannot be read or contains errors.
pub fn of_revision(revision: &Revision) -> Result<Config, CommandError> {
    let Some(file) = revision.file(CONFIG_FILE) else {
        return Ok(Config::default());
    };
    let object = file.blob.as_deref().unwrap_or_default();
    match discover::load_blob(revision.blobs(), object, file.bytes, file.kind) {
        Loaded::Text(text) => {
            let source = Source::new(CONFIG_FILE.to_owned(), text);
            config::parse(source, SourceId::CONFIGURATION).map_err(CommandError::Problems)
        }
        other => Err(CommandError::Message(format!(
            "{CONFIG_FILE}: {}",
            refusal(&other)
        ))),
    }
}

/// A problem for each file at the repository's root that looks like a misnamed configuration.
pub fn misnamed(root: &Path) -> Vec<Problem> {
    let Ok(entries) = fs::read_dir(root) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| may_be_meant(name) && root.join(name).is_file())
        .collect();
    names.sort();
    names
        .into_iter()
        .filter(|name| is_exact(name) || is_configuration(root, name))
        .map(|name| Problem {
            message: format!(
                "is not read: the name of the configuration is {CONFIG_FILE}; rename it, or remove it"
            ),
            position: Some(BEGINNING),
            file: Some(name),
        })
        .collect()
}

/// A warning for each configuration below the root. It is either that of a separate project or wrongly expected to apply.
pub fn nested(discovery: &Discovery, config: &Config, root: &Path) -> Vec<Problem> {
    let files = discovery.files.iter();
    let files = files.map(|file| (&*file.path, file.scanned_from));
    let configs = discovery.configs.iter();
    let configs = configs.map(|(path, scanned_from)| (path.as_str(), *scanned_from));
    let mut told: Vec<Problem> = configs
        .chain(files)
        .filter_map(|(path, scanned_from)| {
            let (folder, name) = path.rsplit_once('/')?;
            let meant = name == CONFIG_FILE
                || (may_be_meant(name) && (is_exact(name) || is_configuration(root, path)));
            let scanned = path.get(scanned_from..).unwrap_or_default();
            let of_another = || {
                let above = Path::new(folder).ancestors();
                let mut below_root = above.filter(|one| !one.as_os_str().is_empty());
                below_root.any(|one| root.join(one).join(".git").exists())
            };
            let told = meant && !config.is_test(path, scanned) && !of_another();
            told.then(|| Problem {
                file: Some(path.to_owned()),
                position: Some(BEGINNING),
                message: format!(
                    "is not read: the configuration of a run is the {CONFIG_FILE} at the repository's root"
                ),
            })
        })
        .collect();
    told.sort();
    told
}

const BEGINNING: Position = Position {
    offset: 0,
    line: 1,
    column: 1,
};

/// Whether a file name is similar to that of the configuration.
fn may_be_meant(name: &str) -> bool {
    if name == CONFIG_FILE || !name.is_ascii() {
        return false;
    }
    let plain = plain(name);
    plain == STEM
        || [format!("{STEM}rc"), format!("{STEM}config")].contains(&plain)
        || nearest_word(&plain, &[STEM]).is_some()
}

/// The letters and digits of a name without its extension.
fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let stem = match lower.rsplit_once('.') {
        Some((stem, extension)) if EXTENSIONS.contains(&extension) => stem,
        _ => &lower,
    };
    stem.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Whether only a configuration has such a name: it begins with a dot, or its extension is not one of manifests.
fn is_exact(name: &str) -> bool {
    let plain = plain(name);
    let dotted = name.starts_with('.') && plain.starts_with(STEM);
    dotted || (plain == STEM && name.to_ascii_lowercase().ends_with(".toml"))
}

/// Whether a file has keys that only a configuration has.
fn is_configuration(root: &Path, path: &str) -> bool {
    let Ok(source) = read_source(&root.join(path), path.to_owned()) else {
        return false;
    };
    let stream = yaml::parse(&source.text, SourceId(0));
    let Some(document) = stream.documents.iter().find(|one| !one.is_empty()) else {
        return false;
    };
    let keys: Vec<&str> = document
        .root()
        .fields()
        .iter()
        .filter_map(yaml::Field::name)
        .collect();
    // Pool lists, reports and manifests of kubetaint are not configurations.
    !keys
        .iter()
        .any(|key| ["apiVersion", "kind", "findings"].contains(key))
        && keys
            .iter()
            .any(|key| *key != "pools" && config::is_key(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_that_of_the_configuration_are_known() {
        for name in [
            "kubetaint.yaml",
            "kubetaint.yml",
            ".kubetaint.yml",
            ".kubetaint.json",
            ".Kubetaint.yaml",
            ".kubetaint",
            ".kubetaintrc",
            "kubetaint.config.yaml",
            ".kube-taint.yaml",
            ".kubetain.yaml",
            "kubetaints.yaml",
        ] {
            assert!(may_be_meant(name), "{name}");
        }
        for name in [
            CONFIG_FILE,
            "values.yaml",
            "kubetaint-cronjob.yaml",
            ".kubetaint-baseline.json",
            "kubectl.yaml",
        ] {
            assert!(!may_be_meant(name), "{name}");
        }
        assert!(is_exact(".kubetaint.yml") && is_exact("kubetaint.toml"));
        assert!(!is_exact("kubetaint.yaml"));
    }
}
