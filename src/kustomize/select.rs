//! Which objects a patch or a replacement is for: identities, patterns and selectors, with kustomize's meaning.

use regex::Regex;

use super::schema::is_cluster_wide;
use super::value::Value;

/// The identity of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id {
    /// API group; empty for the core group.
    pub group: String,
    /// API version without the group.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Namespace, in the form in which kustomize compares them: objects without one are in `default`.
    pub namespace: String,
}

impl Id {
    /// The identity that an object has.
    pub fn of(object: &Value) -> Id {
        let word = |path: &[&str]| {
            let found = object.at_path(path).and_then(Value::word);
            found.unwrap_or_default().to_owned()
        };
        let api_version = word(&["apiVersion"]);
        let (group, version) = match api_version.split_once('/') {
            Some((group, version)) => (group.to_owned(), version.to_owned()),
            None => (String::new(), api_version),
        };
        let kind = word(&["kind"]);
        let namespace = word(&["metadata", "namespace"]);
        let namespace = match namespace.as_str() {
            _ if is_cluster_wide(&group, &kind) => "_non_namespaceable_".to_owned(),
            "" => "default".to_owned(),
            _ => namespace,
        };
        Id {
            group,
            version,
            kind,
            name: word(&["metadata", "name"]),
            namespace,
        }
    }
}

/// A regular expression that must match a whole word.
#[derive(Debug)]
enum Pattern {
    /// It matches only itself. Most do, and comparing is much cheaper.
    Word(String),
    Expression(Regex),
}

impl Pattern {
    fn read(text: &str) -> Result<Pattern, String> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_/".contains(letter);
        if text.chars().all(is_plain) {
            return Ok(Pattern::Word(text.to_owned()));
        }
        let expression = Regex::new(&format!("^(?:{text})$"));
        let wrong = |_| format!("`{text}` is not a regular expression");
        Ok(Pattern::Expression(expression.map_err(wrong)?))
    }

    fn matches(&self, word: &str) -> bool {
        match self {
            Pattern::Word(own) => own == word,
            Pattern::Expression(expression) => expression.is_match(word),
        }
    }
}

/// What the target of a patch names.
#[derive(Debug, Default)]
pub struct Target {
    group: Option<Pattern>,
    version: Option<Pattern>,
    kind: Option<Pattern>,
    name: Option<Pattern>,
    namespace: Option<Pattern>,
    labels: Vec<Demand>,
    annotations: Vec<Demand>,
}

impl Target {
    /// Reads a target.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn read(value: &Value) -> Result<Target, String> {
        let word = |key: &str| value.get(key).and_then(Value::word).unwrap_or_default();
        let pattern = |key: &str| match word(key) {
            "" => Ok(None),
            text => Pattern::read(text).map(Some),
        };
        Ok(Target {
            group: pattern("group")?,
            version: pattern("version")?,
            kind: pattern("kind")?,
            name: pattern("name")?,
            namespace: pattern("namespace")?,
            labels: demands(word("labelSelector"))?,
            annotations: demands(word("annotationSelector"))?,
        })
    }

    /// Whether it selects an object with this original and this current identity.
    pub fn selects(&self, original: &Id, current: &Id, object: &Value) -> bool {
        let fits = |pattern: &Option<Pattern>, word: &str| {
            let pattern = pattern.as_ref();
            pattern.is_none_or(|pattern| pattern.matches(word))
        };
        let either = |pattern: &Option<Pattern>, words: [&str; 2]| {
            words.into_iter().any(|word| fits(pattern, word))
        };
        let has = |demands: &[Demand], field: &str| {
            let pairs = object.at_path(&["metadata", field]);
            demands.iter().all(|demand| demand.holds(pairs))
        };
        either(&self.namespace, [&original.namespace, &current.namespace])
            && either(&self.name, [&original.name, &current.name])
            && fits(&self.group, &current.group)
            && fits(&self.version, &current.version)
            && fits(&self.kind, &current.kind)
            && has(&self.labels, "labels")
            && has(&self.annotations, "annotations")
    }
}

/// One demand of a label selector.
#[derive(Debug)]
struct Demand {
    key: String,
    wanted: Wanted,
}

#[derive(Debug)]
enum Wanted {
    Present,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

impl Demand {
    fn holds(&self, pairs: Option<&Value>) -> bool {
        let value = pairs.and_then(|pairs| pairs.get(&self.key));
        let word = value.map(|value| value.word().unwrap_or_default());
        let number = || word.and_then(|word| word.parse::<i64>().ok());
        let is_one_of =
            |words: &[String]| word.is_some_and(|own| words.iter().any(|one| one == own));
        match &self.wanted {
            Wanted::Present => word.is_some(),
            Wanted::Absent => word.is_none(),
            Wanted::In(words) => is_one_of(words),
            Wanted::NotIn(words) => !is_one_of(words),
            Wanted::Above(limit) => number().is_some_and(|number| number > *limit),
            Wanted::Below(limit) => number().is_some_and(|number| number < *limit),
        }
    }
}

/// The demands of a label selector.
fn demands(text: &str) -> Result<Vec<Demand>, String> {
    let wrong = || format!("`{text}` is not a selector");
    split_outside_brackets(text)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| demand(part).ok_or_else(wrong))
        .collect()
}

fn split_outside_brackets(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    })
}

fn demand(part: &str) -> Option<Demand> {
    let made = |key: &str, wanted| {
        let key = key.trim();
        let is_key = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        (!key.is_empty() && key.chars().all(is_key)).then(|| Demand {
            key: key.to_owned(),
            wanted,
        })
    };
    if let Some(open) = part.find('(') {
        let (left, right) = part.split_at(open);
        let words = right.trim().strip_prefix('(')?.strip_suffix(')')?;
        let words = words
            .split(',')
            .map(|word| word.trim().to_owned())
            .collect();
        let (key, operator) = left.trim().rsplit_once(char::is_whitespace)?;
        return match operator {
            "in" => made(key, Wanted::In(words)),
            "notin" => made(key, Wanted::NotIn(words)),
            _ => None,
        };
    }
    let one = |word: &str| vec![word.trim().to_owned()];
    if let Some(key) = part.strip_prefix('!') {
        return made(key, Wanted::Absent);
    }
    for sign in ["!=", "==", "="] {
        if let Some((key, word)) = part.split_once(sign) {
            return made(
                key,
                match sign {
                    "!=" => Wanted::NotIn(one(word)),
                    _ => Wanted::In(one(word)),
                },
            );
        }
    }
    if let Some((key, limit)) = part.split_once('>') {
        return made(key, Wanted::Above(limit.trim().parse().ok()?));
    }
    if let Some((key, limit)) = part.split_once('<') {
        return made(key, Wanted::Below(limit.trim().parse().ok()?));
    }
    made(part, Wanted::Present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_have_the_meaning_of_kubernetes() {
        let span = crate::source::Span::new(crate::source::SourceId(0), 0..0);
        let mut labels = Value::map(span);
        labels.set_text(&["app"], "web", span);
        labels.set_text(&["size"], "7", span);
        for (selector, holds) in [
            ("", true),
            ("app=web", true),
            ("app == web, size", true),
            ("app!=web", false),
            ("tier!=db", true),
            ("app in (api, web),!tier", true),
            ("app notin (web)", false),
            ("size>6,size<8", true),
        ] {
            let demands = demands(selector).unwrap();
            let all = demands.iter().all(|demand| demand.holds(Some(&labels)));
            assert_eq!(all, holds, "{selector}");
        }
        assert!(demands("a b=c").is_err());
        assert!(demands("app in web").is_err());
    }
}
