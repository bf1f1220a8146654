//! Claims: which values of a chart reach which pods, and the values that put a claim to the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::prints::Prints;
use super::values::{at, put, switched_on};
use super::written::Blocks;
use super::{Pod, Rendered, Verdict};
use crate::builtin::{RULES, TABLE};
use kubetaint::charts::{self, ChartFile, Group, PodsIf, ValuePath};
use kubetaint::config::Config;
use kubetaint::extract::FileFacts;
use kubetaint::lint::session::Session;
use kubetaint::lint::{Content, Input, Settings, Suppressions};
use kubetaint::source::FileKind;
use serde_json::{Map, Value as Json, json};

/// The mark that a value has.
const MARK: &str = "marked.example";

/// A chart in a folder.
pub struct Chart {
    pub folder: PathBuf,
    /// The values of `values.yaml`.
    pub defaults: Json,
    /// What is read from each template.
    pub facts: BTreeMap<String, FileFacts>,
    /// The blocks of each template.
    pub blocks: BTreeMap<String, Blocks>,
    pub claims: Vec<Claim>,
    pub prints: Prints,
}

/// One value that reaches some pods.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The template; `None` for any.
    pub template: Option<String>,
    pub field: &'static str,
    pub input: charts::Input,
    /// The pods that it reaches.
    pub pods: Vec<charts::Pod>,
    /// The pods of the chart that the same value reaches, in other templates, too.
    pub all: Vec<charts::Pod>,
    /// Values that the pods need.
    pub needs: Vec<(ValuePath, String)>,
}

/// The charts below a folder, as their templates are read.
pub fn read(root: &Path, folders: &[PathBuf]) -> Vec<Chart> {
    let mut files = Vec::new();
    for folder in folders {
        files.push(folder.join("Chart.yaml"));
        collect(&folder.join("templates"), &mut files);
    }
    files.sort();
    files.dedup();
    let inputs: Vec<Input> = files
        .iter()
        .map(|file| Input {
            path: below(file, root).into(),
            scanned_from: 0,
        })
        .collect();
    let load = |at: usize| match fs::read_to_string(&files[at]) {
        Ok(text) if FileKind::of(&below(&files[at], root)) == Some(FileKind::Template) => {
            Content::Template(text)
        }
        Ok(text) => Content::Text(text),
        Err(_) => Content::Irrelevant,
    };
    let config = Config::default();
    let settings = Settings {
        rules: &RULES,
        table: &TABLE,
        config: &config,
        whole: false,
        suppressions: Suppressions::Off,
        rendered: None,
        cache: None,
    };
    let session = Session::open(&inputs, &load, settings);
    let read = session.chart_templates();
    let charts = folders
        .iter()
        .filter_map(|folder| Chart::read(folder, root, &read));
    charts.collect()
}

/// A path below a folder.
fn below(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.to_string_lossy().into_owned()
}

impl Chart {
    /// Reads a chart of which the templates below a folder say something. `None` if it has none.
    fn read(folder: &Path, root: &Path, read: &BTreeMap<String, FileFacts>) -> Option<Chart> {
        let start = format!("{}/", folder.strip_prefix(root).ok()?.to_string_lossy());
        let start = start.trim_start_matches('/');
        let own = read.range(start.to_owned()..);
        let own = own.map_while(|(path, facts)| Some((path.strip_prefix(start)?, facts)));
        let mut facts = BTreeMap::new();
        let mut blocks = BTreeMap::new();
        let mut texts = Vec::new();
        for (path, read) in own.filter(|(path, _)| path.starts_with("templates/")) {
            let text = fs::read_to_string(folder.join(path)).ok()?;
            blocks.insert(path.to_owned(), Blocks::of(&text));
            facts.insert(path.to_owned(), read.clone());
            texts.push(text);
        }
        if facts.is_empty() {
            return None;
        }
        let changed: Vec<_> = facts
            .values()
            .flat_map(|facts| facts.changed_values.iter().cloned())
            .collect();
        let mut claims = Vec::new();
        // Any value may reach these pods.
        let mut open = Vec::new();
        for (path, facts) in &facts {
            for mut group in facts.chart_groups.iter().cloned() {
                if group.is_open() {
                    open.extend(group.all_pods().cloned());
                }
                group.forget(&changed);
                claims.extend(of_group(Some(path), &group));
            }
        }
        complete(&mut claims);
        for claim in &mut claims {
            claim.all.extend(open.iter().cloned());
        }
        let text = fs::read_to_string(folder.join("values.yaml")).unwrap_or_default();
        Some(Chart {
            folder: folder.to_path_buf(),
            defaults: serde_yaml::from_str(&text).unwrap_or(Json::Null),
            facts,
            blocks,
            claims,
            prints: Prints::of(&texts),
        })
    }

