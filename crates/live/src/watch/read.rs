//! A rules file → rules, or everything that is wrong with it.
//!
//! Two forms: a list of rules with `condition`, `threshold` or `glob`, and `action`; and an object with `rules`, whose
//! conditions are sentences (`files_modified > 30`, `file_path matches "**/production.env"`). Both may stand in JSON and in
//! YAML, and either way of saying it in both.

use super::condition::{Action, Amount, Condition, Metric, Paths, Rule};
use agent_strace_policy::config::{self, yaml};
use agent_strace_policy::json::{self, Data, Key, Value};
use agent_strace_policy::{Diagnostics, Parser, nearest, quoted};

/// The keys of a rule, and of the object that holds rules.
const RULE: &[&str] = &["name", "condition", "threshold", "glob", "action", "notify"];
const ROOT: &[&str] = &["rules"];
/// The condition that is no number.
const FILE_PATH: &str = "file_path";
const MOST_RULES: usize = 256;

/// `file`: as users know it; one that ends in `.json` is JSON, any other YAML.
pub fn read(file: &str, bytes: &[u8]) -> Result<Vec<Rule>, Diagnostics> {
    let text = config::text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let rules = match value(file, text) {
        Ok(root) => rules(&mut parser, &root),
        Err(error) => {
            parser.refuse(error);
            Vec::new()
        }
    };
    parser.finish(rules)
}

pub(super) fn value(file: &str, text: &str) -> Result<Value, json::SyntaxError> {
    if file.to_ascii_lowercase().ends_with(".json") { json::read(text).map(|read| read.root) } else { yaml::read(text) }
}

fn rules(parser: &mut Parser<'_>, root: &Value) -> Vec<Rule> {
    let (list, above) = match &root.data {
        Data::List(_) => (root, ""),
        Data::Object(_) => {
            let Some(members) = parser.object(root, "", ROOT) else { return Vec::new() };
            parser.keys_beside(&members, "", ROOT, &[]);
            let Some((_, list)) = members.into_iter().find(|(key, _)| key.name == "rules") else {
                let help = Some(
                    "write `\"rules\": [{\"condition\": \"files_modified > 30\", \"action\": \"pause\"}]`".to_owned(),
                );
                parser.fault(root, "", "`rules` is missing".to_owned(), help);
                return Vec::new();
            };
            (list, "/rules")
        }
        other => {
            let message = format!("the rules are {}, not a list of rules", other.name());
            parser.fault(root, "", message, Some("write `[{\"condition\": …, \"action\": …}]`".to_owned()));
            return Vec::new();
        }
    };
    let Data::List(items) = &list.data else {
        parser.wrong_type(list, above, "a list of rules");
        return Vec::new();
    };
    if items.is_empty() || items.len() > MOST_RULES {
        let message = if items.is_empty() {
            "there is no rule in it: nothing would be watched".to_owned()
        } else {
            format!("{} rules are more than the {MOST_RULES} that are taken", items.len())
        };
        parser.fault(list, above, message, None);
    }
    let items = items.iter().enumerate().take(MOST_RULES);
    items.filter_map(|(at, item)| rule(parser, item, &format!("{above}/{at}"))).collect()
}

fn rule(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Rule> {
    let members = parser.object(value, pointer, RULE)?;
    parser.keys_beside(&members, pointer, RULE, &[]);
    let mut fields = Fields { parser, members, pointer, value };
    let (name, notify) = (fields.text("name", None), fields.text("notify", None));
    let action = fields.action();
    let condition = fields.condition();
    let location = fields.parser.location(value, pointer);
    let (action, (condition, said)) = (action?, condition?);
    Some(Rule { name: name.unwrap_or(said), condition, action, notify, location })
}

struct Fields<'f, 'p, 'v> {
    parser: &'f mut Parser<'p>,
    members: Vec<(&'v Key, &'v Value)>,
    pointer: &'f str,
    value: &'v Value,
}

