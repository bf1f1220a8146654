//! Facts as values that conditions can read: named fields, fields that are unknown, and where a fact stands in a file.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each variant"
    )
)]

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use cel::ExecutionError;
use cel::common::traits::Indexer;
use cel::common::types::{CelBool, CelInt, CelList, CelString, Type};
use cel::common::value::{CowVal, StaticVal, Val};

use super::text_map::TextMap;
pub use super::text_map::UNKNOWN;
use crate::model::Field;
use crate::model::node_pool::NodePool;
use crate::model::taint::Taint;
use crate::model::toleration::Toleration;
use crate::model::workload::PodShape;
use crate::source::Span;

/// What kind of thing a fact is; decides which fields it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactKind {
    /// An entry of a list of tolerations.
    Toleration,
    /// A taint of a pool.
    Taint,
    /// A pod template.
    Workload,
    /// A node pool.
    Pool,
    /// A cluster.
    Cluster,
    /// The Kubernetes release that rules apply to.
    Kubernetes,
    /// Something that reading noticed.
    Notice,
    /// A key that is like another.
    NearKey,
    /// A pool and the taint that keeps a workload off it.
    Blocked,
    /// A pool of whose taints some are tolerated.
    PartlyTolerated,
    /// What validation says of a field.
    FieldError,
    /// What others write that an entry does not.
    Deviation,
    /// A label that an entry nearly agrees with.
    SelectorMismatch,
    /// A toleration that others have.
    UsualToleration,
    /// A workload that says what is usual.
    Witness,
    /// A pool and why the scheduler refuses it.
    Refusal,
    /// A label that no pool has.
    UnansweredLabel,
}

static NAMES: [&str; 17] = [
    "toleration",
    "taint",
    "workload",
    "pool",
    "cluster",
    "kubernetes",
    "notice",
    "nearKey",
    "blocked",
    "partlyTolerated",
    "fieldError",
    "deviation",
    "selectorMismatch",
    "usualToleration",
    "witness",
    "refusal",
    "unansweredLabel",
];

static TYPES: LazyLock<[Type; 17]> = LazyLock::new(|| NAMES.map(Type::new_unspecified_type));

impl FactKind {
    /// Every kind.
    pub const ALL: [FactKind; 17] = [
        FactKind::Toleration,
        FactKind::Taint,
        FactKind::Workload,
        FactKind::Pool,
        FactKind::Cluster,
        FactKind::Kubernetes,
        FactKind::Notice,
        FactKind::NearKey,
        FactKind::Blocked,
        FactKind::PartlyTolerated,
        FactKind::FieldError,
        FactKind::Deviation,
        FactKind::SelectorMismatch,
        FactKind::UsualToleration,
        FactKind::Witness,
        FactKind::Refusal,
        FactKind::UnansweredLabel,
    ];

    /// The name of its type in messages.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The CEL type of facts of this kind.
    pub fn cel_type(self) -> &'static Type {
        &TYPES[self as usize]
    }
}

/// Where a fact stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    Span(Span),
    /// At a pool that has it without anything being written there.
    Implied(Span),
    /// It is the entry of this index in the list of the workload that is being judged.
    Entry(usize),
    /// It is where the workload that is being judged asks for the label of this key, under today's name.
    Selector(String),
}

/// The model's own value behind a fact, for functions that apply Kubernetes' meaning to it.
#[derive(Debug, Clone)]
pub enum Handle {
    /// None.
    None,
    /// Of a toleration.
    Toleration(Arc<Toleration>),
    /// Of a taint.
    Taint(Arc<Taint>),
    /// Of a workload, with the gate for Gt and Lt.
    Workload(Arc<PodShape>),
    /// Of a pool.
    Pool(Arc<NodePool>),
}

#[derive(Debug, Clone)]
enum Slot {
    Known(Arc<dyn Val>),
    Unknown,
}

#[derive(Debug)]
struct Inner {
    kind: FactKind,
    fields: BTreeMap<&'static str, Slot>,
    place: Option<Place>,
    handle: Handle,
    comparison_operators: bool,
}

/// A value with named fields. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Fact(Arc<Inner>);

/// Builds a fact.
#[derive(Debug)]
pub struct FactBuilder(Inner);

impl FactBuilder {
    /// A fact without fields.
    pub fn new(kind: FactKind) -> Self {
        FactBuilder(Inner {
            kind,
            fields: BTreeMap::new(),
            place: None,
            handle: Handle::None,
            comparison_operators: false,
        })
    }

    /// A fact with the fields of another and more.
    pub fn extend(fact: &Fact) -> Self {
        let inner = &fact.0;
        FactBuilder(Inner {
            kind: inner.kind,
            fields: inner.fields.clone(),
            place: inner.place.clone(),
            handle: inner.handle.clone(),
            comparison_operators: inner.comparison_operators,
        })
    }

