//! What is read from the Terraform configurations, plans and states below `fixtures/providers/`: pools with labels and
//! taints, their places, and the reasons for unknown parts. Also broken and hostile input.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::builtin::{TABLE, gathered};
use kubetaint::extract::{
    FileFacts, configurations as configurations_of, extract, read_configuration,
};
use kubetaint::lint::gather::Gathered;
use kubetaint::model::Field;
use kubetaint::model::node_pool::{NodePool, Origin};
use kubetaint::model::notice::NoticeKind;
use kubetaint::model::workload::Workload;
use kubetaint::source::{Source, SourceId, Span};
use kubetaint::terraform::Files;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/providers")
}

/// Everything read from some files.
struct Reading {
    sources: Vec<Source>,
    gathered: Gathered,
}

/// Files that configurations read by name.
struct Sources<'s>(&'s [Source]);

impl Files for Sources<'_> {
    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        let at = self.0.iter().position(|source| source.path == path)?;
        let id = SourceId(u32::try_from(at).expect("few files"));
        Some((id, self.0[at].text.to_string()))
    }

    fn path(&self, file: SourceId) -> &str {
        &self.0[file.0 as usize].path
    }
}

fn read(files: &[(&str, &str)]) -> Reading {
    let sources: Vec<Source> = files
        .iter()
        .map(|(path, text)| Source::new(*path, *text))
        .collect();
    let mut all: Vec<FileFacts> = sources
        .iter()
        .zip(0..)
        .map(|(source, at)| match source.kind.is_read_by_others() {
            true => FileFacts::default(),
            false => extract(source, SourceId(at), &TABLE),
        })
        .collect();
    let configurations = all
        .iter_mut()
        .zip(&sources)
        .filter_map(|(facts, source)| Some((source.path.clone(), facts.configuration.take()?)))
        .collect();
    let files = Sources(&sources);
    let repository = configurations_of(configurations, &BTreeSet::new()).beside(&files);
    for top in repository.tops() {
        all.push(read_configuration(&repository, top, &TABLE).0);
    }
    let gathered = gathered(all, &sources);
    Reading { sources, gathered }
}

