//! The QoS class of a pod, computed from requests and limits as Kubernetes computes it when the pod is admitted.

use std::collections::BTreeMap;

use super::quantity::Quantity;

/// How a pod is treated when a node runs short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QosClass {
    /// Nothing is requested.
    BestEffort,
    /// Something is requested.
    Burstable,
    /// Every container requests just what limits it.
    Guaranteed,
}

impl QosClass {
    /// Kubernetes' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            QosClass::BestEffort => "BestEffort",
            QosClass::Burstable => "Burstable",
            QosClass::Guaranteed => "Guaranteed",
        }
    }
}

/// Amounts by name of the resource.
pub type Amounts = BTreeMap<String, Quantity>;

/// `resources` of a container or of a pod, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// `requests`.
    pub requests: Amounts,
    /// `limits`.
    pub limits: Amounts,
}

/// What the containers of a pod ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodResources {
    /// Of the pod as a whole; `Some` as soon as it is written, even if it is empty.
    pub pod: Option<Resources>,
    /// Of each container.
    pub containers: Vec<Resources>,
    /// Of each init container, and whether it is one that keeps running (`restartPolicy: Always`).
    pub init_containers: Vec<(Resources, bool)>,
}

/// The resources that decide.
const DECISIVE: [&str; 2] = ["cpu", "memory"];

impl Resources {
    /// What is limited and not requested is requested by default (`SetDefaults_Pod`).
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
    /// `ComputePodQOS`, after the API server's defaulting. Resources of the pod as a whole count as with the feature
    /// gate PodLevelResources, on by default since 1.34. `None` where amounts lie beyond 64 bits: how Kubernetes cuts down
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

    /// Whether all amounts together fit into 64 bits.
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

    /// Whether the pod is limited by the huge pages of its containers (`defaultHugePagePodLimits`).
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

    /// Names of extended resources that containers request, in order (`IsExtendedResourceName`). Limits count: they
    /// are requests by default.
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

/// Whether a resource is neither Kubernetes' own nor a name of the quota.
fn is_extended(name: &str) -> bool {
    name.contains('/')
        && !name.contains("kubernetes.io/")
        && !name.starts_with("requests.")
        && super::validation::is_label_key(&format!("requests.{name}")).is_ok()
}

/// `defaultPodRequests`: where the pod has limits, what it does not request itself is what its containers request, or
/// else its limit.
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

/// `AggregateContainerRequests`: containers run together, init containers one after the other.
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

/// What is decisive and more than nothing.
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
