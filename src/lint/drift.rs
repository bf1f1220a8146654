//! Differences between a pool and the tags that describe it to the cluster autoscaler.

use crate::finding::Label;
use crate::model::Field;
use crate::model::node_pool::{AutoscalerTemplate, NodePool, Origin, PoolTaint};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::taint::Taint;
use crate::model::workload::Level;
use crate::source::Span;

/// The label of pools whose taints the autoscaler fetches from the cloud. Such pools do not need a tag for every taint.
const ASKED_FOR: &str = "eks.amazonaws.com/nodegroup";

/// Returns a notice for each taint and label that differs between a pool and its tags.
pub fn drift(pool: &NodePool) -> Vec<Notice> {
    let Some(tags) = &pool.autoscaler else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for tag in &tags.taints {
        found.extend(tagged_taint(pool, tag));
    }
    if tags.complete && !tags.taints.is_empty() && !pool.labels.labels.contains_key(ASKED_FOR) {
        found.extend(untagged_taints(pool, tags));
    }
    found.extend(labels(pool, tags));
    found
}

fn same_place(one: &Taint, other: &Taint) -> bool {
    one.key == other.key && one.effect == other.effect
}

fn is_known(taint: &Taint) -> bool {
    ![&taint.key, &taint.value, &taint.effect]
        .iter()
        .any(|field| field.is_unknown())
}

/// A notice if a tagged taint is missing on the nodes or has another value there.
fn tagged_taint(pool: &NodePool, tag: &PoolTaint) -> Option<Notice> {
    let taint = &tag.taint;
    // The autoscaler ignores a tag without an effect. A variable may resolve to the right value.
    if !is_known(taint) || taint.effect().is_none() {
        return None;
    }
    let lasting = || {
        let taints = pool.taints.iter();
        taints.filter(|one| one.origin != Origin::Startup && one.taint.key == taint.key)
    };
    let text = |field: &Field<String>| field.text().unwrap_or_default().to_owned();
    let equal = |one: &&PoolTaint| {
        same_place(&one.taint, taint) && text(&one.taint.value) == text(&taint.value)
    };
    if lasting().any(|one| !is_known(&one.taint) || equal(&one)) {
        return None;
    }
    let span = tag.span?;
    let own = lasting().next();
    if own.is_none() && !pool.complete {
        return None;
    }
    let pool_name = pool.name.clone();
    let tag_text = taint.to_string();
    let kind = match own {
        Some(own) => NoticeKind::DifferingTag {
            pool: pool_name,
            tag: tag_text,
            actual: own.taint.to_string(),
        },
        None => NoticeKind::TagWithoutTaint {
            pool: pool_name,
            tag: tag_text,
        },
    };
    let mut notice = notice(pool, kind, span, &tag.path);
    notice.related.extend(own.and_then(|own| {
        Some(Label {
            span: own.span?,
            message: "the nodes have this taint".to_owned(),
        })
    }));
    Some(notice)
}

/// Hard taints of the nodes that have no tag although other taints have one.
fn untagged_taints<'p>(
    pool: &'p NodePool,
    tags: &'p AutoscalerTemplate,
) -> impl Iterator<Item = Notice> + 'p {
    let of_key = |taint: &Taint| tags.taints.iter().any(|tag| tag.taint.key == taint.key);
    pool.blocking_taints()
        .map(|(_, taint)| taint)
        .filter(move |taint| is_known(&taint.taint) && !of_key(&taint.taint))
        .filter_map(|taint| {
            let kind = NoticeKind::UntaggedTaint {
                pool: pool.name.clone(),
                taint: taint.taint.to_string(),
            };
            let mut notice = notice(pool, kind, taint.span?, &taint.path);
            let tag = tags.taints.first().and_then(|tag| tag.span);
            notice.related.extend(tag.map(|span| Label {
                span,
                message: "this taint has a tag".to_owned(),
            }));
            Some(notice)
        })
}

/// Tagged labels that have another value on the nodes.
fn labels<'p>(
    pool: &'p NodePool,
    tags: &'p AutoscalerTemplate,
) -> impl Iterator<Item = Notice> + 'p {
    tags.labels.iter().filter_map(|(key, (value, span))| {
        let (tagged, own) = (value.known()?, pool.labels.labels.get(key)?.known()?);
        (tagged != own).then(|| {
            let kind = NoticeKind::DifferingTag {
                pool: pool.name.clone(),
                tag: format!("{key}={tagged}"),
                actual: format!("{key}={own}"),
            };
            notice(pool, kind, *span, "")
        })
    })
}

fn notice(pool: &NodePool, kind: NoticeKind, span: Span, path: &str) -> Notice {
    Notice {
        level: Level::Custom,
        object: pool.object.clone(),
        path: path.to_owned(),
        ..Notice::of_file(kind, span)
    }
}
