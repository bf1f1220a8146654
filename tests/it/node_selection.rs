//! Truth tables of "selects" and "can land", with the reason for each row.

// Clippy's exemption covers test functions only, not their helpers.
#![allow(clippy::unwrap_used)]

use Truth::{No, Unknown, Yes};
use kubetaint::finding::Object;
use kubetaint::model::node_pool::{NodePool, Origin, PoolTaint};
use kubetaint::model::node_selection::{NodeLabels, NodeSelection, OtherLabels, Requirement, Term};
use kubetaint::model::placement::{Candidate, Moment, Placement, Reason};
use kubetaint::model::taint::Taint;
use kubetaint::model::toleration::Toleration;
use kubetaint::model::{Field, Truth, placement};

fn field(text: &str) -> Field<String> {
    match text {
        "-" => Field::Absent,
        "?" => Field::Unknown,
        text => Field::Is(text.to_owned()),
    }
}

/// `key operator value value ...`.
fn requirement(text: &str) -> Requirement {
    let mut parts = text.split_whitespace().map(field);
    Requirement {
        key: parts.next().unwrap_or_default(),
        operator: parts.next().unwrap_or_default(),
        values: parts.collect(),
    }
}

fn term(expressions: &[&str], fields: &[&str]) -> Term {
    Term {
        expressions: expressions.iter().map(|text| requirement(text)).collect(),
        fields: fields.iter().map(|text| requirement(text)).collect(),
    }
}

/// Terms of required node affinity.
fn affinity(terms: &[&[&str]]) -> NodeSelection {
    NodeSelection {
        required: Field::Is(terms.iter().map(|texts| term(texts, &[])).collect()),
        ..NodeSelection::default()
    }
}

/// `key=value` pairs of a nodeSelector.
fn selector(pairs: &[&str]) -> NodeSelection {
    NodeSelection {
        node_selector: labelled(pairs, OtherLabels::None).labels,
        ..NodeSelection::default()
    }
}

fn labelled(pairs: &[&str], others: OtherLabels) -> NodeLabels {
    let split = |pair: &&str| {
        let (key, value) = pair.split_once('=').unwrap();
        (key.to_owned(), field(value))
    };
    NodeLabels {
        labels: pairs.iter().map(split).collect(),
        requirements: Vec::new(),
        others,
    }
}

/// A Karpenter pool with these requirements.
fn offering(requirements: &[&str]) -> NodeLabels {
    NodeLabels {
        requirements: requirements.iter().map(|text| requirement(text)).collect(),
        others: OtherLabels::WellKnownOnly,
        ..NodeLabels::default()
    }
}

#[test]
fn expressions_on_a_read_node_follow_kubernetes() {
    let node = labelled(
        &["k=a", "n=5", "pad=007", "w=word", "u=?"],
        OtherLabels::None,
    );
    for (expression, expected, reason) in [
        ("k In a b", Yes, "in the set"),
        ("k In b c", No, "not in the set"),
        ("k In", No, "In needs a value"),
        ("z In a", No, "no such label"),
        ("k NotIn b", Yes, "not in the set"),
        ("k NotIn a b", No, "in the set"),
        ("z NotIn a", Yes, "NotIn holds where the label is absent"),
        ("k NotIn", No, "NotIn needs a value"),
        ("k Exists", Yes, "there"),
        ("z Exists", No, "not there"),
        ("k Exists a", No, "Exists takes no values"),
        ("z DoesNotExist", Yes, "not there"),
        ("k DoesNotExist", No, "there"),
        ("z DoesNotExist a", No, "DoesNotExist takes no values"),
        ("n Gt 4", Yes, "5 > 4"),
        ("n Gt 5", No, "Gt is strict"),
        ("n Lt 6", Yes, "5 < 6"),
        ("n Lt 5", No, "Lt is strict"),
        ("n Gt 004", Yes, "Go parses leading zeros here"),
        ("pad Gt 6", Yes, "Go parses leading zeros in labels too"),
        ("n Gt +4", No, "+4 is no label value"),
        ("n Gt -4", No, "a negative number is no label value"),
        ("n Gt x", No, "not a number: the term errors"),
        ("n Gt 1 2", No, "exactly one value"),
        ("n Gt", No, "exactly one value"),
        ("w Gt 1", No, "the label is no number"),
        ("z Lt 1", No, "no such label"),
        ("k In a b/c", No, "a bad value spoils the term"),
        ("k NotIn b/c", No, "a bad value spoils the term"),
        ("k in a", No, "operators are written exactly"),
        ("k - a", No, "an operator is needed"),
        ("n Gte 5", No, "Gte is Karpenter's, not a pod's"),
        ("/k Exists", No, "a bad key spoils the term"),
        ("u In a", Unknown, "the label's value could be any"),
        ("u NotIn a", Unknown, "the label's value could be any"),
        ("u Exists", Yes, "the label is there"),
        ("u DoesNotExist", No, "the label is there"),
        ("u Gt 1", Unknown, "the label's value could be any"),
        ("k In ?", Unknown, "the asked value could be any"),
        ("k In ? a", Yes, "one of the values fits"),
        ("k NotIn ? a", No, "one of the values fits"),
        ("k NotIn ?", Unknown, "the asked value could be any"),
        ("n Gt ?", Unknown, "the bound could be any"),
        ("w Gt ?", No, "the label is no number for any bound"),
        ("? Exists", Unknown, "the key could be any"),
        ("k ? a", Unknown, "the operator could be any"),
        ("z In ?", No, "no such label, whatever the value"),
    ] {
        let answer = affinity(&[&[expression]]).selects(&node, None);
        assert_eq!(answer, expected, "{expression}: {reason}");
    }
}

