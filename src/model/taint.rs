//! Taints and effects, with Kubernetes' spelling and validation of keys and values.

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

/// A declared taint. An absent value means the empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint {
    /// A label key.
    pub key: Field<String>,
    /// A label value.
    pub value: Field<String>,
    /// In Kubernetes' spelling, whatever the spelling in the source.
    pub effect: Field<String>,
}

impl Effect {
    /// All effects, in the order in which Kubernetes lists them.
    pub const ALL: [Effect; 3] = [
        Effect::NoSchedule,
        Effect::PreferNoSchedule,
        Effect::NoExecute,
    ];

    /// Parses exactly Kubernetes' spelling: case and surrounding blanks are significant, as in the API server.
    pub fn parse(text: &str) -> Option<Effect> {
        Effect::ALL
            .into_iter()
            .find(|effect| effect.as_str() == text)
    }

    /// Returns Kubernetes' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::NoSchedule => "NoSchedule",
            Effect::PreferNoSchedule => "PreferNoSchedule",
            Effect::NoExecute => "NoExecute",
        }
    }

    /// Whether the scheduler keeps pods away; `PreferNoSchedule` only lowers a score.
    pub fn is_hard(self) -> bool {
        match self {
            Effect::NoSchedule | Effect::NoExecute => true,
            Effect::PreferNoSchedule => false,
        }
    }

    /// Parses the spellings of cloud APIs too (`NO_SCHEDULE`, `no-schedule`), ignoring `_`, `-` and case.
    pub fn canonical(text: &str) -> Option<Effect> {
        // All spellings are short, so a longer text can be rejected without copying it.
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

/// Why a text is not a valid taint in kubectl's grammar.
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
    /// No `:`; kubectl accepts that only for removal.
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
    /// Creates a taint with three known parts.
    pub fn new(key: impl Into<String>, value: impl Into<String>, effect: Effect) -> Taint {
        Taint {
            key: Field::Is(key.into()),
            value: Field::Is(value.into()),
            effect: Field::Is(effect.as_str().to_owned()),
        }
    }

    /// Returns the effect, or `None` if it is unknown or invalid.
    pub fn effect(&self) -> Option<Effect> {
        Effect::parse(self.effect.known()?)
    }

    /// Whether the taint keeps away pods that do not tolerate it. Returns `No` for an effect that Kubernetes does not know,
    /// because all components ignore it.
    pub fn is_hard(&self) -> Truth {
        if self.effect.is_unknown() {
            return Truth::Unknown;
        }
        self.effect().is_some_and(Effect::is_hard).into()
    }

    /// Parses `key[=value]:Effect`, as `kubectl taint` does when it adds a taint, and as intended for items of the
    /// kubelet's `register-with-taints`. Nothing is trimmed. The kubelet itself also accepts an item without effect, but
    /// the API server then rejects the Node, so that is an error here.
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

    /// Returns the API server's validation errors for this taint on a Node. Duplicates with the same key and effect in the
    /// list are not checked here. Unreadable fields are skipped.
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

/// Returns, for each taint of a list, the earlier one with the same key and effect, which the API server rejects. Values
/// and the validity of key and effect do not matter. Unreadable taints are never duplicates.
pub fn repeated<'t>(taints: impl IntoIterator<Item = &'t Taint>) -> Vec<Option<usize>> {
    first_alike(taints, |taint: &Taint| {
        Some((taint.key.text()?, taint.effect.text()?))
    })
}

/// Returns the error for an effect that is present but not one of the three.
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

/// Formats the taint as Kubernetes does: `k=v:E`, `k:E`, `k=v:`, `k`; unknown parts are `?`.
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