    fn with(mut self, name: &'static str, slot: Slot) -> Self {
        self.0.fields.insert(name, slot);
        self
    }

    /// A field that is not known.
    pub fn unknown(self, name: &'static str) -> Self {
        self.with(name, Slot::Unknown)
    }

    /// A text.
    pub fn text(self, name: &'static str, text: impl Into<String>) -> Self {
        self.with(name, Slot::Known(Arc::new(CelString::from(text.into()))))
    }

    /// A text that may be unknown; an absent one is the empty text, unless a default is given.
    pub fn field(self, name: &'static str, field: &Field<String>, default: &str) -> Self {
        match field {
            Field::Absent => self.text(name, default),
            Field::Is(text) if text.is_empty() => self.text(name, default),
            Field::Is(text) => self.text(name, text.clone()),
            Field::Unknown => self.unknown(name),
        }
    }

    /// A boolean.
    pub fn bool(self, name: &'static str, value: bool) -> Self {
        self.with(name, Slot::Known(Arc::new(CelBool::from(value))))
    }

    /// A boolean that may be unknown.
    pub fn truth(self, name: &'static str, truth: crate::model::Truth) -> Self {
        use crate::model::Truth;
        match truth {
            Truth::Yes => self.bool(name, true),
            Truth::No => self.bool(name, false),
            Truth::Unknown => self.unknown(name),
        }
    }

    /// A number.
    pub fn int(self, name: &'static str, value: i64) -> Self {
        self.with(name, Slot::Known(Arc::new(CelInt::from(value))))
    }

    /// A list of texts.
    pub fn texts<'t>(
        self,
        name: &'static str,
        texts: impl IntoIterator<Item = &'t String>,
    ) -> Self {
        let items: Vec<Box<dyn Val>> = texts
            .into_iter()
            .map(|text| Box::new(CelString::from(text.clone())) as Box<dyn Val>)
            .collect();
        self.with(name, Slot::Known(Arc::new(CelList::from(items))))
    }

    /// Another fact.
    pub fn fact(self, name: &'static str, fact: &Fact) -> Self {
        self.with(name, Slot::Known(Arc::new(fact.clone())))
    }

    /// A list of facts.
    pub fn facts(self, name: &'static str, facts: impl IntoIterator<Item = Fact>) -> Self {
        let items: Vec<Box<dyn Val>> = facts
            .into_iter()
            .map(|fact| Box::new(fact) as Box<dyn Val>)
            .collect();
        self.with(name, Slot::Known(Arc::new(CelList::from(items))))
    }

    /// A map of texts; an absent value is one that is not known.
    pub fn map<'m>(
        self,
        name: &'static str,
        entries: impl IntoIterator<Item = (&'m str, Option<&'m str>)>,
    ) -> Self {
        let map: TextMap = entries.into_iter().collect();
        self.with(name, Slot::Known(Arc::new(map)))
    }

    /// Where the fact stands.
    pub fn place(mut self, place: Option<Place>) -> Self {
        self.0.place = place;
        self
    }

    /// The model's value behind it.
    pub fn handle(mut self, handle: Handle, comparison_operators: bool) -> Self {
        self.0.handle = handle;
        self.0.comparison_operators = comparison_operators;
        self
    }

    /// Done.
    pub fn build(self) -> Fact {
        Fact(Arc::new(self.0))
    }
}

impl Fact {
    /// Where it stands.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The model's value behind it.
    pub fn handle(&self) -> &Handle {
        &self.0.handle
    }

    /// Whether Gt and Lt work in the cluster that it belongs to.
    pub fn comparison_operators(&self) -> bool {
        self.0.comparison_operators
    }
}

impl Val for Fact {
    fn get_type(&self) -> &Type {
        self.0.kind.cel_type()
    }

    fn cel_type() -> &'static Type
    where
        Self: Sized,
    {
        // Only macros ask for a type without a value, and they are not used with facts.
        FactKind::Toleration.cel_type()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other
            .downcast_ref::<Fact>()
            .is_some_and(|other| Arc::ptr_eq(&self.0, &other.0))
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

impl StaticVal for Fact {}

impl Fact {
    fn slot(&self, index: &dyn Val) -> Result<&(dyn Val + 'static), ExecutionError> {
        let name = index
            .downcast_ref::<CelString>()
            .map(|name| name.inner().to_owned())
            .unwrap_or_default();
        match self.0.fields.get(name.as_str()) {
            Some(Slot::Known(value)) => Ok(value.as_ref()),
            Some(Slot::Unknown) => Err(ExecutionError::function_error(UNKNOWN, name)),
            None => Err(ExecutionError::no_such_key(&name)),
        }
    }
}

impl Indexer for Fact {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.slot(index).map(CowVal::Borrowed)
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.slot(index).map(|value| value.clone_as_boxed())
    }
}
