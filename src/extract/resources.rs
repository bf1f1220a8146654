//! Requests and limits of a pod template, which determine its QoS class and its extended resources.

use super::read::{is_placeholder, is_template_action};
use crate::model::qos::{Amounts, PodResources, Resources};
use crate::model::quantity::Quantity;
use crate::yaml::{Kind, Node, Scalar};

/// The requests and limits of the containers of a pod, as far as they could be read.
#[derive(Debug, Default)]
pub struct ReadResources {
    /// What could be read. Unreadable amounts count as zero.
    pub resources: PodResources,
    /// Whether something could not be read.
    pub unread: bool,
}

/// Reads requests and limits of a pod spec.
pub fn read_resources(pod: Node<'_>) -> ReadResources {
    let mut read = ReadResources::default();
    if let Some(own) = pod.get("resources").filter(|node| !node.is_null()) {
        let own = read.of(own);
        read.resources.pod = Some(own);
    }
    for container in read.items(pod, "containers") {
        let one = read.of_container(container);
        read.resources.containers.push(one);
    }
    for container in read.items(pod, "initContainers") {
        let one = read.of_container(container);
        let stays = match container.get("restartPolicy") {
            None => false,
            Some(policy) => {
                read.unread |= policy.raw().is_none_or(is_placeholder);
                policy.raw() == Some("Always")
            }
        };
        read.resources.init_containers.push((one, stays));
    }
    read
}

impl ReadResources {
    fn items<'a>(&mut self, pod: Node<'a>, name: &str) -> Vec<Node<'a>> {
        let Some(list) = pod.get(name).filter(|list| !list.is_null()) else {
            return Vec::new();
        };
        if list.kind() != Kind::Sequence {
            self.unread = true;
            return Vec::new();
        }
        let items: Vec<_> = list.items().collect();
        self.unread |= items
            .iter()
            .any(|item| item.kind() != Kind::Mapping || is_template_action(*item));
        items
    }

    fn of_container(&mut self, container: Node<'_>) -> Resources {
        match container.get("resources") {
            Some(resources) if !resources.is_null() => self.of(resources),
            _ => Resources::default(),
        }
    }

    fn of(&mut self, resources: Node<'_>) -> Resources {
        if resources.kind() != Kind::Mapping || is_template_action(resources) {
            self.unread = true;
            return Resources::default();
        }
        Resources {
            requests: self.amounts(resources, "requests"),
            limits: self.amounts(resources, "limits"),
        }
    }

    fn amounts(&mut self, resources: Node<'_>, name: &str) -> Amounts {
        let mut amounts = Amounts::new();
        let Some(map) = resources.get(name).filter(|map| !map.is_null()) else {
            return amounts;
        };
        if map.kind() != Kind::Mapping || is_template_action(map) {
            self.unread = true;
            return amounts;
        }
        for field in map.fields() {
            let Some(resource) = field.name().filter(|name| !is_placeholder(name)) else {
                self.unread = true;
                continue;
            };
            let amount = match field.value.scalar() {
                Some(Scalar::Int(number)) => Quantity::parse(&number.to_string()),
                // A null amount is zero.
                Some(Scalar::Null) => Some(Quantity(0)),
                Some(_) => field.value.raw().and_then(Quantity::parse),
                None => None,
            };
            self.unread |= amount.is_none();
            amounts.insert(resource.to_owned(), amount.unwrap_or_default());
        }
        amounts
    }
}
