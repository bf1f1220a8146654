//! A generated monorepo, the same for the same seed: plain manifests, kustomizations, charts with templates and values,
//! releases, Terraform and what else stands in a repository, in the shares that real repositories have.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// A generator of numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// Writes a monorepo with about this many files.
pub fn write(folder: &Path, files: usize, seed: u64) -> io::Result<()> {
    let mut numbers = Numbers(seed);
    let mut left = files;
    let mut at = 0;
    write_one(folder, "pools/pools.yaml", &pools())?;
    while left > 0 {
        let app = format!("team-{}/app-{at}", at % 97);
        let written = match numbers.below(100) {
            0..=44 => manifests(folder, &app, &mut numbers)?,
            45..=64 => overlays(folder, &app, &mut numbers)?,
            65..=79 => chart(folder, &app, &mut numbers)?,
            80..=89 => release(folder, &app, &mut numbers)?,
            90..=94 => terraform(folder, &app, &mut numbers)?,
            _ => others(folder, &app, &mut numbers)?,
        };
        left = left.saturating_sub(written);
        at += 1;
    }
    Ok(())
}

fn write_one(folder: &Path, path: &str, text: &str) -> io::Result<()> {
    let path = folder.join(path);
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(path, text)
}

fn pools() -> String {
    let pool = |at: usize| {
        format!(
            "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: pool-{at}\nspec:\n  template:\n    metadata:\n      \
             labels:\n        example.com/pool: pool-{at}\n    spec:\n      taints:\n        - key: example.com/dedicated\n          \
             value: pool-{at}\n          effect: NoSchedule\n      requirements:\n        - key: kubernetes.io/arch\n          \
             operator: In\n          values: [amd64]\n"
        )
    };
    (0..12).map(pool).collect()
}

/// A pod template as most have it; one in ten tolerates something.
fn pod(numbers: &mut Numbers, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let mut text = String::new();
    let pool = numbers.below(12);
    match numbers.below(10) {
        0 => {
            let _ = writeln!(
                text,
                "{blanks}tolerations:\n{blanks}  - key: example.com/dedicated\n{blanks}    operator: Equal\n{blanks}    value: pool-{pool}\n{blanks}    effect: NoSchedule\n{blanks}nodeSelector:\n{blanks}  example.com/pool: pool-{pool}"
            );
        }
        1 => {
            let _ = writeln!(
                text,
                "{blanks}nodeSelector:\n{blanks}  kubernetes.io/os: linux"
            );
        }
        _ => {}
    }
    let _ = writeln!(text, "{blanks}containers:");
    for at in 0..numbers.below(2) + 1 {
        let _ = writeln!(
            text,
            "{blanks}  - name: main-{at}\n{blanks}    image: registry.example.com/team/app:1.{at}.0\n{blanks}    args: [\"--listen\", \":8080\"]\n{blanks}    env:\n{blanks}      - name: LOG_LEVEL\n{blanks}        value: info\n{blanks}    ports:\n{blanks}      - name: http\n{blanks}        containerPort: 8080\n{blanks}    resources:\n{blanks}      requests:\n{blanks}        cpu: 100m\n{blanks}        memory: 128Mi\n{blanks}      limits:\n{blanks}        memory: 256Mi\n{blanks}    livenessProbe:\n{blanks}      httpGet:\n{blanks}        path: /healthz\n{blanks}        port: http"
        );
    }
    text
}

fn deployment(name: &str, numbers: &mut Numbers) -> String {
    let pod = pod(numbers, 6);
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: web\n  labels:\n    app.kubernetes.io/name: {name}\nspec:\n  \
         replicas: 2\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: {name}\n  template:\n    metadata:\n      labels:\n        \
         app.kubernetes.io/name: {name}\n    spec:\n{pod}"
    )
}

fn other_object(name: &str, numbers: &mut Numbers) -> String {
    match numbers.below(5) {
        0 => format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\n  namespace: web\nspec:\n  type: ClusterIP\n  ports:\n    - name: http\n      \
             port: 80\n      targetPort: http\n  selector:\n    app.kubernetes.io/name: {name}\n"
        ),
        1 => format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  config.yaml: |\n    server:\n      port: 8080\n    database:\n      \
             host: db.example.com\n      pool: 10\n"
        ),
        2 => format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {name}\nrules:\n  - apiGroups: [\"\"]\n    resources: [\"pods\", \
             \"configmaps\"]\n    verbs: [\"get\", \"list\", \"watch\"]\n"
        ),
        3 => format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: {name}\nspec:\n  rules:\n    - host: {name}.example.com\n      http:\n        \
             paths:\n          - path: /\n            pathType: Prefix\n            backend:\n              service:\n                name: {name}\n                \
             port:\n                  name: http\n"
        ),
        _ => format!("apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {name}\n"),
    }
}

fn manifests(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let name = app.rsplit('/').next().unwrap_or(app);
    write_one(
        folder,
        &format!("{app}/deployment.yaml"),
        &deployment(name, numbers),
    )?;
    let count = numbers.below(5) + 1;
    for at in 0..count {
        let objects: Vec<String> = (0..numbers.below(2) + 1)
            .map(|_| other_object(name, numbers))
            .collect();
        write_one(
            folder,
            &format!("{app}/object-{at}.yaml"),
            &objects.join("---\n"),
        )?;
    }
    Ok(count + 1)
}

