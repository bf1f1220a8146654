//! Evaluates one module with its inputs: variables, locals, outputs, and the declarations of its blocks after `count`,
//! `for_each` and dynamic blocks are resolved.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::conform::conform;
use super::evaluate::{Evaluator, Names, Scope};
use super::folder::{Folder, Repository};
use super::instances::{Instance, instances};
use super::mentions::mentions;
use super::references::NOT_DECLARED;
use super::run::Run;
use super::syntax::{Block, File};
use super::trees::build;
use super::value::{Fields, Term};
use super::variants::{self, Values};
use super::{Declared, DeclaredKind};
use crate::source::SourceId;
use crate::yaml::TreeBuilder;

/// The maximum nesting depth of module calls.
const MAX_LEVEL: u32 = 8;

/// Meta-arguments: they control how Terraform handles a block, not what it contains.
const META: [&str; 6] = [
    "count",
    "for_each",
    "depends_on",
    "provider",
    "source",
    "version",
];
/// The reason why a variable without a default has no value.
const NOT_GIVEN: &str = "is not set by the caller";

/// The source of the values of a module's variables.
pub(super) enum Inputs<'r> {
    /// It is a root module: defaults, and the variables files next to it, or those of one variant.
    Top(Option<&'r Values>),
    /// It is a library module that nothing in this repository calls, so every variable is unknown.
    Open,
    /// A call in this repository, and why it may set more variables.
    Call(BTreeMap<String, Term>, Option<Rc<str>>),
}

/// Values by name. Each is evaluated once; it is `None` during its evaluation.
type Terms<'r> = RefCell<BTreeMap<&'r str, Option<Term>>>;

/// A module with its inputs.
pub(super) struct Module<'r> {
    run: &'r Run,
    repository: &'r Repository<'r>,
    folder: &'r Folder,
    inputs: Inputs<'r>,
    /// The folder of the configuration.
    root: &'r str,
    /// The prefix for the addresses of its contents, such as `module.a.`.
    prefix: String,
    level: u32,
    /// The file of the outermost call, which determines where the module's node pools belong.
    caller: Option<SourceId>,
    /// Why the module may not exist at all, or `None` if it does.
    doubt: Option<Rc<str>>,
    locals: Terms<'r>,
    variables: Terms<'r>,
    children: RefCell<BTreeMap<&'r str, Option<Rc<Module<'r>>>>>,
}

/// A block that declares something, as written.
struct Declaration<'d> {
    kind: DeclaredKind,
    of_type: &'d str,
    label: &'d str,
    address: String,
    mentions: Vec<String>,
}

impl Scope for Module<'_> {
    fn run(&self) -> &Run {
        self.run
    }

    fn place_of(&self, file: &File, offset: u32) -> String {
        let path = file
            .source
            .map_or("", |source| self.repository.path(source));
        format!("{path}:{}", file.line(offset))
    }

    fn folders(&self) -> [String; 2] {
        [self.folder.path.as_str(), self.root].map(|path| format!("/{path}"))
    }

    fn text_of(&self, path: &str) -> Option<(SourceId, Rc<str>)> {
        let (source, text) = self.repository.text(path, self.run)?;
        Some((source, text.into()))
    }

    fn variable(&self, name: &str) -> Result<Term, String> {
        let Some((file, name, variable)) = self.folder.variable(name) else {
            return Err(NOT_DECLARED.to_owned());
        };
        if let Some(known) = remembered(&self.variables, name) {
            return known;
        }
        self.variables.borrow_mut().insert(name, None);
        let default = || {
            let expression = variable.default.as_ref()?;
            Some(self.evaluator(file).value(expression, &Names::NONE))
        };
        let found = match &self.inputs {
            Inputs::Call(given, more) => match (given.get(name).cloned(), more) {
                (Some(term), _) => Ok(term),
                (None, Some(why)) => Err(format!("may be set by the caller: {why}")),
                (None, None) => default().ok_or_else(|| NOT_GIVEN.to_owned()),
            },
            Inputs::Open => Err(match &variable.default {
                Some(_) => {
                    "is set by the caller of this module; there is no caller here, and a caller may override the default"
                }
                None => "is set by the caller of this module, and there is no caller here",
            }
            .to_owned()),
            Inputs::Top(values) => self.given(name, default(), *values),
        };
        match found {
            Ok(term) => {
                let term = match &variable.of_type {
                    Some(of_type) => conform(term, of_type, self.evaluator(file)),
                    None => term,
                };
                self.variables.borrow_mut().insert(name, Some(term.clone()));
                Ok(term)
            }
            Err(why) => {
                self.variables.borrow_mut().remove(name);
                Err(why)
            }
        }
    }

    fn local(&self, name: &str) -> Result<Term, String> {
        let Some((file, name, expression)) = self.folder.local(name) else {
            return Err(NOT_DECLARED.to_owned());
        };
        if let Some(known) = remembered(&self.locals, name) {
            return known;
        }
        self.locals.borrow_mut().insert(name, None);
        let term = self.evaluator(file).value(expression, &Names::NONE);
        self.locals.borrow_mut().insert(name, Some(term.clone()));
        Ok(term)
    }

    fn output(&self, name: &str, output: &str) -> Option<Term> {
        let (file, block) = self.folder.module(name)?;
        let name = block.labels.first().map(|label| &**label)?;
        let known = self.children.borrow().get(name).cloned();
        let child = match known {
            Some(child) => child?,
            None => {
                self.children.borrow_mut().insert(name, None);
                let repeated = ["count", "for_each"]
                    .iter()
                    .any(|meta| block.body.attribute(meta).is_some());
                if repeated {
                    return None;
                }
                let child = Rc::new(self.child(file, block, &Names::NONE, String::new())?);
                self.children
                    .borrow_mut()
                    .insert(name, Some(Rc::clone(&child)));
                child
            }
        };
        let (file, expression) = child.folder.output(output)?;
        let term = child.evaluator(file).value(expression, &Names::NONE);
        Some(term)
    }
}