fn read_fixture(name: &str) -> Reading {
    let mut paths = Vec::new();
    let mut open = vec![fixtures().join(name)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let files: Vec<(String, String)> = paths
        .iter()
        .map(|path| {
            let below = path.strip_prefix(fixtures().join(name)).expect("below");
            let text = fs::read_to_string(path).expect("a text");
            (below.to_string_lossy().replace('\\', "/"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    read(&files)
}

impl Reading {
    /// `file:line:column`, and the text at the span.
    fn place(&self, span: Span) -> String {
        let source = &self.sources[span.source.0 as usize];
        let at = source.position(span.start);
        let text = source.text.get(span.range()).expect("a place in the file");
        let text = text.lines().next().unwrap_or_default();
        format!("{}:{}:{} `{text}`", source.path, at.line, at.column)
    }

    fn pools(&self) -> Vec<&NodePool> {
        self.gathered
            .pools
            .iter()
            .map(|placed| &*placed.pool)
            .collect()
    }

    fn pool(&self, name: &str) -> &NodePool {
        let pools = self.pools();
        let names: Vec<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
        pools
            .iter()
            .find(|pool| pool.name == name)
            .unwrap_or_else(|| panic!("no pool {name} among {names:?}"))
    }

    fn why_open(&self, name: &str) -> &str {
        self.pool(name)
            .incomplete_because
            .as_deref()
            .unwrap_or("it is complete")
    }

    /// The pools in a readable form.
    fn show(&self) -> String {
        let mut shown = String::new();
        for placed in &self.gathered.pools {
            let pool = &placed.pool;
            let mut line = |text: String| writeln!(shown, "{text}").expect("a text");
            line(format!("pool {} ({})", pool.name, pool.provider));
            if let Some(span) = pool.span {
                line(format!("  declared at {}", self.place(span)));
            }
            let own = pool.span.map(|span| span.source);
            if own != Some(placed.source) {
                let path = &self.sources[placed.source.0 as usize].path;
                line(format!("  belongs to {path}"));
            }
            if let Some(span) = pool.name_span {
                line(format!("  named at {}", self.place(span)));
            }
            for (key, value) in &pool.labels.labels {
                let value = match value {
                    Field::Is(value) => value.as_str(),
                    Field::Absent => "",
                    Field::Unknown => "?",
                };
                line(format!("  label {key}={value}"));
            }
            for taint in &pool.taints {
                let origin = match taint.origin {
                    Origin::Declared => "declared",
                    Origin::Startup => "startup",
                    Origin::Implied => "implied",
                };
                let at = taint.span.map(|span| format!(" at {}", self.place(span)));
                line(format!(
                    "  taint {} {origin}{}",
                    taint.taint,
                    at.unwrap_or_default()
                ));
            }
            match &pool.incomplete_because {
                Some(why) => line(format!("  open: {why}")),
                None => assert!(pool.complete, "{}", pool.name),
            }
        }
        for workload in &self.gathered.workloads {
            self.show_workload(workload, &mut shown);
        }
        shown
    }

    fn show_workload(&self, workload: &Workload, shown: &mut String) {
        let mut line = |text: String| writeln!(shown, "{text}").expect("a text");
        let (object, shape) = (&workload.object, &workload.shape);
        let name = object.name.as_deref().unwrap_or_default();
        line(format!("{} {name} ({})", object.kind, shape.level.as_str()));
        line(format!("  at {}", self.place(workload.span)));
        for (entry, located) in shape.tolerations.iter().zip(&workload.located) {
            line(format!(
                "  toleration {entry} at {}",
                self.place(located.entry)
            ));
            for (_, span) in &located.fields {
                line(format!("    {}", self.place(*span)));
            }
        }
        for (key, span, _) in &workload.selectors {
            line(format!("  selects {key} at {}", self.place(*span)));
        }
        if let Some(why) = &shape.unread_tolerations {
            line(format!("  open: {}", why.as_str()));
        }
    }
}

macro_rules! fixture {
    ($test:ident, $name:literal) => {
        #[test]
        fn $test() {
            insta::assert_snapshot!($name, read_fixture($name).show());
        }
    };
}

fixture!(
    eks_groups_are_read_from_resources_and_modules,
    "terraform-eks"
);
fixture!(gke_pools_are_read_with_what_gke_adds, "terraform-gke");
fixture!(aks_pools_are_read_with_what_aks_adds, "terraform-aks");
fixture!(pools_of_other_clouds_are_read, "terraform-clouds");
fixture!(groups_of_magnum_are_read, "terraform-openstack");
fixture!(
    manifests_values_and_objects_of_kubernetes_are_read,
    "terraform-kubernetes"
);

#[test]
fn every_configuration_among_the_fixtures_is_tested() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/terraform.rs"))
            .expect("this file");
    for entry in fs::read_dir(fixtures()).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let tested = text.contains(&format!("\"{name}\""));
        assert!(
            tested || !name.starts_with("terraform-"),
            "{name} has no test"
        );
    }
}

/// Every resource and module of the Terraform-only tables occurs in a fixture.
#[test]
fn every_table_of_terraform_has_a_fixture() {
    let folders: BTreeSet<String> = fs::read_dir(fixtures())
        .expect("the fixtures")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    for (name, _) in kubetaint::builtin::PROVIDERS {
        let name = name.trim_end_matches(".yaml");
        assert!(
            !name.starts_with("terraform-") || folders.contains(name),
            "{name}"
        );
    }
}

fn one(text: &str) -> Reading {
    read(&[("main.tf", text)])
}

/// A pool with these taints and labels, in a root configuration.
fn with_locals(locals: &str) -> Reading {
    one(&format!(
        "provider \"aws\" {{}}\nlocals {{\n{locals}\n}}\nresource \"aws_eks_node_group\" \"p\" {{\n  \
         node_group_name = local.name\n  labels = local.labels\n  dynamic \"taint\" {{\n    for_each = local.taints\n    \
         content {{\n      key = taint.value\n      effect = \"NO_SCHEDULE\"\n    }}\n  }}\n}}\n"
    ))
}

fn keys(reading: &Reading) -> Vec<String> {
    let taints = &reading.pools()[0].taints;
    taints
        .iter()
        .map(|one| one.taint.key.text().unwrap_or("?").to_owned())
        .collect()
}

/// The keys of an expression's result, and whether they are all known.
fn keys_of(expression: &str) -> (Vec<String>, bool) {
    let reading = with_locals(&format!(
        "name = \"p\"\nlabels = {{}}\nbase = [\"a\", \"b\"]\nmap = {{ x = \"1\", y = \"2\" }}\ntaints = {expression}"
    ));
    (keys(&reading), reading.pools()[0].complete)
}

#[test]
fn functions_and_expressions_give_what_terraform_gives() {
    let cases: &[(&str, &[&str])] = &[
        ("concat(local.base, [\"c\"])", &["a", "b", "c"]),
        ("flatten([local.base, [[\"c\"]]])", &["a", "b", "c"]),
        ("toset([\"b\", \"a\", \"b\"])", &["b", "a"]),
        ("keys(local.map)", &["x", "y"]),
        ("values(merge(local.map, { y = \"3\" }))", &["1", "3"]),
        (
            "[for key, value in local.map : \"${key}-${value}\" if key != \"x\"]",
            &["y-2"],
        ),
        ("[for one in local.base : upper(one)]", &["A", "B"]),
        (
            "[lookup(local.map, \"z\", \"default\"), local.map[\"x\"], local.map.y]",
            &["default", "1", "2"],
        ),
        (
            "[try(local.map.z, local.map.x), coalesce(null, \"\", \"c\")]",
            &["1", "c"],
        ),
        ("true ? local.base : null", &["a", "b"]),
        (
            "length(local.base) > 1 && !false ? [\"yes\"] : [\"no\"]",
            &["yes"],
        ),
        ("[{ k = \"a\" }, { k = \"b\" }][*].k", &["a", "b"]),
        (
            "[format(\"%s-%02d\", \"n\", 3), join(\"/\", local.base), replace(\"a_b\", \"_\", \"-\")]",
            &["n-03", "a/b", "a-b"],
        ),
        ("split(\",\", \"p,q\")", &["p", "q"]),
        ("jsondecode(\"[\\\"j\\\"]\")", &["j"]),
        ("yamldecode(yamlencode({ t = [\"y\"] })).t", &["y"]),
        ("compact([\"\", null, \"a\"])", &["a"]),
        (
            "[for row in setproduct([\"a\"], [\"x\", \"y\"]) : \"${row[0]}${row[1]}\"]",
            &["ax", "ay"],
        ),
        ("[<<-EOT\n    indented\n  EOT\n  ]", &["indented\n"]),
        (
            "[for index, one in local.base : \"${index + 1}${one}\"]",
            &["1a", "2b"],
        ),
        ("can(local.map.z) ? [] : [\"cannot\"]", &["cannot"]),
    ];
    for (expression, wanted) in cases {
        assert_eq!(
            keys_of(expression),
            (wanted.iter().map(|key| (*key).to_owned()).collect(), true),
            "{expression}"
        );
    }
}

#[test]
fn what_cannot_be_told_is_open_and_never_absent() {
    let cases: &[(&str, &[&str])] = &[
        ("data.aws_x.y.taints", &[]),
        ("concat(local.base, data.aws_x.y.taints)", &["a", "b"]),
        ("flatten([local.base, aws_x.y.taints])", &["a", "b"]),
        ("data.aws_x.y.on ? local.base : []", &[]),
        ("[for one in local.base : one if data.aws_x.y.on]", &[]),
        ("file(\"taints.txt\")", &[]),
        ("[data.aws_x.y.key]", &["?"]),
        ("local.nowhere", &[]),
        ("local.base[7]", &[]),
        ("values(merge(local.map, data.aws_x.y.map))", &["?", "?"]),
    ];
    for (expression, wanted) in cases {
        let (keys, complete) = keys_of(expression);
        assert_eq!(keys, *wanted, "{expression}");
        assert!(!complete, "{expression}");
    }
}

#[test]
fn a_branch_that_does_not_matter_leaves_nothing_open() {
    let (keys, complete) = keys_of("data.aws_x.y.on ? local.base : [\"a\", \"b\"]");
    assert_eq!(keys, ["a", "b"]);
    assert!(complete);
}

#[test]
fn a_reason_names_the_expression_and_its_place() {
    let reading = one(
        "provider \"aws\" {}\n\nvariable \"taints\" {}\n\nresource \"azurerm_kubernetes_cluster_node_pool\" \
                       \"p\" {\n  name = \"p\"\n  node_taints = var.taints\n}\n",
    );
    let why = reading.why_open("p");
    assert_eq!(
        why,
        "`var.taints` (main.tf:7) has no default, and no values file sets it"
    );
}

#[test]
fn a_name_that_is_not_known_is_told_by_its_address() {
    let reading =
        one("resource \"aws_eks_node_group\" \"main\" {\n  node_group_name = data.x.y.name\n}\n");
    let pool = reading.pool("main");
    assert!(pool.labels.labels["eks.amazonaws.com/nodegroup"].is_unknown());
    assert!(pool.complete);
}

const VARIABLE: &str = "variable \"taints\" {\n  default = [\"a=b:NoSchedule\"]\n}\nresource \
     \"azurerm_kubernetes_cluster_node_pool\" \"p\" {\n  name = \"p\"\n  node_taints = var.taints\n}\n";

fn with_values(files: &[(&str, &str)]) -> Reading {
    let mut all = vec![("main.tf", VARIABLE)];
    all.extend_from_slice(files);
    read(&all)
}

#[test]
fn files_of_values_that_terraform_reads_by_itself_count() {
    let reading = with_values(&[
        ("terraform.tfvars", "taints = [\"t=1:NoSchedule\"]"),
        ("z.auto.tfvars", "taints = [\"z=1:NoSchedule\"]"),
        ("a.auto.tfvars.json", "{\"taints\": [\"j=1:NoSchedule\"]}"),
    ]);
    assert_eq!(keys(&reading), ["z"]);
    assert!(reading.pool("p").complete);
    let span = reading.pool("p").taints[0].span.expect("a place");
    assert_eq!(
        reading.place(span),
        "z.auto.tfvars:1:11 `\"z=1:NoSchedule\"`"
    );
}

/// The variants with a pool of this name: their names and the pool's keys.
fn variants(reading: &Reading, pool: &str) -> Vec<(String, Vec<String>)> {
    let pools = reading.pools().into_iter().filter(|one| one.name == pool);
    let name = |one: &NodePool| match &one.variant {
        Some(variant) => variant.name.clone(),
        None => "-".to_owned(),
    };
    let keys = |one: &NodePool| -> Vec<String> {
        let keys = one.taints.iter().map(|one| one.taint.key.text());
        keys.map(|key| key.unwrap_or("?").to_owned()).collect()
    };
    pools.map(|one| (name(one), keys(one))).collect()
}

fn expected(of: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    let one = |(name, keys): &(&str, &str)| {
        let keys = keys.split_whitespace().map(str::to_owned);
        ((*name).to_owned(), keys.collect())
    };
    of.iter().map(one).collect()
}

#[test]
fn each_variables_file_has_pools_of_its_own() {
    let (prod, dev) = ("taints = [\"p=1:NoSchedule\"]", "taints = []");
    let reading = with_values(&[("prod.tfvars", prod), ("env/dev.tfvars", dev)]);
    assert_eq!(
        variants(&reading, "p"),
        expected(&[("dev", ""), ("prod", "p")])
    );
    assert!(reading.pools().iter().all(|pool| pool.complete));
    // Files that Terraform loads by itself apply to all, and any other file outranks them.
    let reading = with_values(&[
        ("prod.tfvars", prod),
        ("env/dev.tfvars", "other = 1"),
        ("z.auto.tfvars", "taints = [\"z=1:NoSchedule\"]"),
        ("common.tfvars", "taints = [\"c=1:NoSchedule\"]"),
    ]);
    assert_eq!(
        variants(&reading, "p"),
        expected(&[("dev", "c"), ("prod", "p")])
    );
}

#[test]
fn files_of_values_that_may_be_applied_count_where_they_agree() {
    let reading = with_values(&[("oslo.tfvars", "taints = [\"a=b:NoSchedule\"]")]);
    assert!(reading.pool("p").complete);
    assert_eq!(keys(&reading), ["a"]);
    let reading = with_values(&[("oslo.tfvars", "taints = []")]);
    assert_eq!(
        reading.why_open("p"),
        "`var.taints` (main.tf:6) differs between oslo.tfvars and its default"
    );
    assert_eq!(keys(&reading), Vec::<String>::new());
}

#[test]
fn conditions_follow_the_variables_of_each_variant() {
    let main = "variable \"arm\" { default = false }\nvariable \"pools\" { default = {} }\n\
                resource \"azurerm_kubernetes_cluster_node_pool\" \"a\" {\n  count = var.arm ? 1 : 0\n  name = \"arm\"\n  \
                node_taints = [\"arm=1:NoSchedule\"]\n}\n\
                resource \"azurerm_kubernetes_cluster_node_pool\" \"m\" {\n  for_each = var.pools\n  name = each.key\n  \
                node_taints = [each.value]\n}\n";
    let reading = read(&[
        ("main.tf", main),
        (
            "env/prod.tfvars",
            "arm = true\npools = { big = \"big=1:NoSchedule\" }",
        ),
        ("env/dev.tfvars", "pools = { big = \"small=1:NoSchedule\" }"),
    ]);
    assert_eq!(variants(&reading, "arm"), expected(&[("prod", "arm")]));
    assert_eq!(
        variants(&reading, "big"),
        expected(&[("dev", "small"), ("prod", "big")])
    );
}

#[test]
fn each_workspace_that_is_named_has_pools_of_its_own() {
    let pool = "resource \"azurerm_kubernetes_cluster_node_pool\" \"p\" {\n  name = \"p\"\n  node_taints = [local.taint]\n}\n";
    for locals in [
        "env = terraform.workspace\n  taints = { prod = \"p=1:NoSchedule\", dev = \"d=1:NoSchedule\" }\n  taint = local.taints[local.env]",
        "taint = lookup({ prod = \"p=1:NoSchedule\", dev = \"d=1:NoSchedule\" }, terraform.workspace, \"o=1:NoSchedule\")",
        "taint = terraform.workspace == \"prod\" ? \"p=1:NoSchedule\" : (terraform.workspace == \"dev\" ? \"d=1:NoSchedule\" : \"o\")",
    ] {
        let reading = one(&format!("locals {{\n  {locals}\n}}\n{pool}"));
        assert_eq!(
            variants(&reading, "p"),
            expected(&[("dev", "d"), ("prod", "p")]),
            "{locals}"
        );
    }
    // One name does not tell what the other workspaces are called.
    let one_name =
        "taint = terraform.workspace == \"prod\" ? \"p=1:NoSchedule\" : \"d=1:NoSchedule\"";
    let reading = one(&format!("locals {{\n  {one_name}\n}}\n{pool}"));
    assert_eq!(variants(&reading, "p"), expected(&[("-", "")]));
}

#[test]
fn what_does_not_depend_on_variables_is_told_once() {
    let wrong = "resource \"kubernetes_pod_v1\" \"w\" {\n  metadata {\n    name = \"w\"\n  }\n  spec {\n    toleration {\n      \
                 key = \"a\"\n      operator = \"Exists\"\n    }\n  }\n}\n";
    let reading = with_values(&[
        ("more.tf", wrong),
        ("prod.tfvars", "taints = [\"p=1:NoSchedul\"]"),
        ("dev.tfvars", "taints = []"),
    ]);
    assert_eq!(reading.gathered.workloads.len(), 1);
    assert_eq!(reading.pools().len(), 2);
}

#[test]
fn too_many_variables_files_are_told() {
    let texts: Vec<(String, String)> = (0..120)
        .map(|at| {
            (
                format!("c{at:03}.tfvars"),
                format!("taints = [\"t{at}=1:NoSchedule\"]"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let reading = with_values(&files);
    // The last one stands for those that are left out.
    assert_eq!(reading.pools().len(), 101);
    assert!(reading.pools().iter().any(|pool| !pool.complete));
    let told = reading.gathered.open.iter();
    assert!(
        told.map(|open| format!("{:?}", open.because))
            .any(|why| why.contains("too many variables files"))
    );
}

#[test]
fn the_default_of_a_module_that_nobody_calls_says_nothing() {
    // A folder among modules is meant to be called. Any other folder without a caller is applied as it is.
    for path in ["modules/m", "terraform/module/m", "acme-modules/m"] {
        let library = read(&[(&format!("{path}/main.tf"), VARIABLE)]);
        let why = library.why_open("p");
        assert!(why.contains("there is no caller here"), "{path}: {why}");
    }
    for more in [
        "output \"x\" {\n  value = 1\n}\n",
        "variable \"needed\" {}\n",
        "",
    ] {
        assert_eq!(keys(&with_values(&[("more.tf", more)])), ["a"], "{more}");
    }
    let called = read(&[
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        ("m/main.tf", VARIABLE),
    ]);
    assert_eq!(keys(&called), ["a"]);
    assert!(called.pool("p").complete);
    let kept = read(&[(
        "modules/p/main.tf",
        &format!("terraform {{\n  backend \"x\" {{}}\n}}\n{VARIABLE}"),
    )]);
    assert_eq!(keys(&kept), ["a"]);
}

#[test]
fn a_module_is_read_once_for_each_call_and_not_for_itself() {
    let reading = read(&[
        (
            "prod/main.tf",
            "module \"pools\" {\n  source   = \"../modules/pool\"\n  for_each = { a = \"1\", b = \"2\" }\n  taints = \
             [\"k=${each.value}:NoSchedule\"]\n}\n",
        ),
        ("modules/pool/main.tf", VARIABLE),
    ]);
    let pools = reading.pools();
    let shown: Vec<String> = pools
        .iter()
        .map(|pool| {
            format!(
                "{} {}",
                pool.object.name.as_deref().unwrap_or_default(),
                pool.taints[0].taint
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "module.pools[\"a\"].p k=1:NoSchedule",
            "module.pools[\"b\"].p k=2:NoSchedule"
        ]
    );
    let source = reading.gathered.pools[0].source;
    assert_eq!(reading.sources[source.0 as usize].path, "prod/main.tf");
}

#[test]
fn outputs_of_modules_of_the_repository_are_followed() {
    let reading = read(&[
        (
            "main.tf",
            "module \"t\" {\n  source = \"./t\"\n  key = \"k\"\n}\nresource \
             \"azurerm_kubernetes_cluster_node_pool\" \"p\" {\n  name = \"p\"\n  node_taints = module.t.taints\n}\n",
        ),
        (
            "t/main.tf",
            "variable \"key\" {}\noutput \"taints\" {\n  value = [\"${var.key}=v:NoExecute\"]\n}\n",
        ),
    ]);
    assert_eq!(
        reading.pool("p").taints[0].taint.to_string(),
        "k=v:NoExecute"
    );
    assert!(reading.pool("p").complete);
}

#[test]
fn json_notation_reads_like_the_other() {
    let text = r#"{
  "provider": {"aws": {}},
  "locals": {"keys": ["a", "b"]},
  "resource": {"aws_eks_node_group": {"p": [{
    "node_group_name": "${upper(\"p\")}",
    "labels": {"x": "y"},
    "taint": {"key": "single", "effect": "NO_SCHEDULE"}
  }], "q": {
    "node_group_name": "q",
    "dynamic": {"taint": {"for_each": "${local.keys}", "content": {"key": "${taint.value}", "effect": "NO_EXECUTE"}}}
  }}}
}"#;
    let reading = read(&[("main.tf.json", text)]);
    assert_eq!(
        reading.pool("P").taints[0].taint.to_string(),
        "single:NoSchedule"
    );
    let keys: Vec<_> = reading
        .pool("q")
        .taints
        .iter()
        .map(|one| one.taint.to_string())
        .collect();
    assert_eq!(keys, ["a:NoExecute", "b:NoExecute"]);
    assert!(reading.pools().iter().all(|pool| pool.complete));
}

#[test]
fn a_broken_file_is_told_with_its_place_and_hides_nothing_else() {
    let reading = read(&[(
        "main.tf",
        "resource \"aws_eks_node_group\" \"a\" {\n  node_group_name = \"a\"\n}\n\nresource \"aws_x\" \"b\" {\n  name = [1,\n  \
         other = 2\n}\n\nresource \"aws_eks_node_group\" \"c\" {\n  node_group_name = \"c\"\n}\n",
    )]);
    let names: Vec<&str> = reading
        .pools()
        .iter()
        .map(|pool| pool.name.as_str())
        .collect();
    assert_eq!(names, ["a", "c"]);
    let notice = &reading.gathered.notices[0];
    let NoticeKind::UnparsableConfiguration { why } = &notice.kind else {
        panic!("{:?}", notice.kind);
    };
    let at = reading.sources[0].position(notice.span.start);
    assert_eq!((at.line, at.column), (7, 9), "{why}");
}

#[test]
fn hostile_input_is_bounded_and_open() {
    let cyclic = with_locals(
        "name = \"p\"\nlabels = {}\ntaints = local.b\nb = local.c\nc = concat(local.b, [\"x\"])",
    );
    assert!(!cyclic.pools()[0].complete);
    let counted = one(
        "resource \"aws_eks_node_group\" \"p\" {\n  count = 1000000000\n  node_group_name = \
                       \"p-${count.index}\"\n  taint {\n    key = \"a\"\n    effect = \"NO_SCHEDULE\"\n  }\n}\n",
    );
    assert_eq!(counted.pools().len(), 1);
    assert_eq!(keys(&counted), ["a"]);
    // Each local is twice as long as the previous one.
    let mut doubling = "name = \"p\"\nlabels = {}\ntaints = [local.l60]\nl0 = \"x\"\n".to_owned();
    let mut lists = "name = \"p\"\nlabels = {}\ntaints = local.l60\nl0 = [\"x\"]\n".to_owned();
    let mut nested = "name = \"p\"\nlabels = {}\ntaints = local.l5000\nl0 = [\"x\"]\n".to_owned();
    let mut shared = "name = \"p\"\nlabels = local.l60\ntaints = []\nl0 = [\"x\"]\n".to_owned();
    for at in 1..=60 {
        let before = at - 1;
        writeln!(
            doubling,
            "l{at} = \"${{local.l{before}}}${{local.l{before}}}\""
        )
        .expect("a text");
        writeln!(lists, "l{at} = concat(local.l{before}, local.l{before})").expect("a text");
        writeln!(shared, "l{at} = [local.l{before}, local.l{before}]").expect("a text");
    }
    for at in 1..=5000 {
        writeln!(nested, "l{at} = [local.l{}]", at - 1).expect("a text");
    }
    for text in [&doubling, &lists, &nested] {
        assert!(!with_locals(text).pools()[0].complete);
    }
    with_locals(&shared);
    let deep = format!(
        "locals {{\n  a = {}1{}\n}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(one(&deep).gathered.notices.len(), 1);
    let deep = format!(
        "{{\"locals\": {{\"a\": {}1{}}}}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    assert_eq!(read(&[("main.tf.json", &deep)]).gathered.notices.len(), 0);
    // A module that calls itself twice.
    let calls = "module \"a\" {\n  source = \"./\"\n}\nmodule \"b\" {\n  source = \"./.\"\n}\nresource \
                 \"aws_eks_node_group\" \"p\" {\n  node_group_name = \"p\"\n}\n";
    assert!(!one(calls).pools().is_empty());
}

#[test]
fn plans_are_read_as_they_are_with_what_they_do_not_know_yet() {
    let plan = r#"{
  "format_version": "1.2",
  "planned_values": {"root_module": {
    "resources": [
      {"address": "data.aws_eks_node_group.d", "mode": "data", "type": "aws_eks_node_group", "name": "d",
       "values": {"node_group_name": "looked-up"}},
      {"address": "aws_eks_node_group.a", "mode": "managed", "type": "aws_eks_node_group", "name": "a",
       "values": {"node_group_name": "a", "labels": {"x": "y"},
                  "taint": [{"key": "k", "value": null, "effect": "NO_SCHEDULE"}]}}
    ],
    "child_modules": [{"address": "module.m", "resources": [
      {"address": "module.m.azurerm_kubernetes_cluster_node_pool.b[0]", "mode": "managed",
       "type": "azurerm_kubernetes_cluster_node_pool", "name": "b", "values": {"name": "b", "priority": "Spot"}}
    ]}]
  }},
  "resource_changes": [
    {"address": "aws_eks_node_group.a", "change": {"after_unknown": {"id": true, "taint": [{"key": false}]}}},
    {"address": "module.m.azurerm_kubernetes_cluster_node_pool.b[0]", "change": {"after_unknown": {"node_taints": true}}}
  ]
}"#;
    let reading = read(&[("plan.json", plan)]);
    assert_eq!(reading.pools().len(), 2);
    let pool = reading.pool("a");
    assert!(pool.complete);
    assert_eq!(pool.taints[0].taint.to_string(), "k:NoSchedule");
    let span = pool.taints[0].span.expect("a place");
    assert!(
        reading.place(span).starts_with("plan.json:9:29 "),
        "{}",
        reading.place(span)
    );
    assert_eq!(reading.pool("b").taints[0].origin, Origin::Implied);
    assert!(
        reading
            .why_open("b")
            .contains("only after the plan is applied")
    );
}

#[test]
fn states_are_read_in_both_forms() {
    let shown = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
  {"address": "aws_eks_node_group.a", "mode": "managed", "type": "aws_eks_node_group",
   "values": {"node_group_name": "a", "taint": [{"key": "k", "value": "v", "effect": "NO_EXECUTE"}]}}]}}}"#;
    let raw = r#"{"version": 4, "terraform_version": "1.9.0", "lineage": "x", "resources": [
  {"mode": "managed", "type": "aws_eks_node_group", "name": "a", "instances": [
    {"attributes": {"node_group_name": "a", "taint": [{"key": "k", "value": "v", "effect": "NO_EXECUTE"}]}}]}]}"#;
    for text in [shown, raw] {
        let reading = read(&[("state.json", text)]);
        assert_eq!(
            reading.pool("a").taints[0].taint.to_string(),
            "k=v:NoExecute"
        );
        assert!(reading.pool("a").complete);
    }
}

/// A manifest in a heredoc, with the variables `known`, whose value is `k`, and `open`, which has no value.
fn manifest(heredoc: &str) -> Reading {
    one(&format!(
        "provider \"aws\" {{}}\nvariable \"known\" {{\n  default = \"k\"\n}}\nvariable \"open\" {{}}\nresource \"kubectl_manifest\" \"m\" {{\n  \
         yaml_body = {heredoc}\n}}\n"
    ))
}

/// A Pod with these lines below its spec, indented by four blanks.
fn pod_of(lines: &str) -> Reading {
    manifest(&format!(
        "<<-EOT\n  apiVersion: v1\n  kind: Pod\n  metadata: {{name: p}}\n  spec:\n    containers: [{{name: c}}]\n{lines}  EOT"
    ))
}

fn tolerations(reading: &Reading) -> String {
    let [workload] = reading.gathered.workloads.as_slice() else {
        panic!("not one workload: {}", reading.show());
    };
    let shape = &workload.shape;
    let entries: Vec<String> = shape.tolerations.iter().map(ToString::to_string).collect();
    let open = if shape.unread_tolerations.is_some() {
        " and more"
    } else {
        ""
    };
    entries.join(" ") + open
}

#[test]
fn templates_are_filled_in_as_terraform_fills_them_in() {
    let key = "{key: k, operator: Exists}";
    for (lines, wanted) in [
        (
            "    tolerations: [{key: \"${var.known}\", operator: Exists}]\n",
            key,
        ),
        (
            "    tolerations: ${jsonencode([{ key = var.known, operator = \"Exists\" }])}\n",
            key,
        ),
        (
            "    tolerations:\n      ${indent(4, yamlencode([{ key = var.known, operator = \"Exists\" }]))}\n",
            key,
        ),
        (
            "    tolerations:\n%{ for one in [var.known] ~}\n    - {key: ${one}, operator: Exists}\n%{ endfor ~}\n",
            key,
        ),
        (
            "%{ if var.known == \"k\" }\n    tolerations: [{key: k, operator: Exists}]\n%{ else }\n    nodeName: n\n%{ endif }\n",
            key,
        ),
        (
            "    %{~ if var.known != \"k\" ~}\n    nodeName: n\n    %{~ else ~}\n    tolerations: [{key: k, operator: Exists}]\n    %{~ endif ~}\n",
            key,
        ),
        (
            "    tolerations: [{key: \"$${x}\", operator: Exists}, {key: k, operator: Exists}]\n",
            "{key: …, operator: Exists} {key: k, operator: Exists}",
        ),
    ] {
        assert_eq!(tolerations(&pod_of(lines)), wanted, "{lines}");
    }
}

#[test]
fn what_a_template_does_not_tell_is_open_and_never_absent() {
    for (lines, wanted) in [
        ("    tolerations: ${var.open}\n", " and more"),
        ("    tolerations: ${jsonencode(var.open)}\n", " and more"),
        ("    ${var.open}\n", " and more"),
        ("    ${indent(4, var.open)}\n", " and more"),
        (
            "    tolerations:\n    - {key: a, operator: Exists}\n    ${var.open}\n",
            "{key: a, operator: Exists} and more",
        ),
        (
            "    tolerations:\n    - {key: a, operator: Exists}\n%{ if var.open ~}\n    - {key: b, operator: Exists}\n%{ endif ~}\n",
            "{key: a, operator: Exists} and more",
        ),
        (
            "%{ if var.open ~}\n    tolerations: [{key: b, operator: Exists}]\n%{ endif ~}\n",
            " and more",
        ),
        (
            "    tolerations:\n%{ for one in concat([\"a\"], var.open) ~}\n    - {key: ${one}, operator: Exists}\n%{ endfor ~}\n",
            "{key: a, operator: Exists} and more",
        ),
    ] {
        assert_eq!(tolerations(&pod_of(lines)), wanted, "{lines}");
    }
}

#[test]
fn a_pool_in_a_template_with_gaps_is_incomplete() {
    let pool = |lines: &str| {
        manifest(&format!(
            "<<-EOT\n  apiVersion: karpenter.sh/v1\n  kind: NodePool\n  metadata: {{name: p}}\n  spec:\n{lines}  EOT"
        ))
    };
    let spec = "    template:\n      spec:\n";
    for (lines, complete) in [
        (
            format!("{spec}        taints: [{{key: a, effect: NoSchedule}}]\n"),
            true,
        ),
        (
            format!(
                "{spec}        taints: [{{key: a, effect: NoSchedule}}]\n    weight: ${{var.open}}\n"
            ),
            true,
        ),
        (
            format!(
                "{spec}        taints: [{{key: a, value: \"${{var.open}}\", effect: NoSchedule}}]\n"
            ),
            false,
        ),
        (format!("{spec}        taints: ${{var.open}}\n"), false),
        (format!("{spec}        ${{var.open}}\n"), false),
        ("    template: ${var.open}\n".to_owned(), false),
        ("    ${var.open}\n".to_owned(), false),
        (
            format!(
                "{spec}        taints:\n        - {{key: \"${{var.open}}\", effect: NoSchedule}}\n"
            ),
            false,
        ),
        (
            format!(
                "%{{ if var.open ~}}\n{spec}        taints: [{{key: a, effect: NoSchedule}}]\n%{{ endif ~}}\n    weight: 1\n"
            ),
            false,
        ),
    ] {
        let reading = pool(&lines);
        assert_eq!(reading.pool("p").complete, complete, "{lines}");
        if !complete {
            assert!(
                reading.why_open("p").contains("var.open"),
                "{}",
                reading.why_open("p")
            );
        }
    }
}

#[test]
fn a_broken_manifest_is_told_at_its_place_unless_it_has_gaps() {
    let told = |text: &str| -> Vec<String> {
        let reading = manifest(text);
        let notices = reading.gathered.notices.iter();
        notices
            .map(|notice| format!("{} {}", notice.kind.as_str(), reading.place(notice.span)))
            .collect()
    };
    assert_eq!(
        told("<<-EOT\n    apiVersion: v1\n    kind: Pod\n    spec: [\n    EOT"),
        ["unparsable-manifest main.tf:10:11 `[`"]
    );
    assert_eq!(
        told("<<-EOT\n    apiVersion: v1\n    kind: ${var.open}\n    spec: [\n    EOT"),
        Vec::<String>::new()
    );
}

#[test]
fn huge_templates_are_given_up() {
    let row = "        - {key: ${one}, operator: Exists}\n";
    let lines = format!(
        "    tolerations:\n%{{ for one in range(1000) ~}}\n%{{ for two in range(1000) ~}}\n{row}%{{ endfor ~}}\n%{{ endfor ~}}\n"
    );
    // Only the text itself is read, with each loop once.
    let reading = pod_of(&lines);
    let pods = reading.gathered.workloads.iter();
    let entries: usize = pods.map(|pod| pod.shape.tolerations.len()).sum();
    assert!(entries <= 1);
}

/// Launch templates with this user data, and a pool that uses one of them.
fn with_user_data(user_data: &str) -> Reading {
    one(&format!(
        "provider \"aws\" {{}}\nvariable \"open\" {{}}\nresource \"aws_launch_template\" \"gpu\" {{\n  user_data = {user_data}\n}}\n\
         resource \"aws_eks_node_group\" \"gpu\" {{\n  node_group_name = \"gpu\"\n  launch_template {{\n    \
         id = aws_launch_template.gpu.id\n    version = \"1\"\n  }}\n}}\n\
         resource \"aws_eks_node_group\" \"other\" {{\n  node_group_name = \"other\"\n  launch_template {{\n    \
         id = aws_launch_template.other.id\n  }}\n}}\n"
    ))
}

#[test]
fn what_user_data_says_of_taints_is_weak_and_leaves_its_pools_incomplete() {
    for (user_data, taint, place) in [
        (
            "base64encode(<<-EOF\n    #!/bin/bash\n    /etc/eks/bootstrap.sh shop --kubelet-extra-args '--register-with-taints=example.com/gpu=a:NoSchedule'\n  EOF\n  )",
            "example.com/gpu=a:NoSchedule",
            "main.tf:6:77 `example.com/gpu=a:NoSchedule`",
        ),
        (
            "base64encode(<<EOF\nMIME-Version: 1.0\n--BOUNDARY\nContent-Type: application/node.eks.aws\n\n---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n      registerWithTaints:\n        - {key: example.com/gpu, value: a, effect: NoSchedule}\n--BOUNDARY--\nEOF\n)",
            "example.com/gpu=a:NoSchedule",
            "main.tf:16:11 `{key: example.com/gpu, value: a, effect: NoSchedule}`",
        ),
    ] {
        let reading = with_user_data(user_data);
        let [hint] = reading.gathered.hints.as_slice() else {
            panic!("{}", reading.gathered.hints.len());
        };
        let [found] = hint.pool.taints.as_slice() else {
            panic!("{:?}", hint.pool.taints);
        };
        assert_eq!(found.taint.to_string(), taint);
        assert_eq!(reading.place(found.span.expect("a place")), place);
        assert_eq!(
            reading.why_open("gpu"),
            "its machines register with taints from aws_launch_template.gpu"
        );
        assert_eq!(reading.why_open("other"), "it is complete");
    }
    for user_data in [
        "base64encode(\"echo hello\")",
        "base64encode(var.open)",
        "base64encode(<<EOF\n--register-with-taints=${var.open}\nEOF\n)",
    ] {
        let reading = with_user_data(user_data);
        assert!(reading.gathered.hints.is_empty(), "{user_data}");
        let speaks_of_taints = user_data.contains("taints");
        assert_eq!(
            !reading.pool("gpu").complete,
            speaks_of_taints,
            "{user_data}"
        );
    }
}

#[test]
fn an_autoscaling_group_is_a_pool_if_its_launch_template_taints_nodes() {
    let group = "resource \"aws_autoscaling_group\" \"g\" {\n  name = \"press\"\n  launch_template {\n    id = \
                 aws_launch_template.t.id\n  }\n}\nresource \"aws_autoscaling_group\" \"other\" {\n  name = \"other\"\n}\n";
    for script in [
        "/etc/eks/bootstrap.sh c --kubelet-extra-args '--node-labels=example.com/use=press --register-with-taints=example.com/press=1:NoSchedule'",
        "[settings.kubernetes.node-labels]\n\"example.com/use\" = \"press\"\n[settings.kubernetes.node-taints]\n\"example.com/press\" = \"1:NoSchedule\"",
    ] {
        let template = format!(
            "resource \"aws_launch_template\" \"t\" {{\n  user_data = base64encode(<<EOF\n{script}\nEOF\n)\n}}\n"
        );
        let reading = one(&format!("{template}{group}"));
        let pools = reading.pools();
        let [pool] = pools.as_slice() else {
            panic!("{} pools: {script}", pools.len());
        };
        assert_eq!(pool.name, "press");
        assert_eq!(pool.object.kind, "aws_autoscaling_group");
        assert_eq!(
            pool.taints[0].taint.to_string(),
            "example.com/press=1:NoSchedule"
        );
        assert!(pool.labels.labels.contains_key("example.com/use"));
        assert!(!pool.complete);
        assert!(reading.gathered.hints.is_empty());
        // Without a group, nothing says which machines run it.
        let reading = one(&template);
        assert!(reading.pools().is_empty());
        assert_eq!(reading.gathered.hints.len(), 1);
    }
}

#[test]
fn broken_manifests_and_templates_never_panic_and_all_places_are_in_their_files() {
    let folder = fixtures().join("terraform-kubernetes");
    let load = |path: &str| fs::read_to_string(folder.join(path)).expect("a text");
    let (main, pool) = (load("main.tf"), load("templates/pool.yaml.tftpl"));
    let signs = [
        "${", "%{ if ", "~}", "\n", "    ", "<<-EOT\n", "\"", "é", "$${", "}",
    ];
    for (cut, sign) in (0..main.len()).step_by(101).zip(signs.iter().cycle()) {
        let (Some(before), Some(after)) = (main.get(..cut), main.get(cut..)) else {
            continue;
        };
        let half = pool.len() * cut / main.len();
        let template = format!("{}{sign}{}", &pool[..half], &pool[half..]);
        for text in [format!("{before}{sign}{after}"), format!("{before}{sign}")] {
            let reading = read(&[("main.tf", &text), ("templates/pool.yaml.tftpl", &template)]);
            // Spans outside their file or inside a character could not be shown.
            reading.show();
            for notice in &reading.gathered.notices {
                reading.place(notice.span);
            }
        }
    }
    // A heredoc in a JSON text has no lines of its own.
    let reading = read(&[(
        "main.tf.json",
        r#"{"resource": {"kubectl_manifest": {"m": {"yaml_body": "${<<-EOT\n  kind: Pod\n  EOT\n}"}}}}"#,
    )]);
    assert!(reading.gathered.workloads.is_empty());
}

/// A release that sets these values, as pairs of name and value, in addition to `values`.
fn release(values: &str, sets: &[(&str, &str)]) -> Reading {
    let mut text = format!(
        "provider \"aws\" {{}}\nvariable \"open\" {{}}\nresource \"helm_release\" \"r\" {{\n  values = {values}\n"
    );
    for (name, value) in sets {
        writeln!(
            text,
            "  set {{\n    name = \"{name}\"\n    value = {value}\n  }}"
        )
        .expect("a text");
    }
    text.push_str("}\n");
    one(&text)
}

#[test]
fn values_that_are_set_one_by_one_are_put_together() {
    let sets = [
        ("replicas", "2"),
        ("agent.tolerations[0].key", "\"a\""),
        ("agent.tolerations[0].operator", "\"Exists\""),
        ("agent.tolerations[1].operator", "\"Exists\""),
        ("agent.tolerations[1].key", "var.open"),
    ];
    let reading = release("[]", &sets);
    assert_eq!(
        tolerations(&reading),
        "{key: a, operator: Exists} {key: …, operator: Exists}"
    );
    let located = &reading.gathered.workloads[0].located[0];
    assert_eq!(
        reading.place(located.field("operator").expect("a field")),
        "main.tf:14:12 `\"agent.tolerations[0].operator\"`"
    );
    // What an entry lacks may be in the values, or under an unknown name.
    for (values, name) in [
        ("[\"tolerations: []\"]", "tolerations[0].key"),
        ("[var.open]", "tolerations[0].key"),
        ("[]", "${var.open}"),
        ("[]", "tolerations[2].key"),
    ] {
        let reading = release(values, &[("tolerations[0].key", "\"a\""), (name, "\"a\"")]);
        assert!(reading.gathered.workloads.is_empty(), "{values} {name}");
    }
}

#[test]
fn helm_makes_booleans_of_words_that_are_set_without_a_type() {
    let reading = release(
        "[]",
        &[
            ("tolerations[0].key", "\"a\""),
            ("tolerations[0].value", "\"true\""),
            ("tolerations[0].effect", "\"NoSchedule\""),
        ],
    );
    let kinds: Vec<&str> = reading
        .gathered
        .notices
        .iter()
        .map(|one| one.kind.as_str())
        .collect();
    assert_eq!(kinds, ["mistyped-field"]);
}

#[test]
fn a_manifest_that_is_a_file_counts_once_however_terraform_reads_it() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c}]\n";
    for (of_type, argument, expression) in [
        (
            "kubectl_manifest",
            "yaml_body",
            "file(\"${path.module}/p.yaml\")",
        ),
        (
            "kubectl_manifest",
            "yaml_body",
            "templatefile(\"${path.root}/p.yaml\", {})",
        ),
        (
            "kubernetes_manifest",
            "manifest",
            "yamldecode(file(\"p.yaml\"))",
        ),
        (
            "kubernetes_manifest",
            "manifest",
            "yamldecode(file(\"./../x/p.yaml\"))",
        ),
    ] {
        let text = format!(
            "provider \"aws\" {{}}\nresource \"{of_type}\" \"m\" {{\n  {argument} = {expression}\n}}\n"
        );
        let reading = read(&[("x/main.tf", &text), ("x/p.yaml", pod)]);
        assert_eq!(reading.gathered.workloads.len(), 1, "{expression}");
        // A manifest that exists only as a template is read where it is filled in.
        let text = text.replace("p.yaml", "p.tpl");
        let reading = read(&[("x/main.tf", &text), ("x/p.tpl", pod)]);
        assert_eq!(reading.gathered.workloads.len(), 1, "{expression}");
    }
}

