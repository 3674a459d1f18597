//! Files of settings, generated from a list of choices: every way to space, break and comment them.

/// The names of lists of hooks, and of what else `hooks` may hold.
const STEPS: &[&str] = &["PreToolUse", "Stop", "stop", "preToolUse", "BeforeTool", "sessionStart", "Other"];
const HOOKS: &[&str] = &[
    r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}"#,
    "{ \"command\" : \"x // y\" }",
    r#"{"hooks": []}"#,
    "{\n\t\"command\": \"a, b\"\r\n}",
    "1",
];
const SPACES: &[&str] =
    &["", "", " ", "\n", "\r\n", "\t", "\n  ", "\r\n    ", " // mine, \n", " /* mine, */ ", "\n\n", "//  \r\n", "  \n"];

pub(super) struct Choices(pub(super) Vec<u8>);

impl Choices {
    fn pick(&mut self, most: usize) -> usize {
        usize::from(self.0.pop().unwrap_or_default()) % most
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.pick(texts.len())]
    }

    /// Some of the names, each once.
    fn some(&mut self, names: &[&'static str]) -> Vec<&'static str> {
        let mut chosen = Vec::new();
        for _ in 0..self.pick(names.len()) {
            let name = self.of(names);
            if !chosen.contains(&name) {
                chosen.push(name);
            }
        }
        chosen
    }

    fn brackets(&mut self, open: char, elements: &[String], close: char) -> String {
        let mut text = format!("{open}{}", self.of(SPACES));
        for (at, element) in elements.iter().enumerate() {
            text += element;
            text += self.of(SPACES);
            if at + 1 < elements.len() || self.pick(4) == 0 {
                text += ",";
                text += self.of(SPACES);
            }
        }
        text.push(close);
        text
    }

    fn hooks(&mut self) -> String {
        let steps = self.some(STEPS);
        let mut members: Vec<String> = Vec::new();
        for step in steps {
            let hooks: Vec<String> = (0..self.pick(4)).map(|_| self.of(HOOKS).to_owned()).collect();
            members.push(format!("\"{step}\":{}{}", self.of(&["", " ", "\n"]), self.brackets('[', &hooks, ']')));
        }
        self.brackets('{', &members, '}')
    }

    /// A file in JSON with comments, and without hooks of ours.
    pub(super) fn json(&mut self) -> String {
        let mark = if self.pick(4) == 0 { "\u{feff}" } else { "" };
        if self.pick(8) == 0 {
            return format!("{mark}{}", self.of(&["", "\n", "\r\n", "  ", "\n\n"]));
        }
        let mut members = Vec::new();
        for name in self.some(&["model", "hooks", "hooks", "version", "last", "permissions"]) {
            let value = match name {
                "hooks" => self.hooks(),
                "version" => "1".to_owned(),
                _ => self.of(&["\"https://x\"", "[1, 2]", "{}", "{\"a\": {\"b\": []}}", "null"]).to_owned(),
            };
            members.push(format!("\"{name}\":{}{value}", self.of(&[" ", " ", "\n"])));
        }
        let (before, after) = (self.of(SPACES), self.of(SPACES));
        format!("{mark}{before}{}{after}", self.brackets('{', &members, '}'))
    }

    /// A file in TOML without hooks of ours.
    pub(super) fn toml(&mut self) -> String {
        let mut text = if self.pick(4) == 0 { "\u{feff}".to_owned() } else { String::new() };
        let newline = self.of(&["\n", "\r\n"]);
        let list = self.pick(3) == 0;
        let mut lines = vec!["# mine".to_owned(), "model = \"x\" # too".to_owned(), String::new()];
        if list {
            let spaces = ["", " ", "\n", "\n    ", "\r\n\t", " # mine, ]\n"];
            let elements = ["{ event = \"Stop\", command = \"mine.sh\" }", "{ event = \"x\" }"];
            let (mut inner, count) = (self.of(&spaces).to_owned(), self.pick(3));
            for at in 0..count {
                inner += elements[at % 2];
                inner += self.of(&spaces);
                if at + 1 < count || self.pick(3) == 0 {
                    inner += ",";
                    inner += self.of(&spaces);
                }
            }
            lines.push(format!("hooks = [{inner}]"));
        }
        for _ in 0..self.pick(5) {
            let tables: &[&str] = if list { &["[other]", "", "# c"] } else { &["[[hooks]]", "[[more]]", "", "# c"] };
            let header = self.of(tables);
            if header == "[other]" && lines.iter().any(|line| line == header) {
                continue;
            }
            lines.push(header.to_owned());
            if header.starts_with("[[") {
                lines.push("event = \"Stop\" # mine".to_owned());
                lines.push("command = \"\"\"\nmine.sh\"\"\"".to_owned());
            }
        }
        let count = self.pick(lines.len() + 1);
        text += &lines[lines.len() - count..].join(newline);
        text += self.of(&["", newline, "\n", "\n\n", "  ", "\n  "]);
        text
    }
}
