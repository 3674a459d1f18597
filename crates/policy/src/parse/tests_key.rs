//! The key `tests`: calls, and what the policy has to answer.

use crate::grammar;
use crate::inline_tests::{Answer, Caller, InlineTest, TestCall};

use super::json::{Data, Value, plain};
use super::{Parser, nearest, quoted};

/// A policy with more belongs in a case file.
const MOST: usize = 10_000;

impl Parser<'_> {
    pub(super) fn tests(&mut self, value: &Value) -> Vec<InlineTest> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, "/tests", "a list of tests");
            return Vec::new();
        };
        if items.len() > MOST {
            let message = format!("`tests` has more than {MOST} entries");
            let help = "put them into a file: `agent-strace policy test --cases FILE.jsonl`".to_owned();
            self.faults.push(value.span.clone(), "/tests", message, Some(help));
            return Vec::new();
        }
        let tests = items.iter().enumerate();
        tests.filter_map(|(index, item)| self.test(item, &format!("/tests/{index}"))).collect()
    }

    fn test(&mut self, value: &Value, pointer: &str) -> Option<InlineTest> {
        let location = self.locator.location(value.span.start, pointer);
        let members = self.members(value, pointer, &grammar::TEST)?;
        let get = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
        let mut text = |name: &str| get(name).and_then(|value| self.test_text(value, &format!("{pointer}/{name}")));
        let (name, rule, tool) = (text("name"), text("rule"), text("tool"));
        let caller = Caller { cwd: text("cwd"), agent: text("agent"), subagent: text("subagent"), mode: text("mode") };
        let calls = match (get("seq"), get("tool"), get("input")) {
            (Some(seq), None, None) => self.steps(seq, &format!("{pointer}/seq")),
            (None, Some(_), Some(input)) => {
                tool.map(|tool| vec![TestCall { tool, arguments: plain(input) }]).unwrap_or_default()
            }
            _ => {
                let message = "a test needs `tool` and `input`, or `seq` for several calls".to_owned();
                let help = "write \"tool\": \"Bash\", \"input\": { \"command\": \"…\" }".to_owned();
                self.faults.push(value.span.clone(), pointer, message, Some(help));
                Vec::new()
            }
        };
        let expect = if let Some(expect) = get("expect") {
            self.expectation(expect, &format!("{pointer}/expect"))?
        } else {
            let help = "write \"expect\": \"deny\", \"ask\", \"allow\" or \"unresolved\"".to_owned();
            self.faults.push(value.span.clone(), pointer, "a test needs `expect`".to_owned(), Some(help));
            return None;
        };
        Some(InlineTest { name, calls, caller, expect, rule, location })
    }

    fn test_text(&mut self, value: &Value, pointer: &str) -> Option<String> {
        match &value.data {
            Data::Text(text) if !text.trim().is_empty() => return Some(text.clone()),
            Data::Text(_) => self.faults.push(value.span.clone(), pointer, "this text is empty".to_owned(), None),
            _ => self.wrong_type(value, pointer, "a string"),
        }
        None
    }

    fn expectation(&mut self, value: &Value, pointer: &str) -> Option<Answer> {
        let text = self.test_text(value, pointer)?;
        let answer = Answer::named(&text);
        if answer.is_none() {
            let help = match nearest(&text, Answer::NAMES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write `deny`, `ask`, `allow` or `unresolved`".to_owned(),
            };
            let message = format!("{} is no answer of a policy", quoted(&text));
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        answer
    }

    /// `[["Bash", {"command": "…"}], …]`
    fn steps(&mut self, value: &Value, pointer: &str) -> Vec<TestCall> {
        let Data::List(steps) = &value.data else {
            self.wrong_type(value, pointer, "a list of calls");
            return Vec::new();
        };
        if steps.is_empty() {
            self.faults.push(value.span.clone(), pointer, "`seq` has no call".to_owned(), None);
        }
        let mut calls = Vec::with_capacity(steps.len());
        for (index, step) in steps.iter().enumerate() {
            match &step.data {
                Data::List(parts) => match parts.as_slice() {
                    [Value { data: Data::Text(tool), .. }, input] => {
                        calls.push(TestCall { tool: tool.clone(), arguments: plain(input) });
                    }
                    _ => self.no_call(step, &format!("{pointer}/{index}")),
                },
                _ => self.no_call(step, &format!("{pointer}/{index}")),
            }
        }
        calls
    }

    fn no_call(&mut self, value: &Value, pointer: &str) {
        let help = "write [\"Bash\", { \"command\": \"…\" }]".to_owned();
        let message = "a call is a list of a tool and its input".to_owned();
        self.faults.push(value.span.clone(), pointer, message, Some(help));
    }
}