#[test]
fn lines_may_end_as_on_windows() {
    let text = "provider \"aws\" {}\r\nresource \"kubectl_manifest\" \"m\" {\r\n  yaml_body = <<-EOT\r\n    apiVersion: v1\r\n    \
                kind: Pod\r\n    metadata: {name: p}\r\n    spec:\r\n      containers: [{name: c}]\r\n      tolerations:\r\n        \
                - key: a\r\n          operator: Exists\r\n  EOT\r\n}\r\n";
    let reading = one(text);
    assert_eq!(tolerations(&reading), "{key: a, operator: Exists}");
    let located = &reading.gathered.workloads[0].located[0];
    assert_eq!(reading.place(located.entry), "main.tf:10:11 `key: a`");
}

/// A Terragrunt file for the EKS module, with lines before its inputs and a list of taints.
fn terragrunt(before: &str, taints: &str) -> String {
    format!(
        "{before}\nterraform {{\n  source = \"tfr:///terraform-aws-modules/eks/aws?version=20.8.4\"\n}}\nlocals {{\n  key = \
         \"a\"\n}}\ninputs = {{\n  cluster_name = dependency.x.outputs.name\n  eks_managed_node_groups = {{\n    p = {{\n      \
         taints = {taints}\n    }}\n  }}\n}}\n"
    )
}

