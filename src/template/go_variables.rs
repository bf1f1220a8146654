//! The variables of Go templates, those of the included ones behind those of the templates that include them.

use std::cell::RefCell;

use gotmpl::parse::PipeNode;

use super::go_values::Value;

/// Names with their values; the last one of a name counts.
#[derive(Default)]
pub struct Variables(RefCell<Vec<(String, Value)>>);

impl Variables {
    /// How many there are. Those of a block or a template are all behind the ones that were there before it.
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Forgets all but the first `len` variables.
    pub fn truncate(&self, len: usize) {
        self.0.borrow_mut().truncate(len);
    }

    pub fn declare(&self, name: &str, value: Value) {
        self.0.borrow_mut().push((name.to_owned(), value));
    }

    /// The value of a variable of the template whose first variable has the index `frame`.
    pub fn get(&self, name: &str, frame: usize) -> Value {
        let variables = self.0.borrow();
        let own = variables.get(frame..).unwrap_or_default();
        let known = own.iter().rev().find(|(known, _)| known == name);
        known.map_or(Value::Unknown, |(_, value)| value.clone())
    }

    /// Declares or assigns the variables of a pipeline. Of two, the second one is an item, and the first one its key.
    pub fn set(&self, pipe: &PipeNode, value: &Value, frame: usize) {
        let last = pipe.decl.len().saturating_sub(1);
        for (index, name) in pipe.decl.iter().enumerate() {
            let value = match index == last {
                true => value.clone(),
                false => Value::Unknown,
            };
            let mut variables = self.0.borrow_mut();
            let own = variables.get_mut(frame..).unwrap_or_default();
            let known = own.iter_mut().rev().find(|(known, _)| known == name);
            match known.filter(|_| pipe.is_assign) {
                Some((_, known)) => *known = value,
                None => variables.push((name.to_string(), value)),
            }
        }
    }
}
