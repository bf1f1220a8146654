//! Variables files by their names, and those that commands in scripts and workflows name: `terraform -chdir=DIR plan -var-file=FILE`.

use std::collections::BTreeSet;

use crate::source::FileKind;
use crate::source::path::{folder, join};

/// The option.
const OPTION: &str = "-var-file";

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

/// Returns what the commands in a file may name. A command runs in the folder that it or what stands before it names, or in
/// that of the file or of the repository.
pub fn var_files(path: &str, text: &str) -> Vec<VarFiles> {
    if !holds_commands(path) || !text.contains(OPTION) {
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
            let given = word.trim_start_matches('-').strip_prefix("var-file=");
            let given = given.or((before.trim_start_matches('-') == "var-file").then_some(word));
            named.extend(given.filter(|_| word.starts_with('-') || before.starts_with('-')));
            before = word;
        }
        let said: Vec<&str> = match (&of_line, &entered) {
            (Some(folder), _) | (None, Some(folder)) => vec![folder],
            (None, None) if !whole.is_empty() => whole.iter().map(String::as_str).collect(),
            (None, None) => vec!["."],
        };
        for name in named {
            for said in &said {
                for base in ["", folder(path)] {
                    let Some(at) = join(base, said) else { continue };
                    let Some(path) = join(&at, name) else {
                        continue;
                    };
                    found.insert(VarFiles { folder: at, path });
                }
            }
        }
    }
    found.into_iter().collect()
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
        found.iter().any(|one| one.folder == folder && one.is(file))
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
    fn a_star_stands_for_any_part_of_a_name() {
        assert!(fits("*", "a") && fits("a-*.tfvars", "a-b.tfvars") && fits("*-*", "a-b"));
        assert!(!fits("a*b", "ac") && !fits("a", "b"));
    }
}
