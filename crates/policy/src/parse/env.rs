//! The key `env`.

use crate::builtin::{BUILTIN, Holds, builtin};
use crate::env::{Environment, Name, Names, Variable};
use crate::grammar;

use super::pattern::Pattern;
use super::{Data, Fault, Parser, Stated, Value, builtins, quoted};

/// Longer than any name that a program looks for.
const LONGEST: usize = 200;

impl Parser<'_> {
    pub(super) fn env(&mut self, value: &Value, pointer: &str) -> Environment {
        let mut environment = Environment::default();
        let Some(members) = self.members(value, pointer, &grammar::ENV) else { return environment };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "deny_set" => environment.deny = self.variables(value, &below),
                "allow_set" => environment.allow = self.variables(value, &below),
                _ => {}
            }
        }
        environment
    }

    fn variables(&mut self, value: &Value, pointer: &str) -> Option<Names> {
        let mut names = Vec::new();
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of strings");
            return None;
        };
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let Data::Text(text) = &item.data else {
                self.wrong_type(item, &pointer, "a string");
                continue;
            };
            match Variable::members(self, text) {
                Ok(members) => {
                    let stated = Stated::entry(self.locator.location(item.span.start, &pointer));
                    let builtin = text.trim().strip_prefix(BUILTIN).and_then(builtin);
                    let builtin = builtin.map(|list| list.name.as_str());
                    names.extend(members.into_iter().map(|(text, _)| Name::new(&text, stated.clone(), builtin)));
                }
                Err((message, help)) => self.faults.push(item.span.clone(), &pointer, message, help),
            }
        }
        Some(Names { names, location: self.locator.location(value.span.start, pointer) })
    }
}

impl Pattern for Variable {
    const LISTS: &grammar::Object = &grammar::ENV;

    fn read(_: &Parser<'_>, text: &str) -> Result<Self, Fault> {
        builtins::none_of(text)?;
        name(text).map(Self::new)
    }

    fn members(parser: &Parser<'_>, text: &str) -> Result<Vec<(String, Self)>, Fault> {
        match builtins::named(parser.version, text, Holds::Variables)? {
            Some(list) => Ok(list.entries.iter().map(|name| (name.clone(), Self::new(name))).collect()),
            None => name(text).map(|name| vec![(name.to_owned(), Self::new(name))]),
        }
    }
}

/// The name of a variable, or why it can't be one.
fn name(text: &str) -> Result<&str, Fault> {
    let name = text.trim();
    if name.is_empty() {
        return Err(("this name is empty".to_owned(), Some("an empty name is no variable; remove it".to_owned())));
    }
    if text.chars().count() > LONGEST {
        return Err((format!("this name is longer than {LONGEST} characters"), None));
    }
    let bare = name.strip_prefix('$').unwrap_or(name);
    let bare = bare.strip_prefix('{').and_then(|bare| bare.strip_suffix('}')).unwrap_or(bare);
    let bare = bare.split('=').next().unwrap_or(bare);
    let odd = |character: char| !character.is_ascii_alphanumeric() && !"_*?[]!-%().".contains(character);
    if bare != name || name.contains(odd) {
        let help = (!bare.is_empty() && !bare.contains(odd)).then(|| format!("write {}", quoted(bare)));
        return Err((
            format!("{} can never match: names of variables are compared, without values", quoted(name)),
            help,
        ));
    }
    Ok(name)
}
