//! Charts from elsewhere that a chart of the repository contains: what a release of it says of their pods.

use super::chart_parts::is_enabled;
use super::chart_values::Values;
use super::charted::{self, Charted};
use super::installed::{Described, Installed, Origin, edition};
use super::placeholders::is_placeholder;
use super::subject::Subject;
use crate::charts::Step;
use crate::template::Given;
use crate::yaml::{self, Document, Kind, Node};

/// Reads what the values of a release say of them. `values` are all its values, of which each map is laid over those behind it.
pub(super) fn read(subject: &Subject<'_>, values: &[Node<'_>], installed: &Installed) -> Charted {
    let mut charted = Charted::default();
    let sources = subject.reading.sources;
    let folder = installed.folder.as_deref();
    let Some((folder, chart)) = folder.and_then(|at| Some((at, sources.templates_at(at)?))) else {
        return charted;
    };
    let defaults = chart.defaults.as_ref().map(Document::root);
    let given = Given {
        layers: values.iter().copied().chain(defaults).collect(),
        globals: Vec::new(),
        is_open: is_placeholder,
    };
    for dependency in sources.dependencies_from_elsewhere(folder) {
        let is_on = is_enabled(dependency, &given);
        let key = dependency.key.as_str();
        let layers = given.at(&[Step::Key(key.to_owned())]);
        let layers = layers.filter(|all| all.iter().all(|one| one.kind() == Kind::Mapping));
        let Some(([root, under @ ..], true)) =
            layers.as_deref().map(|all| (all, is_on != Some(false)))
        else {
            continue;
        };
        let address = dependency.address.clone();
        let origin = address.map_or(Origin::Unknown, Origin::Address);
        let Some((edition, sure)) = edition(&dependency.chart, &origin) else {
            continue;
        };
        let open = installed.open || is_on.is_none();
        let part = Installed {
            chart: dependency.chart.clone(),
            edition: Described::Table(edition),
            folder: None,
            version: dependency.version.clone(),
            sure,
            open,
            namespace: installed.namespace.clone(),
            below: Vec::new(),
        };
        let values = Values {
            root: *root,
            base: yaml::join(&subject.base, key),
            under: under.iter().map(|one| (*one, key.to_owned())).collect(),
            open,
            is_whole: true,
        };
        charted.absorb(charted::read(subject, &values, &part));
    }
    // Where the release is says which cluster has the pods.
    for workload in &mut charted.facts.workloads {
        if workload.span.source != subject.reading.id {
            workload.span = subject.own_span();
        }
    }
    let below = defaults.map(|defaults| defaults.span().source);
    charted
        .facts
        .laid_over
        .extend(below.filter(|_| !charted.facts.workloads.is_empty()));
    charted
}
