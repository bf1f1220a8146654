//! Notices: observations during reading besides facts. Rules of scope `notice` evaluate them; each kind has its own fields.

use super::workload::Level;
use crate::finding::{Label, Object};
use crate::source::Span;

/// An observation during reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The kind, with its fields.
    pub kind: NoticeKind,
    /// What is known about the owner.
    pub level: Level,
    /// The object that it belongs to.
    pub object: Object,
    /// The span.
    pub span: Span,
    /// Field path.
    pub path: String,
    /// Other relevant places.
    pub related: Vec<Label>,
}

impl Notice {
    /// Creates a notice about a file instead of an object in it.
    pub fn of_file(kind: NoticeKind, span: Span) -> Notice {
        Notice {
            kind,
            level: Level::Other,
            object: Object::default(),
            span,
            path: String::new(),
            related: Vec::new(),
        }
    }
}

/// The value of a notice's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeValue<'n> {
    /// A string.
    Text(&'n str),
    /// A boolean.
    Bool(bool),
}

/// The type of a notice's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeType {
    /// A string.
    Text,
    /// A boolean.
    Bool,
}

/// A type that a field of a notice may have.
trait NoticeField {
    const TYPE: NoticeType;
    fn value(&self) -> NoticeValue<'_>;
    fn take(from: &mut dyn NoticeFields) -> Option<Self>
    where
        Self: Sized;
}

/// The values of the fields of a notice, in order.
pub trait NoticeFields {
    /// The next one, if it is a string.
    fn text(&mut self) -> Option<String>;
    /// The next one, if it is a string that is part of the program.
    fn fixed(&mut self) -> Option<&'static str>;
    /// The next one, if it is a boolean.
    fn bool(&mut self) -> Option<bool>;
}

impl NoticeField for String {
    const TYPE: NoticeType = NoticeType::Text;
    fn take(from: &mut dyn NoticeFields) -> Option<Self> {
        from.text()
    }
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Text(self)
    }
}

impl NoticeField for &'static str {
    const TYPE: NoticeType = NoticeType::Text;
    fn take(from: &mut dyn NoticeFields) -> Option<Self> {
        from.fixed()
    }
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Text(self)
    }
}

impl NoticeField for bool {
    const TYPE: NoticeType = NoticeType::Bool;
    fn take(from: &mut dyn NoticeFields) -> Option<Self> {
        from.bool()
    }
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Bool(*self)
    }
}

