//! Facts as values that conditions can read: named fields, unknown fields, and the location of a fact in a file.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each variant"
    )
)]

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
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

/// The kind of a fact, which determines its fields.
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
    /// An observation during reading.
    Notice,
    /// A key that is similar to another.
    NearKey,
    /// A value that is similar to another.
    NearValue,
    /// A pool and the taint that keeps a workload away from it.
    Blocked,
    /// A pool with some tolerated taints.
    PartlyTolerated,
    /// A validation error of a field.
    FieldError,
    /// A difference between an entry and most others.
    Deviation,
    /// A label that an entry nearly agrees with.
    SelectorMismatch,
    /// A toleration that others have.
    UsualToleration,
    /// A workload that is evidence for what is usual.
    Witness,
    /// A pool and why the scheduler rejects it.
    Refusal,
    /// A label that no pool has.
    UnansweredLabel,
    /// What a change does to a workload or a pool.
    Change,
}

static NAMES: [&str; 19] = [
    "toleration",
    "taint",
    "workload",
    "pool",
    "cluster",
    "kubernetes",
    "notice",
    "nearKey",
    "nearValue",
    "blocked",
    "partlyTolerated",
    "fieldError",
    "deviation",
    "selectorMismatch",
    "usualToleration",
    "witness",
    "refusal",
    "unansweredLabel",
    "change",
];

static TYPES: LazyLock<[Type; 19]> = LazyLock::new(|| NAMES.map(Type::new_unspecified_type));

impl FactKind {
    /// All kinds.
    pub const ALL: [FactKind; 19] = [
        FactKind::Toleration,
        FactKind::Taint,
        FactKind::Workload,
        FactKind::Pool,
        FactKind::Cluster,
        FactKind::Kubernetes,
        FactKind::Notice,
        FactKind::NearKey,
        FactKind::NearValue,
        FactKind::Blocked,
        FactKind::PartlyTolerated,
        FactKind::FieldError,
        FactKind::Deviation,
        FactKind::SelectorMismatch,
        FactKind::UsualToleration,
        FactKind::Witness,
        FactKind::Refusal,
        FactKind::UnansweredLabel,
        FactKind::Change,
    ];

    /// Returns the name of its type in messages.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns the CEL type of facts of this kind.
    pub fn cel_type(self) -> &'static Type {
        &TYPES[self as usize]
    }
}

/// The location of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A span in a file.
    Span(Span),
    /// A pool that has it implicitly, without a declaration.
    Implied(Span),
    /// The entry with this index in the list of the current workload.
    Entry(usize),
    /// The place where the current workload selects the label with this key (its current name).
    Selector(String),
}

/// The model's value of a fact, for functions that apply Kubernetes' semantics to it.
#[derive(Debug, Clone)]
pub enum Handle {
    /// None.
    None,
    /// A toleration.
    Toleration(Arc<Toleration>),
    /// A taint.
    Taint(Arc<Taint>),
    /// A workload.
    Workload(Arc<PodShape>),
    /// A pool.
    Pool(Arc<NodePool>),
    /// A workload or pool that one side of a change does not have: it tolerates, selects and accepts nothing.
    Missing,
}

#[derive(Debug, Clone)]
enum Slot {
    Known(Arc<dyn Val>),
    /// Made when it is read for the first time.
    Later(Arc<Later>),
    Unknown,
}

struct Later(LazyLock<Arc<dyn Val>, Make>);

type Make = Box<dyn FnOnce() -> Arc<dyn Val> + Send>;

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Later")
    }
}

