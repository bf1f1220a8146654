//! What paths and patterns of Flux, Argo CD and git mean.

/// The folder that a path of Flux means. `..` never leads out of the repository: it stops at its root, as in
/// `securejoin.SecureJoin`, which Flux uses.
pub fn of_flux(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            other => steps.push(other),
        }
    }
    steps.join("/")
}

/// The folder that a path of Argo CD means, or why it means none.
///
/// # Errors
/// Returns the reason as a clause: Argo CD refuses absolute paths and paths out of the repository.
pub fn of_argo(path: &str) -> Result<String, &'static str> {
    if path.starts_with('/') {
        return Err("is absolute, which Argo CD refuses");
    }
    join("", path).ok_or("leads out of the repository")
}

/// A path relative to a folder, or `None` if it leads out of the repository.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut steps: Vec<&str> = match path.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|step| !step.is_empty()).collect(),
    };
    let mut below = 0_usize;
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.is_empty() => below += 1,
            ".." => {
                steps.pop();
            }
            // `../x` above the root is not the same as `x`.
            _ if below > 0 => return None,
            other => steps.push(other),
        }
    }
    (below == 0).then(|| steps.join("/"))
}

/// What `*` means in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Star {
    /// Any characters but `/`, as in Go's `path.Match`.
    Segment,
    /// Any characters, as in `git ls-files`.
    Git,
    /// Any characters, as in Argo CD's `include` and `exclude`, which also know braces.
    Anything,
}

/// Whether a path matches a pattern with `*`, `?`, `[a-z]` and, where `*` means anything, `{a,b}`. A malformed pattern
/// matches nothing.
pub fn matches(pattern: &str, path: &str, star: Star) -> bool {
    let patterns = match star {
        Star::Anything => alternatives(pattern),
        Star::Segment | Star::Git => vec![pattern.to_owned()],
    };
    let path: Vec<char> = path.chars().collect();
    patterns.iter().any(|pattern| {
        let pattern: Vec<char> = pattern.chars().collect();
        is_match(&pattern, &path, star).unwrap_or(false)
    })
}

/// The maximum number of patterns that braces stand for.
const MAX_ALTERNATIVES: usize = 256;

/// The patterns that a pattern with braces stands for.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(one) = open.pop() {
        // The innermost first.
        let braces = one.rfind('{').and_then(|start| {
            let end = start + one.get(start..)?.find('}')?;
            Some((
                one.get(..start)?,
                one.get(start + 1..end)?,
                one.get(end + 1..)?,
            ))
        });
        match braces {
            Some((before, inside, after)) if open.len() + done.len() < MAX_ALTERNATIVES => {
                open.extend(
                    inside
                        .split(',')
                        .map(|word| format!("{before}{word}{after}")),
                );
            }
            Some(_) | None => done.push(one),
        }
    }
    done
}

/// Matches with one point to go back to, the last `*`, so that the cost is bounded by the product of both lengths.
fn is_match(pattern: &[char], path: &[char], star: Star) -> Option<bool> {
    let (mut at, mut in_path) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let rest = pattern.get(at..)?;
        let letter = path.get(in_path).copied();
        let taken = match (rest.first(), letter) {
            (Some('*'), _) => {
                back = Some((at, in_path));
                at += 1;
                continue;
            }
            (None, None) => return Some(true),
            (Some('?'), Some(letter)) if star == Star::Anything || letter != '/' => Some(1),
            (Some('['), Some(letter)) => {
                let (inside, length) = class(rest, letter, star)?;
                (inside && (star != Star::Segment || letter != '/')).then_some(length)
            }
            (Some('\\'), Some(letter)) => (*rest.get(1)? == letter).then_some(2),
            (Some(one), Some(letter)) => (*one == letter && *one != '?').then_some(1),
            (Some(_), None) | (None, Some(_)) => None,
        };
        if let Some(length) = taken {
            at += length;
            in_path += 1;
            continue;
        }
        let Some((star_at, from)) = back else {
            return Some(false);
        };
        match path.get(from) {
            Some('/') if star == Star::Segment => return Some(false),
            Some(_) => {}
            None => return Some(false),
        }
        back = Some((star_at, from + 1));
        at = star_at + 1;
        in_path = from + 1;
    }
}

/// Whether a letter is in the class that a pattern begins with, and the length of the class.
fn class(pattern: &[char], letter: char, star: Star) -> Option<(bool, usize)> {
    let end = 2 + pattern.get(2..)?.iter().position(|one| *one == ']')?;
    let mut inside = pattern.get(1..end)?;
    let negated = match inside.first() {
        Some('^') => star != Star::Anything,
        Some('!') => star != Star::Segment,
        _ => false,
    };
    if negated {
        inside = inside.get(1..)?;
    }
    let mut found = false;
    while let Some(low) = inside.first() {
        let is_range = inside.get(1) == Some(&'-') && inside.len() > 2;
        let high = match is_range {
            true => inside.get(2)?,
            false => low,
        };
        found |= (*low..=*high).contains(&letter);
        inside = inside.get(if is_range { 3 } else { 1 }..)?;
    }
    Some((found != negated, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_flux_stays_in_the_repository() {
        assert_eq!(of_flux("./clusters/prod/"), "clusters/prod");
        assert_eq!(of_flux("/apps"), "apps");
        assert_eq!(of_flux("../../x"), "x");
        assert_eq!(of_flux("./"), "");
    }

    #[test]
    fn argo_cd_refuses_what_is_not_below_its_root() {
        assert_eq!(of_argo("apps/./web/").as_deref(), Ok("apps/web"));
        assert_eq!(of_argo("a/../b").as_deref(), Ok("b"));
        assert_eq!(of_argo(".").as_deref(), Ok(""));
        assert!(of_argo("/apps").is_err() && of_argo("../x").is_err());
        assert!(of_argo("a/../../a").is_err());
    }

    #[test]
    fn a_star_means_a_segment_for_folders_and_anything_for_files() {
        let folder = |pattern, path| matches(pattern, path, Star::Segment);
        assert!(folder("apps/*", "apps/web") && !folder("apps/*", "apps/web/x"));
        assert!(folder("apps/**", "apps/web") && !folder("apps/**", "apps/a/b"));
        assert!(folder("a?c/[x-z]", "abc/y") && !folder("a?c", "a/c"));
        let file = |pattern, path| matches(pattern, path, Star::Anything);
        assert!(file("clusters/**/config.json", "clusters/a/b/config.json"));
        assert!(file("*.yaml", "a/b.yaml") && file("{a,b}.yaml", "b.yaml"));
        assert!(!file("*.yaml", "a/b.yml") && !file("[a", "a"));
        assert!(file("{a,x/{b,c}}", "x/c") && !file("{a,x/{b,c}}", "c"));
        assert!(!matches("{a,b}.yaml", "b.yaml", Star::Git));
        assert!(folder("[^a]", "b") && !file("[^a]", "b") && file("[!a]", "b"));
    }
}
