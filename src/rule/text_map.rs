//! Maps of texts for conditions, sorted by key. Values may be unknown; their keys still exist.

use std::any::Any;
use std::collections::BTreeMap;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer};
use cel::common::types::{self, CelInt, CelMap, CelString, Type};
use cel::common::value::{CowVal, StaticVal, Val};

/// The error for reading an unknown field. Logic around it follows CEL: `false && unknown` is still false.
pub const UNKNOWN: &str = "unknown";

/// A map of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMap(BTreeMap<String, Entry>);

/// Key and value; the value is `None` if unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    key: CelString<'static>,
    value: Option<CelString<'static>>,
}

impl<'m> FromIterator<(&'m str, Option<&'m str>)> for TextMap {
    fn from_iter<I: IntoIterator<Item = (&'m str, Option<&'m str>)>>(entries: I) -> Self {
        let entry = |(key, value): (&str, Option<&str>)| {
            let entry = Entry {
                key: CelString::from(key.to_owned()),
                value: value.map(|value| CelString::from(value.to_owned())),
            };
            (key.to_owned(), entry)
        };
        TextMap(entries.into_iter().map(entry).collect())
    }
}

impl TextMap {
    fn find(&self, key: &dyn Val) -> Option<&Entry> {
        self.0.get(key.downcast_ref::<CelString>()?.inner())
    }

    fn value(&self, key: &dyn Val) -> Result<&CelString<'static>, ExecutionError> {
        let name = key.downcast_ref::<CelString>().map(|name| name.inner());
        let name = name.unwrap_or_default();
        match self.find(key) {
            Some(Entry { value, .. }) => value
                .as_ref()
                .ok_or_else(|| ExecutionError::function_error(UNKNOWN, name)),
            None => Err(ExecutionError::no_such_key(name)),
        }
    }
}

impl Container for TextMap {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        Ok(self.find(key).is_some())
    }
}

impl Indexer for TextMap {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.value(key)
            .map(|value| CowVal::Borrowed(value as &dyn Val))
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.value(key).map(|value| value.clone_as_boxed())
    }
}

impl Sizer for TextMap {
    fn size(&self) -> CelInt {
        i64::try_from(self.0.len()).unwrap_or(i64::MAX).into()
    }
}

impl Iterable for TextMap {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Iterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(Keys(self.0.values()))
    }
}

struct Keys<'b>(std::collections::btree_map::Values<'b, String, Entry>);

impl<'b, 'v> Iterator<'b, 'v> for Keys<'b> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|entry| &entry.key as &dyn Val)
    }
}

impl Val for TextMap {
    fn get_type(&self) -> &Type {
        &types::MAP_TYPE
    }

    fn cel_type() -> &'static Type
    where
        Self: Sized,
    {
        &types::MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        if let Some(other) = other.downcast_ref::<TextMap>() {
            return self == other;
        }
        // A map literal in the condition.
        other.downcast_ref::<CelMap>().is_some_and(|other| {
            other.inner().len() == self.0.len()
                && self.0.values().all(|entry| {
                    let theirs = other.get(&entry.key);
                    match (&entry.value, theirs) {
                        (Some(own), Ok(theirs)) => own.equals(theirs.as_ref()),
                        _ => false,
                    }
                })
        })
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for TextMap {}
