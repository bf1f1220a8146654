//! What can be said of an expression without evaluating it: in a few words, and what its text may be.

use super::syntax::{Expression, ExpressionKind, Part, Step};

impl Step {
    /// The step, and behind it those that stand in it.
    fn parts(&self) -> impl Iterator<Item = &Step> {
        let inner: &[Step] = match self {
            Step::OfEach(inner) => inner,
            _ => &[],
        };
        std::iter::once(self).chain(inner)
    }
}

impl Expression {
    /// The text, when it is one without anything to fill in.
    pub fn plain_text(&self) -> Option<&str> {
        match &self.kind {
            ExpressionKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text with which every value of a template begins, and the one with which it ends.
    fn ends(&self) -> [&str; 2] {
        let ExpressionKind::Template(template) = &self.kind else {
            return ["", ""];
        };
        [template.parts.first(), template.parts.last()].map(|part| match part {
            Some(Part::Text(literal)) => literal.text.as_str(),
            _ => "",
        })
    }

    /// Whether its value may be this text, whatever is filled in.
    pub fn may_be(&self, text: &str) -> bool {
        let [start, end] = self.ends();
        text.starts_with(start) && text.ends_with(end)
    }

    /// Whether the values of two expressions differ, whatever is filled in.
    pub fn differs(&self, other: &Expression) -> bool {
        let ([one, one_end], [other, other_end]) = (self.ends(), other.ends());
        !(one.starts_with(other) || other.starts_with(one))
            || !(one_end.ends_with(other_end) || other_end.ends_with(one_end))
    }

    /// The expression in a few words, for reasons.
    pub fn describe(&self) -> String {
        match &self.kind {
            ExpressionKind::Access(of, steps) => {
                let mut text = of.describe();
                for step in steps.iter().flat_map(Step::parts) {
                    match step {
                        Step::Name(name) => {
                            text.push('.');
                            text.push_str(name);
                        }
                        Step::Index(index) => match &index.kind {
                            ExpressionKind::Text(key) => text.push_str(&format!("[\"{key}\"]")),
                            ExpressionKind::Number(number) => text.push_str(&format!("[{number}]")),
                            _ => text.push_str("[…]"),
                        },
                        Step::Each | Step::OfEach(_) => text.push_str("[*]"),
                    }
                }
                text
            }
            ExpressionKind::Name(name) | ExpressionKind::LongNumber(name) => name.to_string(),
            ExpressionKind::Call(call) => format!("{}(…)", call.name),
            ExpressionKind::Conditional(_) => "a conditional".to_owned(),
            ExpressionKind::For(_) => "a `for` expression".to_owned(),
            ExpressionKind::Template(_) => "a template".to_owned(),
            _ => "an expression".to_owned(),
        }
    }
}
