//! Kustomizations that are made on purpose.

use std::collections::BTreeMap;

/// A Deployment that the cases patch.
const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  template:
    spec:
      nodeSelector: &selector
        pool: a
        zone:
      tolerations:
      - key: a
        operator: Exists
      - {key: b, value: 'true', effect: NoSchedule}
      topologySpreadConstraints:
      - topologyKey: zone
        whenUnsatisfiable: DoNotSchedule
        maxSkew: 1
      containers:
      - name: one
      - name: two
";

/// A custom resource with taints.
const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: pool
spec:
  template:
    spec:
      taints:
      - key: a
        effect: NoSchedule
      startupTaints:
      - key: s
        effect: NoExecute
";

/// The patches of a kustomization with `web.yaml` and `pool.yaml`.
const PATCHES: &[&str] = &[
    "patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      template:
        spec:
          nodeSelector:
            pool: null
            zone: z
          tolerations:
          - key: c
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {tolerations: [{$patch: replace}, {key: c}]}}}
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {tolerations: [{$patch: delete, key: a}]}}}
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {tolerations: null, nodeSelector: {$patch: replace, x: 'y'}}}}
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {nodeSelector: {$patch: delete}, containers: [{name: two, $patch: delete}]}}}
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          topologySpreadConstraints:
          - {topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 2}
          - {topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, maxSkew: 3}
",
    "patches:
- target: {kind: Deploy.*, name: we}
  patch: |-
    - {op: remove, path: /spec}
- target: {kind: Deploy.*, name: we.?}
  patch: |-
    - op: add
      path: /spec/template/spec/tolerations/-
      value: {key: c, operator: Exists}
    - op: replace
      path: /spec/template/spec/tolerations/0/key
      value: d
    - op: remove
      path: /spec/template/spec/tolerations/-2
    - op: add
      path: /spec/template/spec/nodeSelector/example.com~1pool
      value: 'yes'
    - op: move
      from: /spec/template/spec/nodeSelector/pool
      path: /spec/template/spec/nodeSelector/other
    - op: copy
      from: /spec/template/spec/tolerations/0
      path: /spec/template/spec/tolerations/0
    - op: test
      path: /kind
      value: Deployment
",
    "patches:
- target: {kind: Deployment}
  patch: |-
    - op: add
      path: /spec/template/spec/affinity/nodeAffinity
      value: {}
",
    "patchesJson6902:
- target: {group: apps, version: v1, kind: Deployment, name: web}
  patch: |-
    - op: replace
      path: /spec/template/spec/tolerations
      value: []
",
    "patchesStrategicMerge:
- |-
  apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: pool}
  spec:
    template:
      spec:
        taints: [{key: b, effect: NoExecute}]
        startupTaints: []
",
    "patches:
- target: {labelSelector: 'app in (web, api)'}
  patch: |-
    apiVersion: whatever/v7
    kind: Deployment
    metadata: {name: anything}
    spec: {template: {spec: {nodeName: node-a}}}
",
    "namePrefix: x-
nameSuffix: -y
namespace: shop
commonLabels: {tier: front}
patches:
- target: {name: web, namespace: default}
  patch: '{kind: Deployment, apiVersion: apps/v1, metadata: {name: web}, spec: {template: {spec: {hostNetwork: true}}}}'
patchesJson6902:
- target: {version: v1, kind: Deployment, name: x-web-y, labelSelector: tier=front}
  patch: '[{op: add, path: /spec/template/spec/priorityClassName, value: high}]'
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    $patch: delete
",
    "patches:
- patch: |-
    apiVersion: extensions/v1beta1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {nodeName: node-a}}}
",
    "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {tolerations: {key: a}}}}
",
    "replacements:
- source: {kind: NodePool, fieldPath: spec.template.spec.taints.0.key}
  targets:
  - select: {kind: Deployment}
    fieldPaths:
    - spec.template.spec.tolerations.[key=a].key
    - spec.template.spec.nodeSelector.pool
  - select: {kind: Deployment}
    fieldPaths: [spec.template.spec.schedulerName]
    options: {create: true}
",
    "patches:
- target: {kind: NodePool}
  options: {allowNameChange: true}
  patch: |-
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: other}
    spec: {template: {spec: {taints: null}}}
- target: {kind: NodePool, name: other}
  patch: '[{op: add, path: /spec/template/spec/nodeName, value: node-a}]'
",
];

/// All cases: files, and the folder of the kustomization.
pub fn cases() -> Vec<(BTreeMap<String, String>, String)> {
    let own = |text: &str| text.to_owned();
    let mut cases = Vec::new();
    for patches in PATCHES {
        let files = BTreeMap::from([
            (
                own("base/kustomization.yaml"),
                own("resources:\n- web.yaml\n- pool.yaml\n"),
            ),
            (own("base/web.yaml"), own(WEB)),
            (own("base/pool.yaml"), own(POOL)),
            (
                own("top/kustomization.yaml"),
                format!("resources:\n- ../base\n{patches}"),
            ),
        ]);
        cases.push((files, own("top")));
    }
    cases
}
