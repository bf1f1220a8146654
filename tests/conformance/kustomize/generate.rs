//! Random kustomizations: bases, components, overlays and patches. Most of them can be built.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::random::Random;

const NAMES: [&str; 4] = ["web", "api", "agent", "web-2"];

const KEYS: [&str; 4] = ["a", "b", "example.com/pool", "node-role"];

const WORDS: [&str; 4] = ["x", "y", "true", "7"];

/// Kinds, and the keys that lead to their pod spec.
const KINDS: [(&str, &str, &[&str]); 8] = [
    ("apps/v1", "Deployment", &["spec", "template", "spec"]),
    ("apps/v1", "DaemonSet", &["spec", "template", "spec"]),
    ("apps/v1", "StatefulSet", &["spec", "template", "spec"]),
    (
        "batch/v1",
        "CronJob",
        &["spec", "jobTemplate", "spec", "template", "spec"],
    ),
    ("v1", "Pod", &["spec"]),
    ("v1", "Node", &["spec"]),
    ("karpenter.sh/v1", "NodePool", &["spec", "template", "spec"]),
    ("example.com/v1", "Release", &["spec", "values", "agent"]),
];

/// An object that patches are made for.
#[derive(Clone)]
struct Subject {
    kind: usize,
    name: &'static str,
    namespace: Option<&'static str>,
}