#[test]
fn terragrunts_inputs_are_those_of_the_module() {
    let taints = "{ one = { key = local.key, value = \"b\", effect = \"NO_SCHEDULE\" } }";
    let path = "live/prod/terragrunt.hcl";
    let reading = read(&[(path, &terragrunt("", taints))]);
    assert_eq!(
        reading.pool("p").taints[0].taint.to_string(),
        "a=b:NoSchedule"
    );
    assert!(reading.pool("p").complete);
    let span = reading.pool("p").taints[0].span.expect("a place");
    assert!(
        reading
            .place(span)
            .starts_with("live/prod/terragrunt.hcl:12:24 "),
        "{}",
        reading.place(span)
    );
    // Values that are known only at run time are unknown.
    let reading = read(&[(path, &terragrunt("", "dependency.x.outputs.taints"))]);
    assert!(reading.pools().iter().all(|pool| !pool.complete));
}

#[test]
fn what_terragrunt_includes_may_set_more() {
    let path = "live/prod/terragrunt.hcl";
    let taints = "{ one = { key = local.key, value = \"b\", effect = \"NO_SCHEDULE\" } }";
    let include = |path: &str, strategy: &str| {
        format!("include \"root\" {{\n  path = {path}\n  merge_strategy = \"{strategy}\"\n}}")
    };
    let of = |before: &str, root: &str| {
        let root = ("live/root.hcl", root);
        let reading = read(&[(path, &terragrunt(before, taints)), root]);
        let pools = reading.pools().into_iter();
        let known = |pool: &NodePool| (pool.name.clone(), pool.taints.len(), pool.complete);
        pools.map(known).collect::<Vec<_>>()
    };
    let p = |complete: bool| ("p".to_owned(), 1, complete);
    let open = || ("module.prod".to_owned(), 0, false);
    let in_parents = "find_in_parent_folders(\"root.hcl\")";
    let here = "\"${get_terragrunt_dir()}/../root.hcl\"";
    let groups = "inputs = { eks_managed_node_groups = local.groups }";
    for root_path in [
        in_parents,
        here,
        "\"../root.hcl\"",
        "\"${find_in_parent_folders(\"root.hcl\")}\"",
    ] {
        let included = |root: &str| of(&include(root_path, "shallow"), root);
        assert_eq!(included("remote_state {}"), [p(true)], "{root_path}");
        assert_eq!(included("inputs = { region = local.x }"), [p(true)]);
        // If both set the same name, the including file's value wins.
        assert_eq!(included(groups), [p(true)]);
        assert_eq!(included("inputs = local.all"), [p(true), open()]);
        let defaults = "inputs = { eks_managed_node_group_defaults = { taints = {} } }";
        assert_eq!(included(defaults), [p(true)]);
        let others = "inputs = { self_managed_node_groups = local.others }";
        assert_eq!(included(others), [p(true), open()]);
        let others =
            "locals {\n  x = {}\n}\ninputs = { self_managed_node_groups = { q = local.x } }";
        assert_eq!(included(others), [p(true), ("q".to_owned(), 0, true)]);
    }
    // With a deep merge, the file's own values are kept.
    let deep = include(in_parents, "deep");
    assert_eq!(of(&deep, "remote_state {}"), [p(true)]);
    assert_eq!(of(&deep, groups), [p(false), open()]);
    let more = |inside: &str| format!("inputs = {{ eks_managed_node_groups = {{ {inside} }} }}");
    let two = ("p".to_owned(), 2, true);
    let taint = "two = { key = \"two\", effect = \"NO_EXECUTE\" }";
    assert_eq!(
        of(&deep, &more(&format!("p = {{ taints = {{ {taint} }} }}"))),
        [two]
    );
    assert_eq!(
        of(&deep, &more("p = { taints = local.taints }")),
        [p(false)]
    );
    assert_eq!(
        of(&deep, &more("q = {}")),
        [p(true), ("q".to_owned(), 0, true)]
    );
    assert_eq!(of(&include(in_parents, "no_merge"), groups), [p(true)]);
    // An unreadable include may contain anything.
    let run = include("run_cmd(\"x\")", "shallow");
    assert_eq!(of(&run, "remote_state {}"), [p(true), open()]);
    let broken = include(in_parents, "shallow");
    assert_eq!(of(&broken, "inputs = {"), [p(true), open()]);
}

