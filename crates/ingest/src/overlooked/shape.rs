//! The shape of a call, in the words of all agents.

use std::borrow::Cow;
use std::rc::Rc;

use crate::json::{Raw, Record, filled, first, is_array, is_object, is_string, text};
use crate::scan::{Scanner, fields, is_json};

/// Values are searched down to this depth.
const MAX_DEPTH: u32 = 96;

/// Shapes that one record may hold: no real one comes near, and each is kept until its record was compared.
const MAX_SHAPES: usize = 200_000;

/// Values of one meaning that are kept of one object: no agent has as many keys for a thing, and each is compared.
const KEPT: usize = 12;

/// Ids are compared for each shape inside their object: a longer one is not taken for an id.
const LONGEST_ID: usize = 4_096;

/// What looks like a call.
#[derive(Debug, Clone)]
pub(super) struct Shape<'a> {
    /// The object itself.
    pub(super) json: &'a str,
    /// Its depth in the record.
    depth: u32,
    /// The ids of it, or of the object around it.
    pub(super) ids: Rc<[Cow<'a, str>]>,
    /// The arguments of the call, once for each key that holds some.
    pub(super) given: Vec<Raw<'a>>,
    kind: Option<Cow<'a, str>>,
    /// Each name of the tool that it has.
    pub(super) names: Vec<Cow<'a, str>>,
}

impl Shape<'_> {
    pub(super) fn start(&self) -> usize {
        self.json.as_ptr().addr()
    }

    pub(super) fn end(&self) -> usize {
        self.start() + self.json.len()
    }

    /// Its type is the word for a call.
    pub(super) fn says_call(&self) -> bool {
        self.kind.as_deref().is_some_and(says_call)
    }

    /// What the record calls it.
    pub(super) fn named(&self) -> String {
        match (&self.kind, self.names.first()) {
            (Some(kind), _) => format!("a part of type `{}`", word(kind)),
            (None, Some(name)) => format!("a part that names `{}`", word(name)),
            (None, None) => "a part without a type".to_owned(),
        }
    }
}

/// Words of a log that a text of ours may carry: short, and no character that means anything to a terminal.
fn word(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_ascii_alphanumeric() || "_-./:".contains(*character))
        .take(40)
        .collect()
}

/// Whether a type is the word for a call.
fn says_call(kind: &str) -> bool {
    const WORDS: &[&str] = &["tool_use", "tooluse", "tool_call", "toolcall", "tool-call", "functioncall", "_call"];
    let kind = kind.to_ascii_lowercase();
    WORDS.iter().any(|word| kind.ends_with(word))
}

/// An object that is looked at, and what was found inside it.
#[derive(Debug, Default)]
pub(super) struct Look<'a> {
    depth: u32,
    cut: Option<Cut>,
    kinds: Vec<Raw<'a>>,
    ids: Vec<Raw<'a>>,
    call_ids: Vec<Raw<'a>>,
    names: Vec<Raw<'a>>,
    given: Vec<Raw<'a>>,
    /// Input that a hook or a person put in the place of the model's.
    anew: Vec<Raw<'a>>,
    actions: Vec<Raw<'a>>,
    commands: Vec<Raw<'a>>,
    found: Vec<Shape<'a>>,
}

/// Why a record was not searched to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Deep,
    Many,
}

impl<'a> Record<'a> for Look<'a> {
    fn field(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        scanner.peek()?;
        let start = scanner.position();
        self.value(key, scanner)?;
        let value = scanner.since(start).filter(|value| value.get() != "null");
        let Some(value) = value else { return Some(()) };
        // Different agents call one thing by different keys, and a record may have several: each counts.
        let mut longest = usize::MAX;
        let values = match key {
            "type" | "kind" => &mut self.kinds,
            "call_id" | "callId" | "callID" | "tool_call_id" | "toolCallId" | "tool_use_id" | "toolUseId"
            | "toolUseID" => {
                longest = LONGEST_ID;
                &mut self.call_ids
            }
            "id" => {
                longest = LONGEST_ID;
                &mut self.ids
            }
            "name" | "tool" | "toolName" | "tool_name" | "recipient_name" | "function_name" => &mut self.names,
            "input" | "arguments" | "args" | "parameters" | "params" | "tool_input" | "toolInput" | "toolArgs"
            | "tool_args" | "rawInput" | "arguments_json" => &mut self.given,
            "updatedInput" | "updated_input" | "modifiedInput" | "modifiedArgs" => &mut self.anew,
            "action" => &mut self.actions,
            "command" | "commands" => &mut self.commands,
            _ => return Some(()),
        };
        if values.len() < KEPT && (value.get().len() <= longest || !is_string(Some(value))) {
            values.push(value);
        } else {
            self.cut = self.cut.or(Some(Cut::Many));
        }
        Some(())
    }
}

