//! A rule as a page for people: Markdown that reads well in a terminal, too.

use std::fmt::Write as _;

use crate::rule::Rule;
use crate::rule::schema::{Need, Otherwise};

/// The page of a rule, Markdown.
pub fn page(rule: &Rule) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(rule, &mut page);
    page
}

fn write_page(rule: &Rule, page: &mut String) -> std::fmt::Result {
    writeln!(page, "# {}\n\n{}.\n", rule.id, rule.title)?;
    writeln!(page, "- Severity: {}", rule.severity)?;
    writeln!(page, "- Looks at: each {}", rule.scope.as_str())?;
    if !rule.tags.is_empty() {
        writeln!(page, "- Tags: {}", rule.tags.join(", "))?;
    }
    for need in &rule.needs {
        let text = match need {
            Need::Pools => "at least one node pool that serves the workload",
            Need::CompletePools if rule.otherwise == Otherwise::Off => {
                "all node pools of the cluster (`complete: true`); finds nothing otherwise"
            }
            Need::CompletePools => {
                "all node pools of the cluster (`complete: true`); its findings are notes otherwise"
            }
            Need::Literal => "tolerations and selectors that are written out, not templated",
        };
        writeln!(page, "- Needs: {text}")?;
    }
    writeln!(page, "\n{}\n", rule.why.trim_end())?;
    writeln!(
        page,
        "## Condition\n\n```cel\n{}\n```",
        rule.condition.trim()
    )?;
    writeln!(page, "\n## Examples")?;
    for example in &rule.examples {
        let verdict = if example.bad { "Bad" } else { "Good" };
        match &example.why {
            Some(why) => writeln!(page, "\n{verdict}: {why}")?,
            None => writeln!(page, "\n{verdict}:")?,
        }
        for (path, text) in &example.files {
            if example.files.len() > 1 {
                writeln!(page, "\n`{path}`")?;
            }
            writeln!(page, "\n```yaml\n{}\n```", text.trim_end())?;
        }
    }
    Ok(())
}
