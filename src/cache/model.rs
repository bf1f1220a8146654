//! How workloads, pools, notices and what they consist of are kept.

use super::bytes::{Reader, Stored, Writer};
use super::values::stored;
use crate::finding::{Because, Label, Object, Open};
use crate::model::Truth;
use crate::model::admission::PodTolerations;
use crate::model::annotations::NamespaceWord;
use crate::model::character::Character;
use crate::model::clouds::Clouds;
use crate::model::device::{DeviceEntry, PlacedDeviceEntry};
use crate::model::node_pool::{AutoscalerTemplate, NodePool, Origin, PoolTaint, Variant};
use crate::model::node_selection::{NodeLabels, NodeSelection, OtherLabels, Requirement, Term};
use crate::model::notice::{Notice, NoticeFields, NoticeKind, NoticeValue};
use crate::model::qos::QosClass;
use crate::model::refusal::Refusal;
use crate::model::taint::Taint;
use crate::model::toleration::Toleration;
use crate::model::workload::{
    Level, LocatedToleration, MoreTolerations, PodShape, Stands, Workload,
};

stored!(struct Object { api_version, kind, namespace, name });
stored!(struct Label { span, message });
stored!(struct Open { span, object, because });

stored!(enum Because {
    0 => Template,
    1 => BrokenTemplate(message),
    2 => Jsonnet,
    3 => Program,
    4 => Binary,
    5 => Unusable(why),
    6 => OpenKind,
    7 => OpenPod,
    8 => Own(why),
    9 => Written(span),
    10 => Terraform(what),
    11 => Patched(span),
    12 => Kustomize(why),
    13 => Delivery(why),
    14 => Policy(what, span),
    15 => ExtendedResource(name),
    16 => OwnTaints(why),
    17 => OwnLabels,
    18 => OwnValues,
    19 => UnreadTolerations(span),
    20 => Cluster(name, span),
// These come from comparing files.
} else Because::RuntimeClass(..) | Because::Namespace(..) | Because::Pool(..));

stored!(enum Truth { 0 => No, 1 => Unknown, 2 => Yes });
stored!(enum QosClass { 0 => BestEffort, 1 => Burstable, 2 => Guaranteed });
stored!(enum Level { 0 => Typed, 1 => Custom, 2 => Chart, 3 => Values, 4 => Other });
stored!(enum Stands { 0 => Alone, 1 => InPart, 2 => ForOthers });
stored!(enum Origin { 0 => Declared, 1 => Startup, 2 => Implied });
stored!(enum OtherLabels { 0 => Possible, 1 => WellKnownOnly, 2 => None });
stored!(enum DeviceEntry { 0 => Taint(taint), 1 => Toleration(toleration) });
stored!(enum MoreTolerations { 0 => TemplateDocument, 1 => Template(why), 2 => InPart, 3 => Other(why) });
stored!(enum Refusal {
    0 => NamespaceSelector,
    1 => Whitelist,
    2 => Annotation { plugin, why },
    3 => RuntimeClassSelector { key, theirs, own },
});

stored!(struct Toleration { key, operator, value, effect, toleration_seconds });
stored!(struct Taint { key, value, effect });
stored!(struct Requirement { key, operator, values });
stored!(struct Term { expressions, fields });
stored!(struct NodeSelection { node_selector, required, unknown, partial });
stored!(struct NodeLabels { labels, requirements, others });
stored!(struct LocatedToleration { entry, path, fields });
stored!(struct PlacedDeviceEntry { entry, located, object });
stored!(struct PoolTaint { taint, origin, span, path, spelled, fields });
stored!(struct AutoscalerTemplate { taints, labels, complete });
stored!(struct Variant { name, at });
stored!(struct NamespaceWord { default_tolerations, whitelist, node_selector });

stored!(struct Character {
    controller, agent, cluster_part, bundled, managed, dumped, preferred,
});

stored!(struct NodePool {
    name, provider, admission, cluster, variant, labels, taints, complete, incomplete_because, open_keys, made_on_demand,
    open_labels, unschedulable, weak, removes, autoscaler, span, name_span, object,
});

stored!(struct PodShape {
    kind, api_group, level, tolerations, possible, on_pods, unread_tolerations, selection, prefers, node_name,
    priority_class, runtime_class, host_network, extended_resources, resources_unread, qos_class, system, on_openshift,
    refused, character,
});

stored!(struct Workload {
    object, labels, annotations, shape, source, span, path, component, pods_in, list, located, selectors, stands, delivered_to,
});

stored!(struct Notice { kind, level, object, span, path, related });

/// The entries after admission, which are not known before all files are.
impl Stored for PodTolerations {
    fn put(&self, to: &mut Writer) {
        if *self != PodTolerations::default() {
            to.refuse();
        }
    }

    fn get(_: &mut Reader<'_>) -> Option<Self> {
        Some(PodTolerations::default())
    }
}

impl Stored for Clouds {
    fn put(&self, to: &mut Writer) {
        self.number().put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        u16::get(from).map(Clouds::of_number)
    }
}

impl Stored for NoticeKind {
    fn put(&self, to: &mut Writer) {
        to.text(self.as_str());
        for (_, value) in self.fields() {
            match value {
                NoticeValue::Text(text) => to.text(text),
                NoticeValue::Bool(value) => value.put(to),
            }
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        NoticeKind::named(from.text()?, from)
    }
}

impl NoticeFields for Reader<'_> {
    fn text(&mut self) -> Option<String> {
        Stored::get(self)
    }

    fn fixed(&mut self) -> Option<&'static str> {
        Stored::get(self)
    }

    fn bool(&mut self) -> Option<bool> {
        Stored::get(self)
    }
}
