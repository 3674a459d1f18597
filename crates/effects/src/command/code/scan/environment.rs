//! Variables of the environment that a program sets for the programs that it starts.

use super::super::lexer::Token;
use super::Scan;
use super::file_names::ENVIRONMENTS;
use crate::command::knowledge::Language;

/// Objects whose attributes are the variables.
const OBJECTS: &[&str] = &["process.env.", "Bun.env."];
/// Functions whose first argument is the name of a variable.
const FUNCTIONS: &[&str] = &["os.putenv", "putenv", "setenv", "POSIX.setenv", "Deno.env.set"];
/// Functions that start programs, and take variables for them as a table before the command.
const STARTERS: &[&str] = &["system", "exec", "spawn", "IO.popen", "Process.spawn", "Open3.capture2", "Open3.capture3"];
/// Methods of the environment: the first argument is the name, or a table has the names for keys.
const METHODS: &[&str] = &["update", "setdefault", "store", "replace", "merge!"];

impl Scan<'_> {
    /// Names of the variables, in the order of the text.
    pub(super) fn environment(&self, tokens: &[Token]) -> Vec<String> {
        let mut names = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let rest = tokens.get(at + 1..).unwrap_or_default();
            self.variables_at(&self.resolve(name), rest, &mut names);
        }
        names
    }

    fn variables_at(&self, name: &str, rest: &[Token], names: &mut Vec<String>) {
        if let Some(variable) = OBJECTS.iter().find_map(|object| name.strip_prefix(object)) {
            if is_assigned(rest) {
                names.push(variable.to_owned());
            }
            return;
        }
        if let [
            Token::Mark('[' | '{'),
            Token::Text(variable) | Token::Name(variable),
            Token::Mark(']' | '}'),
            behind @ ..,
        ] = rest
        {
            if ENVIRONMENTS.contains(&name) && is_assigned(behind) {
                names.push(variable.clone());
            }
            return;
        }
        let method =
            name.rsplit_once('.').filter(|(object, method)| ENVIRONMENTS.contains(object) && METHODS.contains(method));
        match rest {
            [Token::Mark('('), Token::Text(text), ..] if method.is_some() || FUNCTIONS.contains(&name) => {
                let variable = text.split('=').next().unwrap_or(text);
                names.push(variable.to_owned());
                if method.is_some() {
                    names.extend(keys(self.looks.group(rest).0));
                }
            }
            [Token::Mark('('), ..] if method.is_some() => names.extend(keys(self.looks.group(rest).0)),
            // `Object.assign(process.env, {…})`
            [Token::Mark('('), Token::Name(object), Token::Mark(','), table @ ..]
                if name == "Object.assign" && ENVIRONMENTS.contains(&object.as_str()) =>
            {
                names.extend(keys(self.looks.group(table).0));
            }
            [Token::Mark('('), table @ ..]
                if self.language == Language::Ruby
                    && STARTERS.contains(&name)
                    && matches!(table.first(), Some(Token::Mark('{'))) =>
            {
                names.extend(keys(self.looks.group(table).0));
            }
            // `env={…}`, `env: {…}` of a call that starts a program.
            [Token::Mark('=' | ':'), table @ ..]
                if name == "env" && matches!(table.first(), Some(Token::Mark('{'))) =>
            {
                names.extend(keys(self.looks.group(table).0));
            }
            _ => {}
        }
    }
}

/// `= value`, `||= value`, `+= value`; not `==` and not `=>`.
fn is_assigned(rest: &[Token]) -> bool {
    let rest = rest.iter().skip_while(|token| matches!(token, Token::Mark('|' | '?' | '+' | '.'))).take(2);
    matches!(rest.collect::<Vec<_>>().as_slice(), [Token::Mark('='), next] if !matches!(next, Token::Mark('=' | '>' | '~')))
}

/// The keys of `"A": x, b: y`, `A=x`, `"A" => x`.
fn keys(inner: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, token) in inner.iter().enumerate() {
        let (Token::Text(name) | Token::Name(name)) = token else { continue };
        let starts = at.checked_sub(1).and_then(|at| inner.get(at));
        let starts = matches!(starts, None | Some(Token::Mark(',' | '{' | '[') | Token::End));
        let is_key = match inner.get(at + 1) {
            Some(Token::Mark(':')) => true,
            Some(Token::Mark('=')) => !matches!(inner.get(at + 2), Some(Token::Mark('='))),
            _ => false,
        };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if starts && is_key && is_name {
            names.push(name.clone());
        }
    }
    names
}