#[test]
fn terragrunts_files_may_have_all_from_what_they_include() {
    let reading = read(&[
        (
            "live/prod/eks/terragrunt.hcl",
            "include \"env\" {\n  path = \"${get_terragrunt_dir()}/../../_env/eks.hcl\"\n}\n",
        ),
        (
            "live/_env/eks.hcl",
            &terragrunt(
                "",
                "{ one = { key = local.key, effect = \"NO_SCHEDULE\" } }",
            ),
        ),
        // It includes itself, or a missing file.
        (
            "loop/terragrunt.hcl",
            "include {\n  path = \"terragrunt.hcl\"\n}\nlocals {\n  a = local.b\n  b = local.a\n}\ninputs = { eks_managed_node_groups = local.a }",
        ),
    ]);
    let pool = reading.pool("p");
    assert_eq!(pool.taints[0].taint.to_string(), "a:NoSchedule");
    assert!(pool.complete);
    let span = pool.taints[0].span.expect("a place");
    assert!(
        reading.place(span).starts_with("live/_env/eks.hcl:12:24 "),
        "{}",
        reading.place(span)
    );
    let placed = &reading.gathered.pools[0];
    assert_eq!(
        reading.sources[placed.source.0 as usize].path,
        "live/prod/eks/terragrunt.hcl"
    );
}