#[test]
fn terms_are_alternatives_and_the_node_selector_holds_besides() {
    let node = labelled(&["k=a", "l=b"], OtherLabels::None);
    let both = |pairs: &[&str], terms: &[&[&str]]| NodeSelection {
        node_selector: selector(pairs).node_selector,
        ..affinity(terms)
    };
    for (selection, expected, reason) in [
        (NodeSelection::default(), Yes, "nothing is asked"),
        (selector(&["k=a"]), Yes, "the label is equal"),
        (selector(&["k=a", "l=c"]), No, "every pair must hold"),
        (selector(&["k=?"]), Unknown, "the value could be any"),
        (selector(&["z=?"]), No, "no such label"),
        (selector(&["k=-"]), No, "null is the empty value"),
        (affinity(&[]), No, "an empty list of terms matches nothing"),
        (affinity(&[&[]]), No, "an empty term matches nothing"),
        (
            affinity(&[&[], &["k In a"]]),
            Yes,
            "an empty term is skipped",
        ),
        (
            affinity(&[&["k In b"], &["l In b"]]),
            Yes,
            "one term is enough",
        ),
        (
            affinity(&[&["k In a", "l In c"]]),
            No,
            "all of a term must hold",
        ),
        (
            affinity(&[&["k In b"], &["? Exists"]]),
            Unknown,
            "the second term might hold",
        ),
        (
            affinity(&[&["k In", "? Exists"]]),
            No,
            "part of the term is certain not to hold",
        ),
        (
            affinity(&[&["n Gt x"], &["k In a"]]),
            Yes,
            "an error in one term spares the others",
        ),
        (both(&["k=a"], &[&["l In b"]]), Yes, "both hold"),
        (
            both(&["k=b"], &[&["l In b"]]),
            No,
            "the nodeSelector does not hold",
        ),
        (
            both(&["k=a"], &[&["l In c"]]),
            No,
            "the affinity does not hold",
        ),
        (
            NodeSelection {
                required: Field::Unknown,
                ..selector(&["k=a"])
            },
            Unknown,
            "the affinity could not be read",
        ),
        (
            NodeSelection {
                required: Field::Unknown,
                ..selector(&["k=b"])
            },
            No,
            "the nodeSelector rules it out already",
        ),
        (
            NodeSelection {
                unknown: true,
                ..selector(&["k=a"])
            },
            Unknown,
            "more may be asked",
        ),
        (
            NodeSelection {
                unknown: true,
                ..selector(&["k=b"])
            },
            No,
            "what else is asked cannot help",
        ),
    ] {
        assert_eq!(selection.selects(&node, None), expected, "{reason}");
    }
}

#[test]
fn an_unknown_match_field_was_taken_to_match_nothing_where_the_scheduler_reads_it_as_empty() {
    let node = NodeLabels::default();
    for (field, expected) in [
        ("metadata.namespace NotIn n1", Yes),
        ("metadata.Name NotIn n1", Yes),
        ("- NotIn n1", Yes),
        ("metadata.namespace In -", Yes),
        ("metadata.namespace NotIn -", No),
        ("metadata.namespace In n1", No),
        ("metadata.namespace NotIn n1 n2", No),
        ("metadata.namespace Exists", No),
        ("metadata.namespace ? n1", Unknown),
    ] {
        let selection = NodeSelection {
            required: Field::Is(vec![term(&[], &[field])]),
            ..NodeSelection::default()
        };
        assert_eq!(selection.selects(&node, Some("n1")), expected, "{field}");
    }
}

