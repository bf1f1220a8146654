//! The format of a file, determined only by its name.

/// The format of a file, according to its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// `.yaml` and `.yml`. Any other file is read as YAML if it is named explicitly.
    Yaml,
    /// `.json`
    Json,
    /// `.tf` and `.tfvars`, both also as JSON, and Terragrunt files.
    Terraform,
    /// A shell script or a Makefile: commands, never a manifest.
    Script,
    /// An inventory of hosts in INI format.
    Hosts,
    /// A template that a tool fills in.
    Template,
    /// A file that Terragrunt's files include.
    Included,
    /// `.jsonnet` and `.libsonnet`: a program that prints manifests.
    Jsonnet,
    /// A program in a language that Pulumi and the CDK are used in.
    Program,
}

impl FileKind {
    /// Returns the format of a path, or `None` if the name does not determine it.
    pub fn of(path: &str) -> Option<FileKind> {
        let ends_with = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        if ends_with(&TERRAFORM) {
            return Some(FileKind::Terraform);
        }
        if ["sh", "bash", "mk"].contains(&ending) || SCRIPTS.contains(&name) {
            return Some(FileKind::Script);
        }
        if ending == "ini" || HOSTS.contains(&name) {
            return Some(FileKind::Hosts);
        }
        if path.ends_with(".hcl") && !path.ends_with(".lock.hcl") {
            return Some(FileKind::Included);
        }
        if ["jsonnet", "libsonnet"].contains(&ending) {
            return Some(FileKind::Jsonnet);
        }
        let is_script = ["py", "ts"].contains(&ending) && !name.ends_with(".d.ts");
        if is_script || FileKind::is_compiled(path) {
            return Some(FileKind::Program);
        }
        // Nothing includes a helmfile, and helmfile itself runs its actions.
        if name.starts_with("helmfile") && name.ends_with(".yaml.gotmpl") {
            return Some(FileKind::Yaml);
        }
        if TEMPLATES.contains(&ending) {
            return Some(FileKind::Template);
        }
        let is = |other: &str| ending.eq_ignore_ascii_case(other);
        match stem.is_empty() {
            // A name whose only dot is at the start has no extension.
            true => None,
            false if is("yaml") || is("yml") => Some(FileKind::Yaml),
            false if is("json") => Some(FileKind::Json),
            false => None,
        }
    }

    /// Whether a path is that of a program in a language that most programs beside manifests are written in.
    pub fn is_compiled(path: &str) -> bool {
        let mut endings = [".go", ".java", ".cs"].iter();
        endings.any(|ending| path.ends_with(ending)) && !path.ends_with("_test.go")
    }

    /// Whether such files are not manifests by themselves.
    pub fn is_beside(self) -> bool {
        let is_program = matches!(self, FileKind::Jsonnet | FileKind::Program);
        self.holds_commands() || self.is_read_by_others() || is_program
    }

    /// Whether such files contain commands or hosts, which are only read for hints.
    pub fn holds_commands(self) -> bool {
        matches!(self, FileKind::Script | FileKind::Hosts)
    }

    /// Whether other files read such files by their names.
    pub fn is_read_by_others(self) -> bool {
        matches!(self, FileKind::Template | FileKind::Included)
    }
}

/// The suffixes of the names of Terraform files.
const TERRAFORM: [&str; 7] = [
    ".tf",
    ".tf.json",
    ".tofu",
    ".tofu.json",
    ".tfvars",
    ".tfvars.json",
    "terragrunt.hcl",
];

/// The extensions of templates.
const TEMPLATES: [&str; 8] = [
    "gotmpl", "j2", "jinja", "jinja2", "template", "tftpl", "tmpl", "tpl",
];

const SCRIPTS: [&str; 5] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Justfile",
    "justfile",
];

const HOSTS: [&str; 2] = ["hosts", "inventory"];
