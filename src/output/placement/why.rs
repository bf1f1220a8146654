//! `why` for people: every pool with the first reason against it.

use std::io::{self, Write};

use super::{line, object_name, paint, place, style};
use crate::finding::{FilePlace, Judgement, Stay, Verdict, Who, WhoWorkload, Why, WhyCluster};
use crate::output::standpoint::Standpoint;
use crate::output::{count, escape, wrap};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 100;

/// The answers with the user's display options.
pub struct WhyText<'a> {
    /// The user's working directory.
    pub standpoint: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
}

impl WhyText<'_> {
    /// Writes why workloads can or cannot run on each pool.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, all: &[Why], out: &mut dyn Write) -> io::Result<()> {
        for (at, why) in all.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            let (bold, plain) = style(self.color, "\x1b[1m");
            let at = why.workload.place.as_ref().map(|at| self.place(at));
            let at = at.map(|at| format!("  {at}")).unwrap_or_default();
            writeln!(out, "{bold}{}{plain}{at}", object_name(&why.workload))?;
            for cluster in &why.clusters {
                self.cluster(cluster, out)?;
            }
        }
        Ok(())
    }

    fn cluster(&self, cluster: &WhyCluster, out: &mut dyn Write) -> io::Result<()> {
        let complete = match cluster.complete {
            true => "complete",
            false => "not all pools are known",
        };
        writeln!(out, "cluster {} ({complete})", escape::name(&cluster.name))?;
        if cluster.pools.is_empty() {
            writeln!(out, "  no node pool was read")?;
        }
        for (pool, judged) in &cluster.pools {
            self.line(&pool.name, judged, out)?;
        }
        writeln!(out, "  tolerations")?;
        if cluster.tolerations.is_empty() && cluster.more_tolerations.is_none() {
            writeln!(out, "    none")?;
        }
        for entry in &cluster.tolerations {
            let by = match (entry.by, &entry.place) {
                (Some(by), _) if entry.certain => format!("added by {by}"),
                (Some(by), _) => format!("may be added by {by}"),
                (None, Some(at)) => self.place(at),
                (None, None) => "written".to_owned(),
            };
            let uses = match entry.matches.as_slice() {
                [] => "matches no taint of these pools".to_owned(),
                pools => format!("matches taints of {}", listed(pools)),
            };
            let text = format!("{}: {uses} ({by})", escape::sentence(&entry.text));
            self.indented(&text, out)?;
        }
        if let Some(why) = cluster.more_tolerations {
            self.indented(&format!("there may be more: {why}"), out)?;
        }
        if !cluster.evictions.is_empty() {
            writeln!(out, "  eviction")?;
        }
        for (taint, stay) in &cluster.evictions {
            let what = match stay {
                Stay::Forever => "never".to_owned(),
                Stay::Evicted => "at once".to_owned(),
                Stay::For(seconds) => {
                    let seconds = usize::try_from(*seconds).unwrap_or(usize::MAX);
                    format!("after {}", count(seconds, "second", "seconds"))
                }
                Stay::Unknown => "unknown".to_owned(),
            };
            self.indented(&format!("{}: {what}", escape::sentence(taint)), out)?;
        }
        Ok(())
    }

    fn indented(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "    {}", wrap(text, self.columns(), 4, 6))
    }

    fn line(&self, name: &str, judged: &Judgement, out: &mut dyn Write) -> io::Result<()> {
        let (color, plain) = style(self.color, paint(judged.verdict));
        let name = escape::name(name);
        let verdict = judged.verdict.words();
        let mut text = String::new();
        if let Some(plugin) = judged.plugin {
            text.push_str(&format!(": {plugin}"));
        }
        if let Some(reason) = &judged.reason {
            text.push_str(&format!(": {}", escape::sentence(reason)));
        }
        if let Some(taint) = &judged.taint {
            text.push_str(&format!(" {{{}}}", escape::sentence(taint)));
        }
        let places: Vec<String> = judged.places.iter().map(|at| self.place(at)).collect();
        if !places.is_empty() {
            text.push_str(&format!(" ({})", places.join(", ")));
        }
        let used = 2 + name.chars().count() + 2 + verdict.len();
        let text = wrap(&text, self.columns(), used, 6);
        writeln!(out, "  {name}  {color}{verdict}{plain}{text}")
    }

    /// Writes who can run on a pool, and who selects it and cannot.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write_who(&self, pool: &str, all: &[Who], out: &mut dyn Write) -> io::Result<()> {
        for who in all {
            let (bold, plain) = style(self.color, "\x1b[1m");
            let cluster = escape::name(&who.cluster);
            writeln!(
                out,
                "{bold}{}{plain}  cluster {cluster}",
                escape::name(pool)
            )?;
            for group in Group::ALL {
                let title = group.title();
                let holds = |one: &WhoWorkload| Group::of(one) == Some(group);
                let mut any = false;
                for one in &who.workloads {
                    if !holds(one) {
                        continue;
                    }
                    if !any {
                        writeln!(out, "  {title}")?;
                        any = true;
                    }
                    let taint = one.judgement.taint.as_deref();
                    let taint = taint.map(|taint| format!(" {{{}}}", escape::sentence(taint)));
                    let at = one.workload.place.as_ref().map(|at| self.place(at));
                    let at = at.map(|at| format!("  {at}")).unwrap_or_default();
                    let taint = taint.unwrap_or_default();
                    writeln!(out, "    {}{taint}{at}", object_name(&one.workload))?;
                }
            }
        }
        Ok(())
    }

    fn columns(&self) -> usize {
        if self.width == 0 { WIDTH } else { self.width }
    }

    fn place(&self, at: &FilePlace) -> String {
        let (file, line) = line(at);
        place((&self.standpoint.path(file), line))
    }
}

/// Workloads that have the same relation to a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Open,
    Unknown,
    Meant,
    KeptOut,
}

impl Group {
    const ALL: [Group; 4] = [Group::Open, Group::Unknown, Group::Meant, Group::KeptOut];

    /// The group of a workload, or `None` if it does not select the pool.
    fn of(one: &WhoWorkload) -> Option<Group> {
        match one.judgement.verdict {
            Verdict::Lands | Verdict::PrefersNot => Some(Group::Open),
            Verdict::Unknown => Some(Group::Unknown),
            Verdict::KeptOut if one.meant => Some(Group::Meant),
            Verdict::KeptOut => Some(Group::KeptOut),
            Verdict::NotSelected => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Group::Open => "can run here",
            Group::Unknown => "may run here",
            Group::Meant => "selects it, but cannot run here",
            Group::KeptOut => "kept out",
        }
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{}`", escape::name(name)))
        .collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