#[test]
fn match_fields_know_the_name_of_the_node_only() {
    let node = NodeLabels::default();
    for (fields, name, expected) in [
        ("metadata.name In n1", Some("n1"), Yes),
        ("metadata.name In n2", Some("n1"), No),
        ("metadata.name NotIn n2", Some("n1"), Yes),
        ("metadata.name NotIn n1", Some("n1"), No),
        ("metadata.name In n1 n2", Some("n1"), No),
        ("metadata.name In", Some("n1"), No),
        ("metadata.name Exists", Some("n1"), No),
        ("metadata.uid In n1", Some("n1"), No),
        ("metadata.name In n1", None, Unknown),
        ("metadata.name In ?", Some("n1"), Unknown),
        ("metadata.name ? n1", Some("n1"), Unknown),
        ("? In n1", Some("n1"), Unknown),
    ] {
        let selection = NodeSelection {
            required: Field::Is(vec![term(&[], &[fields])]),
            ..NodeSelection::default()
        };
        assert_eq!(
            selection.selects(&node, name),
            expected,
            "{fields} {name:?}"
        );
    }
}

#[test]
fn a_label_that_is_not_listed_depends_on_what_others_means() {
    use OtherLabels::{None, Possible, WellKnownOnly};
    for (pair, expression, others, expected) in [
        ("pool=gpu", "pool NotIn gpu", Possible, Unknown),
        ("pool=gpu", "pool Exists", WellKnownOnly, No),
        (
            "kubernetes.io/os=linux",
            "kubernetes.io/os DoesNotExist",
            WellKnownOnly,
            Unknown,
        ),
        (
            "kubernetes.io/os=linux",
            "kubernetes.io/os Exists",
            None,
            No,
        ),
        ("agentpool=a", "agentpool Exists", WellKnownOnly, Unknown),
    ] {
        let node = labelled(&[], others);
        let equal = selector(&[pair]).selects(&node, Option::None);
        let answer = affinity(&[&[expression]]).selects(&node, Option::None);
        assert_eq!(
            equal,
            if expected == No { No } else { Unknown },
            "{pair} {others:?}"
        );
        assert_eq!(answer, expected, "{expression} {others:?}");
    }
    let contradiction = affinity(&[&["pool In a", "pool NotIn a"]]);
    assert_eq!(
        contradiction.selects(&labelled(&[], Possible), Option::None),
        No,
        "no label could satisfy this"
    );
}

#[test]
fn old_and_new_names_of_a_label_are_one_label() {
    let old = labelled(
        &[
            "beta.kubernetes.io/arch=arm64",
            "failure-domain.beta.kubernetes.io/zone=z1",
        ],
        OtherLabels::None,
    );
    let new = labelled(&["kubernetes.io/arch=arm64"], OtherLabels::None);
    assert_eq!(
        selector(&["kubernetes.io/arch=arm64"]).selects(&old, None),
        Yes
    );
    assert_eq!(
        selector(&["kubernetes.io/arch=amd64"]).selects(&old, None),
        No
    );
    assert_eq!(
        selector(&["topology.kubernetes.io/zone=z1"]).selects(&old, None),
        Yes
    );
    assert_eq!(
        selector(&["beta.kubernetes.io/arch=arm64"]).selects(&new, None),
        Yes
    );
    let pool = offering(&["kubernetes.io/arch In arm64"]);
    assert_eq!(
        selector(&["beta.kubernetes.io/arch=amd64"]).selects(&pool, None),
        No
    );
}

