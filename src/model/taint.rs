//! Taints and effects, in Kubernetes' spelling and with Kubernetes' rules for keys and values.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::validation::{ErrorCode, FieldError, is_label_key, is_label_value};
use super::{Field, Truth, first_alike};

/// What a taint does to pods that do not tolerate it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub enum Effect {
    /// New pods are not scheduled here.
    NoSchedule,
    /// New pods are scheduled elsewhere if that scores better.
    PreferNoSchedule,
    /// New pods are not scheduled here and running ones are deleted.
    NoExecute,
}

/// A taint as declared. Absent value means the empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint {
    /// A label key.
    pub key: Field<String>,
    /// A label value.
    pub value: Field<String>,
    /// In Kubernetes' spelling, whatever the source's own spelling was.
    pub effect: Field<String>,
}

impl Effect {
    /// All effects, in the order in which Kubernetes lists them.
    pub const ALL: [Effect; 3] = [
        Effect::NoSchedule,
        Effect::PreferNoSchedule,
        Effect::NoExecute,
    ];

    /// Reads Kubernetes' own spelling and no other: case and surrounding blanks matter, as in the API server.
    pub fn parse(text: &str) -> Option<Effect> {
        Effect::ALL
            .into_iter()
            .find(|effect| effect.as_str() == text)
    }

