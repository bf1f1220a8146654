//! Values that are deserialized together with their place, or as written.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::source::{SourceId, Span};

/// The name by which the deserializer recognizes a [`Spanned`].
pub(super) const SPANNED: &str = "$yaml::Spanned";

/// A value and its place. An untagged enum or a flattened struct cannot hold one: serde passes no places through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// Nobody writes the place, so the schema is that of the value.
impl<T: schemars::JsonSchema> schemars::JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
                let lost = || de::Error::custom("the value came without its place");
                let source = SourceId(parts.next_element()?.ok_or_else(lost)?);
                let start = parts.next_element()?.ok_or_else(lost)?;
                let end = parts.next_element()?.ok_or_else(lost)?;
                let value = parts.next_element()?.ok_or_else(lost)?;
                let span = Span { source, start, end };
                Ok(Spanned { value, span })
            }
        }

        deserializer.deserialize_struct(SPANNED, &[], Parts(PhantomData))
    }
}

/// The text of a scalar as it is written: `1.30` stays `1.30`, though YAML reads it as the number 1.3.
#[derive(Clone, Debug, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(inline, extend("type" = ["string", "number"]))]
pub struct Written(pub String);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Written, E> {
                Ok(Written(text.to_owned()))
            }
        }

        // Identifiers, such as the names of variants, are always passed on as written.
        deserializer.deserialize_identifier(Text)
    }
}

/// A non-empty string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema)]
#[schemars(inline)]
pub struct NonEmpty(#[schemars(length(min = 1))] pub String);

impl<'de> Deserialize<'de> for NonEmpty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Err(de::Error::invalid_length(0, &"a non-empty string"));
        }
        Ok(NonEmpty(text))
    }
}