#[test]
fn requirements_of_a_pool_say_which_values_it_can_give() {
    let cases: &[(&[&str], &[&str], Truth, &str)] = &[
        (&["k In a b"], &["k In a"], Yes, "offered"),
        (&["k In a b"], &["k In c"], No, "not offered"),
        (&["k In a b"], &["k In c b"], Yes, "one of them is offered"),
        (&["k In a b"], &["k NotIn a"], Yes, "b is left"),
        (&["k In a b"], &["k NotIn a b"], No, "nothing is left"),
        (
            &["k In a b"],
            &["k In a", "k NotIn a"],
            No,
            "one value must satisfy both",
        ),
        (
            &["k In a b"],
            &["k In a b", "k NotIn a"],
            Yes,
            "b satisfies both",
        ),
        (&["k In a b"], &["k Exists"], Yes, "the label is there"),
        (&["k In a b"], &["k DoesNotExist"], No, "the label is there"),
        (&["k Exists"], &["k In x"], Yes, "any value is offered"),
        (
            &["k Exists"],
            &["k NotIn x"],
            Yes,
            "any other value is offered",
        ),
        (&["k Exists"], &["k DoesNotExist"], No, "the label is there"),
        (&["k Exists"], &["k Gt 5"], Yes, "any value is offered"),
        (
            &["k Exists"],
            &["k Gt 5", "k Lt 6"],
            No,
            "no integer in between",
        ),
        (&["k Exists"], &["k Gt 5", "k Lt 7"], Yes, "six"),
        (
            &["k Exists"],
            &["k Gt 5", "k Lt 7", "k NotIn 6"],
            No,
            "six is excluded",
        ),
        (
            &["k Exists"],
            &["k Gt 5", "k Lt 8", "k NotIn 6"],
            Yes,
            "seven",
        ),
        (&["k NotIn a"], &["k In a"], No, "excluded"),
        (
            &["k NotIn a"],
            &["k In b"],
            Yes,
            "any other value is offered",
        ),
        (&["k NotIn a"], &["k NotIn a"], Yes, "both leave it out"),
        (&["k DoesNotExist"], &["k In a"], No, "the label is absent"),
        (
            &["k DoesNotExist"],
            &["k NotIn a"],
            Yes,
            "NotIn holds where the label is absent",
        ),
        (
            &["k DoesNotExist"],
            &["k Exists"],
            No,
            "the label is absent",
        ),
        (&["k Gt 4"], &["k In 5"], Yes, "5 > 4"),
        (&["k Gt 4"], &["k In 4"], No, "Gt is strict"),
        (&["k Gte 4"], &["k In 4"], Yes, "Gte is not"),
        (&["k Lt 4"], &["k In 4"], No, "Lt is strict"),
        (&["k Lte 4"], &["k In 4"], Yes, "Lte is not"),
        (&["k Gt 4"], &["k In big"], No, "not a number"),
        (&["k Gt 4"], &["k Lt 3"], No, "no number is both"),
        (&["k Gt 4"], &["k Exists"], Yes, "some number"),
        (&["k Gt 4"], &["k DoesNotExist"], No, "the label is there"),
        (
            &["k In a b", "k NotIn a"],
            &["k In a"],
            No,
            "requirements intersect",
        ),
        (
            &["k In a b", "k NotIn a"],
            &["k In b"],
            Yes,
            "requirements intersect",
        ),
        (
            &["k In a b", "k In b c"],
            &["k In a"],
            No,
            "requirements intersect",
        ),
        (
            &["k In ?"],
            &["k In a"],
            Unknown,
            "the offered value could be any",
        ),
        (&["k In ?"], &["k Exists"], Yes, "some value is offered"),
        (
            &["k In ?"],
            &["k DoesNotExist"],
            No,
            "some value is offered",
        ),
        (&["k In ? a"], &["k In a"], Yes, "a is offered"),
        (&["k NotIn ?"], &["k In a"], Unknown, "a may be excluded"),
        (&["k Gt ?"], &["k In 5"], Unknown, "the bound could be any"),
        (&["k Gt ?"], &["k In big"], No, "not a number"),
        (
            &["k ? a"],
            &["k In a"],
            Unknown,
            "the operator could be any",
        ),
        (
            &["k Wrong a"],
            &["k In a"],
            Unknown,
            "a wrong requirement proves nothing",
        ),
        (
            &["k In"],
            &["k In a"],
            Unknown,
            "a wrong requirement proves nothing",
        ),
        (
            &["? In a"],
            &["k In a"],
            Unknown,
            "the requirement may be about k",
        ),
        (
            &["k In a", "? In b"],
            &["k In a"],
            Unknown,
            "the second may be about k too",
        ),
        (
            &["k In a", "? In b"],
            &["k In c"],
            No,
            "the first rules it out already",
        ),
        (
            &["l In a"],
            &["k In a"],
            No,
            "a label of one's own that no one offers",
        ),
        (
            &["l In a"],
            &["karpenter.sh/nodepool In a"],
            Unknown,
            "Karpenter may set it",
        ),
    ];
    for (requirements, expressions, expected, reason) in cases {
        let answer = affinity(&[expressions]).selects(&offering(requirements), None);
        assert_eq!(
            answer, *expected,
            "{requirements:?} {expressions:?}: {reason}"
        );
    }
}

