//! The changes on node pools that somebody can ask about, as they are written on a command line.

use crate::model::node_pool::NodePool;
use crate::model::taint::{Effect, Taint, TaintSyntaxError};
use crate::model::validation::{is_label_key, is_label_value};

/// A change. Pools are named as `POOL` or `CLUSTER/POOL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Remove a pool.
    Remove {
        /// The pool.
        pool: String,
    },
    /// Add pools.
    Add {
        /// Where they come from, for people.
        from: String,
        /// The cluster, or every cluster that the pools may belong to.
        cluster: Option<String>,
        /// The pools.
        pools: Vec<NodePool>,
    },
    /// Remove the taints with a key.
    Untaint {
        /// The pool.
        pool: String,
        /// The key.
        key: String,
        /// Only those with this effect.
        effect: Option<Effect>,
    },
    /// Add a taint, in place of one with the same key and effect.
    Taint {
        /// The pool.
        pool: String,
        /// The taint.
        taint: Taint,
    },
    /// Set a label.
    Label {
        /// The pool.
        pool: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// Make the nodes unschedulable.
    Cordon {
        /// The pool.
        pool: String,
    },
}

impl Change {
    /// Reads `POOL=key=value:Effect` or `POOL=key:Effect`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn taint(text: &str) -> Result<Change, String> {
        let (pool, taint) = of_pool(text, "POOL=key=value:Effect")?;
        let taint = Taint::parse_flag(taint).map_err(|why: TaintSyntaxError| why.to_string())?;
        Ok(Change::Taint { pool, taint })
    }

    /// Reads `POOL=key` or `POOL=key:Effect`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn untaint(text: &str) -> Result<Change, String> {
        let (pool, taint) = of_pool(text, "POOL=key or POOL=key:Effect")?;
        let (key, effect) = match taint.split_once(':') {
            None => (taint, None),
            Some((key, effect)) => {
                let parsed = Effect::parse(effect).ok_or_else(|| {
                    let effect = effect.to_owned();
                    TaintSyntaxError::UnknownEffect { effect }.to_string()
                })?;
                (key, Some(parsed))
            }
        };
        let key = label_key(key)?;
        Ok(Change::Untaint { pool, key, effect })
    }

    /// Reads `POOL=key=value`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn label(text: &str) -> Result<Change, String> {
        const FORM: &str = "POOL=key=value";
        let (pool, label) = of_pool(text, FORM)?;
        let Some((key, value)) = label.split_once('=') else {
            return Err(format!("a label has a value: write {FORM}"));
        };
        is_label_value(value).map_err(|why| format!("the value `{value}` is not valid: {why}"))?;
        Ok(Change::Label {
            pool,
            key: label_key(key)?,
            value: value.to_owned(),
        })
    }

    /// The place of its kind in the order in which changes are applied: what is added can be changed, and a taint with
    /// another value can take the place of one that is removed.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Change::Remove { .. } => 0,
            Change::Add { .. } => 1,
            Change::Untaint { .. } => 2,
            Change::Taint { .. } => 3,
            Change::Label { .. } => 4,
            Change::Cordon { .. } => 5,
        }
    }
}

fn of_pool<'t>(text: &'t str, form: &str) -> Result<(String, &'t str), String> {
    match text.split_once('=') {
        Some((pool, rest)) if !pool.is_empty() => Ok((pool.to_owned(), rest)),
        _ => Err(format!("it names no pool: write {form}")),
    }
}

fn label_key(key: &str) -> Result<String, String> {
    is_label_key(key).map_err(|why| format!("the key `{key}` is not valid: {why}"))?;
    Ok(key.to_owned())
}