#[test]
fn what_terragrunt_reads_of_other_files_is_known() {
    let groups = "locals {\n  env = read_terragrunt_config(find_in_parent_folders(\"env.hcl\"))\n  groups = {\n    p = { taints = { a = { key = local.env.locals.key, effect = \"NO_SCHEDULE\" } } }\n  }\n}\n";
    let of = |env: &str| {
        let reading = read(&[
            (
                "live/prod/terragrunt.hcl",
                "terraform {\n  source = \"tfr:///terraform-aws-modules/eks/aws?version=20.8.4\"\n}\nlocals {\n  read = \
                 read_terragrunt_config(\"../shared/groups.hcl\")\n}\ninputs = {\n  eks_managed_node_groups = \
                 local.read.locals.groups\n}\n",
            ),
            ("live/shared/groups.hcl", groups),
            ("live/env.hcl", env),
            // Not in a parent folder of the file that is read.
            ("live/prod/env.hcl", "locals {\n  key = \"wrong\"\n}\n"),
        ]);
        let pool = reading.pool("p");
        (
            pool.taints[0].taint.key.text().map(str::to_owned),
            pool.complete,
        )
    };
    assert_eq!(
        of("locals {\n  key = \"k\"\n}\n"),
        (Some("k".to_owned()), true)
    );
    // These files read each other.
    let circle =
        "locals {\n  key = read_terragrunt_config(\"shared/groups.hcl\").locals.groups\n}\n";
    assert_eq!(of(circle), (None, false));
    assert_eq!(of("locals {\n"), (None, false));
}

