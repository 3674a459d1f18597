//! Names of files that a program builds with functions of its standard library.

use super::arguments::once_each;
use super::tokens::{joined, word};
use super::{Scan, Value};
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// The working directory as an absolute name of it would be: what is above it is `..`, not `.`.
const HERE: &str = "./.";
/// Directories above a file that are followed.
const PARENTS: usize = 16;

/// Variables that hold the environment.
pub(super) const ENVIRONMENTS: &[&str] = &["os.environ", "process.env", "Bun.env", "ENV", "_ENV", "_SERVER"];

/// The text of a value that names a file.
fn named(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) | Value::Path(text) | Value::Glob(text) => Some(text),
        _ => None,
    }
}

/// The text stands for an absolute name: [`HERE`], or what is beside or above it.
fn is_resolved(text: &str) -> bool {
    let mut parts = text.split('/');
    parts.next() == Some(".") && matches!(parts.next(), Some("." | ".."))
}

/// The same without `..`, as far as there is a directory to leave.
fn tidy(text: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    match parts.first() {
        None => HERE.to_owned(),
        Some(&"..") => format!("./{}", parts.join("/")),
        Some(_) => format!("{HERE}/{}", parts.join("/")),
    }
}

fn resolved(text: &str) -> String {
    let is_absolute = text.starts_with(['/', '~']);
    if is_absolute { text.to_owned() } else { tidy(&joined(HERE, text)) }
}

/// The directory of a file, by its name alone.
fn parent(text: &str) -> String {
    let text = text.trim_end_matches('/');
    if is_resolved(text) {
        return tidy(&format!("{text}/.."));
    }
    match text.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None if text.is_empty() => "/".to_owned(),
        None => ".".to_owned(),
    }
}

fn join(parts: &[&str]) -> String {
    let all = parts.iter().fold(String::new(), |all, part| joined(&all, part));
    if is_resolved(&all) { tidy(&all) } else { all }
}

/// A part that starts with `/` starts at what is before it.
fn appended(parts: &[&str]) -> String {
    let rest = parts.iter().skip(1).map(|part| part.trim_start_matches('/'));
    join(&parts.iter().take(1).copied().chain(rest).collect::<Vec<_>>())
}

fn last(text: &str) -> &str {
    let text = text.trim_end_matches('/');
    text.rsplit_once('/').map_or(text, |(_, last)| last)
}

/// The name without its ending, and the ending with its dot.
fn divided(text: &str) -> (&str, &str) {
    let start = text.len() - last(text).len();
    match text.rfind('.').filter(|at| *at > start) {
        Some(at) => text.split_at_checked(at).unwrap_or((text, "")),
        None => (text, ""),
    }
}

/// `$HOME/x`, `${HOME}/x`
fn without_home(text: &str) -> Option<String> {
    let rest = text.strip_prefix("$HOME").or_else(|| text.strip_prefix("${HOME}"))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("~{rest}"))
}

/// An attribute of a path object, or a method that only makes another name.
fn part_of(path: &str, method: &str, arguments: &[Value]) -> Option<Value> {
    let beside = |name: String| Value::Path(joined(&parent(path), &name));
    let argument = arguments.first().and_then(named);
    let (stem, ending) = divided(last(path));
    Some(match (method, argument) {
        ("parent" | "dirname", _) => Value::Path(parent(path)),
        ("parents", _) => {
            let next = |path: &String| Some(parent(path));
            let above = std::iter::successors(Some(parent(path)), next).take(PARENTS);
            Value::List(above.map(Value::Path).collect())
        }
        ("name" | "basename", _) => Value::Text(last(path).to_owned()),
        ("stem", _) => Value::Text(stem.to_owned()),
        ("suffix" | "extname", _) => Value::Text(ending.to_owned()),
        ("with_name", Some(name)) => beside(name.to_owned()),
        ("with_suffix", Some(suffix)) => beside(format!("{stem}{suffix}")),
        ("with_stem", Some(stem)) => beside(format!("{stem}{ending}")),
        ("resolve" | "absolute" | "realpath" | "expand_path", _) => Value::Path(resolved(path)),
        ("expanduser" | "cleanpath", _) => Value::Path(path.to_owned()),
        ("as_posix" | "to_s" | "to_path" | "stringify" | "canonpath", _) => Value::Text(path.to_owned()),
        ("joinpath" | "join" | "child" | "sibling" | "+", _) => {
            let base = if method == "sibling" { parent(path) } else { path.to_owned() };
            let parts: Option<Vec<&str>> =
                std::iter::once(Some(base.as_str())).chain(arguments.iter().map(named)).collect();
            Value::Path(parts.map_or_else(|| "**".to_owned(), |parts| join(&parts)))
        }
        ("with_name" | "with_suffix" | "with_stem" | "relative_to", _) => Value::Path("**".to_owned()),
        _ => return None,
    })
}