#[test]
fn a_static_label_wins_over_a_requirement() {
    let mut pool = offering(&["k In a b"]);
    pool.labels.insert("k".into(), field("a"));
    assert_eq!(selector(&["k=a"]).selects(&pool, None), Yes);
    assert_eq!(selector(&["k=b"]).selects(&pool, None), No);
}

#[test]
fn pinning_needs_a_label_that_singles_out_a_kind_of_node() {
    for (selection, pins, reason) in [
        (NodeSelection::default(), false, "nothing is asked"),
        (selector(&["pool=gpu"]), true, "a pool's label"),
        (
            selector(&["pool=?"]),
            true,
            "a pool's label with a value to come",
        ),
        (
            selector(&["kubernetes.io/os=linux"]),
            false,
            "nearly every node",
        ),
        (
            selector(&["beta.kubernetes.io/os=linux"]),
            false,
            "nearly every node, by its old name",
        ),
        (
            selector(&["kubernetes.io/os=windows"]),
            true,
            "Windows nodes",
        ),
        (selector(&["kubernetes.io/os=?"]), false, "may be Linux"),
        (selector(&["kubernetes.io/arch=arm64"]), true, "Arm nodes"),
        (
            selector(&["karpenter.sh/capacity-type=on-demand"]),
            false,
            "nearly every node",
        ),
        (
            selector(&["karpenter.sh/capacity-type=spot"]),
            true,
            "spot nodes",
        ),
        (
            selector(&["topology.kubernetes.io/zone=a"]),
            false,
            "a place",
        ),
        (selector(&["kubernetes.io/hostname=a"]), false, "a place"),
        (
            selector(&["node.kubernetes.io/instance-type=m5"]),
            false,
            "a size",
        ),
        (
            selector(&["kubernetes.io/os=linux", "pool=gpu"]),
            true,
            "one is enough",
        ),
        (
            affinity(&[&["kubernetes.io/arch In amd64 arm64"]]),
            false,
            "everyday nodes included",
        ),
        (affinity(&[&["pool Exists"]]), true, "a pool's label"),
        (affinity(&[&["pool NotIn a"]]), false, "only leaves out"),
        (
            affinity(&[&["pool DoesNotExist"]]),
            false,
            "only leaves out",
        ),
        (
            affinity(&[&["pool In a"], &["team In b"]]),
            true,
            "each alternative does",
        ),
        (
            affinity(&[&["pool In a"], &["kubernetes.io/os In linux"]]),
            false,
            "one does not",
        ),
        (
            affinity(&[&["pool In a"], &[]]),
            true,
            "an empty term matches nothing",
        ),
        (affinity(&[&[]]), false, "nothing is named"),
        (
            affinity(&[&["kubernetes.io/os Exists"]]),
            false,
            "every node",
        ),
    ] {
        assert_eq!(selection.pins(), pins, "{selection:?}: {reason}");
    }
    assert!(NodeSelection::default().is_empty());
    assert!(!affinity(&[]).is_empty());
    let unread = NodeSelection {
        unknown: true,
        ..NodeSelection::default()
    };
    assert!(!unread.is_empty());
}

#[test]
fn a_kind_of_node_is_selected_whatever_the_pool_leaves_unsaid() {
    let gpu = labelled(&["acme.io/pool=gpu"], OtherLabels::WellKnownOnly);
    let rows = [
        (
            selector(&["acme.io/pool=gpu", "kubernetes.io/os=linux"]),
            Yes,
            "nearly every node is Linux",
        ),
        (
            selector(&["acme.io/pool=gpu", "topology.kubernetes.io/zone=a"]),
            Yes,
            "the place is not said by the pool",
        ),
        (
            selector(&["acme.io/pool=gpu", "kubernetes.io/arch=arm64"]),
            Unknown,
            "the architecture is a kind of its own",
        ),
        (
            selector(&["acme.io/pool=web", "kubernetes.io/os=linux"]),
            No,
            "another pool",
        ),
        (
            selector(&["kubernetes.io/os=linux"]),
            No,
            "no kind of node is asked for",
        ),
        (
            affinity(&[&["acme.io/pool In gpu"], &["kubernetes.io/os In linux"]]),
            No,
            "one alternative lets in any node",
        ),
    ];
    for (selection, expected, why) in rows {
        assert_eq!(selection.selects_kind(&gpu, None), expected, "{why}");
    }
}

