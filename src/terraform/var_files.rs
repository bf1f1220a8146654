//! Variables files by their names, and those that commands in scripts and workflows name: `terraform -chdir=DIR plan -var-file=FILE`.
//! Files of the same form configure a backend: `terraform init -backend-config=FILE`.

use std::collections::BTreeSet;

use crate::source::FileKind;
use crate::source::path::{folder, join};

/// The option for variables.
const VARIABLES: &str = "var-file";

/// The option for the backend. It takes a file, or one of its keys and a value.
const BACKEND: &str = "backend-config";

/// Words in the names of workflows outside of hidden folders.
const PIPELINES: [&str; 4] = ["pipeline", "build", "workflow", "Taskfile"];

/// What a variable of a script stands for: any part of a name.
const ANY: char = '*';

/// Files that a command may name, if the folder is that of a configuration and the files exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VarFiles {
    /// The folder in which the command runs.
    pub folder: String,
    /// The path of the files. A `*` stands for any part of a name.
    pub path: String,
    /// Whether they configure the backend, and set no variables.
    pub is_for_backend: bool,
}

impl VarFiles {
    /// Whether a path is one of the files.
    pub fn is(&self, path: &str) -> bool {
        let (wanted, names) = (self.path.split('/'), path.split('/'));
        wanted.clone().count() == names.clone().count()
            && wanted.zip(names).all(|(wanted, name)| fits(wanted, name))
    }
}

/// Whether a file is a script, or a workflow of a program that builds and deploys.
fn holds_commands(path: &str) -> bool {
    let kind = FileKind::of(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hidden = || path.split('/').any(|name| name.starts_with('.'));
    let is_pipeline = || PIPELINES.iter().any(|word| name.contains(word));
    kind == Some(FileKind::Script)
        || (kind == Some(FileKind::Yaml) && (is_hidden() || is_pipeline()))
}

/// Whether commands in a text may name such files.
pub fn names_var_files(text: &str) -> bool {
    text.contains("-var-file") || text.contains("-backend-config")
}

/// Returns what the commands in a file may name. A command runs in the folder that it or what stands before it names, or in
/// that of the file or of the repository.
pub fn var_files(path: &str, text: &str) -> Vec<VarFiles> {
    if !holds_commands(path) || !names_var_files(text) {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    let mut entered: Option<String> = None;
    let whole: Vec<String> = text.lines().filter_map(working_directory).collect();
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        let words: Vec<String> = words(line);
        let mut named = Vec::new();
        let mut of_line = None;
        let mut before = "";
        for word in &words {
            let word = word.as_str();
            if before == "cd" || before == "pushd" {
                entered = Some(word.to_owned());
            }
            if let Some(given) = word.strip_prefix("-chdir=") {
                of_line = Some(given.to_owned());
            }
            named.extend(given(before, word, VARIABLES).map(|name| (name, false)));
            let backend = given(before, word, BACKEND).filter(|name| is_values(name));
            named.extend(backend.map(|name| (name, true)));
            before = word;
        }
        let said: Vec<&str> = match (&of_line, &entered) {
            (Some(folder), _) | (None, Some(folder)) => vec![folder],
            (None, None) if !whole.is_empty() => whole.iter().map(String::as_str).collect(),
            (None, None) => vec!["."],
        };
        for (name, is_for_backend) in named {
            for said in &said {
                for base in ["", folder(path)] {
                    let Some(at) = join(base, said) else { continue };
                    let Some(path) = join(&at, name) else {
                        continue;
                    };
                    found.insert(VarFiles {
                        folder: at,
                        path,
                        is_for_backend,
                    });
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The value of an option: a part of its word, or the next word.
fn given<'w>(before: &str, word: &'w str, option: &str) -> Option<&'w str> {
    let is_option = |word: &str| word.starts_with('-');
    let after = |word: &'w str| {
        let rest = word.trim_start_matches('-').strip_prefix(option)?;
        rest.strip_prefix('=')
    };
    if let Some(value) = after(word).filter(|_| is_option(word)) {
        return Some(value);
    }
    (is_option(before) && before.trim_start_matches('-') == option).then_some(word)
}

/// The folder that a line of a workflow names for its commands.
fn working_directory(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("- ");
    let rest = line.strip_prefix("working-directory:")?;
    words(rest).into_iter().next()
}

/// The words of a command line, with a `*` for each variable in them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '$' => variable(rest),
            _ => 0,
        };
        let Some(word) = words.last_mut() else { break };
        match next {
            '$' if length > 1 => word.push(ANY),
            ' ' | '\t' | ';' | '&' | '|' | '(' | ')' => words.push(String::new()),
            '"' | '\'' | '`' => {}
            // A name with a star of its own is not looked for.
            _ => word.push(next),
        }
        rest = rest.get(length.max(next.len_utf8())..).unwrap_or_default();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The length of the variable that a text begins with: `$NAME`, `${NAME}`, `$(NAME)` or `${{ NAME }}`.
fn variable(text: &str) -> usize {
    let until = |end: &str| text.find(end).map_or(0, |at| at + end.len());
    if text.starts_with("${{") {
        return until("}}");
    }
    if text.starts_with("${") {
        return until("}");
    }
    if text.starts_with("$(") {
        return until(")");
    }
    let name = text.get(1..).unwrap_or_default();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    1 + name.find(|letter| !is_name(letter)).unwrap_or(name.len())
}

/// Whether a name fits a pattern in which a `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once(ANY) else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(start) else {
        return false;
    };
    let mut parts = rest.split(ANY).peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// Whether a path is a variables file.
pub(super) fn is_values(path: &str) -> bool {
    path.ends_with(".tfvars") || path.ends_with(".tfvars.json")
}

/// The name of a variables file without what all have.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.trim_end_matches(".json").trim_end_matches(".tfvars");
    stem.trim_end_matches(".auto").trim_start_matches('.')
}