impl<'r> Module<'r> {
    pub fn top(
        run: &'r Run,
        repository: &'r Repository<'r>,
        folder: &'r Folder,
        inputs: Inputs<'r>,
    ) -> Module<'r> {
        Module {
            run,
            repository,
            folder,
            inputs,
            root: &folder.path,
            prefix: String::new(),
            level: 0,
            caller: None,
            doubt: None,
            locals: RefCell::default(),
            variables: RefCell::default(),
            children: RefCell::default(),
        }
    }

    /// Returns the value of a variable of a root module: from an automatically loaded variables file, otherwise the
    /// default. Files named on the command line count if all of them and this value agree.
    /// A file of the variant outranks all others.
    fn given(
        &self,
        name: &str,
        default: Option<Term>,
        values: Option<&'r Values>,
    ) -> Result<Term, String> {
        let folder = self.folder;
        if let Some((file, expression)) = values.and_then(|values| values.get(name)) {
            return Ok(self.evaluator(file).value(expression, &Names::NONE));
        }
        let common = values.and_then(|_| variants::last(folder.sorted.common.iter(), name));
        let base = match common.or_else(|| folder.automatic(name)) {
            Some((file, expression)) => Some(self.evaluator(file).value(expression, &Names::NONE)),
            None => default,
        };
        let named = match values {
            Some(_) => &folder.sorted.others,
            None => &folder.named_values,
        };
        let mut candidates: Vec<(&str, Option<Term>)> = Vec::new();
        for (path, file) in named {
            let own = file.values.iter().rev().find(|(known, _)| &**known == name);
            let term = match own {
                Some((_, expression)) => Some(self.evaluator(file).value(expression, &Names::NONE)),
                None => base.clone(),
            };
            candidates.push((path, term));
        }
        if base.is_some() {
            candidates.push(("", base.clone()));
        }
        variants::agreed(self.run, candidates, base)
    }

    fn evaluator(&self, file: &'r File) -> Evaluator<'_> {
        Evaluator { scope: self, file }
    }

    /// Returns the folder of the module that a block calls if it names a path.
    pub fn called(&self, file: &'r File, block: &'r Block) -> Option<String> {
        let plain = self.repository.called(&self.folder.path, block);
        plain.or_else(|| self.evaluator(file).terragrunt_folder(block))
    }

    /// Returns the module that a block calls if it is in this repository.
    fn child(
        &self,
        file: &'r File,
        block: &'r Block,
        names: &Names<'_>,
        suffix: String,
    ) -> Option<Module<'r>> {
        let folder = self
            .called(file, block)
            .and_then(|path| self.repository.folder(&path, self.run))?;
        if !self.run.call(file.span(block.at), self.level >= MAX_LEVEL) {
            return None;
        }
        let evaluator = self.evaluator(file);
        let mut given: BTreeMap<String, Term> = block
            .body
            .attributes
            .iter()
            .filter(|(name, ..)| !META.contains(&&**name))
            .map(|(name, _, value)| (name.to_string(), evaluator.value(value, names)))
            .collect();
        let mut more = None;
        if let Some(further) = &block.body.given {
            let mut fields = Fields::default();
            more = evaluator.given(further, names, &mut fields);
            given.extend(fields.into_terms());
        }
        let label = block.labels.first().map_or("", |label| &**label);
        Some(Module {
            inputs: Inputs::Call(given, more),
            root: self.root,
            prefix: format!("{}module.{label}{suffix}.", self.prefix),
            level: self.level + 1,
            caller: self.caller.or(file.source),
            ..Module::top(self.run, self.repository, folder, Inputs::Open)
        })
    }

    /// Adds the declarations of the module and of the modules that it calls.
    pub fn declare(&self, declared: &mut Vec<Declared>) {
        for (file, block) in self.folder.resources() {
            for instance in instances(self.evaluator(file), block) {
                self.resource(file, block, &instance, declared);
            }
        }
        for (file, block) in self.folder.modules() {
            for instance in instances(self.evaluator(file), block) {
                self.call(file, block, &instance, declared);
            }
        }
    }

    fn call(
        &self,
        file: &'r File,
        block: &'r Block,
        instance: &Instance,
        declared: &mut Vec<Declared>,
    ) {
        let own;
        let names = match &instance.term {
            Some(term) => {
                own = [(instance.name, term.clone())];
                Names::within(&Names::NONE, &own)
            }
            None => Names::NONE,
        };
        if let Some(mut child) = self.child(file, block, &names, instance.suffix.clone()) {
            child.doubt = self.doubt.clone().or_else(|| instance.doubt.clone());
            child.declare(declared);
            return;
        }
        let Some(source) = self.evaluator(file).registry_source(block) else {
            return;
        };
        let label = block.labels.first().map_or("", |label| &**label);
        let address = format!("{}module.{label}{}", self.prefix, instance.suffix);
        let whole = self
            .evaluator(file)
            .body(&block.body, file.span(block.at), &names);
        let declaration = Declaration {
            kind: DeclaredKind::Module,
            of_type: &source,
            label,
            address,
            mentions: mentions(&block.body),
        };
        declared.push(self.declared(declaration, file, instance, &whole));
    }

    fn resource(
        &self,
        file: &'r File,
        block: &'r Block,
        instance: &Instance,
        declared: &mut Vec<Declared>,
    ) {
        let [of_type, label, ..] = block.labels.as_slice() else {
            return;
        };
        let own;
        let names = match &instance.term {
            Some(term) => {
                own = [(instance.name, term.clone())];
                Names::within(&Names::NONE, &own)
            }
            None => Names::NONE,
        };
        let address = format!("{}{of_type}.{label}{}", self.prefix, instance.suffix);
        let whole = self
            .evaluator(file)
            .body(&block.body, file.span(block.at), &names);
        let declaration = Declaration {
            kind: DeclaredKind::Resource,
            of_type,
            label,
            address,
            mentions: mentions(&block.body),
        };
        declared.push(self.declared(declaration, file, instance, &whole));
    }

    fn declared(
        &self,
        declaration: Declaration<'_>,
        file: &File,
        instance: &Instance,
        whole: &Term,
    ) -> Declared {
        let mut tree = TreeBuilder::default();
        let root = build(whole, &mut tree);
        let mut root = root;
        if !self.run.spend(tree.len()) {
            tree = TreeBuilder::default();
            let why = "its configuration takes too much work to evaluate";
            root = build(&Term::unknown(why, whole.at), &mut tree);
        }
        let doubt = self.doubt.as_ref().or(instance.doubt.as_ref());
        let mentions = declaration.mentions.into_iter();
        Declared {
            kind: declaration.kind,
            of_type: declaration.of_type.to_owned(),
            label: format!("{}{}", declaration.label, instance.suffix),
            address: declaration.address,
            source: self.caller.or(file.source).unwrap_or(SourceId(u32::MAX)),
            mentions: mentions
                .map(|name| format!("{}{name}", self.prefix))
                .collect(),
            tree: tree.finish(root),
            doubt: doubt.map(|why| why.to_string()),
        }
    }
}

/// The stored result for a name, or an error if the name is being evaluated. `None` if it was not evaluated yet.
fn remembered(terms: &Terms<'_>, name: &str) -> Option<Result<Term, String>> {
    let terms = terms.borrow();
    let known = terms.get(name)?.clone();
    Some(known.ok_or_else(|| "refers to itself".to_owned()))
}
