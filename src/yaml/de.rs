//! Deserializes a node with serde, with error messages in YAML terms. [`Pass`] is one attempt at a whole value. A fault
//! contains the node that the next attempt must leave out.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::node::{Document, Field, Kind, Node, NodeId, Style};
use super::scalar::{Scalar, big_int};
use super::spanned::SPANNED;
use crate::source::Span;

/// The maximum nesting depth of a value: `Deserialize` recurses.
const DEPTH_LIMIT: usize = 128;

/// The maximum number of entries of a value, unless more are written: aliases can make a small file very large.
const ENTRY_LIMIT: usize = 100_000;

/// The minimum similarity of a name for a suggestion, from 0 to 1.
const LIKENESS: f64 = 0.75;

/// The shape of the value selects variants with these names. The value is then read as the variant's content. They work
/// like serde's untagged enums, but keep places and errors.
const SHAPES: [(&str, &str); 3] = [
    ("$string", "a string"),
    ("$mapping", "a mapping"),
    ("$list", "a list"),
];

/// Why a node does not have the expected form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeError {
    /// What is wrong, without a position.
    pub message: String,
    /// The unknown or repeated key, the value of the wrong type, or the node without a required key.
    pub span: Span,
}

/// One attempt at a whole value.
pub(super) struct Pass<'p> {
    /// The name of the whole value in messages.
    what: &'p str,
    /// Wrong keys and items of earlier passes. True for unknown keys.
    left_out: &'p BTreeMap<NodeId, bool>,
    /// Errors that do not require leaving anything out.
    pub errors: RefCell<Vec<DeError>>,
    entries: Cell<usize>,
    limit: usize,
}

impl<'p> Pass<'p> {
    pub fn new(what: &'p str, document: &Document, left_out: &'p BTreeMap<NodeId, bool>) -> Self {
        Pass {
            what,
            left_out,
            errors: RefCell::default(),
            entries: Cell::new(0),
            limit: ENTRY_LIMIT.max(document.nodes.len()),
        }
    }

    /// Deserializes the value whose root is `node`.
    pub fn read<T: de::DeserializeOwned>(&self, node: Node<'_>) -> Result<T, Fault> {
        let de = De {
            node,
            pass: self,
            owner: None,
            is_key: false,
            depth: 0,
        };
        T::deserialize(de).map_err(|fault| de.claim(fault))
    }
}

/// An error that is being propagated.
#[derive(Debug)]
pub(super) struct Fault {
    wrong: Wrong,
    /// The key or item to leave out, and whether it is an unknown key.
    pub leave_out: Option<(NodeId, bool)>,
}

#[derive(Debug)]
enum Wrong {
    MustBe(String),
    OneOf(&'static [&'static str]),
    UnknownKey(&'static [&'static str]),
    Missing(&'static str),
    Said(String),
    /// An error with its place.
    Claimed(DeError),
    /// A consequence of an error that an earlier pass found.
    Follows,
}

impl Fault {
    /// Returns the error to report, or `None` if it only follows from another error.
    pub fn error(self) -> Option<DeError> {
        match self.wrong {
            Wrong::Claimed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        Fault {
            wrong,
            leave_out: None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.wrong)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Wrong::Said(message.to_string()).into()
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Wrong::MustBe(expected.to_string()).into()
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Wrong::MustBe(expected.to_string()).into()
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Wrong::MustBe(expected.to_string()).into()
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Wrong::OneOf(expected).into()
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Wrong::UnknownKey(expected).into()
    }

    fn missing_field(field: &'static str) -> Self {
        Wrong::Missing(field).into()
    }
}

/// Joins words into a list for a sentence: `a`, `b` or `c`.
fn alternatives<T: fmt::Display>(words: &[T]) -> String {
    match words {
        [] => String::new(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(T::to_string).collect();
            format!("{} or {last}", first.join(", "))
        }
    }
}

fn quoted(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    alternatives(&quoted)
}

/// Returns the known name that is most similar to a name.
fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    known
        .iter()
        .map(|one| (strsim::jaro_winkler(name, one), *one))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, one)| one)
}

/// A node that serde deserializes.
#[derive(Clone, Copy)]
struct De<'a> {
    node: Node<'a>,
    pass: &'a Pass<'a>,
    /// The key whose value is the node, and whether the node is an entry of a list below it.
    owner: Option<(Node<'a>, bool)>,
    /// Whether the node is a key. The owner is that of its mapping.
    is_key: bool,
    depth: usize,
}

impl<'a> De<'a> {
    /// The name of the node in messages; for a key, that of its mapping.
    fn name(self) -> String {
        let key = |key: Node<'_>| key.raw().unwrap_or_default().to_owned();
        match self.owner {
            None => self.pass.what.to_owned(),
            Some((owner, false)) => format!("`{}`", key(owner)),
            Some((owner, true)) => format!("an entry of `{}`", key(owner)),
        }
    }

    fn must_be(self, expected: &str) -> Fault {
        Wrong::MustBe(expected.to_owned()).into()
    }

