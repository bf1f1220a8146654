//! Suppression by comments and annotations: removes the suppressed findings and reports comments that match nothing.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;

use super::Settings;
use super::gather::Gathered;
use crate::extract::ignores::covering::Covering;
use crate::extract::ignores::{Ignore, Ignores};
use crate::finding::{Finding, Object, Suppressed};
use crate::model::near_miss::nearest_word;
use crate::model::notice::{Notice, NoticeKind};
use crate::rule::schema::Need;
use crate::source::{SourceId, Span};

/// Whether comments and annotations suppress findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suppressions {
    /// They do. The date is today's.
    On(Date),
    /// They do not.
    Off,
}

/// Removes suppressed findings from `findings`. Returns them, with notices about the comments and annotations.
pub fn apply(
    findings: &mut Vec<Finding>,
    gathered: &Gathered,
    settings: Settings<'_>,
) -> (Vec<Suppressed>, Vec<Notice>) {
    let Suppressions::On(today) = settings.suppressions else {
        return (Vec::new(), Vec::new());
    };
    let Ignores {
        ignores, misspelt, ..
    } = &gathered.ignores;
    if ignores.is_empty() && misspelt.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut notices: Vec<Notice> = misspelt
        .iter()
        .map(|one| {
            let why = one.why.to_string();
            notice(NoticeKind::MisspeltIgnore { why }, one.span, &one.object)
        })
        .collect();
    for ignore in ignores {
        let (expired, mute) = (ignore.has_expired(today), is_mute(ignore, settings));
        if let Some(until) = ignore.until.filter(|_| expired) {
            let until = until.to_string();
            let kind = NoticeKind::ExpiredIgnore { until };
            notices.push(notice(kind, ignore.span, &ignore.object));
        }
        if mute {
            let kind = NoticeKind::IgnoreWithoutReason {};
            notices.push(notice(kind, ignore.span, &ignore.object));
        }
    }
    let by_source = in_force(ignores, today, settings);
    let (suppressed, used) = suppress(findings, ignores, &by_source);
    for at in by_source.into_values().flatten() {
        let ignore = &ignores[at];
        for (id, span) in &ignore.rules {
            if !used.contains(&(at, id.as_str())) {
                notices.extend(unused(id, *span, ignore, gathered, settings));
            }
        }
    }
    (suppressed, notices)
}

/// Removes suppressed findings and returns them, without a word about the suppressions.
pub fn take_out(
    findings: &mut Vec<Finding>,
    gathered: &Gathered,
    settings: Settings<'_>,
) -> Vec<Suppressed> {
    let Suppressions::On(today) = settings.suppressions else {
        return Vec::new();
    };
    let ignores = &gathered.ignores.ignores;
    let by_source = in_force(ignores, today, settings);
    suppress(findings, ignores, &by_source).0
}

fn is_mute(ignore: &Ignore, settings: Settings<'_>) -> bool {
    settings.config.require_reason && ignore.reason.is_empty()
}

/// The suppressions that count, by file.
fn in_force(
    ignores: &[Ignore],
    today: Date,
    settings: Settings<'_>,
) -> BTreeMap<SourceId, Vec<usize>> {
    let mut by_source: BTreeMap<SourceId, Vec<usize>> = BTreeMap::new();
    for (at, ignore) in ignores.iter().enumerate() {
        if !ignore.has_expired(today) && !is_mute(ignore, settings) {
            by_source.entry(ignore.span.source).or_default().push(at);
        }
    }
    by_source
}

/// The rules of each suppression that suppressed something.
type Used<'i> = BTreeSet<(usize, &'i str)>;

fn suppress<'i>(
    findings: &mut Vec<Finding>,
    ignores: &'i [Ignore],
    by_source: &BTreeMap<SourceId, Vec<usize>>,
) -> (Vec<Suppressed>, Used<'i>) {
    let mut used = Used::new();
    let mut suppressed = Vec::new();
    let by_source: HashMap<SourceId, Covering<'i>> = by_source
        .iter()
        .map(|(source, here)| {
            let here = here.iter().map(|at| (*at, &ignores[*at]));
            (*source, Covering::of(here))
        })
        .collect();
    findings.retain(|finding| {
        let here = by_source.get(&finding.span.source);
        let here = here.and_then(|here| here.all(&finding.rule, finding.span));
        let (id, here) = here.unwrap_or_default();
        // If several match, each counts as used. Otherwise removing one would make the other fail unexpectedly.
        used.extend(here.iter().map(|at| (*at, id)));
        let by = here.first().map(|at| &ignores[*at]);
        if let Some(ignore) = by {
            suppressed.push(Suppressed {
                finding: finding.clone(),
                by: ignore.span,
                reason: ignore.reason.clone(),
            });
        }
        by.is_none()
    });
    (suppressed, used)
}

/// A notice about a rule id that suppressed nothing, or `None` if this run could not have found anything.
fn unused(
    id: &str,
    span: Span,
    ignore: &Ignore,
    gathered: &Gathered,
    settings: Settings<'_>,
) -> Option<Notice> {
    let loaded: Vec<&str> = settings.rules.loaded().iter().map(String::as_str).collect();
    if !loaded.contains(&id) {
        let near = nearest_word(id, &loaded).unwrap_or_default();
        let kind = NoticeKind::UnknownRuleIgnored {
            rule: id.to_owned(),
            meant: near.to_owned(),
        };
        return Some(notice(kind, span, &ignore.object));
    }
    let in_unread = |document: &Span| {
        document.source == span.source && document.start <= span.start && span.end <= document.end
    };
    if gathered.ignores.unread.iter().any(in_unread) {
        return None;
    }
    // Only a comparison of two revisions finds something, and only until the change is in the base.
    let rule = settings
        .rules
        .get(id)
        .filter(|rule| !rule.scope.is_of_changes())?;
    let setting = settings.config.rules.get(id);
    let judged_here = !setting.is_some_and(|setting| setting.off || !setting.except.is_empty());
    let pools_known = match (rule.needs(Need::CompletePools), rule.needs(Need::Pools)) {
        (true, _) => settings.whole && settings.config.clusters.iter().any(|one| one.complete),
        (false, true) => settings.whole && !gathered.pools.is_empty(),
        (false, false) => settings.whole || !rule.may_rest_on_other_files(),
    };
    let rule = id.to_owned();
    let kind = NoticeKind::UnusedIgnore { rule };
    (judged_here && pools_known).then(|| notice(kind, span, &ignore.object))
}

fn notice(kind: NoticeKind, span: Span, object: &Object) -> Notice {
    Notice {
        object: object.clone(),
        ..Notice::of_file(kind, span)
    }
}
