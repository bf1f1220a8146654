//! Each case as a manifest, judged by the whole program: the right rule at the right field, and none where Kubernetes
//! takes the object.

use std::collections::{BTreeMap, BTreeSet};

use kubetaint::finding::{Finding, Severity};
use kubetaint::lint::Suppressions;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::cases::{Answer, Case, Setting, Vector, named_all};
use crate::builtin::{RULES, judged};
use crate::vectors::text;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Cases in one document stream.
const PER_FILE: usize = 200;

/// A finding or what one is expected to be: the rule, and the path that its own path begins with.
type Told = (String, String);

/// Where the program says otherwise than Kubernetes.
pub fn differences(vectors: &[Vector], setting: Setting) -> Vec<String> {
    let asked: Vec<(&Vector, &Vec<String>)> = vectors
        .iter()
        .filter_map(|vector| match vector.says(setting) {
            Some(Answer::Objections(list)) => Some((vector, list)),
            _ => None,
        })
        // What looks like a variable is left open on purpose.
        .filter(|(vector, _)| !text(&vector.case).contains("\"__"))
        .collect();
    let told = self::told(&asked, setting);
    let mut found = Vec::new();
    for (at, (vector, objections)) in asked.iter().enumerate() {
        let form = form(&vector.case, at);
        let expected: BTreeSet<Told> = named_all(objections)
            .iter()
            .map(|objection| expected(objection, &form))
            .collect();
        let errors = told.get(&at).cloned().unwrap_or_default();
        let missing: Vec<_> = expected
            .iter()
            .filter(|(rule, path)| {
                !errors
                    .iter()
                    .any(|(told, at)| told == rule && at.starts_with(path))
            })
            .collect();
        // Gt and Lt are told of a bad number whatever the gate: the object is refused either way.
        let surplus: Vec<_> = errors
            .iter()
            .filter(|(rule, at)| {
                !expected
                    .iter()
                    .any(|(told, path)| told == rule && at.starts_with(path))
                    && (objections.is_empty() || rule != "non-integer-comparison")
            })
            .collect();
        if !missing.is_empty() || !surplus.is_empty() {
            found.push(format!(
                "{}\n  Kubernetes {setting} says {objections:?}\n  missing {missing:?}, too much {surplus:?}",
                text(&vector.case)
            ));
        }
    }
    found
}

/// Errors by case: rule and path.
fn told(asked: &[(&Vector, &Vec<String>)], setting: Setting) -> BTreeMap<usize, BTreeSet<Told>> {
    let config = config(setting);
    // Each file for itself: what the API server refuses has nothing to do with other objects, and comparing all workloads
    // with all nodes takes long.
    let findings: Vec<Finding> = asked
        .par_chunks(PER_FILE)
        .enumerate()
        .flat_map_iter(|(chunk, cases)| {
            let documents = (chunk * PER_FILE..).zip(cases).map(|(at, (vector, _))| {
                serde_json::to_string(&manifest(&vector.case, at)).expect("JSON") + "\n"
            });
            let text = documents.collect::<Vec<_>>().join("---\n");
            let files = [
                (".kubetaint.yaml", config.as_str()),
                ("cases.yaml", text.as_str()),
            ];
            let report = judged(&RULES, &files, Suppressions::Off);
            assert_eq!(report.problems, []);
            assert_eq!(report.counts.documents as usize, cases.len());
            report.findings
        })
        .collect();
    let mut told: BTreeMap<usize, BTreeSet<Told>> = BTreeMap::new();
    for finding in findings {
        if finding.severity == Severity::Error {
            let name = finding.object.name.unwrap_or_default();
            let at = name.strip_prefix("case-").and_then(|at| at.parse().ok());
            let at = at.unwrap_or_else(|| panic!("{} is about no case", finding.rule));
            let (mut rule, mut path) = (finding.rule, finding.path);
            // An effect in another system's spelling is refused like any other, and told in words of its own.
            if rule == "effect-spelling"
                && let Some(taint) = path.strip_suffix(".effect")
            {
                (rule, path) = ("invalid-taint".to_owned(), taint.to_owned());
            }
            if rule == "comparison-operator-unavailable" && !setting.names_comparisons() {
                rule = "unknown-operator".to_owned();
            }
            told.entry(at).or_default().insert((rule, path));
        }
    }
    told
}

fn config(setting: Setting) -> String {
    format!(
        "kubernetes: \"{}\"\nfeature-gates: {{TaintTolerationComparisonOperators: {}}}\n",
        setting.release, setting.gate
    )
}

/// Where a case's fields stand in its manifest.
struct Form {
    kind: &'static str,
    api_version: &'static str,
    /// The path of the pod template; empty for a Pod.
    template: &'static str,
}

