//! Notices: what reading found beside facts. Rules of scope `notice` judge them; each kind has fields of its own.

use super::workload::Level;
use crate::finding::{Label, Object};
use crate::source::Span;

/// Something that reading noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What was noticed.
    pub kind: NoticeKind,
    /// What is known about the owner.
    pub level: Level,
    /// The object that it belongs to.
    pub object: Object,
    /// Where.
    pub span: Span,
    /// Field path.
    pub path: String,
    /// Other places that matter.
    pub related: Vec<Label>,
}

impl Notice {
    /// A notice about a file rather than about an object in it.
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
    /// A text.
    Text(&'n str),
    /// A boolean.
    Bool(bool),
}

/// The type of a notice's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeType {
    /// A text.
    Text,
    /// A boolean.
    Bool,
}

/// What a field of a notice may hold.
trait NoticeField {
    const TYPE: NoticeType;
    fn value(&self) -> NoticeValue<'_>;
}

impl NoticeField for String {
    const TYPE: NoticeType = NoticeType::Text;
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Text(self)
    }
}

impl NoticeField for &'static str {
    const TYPE: NoticeType = NoticeType::Text;
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Text(self)
    }
}

impl NoticeField for bool {
    const TYPE: NoticeType = NoticeType::Bool;
    fn value(&self) -> NoticeValue<'_> {
        NoticeValue::Bool(*self)
    }
}

