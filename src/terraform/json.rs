//! Parses configuration in JSON (`*.tf.json`, `*.tfvars.json`) into the same tree.

use super::hcl;
use super::syntax::{Block, Body, Expression, ExpressionKind, File, Variable};
use crate::yaml::{Field, Kind, Node, Scalar};

/// Attributes that never contain blocks, whatever their value looks like, because they are maps in Terraform's own schema.
const NEVER_BLOCKS: [&str; 3] = ["for_each", "count", "source"];

/// The maximum nesting depth. Deeper values are not read.
const MAX_DEPTH: u32 = 64;

/// Reads a `.tf.json` document into `file`.
pub(super) fn read(root: Node<'_>, file: &mut File, wanted: &dyn Fn(&str) -> bool) {
    for field in root.fields() {
        let Some(name) = field.name() else { continue };
        for node in one_or_many(field.value) {
            match name {
                "variable" => {
                    for (name, body) in named(node) {
                        let variable = Variable {
                            default: body.get("default").map(expression),
                            // The type is a text in HCL notation, which says nothing about values here.
                            of_type: None,
                        };
                        file.variables.insert(name.into(), variable);
                    }
                }
                "locals" => {
                    for (name, value) in named(node) {
                        file.locals.insert(name.into(), expression(value));
                    }
                }
                "output" => {
                    for (name, body) in named(node) {
                        if let Some(value) = body.get("value") {
                            file.outputs.insert(name.into(), expression(value));
                        }
                    }
                }
                "resource" => {
                    for (of_type, instances) in named(node).filter(|(name, _)| wanted(name)) {
                        for instances in one_or_many(instances) {
                            for field in instances.fields() {
                                for body in one_or_many(field.value) {
                                    file.resources.push(block(
                                        "resource",
                                        &[of_type],
                                        &field,
                                        body,
                                        0,
                                    ));
                                }
                            }
                        }
                    }
                }
                "module" => {
                    for field in node.fields() {
                        for body in one_or_many(field.value) {
                            file.modules.push(block("module", &[], &field, body, 0));
                        }
                    }
                }
                "terraform" => {
                    file.has_backend |=
                        node.get("backend").is_some() || node.get("cloud").is_some();
                }
                _ => {}
            }
        }
    }
}

/// Reads a `.tfvars.json` document into `file`.
pub(super) fn read_values(root: Node<'_>, file: &mut File) {
    for (name, value) in named(root) {
        // Variables files have no interpolations.
        file.values.push((name.into(), literal(value)));
    }
}

fn one_or_many(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        Kind::Sequence => node.items().collect(),
        _ => vec![node],
    }
}

fn named<'a>(node: Node<'a>) -> impl Iterator<Item = (&'a str, Node<'a>)> {
    node.fields()
        .into_iter()
        .filter_map(|field| Some((field.name()?, field.value)))
}

fn at(node: Node<'_>) -> (u32, u32) {
    let span = node.span();
    (span.start, span.end)
}

/// JSON does not tell which fields of a body are blocks. Maps and lists stay values, which read the same. Only
/// `dynamic` and its contents must be blocks.
fn block(name: &str, labels: &[&str], field: &Field<'_>, node: Node<'_>, depth: u32) -> Block {
    let mut labels: Vec<Box<str>> = labels.iter().map(|label| (*label).into()).collect();
    labels.push(field.name().unwrap_or_default().into());
    let span = field.span();
    Block {
        name: name.into(),
        labels,
        body: body(node, depth),
        at: (span.start, span.end),
        name_at: at(field.key),
    }
}

fn body(node: Node<'_>, depth: u32) -> Body {
    let mut body = Body::default();
    if depth > MAX_DEPTH {
        return body;
    }
    let depth = depth + 1;
    for field in node.fields() {
        let Some(name) = field.name() else { continue };
        if name == "//" {
            continue;
        }
        let has_dynamic = !NEVER_BLOCKS.contains(&name)
            && one_or_many(field.value)
                .iter()
                .any(|item| item.get("dynamic").is_some());
        if name == "dynamic" {
            for dynamic in one_or_many(field.value) {
                for inner in dynamic.fields() {
                    for item in one_or_many(inner.value) {
                        body.blocks.push(dynamic_block(&inner, item, depth));
                    }
                }
            }
        } else if has_dynamic {
            for item in one_or_many(field.value) {
                body.blocks.push(Block {
                    labels: Vec::new(),
                    ..block(name, &[], &field, item, depth)
                });
            }
        } else {
            body.attributes
                .push((name.into(), at(field.key), expression(field.value)));
        }
    }
    body
}

fn dynamic_block(field: &Field<'_>, node: Node<'_>, depth: u32) -> Block {
    let mut dynamic = block("dynamic", &[], field, node, depth);
    let contents = node.get("content").map(one_or_many).unwrap_or_default();
    dynamic
        .body
        .attributes
        .retain(|(name, ..)| &**name != "content");
    dynamic
        .body
        .blocks
        .retain(|block| &*block.name != "content");
    for content in contents {
        dynamic.body.blocks.push(Block {
            name: "content".into(),
            labels: Vec::new(),
            body: body(content, depth),
            at: at(content),
            name_at: at(content),
        });
    }
    dynamic
}

fn read_value(
    node: Node<'_>,
    depth: u32,
    text: &dyn Fn(&str, (u32, u32)) -> ExpressionKind,
) -> Expression {
    let at = at(node);
    let kind = match node.kind() {
        _ if depth > MAX_DEPTH => ExpressionKind::Name("too-deeply-nested".into()),
        Kind::Sequence => ExpressionKind::List(
            node.items()
                .map(|item| read_value(item, depth + 1, text))
                .collect(),
        ),
        Kind::Mapping => ExpressionKind::Object(
            node.fields()
                .into_iter()
                .filter(|field| field.name() != Some("//"))
                .map(|field| {
                    let read = |node| read_value(node, depth + 1, text);
                    (read(field.key), read(field.value))
                })
                .collect(),
        ),
        Kind::Scalar => match node.scalar() {
            Some(Scalar::Null) | None => ExpressionKind::Null,
            Some(Scalar::Bool(value)) => ExpressionKind::Bool(value),
            #[allow(clippy::cast_precision_loss, reason = "as Terraform prints it, too")]
            Some(Scalar::Int(number)) => ExpressionKind::Number(number as f64),
            Some(Scalar::Float(number)) => ExpressionKind::Number(number),
            Some(Scalar::Str(written)) => text(written, at),
            Some(_) => text(node.raw().unwrap_or_default(), at),
        },
    };
    Expression { kind, at }
}

fn expression(node: Node<'_>) -> Expression {
    read_value(node, 0, &hcl::read_template)
}

fn literal(node: Node<'_>) -> Expression {
    read_value(node, 0, &|text, _| ExpressionKind::Text(text.into()))
}
