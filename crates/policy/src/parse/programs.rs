//! `programs`: what the policy says about programs, and whether its own examples bear it out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use agent_strace_effects::Kind;
use agent_strace_effects::knowledge::{self, Knowledge, Standing};

use super::entry::{Base, Topic};
use super::{Data, Fault, Key, Parser, Value, escaped, nearest, quoted};

/// Programs one policy may describe.
const MOST_PROGRAMS: usize = 1_000;
/// Examples of one policy: each is judged whenever the policy is read.
const MOST_EXAMPLES: usize = 1_000;
/// Characters of an example's command, and of a name.
const LONGEST_EXAMPLE: usize = 1_024;
const LONGEST_NAME: usize = 64;

/// A command and the effects that the policy's author expects.
pub(super) struct Example {
    /// The names of the program whose entry it stands in.
    names: Vec<String>,
    command: String,
    expected: Vec<String>,
    span: Range<usize>,
    pointer: String,
}

/// Another name of a program, until all programs are read.
struct Alias {
    names: Vec<String>,
    known: String,
    span: Range<usize>,
    pointer: String,
}

/// What is read of `programs` so far.
#[derive(Default)]
struct Programs {
    knowledge: Knowledge,
    /// Every name that has an entry, and whether it is only another name.
    told: BTreeMap<String, bool>,
    aliases: Vec<Alias>,
}

impl Parser<'_> {
    pub(super) fn programs(&mut self, value: &Value) -> Arc<Knowledge> {
        let mut programs = Programs::default();
        for (key, value) in self.object(value, "/programs", &[]).unwrap_or_default() {
            let pointer = format!("/programs/{}", escaped(&key.name));
            if programs.told.len() >= MOST_PROGRAMS {
                let message = format!("more than {MOST_PROGRAMS} programs are described");
                self.faults.push(key.span.clone(), &pointer, message, None);
                break;
            }
            let names = self.program_names(key, &pointer, &mut programs);
            if !names.is_empty() {
                self.program(names, key, value, &pointer, &mut programs);
            }
        }
        self.aliases(&mut programs);
        let knowledge = Arc::new(programs.knowledge);
        // An example of an entry that is not understood would only repeat its faults.
        if self.faults.list.is_empty() {
            self.examples_hold(&knowledge);
        }
        knowledge
    }

    fn program_names(&mut self, key: &Key, pointer: &str, programs: &mut Programs) -> Vec<String> {
        let mut names = Vec::new();
        for name in key.name.split_whitespace() {
            let fault = check_name(name).err().or_else(|| {
                let twice = programs.told.insert(name.to_owned(), false).is_some();
                twice.then(|| (format!("{} is described twice", quoted(name)), Some("merge the two".to_owned())))
            });
            match fault {
                Some((message, help)) => self.faults.push(key.span.clone(), pointer, message, help),
                None => names.push(name.to_owned()),
            }
        }
        if key.name.trim().is_empty() {
            self.faults.push(key.span.clone(), pointer, "this name is empty".to_owned(), None);
        }
        names
    }

    fn program(&mut self, names: Vec<String>, key: &Key, value: &Value, pointer: &str, programs: &mut Programs) {
        let standing = names.iter().map(|name| (name, Standing::of(name)));
        let known: Vec<(&String, Standing)> =
            standing.filter(|(_, standing)| !matches!(standing, Standing::Unknown)).collect();
        match known.as_slice() {
            [] => self.unknown_program(names, value, pointer, programs),
            [(name, standing)] if names.len() == 1 => {
                let (base, builtin) = match standing {
                    Standing::Unknown => return,
                    Standing::Correctable(builtin) => (Base::Corrected(builtin), *builtin),
                    Standing::Fixed(builtin) => (Base::Added, *builtin),
                };
                if let Some((like, _)) = member(value, "like") {
                    let message = format!("{} is built in: it can't be another program", quoted(name));
                    self.faults.push(like.span.clone(), &format!("{pointer}/like"), message, None);
                    return;
                }
                let topic = Topic { shown: name, words: 1, base, names: &names };
                let entry = self.entry(value, pointer, &topic);
                if matches!(base, Base::Added) {
                    programs.knowledge.add(name, entry, builtin);
                } else {
                    programs.knowledge.set_override(name, entry);
                }
            }
            [(name, _), ..] => {
                let message = format!("{} is built in: it needs an entry of its own", quoted(name));
                let help = "what is said about a built-in program changes what is known about that one".to_owned();
                self.faults.push(key.span.clone(), pointer, message, Some(help));
            }
        }
    }

    fn unknown_program(&mut self, names: Vec<String>, value: &Value, pointer: &str, programs: &mut Programs) {
        let shown = names.first().map_or("", String::as_str);
        let topic = Topic { shown, words: 1, base: Base::New, names: &names };
        let entry = self.entry(value, pointer, &topic);
        let Some((_, like)) = member(value, "like") else {
            for name in &names {
                programs.knowledge.set_override(name, entry.clone());
            }
            return;
        };
        let alone = ["like", "examples"];
        if let Data::Object(members) = &value.data {
            for (key, _) in members.iter().filter(|(key, _)| !alone.contains(&key.name.as_str())) {
                let message = format!("{} beside `like` never counts", quoted(&key.name));
                let help = "describe the program itself, or remove `like`".to_owned();
                self.faults.push(key.span.clone(), &format!("{pointer}/{}", escaped(&key.name)), message, Some(help));
            }
        }
        let pointer = format!("{pointer}/like");
        let Data::Text(known) = &like.data else {
            self.wrong_type(like, &pointer, "the name of a program");
            return;
        };
        programs.told.extend(names.iter().map(|name| (name.clone(), true)));
        programs.aliases.push(Alias { names, known: known.clone(), span: like.span.clone(), pointer });
    }

    /// The programs that others are said to be like have to be known.
    fn aliases(&mut self, programs: &mut Programs) {
        for Alias { names, known, span, pointer } in std::mem::take(&mut programs.aliases) {
            let told = programs.told.get(&known);
            if told == Some(&true) {
                let message = format!("{} is itself said to be like another program", quoted(&known));
                self.faults.push(span, &pointer, message, Some("name that other program".to_owned()));
            } else if told.is_none() && knowledge::builtin(&known).is_none() {
                let mut candidates: Vec<&str> = knowledge::builtin_names();
                candidates.extend(programs.told.keys().map(String::as_str));
                let help = nearest(&known, &candidates).map(|near| format!("did you mean `{near}`?"));
                self.faults.push(span, &pointer, format!("the program {} is not known", quoted(&known)), help);
            } else {
                for name in names {
                    programs.knowledge.rename(&name, &known);
                }
            }
        }
    }

    /// `examples`: command → effects.
    pub(super) fn examples(&mut self, value: &Value, pointer: &str, names: &[String]) {
        for (key, value) in self.object(value, pointer, &[]).unwrap_or_default() {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            let fault = if self.examples.len() >= MOST_EXAMPLES {
                Some(format!("this policy has more than {MOST_EXAMPLES} examples"))
            } else if key.name.chars().count() > LONGEST_EXAMPLE {
                Some(format!("this command is longer than {LONGEST_EXAMPLE} characters"))
            } else {
                None
            };
            if let Some(message) = fault {
                self.faults.push(key.span.clone(), &pointer, message, None);
                return;
            }
            let expected = self.texts(value, &pointer).into_iter().map(|item| item.text.to_owned()).collect();
            self.examples.push(Example {
                names: names.to_vec(),
                command: key.name.clone(),
                expected,
                span: value.span.clone(),
                pointer,
            });
        }
    }

    /// Each example goes the way of every command of a session.
    fn examples_hold(&mut self, knowledge: &Arc<Knowledge>) {
        for example in std::mem::take(&mut self.examples) {
            let effects = agent_strace_effects::of_command(&example.command, knowledge);
            let runs = effects.iter().any(|effect| match &effect.kind {
                Kind::Execute(execution) => execution.argv.first().is_some_and(|program| {
                    let bare = program.text.rsplit('/').next().unwrap_or(&program.text);
                    example.names.iter().any(|name| name == bare)
                }),
                _ => false,
            });
            let mut found: Vec<String> = effects
                .iter()
                // Variables before a command are set by who wrote it, not by the program.
                .filter(|effect| !matches!(effect.kind, Kind::Execute(_) | Kind::Env { .. }))
                .map(ToString::to_string)
                .collect();
            let mut expected = example.expected;
            found.sort();
            expected.sort();
            let (message, help) = if !runs {
                let message = format!("the example {} does not run this program", quoted(&example.command));
                (message, None)
            } else if found == expected {
                continue;
            } else {
                let message = format!("the example {} does not hold", quoted(&example.command));
                (message, Some(format!("its effects are [{}]", listed(&found))))
            };
            self.faults.push(example.span, &example.pointer, message, help);
        }
    }
}