/// The name of a kind of notice, and the names and types of its fields.
pub type NoticeNames = (&'static str, &'static [(&'static str, NoticeType)]);

/// Defines the enum of all kinds, with the names of kinds and fields that rules use.
macro_rules! notice_kinds {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident $word:literal {
            $($(#[doc = $meaning:literal])+ $field:ident $name:literal: $type:ty,)*
        }
    )*) => {
        /// A kind of notice, with its fields.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum NoticeKind {
            $(
                $(#[doc = $about])+
                $kind {
                    $($(#[doc = $meaning])+ $field: $type,)*
                },
            )*
        }

        impl NoticeKind {
            /// All kinds, with the names that rules use.
            pub const NAMES: &'static [NoticeNames] =
                &[$(($word, &[$(($name, <$type>::TYPE)),*])),*];

            /// Returns the name that rules use.
            pub fn as_str(&self) -> &'static str {
                match self {
                    $(NoticeKind::$kind { .. } => $word,)*
                }
            }

            /// Returns the fields with the names that rules use.
            pub fn fields(&self) -> Vec<(&'static str, NoticeValue<'_>)> {
                match self {
                    $(NoticeKind::$kind { $($field),* } => vec![$(($name, $field.value())),*],)*
                }
            }

            /// Returns the kind with this name, with these values for its fields.
            pub fn named(name: &str, from: &mut dyn NoticeFields) -> Option<NoticeKind> {
                match name {
                    $($word => Some(NoticeKind::$kind { $($field: <$type>::take(from)?),* }),)*
                    _ => None,
                }
            }
        }
    };
}

notice_kinds! {
    /// A field has a scalar of another type than Kubernetes decodes.
    MistypedField "mistyped-field" {
        /// The field's name.
        field "field": String,
        /// What was found, such as `a number`.
        found "found": &'static str,
        /// The text that was found; empty for a string and for a value that is not a scalar.
        written "written": String,
        /// What was expected, such as `a string`.
        wanted "wanted": &'static str,
        /// The correct value as it has to be written; empty if it is not clear.
        meant "meant": String,
        /// `meant` is in quotes.
        quoted "quoted": bool,
    }
    /// A field or an entry around taints has a value of the wrong shape.
    MisshapenField "misshapen-field" {
        /// The field in backticks, or words such as `a taint`.
        what "what": String,
        /// What was found, such as `a string`.
        found "found": &'static str,
        /// What was expected, such as `a list`.
        wanted "wanted": &'static str,
    }
    /// An unknown field in a place that scheduling reads.
    UnknownField "unknown-field" {
        /// The field's name.
        field "field": String,
        /// What has no such field, such as `the pod spec`.
        owner "owner": String,
        /// The field that was probably meant; empty if none is similar.
        meant "meant": String,
    }
    /// A list of tolerations under a key that is nearly the usual one, outside built-in kinds.
    MisspelledList "misspelled-list" {
        /// The key.
        field "field": String,
        /// The key that was probably meant.
        meant "meant": String,
    }
    /// Tolerations of a built-in kind in a place that Kubernetes does not read.
    MisplacedTolerations "misplaced-tolerations" {
        /// The field's name.
        field "field": String,
        /// The place, in words.
        place "place": String,
        /// The path where the list belongs; empty if the object has no such place.
        move_to "moveTo": String,
    }
    /// Tolerations of a custom resource in a place that its schema does not have.
    DroppedTolerations "dropped-tolerations" {
        /// The path of the mapping that contains the list.
        place "place": String,
        /// The path where the list belongs; empty if the object creates no pods.
        move_to "moveTo": String,
    }
    /// Tolerations that are not a sequence, or an entry that is not a mapping.
    MalformedTolerations "malformed-tolerations" {
        /// An entry is wrong instead of the list.
        entry "entry": bool,
        /// What was found, such as `a string`.
        found "found": &'static str,
    }
    /// A template prints a value under a key that it does not belong to.
    MisprintedValue "misprinted-value" {
        /// The key.
        key "key": String,
        /// The path of the value; `$` for all values.
        value "value": String,
        /// The value that the template tests instead; empty if it tests none, or the same one.
        tested "tested": String,
        /// The path is written as if it began at the top, although `.` is the tested value.
        nested "nested": bool,
    }
    /// A list in the values of a chart that drops entries of the chart's default list.
    ReplacedDefaults "replaced-defaults" {
        /// The chart, with the version that was examined.
        chart "chart": String,
        /// The first entry that is lost, and how many more.
        lost "lost": String,
        /// All entries that are lost.
        all "all": String,
        /// The examined version is installed from its publisher, and the pods are those of a DaemonSet.
        certain "certain": bool,
    }
    /// A patch replaces a list as a whole, so that entries are lost.
    ReplacedByPatch "replaced-by-patch" {
        /// `tolerations` or `taints`.
        field "field": String,
        /// The first entry that is lost, and how many more.
        lost "lost": String,
        /// All entries that are lost.
        all "all": String,
        /// What remains of the object still refers to one of them.
        needed "needed": bool,
    }
    /// A value of a chart that has no effect because of another value.
    IdleValue "idle-value" {
        /// Its path.
        value "value": String,
        /// What the other value has to be, such as `a.b=true`.
        condition "condition": String,
        /// The chart, with the version that was examined.
        chart "chart": String,
        /// The chart is installed from an address that it is published at.
        sure "sure": bool,
    }
    /// A value that its chart does not read.
    UnreadValue "unread-value" {
        /// Its path.
        value "value": String,
        /// The path that was probably meant.
        meant "meant": String,
        /// The chart, with the version that was examined.
        chart "chart": String,
        /// The chart is installed from an address that it is published at.
        sure "sure": bool,
    }
    /// A duplicate key in a mapping.
    DuplicateYamlKey "duplicate-yaml-key" {
        /// The key.
        key "key": String,
        /// Both have the same value.
        identical "identical": bool,
        /// What has to be for a template to write both, such as "`a.b` is set"; empty if it always does.
        condition "condition": String,
        /// The values that this depends on, one on a line, with `!` before those that must be empty.
        tests "tests": String,
        /// It is so with the chart's own values.
        met "met": bool,
    }
    /// A RuntimeClass lists a toleration twice.
    RepeatedToleration "repeated-toleration" {
        /// Both entries are equal in every field.
        identical "identical": bool,
    }
    /// A selected label that hardly anyone writes and no pool has.
    StrangeSelector "strange-selector" {
        /// What is strange: `key` or `value`.
        field "field": &'static str,
        /// The label's key.
        label "label": String,
        /// The value; empty if any will do.
        value "value": String,
        /// The word that was probably meant; empty if none is similar.
        meant "meant": String,
        /// A pool with that word; empty if there is none.
        pool "pool": String,
        /// That word is well known.
        well_known "wellKnown": bool,
        /// How many places use it; if none is similar, how many select values that pools have.
        uses "uses": String,
        /// It is very probably wrong.
        sure "sure": bool,
    }
    /// A node selector or node affinity that is not valid.
    InvalidNodeSelector "invalid-node-selector" {
        /// The field that is wrong, such as `operator` or `values[0]`.
        field "field": String,
        /// What is wrong, as a sentence.
        why "why": String,
        /// The text that was found; empty if there is none.
        written "written": String,
        /// The operator that was probably meant; empty if none is similar.
        meant "meant": String,
    }
    /// A node selector or node affinity with a value of the wrong type.
    MalformedNodeSelector "malformed-node-selector" {
        /// The field in backticks, or words such as `a value`.
        what "what": String,
        /// What was found, such as `a number`.
        found "found": &'static str,
        /// What was expected, such as `a map`.
        wanted "wanted": &'static str,
        /// The text that was found; empty if it is not a scalar.
        written "written": String,
        /// The correct value as it has to be written; empty if it is not clear.
        meant "meant": String,
    }
    /// A value of node affinity that newer releases reject.
    InvalidAffinityValue "invalid-affinity-value" {
        /// What is wrong, as a sentence.
        why "why": String,
        /// The value.
        written "written": String,
        /// The term is preferred, not required.
        preferred "preferred": bool,
    }
    /// A value of node affinity that every release accepts but the scheduler cannot use.
    UnusableAffinityValue "unusable-affinity-value" {
        /// What is wrong, as a sentence.
        why "why": String,
        /// The value.
        written "written": String,
        /// The term is preferred, not required.
        preferred "preferred": bool,
    }
    /// A label of a Node that is not valid.
    InvalidNodeLabel "invalid-node-label" {
        /// What is wrong, as a sentence.
        why "why": String,
        /// The key or the value that is wrong.
        written "written": String,
    }
    /// An annotation that is no longer read.
    DeadAnnotation "dead-annotation" {
        /// Its key.
        annotation "annotation": &'static str,
    }
    /// An annotation that is no longer read, and that API servers reject.
    InvalidAnnotation "invalid-annotation" {
        /// What is wrong, as a sentence.
        why "why": String,
    }
    /// The same, but rejected only if `Gt` and `Lt` are off.
    ComparisonInAnnotation "comparison-in-annotation" {
        /// What is wrong, as a sentence.
        why "why": String,
    }
    /// An annotation of a Namespace that its admission plugin cannot parse.
    InvalidNamespaceAnnotation "invalid-namespace-annotation" {
        /// Its key.
        annotation "annotation": &'static str,
        /// What is wrong, as a sentence.
        why "why": String,
    }
    /// An effect in the spelling of another API.
    EffectSpelling "effect-spelling" {
        /// The spelling that was found.
        written "written": String,
        /// The spelling that is valid there.
        meant "meant": String,
    }
    /// A flag that is overridden by a later one.
    RepeatedFlag "repeated-flag" {
        /// The flag.
        flag "flag": String,
        /// The value that is lost.
        lost "lost": String,
        /// The value that takes effect.
        kept "kept": String,
        /// Both values as one.
        both "both": String,
    }
    /// An argument in Terraform that has no effect on taints.
    IgnoredArgument "ignored-argument" {
        /// Its path.
        argument "argument": String,
        /// Why it has no effect.
        why "why": String,
        /// What is read instead.
        instead "instead": String,
    }
    /// A taint of a pool that tags for the cluster autoscaler do not list.
    UntaggedTaint "untagged-taint" {
        /// The pool.
        pool "pool": String,
        /// The taint.
        taint "taint": String,
    }
    /// A tag for the cluster autoscaler with a taint that the pool does not have.
    TagWithoutTaint "tag-without-taint" {
        /// The pool.
        pool "pool": String,
        /// The taint in the tag.
        tag "tag": String,
    }
    /// A tag for the cluster autoscaler that gives a taint or label a different value than the pool does.
    DifferingTag "differing-tag" {
        /// The pool.
        pool "pool": String,
        /// What the tag says.
        tag "tag": String,
        /// The taint or label of the nodes.
        actual "actual": String,
    }
    /// An inventory that lists a pool with other taints than its declaration.
    InventoryTaints "inventory-taints" {
        /// The pool.
        pool "pool": String,
        /// The taints of the declaration.
        declared "declared": String,
        /// The taints of the inventory.
        listed "listed": String,
        /// The path of the inventory.
        inventory "inventory": String,
    }
    /// A declared pool that a complete inventory does not list.
    NotInInventory "not-in-inventory" {
        /// The pool.
        pool "pool": String,
        /// The path of the inventory.
        inventory "inventory": String,
    }
    /// A document that is not YAML.
    UnparsableManifest "unparsable-manifest" {
        /// The parser's error.
        why "why": String,
        /// The kind of document: `manifest`, `dump` (written by an API server) or `other`.
        content "content": &'static str,
        /// The document is valid YAML, but one string.
        is_string "isString": bool,
    }
    /// A file that Terraform cannot parse.
    UnparsableConfiguration "unparsable-configuration" {
        /// The parser's error.
        why "why": String,
    }
    /// A file that is too large to check.
    TooLarge "too-large" {
        /// Its size and the limit.
        why "why": String,
    }
    /// A file that is not UTF-8.
    NotUtf8 "not-utf8" {
        /// Where the invalid bytes are.
        why "why": String,
    }
    /// A file that is not text.
    Binary "binary" {}
    /// A comment that resembles one that suppresses findings.
    MisspeltIgnore "misspelt-ignore" {
        /// What is wrong with it.
        why "why": String,
    }
    /// A suppression that names a rule that does not exist.
    UnknownRuleIgnored "unknown-rule-ignored" {
        /// The rule's id; empty if none is given.
        rule "rule": String,
        /// The rule that was probably meant; empty if none is similar.
        meant "meant": String,
    }
    /// A suppression that matches no finding.
    UnusedIgnore "unused-ignore" {
        /// The rule's id.
        rule "rule": String,
    }
    /// A suppression whose date has passed.
    ExpiredIgnore "expired-ignore" {
        /// The date.
        until "until": String,
    }
    /// A suppression without a reason, although the configuration requires one.
    IgnoreWithoutReason "ignore-without-reason" {}
}

impl NoticeKind {
    /// Whether a file or part of a file could not be read.
    pub fn is_unread_file(&self) -> bool {
        matches!(
            self,
            NoticeKind::UnparsableManifest { .. }
                | NoticeKind::UnparsableConfiguration { .. }
                | NoticeKind::TooLarge { .. }
                | NoticeKind::NotUtf8 { .. }
                | NoticeKind::Binary {}
        )
    }
}
