//! What becomes of small kustomizations, and where its values come from.

use std::collections::BTreeMap;

use super::*;
use crate::source::SourceId;

/// Files in memory. The id of each is its position.
struct Memory(BTreeMap<&'static str, &'static str>);

impl Files for Memory {
    fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        let at = self.0.keys().position(|known| *known == path)?;
        let text = self.0.get(path)?;
        Some((SourceId(u32::try_from(at).unwrap()), (*text).to_owned()))
    }
}

/// The objects of the kustomization in `top`, as text, and what prevented building it.
fn build(files: &[(&'static str, &'static str)]) -> (Vec<Object>, Vec<String>) {
    let memory = Memory(files.iter().copied().collect());
    let library = Library::new(&memory);
    let path = library.form_at("top").unwrap();
    let built = library.build(&path);
    let troubles = library.troubles().into_iter().map(|one| one.why);
    let living = built.objects.iter().filter(|object| !object.gone);
    (living.cloned().collect(), troubles.collect())
}

fn text(object: &Object) -> String {
    object.value.write().text().to_owned()
}

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      nodeSelector:
        pool: a
      tolerations:
      - key: a
      - key: b
      containers:
      - name: one
        image: x
      - name: two
";

#[test]
fn a_patch_merges_maps_and_replaces_tolerations() {
    let (objects, troubles) = build(&[
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", WEB),
        (
            "top/kustomization.yaml",
            "resources: [../base]
namePrefix: x-
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          nodeSelector: {zone: z}
          tolerations:
          - key: c
          containers:
          - name: two
            image: new
          - name: one
            $patch: delete
",
        ),
    ]);
    assert_eq!(troubles, [""; 0]);
    let written = text(&objects[0]);
    assert!(
        written.contains("pool: \"a\"") && written.contains("zone: \"z\""),
        "{written}"
    );
    assert!(
        !written.contains("key: \"a\"") && written.contains("key: \"c\""),
        "{written}"
    );
    assert!(
        !written.contains("name: \"one\"") && written.contains("image: \"new\""),
        "{written}"
    );
    assert!(written.contains("name: \"x-web\""), "{written}");
    let replaced = &objects[0].replaced;
    assert_eq!(replaced.len(), 1);
    assert_eq!(
        replaced[0].path.last().map(|key| &**key),
        Some("tolerations")
    );
    assert_eq!(replaced[0].before.value.items().len(), 2);
    assert_eq!(replaced[0].before.key_at.source, SourceId(1));
    assert_eq!(replaced[0].after.key_at.source, SourceId(2));
}

#[test]
fn kustomizations_that_include_each_other_end() {
    let (_, troubles) = build(&[
        ("top/kustomization.yaml", "resources: [../base]"),
        ("base/kustomization.yaml", "resources: [../top]"),
    ]);
    assert_eq!(troubles, ["`../top` includes this kustomization again"]);
}

#[test]
fn a_missing_base_and_a_patch_that_does_not_apply_are_told() {
    let (objects, troubles) = build(&[
        ("top/web.yaml", WEB),
        (
            "top/kustomization.yaml",
            "resources: [web.yaml]
patches:
- target: {kind: Deployment}
  patch: |
    - op: remove
      path: /spec/template/spec/tolerations/7
- patch: |
    apiVersion: v1
    kind: Pod
    metadata: {name: gone}
",
        ),
    ]);
    assert_eq!(
        troubles,
        [
            "this operation does not apply: there is no `7` in the object",
            "its target, Pod `gone`, is not there",
        ]
    );
    assert!(objects[0].doubt.is_some());
}