impl<'v> Fields<'_, '_, 'v> {
    fn find(&self, name: &str) -> Option<&'v Value> {
        self.members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value)
    }

    fn fault(&mut self, name: &str, message: String, help: &str) {
        let value = self.find(name).unwrap_or(self.value);
        self.parser.fault(value, &format!("{}/{name}", self.pointer), message, Some(help.to_owned()));
    }

    /// `example`: where it has to be there.
    fn text(&mut self, name: &str, example: Option<&str>) -> Option<String> {
        match (self.find(name), example) {
            (Some(Value { data: Data::Text(text), .. }), _) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            (Some(Value { data: Data::Text(_), .. }), _) => {
                self.fault(name, format!("`{name}` is empty"), "give it a value, or remove the key");
                None
            }
            (Some(value), _) => {
                self.parser.wrong_type(value, &format!("{}/{name}", self.pointer), "a text");
                None
            }
            (None, Some(example)) => {
                let help = Some(format!("write `\"{name}\": \"{example}\"`"));
                self.parser.fault(self.value, self.pointer, format!("`{name}` is missing"), help);
                None
            }
            (None, None) => None,
        }
    }

    fn action(&mut self) -> Option<Action> {
        let text = self.text("action", Some("kill"))?;
        let found = Action::ALL.iter().find(|(name, _)| *name == text).map(|(_, action)| *action);
        if found.is_none() {
            let names: Vec<&str> = Action::ALL.iter().map(|(name, _)| *name).collect();
            self.unknown("action", &text, "action", &names);
        }
        found
    }

    fn unknown(&mut self, name: &str, text: &str, what: &str, known: &[&str]) {
        let help = match nearest(text, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", config::listed(known)),
        };
        self.fault(name, format!("{} is no {what}", quoted(text)), &help);
    }

    /// With what it says.
    fn condition(&mut self) -> Option<(Condition, String)> {
        let text = self.text("condition", Some("files_modified > 30"))?;
        let (word, rest) = text
            .split_once(|next: char| !is_word(next))
            .map_or((text.as_str(), ""), |(word, _)| (word, text.get(word.len()..).unwrap_or_default().trim()));
        let metric = Metric::ALL.iter().find(|(name, _)| *name == word).map(|(_, metric)| *metric);
        match metric {
            None if word == FILE_PATH => self.path(rest, &text),
            None => {
                let names: Vec<&str> = Metric::ALL.iter().map(|(name, _)| *name).chain([FILE_PATH]).collect();
                self.unknown("condition", word, "condition", &names);
                None
            }
            Some(metric) => self.number(metric, rest),
        }
    }

    fn path(&mut self, rest: &str, text: &str) -> Option<(Condition, String)> {
        self.refuse("threshold", "a path has no threshold");
        let stated = if rest.is_empty() { None } else { Some(pattern(rest)) };
        let (name, glob) = match (stated, self.find("glob").is_some()) {
            (Some(_), true) => {
                self.fault("glob", "the condition has a pattern already".to_owned(), "keep one of the two");
                return None;
            }
            (Some(None), false) => {
                let help =
                    "write `file_path matches \"**/production.env\"`, or `\"condition\": \"file_path\"` with `glob`";
                self.fault("condition", format!("{} can't be read", quoted(text)), help);
                return None;
            }
            (Some(Some(glob)), false) => ("condition", glob.to_owned()),
            (None, _) => ("glob", self.text("glob", Some("**/production.env"))?),
        };
        match Paths::new(&glob) {
            Ok(paths) => Some((Condition::Path(Box::new(paths)), format!("file_path matches \"{glob}\""))),
            Err((message, help)) => {
                self.fault(name, message, &help.unwrap_or_default());
                None
            }
        }
    }

    fn number(&mut self, metric: Metric, rest: &str) -> Option<(Condition, String)> {
        self.refuse("glob", "only `file_path` has a pattern");
        let (includes, most) = match (rest.is_empty(), self.find("threshold")) {
            (false, Some(_)) => {
                self.fault("threshold", "the condition has a number already".to_owned(), "keep one of the two");
                return None;
            }
            (false, None) => self.sentence(metric, rest)?,
            (true, None) => {
                let help = Some(format!("write `\"threshold\": 30`, or `\"condition\": \"{} > 30\"`", metric.name()));
                self.parser.fault(self.value, self.pointer, "`threshold` is missing".to_owned(), help);
                return None;
            }
            (true, Some(Value { data: Data::Number(text), .. })) => (false, self.amount("threshold", text)?),
            (true, Some(value)) => {
                self.parser.wrong_type(value, &format!("{}/threshold", self.pointer), "a number");
                return None;
            }
        };
        let said = format!("{} {} {most}", metric.name(), if includes { ">=" } else { ">" });
        Some((Condition::Number { metric, most, includes }, said))
    }

    /// What stands behind the name of a number.
    fn sentence(&mut self, metric: Metric, rest: &str) -> Option<(bool, Amount)> {
        let operators = [(">=", Some(true)), ("<=", None), ("==", None), (">", Some(false)), ("<", None), ("=", None)];
        let found =
            operators.iter().find_map(|(operator, kind)| Some((*operator, *kind, rest.strip_prefix(operator)?)));
        let name = metric.name();
        match found {
            Some((_, Some(includes), number)) => Some((includes, self.amount("condition", number.trim())?)),
            Some((operator, None, _)) => {
                let message =
                    format!("`{name} {operator} …` holds for every session when it begins, or may be passed unseen");
                self.fault("condition", message, &format!("write `{name} > …` or `{name} >= …`"));
                None
            }
            None => {
                let help = format!("write `{name} > 30`, or `\"condition\": \"{name}\"` with `threshold`");
                self.fault("condition", format!("{} is no comparison", quoted(rest)), &help);
                None
            }
        }
    }

    fn amount(&mut self, name: &str, text: &str) -> Option<Amount> {
        let amount = Amount::read(text);
        if amount.is_none() {
            let help = "write a number from 0 on, such as `30` or `0.50`";
            self.fault(name, format!("{} is no number that can be reached", quoted(text)), help);
        }
        amount
    }

    fn refuse(&mut self, name: &str, message: &str) {
        if self.find(name).is_some() {
            self.fault(name, message.to_owned(), "remove the key");
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// `matches "**/x"`: the pattern, with or without quotes.
fn pattern(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix("matches")?;
    let pattern = rest.strip_prefix(char::is_whitespace)?.trim();
    let inside = |quote: char| pattern.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let bare = inside('"').or_else(|| inside('\'')).unwrap_or(pattern);
    (!bare.is_empty() && !bare.contains(['"', '\''])).then_some(bare)
}
