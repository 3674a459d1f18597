//! Runs the builtins that declare or set variables: `declare`, `export`, `local`, `readonly`, `typeset`, `read` and the like.

use agent_strace_shell::{Scope, Value};

use super::argument::{Arg, Known};
use super::machine::{Launch, Machine};
use super::simple::Io;
use crate::{About, Certainty, Reason};

/// Attributes that a declaration gives to its variables.
#[derive(Debug, Clone, Copy)]
struct Attributes {
    /// `-i`
    integer: bool,
    /// `-A`
    associative: bool,
    /// `-n`
    reference: bool,
    /// `-x`, or `export`
    exported: bool,
}

/// Which of several variables of a name a declaration is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The function's own.
    Local,
    /// The one that the function sees.
    Seen,
    /// `-g`: the one outside of all functions.
    Global,
}

/// The name in `name=value`, `name+=value` or `name`.
fn declared_name(word: &Arg) -> &str {
    let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
    name.trim_end_matches('+')
}

impl Machine<'_> {
    pub(super) fn declared(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        let rest = words.get(1..).unwrap_or_default();
        let options = || rest.iter().filter(|word| word.text.starts_with(['-', '+']));
        if rest.iter().all(|word| word.text.starts_with('-')) && name != "local" {
            let functions = options().any(|word| word.text.contains('f') || word.text.contains('F'));
            if !functions {
                self.opaque(About::Reads, Reason::Variables, &[]);
            }
            return;
        }
        let has = |letter: char| options().any(|word| word.text.starts_with('-') && word.text.contains(letter));
        let fixes = name == "readonly" || name != "export" && has('r');
        if has('f') && (name == "export" || has('x')) {
            return self.exported_functions(rest, io.scope);
        }
        if has('f') && fixes {
            return rest.iter().filter_map(Arg::literal).for_each(|function| io.scope.fix_function(function));
        }
        let place = match name {
            "export" | "readonly" => Place::Seen,
            _ if has('g') => Place::Global,
            _ => Place::Local,
        };
        let attributes = Attributes {
            integer: has('i'),
            associative: has('A'),
            reference: has('n'),
            exported: if name == "export" { !has('n') } else { has('x') },
        };
        let operands = || rest.iter().filter(|word| !word.text.starts_with(['-', '+']));
        for word in operands() {
            let name = declared_name(word);
            match place {
                Place::Local => io.scope.localise(name),
                Place::Global => io.scope.swap_global(name),
                Place::Seen => {}
            }
            if attributes.integer {
                io.scope.make_integer(name);
            }
            if attributes.associative {
                io.scope.associate(name);
            }
        }
        for word in operands() {
            self.declared_operand(word, attributes, io.scope);
            if place == Place::Global {
                io.scope.swap_global(declared_name(word));
            }
            if fixes {
                self.shell.fixing.push(declared_name(word).to_owned());
            }
        }
    }

    /// `unset`, `unset -v` and `unset -f`.
    pub(super) fn unset(&mut self, words: &[Arg], scope: &mut Scope) {
        self.execute(words, Launch::Inert);
        let rest = words.get(1..).unwrap_or_default();
        let (options, names): (Vec<&Arg>, Vec<&Arg>) = rest.iter().partition(|word| word.text.starts_with('-'));
        let has = |letter: char| options.iter().any(|word| word.text.contains(letter));
        for word in names {
            match word.literal() {
                None => scope.forget_all(),
                // A variable that is no reference stays as it is.
                Some(_) if has('n') => {}
                Some(name) if has('f') => scope.undefine(name),
                Some(name) if has('v') => scope.unset_variable(name),
                Some(name) => scope.unset(name),
            }
        }
    }

    /// `export -f`: shells started from here get the functions through their environment.
    fn exported_functions(&mut self, words: &[Arg], scope: &mut Scope) {
        for function in words.iter().filter_map(Arg::literal).filter(|word| !word.starts_with('-')) {
            scope.export_function(function);
            self.environment(&Arg::exact(format!("BASH_FUNC_{function}%%")), Certainty::Exact);
        }
    }

    /// `name` or `name=value`.
    fn declared_operand(&mut self, word: &Arg, attributes: Attributes, scope: &mut Scope) {
        match word.after('=') {
            Some(_) if attributes.associative => {}
            Some((name, value)) => {
                let variable = name.trim_end_matches('+').to_owned();
                if attributes.exported || scope.exports(&variable) {
                    self.environment(&word.with(variable.as_str()), Certainty::Exact);
                }
                self.env_injection(&variable, Some(&value), scope);
                if attributes.reference {
                    scope.refer(&variable, value.literal());
                } else {
                    let value = self.declared_value(&name, &value, scope);
                    scope.assign(&variable, value);
                }
                if attributes.exported {
                    scope.export(&variable);
                }
            }
            None if word.known == Known::Not => {
                if attributes.exported {
                    self.environment(word, Certainty::Pattern);
                }
                scope.forget_all();
            }
            None if attributes.exported => {
                self.environment(word, Certainty::Exact);
                scope.export(&word.text);
            }
            None => {}
        }
    }

    /// The value that `name=value` leaves behind; a name that ends in `+` keeps what it had before it.
    fn declared_value(&mut self, name: &str, value: &Arg, scope: &Scope) -> Value {
        let plain = name.trim_end_matches('+');
        let kept = self.shell.declaring.iter().position(|(declared, _)| declared == name);
        let value = match (kept, value.literal()) {
            // An expression is not evaluated.
            (Some(_), _) if scope.is_integer(plain) => Value::unknown(),
            (Some(at), _) => self.shell.declaring.remove(at).1,
            (None, text) => text.map_or_else(Value::unknown, Value::known),
        };
        if plain == name { value } else { scope.value(plain).appended(&value) }
    }

    /// Runs a builtin that sets variables to values which the gate cannot know.
    pub(super) fn unknown_values(&mut self, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        for word in words.iter().skip(1).filter(|word| !word.text.starts_with('-')) {
            match word.literal() {
                Some(text) => {
                    let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                    io.scope.assign_field(&name, None);
                }
                None => io.scope.forget_all(),
            }
        }
        for default in ["REPLY", "MAPFILE", "OPTARG"] {
            io.scope.assign_field(default, None);
        }
    }
}
