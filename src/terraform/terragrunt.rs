//! Terragrunt files: each calls one module with its inputs, and is read as that call.

use super::syntax::{Block, Body, Expression, ExpressionKind, Given, Include};

/// The name of such files.
pub(super) const FILE: &str = "terragrunt.hcl";

/// The source of a call that is only known at run time, or that comes from an included file.
const NO_SOURCE: &str = "terragrunt";

/// Whether the called module is unknown from the call alone.
pub(super) fn lacks_source(call: &Block) -> bool {
    let source = call.body.attribute("source");
    source.and_then(Expression::plain_text) == Some(NO_SOURCE)
}

/// Returns the call for a file. `inputs` is its argument of that name with the place of the name, `terraform` its
/// block. A file without inputs of its own may get some from the files that it includes, or be included for its source.
pub(super) fn call(
    path: &str,
    inputs: Option<((u32, u32), Expression)>,
    terraform: Option<&Block>,
    includes: Vec<Include>,
) -> Option<Block> {
    let source = terraform.and_then(|block| block.body.attribute("source"));
    let (name_at, inputs) = inputs.or_else(|| {
        let include = includes.first().map(|include| include.at);
        let at = include.or(source.map(|source| source.at))?;
        let kind = ExpressionKind::Object(Vec::new());
        Some((at, Expression { kind, at }))
    })?;
    let at = source.map_or(name_at, |source| source.at);
    // A source that is only known at run time still calls a module, but an unknown one.
    let dynamic = source
        .filter(|source| source.plain_text().is_none())
        .cloned();
    let known = source.and_then(Expression::plain_text).unwrap_or(NO_SOURCE);
    let known = known
        .strip_prefix("tfr://")
        .map_or(known, |registry| registry.trim_start_matches('/'));
    let source = Expression {
        kind: ExpressionKind::Text(known.into()),
        at,
    };
    let mut folders = path.rsplit('/').skip(1);
    Some(Block {
        name: "module".into(),
        labels: vec![folders.next().unwrap_or("terragrunt").into()],
        at: (name_at.0, inputs.at.1),
        body: Body {
            attributes: vec![("source".into(), at, source)],
            blocks: Vec::new(),
            given: Some(Box::new(Given {
                inputs,
                includes,
                source: dynamic,
            })),
        },
        name_at,
    })
}

/// Reads an `include` block, or returns `None` if nothing of it is merged.
pub(super) fn include(block: &Block) -> Option<Include> {
    let strategy = block.body.attribute("merge_strategy");
    let strategy = strategy.and_then(Expression::plain_text);
    (strategy != Some("no_merge")).then(|| Include {
        name: block.labels.first().cloned(),
        path: block.body.attribute("path").cloned(),
        is_deep: strategy.is_some_and(|strategy| strategy.starts_with("deep")),
        at: block.at,
    })
}
