//! Gathers the imports, paths, method calls and inherent members of a module's code.

use super::{Call, Module, Receiver, attributes_of, is_for_tests, names_of};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// A name that a `use` brings, and its path.
type Named = (String, Vec<String>);

/// Adds the names and the globs of a part of a `use`.
fn flatten(
    tree: &syn::UseTree,
    path: &mut Vec<String>,
    names: &mut Vec<Named>,
    globs: &mut Vec<Vec<String>>,
) {
    let whole = |path: &[String], name: &syn::Ident| match name == "self" && !path.is_empty() {
        true => path.to_vec(),
        false => path.iter().cloned().chain([name.to_string()]).collect(),
    };
    match tree {
        syn::UseTree::Path(part) => {
            path.push(part.ident.to_string());
            flatten(&part.tree, path, names, globs);
            path.pop();
        }
        syn::UseTree::Name(name) => {
            let whole = whole(path, &name.ident);
            names.push((whole.last().unwrap().clone(), whole));
        }
        syn::UseTree::Rename(name) => names.push((name.rename.to_string(), whole(path, &name.ident))),
        syn::UseTree::Glob(_) => globs.push(path.clone()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, names, globs)),
    }
}

/// The names of a `use` and its globs.
pub fn names_of_use(tree: &syn::UseTree) -> (Vec<Named>, Vec<Vec<String>>) {
    let (mut names, mut globs) = (Vec::new(), Vec::new());
    flatten(tree, &mut Vec::new(), &mut names, &mut globs);
    (names, globs)
}

/// The words and marks of a macro, whatever groups they stand in.
pub fn flat(tokens: TokenStream) -> Vec<String> {
    let of_token = |token| match token {
        TokenTree::Group(group) => flat(group.stream()),
        other => vec![other.to_string()],
    };
    tokens.into_iter().flat_map(of_token).collect()
}

/// Counts the bindings of each name in a function.
#[derive(Default)]
struct Bindings(BTreeMap<String, u32>);

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, bound: &'ast syn::PatIdent) {
        *self.0.entry(bound.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, bound);
    }
}

/// Reads the code of a module.
pub struct Gather<'m> {
    module: &'m mut Module,
    self_type: Option<syn::Type>,
    bindings: BTreeMap<String, u32>,
    /// Receivers of the names that are bound once in the function that is read.
    names: BTreeMap<String, Receiver>,
}

impl<'m> Gather<'m> {
    pub fn of(module: &'m mut Module) -> Self {
        Self { module, self_type: None, bindings: BTreeMap::new(), names: BTreeMap::new() }
    }

    pub fn read(&mut self, items: &[syn::Item]) {
        items.iter().for_each(|item| self.visit_item(item));
    }

    /// Adds a path; `Self` stands for the type of the impl around it.
    fn add_path(&mut self, mut path: Vec<String>) {
        if path[0] == "Self" {
            let Some(syn::Type::Path(of)) = &self.self_type else { return };
            path.splice(..1, names_of(&of.path));
        }
        self.module.paths.insert(path);
    }

    fn add_call(&mut self, receiver: Receiver, method: String) {
        self.module.identifiers.insert(format!(".{method}"));
        self.module.calls.push(Call { receiver, method, self_type: self.self_type.clone() });
    }

