//! What the names of a program stand for.

use super::super::lexer::Token;
use super::tokens::{group, is_keyword, name_of, split};
use super::{Scan, Value};
use crate::effects::command::knowledge::Language;
use std::collections::BTreeMap;

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
                ] if require == "require" => {
                    self.names
                        .insert(name.clone(), module.trim_start_matches("node:").replace("fs/promises", "fs.promises"));
                }
                _ => {}
            }
        }
    }

    /// `const {a, b: c} = require('m')`.
    pub(super) fn destructured(&mut self, tokens: &[Token]) {
        for at in 0..tokens.len() {
            let here = tokens.get(at..).unwrap_or_default();
            let [Token::Name(word), rest @ ..] = here else { continue };
            if !matches!(word.as_str(), "const" | "let" | "var") || !matches!(rest.first(), Some(Token::Mark('{'))) {
                continue;
            }
            let (inner, after) = group(rest);
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
            self.unread = Some("imports names that are not followed");
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
                self.names.insert((*alias).to_owned(), full);
            }
        }
        rest
    }

    /// `import fs from 'fs'`, `import {a as b} from 'm'`, `import * as x from 'm'`.
    pub(super) fn import_script<'t>(&mut self, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| matches!(token, Token::Text(_))).unwrap_or(tokens.len());
        let (line, rest) = tokens.split_at_checked(end).unwrap_or((tokens, &[]));
        let Some((Token::Text(module), rest)) = rest.split_first() else { return tokens };
        self.module(module);
        let module = module.trim_start_matches("node:").replace("fs/promises", "fs.promises");
        let mut names = line.iter().filter_map(|token| name_of(Some(token))).filter(|name| *name != "from").peekable();
        let braces = line.iter().any(|token| matches!(token, Token::Mark('{')));
        while let Some(name) = names.next() {
            let alias = names.next_if(|next| *next == "as").and_then(|_| names.next()).unwrap_or(name);
            let full = if braces { format!("{module}.{name}") } else { module.clone() };
            if alias != "as" && name != "as" {
                self.names.insert(alias.to_owned(), full);
            } else if let Some(alias) = names.next() {
                self.names.insert(alias.to_owned(), module.clone());
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
        if !self.calls.modules.contains(module) {
            self.unread = Some("loads a module that is not known");
        }
    }

    /// The full name behind aliases.
    pub(super) fn resolve(&self, name: &str) -> String {
        let (head, tail) = name.split_once('.').map_or((name, None), |(head, tail)| (head, Some(tail)));
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

    pub(super) fn variable(&self, name: &str) -> Value {
        self.variables.get(name).cloned().unwrap_or(Value::Unknown)
    }

    pub(super) fn calls_without_parentheses(&self, name: &str) -> bool {
        matches!(self.language, Language::Perl | Language::Ruby) && self.calls.effects.contains_key(name)
    }

    /// A name that is not called: harmless, unless it is a function with effects that may be called elsewhere.
    pub(super) fn mention(&mut self, name: &str) {
        let keyword = matches!(self.language, Language::Perl | Language::Ruby | Language::Php);
        if self.calls.effects.contains_key(name) && !keyword {
            self.unread = Some("uses a function with effects as a value");
        }
    }

    pub(super) fn pure(&mut self, name: &str) {
        let known = self.calls.pure.contains(name)
            || self.defined.iter().any(|defined| defined == name)
            || is_keyword(name)
            || name.rsplit_once('.').is_some_and(|(object, method)| {
                !self.names.values().any(|full| full == object)
                    && !self.calls.modules.contains(object)
                    && self.calls.methods.contains(method)
            });
        if !known {
            self.unread = Some("calls a function that is not known");
        }
    }

    pub(super) fn method(&mut self, name: &str) {
        if !self.calls.methods.contains(name) && !self.defined.iter().any(|defined| defined == name) {
            self.unread = Some("calls a method that is not known");
        }
    }

    /// `)(`, `](`: the result of something is called.
    pub(super) fn called_value(&self, all: &[Token], here: &[Token]) -> bool {
        let at = all.len() - here.len();
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        matches!(before, Some(Token::Mark(')' | ']'))) && !matches!(self.language, Language::Perl | Language::Php)
    }
}
