//! Reads a tree into types that derive `Deserialize`, with the offending place in every error.

use std::fmt;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::node::{Field, Kind, Node};
use super::scalar::{Scalar, big_int};
use crate::source::{SourceId, Span};

/// How deep a value may be nested: `Deserialize` recurses.
const DEPTH_LIMIT: usize = 128;

/// How alike two names must be for one to be offered for the other, from 0 to 1.
const LIKENESS: f64 = 0.75;

/// The names that tell this deserializer that a [`Spanned`] is asked for.
const SPANNED: &str = "$yaml::Spanned";
const SPANNED_FIELDS: &[&str] = &[
    "$yaml::source",
    "$yaml::start",
    "$yaml::end",
    "$yaml::value",
];

/// Why a node is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DeError {
    /// What is wrong, without a position.
    pub message: String,
    /// The unknown or repeated key, the value of the wrong type, or the mapping that lacks a field.
    pub span: Span,
}

/// Reads a node into a type.
///
/// Unlike Kubernetes' reader this one does not let a later duplicate key win: it is an error. Merge keys are followed.
///
/// # Errors
/// When the node does not have the type's shape, or is nested deeper than 128 levels.
pub fn from_node<T: DeserializeOwned>(node: Node<'_>) -> Result<T, DeError> {
    T::deserialize(De::value(node, 0)).map_err(|error| DeError {
        message: error.message,
        span: error.span.unwrap_or(node.written_at()),
    })
}

/// A value and where it was written. Works wherever the value itself would, except inside untagged enums and
/// flattened structs, through which serde passes no places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// Its place is not written, so its schema is that of the value.
impl<T: schemars::JsonSchema> schemars::JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
                let lost = || de::Error::custom("the value came without its place");
                let source = parts.next_element()?.ok_or_else(lost)?;
                let start = parts.next_element()?.ok_or_else(lost)?;
                let end = parts.next_element()?.ok_or_else(lost)?;
                let value = parts.next_element()?.ok_or_else(lost)?;
                let source = SourceId(source);
                Ok(Spanned {
                    value,
                    span: Span { source, start, end },
                })
            }
        }

        deserializer.deserialize_struct(SPANNED, SPANNED_FIELDS, Parts(std::marker::PhantomData))
    }
}

/// An error on its way up; the innermost node with a place claims it.
#[derive(Debug)]
struct Fault {
    message: String,
    span: Option<Span>,
}

impl Fault {
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Fault {
            message: message.to_string(),
            span: None,
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Fault::custom(unknown("field", field, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Fault::custom(unknown("value", variant, expected))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        // In YAML's words rather than in serde's.
        let found = match found {
            Unexpected::Unit | Unexpected::Option => "null".to_owned(),
            Unexpected::Map => "a mapping".to_owned(),
            Unexpected::Seq => "a list".to_owned(),
            other => other.to_string(),
        };
        Fault::custom(format_args!("expected {expected}, found {found}"))
    }
}

fn unknown(what: &str, name: &str, expected: &[&str]) -> String {
    let list: Vec<String> = expected.iter().map(|name| format!("`{name}`")).collect();
    let close = expected
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let mut message = match list.as_slice() {
        [] => format!("unknown {what} `{name}`, expected none"),
        [only] => format!("unknown {what} `{name}`, expected {only}"),
        _ => format!(
            "unknown {what} `{name}`, expected one of {}",
            list.join(", ")
        ),
    };
    if let Some((_, close)) = close
        && expected.len() > 1
    {
        message.push_str(&format!("; did you mean `{close}`?"));
    }
    message
}

/// A node as serde reads it.
#[derive(Clone, Copy)]
struct De<'a> {
    node: Node<'a>,
    depth: usize,
    /// Keys are text to whoever does not ask for something else.
    key: bool,
}

impl<'a> De<'a> {
    fn value(node: Node<'a>, depth: usize) -> Self {
        De {
            node,
            depth,
            key: false,
        }
    }

    fn key(node: Node<'a>, depth: usize) -> Self {
        De {
            node,
            depth,
            key: true,
        }
    }

    fn span(self) -> Span {
        self.node.written_at()
    }

    fn fault(self, message: impl fmt::Display) -> Fault {
        <Fault as de::Error>::custom(message).at(self.span())
    }

    /// Hands the node to the visitor as what it is.
    fn visit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.depth > DEPTH_LIMIT {
            return Err(self.fault(format_args!("nested deeper than {DEPTH_LIMIT} levels")));
        }
        let result = match self.node.kind() {
            Kind::Sequence => {
                let mut items = Items {
                    items: self.node.items().collect::<Vec<_>>().into_iter(),
                    depth: self.depth + 1,
                };
                visitor
                    .visit_seq(&mut items)
                    .and_then(|value| match items.items.next() {
                        Some(extra) => {
                            Err(De::value(extra, 0).fault("the list has too many items"))
                        }
                        None => Ok(value),
                    })
            }
            Kind::Mapping => self.fields().and_then(|fields| {
                visitor.visit_map(Fields {
                    fields: fields.into_iter(),
                    value: None,
                    depth: self.depth + 1,
                })
            }),
            Kind::Scalar => self.visit_scalar(visitor),
        };
        result.map_err(|fault| fault.at(self.span()))
    }