    /// Reads the node. If it is wrong, `part` is the one to leave out.
    fn read<T: DeserializeSeed<'a>>(self, seed: T, part: Node<'_>) -> Result<T::Value, Fault> {
        seed.deserialize(self).map_err(|fault| {
            let mut fault = self.claim(fault);
            fault.leave_out.get_or_insert((part.id(), false));
            fault
        })
    }

    /// Formats a fault as a message and gives it this node's place, unless it already has one.
    fn claim(self, mut fault: Fault) -> Fault {
        let mut span = self.node.written_at();
        let subject = match self.is_key {
            true => format!("a key in {}", self.name()),
            false => self.name(),
        };
        let message = match fault.wrong {
            Wrong::Claimed(_) | Wrong::Follows => return fault,
            Wrong::MustBe(expected) => match (self.node.scalar(), self.node.raw()) {
                (Some(scalar), Some(raw))
                    if expected == "a string"
                        && !matches!(scalar, Scalar::Str(_) | Scalar::Null) =>
                {
                    format!("{subject} must be a string; write \"{raw}\"")
                }
                _ => format!("{subject} must be {expected}; found {}", self.found()),
            },
            Wrong::OneOf(words) => {
                format!(
                    "{subject} must be {}; found {}",
                    quoted(words),
                    self.found()
                )
            }
            Wrong::UnknownKey(known) => {
                let key = self.node.raw().unwrap_or_default();
                let hint = match nearest(key, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("expected {}", quoted(known)),
                };
                fault.leave_out = Some((self.node.id(), true));
                format!("unknown key `{key}` in {}; {hint}", self.name())
            }
            Wrong::Missing(key) => {
                if self.explains(key) {
                    fault.wrong = Wrong::Follows;
                    return fault;
                }
                if let Some((owner, false)) = self.owner {
                    span = owner.written_at();
                }
                format!("missing key `{key}` in {}", self.name())
            }
            Wrong::Said(message) => message,
        };
        fault.wrong = Wrong::Claimed(DeError { message, span });
        fault
    }

    /// Whether an earlier error explains a missing key: its value was wrong, or its name.
    fn explains(self, missing: &str) -> bool {
        self.node
            .fields()
            .iter()
            .any(|field| match self.pass.left_out.get(&field.key.id()) {
                Some(unknown) => *unknown || field.name() == Some(missing),
                None => false,
            })
    }

    /// Describes the node for messages.
    fn found(self) -> String {
        const LONGEST: usize = 40;
        let raw = self.node.raw().unwrap_or_default();
        match (self.node.kind(), self.node.style()) {
            (Kind::Mapping, _) => "a mapping".to_owned(),
            (Kind::Sequence, _) => "a list".to_owned(),
            _ if self.node.is_null() => "nothing".to_owned(),
            _ if raw.len() > LONGEST || raw.contains('\n') => "a string".to_owned(),
            (_, Style::DoubleQuoted) => format!("`\"{raw}\"`"),
            (_, Style::SingleQuoted) => format!("`'{raw}'`"),
            _ => format!("`{raw}`"),
        }
    }

    /// Passes the node to the visitor by its kind.
    fn visit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Sequence => visitor.visit_seq(self.items()?),
            Kind::Mapping => visitor.visit_map(self.fields()?),
            Kind::Scalar => self.visit_scalar(visitor),
        }
    }

    fn visit_scalar<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let raw = self.node.raw().unwrap_or_default();
        if self.is_key {
            return visitor.visit_borrowed_str(raw);
        }
        match self.node.scalar().unwrap_or(Scalar::Null) {
            Scalar::Null => visitor.visit_unit(),
            Scalar::Bool(value) => visitor.visit_bool(value),
            // Unsigned first: every integer type accepts it if it fits.
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

    /// Goes one level down, with this number of entries.
    fn enter(self, entries: usize) -> Result<(), Fault> {
        if self.depth >= DEPTH_LIMIT {
            return Err(de::Error::custom(format_args!(
                "nested deeper than {DEPTH_LIMIT} levels"
            )));
        }
        let pass = self.pass;
        pass.entries.set(pass.entries.get().saturating_add(entries));
        if pass.entries.get() > pass.limit {
            // No further pass could succeed.
            return Err(Fault {
                leave_out: Some((self.node.document().root().id(), false)),
                wrong: Wrong::Said(format!(
                    "{} has more than {} entries",
                    pass.what, pass.limit
                )),
            });
        }
        Ok(())
    }

    fn items(self) -> Result<Items<'a>, Fault> {
        let items: Vec<_> = self
            .node
            .items()
            .filter(|item| !self.pass.left_out.contains_key(&item.id()))
            .collect();
        self.enter(items.len())?;
        Ok(Items {
            items: items.into_iter(),
            list: self,
        })
    }

    /// Returns the effective fields. A key may override a merged one, but must not occur twice in one mapping.
    fn fields(self) -> Result<Fields<'a>, Fault> {
        let mut seen = HashSet::new();
        for field in self.node.written_fields().filter(|one| !one.is_merge()) {
            if let Some(name) = field.name()
                && !seen.insert(name)
            {
                self.pass.errors.borrow_mut().push(DeError {
                    message: format!("duplicate key `{name}` in {}", self.name()),
                    span: field.key.written_at(),
                });
            }
        }
        let mut fields = self.node.fields();
        fields.retain(|field| !self.pass.left_out.contains_key(&field.key.id()));
        self.enter(fields.len())?;
        Ok(Fields {
            fields: fields.into_iter(),
            value: None,
            mapping: self,
        })
    }
}

