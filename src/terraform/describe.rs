//! Describes an expression without evaluating it: a short description, and the texts that its value may be.

use super::syntax::{Expression, ExpressionKind, Part, Step};

impl Step {
    /// The step, followed by the steps inside it.
    fn parts(&self) -> impl Iterator<Item = &Step> {
        let inner: &[Step] = match self {
            Step::OfEach(inner) => inner,
            _ => &[],
        };
        std::iter::once(self).chain(inner)
    }
}

impl Expression {
    /// Returns the text if it has no interpolations.
    pub fn plain_text(&self) -> Option<&str> {
        match &self.kind {
            ExpressionKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the fixed prefix and the fixed suffix of the values of a template.
    fn ends(&self) -> [&str; 2] {
        let ExpressionKind::Template(template) = &self.kind else {
            return ["", ""];
        };
        [template.parts.first(), template.parts.last()].map(|part| match part {
            Some(Part::Text(literal)) => literal.text.as_str(),
            _ => "",
        })
    }

    /// Whether its value may be this text, whatever the interpolations are.
    pub fn may_be(&self, text: &str) -> bool {
        let [start, end] = self.ends();
        text.starts_with(start) && text.ends_with(end)
    }

    /// Whether the values of two expressions always differ, whatever the interpolations are.
    pub fn differs(&self, other: &Expression) -> bool {
        let ([one, one_end], [other, other_end]) = (self.ends(), other.ends());
        !(one.starts_with(other) || other.starts_with(one))
            || !(one_end.ends_with(other_end) || other_end.ends_with(one_end))
    }

    /// A short description of the expression for reasons.
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