    fn visit_scalar<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let raw = self.node.raw().unwrap_or_default();
        match self.node.scalar().unwrap_or(Scalar::Null) {
            Scalar::Null => visitor.visit_unit(),
            Scalar::Bool(value) => visitor.visit_bool(value),
            // Unsigned first, as every integer type takes it if it fits.
            Scalar::Int(value) => match u64::try_from(value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(value),
            },
            Scalar::BigInt => match big_int(raw) {
                Some(value) => visitor.visit_u64(value),
                None => visitor.visit_borrowed_str(raw),
            },
            Scalar::Float(value) => visitor.visit_f64(value),
            Scalar::Str(text) => visitor.visit_borrowed_str(text),
        }
    }

    /// Hands a key over as text, anything else as what it is.
    fn visit_text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.raw() {
            Some(raw) if self.key => visitor
                .visit_borrowed_str(raw)
                .map_err(|fault: Fault| fault.at(self.span())),
            _ => self.visit(visitor),
        }
    }

    /// The fields that count; a key written twice in one mapping is an error, one that overrides a merge is not.
    fn fields(self) -> Result<Vec<Field<'a>>, Fault> {
        let mut seen = std::collections::HashSet::new();
        for field in self.node.written_fields() {
            if let Some(name) = field.name()
                && !field.is_merge()
                && !seen.insert(name)
            {
                let key = De::key(field.key, 0);
                return Err(key.fault(format_args!("duplicate field `{name}`")));
            }
        }
        Ok(self.node.fields())
    }
}

/// Requests for numbers and booleans, which are typed even where the node is a key.
macro_rules! as_typed {
    ($($request:ident)*) => {$(
        fn $request<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.visit(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for De<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_text(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_text(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.node.is_null() && !self.key {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
        .map_err(|fault: Fault| fault.at(self.span()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor
            .visit_newtype_struct(self)
            .map_err(|fault| fault.at(self.span()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == SPANNED {
            return visitor.visit_seq(SpannedParts { de: self, part: 0 });
        }
        self.visit(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.depth > DEPTH_LIMIT {
            return self.visit(visitor);
        }
        let (variant, value) = match (self.node.kind(), self.node.raw()) {
            (Kind::Mapping, _) => match self.fields()?.as_slice() {
                [only] => (only.key, Some(De::value(only.value, self.depth + 1))),
                _ => {
                    return Err(
                        self.fault(format_args!("expected a single field that names a {name}"))
                    );
                }
            },
            (Kind::Scalar, Some(raw)) if !raw.is_empty() && !self.node.is_null() => {
                (self.node, None)
            }
            _ => return self.visit(visitor),
        };
        let parts = Variant {
            // A variant's name is text, whatever it would be as a value: a level may be called `off`.
            variant: De::key(variant, self.depth),
            value,
        };
        visitor
            .visit_enum(parts)
            .map_err(|fault| fault.at(self.span()))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    as_typed! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct seq tuple tuple_struct map
    }
}

struct Items<'a> {
    items: std::vec::IntoIter<Node<'a>>,
    depth: usize,
}

impl<'a> SeqAccess<'a> for &mut Items<'a> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        self.items
            .next()
            .map(|item| {
                let de = De::value(item, self.depth);
                seed.deserialize(de).map_err(|fault| fault.at(de.span()))
            })
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Fields<'a> {
    fields: std::vec::IntoIter<Field<'a>>,
    value: Option<Node<'a>>,
    depth: usize,
}

impl<'a> MapAccess<'a> for Fields<'a> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let Some(field) = self.fields.next() else {
            return Ok(None);
        };
        self.value = Some(field.value);
        let de = De::key(field.key, self.depth);
        seed.deserialize(de)
            .map(Some)
            .map_err(|fault| fault.at(de.span()))
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some(value) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let de = De::value(value, self.depth);
        seed.deserialize(de).map_err(|fault| fault.at(de.span()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

struct Variant<'a> {
    variant: De<'a>,
    value: Option<De<'a>>,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<(T::Value, Self), Fault> {
        let span = self.variant.span();
        let name = self.variant.node.raw().unwrap_or_default();
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(|value| (value, self))
            .map_err(|fault: Fault| fault.at(span))
    }
}

impl<'a> Variant<'a> {
    fn payload(self) -> Result<De<'a>, Fault> {
        self.value.ok_or_else(|| {
            let name = self.variant.node.raw().unwrap_or_default();
            self.variant
                .fault(format_args!("`{name}` needs a value: write `{name}: ...`"))
        })
    }
}

impl<'a> VariantAccess<'a> for Variant<'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.value {
            Some(value) if !value.node.is_null() => {
                let name = self.variant.node.raw().unwrap_or_default();
                Err(value.fault(format_args!("`{name}` takes no value")))
            }
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Fault> {
        let payload = self.payload()?;
        seed.deserialize(payload)
            .map_err(|fault| fault.at(payload.span()))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.payload()?.visit(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.payload()?.visit(visitor)
    }
}

/// The parts of a [`Spanned`] in the order of its fields.
struct SpannedParts<'a> {
    de: De<'a>,
    part: usize,
}

impl<'a> SeqAccess<'a> for SpannedParts<'a> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        // Where the value itself stands, so that offsets within it can be added.
        let span = self.de.node.span();
        let number = match self.part {
            0 => span.source.0,
            1 => span.start,
            2 => span.end,
            3 => {
                self.part += 1;
                return seed
                    .deserialize(self.de)
                    .map(Some)
                    .map_err(|fault| fault.at(span));
            }
            _ => return Ok(None),
        };
        self.part += 1;
        seed.deserialize(number.into_deserializer()).map(Some)
    }
}
