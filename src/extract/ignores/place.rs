//! Places for a comment that suppresses the findings of one line, the nearest first.

use std::collections::BTreeSet;
use std::ops::Range;

use super::comment::said_in;
use super::covering::Covering;
use super::parts::around;
use super::reading::Read;
use super::{ANNOTATION_PREFIX, Covers, Ignore, Reason};
use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};
use crate::yaml::{Field, Kind, Node, Style};

/// If a line with its comment would be longer than this, the comment goes above it.
const LONG: usize = 120;

/// The format of a text, which determines how it can be commented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Yaml,
    Json,
    Terraform,
}

/// One finding in a piece.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its index among the wanted findings.
    pub(super) at: usize,
    pub(super) rule: String,
    pub(super) span: Range<usize>,
}

/// Findings that begin on the same line.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) members: Vec<Member>,
    pub(super) accepted: bool,
}

impl Group {
    /// The offset where it starts.
    pub(super) fn start(&self) -> usize {
        self.members.first().map_or(0, |one| one.span.start)
    }

    pub(super) fn rules(&self) -> BTreeSet<&str> {
        self.members.iter().map(|one| one.rule.as_str()).collect()
    }

    pub(super) fn is_covered(&self, covers: &Covers) -> bool {
        self.members
            .iter()
            .all(|one| covers.covers(span(&one.span)))
    }

    /// Whether these suppressions cover all its findings.
    pub(super) fn is_accepted(&self, ignores: &Covering<'_>) -> bool {
        let mut members = self.members.iter();
        members.all(|one| ignores.any(&one.rule, span(&one.span)))
    }
}

/// The suppressions that count beside new ones.
pub(super) fn holding<'i>(ignores: &'i [Ignore], beside: &Reason) -> Covering<'i> {
    let holds = |ignore: &Ignore| {
        let lacks_reason = beside.is_required && ignore.reason.is_empty();
        !lacks_reason && !ignore.has_expired(beside.today)
    };
    let all = ignores.iter().enumerate();
    Covering::of(all.filter(|(_, ignore)| holds(ignore)))
}

fn span(range: &Range<usize>) -> Span {
    Span::new(SourceId(0), range.clone())
}

/// A text to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Whether a field only suppresses findings and is skipped when texts are compared.
pub(super) fn left_out(field: &Field<'_>) -> bool {
    let accepts = |field: &Field<'_>| {
        let name = field.name();
        name.is_some_and(|name| name.starts_with(ANNOTATION_PREFIX))
    };
    let mut inside = field.value.written_fields();
    accepts(field)
        || (field.name() == Some("annotations")
            && field.value.kind() == Kind::Mapping
            && inside.all(|field| accepts(&field)))
}

/// A text with places for comments.
pub(super) struct Places<'p> {
    pub(super) text: &'p str,
    pub(super) notation: Notation,
    pub(super) reason: &'p Reason,
    pub(super) read: &'p Read,
}