#[test]
fn terragrunts_inputs_may_be_put_together() {
    let of = |inputs: &str| {
        let text = format!(
            "terraform {{\n  source = \"../modules//m\"\n}}\nlocals {{\n  all = {{ taints = [\"x=y:NoSchedule\"] }}\n}}\ninputs = {inputs}\n"
        );
        let module = ("modules/m/main.tf", VARIABLE);
        let reading = read(&[("live/terragrunt.hcl", &text), module]);
        (keys(&reading).join(" "), reading.pool("p").complete)
    };
    assert_eq!(of("local.all"), ("x".to_owned(), true));
    assert_eq!(of("merge(local.all, {})"), ("x".to_owned(), true));
    assert_eq!(
        of("merge(dependency.a.outputs, local.all)"),
        ("x".to_owned(), true)
    );
    assert_eq!(
        of("merge(dependency.a.outputs, {})"),
        (String::new(), false)
    );
}

#[test]
fn terragrunt_calls_modules_of_the_repository() {
    let reading = read(&[
        (
            "live/terragrunt.hcl",
            "terraform {\n  source = \"../modules//m\"\n}\ninputs = merge(dependency.all, { taints = [\"x=y:NoSchedule\"] })\n",
        ),
        ("modules/m/main.tf", VARIABLE),
    ]);
    assert_eq!(keys(&reading), ["x"]);
    assert!(reading.pool("p").complete);
}

#[test]
fn terragrunts_sources_may_be_named_with_functions_or_in_what_it_includes() {
    const INPUTS: &str = "inputs = { taints = [\"x=y:NoSchedule\"] }\n";
    const INCLUDE: &str = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
    let of = |before: &str, source: &str, common: &str| {
        let own = match source.is_empty() {
            true => String::new(),
            false => format!("terraform {{\n  source = {source}\n}}\n"),
        };
        let reading = read(&[
            (
                "live/prod/eks/terragrunt.hcl",
                &format!("{before}{own}{INPUTS}"),
            ),
            ("live/root.hcl", "inputs = { region = \"eu\" }\n"),
            ("live/_envcommon/eks.hcl", common),
            ("modules/m/main.tf", VARIABLE),
        ]);
        let pools = reading.pools().into_iter();
        let known = pools.filter(|pool| pool.complete && pool.taints.len() == 1);
        known.count() == 1
    };
    for source in [
        "\"${get_repo_root()}//modules/m\"",
        "\"${get_terragrunt_dir()}/../../../modules/m\"",
        "\"${get_path_to_repo_root()}/modules/m\"",
        "\"${dirname(find_in_parent_folders(\"root.hcl\"))}/../modules/m\"",
        "\"${get_parent_terragrunt_dir()}/../modules/m\"",
        "\"${get_parent_terragrunt_dir(\"root\")}/../modules/m\"",
        "\"${path_relative_from_include(\"root\")}/../modules/m\"",
        "\"${local.base}/m\"\n}\nlocals {\n  base = \"${get_repo_root()}/modules\"",
    ] {
        assert!(of(INCLUDE, source, ""), "{source}");
    }
    let common = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\ninclude \"common\" {\n  path = \
                  \"${dirname(find_in_parent_folders(\"root.hcl\"))}/_envcommon/eks.hcl\"\n}\n";
    for source in [
        "\"${dirname(find_in_parent_folders(\"root.hcl\"))}/../modules/m\"",
        "\"${get_parent_terragrunt_dir()}/../../modules/m\"",
        // It counts from the file that includes it.
        "\"../../../modules/m\"",
    ] {
        let text = format!("terraform {{\n  source = {source}\n}}\n");
        assert!(of(common, "", &text), "{source}");
    }
    // Not all of these paths is known, or they lead elsewhere.
    for source in [
        "\"${get_env(\"ROOT\")}/modules/m\"",
        "\"${get_parent_terragrunt_dir(\"other\")}/../modules/m\"",
        "\"git::${get_repo_root()}/modules/m\"",
        "\"${local.a}/modules/m\"\n}\nlocals {\n  a = local.b\n  b = local.a",
    ] {
        assert!(!of(INCLUDE, source, ""), "{source}");
    }
    let text = "terraform {\n  source = \"../../modules/m\"\n}\n";
    assert!(!of(common, "", text));
}

#[test]
fn pools_are_there_whatever_their_keys_are() {
    let of = |groups: &str| {
        let text = format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  eks_managed_node_groups = {{\n{groups}\n  }}\n}}\n"
        );
        let reading = one(&text);
        let show = |pool: &&NodePool| {
            let taints: Vec<_> = pool
                .taints
                .iter()
                .map(|taint| taint.taint.to_string())
                .collect();
            format!("{} {:?} {}", pool.name, taints.join(" "), pool.complete)
        };
        let shown: Vec<String> = reading.pools().iter().map(show).collect();
        shown
    };
    let taint = |key: &str| {
        format!("{{ taints = {{ a = {{ key = \"{key}\", effect = \"NO_SCHEDULE\" }} }} }}")
    };
    let group = |key: &str, taint_key: &str| format!("{key} = {}", taint(taint_key));
    let (gpu, cpu) = (
        group("\"${var.name}-gpu\"", "g"),
        group("\"${var.name}-cpu\"", "c"),
    );
    assert_eq!(of(&gpu), ["module.eks \"g:NoSchedule\" true"]);
    assert_eq!(
        of(&format!("{gpu}\n{cpu}\n{}", group("other", "o"))),
        [
            "other \"o:NoSchedule\" true",
            "module.eks \"g:NoSchedule\" true",
            "module.eks-2 \"c:NoSchedule\" true",
        ]
    );
    // These may have the same name, in which case the last one counts.
    for (one, other) in [
        ("\"${var.name}-gpu\"", "big-gpu"),
        ("big-gpu", "\"${var.name}-gpu\""),
        ("\"${var.name}-gpu\"", "\"${var.zone}-gpu\""),
        ("(var.name)", "\"${var.zone}-gpu\""),
    ] {
        let shown = of(&format!("{}\n{}", group(one, "g"), group(other, "c")));
        let last = if other == "big-gpu" {
            "big-gpu \"c:NoSchedule\" true"
        } else {
            ""
        };
        let kept: Vec<_> = shown
            .iter()
            .filter(|pool| pool.contains("Schedule"))
            .collect();
        assert!(
            kept.iter().all(|pool| *pool == last),
            "{one} {other}: {shown:?}"
        );
        assert!(
            shown.contains(&"module.eks \"\" false".to_owned()),
            "{shown:?}"
        );
    }
}

#[test]
fn a_label_and_a_taint_whose_keys_are_not_known_leave_both_open() {
    let reading = one(
        "module \"eks\" {\n  source = \"terraform-aws-modules/eks/aws\"\n  eks_managed_node_groups = {\n    p = {\n      labels = {          \"${var.a}/x\" = \"y\" }\n      taints = { (var.b) = { key = var.c, effect = \"NO_SCHEDULE\" } }\n    }\n  }\n}\n",
    );
    let pool = reading.pool("p");
    assert!(pool.open_labels);
    assert!(!pool.complete);
    assert!(pool.taints.iter().all(|taint| taint.taint.key.is_unknown()));
}

