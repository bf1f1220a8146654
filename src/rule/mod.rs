//! Rules: loaded from files, checked, and evaluated over facts. The caller provides the facts.

mod budget;
mod cases;
mod check;
mod compiler;
mod examples;
pub mod expression;
pub mod fact;
pub mod fix;
mod functions;
pub mod gives_way;
mod kinds;
mod names;
mod parse;
pub mod schema;
mod standard;
mod template;
mod text_map;
pub mod vocabulary;

pub use budget::says_exhausted;
pub use examples::{Example, Examples, MARK};

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::builtin::CarriedRule;
use crate::finding::{Problem, Severity};
use crate::source::{Source, SourceId, Span};
use crate::yaml;

use cases::Cases;
use compiler::{Compiler, Expected};
use expression::{Bindings, Evaluation, Expression};
use fact::{Fact, Place};
use fix::{Fix, Proposal};
use gives_way::GivesWay;
use kinds::Kinds;
use names::Names;
use parse::ExpressionError;
use schema::{ChangeOf, ExampleFile, ExampleText, FixFiles, Need, Otherwise, RuleFile, Scope};
use template::Template;
use vocabulary::Ty;

/// The tag of rules that compare workloads with pools.
pub const CROSS_REFERENCE: &str = "cross-reference";
/// The tag of rules that find slips of the pen, which are as wrong in an example as anywhere.
pub const SPELLING: &str = "spelling";

/// A rule, ready to be evaluated.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case; describes the wrong state.
    pub id: String,
    /// One line.
    pub title: String,
    /// The default severity.
    pub severity: Severity,
    /// The tags, which group rules.
    pub tags: Vec<String>,
    /// What the rule evaluates.
    pub scope: Scope,
    /// The facts that must be known.
    pub needs: Vec<Need>,
    /// What happens if the rule needs complete pools and they are not complete.
    pub otherwise: Otherwise,
    /// When a finding stands although the pools are not complete, as written.
    pub stands: Option<String>,
    /// Whether it also judges patches and values of charts that contain tolerations beside what selects nodes.
    pub of_parts: bool,
    /// The condition, as written.
    pub condition: String,
    /// The place that a finding points to.
    pub at: String,
    /// The body of the rule's page.
    pub why: String,
    /// How to fix a finding, if the rule describes it.
    pub how_to_fix: Option<String>,
    /// When to accept a finding, if the rule describes it.
    pub ignore_when: Option<String>,
    /// Files in Kubernetes' source that the rule follows, if it lists them.
    pub source: Vec<String>,
    /// Named values as written, in order.
    pub names: Vec<(String, String)>,
    /// Messages, help and severities that depend on conditions.
    pub cases: Cases,
    /// The help as written, including holes.
    pub help_text: Option<String>,
    /// Examples, in source order.
    pub examples: Examples,
    /// The file of the rule: a path of the user's, or `rules/<id>.yaml` for a built-in rule.
    pub file: String,
    /// What a finding points to, in scope `change`.
    points_at: Option<Expression>,
    when: Expression,
    stands_when: Option<Expression>,
    related: Vec<(Expression, Template)>,
    message: Template,
    help: Option<Template>,
    fixes: Vec<Fix>,
    gives_way: Vec<GivesWay>,
    summary: Option<Summary>,
}

/// When findings are only counted, and the words for the count.
#[derive(Debug)]
struct Summary {
    when: Expression,
    condition: String,
    words: Words,
}

/// The words after the number of counted findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words after 1.
    pub one: String,
    /// The words after any other number.
    pub many: String,
}

/// The result of a rule for one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// The condition does not hold, or reads a missing label or annotation.
    Nothing,
    /// The condition holds.
    Verdict(Verdict),
    /// It read something unknown: the name of the field, of the key or of the function.
    Unknown(String),
    /// The rule itself fails.
    Failed(String),
}

/// A finding whose location is not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The severity according to the rule's cases.
    pub severity: Severity,
    /// It holds although the pools are not complete, but not more than as a warning.
    pub stands: bool,
    /// The sentences for this severity.
    said: Said,
    /// The sentences if an error is lowered to a warning; `None` if they are the same.
    as_warning: Option<Box<Said>>,
    /// The sentences if the finding is lowered to a note; `None` if they are the same.
    as_note: Option<Box<Said>>,
    /// Possible fixes: the first applicable one is used.
    pub fixes: Vec<Proposal>,
    /// Rules that explain the same mistake better if they have a finding here.
    pub gives_way_to: Vec<String>,
    /// It is only counted, because it reports something usual.
    pub counted: bool,
    /// The places that it points to, best first, in scope `change`.
    pub at: Vec<Place>,
}

