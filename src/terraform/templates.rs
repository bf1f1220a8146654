//! Texts with parts to fill in, out of what the parser of HCL gives: what stands on which line once indentation and
//! the blanks that `~` takes are gone.

use std::ops::Range;

use hcl_edit::Span as _;
use hcl_edit::template::{Directive, Element, Strip};

use super::hcl::Reader;
use super::syntax::{ExpressionKind, If, Literal, Part, Repeat, Template};

/// How the lines of a heredoc are indented.
struct Indentation {
    /// What follows begins a line.
    at_start: bool,
    /// The least number of blanks before a line.
    least: Option<usize>,
}

impl Indentation {
    /// Looks at what all of a template's lines have in common.
    fn see(&mut self, text: Option<&str>) {
        let Some(text) = text else {
            if self.at_start {
                self.least = Some(0);
            }
            self.at_start = false;
            return;
        };
        for line in text.split_inclusive('\n') {
            let blanks = line.len() - line.trim_start().len();
            // Blank lines say nothing.
            if self.at_start && !(blanks == line.len() && line.ends_with('\n')) {
                self.least = Some(self.least.map_or(blanks, |least| least.min(blanks)));
            }
            self.at_start = line.ends_with('\n');
        }
    }
}

impl Reader<'_> {
    /// A text in quotes.
    pub(super) fn quoted_template<'e>(
        &self,
        elements: impl Iterator<Item = &'e Element>,
    ) -> ExpressionKind {
        let elements: Vec<&Element> = elements.collect();
        if let [Element::Literal(text)] = elements.as_slice() {
            return ExpressionKind::Text(text.as_str().into());
        }
        if elements.is_empty() {
            return ExpressionKind::Text("".into());
        }
        let parts = elements
            .into_iter()
            .map(|element| match element {
                Element::Literal(text) => Part::Text(Literal {
                    text: text.as_str().into(),
                    runs: Vec::new(),
                    at: self.place(text.span()),
                }),
                Element::Interpolation(one) => {
                    Part::Value(self.expression(&one.expr), self.place(element.span()))
                }
                Element::Directive(_) => Part::Unread,
            })
            .collect();
        ExpressionKind::Template(Box::new(Template {
            parts,
            has_lines: false,
        }))
    }

    /// A heredoc, or a file that is a template.
    pub(super) fn lines_of_template<'e>(
        &self,
        elements: impl Iterator<Item = &'e Element>,
        is_indented: bool,
    ) -> ExpressionKind {
        let elements: Vec<&Element> = elements.collect();
        let mut seen = Indentation {
            at_start: true,
            least: None,
        };
        if is_indented {
            self.see(&elements, &mut seen);
        }
        let mut writer = Writer {
            reader: self,
            indentation: seen.least.unwrap_or(0),
            at_start: true,
        };
        let parts = writer.parts(&elements, false, false);
        ExpressionKind::Template(Box::new(Template {
            parts,
            has_lines: true,
        }))
    }

    fn see(&self, elements: &[&Element], seen: &mut Indentation) {
        for element in elements {
            match element {
                Element::Literal(literal) => {
                    let range = self.range(literal.span());
                    seen.see(self.text.get(range));
                }
                Element::Interpolation(_) => seen.see(None),
                Element::Directive(directive) => {
                    seen.see(None);
                    for body in bodies(directive) {
                        self.see(&body, seen);
                        seen.see(None);
                    }
                }
            }
        }
    }

    fn range(&self, range: Option<Range<usize>>) -> Range<usize> {
        let (from, to) = self.place(range);
        from as usize..to as usize
    }
}

/// The templates in a directive.
fn bodies(directive: &Directive) -> Vec<Vec<&Element>> {
    match directive {
        Directive::If(one) => std::iter::once(&one.if_expr.template)
            .chain(one.else_expr.as_ref().map(|other| &other.template))
            .map(|template| template.iter().collect())
            .collect(),
        Directive::For(one) => vec![one.for_expr.template.iter().collect()],
    }
}

/// Takes the indentation off, from the first part to the last.
struct Writer<'w, 't> {
    reader: &'w Reader<'t>,
    indentation: usize,
    at_start: bool,
}

impl Writer<'_, '_> {
    /// The parts of a template. `strip_before` and `strip_after` say whether what stands around it takes blanks.
    fn parts(&mut self, elements: &[&Element], strip_before: bool, strip_after: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut strip = strip_before;
        for element in elements {
            match element {
                Element::Literal(literal) => {
                    let mut text = self.literal(literal.as_str(), literal.span());
                    if strip {
                        text.strip_start();
                    }
                    parts.push(Part::Text(text));
                    strip = false;
                }
                Element::Interpolation(one) => {
                    strip_end(&mut parts, takes_before(one.strip));
                    strip = takes_after(one.strip);
                    self.at_start = false;
                    let value = self.reader.expression(&one.expr);
                    parts.push(Part::Value(value, self.reader.place(element.span())));
                }
                Element::Directive(directive) => {
                    let (before, after) = match &**directive {
                        Directive::If(one) => (one.if_expr.strip, one.endif_expr.strip),
                        Directive::For(one) => (one.for_expr.strip, one.endfor_expr.strip),
                    };
                    strip_end(&mut parts, takes_before(before));
                    strip = takes_after(after);
                    parts.push(self.directive(directive));
                }
            }
        }
        strip_end(&mut parts, strip_after);
        parts
    }