    /// What the table beside a chart says, or the one of the program, if it is about this version. `None` if there is none.
    pub fn in_tables(folder: &Path, owner: Option<&str>) -> Option<Chart> {
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let about: Json = serde_yaml::from_str(&read("Chart.yaml")).ok()?;
        let text = |key: &str| about.get(key)?.as_str();
        let own: Option<ChartFile> = serde_yaml::from_str(&read("table.yaml")).ok();
        let editions = own.as_ref().map(|own| own.editions.as_slice());
        let mut editions = editions
            .unwrap_or_else(|| charts::named(text("name").unwrap_or_default()))
            .iter();
        let release = |version: &str| -> Vec<String> {
            let parts = version.trim_start_matches('v').split('.');
            parts.take(2).map(str::to_owned).collect()
        };
        let wanted = release(text("version")?);
        let is_of =
            |source: &str| owner.is_none_or(|owner| source.split('/').next() == Some(owner));
        let edition = editions.find(|edition| {
            release(&edition.version) == wanted && edition.source.as_deref().is_none_or(is_of)
        })?;
        let mut claims: Vec<Claim> = edition
            .values
            .iter()
            .flat_map(|group| of_group(None, group))
            .collect();
        complete(&mut claims);
        Some(Chart {
            folder: folder.to_path_buf(),
            defaults: serde_yaml::from_str(&read("values.yaml")).unwrap_or(Json::Null),
            facts: BTreeMap::new(),
            blocks: BTreeMap::new(),
            claims,
            prints: Prints::default(),
        })
    }

    /// Defaults of tolerations that the chart does not have. Those of charts in it may stand there.
    pub fn wrong_defaults(&self) -> Vec<String> {
        let claimed = self
            .claims
            .iter()
            .filter(|claim| claim.field == "tolerations");
        let wrong = claimed.filter_map(|claim| {
            let claimed = claim.input.default.as_ref()?;
            let real = at(&self.defaults, claim.input.path.steps())?;
            let why = || format!("{}: the default is {real}, not {claimed}", claim.input.path);
            (real != claimed).then(why)
        });
        wrong.collect()
    }

    /// Its name in messages.
    pub fn name(&self, folder: &Path) -> String {
        below(&self.folder, folder)
    }
}

/// The claims of a group.
pub fn of_group(template: Option<&str>, group: &Group) -> Vec<Claim> {
    let inputs = group.inputs().flat_map(|(field, input)| {
        let mut sets = vec![(Vec::new(), group.pods.clone())];
        let under = group.pods_if.iter().map(|PodsIf { condition, pods }| {
            (condition.all.clone().unwrap_or_default(), pods.clone())
        });
        sets.extend(under);
        sets.retain(|(_, pods)| !pods.is_empty());
        sets.into_iter().map(move |(mut needs, pods)| {
            let only = input.only_if.as_ref().and_then(|one| one.all.clone());
            needs.extend(only.unwrap_or_default());
            Claim {
                template: template.map(str::to_owned),
                field,
                input: input.clone(),
                all: pods.clone(),
                pods,
                needs,
            }
        })
    });
    inputs.collect()
}

/// Tells each claim about the other pods that its value reaches.
pub fn complete(claims: &mut [Claim]) {
    let mut all: BTreeMap<ValuePath, Vec<charts::Pod>> = BTreeMap::new();
    for claim in claims.iter() {
        let known = all.entry(claim.input.path.clone()).or_default();
        known.extend(claim.pods.iter().cloned());
    }
    for claim in claims {
        claim.all = all.get(&claim.input.path).cloned().unwrap_or_default();
    }
}