/// The sentences of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The message.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places.
    pub related: Vec<(Place, String)>,
}

impl Verdict {
    /// Returns the sentences for a severity: this verdict's, or the note that it was lowered to.
    pub fn said(&self, severity: Severity) -> &Said {
        let lowered = match severity {
            lowered if lowered == self.severity => None,
            Severity::Note => self.as_note.as_deref(),
            Severity::Warning => self.as_warning.as_deref(),
            Severity::Error => None,
        };
        lowered.unwrap_or(&self.said)
    }
}

impl Rule {
    /// Loads a rule from its file.
    ///
    /// # Errors
    /// Returns all errors in the rule, each with its place.
    pub fn load(source: &Source) -> Result<Rule, Vec<Problem>> {
        Loader {
            source,
            built_in: None,
        }
        .load()
    }

    /// Whether the rule has a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag)
    }

    /// Whether the rule needs certain facts.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether a finding may depend on other files, such as pools or namespaces. Then a run over some of the files proves
    /// nothing about findings that are missing. Only `false` is certain.
    pub fn may_rest_on_other_files(&self) -> bool {
        self.has_tag(CROSS_REFERENCE)
            || self.needs(Need::Pools)
            || self.needs(Need::CompletePools)
            || self.scope == Scope::Workload
            || self.scope.is_of_changes()
            || self.condition.contains("pool")
            || self.names.iter().any(|(_, text)| text.contains("pool"))
    }

    /// Whether it can find something if the pools are not complete, as far as the rule says.
    pub fn dares(&self, complete: bool) -> bool {
        complete
            || !self.needs(Need::CompletePools)
            || self.otherwise == Otherwise::Note
            || self.stands_when.is_some()
    }

    /// Whether the condition certainly fails for all workloads of one shape; `bindings` contain no identity.
    pub fn spares(&self, bindings: &Bindings) -> bool {
        !self.when.may_read_identity() && matches!(self.when.holds(bindings), Ok(false))
    }

    /// Returns the named values that the conditions on the rule's page use, with their expressions, in order.
    pub fn names_in_conditions(&self) -> Vec<(&str, &str)> {
        let mut read = vec![self.condition.as_str()];
        read.extend(self.severities().map(|(condition, _)| condition));
        let mut used = Vec::new();
        // A value can only use earlier values.
        for (name, text) in self.names.iter().rev() {
            if read.iter().any(|other| mentions(other, name)) {
                read.push(text);
                used.push((name.as_str(), text.as_str()));
            }
        }
        used.reverse();
        used
    }

    /// Returns the conditions that change the severity, as written, each with the severity if it is the first to hold.
    pub fn severities(&self) -> impl Iterator<Item = (&str, Severity)> {
        let cases = self.cases.iter();
        cases.filter_map(|case| Some((case.condition.as_str(), case.severity?)))
    }

    /// Returns the rules that it gives way to, each with its condition, or `None` if it always does.
    pub fn gives_way_to(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let all = self.gives_way.iter();
        all.map(|one| (one.rule.as_str(), one.condition.as_deref()))
    }

    /// Returns when its findings are only counted: the condition as written, and the words for the count.
    pub fn summary(&self) -> Option<(&str, &Words)> {
        let summary = self.summary.as_ref()?;
        Some((&summary.condition, &summary.words))
    }

    /// Whether the rule has a fix.
    pub fn has_fix(&self) -> bool {
        !self.fixes.is_empty()
    }

    /// Returns whether it has a safe fix, and whether it has an unsafe one.
    pub fn fixes(&self) -> (bool, bool) {
        let any = |safe| self.fixes.iter().any(|fix| fix.safe == safe);
        (any(true), any(false))
    }

    /// Whether it certainly reports nothing because it is unknown already at its beginning. Worth asking only of rules that
    /// go through a list.
    pub fn begins_unknown(&self, bindings: &Bindings) -> bool {
        self.when.mentions("workload.tolerations") && self.when.begins_unknown(bindings)
    }

    /// Evaluates the rule over one input.
    pub fn judge(&self, bindings: &Bindings) -> Judged {
        match self.when.holds(bindings) {
            Ok(false) => return Judged::Nothing,
            Ok(true) => {}
            Err(Evaluation::Absent) => return Judged::Nothing,
            Err(Evaluation::Unknown(what)) => return Judged::Unknown(what),
            Err(Evaluation::Failed(why)) => return Judged::Failed(why),
        }
        match self.verdict(bindings) {
            Ok(verdict) => Judged::Verdict(verdict),
            Err(why) => Judged::Failed(why),
        }
    }

    fn verdict(&self, bindings: &Bindings) -> Result<Verdict, String> {
        let severity = self.cases.severity(bindings)?.unwrap_or(self.severity);
        let bound = bindings.with_severity(severity);
        let reads_severity =
            self.cases.read_severity() || self.sentences().any(Template::reads_severity);
        let lowers = severity != Severity::Note && reads_severity;
        let lowered = |to: Severity, applies: bool| match applies {
            true => Ok(Some(Box::new(self.say(&bindings.with_severity(to))?))),
            false => Ok::<_, String>(None),
        };
        let as_note = lowered(Severity::Note, lowers)?;
        let stands = match &self.stands_when {
            Some(when) => when.surely(bindings)?,
            None => false,
        };
        let is_lower = lowers && stands && severity == Severity::Error;
        let as_warning = lowered(Severity::Warning, is_lower)?;
        let counted = match &self.summary {
            Some(summary) => summary.when.surely(bindings)?,
            None => false,
        };
        let at = match self.points_at.as_ref().map(|at| at.facts(bindings)) {
            Some(Ok(facts)) => facts.iter().filter_map(Fact::place).cloned().collect(),
            Some(Err(Evaluation::Failed(why))) => return Err(why),
            Some(Err(Evaluation::Unknown(_) | Evaluation::Absent)) | None => Vec::new(),
        };
        Ok(Verdict {
            severity,
            stands,
            at,
            said: self.say(&bound)?,
            as_warning,
            as_note,
            gives_way_to: gives_way::those_here(&self.gives_way, bindings)?,
            counted,
            fixes: self
                .fixes
                .iter()
                .filter_map(|fix| fix.propose(&bound).transpose())
                .collect::<Result<_, _>>()?,
        })
    }

    fn sentences(&self) -> impl Iterator<Item = &Template> {
        let related = self.related.iter().map(|(_, message)| message);
        let own = related.chain([&self.message]).chain(&self.help);
        own.chain(self.cases.sentences())
    }

    fn say(&self, bindings: &Bindings) -> Result<Said, String> {
        let mut related = Vec::new();
        for (at, message) in &self.related {
            let facts = match at.facts(bindings) {
                Ok(facts) => facts,
                Err(Evaluation::Unknown(_) | Evaluation::Absent) => continue,
                Err(Evaluation::Failed(why)) => return Err(why),
            };
            let message = message.fill(bindings)?;
            let places = facts.iter().filter_map(Fact::place);
            related.extend(places.map(|place| (place.clone(), message.clone())));
        }
        let message = self.cases.message(bindings)?.unwrap_or(&self.message);
        Ok(Said {
            related,
            message: message.fill(bindings)?,
            help: match self.cases.help(bindings)?.or(self.help.as_ref()) {
                Some(help) => Some(help.fill(bindings)?).filter(|text| !text.trim().is_empty()),
                None => None,
            },
        })
    }
}