macro_rules! integers {
    ($($request:ident: $number:ty,)*) => {$(
        fn $request<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if !matches!(self.node.scalar(), Some(Scalar::Int(_) | Scalar::BigInt)) {
                return Err(self.must_be("a whole number"));
            }
            self.visit(visitor).map_err(|_| {
                let (least, most) = (<$number>::MIN, <$number>::MAX);
                self.must_be(&format!("a whole number from {least} to {most}"))
            })
        }
    )*};
}

impl<'de> Deserializer<'de> for De<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.as_bool() {
            Some(value) => visitor.visit_bool(value),
            None => Err(self.must_be("true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match (self.node.scalar(), self.node.raw()) {
            (Some(Scalar::Str(text)), _) => visitor.visit_borrowed_str(text),
            (_, Some(raw)) if self.is_key => visitor.visit_borrowed_str(raw),
            _ => Err(self.must_be("a string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.raw() {
            Some(raw) if self.is_key || !self.node.is_null() => visitor.visit_borrowed_str(raw),
            _ => Err(self.must_be("a string")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.is_null() && !self.is_key {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Sequence => self.visit(visitor),
            _ => Err(self.must_be("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Mapping => self.visit(visitor),
            _ => Err(self.must_be("a mapping")),
        }
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
        // Null is read as a mapping without keys, so that the missing keys are reported.
        match self.node.is_null() {
            true => visitor.visit_map(self.fields()?),
            false => self.deserialize_map(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let shapes = SHAPES.iter().filter(|(shape, _)| variants.contains(shape));
        let shapes: Vec<&str> = shapes.map(|(_, words)| *words).collect();
        let name = match self.node.kind() {
            Kind::Scalar if self.node.is_null() => None,
            // YAML reads a plain `off` as false.
            Kind::Scalar if self.node.as_bool() == Some(false) && variants.contains(&"off") => {
                Some("off")
            }
            Kind::Scalar if shapes.is_empty() => self.node.raw(),
            Kind::Scalar => Some("$string"),
            Kind::Mapping => Some("$mapping"),
            Kind::Sequence => Some("$list"),
        };
        match name {
            Some(name)
                if shapes.is_empty() && !name.starts_with('$') || variants.contains(&name) =>
            {
                visitor.visit_enum(Variant { name, de: self })
            }
            _ if shapes.is_empty() => Err(Wrong::OneOf(variants).into()),
            _ => Err(self.must_be(&alternatives(&shapes))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    integers! {
        deserialize_i8: i8, deserialize_i16: i16, deserialize_i32: i32, deserialize_i64: i64,
        deserialize_u8: u8, deserialize_u16: u16, deserialize_u32: u32, deserialize_u64: u64,
    }

    forward_to_deserialize_any! {
        f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

struct Items<'a> {
    items: std::vec::IntoIter<Node<'a>>,
    list: De<'a>,
}

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.items.next() else {
            return Ok(None);
        };
        let de = De {
            node,
            owner: self.list.owner.map(|(key, _)| (key, true)),
            depth: self.list.depth + 1,
            ..self.list
        };
        de.read(seed, node).map(Some)
    }
}

struct Fields<'a> {
    fields: std::vec::IntoIter<Field<'a>>,
    value: Option<Field<'a>>,
    mapping: De<'a>,
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
        self.value = Some(field);
        let de = De {
            node: field.key,
            is_key: true,
            ..self.mapping
        };
        de.read(seed, field.key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some(field) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let de = De {
            node: field.value,
            owner: Some((field.key, false)),
            depth: self.mapping.depth + 1,
            ..self.mapping
        };
        de.read(seed, field.key)
    }
}

struct Variant<'a> {
    name: &'a str,
    de: De<'a>,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = Fault;
    type Variant = De<'a>;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<(T::Value, De<'a>), Fault> {
        seed.deserialize(BorrowedStrDeserializer::new(self.name))
            .map(|variant| (variant, self.de))
    }
}

/// The content of a variant is the node itself.
impl<'a> VariantAccess<'a> for De<'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }
}

/// The parts of a [`super::Spanned`] in the order in which they are read.
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
        // The span of the value itself, so that offsets inside it can be added.
        let span = self.de.node.span();
        self.part += 1;
        let number = match self.part {
            1 => span.source.0,
            2 => span.start,
            3 => span.end,
            4 => return seed.deserialize(self.de).map(Some),
            _ => return Ok(None),
        };
        let number: U32Deserializer<Fault> = number.into_deserializer();
        seed.deserialize(number).map(Some)
    }
}
