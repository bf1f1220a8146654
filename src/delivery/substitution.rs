//! Variables that Flux fills in after a Kustomization is built: `${name}`, `${name:=default}`.

/// The variables of a Kustomization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// Those that are known; the last of a name counts.
    pub known: Vec<(String, String)>,
    /// There may be others.
    pub open: bool,
}

/// What is known of a variable.
enum Own<'v> {
    /// It has this value.
    Is(&'v str),
    /// Nothing that was read sets it.
    Unset,
    /// Something that was not read may set it.
    Unknown,
}

impl Variables {
    /// The same with the variables of whatever applies the Kustomization filled in.
    pub(super) fn filled(self, above: &Variables) -> Variables {
        let known = self.known.into_iter();
        let known = known.map(|(name, value)| {
            let filled = substitute(&value, above);
            (name, filled.unwrap_or(value))
        });
        Variables {
            known: known.collect(),
            open: self.open,
        }
    }

    fn find(&self, name: &str) -> Own<'_> {
        let mut known = self.known.iter().rev();
        let found = known.find(|(known, _)| known == name);
        match found {
            Some((_, value)) => Own::Is(value),
            None if self.open => Own::Unknown,
            None => Own::Unset,
        }
    }
}

/// Fills in variables as Flux does, or returns `None` if the result is not known, or Flux refuses the text.
pub fn substitute(text: &str, variables: &Variables) -> Option<String> {
    // Flux writes nothing for a variable that nobody sets.
    fill(text, variables, Some(""))
}

/// The same where a variable that nothing sets is not known: what applies the Kustomization may add variables to it.
pub fn substitute_known(text: &str, variables: &Variables) -> Option<String> {
    fill(text, variables, None)
}

fn fill(text: &str, variables: &Variables, unset: Option<&str>) -> Option<String> {
    if variables.known.is_empty() && !variables.open {
        // Flux fills in nothing then.
        return (!text.contains("${")).then(|| text.to_owned());
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        if let Some(escaped) = after.strip_prefix('$') {
            filled.push('$');
            // What is escaped begins no variable.
            let (skipped, behind) = match escaped.strip_prefix('{') {
                Some(behind) => ("{", behind),
                None => ("", escaped),
            };
            filled.push_str(skipped);
            rest = behind;
        } else if let Some(inside) = after.strip_prefix('{') {
            let (inside, behind) = inside.split_once('}')?;
            filled.push_str(&value(inside, variables, unset)?);
            rest = behind;
        } else {
            filled.push('$');
            rest = after;
        }
    }
    filled.push_str(rest);
    Some(filled)
}

/// The value of what stands between braces. Of bash's functions, only defaults are read.
fn value(inside: &str, variables: &Variables, unset: Option<&str>) -> Option<String> {
    let end = inside.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, function) = inside.split_at_checked(end.unwrap_or(inside.len()))?;
    if name.is_empty() {
        return None;
    }
    let own = match (variables.find(name), function) {
        (Own::Unknown, _) => return None,
        (Own::Is(value), _) => value,
        (Own::Unset, "") => unset?,
        (Own::Unset, _) => "",
    };
    if function.is_empty() {
        return Some(own.to_owned());
    }
    // Flux treats all of these alike.
    let marks = ["=", ":=", ":-", ":?", ":+"];
    let default = marks.iter().find_map(|mark| function.strip_prefix(*mark))?;
    match own {
        "" if default.contains(['$', '\\']) => None,
        "" => Some(default.to_owned()),
        own => Some(own.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_may_have_a_default_and_is_nothing_if_nobody_sets_it() {
        let known = vec![("a".to_owned(), "one".to_owned())];
        let closed = Variables { known, open: false };
        let open = Variables {
            open: true,
            ..closed.clone()
        };
        assert_eq!(
            substitute_known("${a:-x}", &Variables::default()),
            None,
            "Flux fills in nothing without any variables"
        );
        assert_eq!(substitute_known("${b:-x}", &closed).as_deref(), Some("x"));
        assert_eq!(substitute_known("${b}", &closed), None);
        let fill = |text| substitute(text, &closed);
        assert_eq!(fill("./${a}/$x").as_deref(), Some("./one/$x"));
        assert_eq!(fill("${b}-${b:=two}").as_deref(), Some("-two"));
        assert_eq!(fill("$${a}").as_deref(), Some("${a}"));
        assert_eq!(fill("${a:0:1}"), None);
        assert_eq!(fill("${a"), None);
        assert_eq!(substitute("${b}", &open), None);
        assert_eq!(substitute("${b:=two}", &open), None);
        assert_eq!(substitute("${a}", &open).as_deref(), Some("one"));
        assert_eq!(substitute("${a}", &Variables::default()), None);
    }
}
