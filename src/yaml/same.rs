//! Compares the meaning of two texts, for changes that must not affect it, such as an added comment.

use super::node::{Field, Kind, Node};

/// Whether two trees have the same values in the same notation and order. Ignores fields for which `left_out` is true.
pub fn same(one: Node<'_>, other: Node<'_>, left_out: &dyn Fn(&Field<'_>) -> bool) -> bool {
    let mut pending = vec![(one, other)];
    while let Some((one, other)) = pending.pop() {
        let alike = one.kind() == other.kind()
            && one.style() == other.style()
            && one.raw() == other.raw()
            && one.is_alias() == other.is_alias()
            && one.has_local_tag() == other.has_local_tag();
        if !alike {
            return false;
        }
        // The target of an alias is compared where it is written.
        if one.is_alias() || one.kind() == Kind::Scalar {
            continue;
        }
        let parts = |node: Node<'_>| -> usize {
            let fields = node.written_fields().filter(|field| !left_out(field));
            fields.count() + node.items().count()
        };
        if parts(one) != parts(other) {
            return false;
        }
        let fields = |node| Node::written_fields(node).filter(|field| !left_out(field));
        for (one, other) in fields(one).zip(fields(other)) {
            pending.push((one.key, other.key));
            pending.push((one.value, other.value));
        }
        pending.extend(one.items().zip(other.items()));
    }
    true
}