/// Effects as they stand in a policy, as many as fit a message.
fn listed(found: &[String]) -> String {
    let shown: Vec<String> = found.iter().take(8).map(|effect| format!("{effect:?}")).collect();
    let more = if found.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

pub(super) fn member<'v>(value: &'v Value, name: &str) -> Option<(&'v Key, &'v Value)> {
    let Data::Object(members) = &value.data else { return None };
    members.iter().find_map(|(key, value)| (key.name == name).then_some((key, value)))
}

/// A bare name that a command can have.
fn check_name(name: &str) -> Result<(), Fault> {
    let never = || format!("{} can never match", quoted(name));
    let odd = |character: char| character.is_control() || "\"'`$\\*?[]{}()<>|&;!#=~".contains(character);
    if let Some((_, bare)) = name.rsplit_once('/') {
        let help =
            (!bare.is_empty()).then(|| format!("programs go by their name without folders: write {}", quoted(bare)));
        return Err((never(), help));
    }
    if name.chars().count() > LONGEST_NAME || name.starts_with('-') || name.contains(odd) {
        return Err((never(), Some("write the name of one program, without patterns".to_owned())));
    }
    let bare = Knowledge::default().bare(name);
    if bare != name {
        let help = format!("versions and `.exe` are no part of a name: write {}", quoted(&bare));
        return Err((never(), Some(help)));
    }
    let lower = name.to_lowercase();
    if lower != name && knowledge::builtin(name).is_none() && knowledge::builtin(&lower).is_some() {
        let message = format!("{} is {} where file names have no case", quoted(name), quoted(&lower));
        return Err((message, Some("describe that program".to_owned())));
    }
    if knowledge::is_of_the_shell(name) {
        return Err((format!("{} is part of the shell and can't be described", quoted(name)), None));
    }
    Ok(())
}