/// The word of a kind of notice, and the names and types of its fields.
pub type NoticeNames = (&'static str, &'static [(&'static str, NoticeType)]);

/// Makes the enum of all kinds, with the word and the names of fields that rules use.
macro_rules! notice_kinds {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident $word:literal {
            $($(#[doc = $meaning:literal])+ $field:ident $name:literal: $type:ty,)*
        }
    )*) => {
        /// What was noticed, with what is particular to it.
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
            /// Every kind, under the names that rules use.
            pub const NAMES: &'static [NoticeNames] =
                &[$(($word, &[$(($name, <$type>::TYPE)),*])),*];

            /// The word that rules use.
            pub fn as_str(&self) -> &'static str {
                match self {
                    $(NoticeKind::$kind { .. } => $word,)*
                }
            }

            /// The fields under the names that rules use.
            pub fn fields(&self) -> Vec<(&'static str, NoticeValue<'_>)> {
                match self {
                    $(NoticeKind::$kind { $($field),* } => vec![$(($name, $field.value())),*],)*
                }
            }
        }
    };
}

notice_kinds! {
    /// A field has a single value of another type than Kubernetes decodes.
    MistypedField "mistyped-field" {
        /// The field's name.
        field "field": String,
        /// What stands there, such as `a number`.
        found "found": &'static str,
        /// The text that stands there; empty for a string and where there is no single value.
        written "written": String,
        /// What belongs there, such as `a string`.
        wanted "wanted": &'static str,
        /// The right value as it has to be written; empty when it is not clear.
        meant "meant": String,
        /// `meant` is in quotes.
        quoted "quoted": bool,
    }
    /// A field or an entry around taints has a value of the wrong shape.
    MisshapenField "misshapen-field" {
        /// The field in backticks, or words such as `a taint`.
        what "what": String,
        /// What stands there, such as `a string`.
        found "found": &'static str,
        /// What belongs there, such as `a list`.
        wanted "wanted": &'static str,
    }
    /// A field that does not exist, where scheduling reads.
    UnknownField "unknown-field" {
        /// The field's name.
        field "field": String,
        /// What has no such field, such as `the pod spec`.
        owner "owner": String,
        /// The field that was probably meant; empty when none is near.
        meant "meant": String,
    }
    /// Tolerations of a built-in kind where Kubernetes does not read them.
    MisplacedTolerations "misplaced-tolerations" {
        /// The field's name.
        field "field": String,
        /// Where it stands, in words.
        place "place": String,
        /// The path where the list belongs; empty when the object has no such place.
        move_to "moveTo": String,
    }
    /// Tolerations of a custom resource where its schema has none.
    DroppedTolerations "dropped-tolerations" {
        /// The path of the map that holds the list.
        place "place": String,
        /// The path where the list belongs; empty when the object creates no pods.
        move_to "moveTo": String,
    }
    /// A list of tolerations that is no list, or an entry that is no map.
    MalformedTolerations "malformed-tolerations" {
        /// An entry is wrong, not the list.
        entry "entry": bool,
        /// What stands there, such as `a string`.
        found "found": &'static str,
    }
    /// A key twice in a map.
    DuplicateYamlKey "duplicate-yaml-key" {
        /// The key.
        key "key": String,
        /// Both have the same value.
        identical "identical": bool,
    }
    /// A RuntimeClass lists a toleration twice.
    RepeatedToleration "repeated-toleration" {
        /// Both entries are the same in every field.
        identical "identical": bool,
    }
    /// A node selector or node affinity that is not valid.
    InvalidNodeSelector "invalid-node-selector" {
        /// The field that is wrong, such as `operator` or `values[0]`.
        field "field": String,
        /// What is wrong, as a sentence.
        why "why": String,
        /// The text that stands there; empty when there is none.
        written "written": String,
        /// The operator that was probably meant; empty when none is near.
        meant "meant": String,
    }
    /// A node selector or node affinity with a value of the wrong type.
    MalformedNodeSelector "malformed-node-selector" {
        /// The field in backticks, or words such as `a value`.
        what "what": String,
        /// What stands there, such as `a number`.
        found "found": &'static str,
        /// What belongs there, such as `a map`.
        wanted "wanted": &'static str,
        /// The text that stands there; empty when there is no single value.
        written "written": String,
        /// The right value as it has to be written; empty when it is not clear.
        meant "meant": String,
    }
    /// A value of node affinity that newer releases refuse.
    InvalidAffinityValue "invalid-affinity-value" {
        /// What is wrong, as a sentence.
        why "why": String,
        /// The value.
        written "written": String,
        /// The term is preferred, not required.
        preferred "preferred": bool,
    }
    /// A value of node affinity that every release accepts, and the scheduler cannot use.
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
    /// An annotation that nothing reads any more.
    DeadAnnotation "dead-annotation" {
        /// Its key.
        annotation "annotation": &'static str,
    }
    /// An annotation that nothing reads any more, and that API servers refuse.
    InvalidAnnotation "invalid-annotation" {
        /// What is wrong, as a sentence.
        why "why": String,
    }
    /// The same, but only where `Gt` and `Lt` are off.
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
        /// What stands there.
        written "written": String,
        /// The spelling that is read there.
        meant "meant": String,
    }
    /// A flag that a later one replaces.
    RepeatedFlag "repeated-flag" {
        /// The flag.
        flag "flag": String,
        /// The value that is lost.
        lost "lost": String,
        /// The value that counts.
        kept "kept": String,
        /// Both values as one.
        both "both": String,
    }
    /// An argument in Terraform that taints no node.
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
    /// A tag for the cluster autoscaler that lists a taint that the pool does not have.
    TagWithoutTaint "tag-without-taint" {
        /// The pool.
        pool "pool": String,
        /// The taint in the tag.
        tag "tag": String,
    }
    /// A tag for the cluster autoscaler that gives a taint or label another value than the pool does.
    DifferingTag "differing-tag" {
        /// The pool.
        pool "pool": String,
        /// What the tag says.
        tag "tag": String,
        /// What the nodes have.
        actual "actual": String,
    }
    /// A document that is not YAML.
    UnparsableManifest "unparsable-manifest" {
        /// What the parser says.
        why "why": String,
        /// What the document would have been: `manifest`, `dump` (an API server wrote it) or `other`.
        content "content": &'static str,
    }
    /// A file that Terraform cannot parse.
    UnparsableConfiguration "unparsable-configuration" {
        /// What the parser says.
        why "why": String,
    }
    /// A file that is too large to check.
    TooLarge "too-large" {
        /// How large it is, and what the limit is.
        why "why": String,
    }
    /// A file that is not UTF-8.
    NotUtf8 "not-utf8" {
        /// Where it is not.
        why "why": String,
    }
    /// A file that is not text.
    Binary "binary" {}
    /// A comment that is nearly one that suppresses findings.
    MisspeltIgnore "misspelt-ignore" {
        /// What is wrong with it.
        why "why": String,
    }
    /// A suppression that names a rule that does not exist.
    UnknownRuleIgnored "unknown-rule-ignored" {
        /// The rule's id; empty when none is named.
        rule "rule": String,
        /// The rule that was probably meant; empty when none is near.
        meant "meant": String,
    }
    /// A suppression without a finding.
    UnusedIgnore "unused-ignore" {
        /// The rule's id.
        rule "rule": String,
    }
    /// A suppression whose date has passed.
    ExpiredIgnore "expired-ignore" {
        /// The date.
        until "until": String,
    }
    /// A suppression without a reason where the configuration requires one.
    IgnoreWithoutReason "ignore-without-reason" {}
}

impl NoticeKind {
    /// Whether a file or a part of it could not be read.
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
