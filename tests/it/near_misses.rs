//! Which keys and words count as misspellings of others, and which do not.

use kubetaint::model::near_miss::{Likeness, key_likeness, nearest_word};

#[test]
fn slips_of_keys_are_seen_and_named() {
    use Likeness::{Case, Domain, Separator, Spelling};
    for (written, candidate, likeness) in [
        ("Dedicated", "dedicated", Case),
        ("criticaladdonsonly", "CriticalAddonsOnly", Case),
        ("NVIDIA.com/gpu", "nvidia.com/gpu", Case),
        ("node_pool", "node-pool", Separator),
        ("nodepool", "node-pool", Separator),
        ("nvidia.com.gpu", "nvidia.com/gpu", Separator),
        ("nvidia-com/gpu", "nvidia.com/gpu", Separator),
        ("Node.Pool", "node-pool", Separator),
        (
            "node-role.kubernetes.io/controlplane",
            "node-role.kubernetes.io/control-plane",
            Separator,
        ),
        ("gpu", "nvidia.com/gpu", Domain),
        ("example.com/dedicated", "dedicated", Domain),
        (
            "node.alpha.kubernetes.io/unreachable",
            "node.kubernetes.io/unreachable",
            Domain,
        ),
        (
            "kubernetes.io/control-plane",
            "node-role.kubernetes.io/control-plane",
            Domain,
        ),
        ("example.com/pool", "example.org/pool", Domain),
        ("team/pool", "team.io/pool", Domain),
        ("nvida.com/gpu", "nvidia.com/gpu", Spelling),
        ("nvidia.com/gpus", "nvidia.com/gpu", Spelling),
        ("dedciated", "dedicated", Spelling),
        ("dedicatd", "dedicated", Spelling),
        ("dedictaed-workload", "dedicated-workloads", Spelling),
        ("gpu-node", "gpu-nodes", Spelling),
        ("gup-nodes", "gpu-nodes", Spelling),
        ("CriticalAddonOnly", "CriticalAddonsOnly", Spelling),
        (
            "node-role.kubernetes.io/control-plan",
            "node-role.kubernetes.io/control-plane",
            Spelling,
        ),
        (
            "kubernetes.azure.com/scalsetpriority",
            "kubernetes.azure.com/scalesetpriority",
            Spelling,
        ),
    ] {
        assert_eq!(
            key_likeness(written, candidate),
            Some(likeness),
            "{written} for {candidate}"
        );
        assert_eq!(
            key_likeness(candidate, written),
            Some(likeness),
            "{candidate} for {written}"
        );
    }
}

#[test]
fn names_of_one_family_are_not_slips_of_each_other() {
    let long = "a".repeat(400);
    let longer = format!("{long}a");
    for (one, other) in [
        ("gpu", "gpu"),
        ("", "gpu"),
        (&long, &longer),
        // Numbers, models, sizes.
        ("pool-1", "pool-2"),
        ("pool-11", "pool-1-1"),
        ("pool1", "pool10"),
        ("workers", "workers2"),
        ("gpu-a100", "gpu-h100"),
        ("arm64", "amd64"),
        ("windows-2019", "windows-2022"),
        ("large", "xlarge"),
        ("x-large", "2x-large"),
        // Team members and locations.
        ("team-a", "team-b"),
        ("team-a", "team-ab"),
        ("prod-east", "prod-west"),
        ("node-pool-cpu", "node-pool-gpu"),
        ("dedicated-app", "dedicated-api"),
        ("dedicated", "dedicated-gpu"),
        // Short words.
        ("spot", "slot"),
        ("dev", "test"),
        ("dev", "det"),
        ("gpu", "cpu"),
        ("prod", "prods"),
        // Other words.
        ("internal", "external"),
        ("ingress", "egress"),
        ("reader", "leader"),
        ("schedulable", "unschedulable"),
        ("preemptible", "non-preemptible"),
        ("frontend", "backend"),
        ("staging", "testing"),
        // Domains of other vendors and people.
        ("nvidia.com/gpu", "amd.com/gpu"),
        ("amd.com/gpu", "arm.com/gpu"),
        ("a.io/pool", "a.dev/pool"),
        ("prod.example.com/pool", "test.example.com/pool"),
        ("example.com/pools", "example.org/nodes"),
        ("nvidia.com/gpu", "nvidia.com/cpu"),
        ("nvida.com/gpus", "nvidia.com/gpu"),
        ("dedicatd", "example.com/dedicated"),
        (
            "node.kubernetes.io/disk-pressure",
            "node.kubernetes.io/pid-pressure",
        ),
        (
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ),
    ] {
        assert_eq!(key_likeness(one, other), None, "{one} for {other}");
        assert_eq!(key_likeness(other, one), None, "{other} for {one}");
    }
}