#[test]
fn required_labels_are_those_without_an_alternative() {
    let mut selection = affinity(&[&["pool In gpu", "team In a b", "x NotIn y"]]);
    selection.node_selector = selector(&["zone=z", "later=?"]).node_selector;
    let labels: Vec<_> = selection.required_labels().into_iter().collect();
    assert_eq!(labels, [("pool", "gpu"), ("zone", "z")]);
    let choice = affinity(&[&["pool In gpu"], &["pool In cpu"]]);
    assert!(choice.required_labels().is_empty());
}

fn exists(key: &str) -> Toleration {
    Toleration {
        key: field(key),
        operator: field("Exists"),
        ..Toleration::default()
    }
}

fn pool(taints: &[&str]) -> NodePool {
    NodePool {
        name: "gpu".into(),
        labels: labelled(&["pool=gpu"], OtherLabels::WellKnownOnly),
        taints: taints
            .iter()
            .map(|text| PoolTaint {
                taint: Taint::parse_flag(text).unwrap(),
                ..PoolTaint::default()
            })
            .collect(),
        complete: true,
        ..NodePool::default()
    }
}

fn place(
    selection: &NodeSelection,
    tolerations: &[Toleration],
    tolerations_known: bool,
    pool: &NodePool,
    comparison_operators: bool,
) -> Placement {
    let pod = Candidate {
        selection,
        node_name: &Field::Absent,
        tolerations,
        tolerations_known,
    };
    placement::place(&pod, pool, Moment::Lasting, comparison_operators)
}

fn is_unknown(placement: &Placement, part: &str) -> bool {
    matches!(placement, Placement::Unknown(why) if why.contains(part))
}

#[test]
fn a_pod_lands_where_it_is_selected_and_every_hard_taint_is_tolerated() {
    let gpu = selector(&["pool=gpu"]);
    let soft = pool(&["soft=a:PreferNoSchedule", "a=b:NoSchedule", "c=d:NoExecute"]);
    let land = |tolerations: &[Toleration]| place(&gpu, tolerations, true, &soft, false);
    assert_eq!(land(&[exists("a"), exists("c")]), Placement::Lands);
    assert_eq!(land(&[exists("c")]), Placement::Refused(Reason::Taint(1)));
    assert_eq!(land(&[exists("a")]), Placement::Refused(Reason::Taint(2)));
    assert_eq!(land(&[]), Placement::Refused(Reason::Taint(1)));
    assert_eq!(
        place(
            &selector(&["pool=cpu"]),
            &[exists("a"), exists("c")],
            true,
            &soft,
            false
        ),
        Placement::Refused(Reason::Affinity)
    );
    let blocking: Vec<_> = soft.blocking_taints().map(|(at, _)| at).collect();
    assert_eq!(blocking, [1, 2]);
    assert_eq!(soft.tolerated_by(&[exists("a")], false), No);
    assert_eq!(soft.tolerated_by(&[exists("a"), exists("c")], false), Yes);
}

