//! The table as a JSON Schema (draft 2020-12), for editors and other programs.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Empty, Format, Key, Length, Object, Rule, Shape, Syntax, Versions};
use crate::parse::Version;

impl Format {
    /// The schema that is published as `schemas/NAME.schema.json`.
    pub fn schema(&self) -> Value {
        let mut writer = Writer::default();
        let mut root = match self.versions {
            Versions::One => writer.object(self.root, Version::Two),
            Versions::Both => writer.versions(self.root),
        };
        let all: Vec<(String, Value)> = self.foreign.iter().map(|key| ((*key).to_owned(), json!(true))).collect();
        if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
            properties.extend(all);
        }
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        if self.empty == Empty::Taken {
            root.insert("type".to_owned(), json!(["object", "null"]));
        }
        root.insert("title".to_owned(), json!(self.title));
        root.insert("$defs".to_owned(), writer.definitions.into_iter().collect::<Map<_, _>>().into());
        root.into()
    }
}

/// Collects what objects and texts look like, each once.
#[derive(Default)]
struct Writer {
    definitions: BTreeMap<String, Value>,
}

impl Writer {
    /// Each version has keys and texts of its own.
    fn versions(&mut self, root: &'static Object) -> Map<String, Value> {
        let mut two = self.object(root, Version::Two);
        let mut one = self.object(root, Version::One);
        for (object, version) in [(&mut one, 1), (&mut two, 2)] {
            object.remove("description");
            if let Some(found) = object.get_mut("properties").and_then(|keys| keys.get_mut("version")) {
                *found = json!({ "const": version });
            }
        }
        self.definitions.insert("Version1".to_owned(), one.into());
        self.definitions.insert("Version2".to_owned(), two.into());
        let version = root.all().into_iter().find(|key| key.name == "version");
        let version = version.map_or(json!(true), |key| self.described(&key, Version::Two));
        let schema = json!({
            "type": "object",
            "description": root.about,
            "properties": { "version": version },
            "if": { "properties": { "version": { "const": 2 } }, "required": ["version"] },
            "then": { "$ref": "#/$defs/Version2" },
            "else": { "$ref": "#/$defs/Version1" },
        });
        schema.as_object().cloned().unwrap_or_default()
    }

    fn object(&mut self, object: &'static Object, version: Version) -> Map<String, Value> {
        let keys: Vec<Key> = object.all().into_iter().filter(|key| key.since <= version).collect();
        let properties: Map<String, Value> =
            keys.iter().map(|key| (key.name.to_owned(), self.described(key, version))).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("description".to_owned(), json!(object.about));
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("additionalProperties".to_owned(), json!(false));
        let required = object.required();
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        together(object.rule, &mut schema);
        schema
    }

