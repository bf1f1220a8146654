//! What generators choose: folders and files by patterns, and clusters and parameters by labels.

use super::data::Data;
use super::paths::{Star, matches, of_flux};

/// Patterns, and whether each leaves out what it matches.
pub fn entries(list: &Data) -> Vec<(String, bool)> {
    let items = list.items().iter();
    items
        .filter_map(|item| {
            let exclude = item.text_at(&["exclude"]) == Some("true");
            Some((item.text_at(&["path"])?.to_owned(), exclude))
        })
        .collect()
}

/// Whether some pattern chooses a path, and none leaves it out.
pub fn is_chosen(entries: &[(String, bool)], path: &str, star: Star) -> bool {
    let fits = |pattern: &str| match star {
        Star::Segment => matches(pattern, path, star),
        Star::Git | Star::Anything => {
            let pattern = of_flux(pattern);
            // Git also takes the name of a folder, and nothing is the root.
            let inside = path.strip_prefix(pattern.as_str());
            pattern.is_empty()
                || matches(&pattern, path, star)
                || inside.is_some_and(|inside| inside.starts_with('/'))
        }
    };
    let any = |exclude: bool| {
        let mut chosen = entries.iter().filter(|(_, one)| *one == exclude);
        chosen.any(|(pattern, _)| fits(pattern))
    };
    any(false) && !any(true)
}

/// Whether a label selector selects an object with some labels. An operator that does not exist selects nothing.
pub fn selects<'l>(selector: &Data, label: &dyn Fn(&str) -> Option<&'l str>) -> bool {
    let mut equal = selector
        .get("matchLabels")
        .into_iter()
        .flat_map(Data::fields);
    let mut asked = selector
        .get("matchExpressions")
        .map_or(&[][..], Data::items)
        .iter();
    equal.all(|(key, value)| label(key) == value.text())
        && asked.all(|one| {
            let own = label(one.text_at(&["key"]).unwrap_or_default());
            let values = one.get("values").map_or(&[][..], Data::items);
            let is_in =
                || own.is_some_and(|own| values.iter().any(|value| value.text() == Some(own)));
            match one.text_at(&["operator"]) {
                Some("In") => is_in(),
                Some("NotIn") => !is_in(),
                Some("Exists") => own.is_some(),
                Some("DoesNotExist") => own.is_none(),
                _ => false,
            }
        })
}
