//! Rule pages for people, in Markdown that is also readable in a terminal, and the table of all rules.

use std::fmt::Write as _;

use crate::finding::Severity;
use crate::output::wrap;
use crate::rule::schema::{Need, Otherwise, Scope};
use crate::rule::{CROSS_REFERENCE, MARK, Rule, RuleSet, SPELLING};
use crate::source::text::Cut as _;

/// The page of a rule, as Markdown.
pub fn page(rule: &Rule) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(rule, &mut page);
    page
}

/// The page without condition and examples, wrapped to the width of a terminal.
pub fn screen(rule: &Rule, width: usize) -> String {
    let mut page = String::new();
    let _ = write_screen(rule, &mut page);
    reflow(&page, width)
}

/// The table of all rules, as Markdown, with a link to the page of each.
pub fn table(rules: &RuleSet) -> String {
    let mut page = String::new();
    let _ = write_table(rules, &mut page);
    page
}

fn write_table(rules: &RuleSet, page: &mut String) -> std::fmt::Result {
    writeln!(
        page,
        "# Rules\n\n\
         Each row leads to a page that says what happens in the cluster, how to fix it, and when to leave it as it is;\n\
         `kubetaint explain RULE` prints the same. The severity is the one that a finding has when nothing lowers it.\n"
    )?;
    writeln!(page, "| rule | severity | looks at | what it finds |")?;
    writeln!(page, "| --- | --- | --- | --- |")?;
    for rule in rules.iter() {
        let title = rule.title.replace('|', "\\|");
        let (id, severity) = (&rule.id, rule.severity);
        let scope = subject(rule.scope);
        writeln!(page, "| [{id}]({id}.md) | {severity} | {scope} | {title} |")?;
    }
    Ok(())
}

/// The subject of a rule, in words.
fn subject(scope: Scope) -> &'static str {
    match scope {
        Scope::Toleration => "each toleration",
        Scope::Taint => "each taint of a node pool",
        Scope::Workload => "each workload",
        Scope::Pool => "each node pool",
        Scope::Notice => "what reading noticed",
        Scope::DeviceTaint => "each taint of devices",
        Scope::DeviceToleration => "each toleration of devices",
        Scope::Change => "what a change does to each workload",
        Scope::PoolChange => "what a change does to each node pool",
    }
}

fn write_page(rule: &Rule, page: &mut String) -> std::fmt::Result {
    writeln!(page, "# {}\n\n{}.\n", rule.id, rule.title)?;
    writeln!(page, "- Severity: {}", rule.severity)?;
    for (when, severity) in rule.severities() {
        writeln!(page, "  - {severity} where `{}`", on_one_line(when))?;
    }
    if is_note_in_tests(rule) {
        writeln!(page, "  - {}", in_tests(rule))?;
    }
    writeln!(page, "- Looks at: {}", subject(rule.scope))?;
    if !rule.tags.is_empty() {
        writeln!(page, "- Tags: {}", rule.tags.join(", "))?;
    }
    write_needs_and_fixes(rule, page)?;
    writeln!(page, "\n## What happens, and why\n\n{}\n", rule.why.trim())?;
    write_fixing(rule, page)?;
    write_ignoring(rule, page)?;
    if !rule.source.is_empty() {
        writeln!(page, "## Source\n\nThe rule follows\n")?;
        for file in &rule.source {
            writeln!(page, "- `{file}`")?;
        }
        writeln!(page)?;
    }
    writeln!(
        page,
        "## Condition\n\n```cel\n{}\n```",
        by_lines(&rule.condition)
    )?;
    for (name, text) in rule.names_in_conditions() {
        writeln!(
            page,
            "\nwhere `{name}` is\n\n```cel\n{}\n```",
            by_lines(text)
        )?;
    }
    write_examples(rule, page)
}

/// Where a rule's findings are notes.
fn in_tests(rule: &Rule) -> &'static str {
    match rule.has_tag(SPELLING) {
        true => "note under paths that say test or archive",
        false => "note under paths that say test, example or archive",
    }
}

fn is_note_in_tests(rule: &Rule) -> bool {
    let is_lowered = rule.severity != Severity::Note || rule.severities().next().is_some();
    rule.has_tag(CROSS_REFERENCE) && is_lowered
}