    /// Kubernetes' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::NoSchedule => "NoSchedule",
            Effect::PreferNoSchedule => "PreferNoSchedule",
            Effect::NoExecute => "NoExecute",
        }
    }

    /// Whether the scheduler keeps pods away (`PreferNoSchedule` only lowers a score).
    pub fn is_hard(self) -> bool {
        match self {
            Effect::NoSchedule | Effect::NoExecute => true,
            Effect::PreferNoSchedule => false,
        }
    }

    /// Reads the spellings of cloud APIs too (`NO_SCHEDULE`, `no-schedule`): `_`, `-` and case do not count.
    pub fn canonical(text: &str) -> Option<Effect> {
        // The longest spelling is short: a longer text need not be copied to be refused.
        if text.len() > 64 {
            return None;
        }
        let bare: String = text.chars().filter(|c| !matches!(c, '_' | '-')).collect();
        Effect::ALL
            .into_iter()
            .find(|effect| effect.as_str().eq_ignore_ascii_case(&bare))
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a taint in kubectl's grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaintSyntaxError {
    /// Nothing before the effect, or nothing at all.
    #[error("a taint needs a key: `key=value:Effect` or `key:Effect`")]
    MissingKey,
    /// More than one `:` or more than one `=`.
    #[error(
        "`{text}` has more than one `{separator}`: a taint is `key=value:Effect` or `key:Effect`"
    )]
    Repeated {
        /// The whole text.
        text: String,
        /// `:` or `=`.
        separator: char,
    },
    /// No `:`; kubectl takes that for removal only.
    #[error("`{text}` has no effect: a taint is `key=value:Effect` or `key:Effect`")]
    MissingEffect {
        /// The whole text.
        text: String,
    },
    /// A trailing `-`, which removes a taint.
    #[error("`{text}` ends in `-`, which removes a taint and adds none")]
    Removal {
        /// The whole text.
        text: String,
    },
    /// Not one of the three effects.
    #[error("`{effect}` is not an effect: use NoSchedule, PreferNoSchedule or NoExecute")]
    UnknownEffect {
        /// The part after the colon.
        effect: String,
    },
    /// Not a label key.
    #[error("the key `{key}` is not valid: {why}")]
    InvalidKey {
        /// The key as written.
        key: String,
        /// What is wrong with it.
        why: String,
    },
    /// Not a label value.
    #[error("the value `{value}` is not valid: {why}")]
    InvalidValue {
        /// The value as written.
        value: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Taint {
    /// A taint whose three parts are known.
    pub fn new(key: impl Into<String>, value: impl Into<String>, effect: Effect) -> Taint {
        Taint {
            key: Field::Is(key.into()),
            value: Field::Is(value.into()),
            effect: Field::Is(effect.as_str().to_owned()),
        }
    }

    /// The effect, when it is known and one of the three.
    pub fn effect(&self) -> Option<Effect> {
        Effect::parse(self.effect.known()?)
    }

    /// Whether the taint keeps pods away that do not tolerate it. An effect that Kubernetes does not know is
    /// inert in every component, so it is `No`.
    pub fn is_hard(&self) -> Truth {
        if self.effect.is_unknown() {
            return Truth::Unknown;
        }
        self.effect().is_some_and(Effect::is_hard).into()
    }

    /// Reads `key[=value]:Effect`, as `kubectl taint` does to add a taint and as each item of the kubelet's
    /// `register-with-taints` is meant. Nothing is trimmed. The kubelet itself also takes an item without effect;
    /// the API server then refuses the Node, so that is an error here.
    pub fn parse_flag(text: &str) -> Result<Taint, TaintSyntaxError> {
        let whole = || text.to_owned();
        if text.is_empty() {
            return Err(TaintSyntaxError::MissingKey);
        }
        if text.ends_with('-') {
            return Err(TaintSyntaxError::Removal { text: whole() });
        }
        let Some((left, effect)) = text.split_once(':') else {
            return Err(TaintSyntaxError::MissingEffect { text: whole() });
        };
        if effect.contains(':') {
            return Err(TaintSyntaxError::Repeated {
                text: whole(),
                separator: ':',
            });
        }
        let effect = match Effect::parse(effect) {
            Some(effect) => effect,
            None if effect.is_empty() => {
                return Err(TaintSyntaxError::MissingEffect { text: whole() });
            }
            None => {
                return Err(TaintSyntaxError::UnknownEffect {
                    effect: effect.to_owned(),
                });
            }
        };
        let (key, value) = left.split_once('=').unwrap_or((left, ""));
        if value.contains('=') {
            return Err(TaintSyntaxError::Repeated {
                text: whole(),
                separator: '=',
            });
        }
        if key.is_empty() {
            return Err(TaintSyntaxError::MissingKey);
        }
        is_label_key(key).map_err(|why| TaintSyntaxError::InvalidKey {
            key: key.to_owned(),
            why,
        })?;
        is_label_value(value).map_err(|why| TaintSyntaxError::InvalidValue {
            value: value.to_owned(),
            why,
        })?;
        Ok(Taint::new(key, value, effect))
    }

    /// What the API server says to this taint on a Node, apart from its neighbours (a second taint with the same
    /// key and effect is for whoever sees the list). Fields that could not be read are skipped.
    pub fn errors(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if let Some(key) = self.key.text()
            && let Err(why) = is_label_key(key)
        {
            errors.push(FieldError::new(
                "key".to_owned(),
                ErrorCode::InvalidKey,
                why,
            ));
        }
        if let Some(value) = self.value.text()
            && let Err(why) = is_label_value(value)
        {
            errors.push(FieldError::new(
                "value".to_owned(),
                ErrorCode::InvalidValue,
                why,
            ));
        }
        match self.effect.text() {
            Some("") => errors.push(FieldError::new(
                "effect",
                ErrorCode::MissingEffect,
                "effect is required: use NoSchedule, PreferNoSchedule or NoExecute",
            )),
            Some(effect) => errors.extend(unknown_effect(effect)),
            None => {}
        }
        errors
    }
}

/// For each taint of a list the earlier one with the same key and effect, which the API server does not take. Values do
/// not count, nor whether key and effect are valid; what could not be read repeats nothing.
pub fn repeated<'t>(taints: impl IntoIterator<Item = &'t Taint>) -> Vec<Option<usize>> {
    first_alike(taints, |taint: &Taint| {
        Some((taint.key.text()?, taint.effect.text()?))
    })
}

/// The error for an effect that is written and is none of the three.
pub(super) fn unknown_effect(effect: &str) -> Option<FieldError> {
    match Effect::parse(effect) {
        Some(_) => None,
        None => Some(FieldError::new(
            "effect",
            ErrorCode::UnknownEffect,
            "the effect must be NoSchedule, PreferNoSchedule or NoExecute",
        )),
    }
}