/// The kinds of pod templates in turn.
fn form(case: &Case, at: usize) -> Form {
    const TEMPLATES: [(&str, &str, &str); 6] = [
        ("Pod", "v1", ""),
        ("Deployment", "apps/v1", "spec.template."),
        ("PodTemplate", "v1", "template."),
        ("CronJob", "batch/v1", "spec.jobTemplate.spec.template."),
        ("StatefulSet", "apps/v1", "spec.template."),
        ("Job", "batch/v1", "spec.template."),
    ];
    let (kind, api_version, template) = match case {
        Case::PodTemplate(_) => TEMPLATES[at % TEMPLATES.len()],
        Case::RuntimeClass(_) => ("RuntimeClass", "node.k8s.io/v1", ""),
        Case::Node(_) | Case::Match { .. } => ("Node", "v1", ""),
    };
    Form {
        kind,
        api_version,
        template,
    }
}

fn manifest(case: &Case, at: usize) -> Value {
    let form = form(case, at);
    let mut object = json!({
        "apiVersion": form.api_version,
        "kind": form.kind,
        "metadata": {"name": format!("case-{at}")},
    });
    match case {
        Case::PodTemplate(template) => {
            let mut spec = json!({"containers": [{"name": "c", "image": "i"}]});
            if !template.node_selector.is_empty() {
                spec["nodeSelector"] = json!(template.node_selector);
            }
            if let Some(terms) = &template.required {
                spec["affinity"]["nodeAffinity"][REQUIRED] = json!({"nodeSelectorTerms": terms});
            }
            if !template.preferred.is_empty() {
                spec["affinity"]["nodeAffinity"][PREFERRED] = json!(template.preferred);
            }
            if !template.node_name.is_empty() {
                spec["nodeName"] = json!(template.node_name);
            }
            if !template.tolerations.is_empty() {
                spec["tolerations"] = json!(template.tolerations);
            }
            let mut holder = &mut object;
            for step in form.template.split('.').filter(|step| !step.is_empty()) {
                holder = &mut holder[step];
            }
            holder["spec"] = spec;
            if !template.annotations.is_empty() {
                holder["metadata"]["annotations"] = json!(template.annotations);
            }
        }
        Case::RuntimeClass(class) => {
            object["handler"] = json!("h");
            object["scheduling"] = json!({
                "nodeSelector": class.node_selector,
                "tolerations": class.tolerations,
            });
        }
        Case::Node(node) => {
            object["spec"]["taints"] = json!(node.taints);
            object["metadata"]["annotations"] = json!(node.annotations);
        }
        Case::Match { .. } => {}
    }
    object
}

/// The rule that has to tell of an objection, and where: Kubernetes' `path code` in the manifest's terms.
fn expected(objection: &str, form: &Form) -> Told {
    let (path, code) = objection.rsplit_once(' ').expect("a path and a code");
    // Kubernetes names the metadata of a Node, and not the template that a path is in.
    let path = match form.kind {
        "Node" => path.replace("metadata.taints", "spec.taints"),
        "RuntimeClass" => path.to_owned(),
        _ if path.starts_with("annotations") => format!("{}metadata.{path}", form.template),
        _ if path.starts_with("required") || path.starts_with("preferred") => {
            let path = path
                .replacen("required", REQUIRED, 1)
                .replacen("preferred", PREFERRED, 1);
            format!("{}spec.affinity.nodeAffinity.{path}", form.template)
        }
        _ => format!("{}{path}", form.template),
    };
    if let Some((before, _)) = path.split_once("annotations") {
        let rule = "invalid-scheduling-annotation".to_owned();
        return (rule, format!("{before}annotations["));
    }
    let item = || path[..=path.rfind(']').expect("an item of a list")].to_owned();
    let leaf = path.rsplit('.').next().unwrap_or_default();
    let (rule, path) = match (leaf, code) {
        (_, "Duplicate") if form.kind == "Node" => ("duplicate-taint", path),
        (_, "Duplicate") => ("duplicate-runtime-class-toleration", path),
        _ if form.kind == "Node" => ("invalid-taint", item()),
        _ if !path.contains("tolerations[") => ("invalid-node-selector", path),
        (_, "InvalidKey") => ("invalid-key", path),
        (_, "EmptyKeyWithoutExists") => ("empty-key-without-exists", item()),
        (_, "SecondsWithoutNoExecute") => ("toleration-seconds-without-no-execute", item()),
        // The rules point at the value, which is what has to change.
        (_, "InvalidValue") => ("invalid-value", item() + ".value"),
        (_, "ValueWithExists") => ("value-with-exists", item() + ".value"),
        (_, "ComparisonUnavailable") => ("comparison-operator-unavailable", path),
        (_, "NonCanonicalInteger" | "UnparsableInteger") => ("non-integer-comparison", item()),
        (_, "UnknownOperator") => ("unknown-operator", path),
        (_, "UnknownEffect") => ("unknown-effect", path),
        _ => ("a rule that there is not", path),
    };
    (rule.to_owned(), path)
}