#[test]
fn what_is_taken_apart_with_regular_expressions_is_known() {
    for (expression, keys) in [
        (r#"[regex("[a-z]+", "1ab2cd")]"#, &["ab"] as &[&str]),
        (r#"regex("([a-z])([0-9])", "x a1")"#, &["a", "1"]),
        (
            r#"[regex("^(?P<key>[^=:]+)=?(?P<value>[^=:]*?):(?P<effect>.+)$", "a.io/b=c:NoSchedule").key]"#,
            &["a.io/b"],
        ),
        (r#"regexall("[a-z]", "a1b2")"#, &["a", "b"]),
        (
            r#"[length(regexall(":No", "a:NoSchedule")) > 0 ? "yes" : "no"]"#,
            &["yes"],
        ),
        (r#"[replace("a:b:c", "/:[bc]/", "-x")]"#, &["a-x-x"]),
        (r#"[replace("a=b", "/(.)=(.)/", "$2.$1")]"#, &["b.a"]),
        (
            r#"[replace(jsonencode({ b = "1", a = ["<", true, null] }), "/[\"{}]/", "")]"#,
            &["a:[\\u003c,true,null],b:1"],
        ),
        (r#"[try(regex("x", "y"), "other")]"#, &["other"]),
        (r#"[try(regex("(", "y"), "other")]"#, &["other"]),
    ] {
        assert_eq!(
            keys_of(expression),
            (keys.iter().map(|&key| key.to_owned()).collect(), true),
            "{expression}"
        );
    }
    for expression in [
        r#"[regex("x", var.missing)]"#,
        r#"[replace(jsonencode({ a = var.missing }), "/x/", "")]"#,
        r#"[regex("(?P<a>x)(y)", "xy").a]"#,
    ] {
        let (_, complete) = keys_of(expression);
        assert!(!complete, "{expression}");
    }
}

/// A GKE node pool with this `node_config`.
fn gke(name: &str, config: &str) -> String {
    format!(
        "resource \"google_container_node_pool\" \"{name}\" {{\n  name = \"{name}\"\n  node_config {{\n{config}\n  }}\n}}\n"
    )
}

const TAINT: &str = "taint {\n  key = \"team\"\n  value = \"maps\"\n  effect = \"NO_SCHEDULE\"\n}";

fn names(reading: &Reading) -> Vec<&str> {
    let pools = reading.pools();
    pools.iter().map(|pool| pool.name.as_str()).collect()
}

#[test]
fn a_key_that_is_written_twice_in_an_object_loses_no_pool_and_its_last_value_counts() {
    let twice = gke("a", "labels = { team = \"x\", team = \"maps\" }");
    let inherited = "locals {\n  common = {\n    \"team\" = 1\n    team   = 2\n  }\n}\n";
    let reading = read(&[("main.tf", &format!("{inherited}{twice}{}", gke("b", TAINT)))]);
    assert!(reading.gathered.notices.is_empty());
    assert_eq!(names(&reading), ["a", "b"]);
    assert_eq!(
        reading.pool("a").labels.labels["team"],
        Field::Is("maps".to_owned())
    );
}

#[test]
fn an_argument_that_is_set_twice_is_said_and_its_pool_is_read() {
    let twice = gke("a", "machine_type = \"x\"\nmachine_type = \"y\"\n");
    let reading = read(&[("main.tf", &format!("{twice}{}", gke("b", TAINT)))]);
    let [notice] = reading.gathered.notices.as_slice() else {
        panic!("{}", reading.gathered.notices.len());
    };
    assert_eq!(reading.place(notice.span), "main.tf:5:1 `machine_type`");
    assert_eq!(names(&reading), ["a", "b"]);
}

#[test]
fn heredocs_of_every_form_leave_the_pools_around_them_readable() {
    for heredocs in [
        "a = <<EOT\nEOT\nb = (<<EOT\nx\nEOT\n)",
        "a = [<<EOT\nx\nEOT\n, <<-E\n  y\n  E\n]",
        "a = <<EOT\n<<OTHER\nOTHER }\nEOT",
        "a = <<EOT\n${<<INNER\nEOT\nINNER\n}\nEOT",
        "a = f(<<-EOT\n\n  \"}\n  EOT\n)",
        "# <<EOT\na = 1 # <<EOT",
        "// \"${\n/* <<EOT\n*/",
        "a = \"<<EOT\"",
        "a = 1 << EOT\n",
    ] {
        let text = format!("locals {{\n{heredocs}\n}}\n{}", gke("a", TAINT));
        for text in [text.replace('\n', "\r\n"), text] {
            let reading = read(&[("main.tf", &text)]);
            assert_eq!(names(&reading), ["a"], "{heredocs}");
            let broken = heredocs.contains("1 <<");
            assert_eq!(
                reading.gathered.notices.len(),
                usize::from(broken),
                "{heredocs}"
            );
        }
    }
}

#[test]
fn a_broken_block_hides_no_other_block_even_where_heredocs_stand_in_the_first_column() {
    let startup =
        "metadata = { startup = <<EOT\nif true; then\nresource \"x\" \"y\" {\nfi\nEOT\n}\n";
    let good = gke("b", &format!("{startup}{TAINT}"));
    for broken in [
        "resource \"x\" \"y\" {\n  a = = 1\n}\n",
        "resource \"x\" \"y\" {\n",
        "locals {\n  a = \"\n}\n",
        "locals {\n  a = <<OTHER\n}\n",
        "locals {\n  a = [1, 2\n}\n",
        "locals {\n  a = \"${1\"\n}\n",
        "}\n",
        "/*\n",
    ] {
        let text = format!("{}{broken}{good}", gke("a", TAINT));
        let reading = read(&[("main.tf", &text)]);
        assert_eq!(names(&reading), ["a", "b"], "{broken}");
        assert_eq!(reading.gathered.notices.len(), 1, "{broken}");
    }
}

#[test]
fn a_key_in_parentheses_is_a_value_and_not_a_word() {
    let labels = "labels = merge([for team, one in { maps = \"x\" } : { (team) = one }]...)";
    let reading = read(&[("main.tf", &gke("a", labels))]);
    assert_eq!(
        reading.pool("a").labels.labels["maps"],
        Field::Is("x".to_owned())
    );
}

#[test]
fn a_number_of_many_digits_keeps_them_all() {
    let labels =
        "labels = { a = 9007199254740993, b = 0.1, c = 1e3, d = \"${12345678901234567890}\" }";
    let reading = read(&[("main.tf", &gke("a", labels))]);
    for (key, value) in [
        ("a", "9007199254740993"),
        ("b", "0.1"),
        ("c", "1000"),
        ("d", "12345678901234567890"),
    ] {
        assert_eq!(
            reading.pool("a").labels.labels[key],
            Field::Is(value.to_owned())
        );
    }
}

#[test]
fn what_is_nested_or_repeated_without_end_is_read_in_time_and_hides_nothing() {
    let good = gke("a", TAINT);
    let many = 10_000;
    for sign in [
        "(",
        "[",
        "{",
        "!",
        "-",
        "\"${",
        "<<E\n",
        "a = <<E\n",
        "a {\n",
        "a = {\n",
        "/*",
        "# <<E\n",
        "[for a in ",
        "f(",
        "a ? ",
        "1 + ",
        "a.",
        "a[",
        "%{ if ",
        "\"%{ if true }",
        "\n",
        "$",
        "\"",
        "\\",
        "a = \"\n",
        "a = \"${<<E\n",
        "{ a = ",
        "::",
        "a::",
        "1.",
    ] {
        for before in ["x = ", "x = \"", "x = <<E\n", "locals {\n", ""] {
            let text = format!("{before}{}\n{good}", sign.repeat(many / sign.len()));
            let (file, _) = kubetaint::terraform::parse("main.tf", &text, SourceId(0), &|_| true);
            kubetaint::terraform::heredocs(&text);
            drop(file);
        }
    }
    // A realistic depth, and a far greater one.
    for depth in [40, 10_000] {
        let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let sum = vec!["1"; depth].join(" + ");
        let text = format!("locals {{\n  a = {lists}\n}}\nlocals {{\n  b = {sum}\n}}\n{good}");
        let reading = read(&[("main.tf", &text)]);
        assert_eq!(names(&reading), ["a"]);
        assert_eq!(reading.gathered.notices.is_empty(), depth == 40);
    }
}

#[test]
fn a_for_expression_that_groups_without_end_is_given_up() {
    let labels = "labels = {for v in setproduct(range(1000), range(900)) : \"k\" => v...}";
    let reading = read(&[("main.tf", &gke("a", labels))]);
    assert!(!reading.pool("a").complete);
    let labels = "labels = {for v in range(3) : \"k\" => v...}";
    assert!(read(&[("main.tf", &gke("a", labels))]).pool("a").complete);
}

#[test]
fn modules_that_call_modules_without_end_are_left_out_and_that_is_said() {
    let call = |at: usize, to: &str| {
        format!("module \"m{at}\" {{\n  source = \"{to}\"\n  count = 100\n}}\n")
    };
    let files: Vec<(String, String)> = (0..7)
        .map(|level| {
            let calls: String = (0..10)
                .map(|at| call(at, &format!("../l{}", level + 1)))
                .collect();
            (format!("l{level}/main.tf"), calls)
        })
        .chain([("l7/main.tf".to_owned(), gke("a", ""))])
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let reading = read(&files);
    let left_out: Vec<String> = reading
        .gathered
        .open
        .iter()
        .map(|open| format!("{} {:?}", reading.place(open.span), open.because))
        .collect();
    assert_eq!(left_out.len(), 1);
    assert!(left_out[0].contains("module \"m"), "{left_out:?}");
    assert!(left_out[0].contains("not followed"), "{left_out:?}");
}