fn write_needs_and_fixes(rule: &Rule, page: &mut String) -> std::fmt::Result {
    for need in &rule.needs {
        writeln!(page, "- Needs: {}", needed(*need, rule.otherwise))?;
    }
    if let Some(stands) = &rule.stands {
        let stands = on_one_line(stands);
        writeln!(
            page,
            "- Without all pools, a warning at most where `{stands}`"
        )?;
    }
    let fixes = match rule.fixes() {
        (false, false) => "by hand",
        (true, false) => "`--fix`",
        (false, true) => "`--unsafe-fixes`",
        (true, true) => "`--fix` for some findings, `--unsafe-fixes` for others",
    };
    writeln!(page, "- Fix: {fixes}")
}

fn write_screen(rule: &Rule, page: &mut String) -> std::fmt::Result {
    let id = &rule.id;
    writeln!(page, "# {id}\n\n{}.\n", rule.title)?;
    writeln!(page, "- Severity: {}", severities(rule))?;
    writeln!(page, "- Looks at: {}", subject(rule.scope))?;
    write_needs_and_fixes(rule, page)?;
    writeln!(page, "\n## What happens, and why\n\n{}\n", rule.why.trim())?;
    write_fixing(rule, page)?;
    writeln!(page, "## When to ignore it\n")?;
    if let Some(when) = &rule.ignore_when {
        writeln!(page, "{}\n", when.trim())?;
    }
    writeln!(
        page,
        "To suppress one finding, write `# kubetaint: ignore[{id}] reason` on its line or above it.\n"
    )?;
    if !rule.source.is_empty() {
        writeln!(page, "## Source\n")?;
        for file in &rule.source {
            writeln!(page, "- `{file}`")?;
        }
        writeln!(page)?;
    }
    writeln!(
        page,
        "`kubetaint explain {id} --examples` also prints the condition and the examples."
    )
}

/// The severities of a rule in words: `error; note for DaemonSets`.
fn severities(rule: &Rule) -> String {
    let mut parts = vec![rule.severity.to_string()];
    for (when, severity) in rule.severities() {
        let part = format!("{severity} {}", in_words(&on_one_line(when)));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if is_note_in_tests(rule) {
        parts.push(in_tests(rule).to_owned());
    }
    parts.join("; ")
}

/// A common condition in words.
fn in_words(condition: &str) -> &'static str {
    match condition {
        "!workload.verbatim" => "where a template or a tool may still change the value",
        "workload.level == \"typed\"" => "for built-in kinds",
        "workload.level != \"typed\"" => "for other kinds than built-in ones",
        "workload.level == \"custom\"" => "for custom resources",
        "workload.level == \"other\"" => "for lists whose owner is not known, such as Helm values",
        "workload.system || workload.hostNetwork" => "for system workloads and on the host network",
        "workload.controller == \"DaemonSet\"" | "workload.kind == \"DaemonSet\"" => {
            "for DaemonSets"
        }
        _ => "in some cases",
    }
}