/// Whether the name of a variables file, or of its folder, says that it configures a backend.
pub(super) fn is_named_backend(path: &str) -> bool {
    let mut names = path.rsplit('/').take(2);
    names.any(|name| {
        let mut words = name.split(['-', '_', '.']);
        words.any(|word| ["backend", "backends"].contains(&word))
    })
}

/// Whether Terraform loads a variables file without being told to.
pub(super) fn is_automatic(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["terraform.tfvars", "terraform.tfvars.json"].contains(&name)
        || name.ends_with(".auto.tfvars")
        || name.ends_with(".auto.tfvars.json")
}

/// Terraform loads `terraform.tfvars`, then `terraform.tfvars.json`, then the others by name.
pub(super) fn order_of_values(path: &str) -> (u8, &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "terraform.tfvars" => (0, path),
        "terraform.tfvars.json" => (1, path),
        _ => (2, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, text: &str, folder: &str, file: &str) -> bool {
        let found = var_files(path, text);
        let mut found = found.iter().filter(|one| !one.is_for_backend);
        found.any(|one| one.folder == folder && one.is(file))
    }

    #[test]
    fn a_command_names_its_folder_and_its_file() {
        let command = "terraform -chdir=infra/main plan \\\n  -var-file=../env/prod.tfvars\n";
        assert!(named(
            "ci/plan.sh",
            command,
            "infra/main",
            "infra/env/prod.tfvars"
        ));
        let entered = "cd main && terraform apply -var-file \"../env/$ENV.tfvars\"";
        assert!(named("deploy.sh", entered, "main", "env/prod.tfvars"));
        assert!(named("a/deploy.sh", entered, "a/main", "a/env/prod.tfvars"));
        assert!(!named("deploy.sh", entered, "main", "env/prod.json"));
        let plain = "terraform plan --var-file=prod.tfvars";
        assert!(named("infra/Makefile", plain, "infra", "infra/prod.tfvars"));
        assert!(!named(
            "infra/Makefile",
            "terraform plan",
            "infra",
            "infra/prod.tfvars"
        ));
    }

    #[test]
    fn a_workflow_names_the_folder_of_its_commands() {
        let workflow = "jobs:\n  plan:\n    defaults:\n      run:\n        working-directory: ./main\n    steps:\n\
            - run: terraform plan -var-file=../env/${{ matrix.env }}.tfvars\n";
        let path = ".github/workflows/plan.yml";
        assert!(named(path, workflow, "main", "env/staging.tfvars"));
        assert!(!named(path, workflow, "main", "env/sub/staging.tfvars"));
    }

    #[test]
    fn a_command_names_files_for_the_backend() {
        let init = "terraform init -backend-config=env/$ENV.tfvars -backend-config key=$ENV";
        let found = var_files("deploy.sh", init);
        let told: Vec<(&str, bool)> = found
            .iter()
            .map(|one| (one.path.as_str(), one.is_for_backend))
            .collect();
        assert_eq!(told, [("env/*.tfvars", true)]);
        let is_backend = |path| is_named_backend(path);
        assert!(is_backend("env/dev/backend.tfvars") && is_backend("env/dev.backend.tfvars"));
        assert!(is_backend("backends/dev.tfvars") && !is_backend("env/backends.d/dev/eks.tfvars"));
    }

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        assert!(fits("*", "a") && fits("a-*.tfvars", "a-b.tfvars") && fits("*-*", "a-b"));
        assert!(!fits("a*b", "ac") && !fits("a", "b"));
    }
}