fn list_of(facts: impl IntoIterator<Item = Fact>) -> Arc<dyn Val> {
    let items: Vec<Box<dyn Val>> = facts
        .into_iter()
        .map(|fact| Box::new(fact) as Box<dyn Val>)
        .collect();
    Arc::new(CelList::from(items))
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
    /// Creates a fact without fields.
    pub fn new(kind: FactKind) -> Self {
        FactBuilder(Inner {
            kind,
            fields: BTreeMap::new(),
            place: None,
            handle: Handle::None,
            comparison_operators: false,
        })
    }

    /// Creates a fact that starts with the fields of another.
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

    /// Adds an unknown field.
    pub fn unknown(self, name: &'static str) -> Self {
        self.with(name, Slot::Unknown)
    }

    /// Adds a text.
    pub fn text(self, name: &'static str, text: impl Into<String>) -> Self {
        self.with(name, Slot::Known(Arc::new(CelString::from(text.into()))))
    }

    /// Adds a text that may be unknown; an absent one gets the default.
    pub fn field(self, name: &'static str, field: &Field<String>, default: &str) -> Self {
        match field {
            Field::Absent => self.text(name, default),
            Field::Is(text) if text.is_empty() => self.text(name, default),
            Field::Is(text) => self.text(name, text.clone()),
            Field::Unknown => self.unknown(name),
        }
    }

    /// Adds a boolean.
    pub fn bool(self, name: &'static str, value: bool) -> Self {
        self.with(name, Slot::Known(Arc::new(CelBool::from(value))))
    }

    /// Adds a boolean that may be unknown.
    pub fn truth(self, name: &'static str, truth: crate::model::Truth) -> Self {
        use crate::model::Truth;
        match truth {
            Truth::Yes => self.bool(name, true),
            Truth::No => self.bool(name, false),
            Truth::Unknown => self.unknown(name),
        }
    }

    /// Adds a number.
    pub fn int(self, name: &'static str, value: i64) -> Self {
        self.with(name, Slot::Known(Arc::new(CelInt::from(value))))
    }

    /// Adds a list of texts.
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

    /// Adds another fact.
    pub fn fact(self, name: &'static str, fact: &Fact) -> Self {
        self.with(name, Slot::Known(Arc::new(fact.clone())))
    }

    /// Adds a list of facts.
    pub fn facts(self, name: &'static str, facts: impl IntoIterator<Item = Fact>) -> Self {
        self.with(name, Slot::Known(list_of(facts)))
    }

    /// Adds a list of facts that is made only if a condition reads it.
    pub fn facts_later(
        self,
        name: &'static str,
        facts: impl FnOnce() -> Vec<Fact> + Send + 'static,
    ) -> Self {
        let made = LazyLock::new(Box::new(move || list_of(facts())) as Box<_>);
        self.with(name, Slot::Later(Arc::new(Later(made))))
    }

    /// Adds a map of texts; `None` is an unknown value.
    pub fn map<'m>(
        self,
        name: &'static str,
        entries: impl IntoIterator<Item = (&'m str, Option<&'m str>)>,
    ) -> Self {
        let map: TextMap = entries.into_iter().collect();
        self.with(name, Slot::Known(Arc::new(map)))
    }

    /// Sets the location of the fact.
    pub fn place(mut self, place: Option<Place>) -> Self {
        self.0.place = place;
        self
    }

    /// Sets the model's value.
    pub fn handle(mut self, handle: Handle, comparison_operators: bool) -> Self {
        self.0.handle = handle;
        self.0.comparison_operators = comparison_operators;
        self
    }

    /// Builds the fact.
    pub fn build(self) -> Fact {
        Fact(Arc::new(self.0))
    }
}

impl Fact {
    /// Returns its location.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Returns the model's value.
    pub fn handle(&self) -> &Handle {
        &self.0.handle
    }

    /// Whether Gt and Lt are on in its cluster.
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
        // Only macros need a type without a value, and they are not used with facts.
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
        let name = index.downcast_ref::<CelString>();
        let name = name.map_or_else(String::new, |name| name.inner().to_owned());
        match self.0.fields.get(name.as_str()) {
            Some(Slot::Known(value)) => Ok(value.as_ref()),
            Some(Slot::Later(later)) => Ok(later.0.as_ref()),
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
