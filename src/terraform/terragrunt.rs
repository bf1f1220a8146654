//! Terragrunt's files: each calls one module with its inputs, and is read as that call.

use super::syntax::{Block, Body, Call, Expression, ExpressionKind};

/// How such files are called.
pub(super) const FILE: &str = "terragrunt.hcl";

/// The key of the inputs that may be an argument of the call itself.
const TAKEN: [&str; 7] = [
    "count",
    "for_each",
    "depends_on",
    "provider",
    "providers",
    "source",
    "version",
];

/// The call that a file stands for; none where it has no inputs or the inputs cannot be told apart. `inputs` is its
/// argument of that name with the place of the name, `terraform` its block. `is_deep` says that what it includes is merged
/// into them.
pub(super) fn call(
    path: &str,
    (name_at, inputs): ((u32, u32), Expression),
    terraform: Option<&Block>,
    is_deep: bool,
) -> Option<Block> {
    let mut attributes: Vec<_> = fields(inputs.kind)?
        .into_iter()
        .filter_map(|(key, value)| {
            let name: Box<str> = match key.kind {
                ExpressionKind::Text(name) | ExpressionKind::Name(name) => name,
                _ => return None,
            };
            let value = if is_deep { merged(value) } else { value };
            (!TAKEN.contains(&&*name)).then_some((name, key.at, value))
        })
        .collect();
    let source = terraform.and_then(|block| block.body.attribute("source"));
    let at = source.map_or(name_at, |source| source.at);
    // One that only a run knows is a module all the same, though nobody knows which.
    let known = source
        .and_then(Expression::plain_text)
        .unwrap_or("terragrunt");
    let known = known
        .strip_prefix("tfr://")
        .map_or(known, |registry| registry.trim_start_matches('/'));
    let source = Expression {
        kind: ExpressionKind::Text(known.into()),
        at,
    };
    attributes.push(("source".into(), at, source));
    let mut folders = path.rsplit('/').skip(1);
    Some(Block {
        name: "module".into(),
        labels: vec![folders.next().unwrap_or("terragrunt").into()],
        body: Body {
            attributes,
            blocks: Vec::new(),
        },
        at: (name_at.0, inputs.at.1),
        name_at,
    })
}

/// A value with something merged into it that does not stand in the file.
fn merged(value: Expression) -> Expression {
    let at = value.at;
    let call = Call {
        name: "deep_merge".into(),
        arguments: vec![value],
        spread: false,
    };
    Expression {
        kind: ExpressionKind::Call(Box::new(call)),
        at,
    }
}

/// The fields of an object, or of the last one that `merge` puts over others.
fn fields(inputs: ExpressionKind) -> Option<Vec<(Expression, Expression)>> {
    match inputs {
        ExpressionKind::Object(fields) => Some(fields),
        ExpressionKind::Call(call) => {
            let Call {
                name,
                mut arguments,
                spread,
            } = *call;
            let last = arguments.pop().filter(|_| &*name == "merge" && !spread)?;
            fields(last.kind)
        }
        _ => None,
    }
}