impl Scan<'_> {
    /// What a function makes of names of files; `None`: the table does not list it.
    pub(super) fn file_name(&mut self, name: &str, arguments: &[Value]) -> Option<Value> {
        let makes = self.makes_name(name)?;
        if let Some(values) = once_each(arguments) {
            let made = values.iter().filter_map(|arguments| self.file_name(name, arguments)).collect();
            return Some(Value::Each(made));
        }
        let (makes, is_path) = makes.strip_prefix("path ").map_or((makes, false), |makes| (makes, true));
        let parts: Option<Vec<&str>> = arguments.iter().map(named).collect();
        let Some(text) = parts.and_then(|parts| self.built(makes, &parts)) else {
            let lost: Vec<_> = arguments.iter().map(|value| self.kept(value)).collect();
            self.lost(&lost);
            return Some(if is_path { Value::Path("**".to_owned()) } else { Value::Unknown });
        };
        Some(match makes {
            _ if is_path => Value::Path(text),
            "split" => Value::List(vec![Value::Text(parent(&text)), Value::Text(last(&text).to_owned())]),
            "divide" => {
                let (stem, ending) = divided(&text);
                Value::List(vec![Value::Text(stem.to_owned()), Value::Text(ending.to_owned())])
            }
            _ if arguments.iter().any(|value| matches!(value, Value::Glob(_))) && text.contains('*') => {
                Value::Glob(text)
            }
            _ => Value::Text(text),
        })
    }

    /// How the table says that a function makes names of files.
    pub(super) fn makes_name(&self, name: &str) -> Option<&'static str> {
        if self.defined.iter().any(|defined| defined == name) {
            return None;
        }
        let listed = |name: &str| self.calls.file_names.get(name).copied();
        listed(name)
            .or_else(|| self.canonical(name).and_then(|name| listed(&name)))
            .or_else(|| self.stars.iter().find_map(|module| listed(&format!("{module}.{name}"))))
    }

    fn built(&self, makes: &str, parts: &[&str]) -> Option<String> {
        let first = parts.first().copied();
        let here = || (!self.moves).then(|| HERE.to_owned());
        Some(match makes {
            "here" => here()?,
            "home" => join(&[&["~"], parts].concat()),
            "same" | "split" | "divide" => first.map_or_else(|| ".".to_owned(), str::to_owned),
            "resolve" if self.moves => join(parts),
            "resolve" => resolved(&join(parts)),
            "join" if parts.is_empty() => ".".to_owned(),
            "join" => join(parts),
            "append" => appended(parts),
            // `expand_path('../x', __FILE__)`
            "expand" => resolved(&join(&parts.iter().rev().copied().collect::<Vec<_>>())),
            // `new URL('../x', import.meta.url)`
            "url" => match parts {
                [part, base] => joined(&parent(base), part),
                _ => return None,
            },
            "parent" => parent(first?),
            "last" => {
                let name = last(first?);
                parts.get(1).and_then(|ending| name.strip_suffix(ending)).unwrap_or(name).to_owned()
            }
            "variables" => {
                without_home(first?).or_else(|| first.filter(|text| !text.contains('$')).map(str::to_owned))?
            }
            "variable" => match first? {
                "HOME" | "USERPROFILE" => "~".to_owned(),
                "PWD" | "INIT_CWD" => here()?,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Names for the program's own file and its directory.
    pub(super) fn own_file(&mut self, directory: Option<&str>) {
        if self.moves {
            return;
        }
        let directory = directory.map_or_else(|| HERE.to_owned(), resolved);
        let file = |ending: &str| Value::Glob(format!("{directory}/*{ending}"));
        let is_directory = || Value::Text(directory.clone());
        let own: &[(&str, Value)] = &match self.language {
            Language::Python => vec![("__file__", file(".py"))],
            Language::Javascript => vec![
                ("__dirname", is_directory()),
                ("__filename", file(".*s")),
                ("import.meta.dirname", is_directory()),
                ("import.meta.dir", is_directory()),
                ("import.meta.filename", file(".*s")),
                ("import.meta.path", file(".*s")),
                ("import.meta.url", file(".*s")),
            ],
            Language::Ruby => vec![("__FILE__", file(".rb")), ("__dir__", is_directory())],
            Language::Php => vec![("__FILE__", file(".php")), ("__DIR__", is_directory())],
            Language::Perl => vec![
                ("__FILE__", file(".p*")),
                ("FindBin::Bin", is_directory()),
                ("FindBin::RealBin", is_directory()),
                ("Bin", is_directory()),
                ("RealBin", is_directory()),
            ],
            _ => return,
        };
        for (name, value) in own {
            self.variables.insert((*name).to_owned(), value.clone());
        }
        for environment in ENVIRONMENTS {
            self.variables.insert(format!("{environment}.HOME"), Value::Text("~".to_owned()));
            self.variables.insert(format!("{environment}.PWD"), Value::Text(HERE.to_owned()));
        }
    }
}

impl Machine<'_> {
    /// The value of a name with its attributes: `root.parent`, `self.file`.
    pub(super) fn named_value(&mut self, scan: &mut Scan<'_>, name: &str, io: &mut Io<'_>) -> Value {
        let value = self.variable(scan, name, io);
        let Some((head, tail)) = name.split_once('.').filter(|_| value == Value::Unknown) else { return value };
        if matches!(head, "self" | "this" | "cls") {
            return self.variable(scan, tail, io);
        }
        let is_path = matches!(scan.variables.get(head), Some(Value::Path(_))) || scan.loops.contains_key(head);
        let mut value = if is_path { self.variable(scan, head, io) } else { return value };
        for attribute in tail.split('.') {
            value = self.attribute(scan, &value, attribute, io);
        }
        value
    }

    /// What a name behind a value stands for that is not called.
    pub(super) fn attribute(&mut self, scan: &mut Scan<'_>, value: &Value, name: &str, io: &mut Io<'_>) -> Value {
        let calls = matches!(scan.language, Language::Ruby | Language::Perl);
        match value {
            Value::Path(path) if calls => self.path_method(scan, path, name, &[], io),
            Value::Path(path) => part_of(path, name, &[]).unwrap_or(Value::Unknown),
            Value::Text(_) | Value::List(_) if scan.language == Language::Ruby => {
                super::expression::method_value(value, name, &[], scan.language)
            }
            _ => Value::Unknown,
        }
    }

    /// `Path('x').read_text()`, `Pathname.new('x').read`
    pub(super) fn path_method(
        &mut self,
        scan: &mut Scan<'_>,
        path: &str,
        method: &str,
        tokens: &[super::Token],
        io: &mut Io<'_>,
    ) -> Value {
        let arguments = self.arguments(scan, super::group(tokens).0, io);
        if let Some(value) = part_of(path, method, &arguments) {
            return value;
        }
        let Some(roles) = scan.calls.path_methods.get(method).copied() else {
            if !scan.method(method) {
                self.guess_arguments(&arguments);
            }
            return Value::Unknown;
        };
        let itself = Value::Path(path.to_owned());
        let all: Vec<Value> = std::iter::once(itself.clone()).chain(arguments.iter().cloned()).collect();
        self.called(scan, roles, &all, io);
        match (roles, method, arguments.first()) {
            ("read", ..) => self.origin_of(&word(Some(&itself))).map_or(Value::Unknown, Value::Foreign),
            (_, "glob", Some(Value::Text(pattern))) => Value::Path(joined(path, &crate::paths::dotted(pattern))),
            (_, "rglob", Some(Value::Text(pattern))) => {
                Value::Path(joined(&joined(path, "**"), &crate::paths::dotted(pattern)))
            }
            ("list-tree", ..) => Value::Path(joined(path, "**")),
            _ => Value::Unknown,
        }
    }
}