fn overlays(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let name = app.rsplit('/').next().unwrap_or(app);
    let kustomization =
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";
    write_one(
        folder,
        &format!("{app}/base/deployment.yaml"),
        &deployment(name, numbers),
    )?;
    write_one(
        folder,
        &format!("{app}/base/service.yaml"),
        &other_object(name, numbers),
    )?;
    let base = format!("{kustomization}  - deployment.yaml\n  - service.yaml\n");
    write_one(folder, &format!("{app}/base/kustomization.yaml"), &base)?;
    let count = numbers.below(3) + 1;
    for at in 0..count {
        let overlay = format!("{kustomization}  - ../../base\npatches:\n  - path: patch.yaml\n");
        let patch = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: web\nspec:\n  replicas: {at}\n"
        );
        write_one(
            folder,
            &format!("{app}/overlays/env-{at}/kustomization.yaml"),
            &overlay,
        )?;
        write_one(
            folder,
            &format!("{app}/overlays/env-{at}/patch.yaml"),
            &patch,
        )?;
    }
    Ok(3 + 2 * count)
}

fn chart(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let name = app.rsplit('/').next().unwrap_or(app);
    let template = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{{{ include \"{name}.fullname\" . }}}}\n  labels:\n    {{{{- include \"{name}.labels\" . | nindent 4 }}}}\nspec:\n  \
         {{{{- if not .Values.autoscaling.enabled }}}}\n  replicas: {{{{ .Values.replicaCount }}}}\n  {{{{- end }}}}\n  template:\n    metadata:\n      labels:\n        {{{{- include \"{name}.labels\" . | nindent 8 }}}}\n    \
         spec:\n      {{{{- with .Values.nodeSelector }}}}\n      nodeSelector:\n        {{{{- toYaml . | nindent 8 }}}}\n      {{{{- end }}}}\n      {{{{- with .Values.tolerations }}}}\n      tolerations:\n        \
         {{{{- toYaml . | nindent 8 }}}}\n      {{{{- end }}}}\n      containers:\n        - name: {{{{ .Chart.Name }}}}\n          image: \"{{{{ .Values.image.repository }}}}:{{{{ .Values.image.tag }}}}\"\n          resources:\n            \
         {{{{- toYaml .Values.resources | nindent 12 }}}}\n"
    );
    let service = format!(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{{{ include \"{name}.fullname\" . }}}}\nspec:\n  type: {{{{ .Values.service.type }}}}\n  ports:\n    - port: {{{{ .Values.service.port }}}}\n"
    );
    let helpers = format!(
        "{{{{- define \"{name}.fullname\" -}}}}\n{{{{- printf \"%s-%s\" .Release.Name .Chart.Name | trunc 63 -}}}}\n{{{{- end -}}}}\n{{{{- define \"{name}.labels\" -}}}}\napp.kubernetes.io/name: {{{{ .Chart.Name }}}}\n{{{{- end -}}}}\n"
    );
    let values = format!(
        "replicaCount: {}\nimage:\n  repository: registry.example.com/{name}\n  tag: 1.0.0\nservice:\n  type: ClusterIP\n  port: 80\nautoscaling:\n  enabled: false\nresources: {{}}\nnodeSelector: {{}}\ntolerations: []\naffinity: {{}}\n",
        numbers.below(4)
    );
    let manifest = format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\nappVersion: 1.0.0\n");
    for (path, text) in [
        ("Chart.yaml", &manifest),
        ("values.yaml", &values),
        ("templates/_helpers.tpl", &helpers),
        ("templates/deployment.yaml", &template),
        ("templates/service.yaml", &service),
    ] {
        write_one(folder, &format!("{app}/{path}"), text)?;
    }
    Ok(5)
}

fn release(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let name = app.rsplit('/').next().unwrap_or(app);
    let tolerations = match numbers.below(4) {
        0 => {
            "    tolerations:\n      - key: example.com/dedicated\n        operator: Exists\n        effect: NoSchedule\n"
        }
        _ => "",
    };
    let text = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: {name}\nspec:\n  interval: 30m\n  chart:\n    spec:\n      chart: {name}\n      version: 1.2.3\n      \
         sourceRef:\n        kind: HelmRepository\n        name: charts\n  values:\n    replicaCount: 2\n    ingress:\n      enabled: true\n{tolerations}"
    );
    write_one(folder, &format!("{app}/release.yaml"), &text)?;
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - release.yaml\n";
    write_one(folder, &format!("{app}/kustomization.yaml"), kustomization)?;
    Ok(2)
}

fn terraform(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let name = app.rsplit('/').next().unwrap_or(app);
    let main = format!(
        "resource \"aws_eks_node_group\" \"main\" {{\n  cluster_name    = var.cluster\n  node_group_name = \"{name}\"\n  labels = {{\n    \"example.com/pool\" = \"{name}\"\n  }}\n  taint {{\n    \
         key    = \"example.com/dedicated\"\n    value  = \"pool-{}\"\n    effect = \"NO_SCHEDULE\"\n  }}\n}}\n\nresource \"aws_iam_role\" \"node\" {{\n  name = \"{name}-node\"\n}}\n",
        numbers.below(12)
    );
    write_one(folder, &format!("{app}/main.tf"), &main)?;
    write_one(
        folder,
        &format!("{app}/variables.tf"),
        "variable \"cluster\" {\n  type    = string\n  default = \"prod\"\n}\n",
    )?;
    Ok(2)
}

fn others(folder: &Path, app: &str, numbers: &mut Numbers) -> io::Result<usize> {
    let line = "Some words about this part of the system, and what to do if it fails.\n";
    write_one(
        folder,
        &format!("{app}/README.md"),
        &line.repeat(numbers.below(40) + 5),
    )?;
    write_one(
        folder,
        &format!("{app}/main.go"),
        &"func main() { run() }\n".repeat(numbers.below(200) + 5),
    )?;
    write_one(
        folder,
        &format!("{app}/package.json"),
        "{\"name\": \"app\", \"version\": \"1.0.0\", \"private\": true}\n",
    )?;
    Ok(3)
}
