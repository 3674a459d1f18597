//! Reader and schema agree: every key, every kind of value, every text.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{FORMATS, Format, Key, Object, Rule, Shape, Syntax, reference};
use crate::parse::Version;
use crate::{Policy, config, prices};
use agent_strace_testing::schemas::keep_text;

mod malformed;
mod properties;

/// The file is read as its program reads it.
fn reads(format: &Format, file: &Value) -> Result<(), String> {
    let text = file.to_string();
    let faults = match format.name {
        "agent-scope" => crate::parse::parse("file", &text, None).map(|_| ()),
        "agent-strace" => config::read("file", text.as_bytes(), &Policy::none()).map(|_| ()),
        "agent-evals" => config::evals::read("file", text.as_bytes()).map(|_| ()),
        "agent-strace-anonymize" => config::anonymize::read("file", text.as_bytes()).map(|_| ()),
        "prices" => prices::read("file", text.as_bytes()).map(|_| ()),
        other => panic!("no reader of {other}"),
    };
    faults.map_err(|faults| faults.to_string())
}

fn validator(format: &Format) -> Validator {
    jsonschema::draft202012::new(&format.schema()).unwrap_or_else(|error| panic!("{}: {error}", format.name))
}

/// A value that both take.
fn sample(shape: Shape) -> Value {
    match shape {
        Shape::Object(object) => parsed(object.example),
        // They hold or do not hold: another test tries them.
        Shape::Map(Syntax::ExampleCommand, _) | Shape::Anything => json!({}),
        Shape::Map(keys, values) => json!({ keys.form().good[0]: sample(*values) }),
        Shape::List(items, length) | Shape::Entries(items, length) => vec![sample(*items); length.least.max(1)].into(),
        Shape::OneOrMore(item, _) | Shape::OrNull(item) | Shape::OfVersion2(item) => sample(*item),
        Shape::Text(syntax) => syntax.form().good[0].into(),
        Shape::Word(words) => words()[0].clone().into(),
        Shape::Whole(least, most) => json!(least.max(1).min(most)),
        Shape::Number(..) | Shape::NumberAbove(..) => json!(1),
        Shape::Switch => json!(true),
        Shape::Either(shapes) => sample(shapes[0]),
        Shape::Tuple(shapes) => shapes.iter().map(|shape| sample(*shape)).collect(),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A place in a file: everything around a value, and the value's shape.
struct Place {
    pointer: String,
    shape: Shape,
}

/// Walks the table; of an object that was seen only its place counts.
struct Walk {
    file: Value,
    seen: Vec<&'static str>,
    places: Vec<(Value, Place)>,
}

impl Walk {
    fn of(format: &Format) -> Vec<(Value, Place)> {
        let file = parsed(format.root.example);
        let mut walk = Self { file, seen: Vec::new(), places: Vec::new() };
        walk.object(format.root, "");
        walk.places
    }

    fn object(&mut self, object: &'static Object, pointer: &str) {
        if self.seen.contains(&object.name) {
            return;
        }
        self.seen.push(object.name);
        for key in object.all() {
            let before = self.file.clone();
            self.with(object, &key, pointer);
            let below = format!("{pointer}/{}", key.name.replace('~', "~0").replace('/', "~1"));
            self.place(key.shape, &below);
            self.file = before;
        }
    }

    /// The example with this key, and with what has to stand beside it.
    fn with(&mut self, object: &'static Object, key: &Key, pointer: &str) {
        let members = self.file.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap();
        if members.contains_key(key.name) {
            return;
        }
        match object.rule {
            Rule::OneOf(keys) if keys.contains(&key.name) => members.retain(|name, _| !keys.contains(&name.as_str())),
            Rule::Groups(groups) if groups.iter().any(|group| group.contains(&key.name)) => {
                for group in groups {
                    members.retain(|name, _| !group.contains(&name.as_str()));
                    if group.contains(&key.name) {
                        let others = object.all().into_iter().filter(|other| group.contains(&other.name));
                        members.extend(others.map(|other| (other.name.to_owned(), sample(other.shape))));
                    }
                }
            }
            Rule::Beside { apart, needs } => {
                let clash = apart.iter().filter(|(own, others)| *own == key.name || others.contains(&key.name));
                for (own, others) in clash {
                    members.retain(|name, _| name != own && !others.contains(&name.as_str()));
                }
                for (_, other) in needs.iter().filter(|(own, _)| *own == key.name) {
                    let other = object.all().into_iter().find(|known| known.name == *other).unwrap();
                    for (_, others) in apart.iter().filter(|(own, _)| *own == other.name) {
                        members.retain(|name, _| !others.contains(&name.as_str()));
                    }
                    members.insert(other.name.to_owned(), sample(other.shape));
                }
            }
            Rule::Kinds { key: by, kinds } => {
                let kind = kinds().into_iter().find(|kind| kind.keys.contains(&key.name)).unwrap();
                *members = Map::from_iter([(by.to_owned(), json!(kind.value))]);
                let demanded = |name: &str| kind.required.contains(&name) || kind.any_of.contains(&name);
                let common = object.all().into_iter().filter(|other| other.is_required && other.name != by);
                members.extend(common.map(|other| (other.name.to_owned(), sample(other.shape))));
                let others = object.all().into_iter().filter(|other| demanded(other.name));
                members.extend(others.map(|other| (other.name.to_owned(), sample(other.shape))));
            }
            _ => {}
        }
        members.insert(key.name.to_owned(), sample(key.shape));
        members.extend(beside(object.name, key.name));
    }

    fn place(&mut self, shape: Shape, pointer: &str) {
        self.places.push((self.file.clone(), Place { pointer: pointer.to_owned(), shape }));
        match shape {
            Shape::Object(object) => self.object(object, pointer),
            Shape::Map(Syntax::ExampleCommand, _) => {}
            Shape::Map(keys, values) => {
                let name = keys.form().good[0];
                self.inside(*values, pointer, name, json!({ name: sample(*values) }));
            }
            Shape::List(items, _) | Shape::Entries(items, _) => {
                let list = sample(shape);
                self.inside(*items, pointer, "0", list);
            }
            Shape::OneOrMore(item, _) => self.inside(*item, pointer, "0", json!([sample(*item)])),
            Shape::OrNull(inner) | Shape::OfVersion2(inner) => self.place(*inner, pointer),
            Shape::Either(shapes) => {
                for shape in shapes.iter().filter(|shape| !matches!(shape, Shape::Text(_) | Shape::Word(_))) {
                    *self.file.pointer_mut(pointer).unwrap() = sample(*shape);
                    self.place(*shape, pointer);
                }
            }
            _ => {}
        }
    }

    fn inside(&mut self, shape: Shape, pointer: &str, name: &str, value: Value) {
        *self.file.pointer_mut(pointer).unwrap() = value;
        self.place(shape, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")));
    }
}

/// Keys without which the other one would mean nothing.
fn beside(object: &str, key: &str) -> Map<String, Value> {
    let more = match (object, key) {
        ("Network", "allow") => json!({ "deny_all": true }),
        _ => json!({}),
    };
    more.as_object().cloned().unwrap()
}

/// The answers of reader and schema to changed files, as far as they are not what they should be.
struct Answers<'f> {
    format: &'f Format,
    validator: Validator,
    wrong: Vec<String>,
}

impl<'f> Answers<'f> {
    fn of(format: &'f Format) -> Self {
        Self { format, validator: validator(format), wrong: Vec::new() }
    }

    /// Both have to say the same; `expected`: and they have to say this.
    fn compare(&mut self, file: &Value, what: &str, expected: Option<bool>) {
        let (read, is_valid) = (reads(self.format, file), self.validator.is_valid(file));
        if read.is_ok() != is_valid || expected.is_some_and(|expected| expected != is_valid) {
            let errors: Vec<String> = self.validator.iter_errors(file).map(|error| error.to_string()).collect();
            self.wrong.push(format!("{what}: reader {read:?}, schema {errors:?}\n{file}"));
        }
    }

    fn hold(self) {
        assert!(self.wrong.is_empty(), "{}:\n{}", self.format.name, self.wrong.join("\n"));
    }
}

#[test]
fn every_example_is_read_and_valid() {
    for format in FORMATS {
        let validator = validator(format);
        for (file, place) in Walk::of(format) {
            if let Err(faults) = reads(format, &file) {
                panic!("{} {}\n{file}\n{faults}", format.name, place.pointer);
            }
            let errors: Vec<String> = validator.iter_errors(&file).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{} {} {errors:?}\n{file}", format.name, place.pointer);
        }
    }
}

#[test]
fn reader_and_schema_refuse_values_of_other_kinds() {
    let values = [json!(null), json!(true), json!(7.5), json!("☃"), json!(["☃"]), json!({ "☃": 1 }), json!([[1]])];
    for format in FORMATS {
        let mut answers = Answers::of(format);
        for (file, place) in Walk::of(format) {
            for value in values.iter().filter(|value| !is_text(value) || !takes_texts(place.shape)) {
                let mut changed = file.clone();
                *changed.pointer_mut(&place.pointer).unwrap() = value.clone();
                answers.compare(&changed, &place.pointer, None);
            }
        }
        answers.hold();
    }
}

/// A text, or a list of texts.
fn is_text(value: &Value) -> bool {
    value.is_string() || value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

/// Texts have forms, which another test tries.
fn takes_texts(shape: Shape) -> bool {
    match shape {
        Shape::Text(_) => true,
        Shape::List(inner, _) | Shape::Entries(inner, _) | Shape::OneOrMore(inner, _) => takes_texts(*inner),
        Shape::Either(shapes) => shapes.iter().any(|shape| takes_texts(*shape)),
        _ => false,
    }
}

#[test]
fn reader_and_schema_know_the_same_keys() {
    for format in FORMATS {
        let mut answers = Answers::of(format);
        for (file, place) in Walk::of(format) {
            let Shape::Object(object) = place.shape else { continue };
            let members = file.pointer(&place.pointer).and_then(Value::as_object).unwrap();
            let pointer = &place.pointer;
            let mut more = file.clone();
            more.pointer_mut(pointer).unwrap()["☃"] = json!(1);
            answers.compare(&more, pointer, Some(false));
            // Another part of the policy may say the rest.
            let elsewhere = |name: &str| object.name == "Network" && name == "deny_all";
            for name in members.keys().filter(|name| !elsewhere(name)) {
                let mut less = file.clone();
                less.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap().remove(name);
                let what = format!("{pointer} without {name} ({})", object.name);
                answers.compare(&less, &what, None);
            }
        }
        answers.hold();
    }
}

#[test]
fn keys_of_version_2_are_refused_in_version_1() {
    let format = &FORMATS[0];
    let mut answers = Answers::of(format);
    for key in format.root.all().iter().filter(|key| key.name != "version") {
        let mut file = json!({ key.name: sample(key.shape) });
        let expected = key.since == Version::One;
        for version in [None, Some(1)] {
            if let Some(version) = version {
                file["version"] = json!(version);
            }
            answers.compare(&file, key.name, Some(expected));
        }
    }
    answers.hold();
}

#[test]
fn reader_and_schema_agree_on_texts() {
    for format in FORMATS {
        let mut answers = Answers::of(format);
        for (file, place) in Walk::of(format) {
            let Shape::Text(syntax) = place.shape else { continue };
            let form = syntax.form();
            for (texts, expected) in [(form.good, true), (form.refused, false)] {
                for text in texts {
                    let mut changed = file.clone();
                    *changed.pointer_mut(&place.pointer).unwrap() = json!(text);
                    if decides_elsewhere(format, syntax, text) {
                        continue;
                    }
                    let what = format!("{} {text:?} expected {expected}", place.pointer);
                    answers.compare(&changed, &what, Some(expected));
                }
            }
        }
        answers.hold();
    }
}

/// The reader looks at more than the text.
fn decides_elsewhere(format: &Format, syntax: Syntax, text: &str) -> bool {
    match syntax {
        // Labels hold no built-in lists, and a list that only leaves something out is refused.
        Syntax::Path => text.starts_with('!') || text.starts_with("builtin:"),
        // Double quotes of this file keep their backslashes.
        _ => format.name == "agent-strace-anonymize" && text.contains('\n'),
    }
}

#[test]
fn reader_and_schema_agree_on_names() {
    for format in FORMATS {
        let mut answers = Answers::of(format);
        for (file, place) in Walk::of(format) {
            let Shape::Map(syntax, values) = place.shape else { continue };
            let form = syntax.form();
            for (names, expected) in [(form.good, true), (form.refused, false)] {
                for name in names.iter().filter(|_| syntax != Syntax::ExampleCommand) {
                    let mut changed = file.clone();
                    *changed.pointer_mut(&place.pointer).unwrap() = json!({ *name: sample(*values) });
                    answers.compare(&changed, &format!("{} {name:?}", place.pointer), Some(expected));
                }
            }
        }
        answers.hold();
    }
}

#[test]
fn the_published_files_are_what_the_table_says() {
    for format in FORMATS {
        let text = serde_json::to_string_pretty(&format.schema()).unwrap() + "\n";
        keep_text(&format!("schemas/{}.schema.json", format.name), &text);
    }
    keep_text("docs/settings.md", &reference());
}
