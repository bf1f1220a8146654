//! Computes the QoS class of a pod from requests and limits, as Kubernetes does when it admits the pod.

use std::collections::BTreeMap;

use super::quantity::Quantity;

/// How a pod is treated when a node runs out of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QosClass {
    /// The pod requests nothing.
    BestEffort,
    /// The pod requests something.
    Burstable,
    /// The requests of every container equal its limits.
    Guaranteed,
}

impl QosClass {
    /// Returns Kubernetes' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            QosClass::BestEffort => "BestEffort",
            QosClass::Burstable => "Burstable",
            QosClass::Guaranteed => "Guaranteed",
        }
    }
}

/// Amounts by resource name.
pub type Amounts = BTreeMap<String, Quantity>;

/// `resources` of a container or of a pod, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// `requests`.
    pub requests: Amounts,
    /// `limits`.
    pub limits: Amounts,
}

/// The resources that a pod requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodResources {
    /// The resources of the pod as a whole; `Some` if present, even if empty.
    pub pod: Option<Resources>,
    /// The resources of each container.
    pub containers: Vec<Resources>,
    /// The resources of each init container, and whether it keeps running (`restartPolicy: Always`).
    pub init_containers: Vec<(Resources, bool)>,
}

/// The resources that determine the QoS class.
const DECISIVE: [&str; 2] = ["cpu", "memory"];

impl Resources {
    /// Returns the requests after defaulting: limits are the default requests (`SetDefaults_Pod`).
    fn with_defaults(&self) -> Resources {
        let mut requests = self.limits.clone();
        requests.extend(self.requests.iter().map(|(name, one)| (name.clone(), *one)));
        Resources {
            requests,
            limits: self.limits.clone(),
        }
    }
}

impl PodResources {
    /// Implements `ComputePodQOS`, after the API server's defaulting. Pod-level resources count as with the feature gate
    /// PodLevelResources, on by default since 1.34. Returns `None` if amounts exceed 64 bits: the way Kubernetes truncates
    /// such sums is not modelled.
    pub fn qos_class(&self) -> Option<QosClass> {
        if !self.is_bounded() {
            return None;
        }
        let containers: Vec<Resources> = self
            .containers
            .iter()
            .map(Resources::with_defaults)
            .collect();
        let init: Vec<(Resources, bool)> = self
            .init_containers
            .iter()
            .map(|(one, stays)| (one.with_defaults(), *stays))
            .collect();
        if let Some(pod) = &self.pod {
            let is_limited = !pod.limits.is_empty() || self.huge_pages_limit(pod);
            let requests = if is_limited {
                positive(&pod_requests(pod, &containers, &init))
            } else {
                positive(&pod.requests)
            };
            let limits = positive(&pod.limits);
            let limited = !is_limited || DECISIVE.iter().all(|name| limits.contains_key(*name));
            return Some(class(&requests, &limits, limited));
        }
        let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
        let mut limited = true;
        for one in containers.iter().chain(init.iter().map(|(one, _)| one)) {
            add(&mut requests, &positive(&one.requests));
            let own = positive(&one.limits);
            limited &= DECISIVE.iter().all(|name| own.contains_key(*name));
            add(&mut limits, &own);
        }
        Some(class(&requests, &limits, limited))
    }

    /// Whether the sum of all amounts fits into 64 bits.
    fn is_bounded(&self) -> bool {
        let init = self.init_containers.iter().map(|(one, _)| one);
        let amounts = self
            .containers
            .iter()
            .chain(init)
            .chain(&self.pod)
            .flat_map(|one| one.requests.values().chain(one.limits.values()));
        let sum = amounts.fold(0_i128, |sum, one| {
            sum.saturating_add(one.0.saturating_abs())
        });
        sum < i128::from(i64::MAX) * 1000
    }

    /// Whether the huge pages of its containers limit the pod (`defaultHugePagePodLimits`).
    fn huge_pages_limit(&self, pod: &Resources) -> bool {
        let init = self.init_containers.iter().map(|(one, _)| one);
        let mut limits = self
            .containers
            .iter()
            .chain(init)
            .flat_map(|one| one.limits.keys());
        !pod.requests.is_empty()
            && limits.any(|name| name.starts_with("hugepages-") && !pod.requests.contains_key(name))
    }

    /// Returns the names of extended resources that containers request, sorted (`IsExtendedResourceName`). Limits count
    /// too, because they are the default requests.
    pub fn extended_resources(&self) -> impl Iterator<Item = &str> {
        let init = self.init_containers.iter().map(|(one, _)| one);
        self.containers
            .iter()
            .chain(init)
            .flat_map(|one| one.requests.keys().chain(one.limits.keys()))
            .map(String::as_str)
            .filter(|name| is_extended(name))
    }
}

/// Whether a resource is not one of Kubernetes' own and not a quota name.
fn is_extended(name: &str) -> bool {
    name.contains('/')
        && !name.contains("kubernetes.io/")
        && !name.starts_with("requests.")
        && super::validation::is_label_key(&format!("requests.{name}")).is_ok()
}

/// Implements `defaultPodRequests`: if the pod has limits, a missing request of the pod defaults to what its containers
/// request, or else to its limit.
fn pod_requests(pod: &Resources, containers: &[Resources], init: &[(Resources, bool)]) -> Amounts {
    let mut requests = pod.requests.clone();
    let of_containers = aggregate(containers, init);
    for name in DECISIVE {
        let found = of_containers.get(name).or_else(|| pod.limits.get(name));
        if let Some(amount) = found {
            requests.entry(name.to_owned()).or_insert(*amount);
        }
    }
    requests
}

/// Implements `AggregateContainerRequests`: containers run in parallel, init containers in sequence.
fn aggregate(containers: &[Resources], init: &[(Resources, bool)]) -> Amounts {
    let mut together = Amounts::new();
    for one in containers {
        add(&mut together, &one.requests);
    }
    let (mut staying, mut most) = (Amounts::new(), Amounts::new());
    for (one, stays) in init {
        let mut at_once = staying.clone();
        add(&mut at_once, &one.requests);
        if *stays {
            add(&mut together, &one.requests);
            staying.clone_from(&at_once);
        }
        raise(&mut most, &at_once);
    }
    raise(&mut together, &most);
    together
}

/// Returns the amounts of the decisive resources that are greater than zero.
fn positive(amounts: &Amounts) -> Amounts {
    amounts
        .iter()
        .filter(|(name, amount)| DECISIVE.contains(&name.as_str()) && **amount > Quantity(0))
        .map(|(name, amount)| (name.clone(), *amount))
        .collect()
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let entry = sum.entry(name.clone()).or_default();
        entry.0 = entry.0.saturating_add(amount.0);
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let entry = most.entry(name.clone()).or_insert(*amount);
        *entry = (*entry).max(*amount);
    }
}

fn class(requests: &Amounts, limits: &Amounts, limited: bool) -> QosClass {
    if requests.is_empty() && limits.is_empty() {
        QosClass::BestEffort
    } else if limited && requests == limits {
        QosClass::Guaranteed
    } else {
        QosClass::Burstable
    }
}
