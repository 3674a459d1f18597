//! Expressions of PowerShell that are constant: literals and what operators, casts and pure methods make of them.
//!
//! An expression with any other part has no value here; its commands are then read as such.

use super::constants::{characters, formatted, indexed, method, range, replaced, split, static_method};
use super::strings;
use super::value::{ITEMS, LENGTH, Value, Variables, is_number};

/// Expressions within one another.
const DEPTH: usize = 12;

pub(super) struct Parser<'v, 't> {
    variables: &'v Variables,
    rest: &'t str,
    depth: usize,
    /// Lines do not end expressions.
    lines: bool,
}

impl<'v, 't> Parser<'v, 't> {
    pub(super) fn new(variables: &'v Variables, text: &'t str) -> Self {
        Self { variables, rest: text, depth: 0, lines: false }
    }

    /// The value that the text starts with, and what follows it.
    pub(super) fn expression(mut self) -> Option<(Value, &'t str)> {
        let value = self.any()?;
        Some((value, self.rest))
    }

    /// The operand that the text starts with, and what follows it.
    pub(super) fn operand(mut self) -> Option<(Value, &'t str)> {
        let value = self.postfix()?;
        Some((value, self.rest))
    }

    fn any(&mut self) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth > DEPTH { None } else { self.comparison() };
        self.depth -= 1;
        value
    }

    /// Skips blanks; lines only where they do not end the expression.
    fn skip(&mut self) {
        let lines = self.lines;
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() && (lines || c != '\n'));
    }

    /// Takes `operator`, and the line's end behind it.
    fn takes(&mut self, operator: &str) -> bool {
        self.skip();
        let is_word = operator.ends_with(|c: char| c.is_alphabetic());
        let Some((head, rest)) = self.rest.split_at_checked(operator.len()) else { return false };
        if !head.eq_ignore_ascii_case(operator) || is_word && rest.starts_with(|c: char| c.is_alphanumeric()) {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    fn comparison(&mut self) -> Option<Value> {
        let mut left = self.additive()?;
        loop {
            if self.takes("-join") {
                let separator = self.additive()?;
                left = Value::limited(left.joined(separator.text()?)?)?;
            } else if self.takes("-replace") || self.takes("-creplace") || self.takes("-ireplace") {
                left = replaced(&left, self.additive()?)?;
            } else if self.takes("-split") {
                let separator = self.additive()?;
                left = split(left.text()?, separator.text()?)?;
            } else {
                return Some(left);
            }
        }
    }

    fn additive(&mut self) -> Option<Value> {
        let mut left = self.product()?;
        while self.takes("+") {
            left = left.plus(self.product()?)?;
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Value> {
        let mut left = self.format()?;
        while self.takes("*") {
            let (text, times) = (left.text()?.to_owned(), self.format()?.text()?.parse::<usize>().ok()?);
            // Numbers are multiplied.
            if is_number(&text) || text.len().checked_mul(times)? > LENGTH {
                return None;
            }
            left = Value::Text(text.repeat(times));
        }
        Some(left)
    }

    fn format(&mut self) -> Option<Value> {
        let mut left = self.list()?;
        while self.takes("-f") {
            left = formatted(left.text()?, self.list()?)?;
        }
        Some(left)
    }

    /// `a, b`
    fn list(&mut self) -> Option<Value> {
        let first = self.unary()?;
        let mut items = vec![first];
        while self.takes(",") {
            items.push(self.unary()?);
            if items.len() > ITEMS {
                return None;
            }
        }
        if items.len() == 1 { items.pop() } else { Some(Value::List(items)) }
    }

    fn unary(&mut self) -> Option<Value> {
        if self.takes("-join") {
            return Value::limited(self.inner_unary()?.joined("")?);
        }
        if self.takes(",") {
            return Some(Value::List(vec![self.inner_unary()?]));
        }
        self.skip();
        if let Some((name, rest)) = self.rest.strip_prefix('[').and_then(|rest| strings::until(rest, ']')) {
            return self.typed(name, rest);
        }
        self.postfix()
    }

    fn inner_unary(&mut self) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth > DEPTH { None } else { self.unary() };
        self.depth -= 1;
        value
    }

    /// `[string]'x'`, `[char]46`, `[string]::Join('', 'a', 'b')`
    fn typed(&mut self, name: &str, rest: &'t str) -> Option<Value> {
        // `[char[]]`
        let (name, rest) = rest.strip_prefix(']').map_or((name, rest), |rest| (name.trim_end_matches('['), rest));
        let name = name.to_ascii_lowercase();
        let name = name.trim_start_matches("system.");
        if let Some(rest) = rest.strip_prefix("::") {
            let (method, rest) = strings::until(rest, '(')?;
            self.rest = rest;
            let arguments = self.arguments()?;
            let value = static_method(name, &method.to_ascii_lowercase(), arguments)?;
            return self.members(value);
        }
        self.rest = rest;
        let value = self.inner_unary()?;
        match name {
            "char" => characters(value),
            "string" | "object" | "array" | "int" | "scriptblock" | "string[]" | "io.fileinfo" | "uri" => Some(value),
            _ => None,
        }
    }

    fn postfix(&mut self) -> Option<Value> {
        let value = self.primary()?;
        self.members(value)
    }

    /// `.Method(…)`, `[0]`
    fn members(&mut self, mut value: Value) -> Option<Value> {
        loop {
            if let Some(rest) = self.rest.strip_prefix('[') {
                let (index, rest) = strings::closed(rest, '[', ']');
                self.rest = rest;
                value = indexed(value, self.variables, index)?;
            } else if let Some(rest) = self.rest.strip_prefix('.')
                && rest.starts_with(|c: char| c.is_alphabetic())
            {
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                let (name, rest) = rest.split_at_checked(end)?;
                self.rest = rest.strip_prefix('(')?;
                let arguments = self.arguments()?;
                value = method(&value, &name.to_ascii_lowercase(), &arguments)?;
            } else {
                return Some(value);
            }
        }
    }

    /// Arguments of a method, up to the bracket behind them.
    fn arguments(&mut self) -> Option<Vec<Value>> {
        let (text, rest) = strings::closed(self.rest, '(', ')');
        self.rest = rest;
        if text.trim().is_empty() {
            return Some(Vec::new());
        }
        strings::parts(text).into_iter().map(|part| self.inner(part)).collect()
    }

    /// The value of a text inside this one.
    fn inner(&self, text: &str) -> Option<Value> {
        let mut parser = Parser { variables: self.variables, rest: text, depth: self.depth, lines: true };
        let value = if let Some(rest) = leading_word(text, "join-path") {
            parser.rest = rest;
            parser.joined_path()
        } else {
            parser.any()
        }?;
        parser.rest.trim().is_empty().then_some(value)
    }

    /// `Join-Path a b`
    fn joined_path(&mut self) -> Option<Value> {
        let mut parts: Vec<String> = Vec::new();
        loop {
            self.skip();
            if self.rest.is_empty() {
                let parts: Vec<&str> = parts.iter().map(|part| part.trim_end_matches(['/', '\\'])).collect();
                return Some(Value::Text(parts.join("/")));
            }
            let _option = self.takes("-path") || self.takes("-childpath");
            if self.rest.starts_with(['$', '\'', '"', '(']) {
                parts.extend(self.postfix()?.texts()?);
            } else {
                let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at_checked(end)?;
                if word.contains(['$', '(', '|', ';', '\'', '"', '`', '{']) {
                    return None;
                }
                parts.push(word.to_owned());
                self.rest = rest;
            }
            if parts.len() > ITEMS {
                return None;
            }
        }
    }

    fn primary(&mut self) -> Option<Value> {
        self.skip();
        let rest = self.rest;
        if let Some(body) = rest.strip_prefix('\'') {
            let (text, rest) = strings::single(body)?;
            self.rest = rest;
            return Value::limited(text);
        }
        if let Some(body) = rest.strip_prefix('"') {
            let (text, rest) = strings::double(body)?;
            self.rest = rest;
            return Value::limited(self.interpolated(&text)?);
        }
        if let Some((text, expands, rest)) = strings::here(rest) {
            self.rest = rest;
            return Value::limited(if expands { self.interpolated(text)? } else { text.to_owned() });
        }
        if let Some(inner) = rest.strip_prefix("@{") {
            let (entries, rest) = strings::closed(inner, '{', '}');
            self.rest = rest;
            return self.table(entries);
        }
        let is_list = rest.starts_with("@(");
        if let Some(inner) = rest.strip_prefix("@(").or(rest.strip_prefix("$(")).or(rest.strip_prefix('(')) {
            let (code, rest) = strings::closed(inner, '(', ')');
            self.rest = rest;
            if code.trim().is_empty() {
                return is_list.then(|| Value::List(Vec::new()));
            }
            let value = self.inner(code)?;
            return Some(if is_list { Value::List(value.items()) } else { value });
        }
        if let Some(inner) = rest.strip_prefix('$') {
            let (name, rest) = strings::variable_name(inner);
            let value = self.variables.get(&name)?;
            self.rest = rest;
            return Some(value);
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at_checked(end).filter(|(number, _)| !number.is_empty())?;
        if number.len() > 1 && number.starts_with('0') {
            return None;
        }
        self.rest = rest;
        if let Some(after) = rest.strip_prefix("..") {
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let (last, rest) = after.split_at_checked(end)?;
            self.rest = rest;
            return range(number.parse().ok()?, last.parse().ok()?);
        }
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '.')).then(|| Value::Text(number.to_owned()))
    }

    /// `name = value; 'name' = value`
    fn table(&self, entries: &str) -> Option<Value> {
        let mut table = Vec::new();
        for entry in strings::statements(entries) {
            if entry.trim().is_empty() || entry.trim_start().starts_with('#') {
                continue;
            }
            let (name, value) = entry.split_once('=')?;
            let name = name.trim().trim_matches(['\'', '"']);
            if name.contains(['$', '(', ' ']) || table.len() >= ITEMS {
                return None;
            }
            table.push((name.to_owned(), self.inner(value)?));
        }
        Some(Value::Table(table))
    }

    /// The body of a string in double quotes.
    fn interpolated(&self, body: &str) -> Option<String> {
        let mut text = String::new();
        let mut left = body;
        while let Some(at) = left.find(['$', '`']) {
            let (before, after) = left.split_at_checked(at)?;
            text.push_str(before);
            if let Some(escaped) = after.strip_prefix('`') {
                left = strings::escape(escaped, &mut text);
                continue;
            }
            let after = after.strip_prefix('$')?;
            if let Some(inner) = after.strip_prefix('(') {
                let (code, rest) = strings::closed(inner, '(', ')');
                text.push_str(&self.inner(code)?.joined(" ")?);
                left = rest;
                continue;
            }
            let (name, rest) = strings::variable_name(after);
            if name.is_empty() {
                text.push('$');
            } else {
                text.push_str(&self.variables.get(&name)?.joined(" ")?);
            }
            if text.len() > LENGTH {
                return None;
            }
            left = rest;
        }
        text.push_str(left);
        Some(text)
    }
}

fn leading_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.trim_start().split_at_checked(word.len())?;
    (head.eq_ignore_ascii_case(word) && rest.starts_with(char::is_whitespace)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use crate::command::code::powershell::value::{Value, Variables};

    fn value(text: &str) -> Option<String> {
        let mut variables = Variables::default();
        variables.set("a", Some(Value::Text("x".to_owned())));
        variables.set("t", Some(Value::Table(vec![("Path".to_owned(), Value::Text(".env".to_owned()))])));
        let value = variables.value_of(text)?;
        Some(value.texts()?.join("|"))
    }

    #[test]
    fn constant_expressions_have_values() {
        let cases = [
            ("'.e' + 'nv'", ".env"),
            ("'a', 'b'", "a|b"),
            ("('.e', 'nv') -join ''", ".env"),
            ("-join ('.e', 'nv')", ".env"),
            ("'{1}{0}' -f 'nv', '.e'", ".env"),
            ("\"$a.y\" + \"$('z' + 1)\"", "x.yz1"),
            ("[char]46 + 'env'", ".env"),
            ("-join [char[]](46, 101)", ".e"),
            ("[string]::Join('', 'a', 'b')", "ab"),
            ("'.eXv'.Replace('X', 'n')", ".env"),
            ("'.eXv' -replace 'X', 'n'", ".env"),
            ("'vne.'[3..0] -join ''", ".env"),
            ("('.env a' -split ' ')[0]", ".env"),
            ("'a' * 3", "aaa"),
            ("(Join-Path '.github' \"x\")", ".github/x"),
            ("(Join-Path -Path src -ChildPath $a)", "src/x"),
            ("$t['Path']", ".env"),
            ("$HOME + '/.ssh'", "~/.ssh"),
            ("@('a'\n, 'b')", "a|b"),
            ("[IO.Path]::Combine('a', 'b')", "a/b"),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_expressions_have_none() {
        for text in ["1 + 2", "[char](45 + 1) + 'env'", "[char](23 * 2)", "007", "[char]9"] {
            assert_eq!(value(text), None, "{text}");
        }
        for text in ["$b", "'a' + $b", "(gc x)", "'a' -eq 'b'", "Get-Date", "'a' -replace '.', 'b'", "'a' * 999999999"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"(".repeat(10_000)), None);
        assert_eq!(value(&"-join ".repeat(10_000)), None);
    }
}