impl Places<'_> {
    /// The insertions for a group: at the nearest place for 0, or at the following places for higher numbers. The
    /// caller checks whether they have the intended effect.
    pub(super) fn nth(&self, group: &Group, at: usize) -> Option<Vec<Insertion>> {
        if self.notation == Notation::Json {
            return self.annotations(group).filter(|_| at == 0);
        }
        let own = self.line(group.start());
        let mut ways = match self.read.is_in_text(&own) {
            true => Vec::new(),
            false => self.at_line(group, &own),
        };
        if let Some(way) = ways.get(at) {
            return Some(way.clone());
        }
        for line in self.outer_lines(&own, group.start()) {
            ways.extend(self.at_line(group, &line));
            if ways.len() > at {
                return ways.get(at).cloned();
            }
        }
        None
    }

    /// The range of the line at an offset, without its line break.
    fn line(&self, at: usize) -> Range<usize> {
        let start = self.text.until(at).rfind('\n').map_or(0, |at| at + 1);
        let end = self
            .text
            .since(at)
            .find('\n')
            .map_or(self.text.len(), |end| at + end);
        let end = if self.text.within(start..end).ends_with('\r') {
            end - 1
        } else {
            end
        };
        start..end
    }

    /// The first lines of the blocks that contain an offset, from the inside outward.
    fn outer_lines(&self, own: &Range<usize>, place: usize) -> Vec<Range<usize>> {
        let mut lines: Vec<Range<usize>> = Vec::new();
        if self.read.document.is_none() {
            let indentation = |line: &Range<usize>| {
                let text = self.text.within(line.clone());
                text.len() - text.trim_start().len()
            };
            let around = around(&self.read.texts, place)
                .map(|text| self.line(text.start))
                .filter(|line| line.start < own.start);
            let (mut inner, mut at) = match around {
                Some(line) => {
                    lines.push(line.clone());
                    (indentation(&line), line.start)
                }
                None => (indentation(own), own.start),
            };
            while at > 0 && inner > 0 {
                let line = self.line(at - 1);
                at = line.start;
                if !self.text.within(line.clone()).trim().is_empty() && indentation(&line) < inner {
                    inner = indentation(&line);
                    lines.push(line);
                }
            }
            return lines;
        }
        let owners = self.read.owners_of(place);
        for owner in owners.filter(|owner| owner.start < own.start) {
            let line = self.line(owner.start);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// Ways to suppress a group at one line: in an existing comment, after the line, above the line.
    fn at_line(&self, group: &Group, line: &Range<usize>) -> Vec<Vec<Insertion>> {
        let mut ways: Vec<Vec<Insertion>> = Vec::new();
        if !self.reason.ends {
            let known = self.read.ignores.iter();
            let here = known.filter(|one| {
                one.until.is_none() && self.belongs_to(one, line) && group.is_covered(&one.covers)
            });
            ways.extend(here.map(|one| self.join(group, one)));
        }
        let rules: Vec<&str> = group.rules().into_iter().collect();
        let comment = format!(
            "# kubetaint: ignore[{}] {}",
            rules.join(", "),
            self.reason.text
        );
        let content = self.text.within(line.clone());
        let gap = match content.len() - content.trim_end().len() {
            0 => "  ",
            1 => " ",
            _ => "",
        };
        let behind = vec![Insertion {
            at: line.end,
            text: format!("{gap}{comment}"),
        }];
        let indentation = content.until(content.len() - content.trim_start().len());
        let above = vec![Insertion {
            at: line.start,
            text: format!("{indentation}{comment}{}", self.line_break(line)),
        }];
        let length = content.chars().count() + gap.len() + comment.chars().count();
        // Nothing can follow the marker of a heredoc on its line.
        let begins_heredoc =
            self.notation == Notation::Terraform && self.read.begins_text(line.start);
        let may_stand_behind = !begins_heredoc
            && !self.is_eaten_behind(line)
            && !content.trim_start().starts_with("---");
        let may_stand_above = !self.is_eaten_above(line) && !content.starts_with("---");
        let mut new = Vec::new();
        new.extend(may_stand_behind.then_some(behind));
        new.extend(may_stand_above.then_some(above));
        if length > LONG {
            new.reverse();
        }
        ways.extend(new);
        ways
    }

    /// Whether a comment is at the end of a line, or on lines of its own directly above it.
    fn belongs_to(&self, ignore: &Ignore, line: &Range<usize>) -> bool {
        let range = ignore.span.range();
        let is_comment = self.text.within(range.clone()).starts_with(['#', '/', '{']);
        let between = self.text.get(range.end..line.start);
        let only_comments = |between: &str| {
            between.lines().all(|line| {
                let line = line.trim();
                line.is_empty() || line.starts_with('#') || line.starts_with("//")
            })
        };
        let above = matches!(ignore.covers, Covers::Below(_)) && between.is_some_and(only_comments);
        is_comment && ((line.start <= range.start && range.end <= line.end) || above)
    }

    /// Adds the rules of a group to an existing comment, and the reason if the comment lacks it.
    fn join(&self, group: &Group, ignore: &Ignore) -> Vec<Insertion> {
        let mut insertions = Vec::new();
        let Some((_, last)) = ignore.rules.last() else {
            return insertions;
        };
        let known = |rule: &&str| ignore.rules.iter().any(|(id, _)| id == rule);
        let more: Vec<&str> = group
            .rules()
            .into_iter()
            .filter(|rule| !known(rule))
            .collect();
        if !more.is_empty() {
            insertions.push(Insertion {
                at: last.range().end,
                text: format!(", {}", more.join(", ")),
            });
        }
        let after = last.range().end..ignore.span.range().end;
        let rest = self.text.get(after.clone()).unwrap_or_default();
        if let Some(bracket) = rest.find(']')
            && !ignore.reason.contains(&self.reason.text)
        {
            let said = said_in(rest.since(bracket + 1)).trim_end();
            let between = if ignore.reason.is_empty() { " " } else { "; " };
            insertions.push(Insertion {
                at: after.start + bracket + 1 + said.len(),
                text: format!("{between}{}", self.reason.text),
            });
        }
        insertions
    }

    /// The line break that the text uses here.
    fn line_break(&self, line: &Range<usize>) -> &'static str {
        let after = self.text.since(line.end);
        let before = self.text.until(line.start);
        match after.starts_with("\r\n") || (after.is_empty() && before.ends_with("\r\n")) {
            true => "\r\n",
            false => "\n",
        }
    }

    /// Whether a template trims the whitespace around a comment after a line.
    fn is_eaten_behind(&self, line: &Range<usize>) -> bool {
        let next = self.text.since(line.end).trim_start();
        self.text.within(line.clone()).trim_end().ends_with("-}}") || next.starts_with("{{-")
    }

    /// Whether a template trims the whitespace around a comment above a line.
    fn is_eaten_above(&self, line: &Range<usize>) -> bool {
        let content = self.text.within(line.clone()).trim_start();
        self.text.until(line.start).trim_end().ends_with("-}}") || content.starts_with("{{-")
    }

    /// Annotations for the object of a group. They do not go on its pod template, where annotations change the pods.
    fn annotations(&self, group: &Group) -> Option<Vec<Insertion>> {
        let document = self.read.document.as_ref()?;
        let metadata = object_metadata(document.root(), group.start())?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let pairs: Vec<String> = group
            .rules()
            .into_iter()
            .map(|rule| {
                let name = quoted(&format!("{ANNOTATION_PREFIX}{rule}"));
                format!("{name}: {}", quoted(&self.reason.text))
            })
            .collect();
        let pairs = pairs.join(", ");
        match metadata.get("annotations") {
            Some(annotations) => {
                let taken = |rule: &&str| {
                    annotations
                        .get(&format!("{ANNOTATION_PREFIX}{rule}"))
                        .is_some()
                };
                if group.rules().iter().any(taken) {
                    return None;
                }
                self.add(annotations, &pairs)
            }
            None => self.add(metadata, &format!("\"annotations\": {{{pairs}}}")),
        }
        .map(|insertion| vec![insertion])
    }

    /// Adds a field to a flow mapping: after the last one, on a line of its own if that one has its own.
    fn add(&self, map: Node<'_>, pair: &str) -> Option<Insertion> {
        if map.kind() != Kind::Mapping || map.style() != Style::Flow || map.is_alias() {
            return None;
        }
        let Some(last) = map.written_fields().last() else {
            return Some(Insertion {
                at: map.span().range().start + 1,
                text: pair.to_owned(),
            });
        };
        let line = self.line(last.span().range().start);
        let before = self.text.within(line.start..last.span().range().start);
        let between = match before.trim().is_empty() {
            true => format!("{}{before}", self.line_break(&line)),
            false => " ".to_owned(),
        };
        Some(Insertion {
            at: last.span().range().end,
            text: format!(",{between}{pair}"),
        })
    }
}

/// The `metadata` of the innermost object around an offset.
fn object_metadata(root: Node<'_>, place: usize) -> Option<Node<'_>> {
    let mut found = None;
    let mut open = Some(root);
    while let Some(node) = open {
        let is_object = node.get("apiVersion").is_some() && node.get("kind").is_some();
        if let Some(metadata) = node.get("metadata").filter(|_| is_object) {
            found = Some(metadata);
        }
        let children = node.written_fields().map(|field| field.value);
        open = children
            .chain(node.items())
            .filter(|child| !child.is_alias() && child.kind() != Kind::Scalar)
            .find(|child| child.span().range().contains(&place));
    }
    found
}