impl Claim {
    /// Values with a mark at the path. With `all`, everything that is switched off by default is switched on.
    pub fn values(&self, defaults: &Json, all: bool) -> Json {
        let mut values = match all {
            true => switched_on(defaults),
            false => Json::Object(Map::new()),
        };
        let mark = match self.field {
            "tolerations" => json!([{"key": MARK, "operator": "Exists"}]),
            "nodeSelector" => json!({MARK: "yes"}),
            _ => {
                json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                    {"matchExpressions": [{"key": MARK, "operator": "Exists"}]}
                ]}}})
            }
        };
        let mark = match self.input.text
            || at(defaults, self.input.path.steps()).is_some_and(Json::is_string)
        {
            true => Json::String(mark.to_string()),
            false => mark,
        };
        for other in &self.input.stands_in_for {
            let is_around = self.input.path.steps().starts_with(other.steps());
            if !is_around && at(defaults, other.steps()).is_some_and(|value| !value.is_null()) {
                put(&mut values, defaults, other.steps(), &Json::Null);
            }
        }
        put(&mut values, defaults, self.input.path.steps(), &mark);
        for (path, value) in &self.needs {
            let value = serde_yaml::from_str(value).unwrap_or(Json::Null);
            put(&mut values, defaults, path.steps(), &value);
        }
        values
    }

    /// What became of the mark.
    pub fn verdict(&self, templates: &[Rendered]) -> Verdict {
        let path = &self.input.path;
        let mut reached = 0;
        let mut missed: Option<&Pod> = None;
        for template in templates {
            for pod in &template.pods {
                let has = pod.fields.get(self.field).is_some_and(is_marked);
                let elsewhere = pod
                    .fields
                    .iter()
                    .any(|(name, value)| name != self.field && is_marked(value));
                if elsewhere {
                    let fields: BTreeSet<_> = pod
                        .fields
                        .iter()
                        .filter(|(_, value)| is_marked(value))
                        .map(|(name, _)| name)
                        .collect();
                    let why = format!(
                        "{path} becomes {fields:?} of {}/{} in {}",
                        pod.kind, pod.name, template.path
                    );
                    return Verdict::Different(why);
                }
                let is_kind =
                    |claimed: &charts::Pod| claimed.kind == pod.kind && claimed.place.is_none();
                if has && !self.all.iter().any(is_kind) {
                    let why = format!(
                        "{path} reaches {} of {}/{} in {}, too, which is not claimed",
                        self.field, pod.kind, pod.name, template.path
                    );
                    return Verdict::Different(why);
                }
                let is_own = self
                    .template
                    .as_ref()
                    .is_none_or(|own| *own == template.path);
                let is_claimed =
                    |claimed: &charts::Pod| is_kind(claimed) && is_named(&claimed.name, &pod.name);
                if is_own && self.pods.iter().any(is_claimed) {
                    match has {
                        true => reached += 1,
                        false => missed = Some(pod),
                    }
                }
            }
        }
        match (reached, missed) {
            (0, None) => Verdict::Nothing,
            (_, None) => Verdict::Reached,
            (0, Some(_)) if self.input.only_if.is_some() => Verdict::Conditional,
            (_, Some(pod)) => Verdict::Different(format!(
                "{path} does not reach {} of {}/{}{}",
                self.field,
                pod.kind,
                pod.name,
                self.template
                    .as_ref()
                    .map(|path| format!(" in {path}"))
                    .unwrap_or_default()
            )),
        }
    }
}

/// Whether a pod may have the name that is claimed, which lacks the name of the release.
pub fn is_named(claimed: &str, name: &str) -> bool {
    match claimed {
        "*" | "(release)" => true,
        own => name.ends_with(own),
    }
}

fn is_marked(value: &Json) -> bool {
    value.to_string().contains(MARK)
}

/// The files below a folder, in order.
pub fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
