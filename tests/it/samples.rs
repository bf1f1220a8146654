//! Manifests shared by several tests.

/// A pool named gpu with the label `pool: gpu` and one hard taint.
pub const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {pool: gpu}}
    spec:
      taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]
";

/// A Deployment that selects the pool and does not tolerate its taint.
pub const BLOCKED: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
      containers: [{name: a, image: b}]
";
