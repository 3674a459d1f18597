//! The shape of a call, in the words of all agents.

use std::borrow::Cow;

use crate::json::{Raw, Record, filled, is_array, is_object, is_string};
use crate::scan::{Scanner, is_json};

/// Values are searched down to this depth.
const MAX_DEPTH: u32 = 96;

/// What looks like a call.
#[derive(Debug, Clone)]
pub(super) struct Shape<'a> {
    /// The object itself.
    pub(super) json: &'a str,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) given: Option<Raw<'a>>,
    kind: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    /// Under a key where its agent keeps what was asked or told, beside what ran.
    aside: Option<&'static str>,
}

impl Shape<'_> {
    pub(super) fn start(&self) -> usize {
        self.json.as_ptr().addr()
    }

    pub(super) fn end(&self) -> usize {
        self.start() + self.json.len()
    }

    /// Its type says that a model asks for a call: it is not the report of one.
    pub(super) fn asks(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("tool_use"))
    }

    /// This agent tells of it elsewhere, if it ran.
    pub(super) fn is_aside(&self, agent: &str) -> bool {
        self.aside.is_some_and(|key| ASIDE.contains(&(agent, key)))
    }

    /// A tool answered so: what a server says in its own fields is data.
    pub(super) fn is_answer(&self) -> bool {
        self.aside.is_some_and(|key| ANSWERS.contains(&key))
    }

    /// Its type says that something ended, which began elsewhere.
    pub(super) fn reports(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("_end"))
    }

    /// Where its arguments end.
    pub(super) fn given_end(&self) -> usize {
        self.given.map_or(0, |given| given.get().as_ptr().addr() + given.get().len())
    }

    /// What the record calls it.
    pub(super) fn named(&self) -> String {
        match (&self.kind, &self.name) {
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

/// Keys under which agents keep calls that a model asked for, that a summary keeps, or that a sub-agent made: the log
/// tells of them elsewhere once they ran. By agent.
const ASIDE: &[(&str, &str)] = &[
    ("atif", "tool_calls"),
    ("codex", "replacement_history"),
    ("copilot-cli", "input"),
    ("copilot-cli", "toolRequests"),
    ("gemini-cli", "recentActivity"),
    ("mini-swe-agent", "tool_calls"),
    ("agent-strace", "recentActivity"),
    ("openhands", "tool_call"),
    ("qwen-code", "recentActivity"),
    ("copilot-vscode", "toolCallRounds"),
];

/// Keys of structured results.
const ANSWERS: &[&str] =
    &["result", "resultDisplay", "structuredContent", "structured_content", "toolUseResult", "tool_use_result"];

/// An object that is looked at, and what was found inside it.
#[derive(Debug, Default)]
pub(super) struct Look<'a> {
    depth: u32,
    is_cut: bool,
    kind: Option<Raw<'a>>,
    id: Option<Raw<'a>>,
    call_id: Option<Raw<'a>>,
    name: Option<Raw<'a>>,
    given: Option<Raw<'a>>,
    action: Option<Raw<'a>>,
    command: Option<Raw<'a>>,
    described: bool,
    found: Vec<Shape<'a>>,
}

impl<'a> Record<'a> for Look<'a> {
    fn field(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        scanner.peek()?;
        let start = scanner.position();
        self.value(key, scanner)?;
        let value = scanner.since(start).filter(|value| value.get() != "null");
        let Some(value) = value else { return Some(()) };
        match key {
            "type" | "kind" => self.kind = self.kind.or(Some(value)),
            "call_id" | "callId" | "callID" | "tool_call_id" | "toolCallId" | "tool_use_id" | "toolUseId"
            | "toolUseID" => {
                self.call_id = Some(value);
            }
            "id" => self.id = Some(value),
            "name" | "tool" | "toolName" | "tool_name" | "recipient_name" | "function_name" => self.name = Some(value),
            "input" | "arguments" | "args" | "parameters" | "params" | "tool_input" | "toolInput" | "toolArgs"
            | "tool_args" | "rawInput" | "arguments_json" => {
                self.given = Some(value);
            }
            "action" => self.action = Some(value),
            "command" | "commands" => self.command = Some(value),
            "description" | "inputSchema" | "input_schema" | "strict" => self.described = true,
            _ => {}
        }
        Some(())
    }
}

impl<'a> Look<'a> {
    /// Looks into a value.
    fn value(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        match scanner.peek()? {
            b'{' | b'[' if self.depth >= MAX_DEPTH => {
                self.is_cut = true;
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
        self.is_cut |= inner.is_cut;
        let own = inner.shape(key, json);
        let from = self.found.len();
        self.found.append(&mut inner.found);
        self.found.extend(own);
        let known = ASIDE.iter().map(|(_, key)| *key).chain(ANSWERS.iter().copied());
        if let Some(aside) = known.into_iter().find(|known| *known == key) {
            self.found.iter_mut().skip(from).for_each(|shape| shape.aside = Some(aside));
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn identity(&self) -> Option<Cow<'a, str>> {
        filled(self.call_id).or_else(|| filled(self.id))
    }

    /// The object as a call, where it looks like one.
    fn shape(&mut self, key: &str, json: Raw<'a>) -> Option<Shape<'a>> {
        let id = self.identity();
        // A function with its arguments stands inside the object that has the id.
        for shape in self.found.iter_mut().filter(|shape| shape.id.is_none()) {
            shape.id.clone_from(&id);
        }
        let kind = filled(self.kind);
        let is_result = kind.as_deref().is_some_and(|kind| kind.ends_with("result") || kind.ends_with("output"));
        if is_result {
            return None;
        }
        let given = self.given.or(self.action).or(self.command);
        let looks = self.is_named() || self.is_typed(kind.as_deref().unwrap_or(key)) || self.is_command();
        looks.then(|| Shape { json: json.get(), id, given, kind, name: filled(self.name), aside: None })
    }

    /// A name with arguments, which is not the description of a tool.
    fn is_named(&self) -> bool {
        let Some(given) = self.given else { return false };
        let holds = is_object(Some(given))
            || is_string(Some(given))
                && crate::json::text(Some(given))
                    .is_some_and(|text| text.trim_start().starts_with('{') && is_json(&text));
        holds && is_string(self.name) && !self.described
    }

    /// A type that says call, and something to call.
    fn is_typed(&self, kind: &str) -> bool {
        says_call(kind)
            && (self.given.is_some() || self.action.is_some() || self.command.is_some() || is_string(self.name))
            || self.call_id.is_some() && is_object(self.action)
    }

    /// A list of words to run, under an id.
    fn is_command(&self) -> bool {
        is_array(self.command) && (self.call_id.is_some() || self.id.is_some())
    }

    /// What was found, in the record that is the object itself, too.
    pub(super) fn shapes(mut self, key: &str, json: &'a str) -> Vec<Shape<'a>> {
        let own = self.shape(key, Raw::new(json));
        self.found.extend(own);
        self.found
    }
}
