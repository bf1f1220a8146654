//! Expands `count` and `for_each` of a block.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::syntax::Block;
use super::value::{Entry, Term, Value, pairs};
use crate::source::Span;

/// The maximum number of separate instances of one block.
const MAX_INSTANCES: usize = 200;

/// One instance of a block.
pub(super) struct Instance {
    /// `["key"]`, `[0]` or empty.
    pub suffix: String,
    /// `each` or `count`.
    pub name: &'static str,
    /// The value of that name.
    pub term: Option<Term>,
    /// Why it may not exist, or `None` if it does.
    pub doubt: Option<Rc<str>>,
}

/// Returns the instances that `count` and `for_each` create from a block.
pub(super) fn instances(evaluator: Evaluator<'_>, block: &Block) -> Vec<Instance> {
    if let Some(count) = block.body.attribute("count") {
        return counted(
            evaluator.value(count, &Names::NONE),
            evaluator.file.span(count.at),
        );
    }
    let Some(each) = block.body.attribute("for_each") else {
        return vec![Instance {
            suffix: String::new(),
            name: "each",
            term: None,
            doubt: None,
        }];
    };
    let over = evaluator.value(each, &Names::NONE);
    let at = evaluator.file.span(each.at);
    let (found, mut more) = match pairs(&over) {
        Some((found, more)) => (found, more),
        None => {
            let why = over.value.unknown().cloned();
            (
                Vec::new(),
                why.or_else(|| Some("`for_each` expects a map or a set".into())),
            )
        }
    };
    let is_map = matches!(over.value, Value::Object(_));
    let mut instances = Vec::new();
    for (key, value) in found {
        let key = if is_map { key } else { value.clone() };
        let Some(name) = key
            .value
            .as_text()
            .filter(|_| instances.len() < MAX_INSTANCES)
        else {
            more = key
                .value
                .unknown()
                .cloned()
                .or_else(|| Some("there are too many instances".into()));
            continue;
        };
        instances.push(Instance {
            suffix: format!("[\"{name}\"]"),
            name: "each",
            term: Some(each_term(key, value, at)),
            doubt: None,
        });
    }
    if let Some(why) = more {
        let open = || Term::unknown(Rc::clone(&why), at);
        instances.push(Instance {
            suffix: "[…]".to_owned(),
            name: "each",
            term: Some(each_term(open(), open(), at)),
            doubt: Some(why),
        });
    }
    instances
}

fn counted(count: Term, at: Span) -> Vec<Instance> {
    let instance = |suffix: String, index: Value, doubt| Instance {
        suffix,
        name: "count",
        term: Some(Term::new(
            Value::object(
                vec![Entry {
                    key: "index".into(),
                    key_at: at,
                    term: Term::new(index, at),
                }],
                None,
            ),
            at,
        )),
        doubt,
    };
    let why: Rc<str> = match (count.value.as_number(), count.value.unknown()) {
        (Some(number), _) if number <= 0.0 => return Vec::new(),
        #[allow(clippy::cast_precision_loss, reason = "a small constant")]
        (Some(number), _) if number <= MAX_INSTANCES as f64 => {
            let mut instances = Vec::new();
            let mut index = 0.0;
            while index < number {
                instances.push(instance(format!("[{index}]"), Value::Number(index), None));
                index += 1.0;
            }
            return instances;
        }
        (Some(_), _) => {
            // All instances are the same except for their index.
            let why: Rc<str> = "there are too many instances".into();
            return vec![instance("[…]".to_owned(), Value::Unknown(why), None)];
        }
        (None, Some(why)) => Rc::clone(why),
        (None, None) => "`count` is not a number".into(),
    };
    vec![instance(
        "[…]".to_owned(),
        Value::Unknown(Rc::clone(&why)),
        Some(why),
    )]
}

/// Returns the value of `each`, or of the iterator of a dynamic block.
pub(super) fn each_term(key: Term, value: Term, at: Span) -> Term {
    let entry = |name: &str, term: Term| Entry {
        key: name.into(),
        key_at: at,
        term,
    };
    Term::new(
        Value::object(vec![entry("key", key), entry("value", value)], None),
        at,
    )
}
