//! How texts, numbers, lists and maps are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use serde_json::Value;
use thin_vec::ThinVec;

use super::bytes::{Reader, Stored, Writer};
use crate::model::Field;

/// How a struct or an enum is kept: field by field, and variant by number. The compiler complains about a field or a variant
/// that is missing. A nested struct may contain others of its kind. Variants after `else` are not kept.
macro_rules! stored {
    (struct $type:ident { $($field:ident),* $(,)? }) => {
        impl Stored for $type {
            fn put(&self, to: &mut Writer) {
                let $type { $($field),* } = self;
                $($field.put(to);)*
            }

            fn get(from: &mut Reader<'_>) -> Option<Self> {
                $(let $field = Stored::get(from)?;)*
                Some($type { $($field),* })
            }
        }
    };
    (nested struct $type:ident { $($field:ident),* $(,)? }) => {
        impl Stored for $type {
            fn put(&self, to: &mut Writer) {
                let $type { $($field),* } = self;
                to.nested(|to| {
                    $($field.put(to);)*
                });
            }

            fn get(from: &mut Reader<'_>) -> Option<Self> {
                from.nested(|from| {
                    $(let $field = Stored::get(from)?;)*
                    Some($type { $($field),* })
                })
            }
        }
    };
    (enum $type:ident {
        $($tag:literal => $variant:ident
            $(($($item:ident),*))?
            $({ $($field:ident),* })?
        ),* $(,)?
    } $(else $($other:pat_param)|+)?) => {
        impl Stored for $type {
            fn put(&self, to: &mut Writer) {
                match self {
                    $($type::$variant $(($($item),*))? $({ $($field),* })? => {
                        to.byte($tag);
                        $($($item.put(to);)*)?
                        $($($field.put(to);)*)?
                    })*
                    $($($other)|+ => to.refuse(),)?
                }
            }

            fn get(from: &mut Reader<'_>) -> Option<Self> {
                match from.byte()? {
                    $($tag => {
                        $($(let $item = Stored::get(from)?;)*)?
                        $($(let $field = Stored::get(from)?;)*)?
                        Some($type::$variant $(($($item),*))? $({ $($field),* })?)
                    })*
                    _ => None,
                }
            }
        }
    };
}
pub(super) use stored;

impl Stored for bool {
    fn put(&self, to: &mut Writer) {
        to.byte(u8::from(*self));
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Stored for u16 {
    fn put(&self, to: &mut Writer) {
        to.number(u64::from(*self));
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        u16::try_from(from.number()?).ok()
    }
}

impl Stored for u32 {
    fn put(&self, to: &mut Writer) {
        to.number(u64::from(*self));
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        u32::try_from(from.number()?).ok()
    }
}

impl Stored for u64 {
    fn put(&self, to: &mut Writer) {
        to.number(*self);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.number()
    }
}

impl Stored for i64 {
    fn put(&self, to: &mut Writer) {
        to.number(u64::from_ne_bytes(self.to_ne_bytes()));
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Some(i64::from_ne_bytes(from.number()?.to_ne_bytes()))
    }
}

impl Stored for String {
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(str::to_owned)
    }
}

impl Stored for Box<str> {
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(Box::from)
    }
}

impl Stored for Arc<str> {
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(Arc::from)
    }
}

/// The bytes of a range in the text.
impl Stored for Range<u32> {
    fn put(&self, to: &mut Writer) {
        to.place(self.start, self.end);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        let (start, end) = from.place()?;
        Some(start..end)
    }
}

impl Stored for Date {
    fn put(&self, to: &mut Writer) {
        to.text(&self.to_string());
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.text()?.parse().ok()
    }
}

impl<T: Stored> Stored for Option<T> {
    fn put(&self, to: &mut Writer) {
        match self {
            None => to.byte(0),
            Some(value) => {
                to.byte(1);
                value.put(to);
            }
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(None),
            1 => Some(Some(T::get(from)?)),
            _ => None,
        }
    }
}

