//! Fills the placeholders of a template: `{{command}}`, `{{path}}`, `{{host}}` and what is made of them.

use std::net::Ipv4Addr;

use serde_json::{Value, json};

use super::encode::{double, json as text_of_json, octal, quoted, word};
use super::sample::Sample;
use agent_strace_policy::TestCall;
use agent_strace_secrets::base64;

/// Programs whose flags of one letter may stand together.
const CLUSTERS: &[&str] = &["rm", "cp", "mv", "ln", "chmod", "chown", "git"];
/// Program, flag, and what it is in full.
const LONG: &[(&str, char, &str)] = &[
    ("rm", 'r', "--recursive"),
    ("rm", 'R', "--recursive"),
    ("rm", 'f', "--force"),
    ("git", 'f', "--force"),
    ("cp", 'r', "--recursive"),
    ("chmod", 'R', "--recursive"),
    ("chown", 'R', "--recursive"),
];

pub(super) struct Values<'s> {
    sample: &'s Sample,
}

impl<'s> Values<'s> {
    pub(super) fn new(sample: &'s Sample) -> Self {
        Self { sample }
    }

    /// The act without any disguise.
    pub(super) fn plain(&self) -> Vec<TestCall> {
        let call = match self.sample {
            Sample::Command(argv) => TestCall::shell(&line(argv)),
            Sample::File("read", path) => TestCall::new("Read", &json!({ "file_path": path })),
            Sample::File("delete", path) => TestCall::shell(&format!("rm {}", word(path))),
            Sample::File(_, path) => TestCall::new("Write", &json!({ "file_path": path, "content": "x" })),
            Sample::Host(host) => TestCall::shell(&format!("curl https://{host}/")),
            Sample::Mcp { server, tool } => TestCall::new(&format!("mcp__{server}__{tool}"), &json!({})),
            Sample::Variable(name) => TestCall::shell(&format!("{name}=/tmp/x ls")),
        };
        vec![call]
    }

    /// `None`: the act lacks something that the template needs.
    pub(super) fn text(&self, template: &str) -> Option<String> {
        let mut filled = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            // `{{{commas}}}`: a brace of the shell around a placeholder.
            let (before, after) = match after.strip_prefix('{') {
                Some(after) => (format!("{before}{{"), after),
                None => (before.to_owned(), after),
            };
            let (name, after) = after.split_once("}}")?;
            filled.push_str(&before);
            filled.push_str(&self.filler(name)?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    pub(super) fn value(&self, template: &Value) -> Option<Value> {
        Some(match template {
            Value::String(text) if text == "{{argv}}" => match self.sample {
                Sample::Command(argv) => json!(argv),
                _ => return None,
            },
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect::<Option<_>>()?),
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| Some((key.clone(), self.value(value)?)));
                Value::Object(members.collect::<Option<_>>()?)
            }
            other => other.clone(),
        })
    }

    fn filler(&self, name: &str) -> Option<String> {
        match self.sample {
            Sample::Command(argv) => of_command(argv, name),
            Sample::File(_, path) => of_path(path, name),
            Sample::Host(host) => of_host(host, name),
            Sample::Mcp { server, tool } => Some(match name {
                "server" => server.clone(),
                "tool" => tool.clone(),
                "upperserver" => server.to_uppercase(),
                "uppertool" => tool.to_uppercase(),
                _ => return None,
            }),
            Sample::Variable(variable) => (name == "name").then(|| variable.clone()),
        }
    }
}

fn line(argv: &[String]) -> String {
    argv.iter().map(|argument| word(argument)).collect::<Vec<_>>().join(" ")
}

fn of_command(argv: &[String], name: &str) -> Option<String> {
    let (program, arguments) = argv.split_first()?;
    let command = line(argv);
    let words =
        |separator: &str, words: &[String]| words.iter().map(|text| word(text)).collect::<Vec<_>>().join(separator);
    let last = program.chars().next_back()?;
    Some(match name {
        "command" => command,
        "program" => program.clone(),
        "rest" if arguments.is_empty() => String::new(),
        "rest" => format!(" {}", line(arguments)),
        "tail" => words("${IFS}", arguments),
        "ifs" => words("${IFS}", argv),
        "commas" => words(",", argv),
        "first" => program.strip_suffix(last)?.to_owned(),
        "last" => last.to_string(),
        "quoted" => quoted(&command),
        "double" => double(&command),
        "twice" => quoted(&format!("bash -c {}", quoted(&command))),
        "bang" => quoted(&format!("!{command}")),
        "sed" => quoted(&format!("1e {command}")),
        "awk" => quoted(&format!("BEGIN{{system({})}}", text_of_json(&command))),
        "awkpipe" => quoted(&format!("BEGIN{{{}|getline}}", text_of_json(&command))),
        "octal" => octal(program),
        "octals" => octal(&command),
        "base64" => base64::encode(command.as_bytes()),
        "reversed" => quoted(&command.chars().rev().collect::<String>()),
        "json" => text_of_json(&command),
        "record" => json!({ "command": command }).to_string(),
        "pysystem" | "pyquoted" => quoted(&format!("import os; os.system({})", text_of_json(&command))),
        "pyrun" => quoted(&format!("import subprocess; subprocess.run({})", json!(argv))),
        "node" => quoted(&format!("require('child_process').execSync({})", text_of_json(&command))),
        "perl" | "ruby" => quoted(&format!("system({})", text_of_json(&command))),
        "php" => quoted(&format!("system({});", text_of_json(&command))),
        "moved" | "long" | "parted" | "turned" => return of_flags(program, arguments, name),
        _ => return None,
    })
}

