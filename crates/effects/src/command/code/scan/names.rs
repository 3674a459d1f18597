//! What the names of a program stand for.

use super::super::lexer::Token;
use super::tokens::{is_keyword, name_of, split};
use super::{Scan, Value};
use crate::Reason;
use crate::command::knowledge::Language;
use std::collections::BTreeMap;

/// Modules all of whose names were imported; of more, the program is not understood.
const STARS: usize = 64;

impl Scan<'_> {
    /// Functions, classes, and variables that hold one literal.
    pub(super) fn define(&mut self, tokens: &[Token]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let next = tokens.get(at + 1);
            let after = tokens.get(at + 2);
            if matches!(name.as_str(), "def" | "class" | "function" | "sub" | "module")
                && let Some(Token::Name(defined)) = next
            {
                self.defined.push(defined.clone());
            }
            let augmented =
                matches!(next, Some(Token::Mark('+' | '-' | '*' | '/' | '.' | '|' | '&' | '^' | '%' | '?')))
                    && matches!(after, Some(Token::Mark('=')));
            if augmented {
                // What it holds changes: no value of it is known.
                *counts.entry(name.as_str()).or_default() += 2;
            }
            let assigned = matches!(next, Some(Token::Mark('=')))
                && !matches!(after, Some(Token::Mark('=' | '>' | '~')))
                || matches!(name.as_str(), "for" | "as" | "lambda" | "global" | "nonlocal" | "del" | "with");
            if assigned {
                let target = if matches!(next, Some(Token::Mark('='))) { Some(name.as_str()) } else { name_of(next) };
                if let Some(target) = target {
                    *counts.entry(target).or_default() += 1;
                }
            }
        }
        for name in self.bound_elsewhere(tokens) {
            *counts.entry(name).or_default() += 2;
        }
        self.single = counts.iter().filter(|(_, count)| **count == 1).map(|(name, _)| (*name).to_owned()).collect();
        self.bindings = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        self.find_loops(tokens);
        self.destructured(tokens);
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let tail = tokens.get(at + 1..).unwrap_or_default();
            let single = counts.get(name.as_str()) == Some(&1);
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let statement = matches!(before, None | Some(Token::End | Token::Mark(':' | '{' | '$')))
                || matches!(before, Some(Token::Name(word)) if matches!(word.as_str(), "const" | "let" | "var" | "my"));
            if !single || !statement {
                continue;
            }
            match tail {
                [Token::Mark('='), Token::Text(text), Token::End, ..] => {
                    self.variables.insert(name.clone(), Value::Text(text.clone()));
                }
                [
                    Token::Mark('='),
                    Token::Name(path),
                    Token::Mark('('),
                    Token::Text(text),
                    Token::Mark(')'),
                    Token::End,
                    ..,
                ] if matches!(path.as_str(), "Path" | "pathlib.Path") => {
                    self.variables.insert(name.clone(), Value::Path(text.clone()));
                }
                [
                    Token::Mark('='),
                    Token::Name(require),
                    Token::Mark('('),
                    Token::Text(module),
                    Token::Mark(')'),
                    Token::End,
                    ..,
                ] if require == "require" || require.ends_with(".require") => {
                    self.names
                        .insert(name.clone(), module.trim_start_matches("node:").replace("fs/promises", "fs.promises"));
                }
                _ => {}
            }
        }
    }

    /// `name = expression`, where the name is assigned nowhere else: the expression, and what follows it.
    pub(super) fn assigned<'t>(&mut self, name: &str, rest: &'t [Token]) -> Option<(&'t [Token], &'t [Token])> {
        let (Token::Mark('='), behind) = rest.split_first()? else { return None };
        if matches!(behind.first(), None | Some(Token::Mark('=' | '>' | '~'))) || !self.single.contains(name) {
            return None;
        }
        let mut depth = 0_usize;
        let end = behind.iter().position(|token| {
            match token {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') if depth == 0 => return true,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(token, Token::End | Token::Mark(','))
        });
        let (expression, left) = behind.split_at_checked(end.unwrap_or(behind.len()))?;
        // Another name for a function.
        if let [Token::Name(function)] = expression {
            let function = self.resolve(function);
            if self.roles(&function).is_some() || self.calls.modules.contains(function.as_str()) {
                self.names.insert(name.to_owned(), function);
                return Some((&[], left));
            }
        }
        Some((expression, left))
    }

    /// The name at the start of `here` starts a statement.
    pub(super) fn starts_statement(all: &[Token], here: &[Token]) -> bool {
        let at = all.len() - here.len();
        match at.checked_sub(1).and_then(|at| all.get(at)) {
            None | Some(Token::End | Token::Mark(':' | '{' | '}' | '$')) => true,
            Some(Token::Name(word)) => matches!(word.as_str(), "const" | "let" | "var" | "my" | "our" | "local"),
            Some(_) => false,
        }
    }

    /// What the arguments of a call are for; nothing if the table does not list it.
    pub(super) fn roles(&self, name: &str) -> Option<&'static str> {
        let listed = |name: &str| self.calls.effects.get(name).copied();
        let method = name.rsplit_once('.').map(|(_, method)| method);
        listed(name)
            .or_else(|| self.canonical(name).and_then(|name| listed(&name)))
            .or_else(|| self.bare(name).and_then(listed))
            .or_else(|| method.and_then(|method| self.calls.any.get(method).copied()))
            .or_else(|| self.stars.iter().find_map(|module| listed(&format!("{module}.{name}"))))
            .or_else(|| {
                let loads = name.ends_with(".require") || name.ends_with("._load") || name.ends_with(".import_module");
                loads.then_some("require")
            })
    }

    /// A text among the values is the name of a function with effects, in a language that calls functions by name.
    pub(super) fn names_function(&self, values: &[Value]) -> bool {
        self.language == Language::Php
            && values
                .iter()
                .any(|value| matches!(value, Value::Text(name) if self.calls.effects.contains_key(name.as_str())))
    }

    /// `list.append(x)`: what the variable held before is not what it holds now.
    pub(super) fn mutated(&mut self, variable: &str, method: &str) {
        let changes = matches!(
            method,
            "append"
                | "extend"
                | "insert"
                | "pop"
                | "remove"
                | "push"
                | "unshift"
                | "shift"
                | "splice"
                | "reverse"
                | "sort"
                | "clear"
        );
        if changes && let Some(value @ Value::List(_)) = self.variables.get_mut(variable) {
            if let (Value::List(list), "append" | "push" | "extend") = (&mut *value, method) {
                list.push(Value::Unknown);
            } else {
                *value = Value::Unknown;
            }
        }
    }

    /// `(` here opens an expression: nothing before it is called.
    pub(super) fn starts_expression(&self, all: &[Token], here: &[Token]) -> bool {
        let at = all.len() - here.len();
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        matches!(before, None | Some(Token::End | Token::Mark(_)))
            && matches!(self.looks.group(here).1.first(), Some(Token::Name(name)) if name.starts_with('.'))
    }

    /// `const {a, b: c} = …`: names that get values, which uses none of them.
    pub(super) fn only_binds(&self, word: &str, behind: &[Token]) -> bool {
        let binds = self.language == Language::Javascript && matches!(word, "const" | "let" | "var");
        if !binds || !matches!(behind.first(), Some(Token::Mark('{'))) {
            return false;
        }
        let (inner, after) = self.looks.group(behind);
        let is_plain = |token: &Token| matches!(token, Token::Name(_) | Token::End | Token::Mark(',' | ':' | '.'));
        matches!(after.first(), Some(Token::Mark('='))) && inner.iter().all(is_plain)
    }

    /// `const {a, b: c} = require('m')`.
    pub(super) fn destructured(&mut self, tokens: &[Token]) {
        for at in 0..tokens.len() {
            let here = tokens.get(at..).unwrap_or_default();
            let [Token::Name(word), rest @ ..] = here else { continue };
            if !matches!(word.as_str(), "const" | "let" | "var") || !matches!(rest.first(), Some(Token::Mark('{'))) {
                continue;
            }
            let (inner, after) = self.looks.group(rest);
            let [Token::Mark('='), Token::Name(require), Token::Mark('('), Token::Text(module), ..] = after else {
                continue;
            };
            if require != "require" {
                continue;
            }
            let module = module.trim_start_matches("node:").replace("fs/promises", "fs.promises");
            for part in split(inner) {
                match part {
                    [Token::Name(name)] => self.names.insert(name.clone(), format!("{module}.{name}")),
                    [Token::Name(name), Token::Mark(':'), Token::Name(own)] => {
                        self.names.insert(own.clone(), format!("{module}.{name}"))
                    }
                    _ => None,
                };
            }
        }
    }

    /// `import a.b as c, d` and `from a import b as c`.
    pub(super) fn import<'t>(&mut self, word: &str, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| *token == Token::End).unwrap_or(tokens.len());
        let (line, rest) = tokens.split_at_checked(end).unwrap_or((tokens, &[]));
        let names: Vec<&str> = line.iter().filter_map(|token| name_of(Some(token))).collect();
        if line.iter().any(|token| matches!(token, Token::Mark('(')))
            && !line.iter().any(|token| matches!(token, Token::Mark(')')))
        {
            // The list goes on; its names are not followed, so their calls are not known.
            self.unread = Some(Reason::ImportsNotFollowed);
        }
        if let (Some(module), true) = (names.first(), line.iter().any(|token| matches!(token, Token::Mark('*')))) {
            self.star(module);
        }
        let mut left = names.iter().peekable();
        let module = if word == "from" { left.next().copied() } else { None };
        if let Some(module) = module {
            self.module(module);
            left.next_if(|name| **name == "import");
        }
        while let Some(name) = left.next() {
            let alias = left.next_if(|next| **next == "as").and_then(|_| left.next()).unwrap_or(name);
            let full = module.map_or_else(|| (*name).to_owned(), |module| format!("{module}.{name}"));
            if module.is_none() {
                self.module(name);
            }
            if *alias != full {
                self.rename(alias, full);
            }
        }
        rest
    }

    /// `import fs from 'fs'`, `import {a as b} from 'm'`, `import * as x from 'm'`.
    pub(super) fn import_script<'t>(&mut self, tokens: &'t [Token]) -> &'t [Token] {
        let line = self.looks.until(tokens, |token| matches!(token, Token::Text(_)));
        let rest = tokens.get(line.len()..).unwrap_or_default();
        let Some((Token::Text(module), rest)) = rest.split_first() else { return tokens };
        self.module(module);
        let module = module.trim_start_matches("node:").replace("fs/promises", "fs.promises");
        let mut names = line.iter().filter_map(|token| name_of(Some(token))).filter(|name| *name != "from").peekable();
        let braces = line.iter().any(|token| matches!(token, Token::Mark('{')));
        while let Some(name) = names.next() {
            let alias = names.next_if(|next| *next == "as").and_then(|_| names.next()).unwrap_or(name);
            let full = if braces { format!("{module}.{name}") } else { module.clone() };
            if alias != "as" && name != "as" {
                self.rename(alias, full);
            } else if let Some(alias) = names.next() {
                self.rename(alias, module.clone());
            }
        }
        rest
    }

    pub(super) fn use_module<'t>(&mut self, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| *token == Token::End).unwrap_or(tokens.len());
        if let Some(Token::Name(module)) = tokens.first()
            && module.starts_with(|c: char| c.is_alphabetic())
            && !module.starts_with('v')
        {
            self.module(module);
        }
        tokens.get(end..).unwrap_or_default()
    }

    pub(super) fn module(&mut self, module: &str) {
        let loaded = module.trim_start_matches("node:");
        if self.loaded.insert(loaded.to_owned()) {
            self.fresh.modules.push(loaded.to_owned());
        }
        if !self.calls.modules.contains(module) {
            self.doubt(Reason::ModuleNotRead);
        }
    }

    /// Keeps the reason of which less is known.
    fn doubt(&mut self, reason: Reason) {
        if self.unread.as_ref().is_none_or(|known| known.class() <= reason.class()) {
            self.unread = Some(reason);
        }
    }

    /// The function or object belongs to a module that was loaded and of which no table knows anything: code of the
    /// repository or of an installed package.
    pub(super) fn is_of_library(&self, name: &str) -> bool {
        let is_listed = |module: &str| {
            let after = format!("{module}.");
            let has = |listed: &&str| listed.starts_with(&after);
            let first = self.calls.effects.range(after.as_str()..).next().map(|(listed, _)| *listed);
            self.calls.modules.contains(module)
                || first.as_ref().is_some_and(has)
                || self.calls.makes.keys().any(|listed| listed.starts_with(&after))
        };
        let is_below =
            |module: &str| name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.') || rest.is_empty());
        self.loaded.iter().any(|module| {
            let top = module.split('.').next().filter(|top| !top.is_empty()).unwrap_or(module);
            is_below(module) && !is_listed(module) && !is_listed(top)
        })
    }

    /// All names of the module were imported.
    fn star(&mut self, module: &str) {
        if self.stars.iter().any(|known| known == module) {
            return;
        }
        if self.stars.len() < STARS {
            self.stars.push(module.to_owned());
        } else {
            self.unread = Some(Reason::ImportsNotFollowed);
        }
    }

    /// An import gave a name to what has another one.
    fn rename(&mut self, name: &str, full: String) {
        let before = self.names.insert(name.to_owned(), full.clone());
        if before.as_ref() != Some(&full) {
            self.fresh.names.push(full);
        }
    }

    /// The full name behind aliases.
    pub(super) fn resolve(&self, name: &str) -> String {
        // `json.dumps = os.system`
        if let Some(full) = self.names.get(name) {
            return full.clone();
        }
        let (head, tail) = name.split_once('.').map_or((name, None), |(head, tail)| (head, Some(tail)));
        if let (Language::Perl, Some(core)) = (self.language, name.strip_prefix("CORE::")) {
            return core.trim_start_matches("GLOBAL::").to_owned();
        }
        match (self.names.get(head), tail) {
            (Some(full), Some(tail)) => format!("{full}.{tail}"),
            (Some(full), None) => full.clone(),
            (None, _) => name.to_owned(),
        }
    }

    /// `child_process.execSync` reached through a module object keeps only its last name in some tables.
    pub(super) fn bare<'n>(&self, name: &'n str) -> Option<&'n str> {
        (self.language == Language::Javascript)
            .then(|| name.rsplit('.').next())
            .flatten()
            .filter(|bare| bare.ends_with("Sync") && *bare != name)
    }

    pub(super) fn calls_without_parentheses(&self, name: &str) -> bool {
        match self.language {
            Language::Perl | Language::Ruby => {
                self.calls.effects.contains_key(name) || self.calls.file_names.contains_key(name)
            }
            Language::Php => matches!(name, "include" | "require" | "include_once" | "require_once"),
            _ => false,
        }
    }

    /// The arguments of a call without parentheses end here.
    pub(super) fn ends_arguments(&self, token: &Token) -> bool {
        match (token, self.language) {
            (Token::End, _) => true,
            (Token::Name(word), Language::Ruby) => matches!(word.as_str(), "end" | "do" | "if" | "unless" | "rescue"),
            (Token::Name(word), Language::Perl) => {
                matches!(word.as_str(), "or" | "and" | "if" | "unless" | "for" | "foreach" | "while" | "until")
            }
            _ => false,
        }
    }

    /// A name alone calls the function: `Dir.pwd`, `Dotenv.load`, `unlink for …`.
    pub(super) fn called_alone(&self, name: &str, behind: &[Token]) -> bool {
        let names = self.makes_name(name).is_some();
        let roles = self.calls.effects.get(name);
        match self.language {
            Language::Ruby => names || roles.is_some_and(|roles| roles.contains('=')),
            Language::Perl => {
                let ends = behind
                    .first()
                    .is_none_or(|token| self.ends_arguments(token) || matches!(token, Token::Mark('}' | ')')));
                names || ends && roles.is_some_and(|roles| matches!(*roles, "words" | "delete*" | "script"))
            }
            _ => false,
        }
    }

    /// A name that is not called: harmless, unless it is a function with effects that may be called elsewhere (`true`).
    pub(super) fn mention(&mut self, name: &str) -> bool {
        let keyword = matches!(self.language, Language::Perl | Language::Ruby | Language::Php);
        let listed = |name: &str| self.calls.effects.contains_key(name);
        let passed_on = !keyword && (listed(name) || self.canonical(name).is_some_and(|name| listed(&name)));
        if passed_on {
            self.hands_over = true;
            self.unread = Some(Reason::EffectfulValue);
        }
        passed_on
    }

    /// Returns `true` if the tables list the call as one without effects. Any other call makes the program unread.
    pub(super) fn pure(&mut self, name: &str) -> bool {
        let full = self
            .stars
            .iter()
            .map(|module| format!("{module}.{name}"))
            .find(|full| self.calls.pure.contains(full.as_str()));
        let known = full.is_some()
            || self.calls.pure.contains(name)
            || self.defined.iter().any(|defined| defined == name)
            || is_keyword(name)
            || name.rsplit_once('.').is_some_and(|(object, method)| {
                !self.names.values().any(|full| full == object)
                    && !self.calls.modules.contains(object)
                    && !self.loaded.contains(object)
                    && self.calls.methods.contains(method)
            });
        if !known {
            self.doubt(if self.is_of_library(name) { Reason::ModuleNotRead } else { Reason::UnknownFunction });
        }
        known
    }

    /// Returns `true` if the tables list the method as one without effects. Any other method makes the program unread.
    pub(super) fn method(&mut self, name: &str) -> bool {
        let known = self.calls.methods.contains(name) || self.defined.iter().any(|defined| defined == name);
        if !known {
            self.doubt(Reason::UnknownMethod);
        }
        known
    }

    /// `)(`, `](`: the result of something is called.
    pub(super) fn called_value(&self, all: &[Token], here: &[Token]) -> bool {
        let at = all.len() - here.len();
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        matches!(before, Some(Token::Mark(')' | ']'))) && !matches!(self.language, Language::Perl | Language::Php)
    }
}