/// Wraps the paragraphs and list items of a Markdown text to a width. Code, tables and headings are unchanged.
fn reflow(text: &str, width: usize) -> String {
    let mut page = String::new();
    let mut open: Option<(usize, String)> = None;
    let mut is_code = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```");
        let is_item =
            trimmed.starts_with("- ") || trimmed.starts_with("* ") || is_numbered(trimmed);
        let as_it_is = is_code || fence || trimmed.is_empty() || trimmed.starts_with(['|', '#']);
        if as_it_is || is_item {
            close(&mut open, width, &mut page);
        }
        is_code ^= fence;
        if as_it_is {
            page.push_str(line);
            page.push('\n');
            continue;
        }
        match &mut open {
            Some((_, paragraph)) => {
                paragraph.push(' ');
                paragraph.push_str(trimmed.trim_end());
            }
            None => {
                let marker = match is_item {
                    true => trimmed.find(' ').map_or(0, |space| space + 1),
                    false => 0,
                };
                let indent = line.len() - trimmed.len() + marker;
                open = Some((indent, line.trim_end().to_owned()));
            }
        }
    }
    close(&mut open, width, &mut page);
    page
}

fn is_numbered(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < line.len() && digits.starts_with(". ")
}

/// Writes the open paragraph.
fn close(open: &mut Option<(usize, String)>, width: usize, page: &mut String) {
    if let Some((indent, paragraph)) = open.take() {
        page.push_str(&wrap(&paragraph, width, 0, indent));
        page.push('\n');
    }
}

/// Longer lines are hard to read.
const LONG: usize = 100;

/// A condition, split at top-level `&&` and `||` into one line per part if it is long.
fn by_lines(condition: &str) -> String {
    let condition = on_one_line(condition);
    if condition.len() <= LONG {
        return condition;
    }
    let mut lines = String::with_capacity(condition.len());
    let (mut depth, mut quote) = (0usize, None);
    for (at, one) in condition.char_indices() {
        match quote {
            Some(open) => {
                if one == open && !condition.until(at).ends_with('\\') {
                    quote = None;
                }
            }
            None => match one {
                '"' | '\'' => quote = Some(one),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                '&' | '|' if depth == 0 && condition.until(at).ends_with(' ') => {
                    lines.truncate(lines.trim_end().len());
                    lines.push('\n');
                }
                _ => {}
            },
        }
        lines.push(one);
    }
    lines
}

fn needed(need: Need, otherwise: Otherwise) -> &'static str {
    match need {
        Need::Pools => "at least one node pool that serves the workload",
        Need::CompletePools if otherwise == Otherwise::Off => {
            "all node pools of the cluster (`complete: true`); finds nothing otherwise"
        }
        Need::CompletePools => {
            "all node pools of the cluster (`complete: true`); its findings are notes otherwise"
        }
        Need::Literal => "tolerations and selectors that are written out, not templated",
        Need::LiteralSelector => "selectors that are written out, not templated",
    }
}

fn write_fixing(rule: &Rule, page: &mut String) -> std::fmt::Result {
    if let Some(text) = &rule.how_to_fix {
        writeln!(page, "## How to fix it\n\n{}\n", text.trim())?;
    } else if let Some(help) = &rule.help_text {
        let help = on_one_line(help);
        let help = without_holes(&help);
        let mut letters = help.chars();
        // After `help:` it continues a line; here it is a sentence.
        let first: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .collect();
        writeln!(page, "## How to fix it\n\n{first}{}.\n", letters.as_str())?;
    }
    Ok(())
}

fn write_ignoring(rule: &Rule, page: &mut String) -> std::fmt::Result {
    writeln!(page, "## When to ignore it\n")?;
    if let Some(when) = &rule.ignore_when {
        writeln!(page, "{}\n", when.trim())?;
    }
    writeln!(
        page,
        "A comment on the line, or on its own line above it, accepts one finding; the configuration accepts many.\n\n\
         ```yaml\n# kubetaint: ignore[{id}] the reason\n```\n\n\
         ```yaml\n# .kubetaint.yaml\nrules:\n  {id}: {{except: [{{path: \"legacy/**\"}}]}}\n```\n",
        id = rule.id
    )
}

fn write_examples(rule: &Rule, page: &mut String) -> std::fmt::Result {
    writeln!(page, "\n## Examples")?;
    for example in &rule.examples {
        let verdict = if example.bad { "Bad" } else { "Good" };
        match &example.why {
            Some(why) => writeln!(page, "\n{verdict}: {why}")?,
            None => writeln!(page, "\n{verdict}, found at `{MARK}`:")?,
        }
        let is_change = rule.scope.is_of_changes();
        let before = example.before.iter().map(|file| (file, "before"));
        let after = example.files.iter().map(|file| (file, "after"));
        for ((path, text), state) in before.chain(after) {
            if is_change {
                writeln!(page, "\n`{path}` {state}")?;
            } else if example.files.len() > 1 {
                writeln!(page, "\n`{path}`")?;
            }
            writeln!(page, "\n```yaml\n{}\n```", text.trim_end())?;
        }
    }
    Ok(())
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A sentence with `…` for each placeholder.
fn without_holes(sentence: &str) -> String {
    let mut text = String::new();
    let mut depth = 0usize;
    let mut rest = sentence;
    while let Some(one) = rest.chars().next() {
        let doubled = rest.starts_with("{{") || rest.starts_with("}}");
        match one {
            '{' | '}' if doubled && depth == 0 => {
                text.push(one);
                rest = rest.since(1);
            }
            '{' => {
                depth += 1;
                if depth == 1 {
                    text.push('…');
                }
            }
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(one),
            _ => {}
        }
        rest = rest.since(one.len_utf8());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped_and_code_and_tables_are_not() {
        let text = "# Title\n\nOne two three\nfour five six seven eight nine ten eleven twelve.\n\n\
                    - an item with\n  more words than one line of forty has\n- another\n\n\
                    ```yaml\nkey: a value that is longer than forty columns are\n```\n";
        let expected = "# Title\n\nOne two three four five six seven eight\nnine ten eleven twelve.\n\n\
                        - an item with more words than one line\n  of forty has\n- another\n\n\
                        ```yaml\nkey: a value that is longer than forty columns are\n```\n";
        assert_eq!(reflow(text, 40), expected);
    }

    #[test]
    fn what_the_program_fills_in_is_left_open() {
        assert_eq!(
            without_holes("write `{{a: {workload.name}}}` or {x.map(y, {\"z\": y})} twice"),
            "write `{a: …}` or … twice"
        );
    }
}