impl<'a> Look<'a> {
    /// Looks into a value.
    fn value(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        match scanner.peek()? {
            b'{' | b'[' if self.depth >= MAX_DEPTH => {
                self.cut = Some(Cut::Deep);
                scanner.skip()
            }
            b'{' => {
                let start = scanner.position();
                let mut inner = Look { depth: self.depth + 1, ..Look::default() };
                scanner.record(&mut inner)?;
                self.take(key, inner, scanner.since(start)?);
                Some(())
            }
            b'[' => {
                self.depth += 1;
                let read = scanner.array(|scanner| self.value(key, scanner));
                self.depth -= 1;
                read
            }
            _ => scanner.skip(),
        }
    }

    fn take(&mut self, key: &str, mut inner: Look<'a>, json: Raw<'a>) {
        self.cut = self.cut.or(inner.cut);
        let own = inner.shape(key, json);
        self.found.append(&mut inner.found);
        self.found.extend(own);
        if self.found.len() > MAX_SHAPES {
            self.found.truncate(MAX_SHAPES);
            self.cut = Some(Cut::Many);
        }
    }

    pub(super) fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// The object as a call, where it looks like one.
    fn shape(&mut self, key: &str, json: Raw<'a>) -> Option<Shape<'a>> {
        let call_ids: Vec<_> = self.call_ids.iter().filter_map(|id| filled(Some(*id))).collect();
        let ids: Rc<[_]> = call_ids.iter().cloned().chain(self.ids.iter().filter_map(|id| filled(Some(*id)))).collect();
        let call_ids: Rc<[_]> = call_ids.into();
        // A function with its arguments stands inside the object that has the id. The id of a record is not the id of a call.
        for shape in self.found.iter_mut().filter(|shape| shape.ids.is_empty()) {
            let is_inner = shape.depth == self.depth + 1;
            shape.ids = Rc::clone(if is_inner { &ids } else { &call_ids });
        }
        let kinds = || self.kinds.iter().filter_map(|kind| filled(Some(*kind)));
        let kind = kinds().find(|kind| says_call(kind)).or_else(|| kinds().next());
        let is_typed = self.is_typed(kind.as_deref().unwrap_or(key));
        let is_anew = self.anew.iter().any(|input| is_object(Some(*input)));
        if !(is_typed || is_anew || self.is_named() || self.is_command()) {
            return None;
        }
        let names: Vec<_> = self.names.iter().filter_map(|name| filled(Some(*name))).collect();
        let given = self.given();
        Some(Shape { json: json.get(), depth: self.depth, ids, given, kind, names })
    }

    /// Returns the arguments of the call. Of several keys, those count that hold arguments.
    fn given(&self) -> Vec<Raw<'a>> {
        let all = self.given.iter().chain(&self.anew).copied();
        let fitting: Vec<_> = all.filter(|given| holds_arguments(*given)).collect();
        let one = |values: &[Raw<'a>]| values.iter().take(1).copied().collect::<Vec<_>>();
        [fitting, one(&self.given), one(&self.actions), one(&self.commands)]
            .into_iter()
            .find(|given| !given.is_empty())
            .unwrap_or_default()
    }

    /// A name with arguments, which is not the description of a tool.
    fn is_named(&self) -> bool {
        self.names.iter().any(|name| is_string(Some(*name)))
            && self.given.iter().any(|given| holds_arguments(*given) && !is_schema(*given))
    }

    /// A type that says call, and something to call.
    fn is_typed(&self, kind: &str) -> bool {
        let has_any = || [&self.given, &self.actions, &self.commands].iter().any(|values| !values.is_empty());
        says_call(kind) && (has_any() || self.names.iter().any(|name| is_string(Some(*name))))
            || !self.call_ids.is_empty() && self.actions.iter().any(|action| is_object(Some(*action)))
    }

    /// A list of words to run, under an id.
    fn is_command(&self) -> bool {
        let is_identified = !self.call_ids.is_empty() || !self.ids.is_empty();
        let is_words = |command: &Raw<'_>| is_array(Some(*command)) && is_string(first(Some(*command)));
        is_identified && self.commands.iter().any(is_words)
    }

    /// What was found, in the record that is the object itself, too.
    pub(super) fn shapes(mut self, key: &str, json: &'a str) -> Vec<Shape<'a>> {
        let own = self.shape(key, Raw::new(json));
        self.found.extend(own);
        self.found
    }
}

/// An object, or a text that holds one.
fn holds_arguments(given: Raw<'_>) -> bool {
    is_object(Some(given))
        || is_string(Some(given))
            && text(Some(given)).is_some_and(|text| text.trim_start().starts_with('{') && is_json(&text))
}

/// Returns whether an object describes the arguments of a tool: a schema has these keys and no others.
fn is_schema(given: Raw<'_>) -> bool {
    const WORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "description",
        "title",
        "definitions",
        "strict",
        "default",
    ];
    let (mut says_object, mut is_other) = (false, false);
    let read = fields(given.get(), |key, value| {
        says_object |= key == "type" && value.get() == "\"object\"" || key == "properties" && is_object(Some(value));
        is_other |= !(key.starts_with('$') || WORDS.contains(&&*key));
    });
    read.is_some() && says_object && !is_other
}