/// Kubernetes' own string form: `k=v:E`, `k:E`, `k=v:`, `k`; what could not be read stands as `?`.
impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.text().unwrap_or("?");
        let effect = self.effect.text().unwrap_or("?");
        f.write_str(self.key.text().unwrap_or("?"))?;
        if !value.is_empty() {
            write!(f, "={value}:{effect}")
        } else if !effect.is_empty() {
            write!(f, ":{effect}")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(taint: &Taint) -> Vec<(String, ErrorCode)> {
        let told = |error: FieldError| (error.field.into_owned(), error.code);
        taint.errors().into_iter().map(told).collect()
    }

    #[test]
    fn only_the_exact_spelling_parses_and_cloud_spellings_are_canonicalised() {
        assert_eq!(Effect::parse("NoSchedule"), Some(Effect::NoSchedule));
        for wrong in [
            "noSchedule",
            "NoSchedule ",
            "NO_SCHEDULE",
            "",
            "NoScheduleNoAdmit",
        ] {
            assert_eq!(Effect::parse(wrong), None, "{wrong}");
        }
        for (spelled, effect) in [
            ("NO_SCHEDULE", Effect::NoSchedule),
            ("no-schedule", Effect::NoSchedule),
            ("PREFER_NO_SCHEDULE", Effect::PreferNoSchedule),
            ("no-execute", Effect::NoExecute),
            ("noexecute", Effect::NoExecute),
        ] {
            assert_eq!(Effect::canonical(spelled), Some(effect), "{spelled}");
        }
        for wrong in ["None", "NoSchedule ", "PreferredNoSchedule", ""] {
            assert_eq!(Effect::canonical(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn flags_follow_kubectl_grammar() {
        let parsed = |text| Taint::parse_flag(text).map(|taint| taint.to_string());
        assert_eq!(parsed("a=b:NoSchedule").as_deref(), Ok("a=b:NoSchedule"));
        assert_eq!(parsed("a:NoExecute").as_deref(), Ok("a:NoExecute"));
        assert_eq!(parsed("a=:NoExecute").as_deref(), Ok("a:NoExecute"));
        assert_eq!(
            parsed("x.io/a=b:PreferNoSchedule").as_deref(),
            Ok("x.io/a=b:PreferNoSchedule")
        );
    }

    #[test]
    fn each_broken_flag_says_what_is_broken() {
        use TaintSyntaxError as E;
        let error = |text| Taint::parse_flag(text).unwrap_err();
        assert_eq!(error(""), E::MissingKey);
        assert_eq!(error(":NoSchedule"), E::MissingKey);
        assert_eq!(error("=v:NoSchedule"), E::MissingKey);
        assert!(matches!(error("a"), E::MissingEffect { .. }));
        assert!(matches!(error("a=b"), E::MissingEffect { .. }));
        assert!(matches!(error("a=b:"), E::MissingEffect { .. }));
        assert!(matches!(
            error("a:b:NoSchedule"),
            E::Repeated { separator: ':', .. }
        ));
        assert!(matches!(
            error("a=b=c:NoSchedule"),
            E::Repeated { separator: '=', .. }
        ));
        assert!(matches!(error("a:NoSchedule-"), E::Removal { .. }));
        assert!(matches!(error("a-"), E::Removal { .. }));
        assert!(matches!(error("a:NO_SCHEDULE"), E::UnknownEffect { .. }));
        assert!(matches!(error("a: NoSchedule"), E::UnknownEffect { .. }));
        assert!(matches!(error("-a=b:NoSchedule"), E::InvalidKey { .. }));
        assert!(matches!(error("a=b c:NoSchedule"), E::InvalidValue { .. }));
    }

    #[test]
    fn taint_errors_blame_the_field_that_is_wrong() {
        assert_eq!(codes(&Taint::new("a", "", Effect::NoSchedule)), []);
        assert_eq!(
            codes(&Taint::default()),
            [
                ("key".to_owned(), ErrorCode::InvalidKey),
                ("effect".to_owned(), ErrorCode::MissingEffect)
            ]
        );
        let mut taint = Taint::new("a", "-5", Effect::NoSchedule);
        taint.effect = Field::Is("noSchedule".into());
        assert_eq!(
            codes(&taint),
            [
                ("value".to_owned(), ErrorCode::InvalidValue),
                ("effect".to_owned(), ErrorCode::UnknownEffect)
            ]
        );
        let unknown = Taint {
            key: Field::Unknown,
            value: Field::Unknown,
            effect: Field::Unknown,
        };
        assert_eq!(codes(&unknown), []);
        assert_eq!(unknown.to_string(), "?=?:?");
    }

    #[test]
    fn hardness_of_an_unread_effect_is_unknown_and_of_an_invalid_one_is_no() {
        let mut taint = Taint::new("a", "", Effect::NoExecute);
        assert_eq!(taint.is_hard(), Truth::Yes);
        taint.effect = Field::Is("PreferNoSchedule".into());
        assert_eq!(taint.is_hard(), Truth::No);
        taint.effect = Field::Is("NoAdmit".into());
        assert_eq!(taint.is_hard(), Truth::No);
        taint.effect = Field::Absent;
        assert_eq!(taint.is_hard(), Truth::No);
        taint.effect = Field::Unknown;
        assert_eq!(taint.is_hard(), Truth::Unknown);
    }
}
