//! One finding for one mistake: where two rules speak of the same entry, the one that explains the mistake stays. And what
//! is usual is counted, not listed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::finding::{Finding, Report, Tally};
use crate::rule::RuleSet;
use crate::rule::schema::Scope;
use crate::source::{SourceId, Span};

/// A finding, and what decides whether it stays.
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// What its rule looks at.
    pub scope: Scope,
    /// The entry, the taint, the pool or whatever else it is about, as a whole.
    pub about: Span,
    /// The rules that explain the same mistake better.
    pub gives_way_to: Vec<String>,
    /// It says what is usual.
    pub counted: bool,
}

impl Found {
    /// The field path of the entry that it is about.
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

/// Drops findings that give way to another about the same entry, or about an entry that they themselves point at. What is
/// accepted by a comment or gives way itself counts as there: what it explains is explained.
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
            // Findings that differ in nothing that matters here need not be compared with each other one by one.
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
            about(own, true)
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

/// Whether two findings of one rule at one place also are about one object in one cluster.
fn is_alike(one: &Found, other: &Found) -> bool {
    one.finding.object == other.finding.object
        && one.finding.cluster == other.finding.cluster
        && one.entry_path() == other.entry_path()
}

/// Whether two findings whose places fit are about one object: entries behind an anchor stand in several. What is said of
/// one cluster explains nothing in another.
fn is_same_subject(one: &Found, other: &Found, same_entry: bool) -> bool {
    let (own, theirs) = (&one.finding.cluster, &other.finding.cluster);
    one.finding.object == other.finding.object
        && (own.is_none() || theirs.is_none() || own == theirs)
        && (!same_entry || one.entry_path() == other.entry_path())
}

/// Where the entries stand that some finding is about.
struct Entries(BTreeMap<(SourceId, u32), u32>);

impl Entries {
    fn of(found: &[Found]) -> Entries {
        let entries = found.iter().filter(|one| one.is_of_entry());
        let places = entries.map(|one| ((one.about.source, one.about.start), one.about.end));
        Entries(places.collect())
    }

    /// The entry around what was noticed in it, or else what the finding is about itself.
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

/// Which findings are only counted.
pub struct Counted(BTreeSet<(String, Span, String)>);

/// The findings, and which of them are only counted.
pub fn counted(found: Vec<Found>) -> (Vec<Finding>, Counted) {
    // One that is reported for one cluster is not usual because it would be in another.
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
    /// Takes the findings that are only counted out of those that are listed. What a comment accepts is no longer among
    /// them.
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