/// Whether an expression contains a name as a word.
fn mentions(expression: &str, name: &str) -> bool {
    let mut words = expression.split(|one: char| !one.is_ascii_alphanumeric());
    words.any(|word| word == name)
}

struct Loader<'s> {
    source: &'s Source,
    /// The rule, if the program carries it; tests ensure that it is valid.
    built_in: Option<&'s CarriedRule>,
}

impl Loader<'_> {
    fn problem(&self, span: Span, message: impl Into<String>) -> Problem {
        Problem::at(self.source, span, message.into())
    }

    fn load(&self) -> Result<Rule, Vec<Problem>> {
        let reading = match self.built_in {
            Some(carried) => yaml::read_json(carried.rule, SourceId(0), "the rule"),
            None => yaml::read(self.source, SourceId(0), "the rule"),
        };
        match reading.whole(self.source, Problem::at)? {
            Some(file) => self.check(file),
            None => {
                let start = Span::new(SourceId(0), 0..0);
                Err(vec![self.problem(start, "the file contains no rule")])
            }
        }
    }

    fn check(&self, file: RuleFile) -> Result<Rule, Vec<Problem>> {
        let mut problems = self.check_id(&file);
        if self.built_in.is_none() {
            self.check_examples(&file, &mut problems);
        }
        let scope = scope_of(&file);
        self.check_change(&file, &mut problems);
        if !scope.is_of_changes() && !vocabulary::places(scope).contains(&file.at.value.as_str()) {
            let known = vocabulary::places(scope).join(", ");
            problems.push(self.problem(
                file.at.span,
                format!(
                    "a rule in scope {} cannot point at `{}`; choose one of {known}",
                    scope.as_str(),
                    file.at.value
                ),
            ));
        }
        let (names, wrong) = self.names(&file);
        problems.extend(wrong);
        let compiler = Compiler {
            scope,
            names: Arc::new(names),
            kinds: Kinds::ALL,
            deferred: self.built_in.is_some(),
        };
        let mut keep = |spanned: &yaml::Spanned<String>, error: ExpressionError| {
            let offset = self.offset_in(spanned, error.offset);
            let span = Span::new(spanned.span.source, offset..offset);
            problems.push(self.problem(span, error.message));
        };
        let when = Expression::compile(&file.when.value, &compiler, Expected::Condition)
            .map_err(|error| keep(&file.when, error))
            .ok();
        let compiler = compiler.within(when.as_ref().map_or(Kinds::ALL, |when| when.kinds(true)));
        let mut wrong = Vec::new();
        let (cases, message_kinds, help_kinds) = Cases::compile(&file.cases, &compiler, &mut wrong);
        for (text, error) in wrong {
            keep(&text, error);
        }
        let mut expression = |text: &yaml::Spanned<String>, expected: Expected| {
            Expression::compile(&text.value, &compiler, expected)
                .map_err(|error| keep(text, error))
                .ok()
        };
        let points_at = match scope.is_of_changes() {
            true => expression(&file.at, Expected::Facts),
            false => None,
        };
        let places: Vec<_> = file
            .related
            .iter()
            .map(|one| expression(&one.at, Expected::Facts))
            .collect();
        let stands = file.stands_when.as_ref().map(|text| text.value.clone());
        let stands_when = file.stands_when.as_ref();
        let stands_when = stands_when.and_then(|text| expression(text, Expected::Condition));
        let summary = file.summary.and_then(|summary| {
            Some(Summary {
                when: expression(&summary.when, Expected::Condition)?,
                condition: summary.when.value,
                words: Words {
                    one: summary.one,
                    many: summary.many,
                },
            })
        });
        let mut gives_way = Vec::new();
        for one in file.gives_way_to {
            let (rule, condition) = one.value.parts();
            let when = match &condition {
                Some(text) => expression(text, Expected::Condition).map(Some),
                None => Some(None),
            };
            let Some(when) = when else { continue };
            gives_way.push(GivesWay {
                rule,
                position: self.source.position(one.span.start),
                condition: condition.map(|text| text.value),
                when,
            });
        }
        let mut sentence = |text: &yaml::Spanned<String>, kinds: Kinds| {
            Template::compile(&text.value, &compiler.within(kinds))
                .map_err(|error| keep(text, error))
                .ok()
        };
        let message = sentence(&file.message, message_kinds);
        let help = file
            .help
            .as_ref()
            .and_then(|help| sentence(help, help_kinds));
        let related: Vec<_> = file
            .related
            .iter()
            .zip(places)
            .filter_map(|(one, place)| Some((place?, sentence(&one.message, Kinds::ALL)?)))
            .collect();
        let mut fixes = Vec::new();
        for fix in file.fix.iter().flat_map(FixFiles::as_slice) {
            match Fix::compile(fix, &compiler) {
                Ok(fix) => fixes.push(fix),
                Err((text, error)) => keep(&text, error),
            }
        }
        match (when, message) {
            (Some(when), Some(message)) if problems.is_empty() => Ok(Rule {
                id: file.id.value,
                title: file.title,
                severity: file.severity,
                tags: file.tags,
                scope,
                needs: file.needs,
                otherwise: file.otherwise,
                stands,
                of_parts: file.of_parts,
                condition: file.when.value,
                at: file.at.value,
                why: file.why,
                how_to_fix: file.how_to_fix,
                ignore_when: file.ignore_when,
                source: file.source,
                names: written_names(&file.names)
                    .into_iter()
                    .map(|(name, text)| (name.to_owned(), text.value.clone()))
                    .collect(),
                cases,
                help_text: file.help.map(|text| text.value),
                examples: match self.built_in {
                    Some(carried) => Examples::carried(carried.examples),
                    None => Examples::of(file.examples),
                },
                file: self.source.path.clone(),
                points_at,
                when,
                stands_when,
                related,
                message,
                help,
                fixes,
                gives_way,
                summary,
            }),
            _ => {
                problems.sort();
                Err(problems)
            }
        }
    }

    /// Returns the named values of a rule, and the errors in them.
    fn names(&self, file: &RuleFile) -> (Names, Vec<Problem>) {
        let mut names = Names::default();
        let mut problems = Vec::new();
        // A named value may be used wherever `when` holds.
        let kinds = match self.built_in.is_some() {
            // Built-in conditions are correct, and are parsed when they are first evaluated.
            true => Kinds::ALL,
            false => parse::parse(&file.when.value)
                .map_or(Kinds::ALL, |when| Kinds::where_it(true, when.expression())),
        };
        let scope = scope_of(file);
        let taken = vocabulary::variables(scope);
        for (name, text) in written_names(&file.names) {
            if self.built_in.is_some() {
                names.push_known(name, &text.value);
                continue;
            }
            let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.chars().all(|one| one.is_ascii_alphanumeric());
            let is_taken = taken.iter().any(|(known, _)| known == &name)
                || ["severity", "true", "false", "null", "in"].contains(&name);
            if !is_word || is_taken {
                let why = match is_taken {
                    true => "already has a meaning here",
                    false => "must be letters and digits and begin with a small letter",
                };
                problems.push(self.problem(text.span, format!("the name `{name}` {why}")));
            }
            let compiler = Compiler {
                scope,
                names: Arc::new(std::mem::take(&mut names)),
                kinds,
                deferred: false,
            };
            let ty = expression::type_of(&text.value, &compiler, Expected::Value);
            names = Arc::into_inner(compiler.names).unwrap_or_default();
            match ty {
                Ok(ty) => names.push(name, &text.value, ty),
                Err(error) => {
                    let offset = self.offset_in(text, error.offset);
                    let span = Span::new(text.span.source, offset..offset);
                    problems.push(self.problem(span, error.message));
                    names.push(name, &text.value, Ty::Dyn);
                }
            }
        }
        (names, problems)
    }

    fn check_id(&self, file: &RuleFile) -> Vec<Problem> {
        let mut problems = Vec::new();
        let id = &file.id.value;
        let kebab = !id.is_empty()
            && id.split('-').all(|word| {
                !word.is_empty()
                    && word
                        .chars()
                        .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit())
            });
        if !kebab {
            problems.push(self.problem(file.id.span, format!("id `{id}` is not kebab-case")));
        }
        let stem = self.source.stem();
        if stem != id {
            problems.push(self.problem(
                file.id.span,
                format!("id `{id}` must match the file name, `{stem}`"),
            ));
        }
        problems
    }

    /// What belongs to rules of scope `change` only, and what they cannot have.
    fn check_change(&self, file: &RuleFile, problems: &mut Vec<Problem>) {
        let span = file.id.span;
        if !file.scope.is_of_changes() {
            if let Some(of) = &file.of {
                let message = "`of` belongs to rules of scope `change`";
                problems.push(self.problem(of.span, message));
            }
            let texts = file.examples.iter().flat_map(ExampleFile::texts);
            if !texts.into_iter().all(ExampleText::has_files_only) {
                let message =
                    "only a rule of scope `change` has examples with `before` and `after`";
                problems.push(self.problem(span, message));
            }
            return;
        }
        let others = [
            ("fix", file.fix.is_some()),
            ("summary", file.summary.is_some()),
            ("of-parts", file.of_parts),
        ];
        for (key, _) in others.iter().filter(|(_, is_there)| *is_there) {
            let message = format!("a rule of scope `change` has no `{key}`");
            problems.push(self.problem(span, message));
        }
        let mut texts = file.examples.iter().flat_map(ExampleFile::texts);
        if !texts.all(ExampleText::is_change) {
            let message = "an example of a rule of scope `change` is a map with `before` and `after`, each a map from path to text";
            problems.push(self.problem(span, message));
        }
    }

    fn check_examples(&self, file: &RuleFile, problems: &mut Vec<Problem>) {
        let span = file.id.span;
        if file
            .examples
            .iter()
            .any(|one| one.bad.is_some() == one.good.is_some())
        {
            problems.push(self.problem(span, "each example must be either `bad` or `good`"));
        }
        let marked = |text: &ExampleText| text.files().iter().any(|(_, text)| text.contains(MARK));
        if !file.examples.iter().any(|one| one.bad.is_some()) {
            problems.push(self.problem(span, "a rule needs at least one bad example"));
        }
        if !file.examples.iter().any(|one| one.good.is_some()) {
            problems.push(self.problem(span, "a rule needs at least one good example"));
        }
        if file
            .examples
            .iter()
            .filter_map(|one| one.bad.as_ref())
            .any(|text| !marked(text))
        {
            problems.push(self.problem(
                span,
                format!("a bad example must mark each expected line with `{MARK}`"),
            ));
        }
    }

    /// Returns the offset in the file for an offset in a scalar's value, or the scalar's start if they cannot be matched.
    fn offset_in(&self, scalar: &yaml::Spanned<String>, offset: usize) -> usize {
        let raw = self.source.slice(scalar.span);
        let start = scalar.span.start as usize;
        if let Some(at) = raw.find(&scalar.value) {
            return start + at + offset;
        }
        let before = scalar.value.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().map_or(0, str::len);
        let Some(wanted) = scalar.value.lines().nth(line) else {
            return start;
        };
        let mut at = 0;
        for (number, text) in raw.split_inclusive('\n').enumerate() {
            if number == line + 1
                && let Some(found) = text.find(wanted)
            {
                return start + at + found + column;
            }
            at += text.len();
        }
        start
    }
}