impl<T: Stored, E: Stored> Stored for Result<T, E> {
    fn put(&self, to: &mut Writer) {
        match self {
            Ok(value) => {
                to.byte(0);
                value.put(to);
            }
            Err(why) => {
                to.byte(1);
                why.put(to);
            }
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(Ok(T::get(from)?)),
            1 => Some(Err(E::get(from)?)),
            _ => None,
        }
    }
}

impl<T: Stored> Stored for Field<T> {
    fn put(&self, to: &mut Writer) {
        match self {
            Field::Absent => to.byte(0),
            Field::Is(value) => {
                to.byte(1);
                value.put(to);
            }
            Field::Unknown => to.byte(2),
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(Field::Absent),
            1 => Some(Field::Is(T::get(from)?)),
            2 => Some(Field::Unknown),
            _ => None,
        }
    }
}

impl<T: Stored> Stored for Box<T> {
    fn put(&self, to: &mut Writer) {
        self.as_ref().put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.make_room::<T>()?;
        T::get(from).map(Box::new)
    }
}

impl<T: Stored> Stored for Arc<T> {
    fn put(&self, to: &mut Writer) {
        self.as_ref().put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        from.make_room::<T>()?;
        T::get(from).map(Arc::new)
    }
}

fn put_all<'v, T: Stored + 'v>(values: impl ExactSizeIterator<Item = &'v T>, to: &mut Writer) {
    to.length(values.len());
    values.for_each(|value| value.put(to));
}

/// Reads a list. Room is made as items come, because the number of them may be a lie.
fn get_all<T: Stored>(from: &mut Reader<'_>) -> Option<Vec<T>> {
    const AT_ONCE: usize = 8;
    let length = from.length()?;
    let mut values = Vec::with_capacity(length.min(AT_ONCE));
    for _ in 0..length {
        let before = from.left();
        from.make_room::<T>()?;
        values.push(T::get(from)?);
        // An item without bytes could come any number of times.
        if from.left() == before {
            return None;
        }
    }
    values.shrink_to_fit();
    Some(values)
}

impl<T: Stored> Stored for Vec<T> {
    fn put(&self, to: &mut Writer) {
        put_all(self.iter(), to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        get_all(from)
    }
}

impl<T: Stored> Stored for ThinVec<T> {
    fn put(&self, to: &mut Writer) {
        put_all(self.iter(), to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Some(get_all(from)?.into_iter().collect())
    }
}

impl<T: Stored> Stored for Box<[T]> {
    fn put(&self, to: &mut Writer) {
        put_all(self.iter(), to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        get_all(from).map(Vec::into_boxed_slice)
    }
}

impl<T: Stored> Stored for Arc<[T]> {
    fn put(&self, to: &mut Writer) {
        put_all(self.iter(), to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        get_all(from).map(Arc::from)
    }
}

impl<T: Stored + Ord> Stored for BTreeSet<T> {
    fn put(&self, to: &mut Writer) {
        put_all(self.iter(), to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        get_all(from).map(BTreeSet::from_iter)
    }
}

impl<K: Stored + Ord, V: Stored> Stored for BTreeMap<K, V> {
    fn put(&self, to: &mut Writer) {
        to.length(self.len());
        for (key, value) in self {
            key.put(to);
            value.put(to);
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        get_all::<(K, V)>(from).map(BTreeMap::from_iter)
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
        self.1.put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Some((A::get(from)?, B::get(from)?))
    }
}

impl<A: Stored, B: Stored, C: Stored> Stored for (A, B, C) {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
        self.1.put(to);
        self.2.put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        Some((A::get(from)?, B::get(from)?, C::get(from)?))
    }
}

/// As JSON, which has its own limit for nesting.
impl Stored for Value {
    fn put(&self, to: &mut Writer) {
        let text = self.to_string();
        // Not every fraction stays the same.
        match serde_json::from_str::<Value>(&text) {
            Ok(again) if again == *self => to.text(&text),
            _ => to.refuse(),
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Self> {
        serde_json::from_str(from.text()?).ok()
    }
}