/// The same flags in another form.
fn of_flags(program: &str, arguments: &[String], name: &str) -> Option<String> {
    let is_cluster = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphabetic())
    };
    if name == "moved" {
        let (flags, others): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with('-'));
        let words = others.into_iter().map(String::as_str).chain(["x"]).chain(flags.into_iter().map(String::as_str));
        return Some(std::iter::once(program).chain(words).map(word).collect::<Vec<_>>().join(" "));
    }
    if !CLUSTERS.contains(&program) || !arguments.iter().any(|word| is_cluster(word)) {
        return None;
    }
    let mut words = vec![word(program)];
    for argument in arguments {
        let letters = argument.strip_prefix('-').filter(|_| is_cluster(argument));
        match (letters, name) {
            (None, _) => words.push(word(argument)),
            (Some(letters), "parted") => words.extend(letters.chars().map(|letter| format!("-{letter}"))),
            (Some(letters), "turned") => words.push(format!("-{}", letters.chars().rev().collect::<String>())),
            (Some(letters), _) => {
                for letter in letters.chars() {
                    let (_, _, long) = LONG.iter().find(|(of, flag, _)| *of == program && *flag == letter)?;
                    words.push((*long).to_owned());
                }
            }
        }
    }
    Some(words.join(" "))
}

fn of_path(path: &str, name: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
    let beside = |file: &str| if folder == "." { file.to_owned() } else { format!("{}/{file}", word(folder)) };
    // How far a pattern may stand for a file without standing for all.
    let (start, rest) = {
        let dot = usize::from(file.starts_with('.'));
        let at = file.char_indices().nth(dot + 1).map_or(file.len(), |(at, _)| at);
        file.split_at_checked(at)?
    };
    let text = text_of_json(path);
    Some(match name {
        "path" => path.to_owned(),
        "word" => word(path),
        "folder" => word(folder),
        "file" => word(file),
        "upper" => path.to_uppercase(),
        "title" => beside(&file.chars().map(|letter| letter.to_ascii_uppercase()).collect::<String>()),
        "dotted" => format!("{path}."),
        "invisible" => format!("{path}\u{200b}"),
        "glob" => beside(&format!("{start}*")),
        "class" => {
            let last = start.chars().next_back()?;
            beside(&format!("{}[{last}]{rest}", start.strip_suffix(last)?))
        }
        "question" => beside(&format!("{}?", file.strip_suffix(file.chars().next_back()?)?)),
        "catquoted" => quoted(&format!("cat {}", word(path))),
        "rmquoted" => quoted(&format!("rm {}", word(path))),
        "writequoted" => quoted(&format!("echo x > {}", word(path))),
        "pyopen" => quoted(&format!("print(open({text}).read())")),
        "pywrite" => quoted(&format!("open({text}, 'w').write('x')")),
        "pyremove" => quoted(&format!("import os; os.remove({text})")),
        "nodeopen" => quoted(&format!("require('fs').readFileSync({text})")),
        "nodewrite" => quoted(&format!("require('fs').writeFileSync({text}, 'x')")),
        "noderemove" => quoted(&format!("require('fs').unlinkSync({text})")),
        "perlremove" => quoted(&format!("unlink {text}")),
        "awkwrite" => quoted(&format!("BEGIN{{print \"x\" > {text}}}")),
        "sedwrite" => quoted(&format!("w {path}")),
        _ => return None,
    })
}

fn of_host(host: &str, name: &str) -> Option<String> {
    Some(match name {
        "host" => host.to_owned(),
        "upper" => host.to_uppercase(),
        "decimal" => u32::from(host.parse::<Ipv4Addr>().ok()?).to_string(),
        "hexadecimal" => format!("{:#x}", u32::from(host.parse::<Ipv4Addr>().ok()?)),
        _ => return None,
    })
}