pub struct Generator {
    random: Random,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
        }
    }

    /// Files with a kustomization in the folder `top`.
    pub fn files(&mut self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut subjects = Vec::new();
        let mut resources = Vec::new();
        for base in 0..1 + self.random.below(2) {
            let folder = format!("base{base}");
            let own = self.objects(base);
            self.write_objects(&mut files, &folder, &own);
            let mut form = json!({"resources": ["objects.yaml"]});
            if self.random.chance(40) {
                self.changes(&mut files, &folder, &own, &mut form);
            }
            files.insert(format!("{folder}/kustomization.yaml"), form.to_string());
            resources.push(Json::from(format!("../{folder}")));
            subjects.extend(own);
        }
        let mut form = json!({"resources": resources});
        if self.random.chance(40) {
            let mut component =
                json!({"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"});
            self.changes(&mut files, "component", &subjects, &mut component);
            files.insert(
                "component/kustomization.yaml".to_owned(),
                component.to_string(),
            );
            form["components"] = json!(["../component"]);
        }
        self.changes(&mut files, "top", &subjects, &mut form);
        let name = *self
            .random
            .pick(&["kustomization.yaml", "kustomization.yml", "Kustomization"]);
        files.insert(format!("top/{name}"), form.to_string());
        files
    }

    /// Objects of one base. Those of different bases have different kinds.
    fn objects(&mut self, base: usize) -> Vec<Subject> {
        let mut own: Vec<Subject> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let subject = Subject {
                kind: self.random.below(KINDS.len() / 2) * 2 + base,
                name: NAMES[self.random.below(NAMES.len())],
                namespace: self.random.chance(20).then_some("other"),
            };
            let is_known =
                |known: &Subject| known.kind == subject.kind && known.name == subject.name;
            if !own.iter().any(is_known) {
                own.push(subject);
            }
        }
        own
    }

    fn write_objects(
        &mut self,
        files: &mut BTreeMap<String, String>,
        folder: &str,
        subjects: &[Subject],
    ) {
        let objects: Vec<Json> = subjects.iter().map(|one| self.object(one)).collect();
        let text = if self.random.chance(20) {
            json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
        } else {
            let texts: Vec<String> = objects.iter().map(Json::to_string).collect();
            texts.join("\n---\n")
        };
        files.insert(format!("{folder}/objects.yaml"), text);
    }

    fn head(&mut self, subject: &Subject) -> Json {
        let (api_version, kind, _) = KINDS[subject.kind];
        let mut object = json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": subject.name},
        });
        if let Some(namespace) = subject.namespace.filter(|_| kind != "Node") {
            object["metadata"]["namespace"] = namespace.into();
        }
        object
    }

    fn object(&mut self, subject: &Subject) -> Json {
        let mut object = self.head(subject);
        if self.random.chance(50) {
            object["metadata"]["labels"] = json!({"app": self.random.pick(&WORDS)});
        }
        let spec = self.spec(false);
        put(&mut object, KINDS[subject.kind].2, spec);
        object
    }

    /// A pod spec, or a part of one for a patch.
    fn spec(&mut self, is_patch: bool) -> Json {
        let mut spec = Map::new();
        let wanted = if is_patch { 30 } else { 60 };
        if self.random.chance(wanted) {
            spec.insert("nodeSelector".to_owned(), self.pairs(is_patch));
        }
        if self.random.chance(wanted) {
            spec.insert("tolerations".to_owned(), self.entries(is_patch));
        }
        if self.random.chance(wanted / 2) {
            spec.insert("taints".to_owned(), self.entries(is_patch));
        }
        if self.random.chance(wanted / 2) {
            spec.insert("affinity".to_owned(), self.affinity(is_patch));
        }
        if self.random.chance(wanted / 2) {
            spec.insert(
                "topologySpreadConstraints".to_owned(),
                self.spread(is_patch),
            );
        }
        if self.random.chance(wanted / 2) {
            let word = if is_patch && self.random.chance(20) {
                Json::Null
            } else {
                (*self.random.pick(&NAMES)).into()
            };
            let key = *self
                .random
                .pick(&["nodeName", "priorityClassName", "schedulerName"]);
            spec.insert(key.to_owned(), word);
        }
        if !is_patch || self.random.chance(20) {
            let containers = self.containers(is_patch);
            spec.insert("containers".to_owned(), containers);
        }
        if is_patch && self.random.chance(4) {
            let word = *self.random.pick(&["replace", "delete", "merge"]);
            spec.insert("$patch".to_owned(), word.into());
        }
        Json::Object(spec)
    }

    fn pairs(&mut self, is_patch: bool) -> Json {
        if is_patch && self.random.chance(10) {
            return Json::Null;
        }
        let mut pairs = Map::new();
        for _ in 0..self.random.below(3) {
            let value = if is_patch && self.random.chance(20) {
                Json::Null
            } else {
                (*self.random.pick(&WORDS)).into()
            };
            pairs.insert((*self.random.pick(&KEYS)).to_owned(), value);
        }
        if is_patch && self.random.chance(10) {
            let word = *self.random.pick(&["replace", "delete", "merge"]);
            pairs.insert("$patch".to_owned(), word.into());
        }
        Json::Object(pairs)
    }

    fn entry(&mut self) -> Json {
        let mut entry = json!({"key": self.random.pick(&KEYS), "operator": self.random.pick(&["Equal", "Exists"])});
        if self.random.chance(50) {
            entry["value"] = (*self.random.pick(&WORDS)).into();
        }
        if self.random.chance(50) {
            entry["effect"] = (*self.random.pick(&["NoSchedule", "NoExecute"])).into();
        }
        if self.random.chance(20) {
            entry["tolerationSeconds"] = 300.into();
        }
        entry
    }

    fn entries(&mut self, is_patch: bool) -> Json {
        if is_patch && self.random.chance(10) {
            return Json::Null;
        }
        let mut list: Vec<Json> = (0..self.random.below(3)).map(|_| self.entry()).collect();
        if is_patch && self.random.chance(10) {
            let word = *self.random.pick(&["replace", "delete", "merge"]);
            list.insert(0, json!({"$patch": word}));
        }
        Json::Array(list)
    }

    fn affinity(&mut self, is_patch: bool) -> Json {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let key = *self.random.pick(&KEYS);
        let word = *self.random.pick(&WORDS);
        let term = json!({"matchExpressions": [{"key": key, "operator": "In", "values": [word]}]});
        let mut node = json!({required: {"nodeSelectorTerms": [term]}});
        if is_patch && self.random.chance(20) {
            node["$patch"] = "replace".into();
        }
        if self.random.chance(30) {
            node["preferredDuringSchedulingIgnoredDuringExecution"] =
                json!([{"weight": 1, "preference": term}]);
        }
        json!({"nodeAffinity": node})
    }

    fn spread(&mut self, is_patch: bool) -> Json {
        let mut list = Vec::new();
        for topology in ["zone", "host"] {
            if self.random.chance(60) {
                let when = *self.random.pick(&["DoNotSchedule", "ScheduleAnyway"]);
                let mut one = json!({"topologyKey": topology, "whenUnsatisfiable": when, "maxSkew": 1 + self.random.below(3)});
                if is_patch && self.random.chance(15) {
                    one["$patch"] = "delete".into();
                }
                list.push(one);
            }
        }
        Json::Array(list)
    }

    fn containers(&mut self, is_patch: bool) -> Json {
        let mut list = Vec::new();
        for name in ["one", "two"] {
            if self.random.chance(70) {
                let mut one = json!({"name": name});
                if self.random.chance(40) {
                    one["resources"] = json!({"limits": {"nvidia.com/gpu": 1}});
                }
                // A field of that name in a container, which is a mistake.
                if self.random.chance(10) {
                    one["tolerations"] = self.entries(false);
                }
                if is_patch && self.random.chance(15) {
                    one["$patch"] = "delete".into();
                }
                list.push(one);
            }
        }
        Json::Array(list)
    }

    /// Adds patches and other changes to a kustomization.
    fn changes(
        &mut self,
        files: &mut BTreeMap<String, String>,
        folder: &str,
        subjects: &[Subject],
        form: &mut Json,
    ) {
        for index in 0..self.random.below(4) {
            let subject = subjects[self.random.below(subjects.len())].clone();
            self.patch(files, (folder, index), &subject, form);
        }
        if self.random.chance(15) {
            form["namespace"] = "n".into();
        }
        if self.random.chance(20) {
            form["namePrefix"] = "p-".into();
        }
        if self.random.chance(10) {
            form["nameSuffix"] = "-s".into();
        }
        if self.random.chance(15) {
            form["commonLabels"] = json!({"tier": "front"});
        }
        if self.random.chance(8) {
            let to = &subjects[self.random.below(subjects.len())];
            let from = &subjects[self.random.below(subjects.len())];
            let at = KINDS[to.kind].2.join(".");
            form["replacements"] = json!([{
                "source": {"kind": KINDS[from.kind].1, "name": from.name},
                "targets": [{
                    "select": {"kind": KINDS[to.kind].1, "name": to.name},
                    "fieldPaths": [format!("{at}.nodeName")],
                    "options": {"create": true},
                }],
            }]);
        }
    }

    fn patch(
        &mut self,
        files: &mut BTreeMap<String, String>,
        (folder, index): (&str, usize),
        subject: &Subject,
        form: &mut Json,
    ) {
        let is_json = self.random.chance(35);
        let text = match is_json {
            true => self.operations(subject),
            false => {
                let mut patch = self.head(subject);
                if self.random.chance(3) {
                    patch["$patch"] = "delete".into();
                } else {
                    put(&mut patch, KINDS[subject.kind].2, self.spec(true));
                }
                patch.to_string()
            }
        };
        let (_, kind, _) = KINDS[subject.kind];
        let list = if is_json && self.random.chance(30) {
            "patchesJson6902"
        } else if !is_json && self.random.chance(30) {
            "patchesStrategicMerge"
        } else {
            "patches"
        };
        let name = format!("patch{index}.yaml");
        let is_file = self.random.chance(50);
        if is_file {
            files.insert(format!("{folder}/{name}"), text.clone());
        }
        let mut entry = match (is_file, list) {
            (true, "patchesStrategicMerge") => name.into(),
            (false, "patchesStrategicMerge") => text.into(),
            (true, _) => json!({"path": name}),
            (false, _) => json!({"patch": text}),
        };
        if is_json || (list == "patches" && self.random.chance(40)) {
            let mut target = json!({"kind": kind, "name": subject.name});
            if list == "patches" {
                target = self.target(subject);
            }
            entry["target"] = target;
        }
        match form.get_mut(list).and_then(Json::as_array_mut) {
            Some(known) => known.push(entry),
            None => form[list] = json!([entry]),
        }
    }

    fn target(&mut self, subject: &Subject) -> Json {
        let (api_version, kind, _) = KINDS[subject.kind];
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let mut target = match self.random.below(5) {
            0 => json!({"kind": kind}),
            1 => json!({"kind": format!("{}.*", &kind[..2])}),
            2 => json!({"name": format!("(p-)?{}", subject.name)}),
            3 => {
                json!({"labelSelector": *self.random.pick(&["app=x", "app!=x", "tier", "!tier", "app in (x,y)"])})
            }
            _ => json!({"kind": kind, "name": subject.name}),
        };
        if self.random.chance(20) {
            target["version"] = version.into();
            target["group"] = group.into();
        }
        if self.random.chance(10) {
            target["namespace"] = (*self.random.pick(&["default", "other", "n", "o.*"])).into();
        }
        target
    }

    fn operations(&mut self, subject: &Subject) -> String {
        let at = format!("/{}", KINDS[subject.kind].2.join("/"));
        let mut list = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let entry = self.entry();
            let operation = match self.random.below(9) {
                0 => json!({"op": "add", "path": format!("{at}/tolerations"), "value": [entry]}),
                1 => json!({"op": "add", "path": format!("{at}/tolerations/-"), "value": entry}),
                2 => {
                    json!({"op": "replace", "path": format!("{at}/nodeSelector"), "value": {"a": "z"}})
                }
                3 => {
                    json!({"op": "add", "path": format!("{at}/nodeSelector/example.com~1pool"), "value": "q"})
                }
                4 => json!({"op": "remove", "path": format!("{at}/containers")}),
                5 => {
                    json!({"op": "replace", "path": format!("{at}/tolerations/0"), "value": entry})
                }
                6 => {
                    json!({"op": "copy", "from": format!("{at}/containers"), "path": format!("{at}/taints")})
                }
                7 => json!({"op": "add", "path": format!("{at}/taints"), "value": []}),
                _ => json!({"op": "test", "path": "/kind", "value": KINDS[subject.kind].1}),
            };
            list.push(operation);
        }
        Json::Array(list).to_string()
    }
}

fn put(object: &mut Json, path: &[&str], value: Json) {
    let mut at = object;
    for key in path {
        at = &mut at[*key];
    }
    *at = value;
}
