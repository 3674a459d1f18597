//! The arguments that tools are known to take.

use serde_json::{Map, Value};

/// The arguments of one tool.
#[derive(Debug)]
pub(super) struct Shape {
    /// In the order in which they are shown.
    fields: &'static [Field],
    rest: Rest,
}

type Field = (&'static str, Kind, Need);

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Count,
    Flag,
}

#[derive(Debug, Clone, Copy)]
enum Need {
    Required,
    Optional,
    /// `false` when it is absent, and never `null`.
    OrFalse,
    /// `false` whatever was asked for.
    False,
    /// It must be what it should be, and is not shown.
    Hidden,
}

/// Arguments that are not among the fields.
#[derive(Debug)]
enum Rest {
    /// Left out.
    Dropped,
    /// Shown after the fields.
    Kept,
}

use Kind::{Count, Flag, Text};
use Need::{False, Hidden, Optional, OrFalse, Required};

pub(super) static EXECUTE: Shape = Shape {
    fields: &[("command", Text, Optional), ("description", Text, Optional), ("timeout", Count, Optional)],
    rest: Rest::Kept,
};

static SEARCH: Shape = Shape {
    fields: &[
        ("pattern", Text, Optional),
        ("query", Text, Optional),
        ("input", Text, Optional),
        ("path", Text, Optional),
    ],
    rest: Rest::Kept,
};

static WRITE: Shape = Shape::closed(&[("file_path", Text, Required), ("content", Text, Required)]);

const CLAUDE: &[(&str, Shape)] = &[
    ("Read", Shape::closed(&[("file_path", Text, Required), ("limit", Count, Optional), ("offset", Count, Optional)])),
    ("Glob", Shape::closed(&[("path", Text, Optional), ("pattern", Text, Required)])),
    (
        "Edit",
        Shape::closed(&[
            ("file_path", Text, Required),
            ("old_string", Text, Required),
            ("new_string", Text, Required),
            ("replace_all", Flag, OrFalse),
        ]),
    ),
    (
        "Bash",
        Shape::closed(&[
            ("command", Text, Required),
            ("description", Text, Optional),
            ("timeout", Count, Optional),
            ("dangerouslyDisableSandbox", Flag, Optional),
            ("run_in_background", Flag, Optional),
        ]),
    ),
    (
        "Grep",
        Shape::closed(&[
            ("pattern", Text, Required),
            ("path", Text, Optional),
            ("-A", Count, Optional),
            ("-B", Count, Optional),
            ("-C", Count, Optional),
            ("-i", Flag, Optional),
            ("-n", Flag, Optional),
            ("glob", Text, Optional),
            ("head_limit", Count, Optional),
            ("multiline", Flag, Optional),
            ("output_mode", Text, Optional),
            ("type", Text, Optional),
        ]),
    ),
];

const GEMINI: &[(&str, Shape)] = &[
    ("read_file", Shape::closed(&[("file_path", Text, Required)])),
    (
        "replace",
        Shape::closed(&[
            ("file_path", Text, Required),
            ("instruction", Text, Hidden),
            ("old_string", Text, Required),
            ("new_string", Text, Required),
            ("replace_all", Flag, False),
        ]),
    ),
    ("run_shell_command", Shape::closed(&[("command", Text, Required), ("description", Text, Optional)])),
    ("google_web_search", Shape::closed(&[("query", Text, Required)])),
];

impl Shape {
    const fn closed(fields: &'static [Field]) -> Self {
        Self { fields, rest: Rest::Dropped }
    }

    pub(super) fn of_claude(tool: &str) -> Option<&'static Self> {
        match tool {
            "Write" => Some(&WRITE),
            "KillShell" | "BashOutput" => Some(&EXECUTE),
            "WebSearch" | "WebFetch" => Some(&SEARCH),
            _ => find(CLAUDE, tool),
        }
    }

    pub(super) fn of_gemini(tool: &str) -> Option<&'static Self> {
        if tool == "write_file" { Some(&WRITE) } else { find(GEMINI, tool) }
    }

    /// The arguments in their order; `None` when one is not what it should be.
    pub(super) fn read(&self, object: &Map<String, Value>) -> Option<Vec<(String, Value)>> {
        let mut shown = Vec::new();
        for (name, kind, need) in self.fields {
            let value = match (object.get(*name), need) {
                (_, False) | (None, OrFalse) => Some(Value::Bool(false)),
                (None | Some(Value::Null), Optional | Hidden) => None,
                (Some(value), Hidden) => {
                    kind.admits(value).then_some(())?;
                    None
                }
                (Some(value), _) if kind.admits(value) => Some(value.clone()),
                _ => return None,
            };
            shown.extend(value.map(|value| ((*name).to_owned(), value)));
        }
        if let Rest::Kept = self.rest {
            let rest = object.iter().filter(|(name, _)| self.fields.iter().all(|(known, ..)| known != name));
            shown.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
        }
        Some(shown)
    }
}

impl Kind {
    fn admits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Count => value.is_u64(),
            Self::Flag => value.is_boolean(),
        }
    }
}

fn find(shapes: &'static [(&str, Shape)], tool: &str) -> Option<&'static Shape> {
    shapes.iter().find(|(name, _)| *name == tool).map(|(_, shape)| shape)
}