/// The scope of a rule, which says whether a change of a workload or of a pool is meant.
fn scope_of(file: &RuleFile) -> Scope {
    match (file.scope, file.of.as_ref().map(|of| of.value)) {
        (Scope::Change, Some(ChangeOf::Pool)) => Scope::PoolChange,
        (scope, _) => scope,
    }
}

/// Returns the named values in source order.
fn written_names(
    names: &BTreeMap<String, yaml::Spanned<String>>,
) -> Vec<(&str, &yaml::Spanned<String>)> {
    let mut all: Vec<_> = names
        .iter()
        .map(|(name, text)| (name.as_str(), text))
        .collect();
    all.sort_by_key(|(_, text)| text.span.start);
    all
}

/// All rules of a run, by id.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// Ids of all loaded rules, including those removed since.
    loaded: Vec<String>,
    /// Ids of rules for which the user wants to see every finding.
    asked_for: Vec<String>,
}

impl RuleSet {
    /// Loads rules from sources. A later rule replaces an earlier one with the same id.
    ///
    /// # Errors
    /// Returns all errors in all rules.
    pub fn load<'s>(
        sources: impl IntoIterator<Item = &'s Source>,
    ) -> Result<RuleSet, Vec<Problem>> {
        RuleSet::load_beside(&[], sources)
    }

    /// Does the same together with the built-in rules, whose texts are compiled on first use.
    ///
    /// # Errors
    /// Returns all errors in the other rules.
    pub fn load_beside<'s>(
        built_in: &[CarriedRule],
        sources: impl IntoIterator<Item = &'s Source>,
    ) -> Result<RuleSet, Vec<Problem>> {
        let carried = built_in.par_iter().map(|carried| {
            let source = Source::new(format!("rules/{}", carried.file), "");
            let built_in = Some(carried);
            let source = &source;
            Loader { source, built_in }.load()
        });
        let mut loaded: Vec<_> = carried.collect();
        loaded.extend(sources.into_iter().map(Rule::load));
        let mut by_id = BTreeMap::new();
        let mut problems = Vec::new();
        for rule in loaded {
            match rule {
                Ok(rule) => {
                    by_id.insert(rule.id.clone(), rule);
                }
                Err(more) => problems.extend(more),
            }
        }
        if problems.is_empty() {
            problems = gives_way::check(&by_id);
        }
        if problems.is_empty() {
            Ok(RuleSet {
                loaded: by_id.keys().cloned().collect(),
                asked_for: Vec::new(),
                rules: by_id.into_values().collect(),
            })
        } else {
            problems.sort();
            Err(problems)
        }
    }

    /// Returns the rules, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Returns one rule.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// Returns the ids of all rules that were loaded, sorted; [`RuleSet::retain`] does not change them.
    pub fn loaded(&self) -> &[String] {
        &self.loaded
    }

    /// Lists every finding of these rules, even if it would only be counted.
    pub fn ask_for(&mut self, ids: &[String]) {
        self.asked_for.extend_from_slice(ids);
    }

    /// Whether the user wants to see every finding of a rule.
    pub fn is_asked_for(&self, id: &str) -> bool {
        self.asked_for.iter().any(|asked| asked == id)
    }

    /// Keeps only the rules for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(&Rule) -> bool) {
        self.rules.retain(|rule| keep(rule));
    }
}
