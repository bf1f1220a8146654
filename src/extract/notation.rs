//! Value types of provider tables (paths with an anchor, taints as texts, one or several of something), and the API
//! groups that select their rows.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::Field;
use crate::model::taint::Taint;
use crate::yaml::Path;

/// A path from the element, or from the document's root when it was written with a leading `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Anchored {
    /// Starts at the document's root.
    pub from_root: bool,
    /// The path.
    pub path: Path,
}

impl TryFrom<String> for Anchored {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (from_root, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        let path = rest
            .parse::<Path>()
            .map_err(|error| format!("path `{text}`: {error}"))?;
        Ok(Anchored { from_root, path })
    }
}

/// As the value of a taint in a row, stands for the name of the pool.
pub const POOL_NAME: &str = "$name";

/// A taint written as `key[=value]:Effect`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct TaintText(pub Taint);

impl TryFrom<String> for TaintText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let named = text.replace(&format!("={POOL_NAME}:"), ":");
        let mut taint = Taint::parse_flag(&named).map_err(|error| error.to_string())?;
        if named != text {
            taint.value = Field::Is(POOL_NAME.to_owned());
        }
        Ok(TaintText(taint))
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(untagged)]
pub enum OneOrMany<T> {
    /// One.
    #[serde(rename = "$string")]
    One(T),
    /// Several.
    #[serde(rename = "$list")]
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl<T> OneOrMany<T> {
    /// All values, in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

/// The API group of an `apiVersion`; empty for the core group.
pub fn api_group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}