    /// Paths and method calls among the tokens of a macro whose arguments are not expressions.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut after_dot) = (0, false);
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    self.module.identifiers.insert(name.clone());
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    // Neither a field nor the tail of a range.
                    let is_called = matches!(tokens.peek(), Some(TokenTree::Group(arguments))
                        if arguments.delimiter() == Delimiter::Parenthesis);
                    match after_dot {
                        true if is_called => self.add_call(Receiver::Unknown, name),
                        true => {}
                        false => path.push(name),
                    }
                    (colons, after_dot) = (0, false);
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end(&mut path);
                    (colons, after_dot) = (0, false);
                    match other {
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        TokenTree::Punct(mark) => after_dot = mark.as_char() == '.',
                        _ => {}
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.add_path(std::mem::take(path));
        }
    }

    fn receiver(&self, expression: &syn::Expr) -> Receiver {
        match expression {
            syn::Expr::Paren(inner) => self.receiver(&inner.expr),
            syn::Expr::Group(inner) => self.receiver(&inner.expr),
            syn::Expr::Reference(inner) => self.receiver(&inner.expr),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => self.receiver(expr),
            syn::Expr::Try(_) => Receiver::Unknown,
            syn::Expr::Path(path) if path.path.is_ident("self") => Receiver::This,
            syn::Expr::Path(path) if path.qself.is_none() => {
                let names = names_of(&path.path);
                match &names[..] {
                    [name] if self.bindings.contains_key(name) => {
                        self.names.get(name).cloned().unwrap_or(Receiver::Unknown)
                    }
                    _ => Receiver::Path(names),
                }
            }
            syn::Expr::Struct(made) => match names_of(&made.path).as_slice() {
                [name] if name == "Self" => Receiver::This,
                _ => Receiver::Typed(syn::Type::Path(syn::TypePath { qself: None, path: made.path.clone() })),
            },
            syn::Expr::Field(of) => {
                let field = match &of.member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(index) => index.index.to_string(),
                };
                Receiver::Field(Box::new(self.receiver(&of.base)), field)
            }
            syn::Expr::Index(of) => match &*of.index {
                syn::Expr::Range(_) => self.receiver(&of.expr),
                _ => Receiver::Element(Box::new(self.receiver(&of.expr))),
            },
            syn::Expr::MethodCall(called) => {
                Receiver::Returned(Box::new(self.receiver(&called.receiver)), called.method.to_string())
            }
            syn::Expr::Call(called) => match &*called.func {
                syn::Expr::Path(path) if path.qself.is_none() => Receiver::Path(names_of(&path.path)),
                _ => Receiver::Unknown,
            },
            _ => Receiver::Unknown,
        }
    }

    fn bind(&mut self, pattern: &syn::Pat, receiver: Receiver) {
        match pattern {
            syn::Pat::Ident(bound) if self.bindings.get(&bound.ident.to_string()) == Some(&1) => {
                self.names.insert(bound.ident.to_string(), receiver);
            }
            syn::Pat::Type(typed) => self.bind(&typed.pat, Receiver::Typed((*typed.ty).clone())),
            _ => {}
        }
    }

    /// Reads a function with its names.
    fn function(&mut self, signature: &syn::Signature, read: impl Fn(&mut Self), bindings: Bindings) {
        let outer = (std::mem::replace(&mut self.bindings, bindings.0), std::mem::take(&mut self.names));
        for argument in &signature.inputs {
            if let syn::FnArg::Typed(typed) = argument {
                self.bind(&typed.pat, Receiver::Typed((*typed.ty).clone()));
            }
        }
        read(self);
        (self.bindings, self.names) = outer;
    }
}

impl<'ast> Visit<'ast> for Gather<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    // Modules in the file are separate modules.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let (names, globs) = names_of_use(&item.tree);
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        for (name, path) in names {
            self.module.identifiers.extend(path.iter().cloned());
            if !is_reexport {
                self.module.paths.insert(path.clone());
            }
            // `use x as _` brings a trait into scope and no name.
            if name != "_" {
                self.module.imports.insert(name, path);
            }
        }
        for path in globs {
            self.module.identifiers.extend(path.iter().cloned());
            // A glob of an enum uses that enum; one of a module resolves to no item and makes no arrow.
            if !is_reexport {
                self.module.paths.insert(path.clone());
            }
            self.module.globs.push((path, is_reexport));
        }
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        let path = if item.ident == "self" { "crate".to_owned() } else { item.ident.to_string() };
        self.module.imports.insert(name.to_string(), vec![path]);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let mut bindings = Bindings::default();
        bindings.visit_item_fn(function);
        let outer = self.self_type.take();
        self.function(&function.sig, |gather| visit::visit_item_fn(gather, function), bindings);
        self.self_type = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let outer = self.self_type.replace((*item.self_ty).clone());
        for member in &item.items {
            match (&item.trait_, member) {
                (Some(_), syn::ImplItem::Fn(function)) => {
                    self.module.trait_methods.insert(function.sig.ident.to_string());
                }
                (None, syn::ImplItem::Fn(function)) if is_for_tests(&function.attrs) => {}
                (None, member) => self.module.members.push(((*item.self_ty).clone(), member.clone())),
                _ => {}
            }
        }
        visit::visit_item_impl(self, item);
        self.self_type = outer;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            let mut bindings = Bindings::default();
            bindings.visit_impl_item_fn(function);
            self.function(&function.sig, |gather| visit::visit_impl_item_fn(gather, function), bindings);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.module.trait_methods.insert(function.sig.ident.to_string());
        let mut bindings = Bindings::default();
        bindings.visit_trait_item_fn(function);
        self.function(&function.sig, |gather| visit::visit_trait_item_fn(gather, function), bindings);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let made = local.init.as_ref().map_or(Receiver::Unknown, |init| self.receiver(&init.expr));
        self.bind(&local.pat, made);
        visit::visit_local(self, local);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        // `<Type>::member`.
        if let Some(syn::QSelf { ty, position: 0, .. }) = &path.qself
            && let syn::Type::Path(of) = &**ty
        {
            self.add_path(names_of(&of.path).into_iter().chain(names_of(&path.path)).collect());
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add_path(names_of(path));
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.module.identifiers.insert(name.to_string());
    }

    fn visit_expr_method_call(&mut self, called: &'ast syn::ExprMethodCall) {
        let receiver = self.receiver(&called.receiver);
        self.add_call(receiver, called.method.to_string());
        visit::visit_expr_method_call(self, called);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        match Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(called.tokens.clone()) {
            Ok(arguments) => arguments.iter().for_each(|argument| Visit::visit_expr(self, argument)),
            Err(_) => self.tokens(called.tokens.clone()),
        }
    }
}