#[test]
fn what_is_not_known_is_no_verdict() {
    let gpu = selector(&["pool=gpu"]);
    let tainted = pool(&["a=b:NoSchedule"]);
    let unread = place(&gpu, &[], false, &tainted, false);
    assert!(is_unknown(&unread, "a=b:NoSchedule"), "{unread:?}");
    assert_eq!(
        place(&gpu, &[exists("a")], false, &tainted, false),
        Placement::Lands
    );

    let mut incomplete = pool(&["a=b:NoSchedule"]);
    incomplete.complete = false;
    incomplete.incomplete_because = Some("taints come from a variable".into());
    assert_eq!(incomplete.tolerated_by(&[exists("a")], false), Unknown);
    assert_eq!(incomplete.tolerated_by(&[], false), No);
    assert_eq!(
        place(&gpu, &[], true, &incomplete, false),
        Placement::Refused(Reason::Taint(0))
    );
    let unread = place(&gpu, &[exists("a")], true, &incomplete, false);
    assert!(is_unknown(&unread, "from a variable"), "{unread:?}");

    let templated = Toleration {
        value: Field::Unknown,
        ..exists("a")
    };
    let equal = Toleration {
        operator: field("Equal"),
        ..templated
    };
    let unread = place(&gpu, &[equal], true, &tainted, false);
    assert!(is_unknown(&unread, "could not be read"), "{unread:?}");

    let mut vague = pool(&["a=b:NoSchedule"]);
    vague.taints[0].taint.effect = Field::Unknown;
    assert_eq!(vague.blocking_taints().count(), 0);
    assert_eq!(vague.tolerated_by(&[], false), Unknown);
    assert_eq!(vague.tolerated_by(&[exists("a")], false), Yes);

    let somewhere = selector(&["kubernetes.io/os=linux"]);
    let unread = place(&somewhere, &[exists("a")], true, &tainted, false);
    assert!(is_unknown(&unread, "selected"), "{unread:?}");
    assert_eq!(
        place(&somewhere, &[], true, &tainted, false),
        Placement::Refused(Reason::Taint(0)),
        "no selection gets past the taint"
    );
}

#[test]
fn an_unread_taint_before_a_certain_one_does_not_hide_it() {
    let mut two = pool(&["a=b:NoSchedule", "c=d:NoSchedule"]);
    two.taints[0].taint.value = Field::Unknown;
    let equal = Toleration {
        key: field("a"),
        value: field("b"),
        ..Toleration::default()
    };
    let placement = place(&NodeSelection::default(), &[equal], true, &two, false);
    assert_eq!(placement, Placement::Refused(Reason::Taint(1)));
}

#[test]
fn startup_and_passing_taints_block_nobody_and_implied_ones_do() {
    let mut passing = pool(&[
        "example.com/starting:NoSchedule",
        "node.kubernetes.io/not-ready:NoSchedule",
        "readiness.k8s.io/network:NoSchedule",
        "karpenter.sh/disrupted:NoSchedule",
        "nvidia.com/gpu=present:NoSchedule",
    ]);
    passing.taints[0].origin = Origin::Startup;
    passing.taints[4].origin = Origin::Implied;
    let blocking: Vec<_> = passing.blocking_taints().map(|(at, _)| at).collect();
    assert_eq!(blocking, [4]);
    let nowhere = NodeSelection::default();
    assert_eq!(
        place(&nowhere, &[], true, &passing, false),
        Placement::Refused(Reason::Taint(4))
    );
    assert_eq!(
        place(&nowhere, &[exists("nvidia.com/gpu")], true, &passing, false),
        Placement::Lands
    );
}

#[test]
fn a_cordon_is_no_proof_unless_it_is_tolerated() {
    let mut node = pool(&[]);
    node.unschedulable = true;
    let anywhere = NodeSelection::default();
    assert!(is_unknown(
        &place(&anywhere, &[], true, &node, false),
        "cordoned"
    ));
    assert_eq!(
        place(&anywhere, &[exists("-")], true, &node, false),
        Placement::Lands
    );
}

#[test]
fn the_name_of_a_read_node_decides_match_fields() {
    let mut node = pool(&[]);
    node.object = Object {
        api_version: "v1".into(),
        kind: "Node".into(),
        namespace: None,
        name: Some("n1".into()),
    };
    let on = |name: &str| NodeSelection {
        required: Field::Is(vec![term(&[], &[&format!("metadata.name In {name}")])]),
        ..NodeSelection::default()
    };
    assert_eq!(place(&on("n1"), &[], true, &node, false), Placement::Lands);
    assert_eq!(
        place(&on("n2"), &[], true, &node, false),
        Placement::Refused(Reason::Affinity)
    );
    let made = place(&on("n1"), &[], true, &pool(&[]), false);
    assert!(is_unknown(&made, "selected"), "{made:?}");
}

#[test]
fn a_comparison_gets_past_a_taint_only_with_the_gate() {
    let rated = pool(&["sla=95:NoSchedule"]);
    let above = Toleration {
        key: field("sla"),
        operator: field("Gt"),
        value: field("90"),
        ..Toleration::default()
    };
    let anywhere = NodeSelection::default();
    let tolerations = [above];
    assert_eq!(
        place(&anywhere, &tolerations, true, &rated, true),
        Placement::Lands
    );
    assert_eq!(
        place(&anywhere, &tolerations, true, &rated, false),
        Placement::Refused(Reason::Taint(0))
    );
}
