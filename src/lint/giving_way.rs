//! Reports each mistake once: if two rules find the same entry, the rule that explains the mistake wins. Findings about the
//! usual state are counted instead of listed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::finding::{Finding, Report, Tally};
use crate::rule::RuleSet;
use crate::rule::schema::Scope;
use crate::source::{SourceId, Span};

/// A finding, with the data that decides whether it is kept.
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// The scope of its rule.
    pub scope: Scope,
    /// The span of the whole entry, taint, pool or other subject.
    pub about: Span,
    /// The rules that explain the same mistake better.
    pub gives_way_to: Vec<String>,
    /// Whether it only reports the usual state.
    pub counted: bool,
}

impl Found {
    /// The field path of the entry with the finding.
    fn entry_path(&self) -> &str {
        let path = self.finding.path.as_str();
        path.rfind(']').map_or(path, |at| path.split_at(at + 1).0)
    }

    fn is_of_entry(&self) -> bool {
        use Scope::{DeviceTaint, DeviceToleration, Taint, Toleration};
        matches!(
            self.scope,
            Toleration | Taint | DeviceToleration | DeviceTaint
        )
    }
}

/// Drops findings that give way to another one about the same entry, or about an entry that they refer to. A finding that
/// is suppressed, or that gives way itself, still replaces others, because it explains their mistake.
pub fn one_for_each_mistake(mut found: Vec<Found>) -> Vec<Found> {
    let wanted: HashSet<&str> = found
        .iter()
        .flat_map(|one| one.gives_way_to.iter().map(String::as_str))
        .collect();
    if wanted.is_empty() {
        return found;
    }
    let entries = Entries::of(&found);
    let mut there: HashMap<(&str, Span), Vec<usize>> = HashMap::new();
    for (at, one) in found.iter().enumerate() {
        if wanted.contains(one.finding.rule.as_str()) {
            let key = (one.finding.rule.as_str(), entries.around(one));
            let same = there.entry(key).or_default();
            // Findings that agree in all fields compared here do not need pairwise comparison.
            let mut others = same.iter().filter_map(|other| found.get(*other));
            let known = others.any(|other| is_alike(other, one));
            if !known {
                same.push(at);
            }
        }
    }
    let gives_way = |one: &Found| {
        let own = entries.around(one);
        one.gives_way_to.iter().any(|rule| {
            let about = |span: Span, same_entry: bool| {
                let others = there.get(&(rule.as_str(), span)).into_iter().flatten();
                others
                    .filter_map(|at| found.get(*at))
                    .any(|other| is_same_subject(one, other, same_entry))
            };
            // A finding about a whole workload may point at the very place that a notice is about.
            let pointed = (one.scope == Scope::Workload).then_some(one.finding.span);
            about(own, true)
                || pointed.is_some_and(|span| about(span, true))
                || one
                    .finding
                    .related
                    .iter()
                    .any(|label| about(label.span, false))
        })
    };
    let stays: Vec<bool> = found.iter().map(|one| !gives_way(one)).collect();
    let mut stays = stays.into_iter();
    found.retain(|_| stays.next().unwrap_or(true));
    found
}

/// Whether two findings of one rule at one place also have the same object and cluster.
fn is_alike(one: &Found, other: &Found) -> bool {
    one.finding.object == other.finding.object
        && one.finding.cluster == other.finding.cluster
        && one.entry_path() == other.entry_path()
}

/// Whether two findings at matching places are about the same object: entries behind an anchor occur in several. A finding
/// for one cluster explains nothing in another cluster.
fn is_same_subject(one: &Found, other: &Found, same_entry: bool) -> bool {
    let (own, theirs) = (&one.finding.cluster, &other.finding.cluster);
    one.finding.object == other.finding.object
        && (own.is_none() || theirs.is_none() || own == theirs)
        && (!same_entry || one.entry_path() == other.entry_path())
}

/// The spans of the entries that have findings.
struct Entries(BTreeMap<(SourceId, u32), u32>);

impl Entries {
    fn of(found: &[Found]) -> Entries {
        let entries = found.iter().filter(|one| one.is_of_entry());
        let places = entries.map(|one| ((one.about.source, one.about.start), one.about.end));
        Entries(places.collect())
    }

    /// The entry that contains a notice, or else the finding's own span.
    fn around(&self, one: &Found) -> Span {
        let about = one.about;
        if one.scope != Scope::Notice {
            return about;
        }
        let before = self.0.range(..=(about.source, about.start)).next_back();
        match before {
            Some(((source, start), end)) if *source == about.source && *end >= about.end => Span {
                source: *source,
                start: *start,
                end: *end,
            },
            _ => about,
        }
    }
}

/// The findings that are only counted.
pub struct Counted(BTreeSet<(String, Span, String)>);

/// Splits off the findings that are only counted.
pub fn counted(found: Vec<Found>) -> (Vec<Finding>, Counted) {
    // A finding that is reported for one cluster is never counted as usual because of another cluster.
    let (usual, others): (Vec<&Found>, Vec<&Found>) = found.iter().partition(|one| one.counted);
    let others: BTreeSet<_> = others.iter().map(|one| key(&one.finding)).collect();
    let usual = usual.iter().map(|one| key(&one.finding));
    let usual = usual.filter(|key| !others.contains(key)).collect();
    let findings = found.into_iter().map(|one| one.finding).collect();
    (findings, Counted(usual))
}

fn key(finding: &Finding) -> (String, Span, String) {
    (finding.rule.clone(), finding.span, finding.path.clone())
}

impl Counted {
    /// Removes the counted findings from the listed ones. Suppressed findings are already gone at this point.
    pub fn take_out(self, findings: &mut Vec<Finding>, rules: &RuleSet, report: &mut Report) {
        if self.0.is_empty() {
            return;
        }
        let (usual, listed) = std::mem::take(findings)
            .into_iter()
            .partition(|finding| self.0.contains(&key(finding)));
        *findings = listed;
        report.counted = usual;
        for finding in &report.counted {
            let words = rules.get(&finding.rule).and_then(|rule| rule.summary());
            if let Some((_, words)) = words {
                let tally = || Tally {
                    times: 0,
                    one: words.one.clone(),
                    many: words.many.clone(),
                };
                let all = &mut report.counts.counted;
                all.entry(finding.rule.clone()).or_insert_with(tally);
            }
        }
    }
}
