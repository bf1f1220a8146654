//! Lists what was not judged, for people: a line each with place, object and reason.

use crate::finding::{NotJudged, Object};

use super::wrap::{LABEL_LIMIT, MESSAGE_LIMIT, wrap};
use super::{View, escape};

/// The width in columns if there is no terminal of known width.
const WIDTH: usize = 160;

/// A heading and a line for each thing that was not judged, in report order, or no lines if there is none. Long lines are
/// wrapped.
pub fn not_judged_lines<'a>(view: &'a View<'a>) -> impl Iterator<Item = String> + 'a {
    let all = &view.report.not_judged;
    let heading = (!all.is_empty()).then(|| "Not judged:".to_owned());
    heading
        .into_iter()
        .chain(all.iter().map(|one| line(view, one)))
}

fn line(view: &View, one: &NotJudged) -> String {
    const INDENT: usize = 6;
    let (file, start) = (view.path(&one.file), one.start);
    let mut text = format!("  {file}:{}:{}: ", start.line, start.column);
    if let Some(owner) = one.object.as_deref().and_then(owner) {
        text.push_str(&escape::shorten(escape::sentence(&owner), LABEL_LIMIT));
        text.push_str(": ");
    }
    text.push_str(&escape::shorten(
        escape::sentence(&one.because),
        MESSAGE_LIMIT,
    ));
    let width = if view.width == 0 { WIDTH } else { view.width };
    wrap(&text, width, 0, INDENT)
}

/// `Deployment shop/web`, or `None` if the document has no kind.
pub(super) fn owner(object: &Object) -> Option<String> {
    if object.kind.is_empty() {
        return None;
    }
    let mut owner = object.kind.clone();
    if let Some(name) = &object.name {
        owner.push(' ');
        if let Some(namespace) = &object.namespace {
            owner.push_str(namespace);
            owner.push('/');
        }
        owner.push_str(name);
    }
    Some(owner)
}
