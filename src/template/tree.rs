//! Templates without calls: text, values, blocks and loops, in languages whose expressions need no more than that.

use std::ops::Range;

use super::branches::Condition;
use super::flows::{Flow, Origin, Test};
use super::writer::{Block, Writer, number};
use crate::source::text::Cut as _;

const UNKNOWN: &str = "a template expression prints it";

/// Conditions on values of these languages are not read.
const TEST: Test = Test {
    value: None,
    holds: true,
};

/// A part of a template.
#[derive(Debug, PartialEq)]
pub enum Part {
    /// Text that is written as in the file.
    Text(Range<usize>),
    /// An expression whose value is printed.
    Value(Range<usize>),
    /// A block of which one arm is written.
    If {
        /// The first condition.
        at: Range<usize>,
        /// Its arms, in order.
        arms: Vec<Vec<Part>>,
    },
    /// A loop.
    For {
        /// What it loops over.
        at: Range<usize>,
        /// What it writes for each item.
        body: Vec<Part>,
        /// What is written if there are no items.
        otherwise: Option<Vec<Part>>,
    },
}

/// Writes a variant of a template.
pub fn write(parts: &[Part], text: &str, words: &[&str], writer: &mut Writer<'_>) {
    for part in parts {
        if !writer.may_write() {
            return;
        }
        match part {
            Part::Text(range) => writer.text(text.within(range.clone()), range.start),
            Part::Value(at) => {
                let flow = Flow {
                    origin: Origin::Unknown,
                    is_yaml: false,
                };
                writer.unknown(UNKNOWN, at.clone(), flow);
            }
            Part::If { at, arms } => {
                let relevant: Vec<bool> = arms
                    .iter()
                    .map(|arm| is_relevant(arm, text, words))
                    .collect();
                let block = Block {
                    at: at.start,
                    condition: Some(condition(text.within(at.clone()))),
                    arms: &relevant,
                    usual: 0,
                    test: TEST,
                };
                writer.choose(&block, |writer, arm| {
                    write(
                        arms.get(arm).map_or(&[], Vec::as_slice),
                        text,
                        words,
                        writer,
                    );
                });
            }
            Part::For {
                at,
                body,
                otherwise,
            } => {
                let mut relevant = vec![is_relevant(body, text, words)];
                let other = otherwise.as_ref();
                relevant.extend(other.map(|other| is_relevant(other, text, words)));
                let block = Block {
                    at: at.start,
                    condition: None,
                    arms: &relevant,
                    usual: 0,
                    test: TEST,
                };
                writer.choose(&block, |writer, arm| {
                    let from = writer.len();
                    match (arm, otherwise) {
                        (0, _) => {
                            write(body, text, words, writer);
                            writer.more("a loop may write more", at.clone(), from);
                        }
                        (_, Some(other)) => write(other, text, words, writer),
                        (_, None) => {}
                    }
                });
            }
        }
    }
}

/// Whether parts contain one of the words.
fn is_relevant(parts: &[Part], text: &str, words: &[&str]) -> bool {
    parts.iter().any(|part| match part {
        Part::Text(range) => {
            let text = text.within(range.clone());
            words.iter().any(|word| text.contains(word))
        }
        Part::Value(_) => false,
        Part::If { arms, .. } => arms.iter().any(|arm| is_relevant(arm, text, words)),
        Part::For {
            body, otherwise, ..
        } => {
            let other = otherwise.as_ref();
            is_relevant(body, text, words)
                || other.is_some_and(|other| is_relevant(other, text, words))
        }
    })
}

fn condition(written: &str) -> Condition {
    let words: Vec<&str> = written.split_whitespace().collect();
    let mut negated = false;
    let mut words = words.as_slice();
    while let ["not", rest @ ..] = words {
        negated = !negated;
        words = rest;
    }
    match words {
        [subject, operator @ ("==" | "!="), value] => Condition {
            subject: number(subject),
            equal: Some(number(value)),
            negated: negated != (*operator == "!="),
        },
        [only] if only.starts_with('!') => Condition {
            subject: number(only.trim_start_matches('!')),
            equal: None,
            negated: !negated,
        },
        words => Condition {
            subject: number(words.join(" ")),
            equal: None,
            negated,
        },
    }
}