    fn directive(&mut self, directive: &Directive) -> Part {
        self.at_start = false;
        let part = match directive {
            Directive::If(one) => {
                let end = takes_before(one.endif_expr.strip);
                let (else_before, else_after) =
                    one.else_expr.as_ref().map_or((end, false), |other| {
                        (takes_before(other.strip), takes_after(other.strip))
                    });
                let yes: Vec<&Element> = one.if_expr.template.iter().collect();
                let yes = self.parts(&yes, takes_after(one.if_expr.strip), else_before);
                self.at_start = false;
                let no = one.else_expr.as_ref().map(|other| {
                    let no: Vec<&Element> = other.template.iter().collect();
                    self.parts(&no, else_after, end)
                });
                Part::If(Box::new(If {
                    condition: self.reader.expression(&one.if_expr.cond_expr),
                    yes,
                    no: no.unwrap_or_default(),
                }))
            }
            Directive::For(one) => {
                let body: Vec<&Element> = one.for_expr.template.iter().collect();
                let (before, after) = (one.for_expr.strip, one.endfor_expr.strip);
                let body = self.parts(&body, takes_after(before), takes_before(after));
                let key = one.for_expr.key_var.as_ref();
                Part::For(Box::new(Repeat {
                    key_name: key.map(|name| name.as_str().into()),
                    value_name: one.for_expr.value_var.as_str().into(),
                    over: self.reader.expression(&one.for_expr.collection_expr),
                    body,
                }))
            }
        };
        self.at_start = false;
        part
    }

    fn literal(&mut self, read: &str, span: Option<Range<usize>>) -> Literal {
        let range = self.reader.range(span.clone());
        let mut literal = Literal {
            at: self.reader.place(span),
            ..Literal::default()
        };
        let Some(written) = self.reader.text.get(range.clone()) else {
            literal.text = read.into();
            return literal;
        };
        let mut text = String::new();
        let mut offset = range.start;
        for line in written.split_inclusive('\n') {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            let skipped = match self.at_start {
                true => blanks.min(self.indentation),
                false => 0,
            };
            self.at_start = line.ends_with('\n');
            let mut rest = &line[skipped..];
            let mut at = offset + skipped;
            while !rest.is_empty() {
                // `$${` stands for `${`, and `%%{` for `%{`.
                let escape = [rest.find("$${"), rest.find("%%{")];
                let taken = escape.into_iter().flatten().min();
                let part = &rest[..taken.map_or(rest.len(), |at| at + 1)];
                literal
                    .runs
                    .push((text.len(), super::syntax::place(at..at).0));
                text.push_str(part);
                let used = part.len() + usize::from(taken.is_some());
                at += used;
                rest = &rest[used..];
            }
            offset += line.len();
        }
        literal.text = text.into();
        literal
    }
}

fn takes_before(strip: Strip) -> bool {
    matches!(strip, Strip::Start | Strip::Both)
}

fn takes_after(strip: Strip) -> bool {
    matches!(strip, Strip::End | Strip::Both)
}

fn strip_end(parts: &mut [Part], strips: bool) {
    if let (true, Some(Part::Text(literal))) = (strips, parts.last_mut()) {
        literal.strip_end();
    }
}

/// Blanks are taken from one line only: Terraform looks at one line at a time.
impl Literal {
    fn strip_start(&mut self) {
        let line = self.text.split_inclusive('\n').next().unwrap_or_default();
        let taken = line.len() - line.trim_start().len();
        let runs = std::mem::take(&mut self.runs);
        self.text = self.text[taken..].into();
        // The run that the text now begins in, and those behind it.
        let begun = runs.partition_point(|(at, _)| *at <= taken);
        for (at, offset) in &runs[begun.saturating_sub(1)..] {
            let cut = taken.saturating_sub(*at);
            let cut_in_file = u32::try_from(cut).unwrap_or(u32::MAX);
            self.runs
                .push(((at + cut) - taken, offset.saturating_add(cut_in_file)));
        }
    }

    fn strip_end(&mut self) {
        let line = self
            .text
            .split_inclusive('\n')
            .next_back()
            .unwrap_or_default();
        let kept = self.text.len() - (line.len() - line.trim_end().len());
        self.text = self.text[..kept].into();
        self.runs.retain(|(at, _)| *at < kept);
    }
}