#[test]
fn shipped_keys_are_not_near_misses_of_each_other_by_spelling() {
    let table: kubetaint::model::well_known::WellKnownTable =
        serde_yaml::from_str(include_str!("../../providers/well-known-taints.yaml")).unwrap();
    for one in &table.well_known_taints {
        for other in &table.well_known_taints {
            assert_ne!(
                key_likeness(&one.key, &other.key),
                Some(Likeness::Spelling),
                "{} for {}",
                one.key,
                other.key
            );
        }
    }
}

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const OPERATORS: [&str; 4] = ["Equal", "Exists", "Gt", "Lt"];
const FIELDS: [&str; 5] = ["key", "operator", "value", "effect", "tolerationSeconds"];

#[test]
fn words_lead_to_the_one_that_was_meant() {
    for (written, candidates, meant) in [
        ("PreferredNoSchedule", &EFFECTS[..], "PreferNoSchedule"),
        ("PreferNoScheduler", &EFFECTS, "PreferNoSchedule"),
        ("NoPreferSchedule", &EFFECTS, "PreferNoSchedule"),
        ("NO_SCHEDULE", &EFFECTS, "NoSchedule"),
        ("no-execute", &EFFECTS, "NoExecute"),
        ("noSchedule", &EFFECTS, "NoSchedule"),
        ("NoSchedule ", &EFFECTS, "NoSchedule"),
        ("NoScheduling", &EFFECTS, "NoSchedule"),
        ("NoScedule", &EFFECTS, "NoSchedule"),
        ("NoSchedulable", &EFFECTS, "NoSchedule"),
        ("NotExecute", &EFFECTS, "NoExecute"),
        ("NoExecution", &EFFECTS, "NoExecute"),
        ("Equals", &OPERATORS, "Equal"),
        ("equal", &OPERATORS, "Equal"),
        ("Eqaul", &OPERATORS, "Equal"),
        ("==", &OPERATORS, "Equal"),
        ("exist", &OPERATORS, "Exists"),
        ("Exits", &OPERATORS, "Exists"),
        ("EXISTS", &OPERATORS, "Exists"),
        ("GT", &OPERATORS, "Gt"),
        ("keys", &FIELDS, "key"),
        ("kye", &FIELDS, "key"),
        ("values", &FIELDS, "value"),
        ("operater", &FIELDS, "operator"),
        ("tolerationsSeconds", &FIELDS, "tolerationSeconds"),
        ("tolerationSecond", &FIELDS, "tolerationSeconds"),
        ("tolerationseconds", &FIELDS, "tolerationSeconds"),
        (
            "toleration",
            &["tolerations", "nodeSelector"],
            "tolerations",
        ),
        ("tolerance", &["tolerations", "nodeSelector"], "tolerations"),
        ("tolerence", &["tolerations", "nodeSelector"], "tolerations"),
        (
            "tolerences",
            &["tolerations", "nodeSelector"],
            "tolerations",
        ),
        ("taint", &["taints", "startupTaints"], "taints"),
        (
            "startupTaint",
            &["taints", "startupTaints"],
            "startupTaints",
        ),
        (
            "nodeselector",
            &["tolerations", "nodeSelector"],
            "nodeSelector",
        ),
        (
            "nodeSelectors",
            &["nodeName", "nodeSelector"],
            "nodeSelector",
        ),
    ] {
        assert_eq!(nearest_word(written, candidates), Some(meant), "{written}");
    }
}

#[test]
fn words_of_another_sense_lead_nowhere() {
    for (written, candidates) in [
        ("Exists", &OPERATORS[..]),
        ("DoesNotExist", &OPERATORS),
        ("NotExists", &OPERATORS),
        ("NoExists", &OPERATORS),
        ("NotEqual", &OPERATORS),
        ("In", &OPERATORS),
        ("NotIn", &OPERATORS),
        ("Gte", &OPERATORS),
        ("", &OPERATORS),
        ("-", &OPERATORS),
        ("None", &EFFECTS),
        ("Schedule", &EFFECTS),
        ("NoScheduleNoAdmit", &EFFECTS),
        ("name", &FIELDS),
        ("valueFrom", &FIELDS),
        ("env", &FIELDS),
        ("imagePullPolicy", &["imagePullSecrets"]),
        ("hostname", &["hostNetwork", "nodeName"]),
    ] {
        assert_eq!(nearest_word(written, candidates), None, "{written}");
    }
}

#[test]
fn a_plural_is_the_same_name_however_short() {
    use kubetaint::model::near_miss::{Likeness, key_likeness};
    let gpu = key_likeness("example.com/gpus", "example.com/gpu");
    assert_eq!(gpu, Some(Likeness::Spelling));
    assert_eq!(key_likeness("example.com/os", "example.com/o"), None);
    assert_eq!(key_likeness("example.com/gpus", "example.com/cpu"), None);
}