    /// The value of a key, with its meaning.
    fn described(&mut self, key: &Key, version: Version) -> Value {
        let mut schema = self.shape(key.shape, version);
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".to_owned(), json!(key.about));
        }
        schema
    }

    fn shape(&mut self, shape: Shape, version: Version) -> Value {
        match shape {
            Shape::Object(object) => self.reference(object, version),
            Shape::Map(keys, values) => self.map(keys, *values, version),
            Shape::List(items, length) => list(&self.shape(*items, version), length),
            // In version 1 no entry takes anything away.
            Shape::Entries(items, length) if version == Version::One => list(&self.shape(*items, version), length),
            Shape::Entries(items, length) => {
                let entries = list(&self.shape(*items, version), length);
                let some = json!({ "contains": { "not": { "type": "string", "pattern": "^\\s*!" } } });
                with(entries, "anyOf", Some(json!([{ "maxItems": 0 }, some])))
            }
            Shape::OneOrMore(value, length) => {
                let one = self.shape(*value, version);
                json!({ "anyOf": [one.clone(), list(&one, length)] })
            }
            Shape::Text(syntax) => self.text(syntax, version),
            Shape::Word(words) => json!({ "type": "string", "enum": words() }),
            Shape::Whole(least, most) => {
                let most = Some(most).filter(|most| *most < super::UNBOUNDED);
                with(json!({ "type": "integer", "minimum": least }), "maximum", most)
            }
            Shape::Number(least, most) => bounded("minimum", least, most),
            Shape::NumberAbove(above, most) => bounded("exclusiveMinimum", above, most),
            Shape::Switch => json!({ "type": "boolean" }),
            Shape::Either(shapes) => {
                let here = |shape: &&Shape| version == Version::Two || !matches!(shape, Shape::OfVersion2(_));
                let shapes: Vec<Value> = shapes.iter().filter(here).map(|shape| self.shape(*shape, version)).collect();
                json!({ "anyOf": shapes })
            }
            Shape::Tuple(shapes) => {
                let items: Vec<Value> = shapes.iter().map(|shape| self.shape(*shape, version)).collect();
                json!({ "type": "array", "prefixItems": items, "minItems": shapes.len(), "maxItems": shapes.len() })
            }
            Shape::Anything => json!({}),
            Shape::OfVersion2(value) => self.shape(*value, version),
            Shape::OrNull(value) => json!({ "anyOf": [self.shape(*value, version), { "type": "null" }] }),
        }
    }

    fn map(&mut self, keys: Syntax, values: Shape, version: Version) -> Value {
        let map = json!({ "type": "object", "additionalProperties": self.shape(values, version) });
        with(map, "propertyNames", keys.pattern(version).map(|pattern| json!({ "pattern": pattern })))
    }

    fn text(&mut self, syntax: Syntax, version: Version) -> Value {
        let Some(pattern) = syntax.pattern(version) else { return json!({ "type": "string" }) };
        let name = match (version, Some(&pattern) == syntax.pattern(Version::Two).as_ref()) {
            (Version::One, false) => format!("{syntax:?}Text1"),
            _ => format!("{syntax:?}Text"),
        };
        let form = syntax.form();
        let text =
            with(json!({ "type": "string", "description": form.about, "pattern": pattern }), "maxLength", form.longest);
        let examples = Some(json!(form.shown())).filter(|_| form.good.len() > 1 && version == Version::Two);
        self.definitions.insert(name.clone(), with(text, "examples", examples));
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn reference(&mut self, object: &'static Object, version: Version) -> Value {
        let name = match version {
            Version::One if differs(object, &mut Vec::new()) => format!("{}1", object.name),
            _ => object.name.to_owned(),
        };
        if !self.definitions.contains_key(&name) {
            // An object may hold itself.
            self.definitions.insert(name.clone(), Value::Null);
            let written = self.object(object, version);
            self.definitions.insert(name.clone(), written.into());
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }
}

/// An object has other keys or texts in version 1.
fn differs(object: &'static Object, seen: &mut Vec<&'static str>) -> bool {
    if seen.contains(&object.name) {
        return false;
    }
    seen.push(object.name);
    object.all().iter().any(|key| key.since == Version::Two || shape_differs(key.shape, seen))
}

fn shape_differs(shape: Shape, seen: &mut Vec<&'static str>) -> bool {
    match shape {
        Shape::Object(object) => differs(object, seen),
        Shape::Text(syntax) => syntax.pattern(Version::One) != syntax.pattern(Version::Two),
        Shape::Map(_, inner)
        | Shape::List(inner, _)
        | Shape::Entries(inner, _)
        | Shape::OneOrMore(inner, _)
        | Shape::OrNull(inner) => shape_differs(*inner, seen),
        Shape::OfVersion2(_) => true,
        Shape::Either(shapes) | Shape::Tuple(shapes) => shapes.iter().any(|shape| shape_differs(*shape, seen)),
        _ => false,
    }
}

fn list(items: &Value, length: Length) -> Value {
    let least = Some(length.least).filter(|least| *least > 0);
    let list = json!({ "type": "array", "items": items });
    with(with(list, "minItems", least), "maxItems", length.most)
}

/// The schema with one more demand, if there is one.
fn with(mut schema: Value, key: &str, demand: Option<impl Into<Value>>) -> Value {
    if let (Some(object), Some(demand)) = (schema.as_object_mut(), demand) {
        object.insert(key.to_owned(), demand.into());
    }
    schema
}

fn bounded(bound: &str, least: f64, most: f64) -> Value {
    let number = with(json!({ "type": "number" }), bound, Some(least));
    with(number, "maximum", Some(most).filter(|most| *most < f64::MAX))
}

/// Adds the rule for several keys at once.
fn together(rule: Rule, schema: &mut Map<String, Value>) {
    let demand = |key: &&str| json!({ "required": [key] });
    match rule {
        Rule::Free => {}
        Rule::OneOf(keys) => {
            schema.insert("oneOf".to_owned(), keys.iter().map(demand).collect());
        }
        Rule::AnyOf(keys) => {
            schema.insert("anyOf".to_owned(), keys.iter().map(demand).collect());
        }
        Rule::Groups(groups) => {
            let group = |own: &&[&str]| {
                let others = groups.iter().filter(|other| *other != own).flat_map(|other| other.iter());
                let not: Vec<Value> = others.map(demand).collect();
                json!({ "required": own, "not": { "anyOf": not } })
            };
            schema.insert("oneOf".to_owned(), groups.iter().map(group).collect());
        }
        Rule::Beside { apart, needs } => {
            let never = |(key, others): &(&str, &[&str])| {
                let others: Vec<Value> = others.iter().map(demand).collect();
                ((*key).to_owned(), json!({ "not": { "anyOf": others } }))
            };
            let needs = needs.iter().map(|(key, other)| ((*key).to_owned(), json!([other])));
            schema.insert("dependentSchemas".to_owned(), apart.iter().map(never).collect::<Map<_, _>>().into());
            schema.insert("dependentRequired".to_owned(), needs.collect::<Map<_, _>>().into());
        }
        Rule::Kinds { key, kinds } => {
            let kinds = kinds().into_iter().map(|kind| {
                let then = json!({ "propertyNames": { "enum": kind.keys }, "required": kind.required });
                let any_of: Vec<Value> = kind.any_of.iter().map(demand).collect();
                let then = with(then, "anyOf", Some(any_of).filter(|any_of| !any_of.is_empty()));
                json!({ "if": { "properties": { key: { "const": kind.value } }, "required": [key] }, "then": then })
            });
            schema.insert("allOf".to_owned(), kinds.collect());
        }
    }
}
