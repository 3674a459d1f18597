//! Entries that advice proposes: the text of one that covers an act. `policy explain`, `policy test` and all reports take it
//! from here, each with its own words around it.

use agent_strace_effects::{Argument, Certainty, Effect, Execution, Kind};
use agent_strace_model::finding::EffectView;
use agent_strace_policy::{Context, Decision, Policy, dotted, takes_value};

use crate::generate::{Form, command_text, form, is_for_people, risks_beside};

/// The longest command that an entry spells.
const LONGEST: usize = 120;

/// The parts of an effect that an entry names. Reports give them without secrets.
#[derive(Debug, Default)]
pub struct ProposedFor<'a> {
    pub kind: &'a str,
    pub path: Option<&'a str>,
    /// The path covers more than one file: its stars are wildcards.
    pub is_pattern: bool,
    pub argv: Vec<&'a str>,
    /// The log does not show some of the words in `argv`.
    pub has_unknown_words: bool,
    pub host: Option<&'a str>,
    pub server: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub agent: Option<&'a str>,
    pub name: Option<&'a str>,
}

impl<'a> ProposedFor<'a> {
    pub fn of(view: &'a EffectView) -> Self {
        Self {
            kind: view.kind,
            path: view.path.as_deref(),
            is_pattern: view.certainty == Some("pattern"),
            argv: view.argv.iter().flatten().map(String::as_str).collect(),
            has_unknown_words: view.has_unknown_words,
            host: view.host.as_deref(),
            server: view.server.as_deref(),
            tool: view.tool.as_deref(),
            agent: view.agent.as_deref(),
            name: view.name.as_deref(),
        }
    }

    /// The text of an entry that covers the act. `version`: of the policy. `None`: no entry covers it and little else.
    pub fn entry(&self, version: u32) -> Option<String> {
        if let Some(path) = self.path_entry(version) {
            return Some(path);
        }
        let text = match self.kind {
            "execute" => return self.command(version),
            "connect" => self.host.filter(|host| is_plain(host)),
            "tool" => self.tool.filter(|tool| is_plain(tool)),
            "spawn" => self.agent,
            "env" => self.name,
            _ => None,
        };
        text.map(str::to_owned)
    }

    /// In version 2, a path begins with `//` where it is absolute, and with `/` where it is a name at the root.
    pub fn path_entry(&self, version: u32) -> Option<String> {
        let path = self.path?;
        let is_anchored = path.starts_with('~') || path.get(1..3) == Some(":/");
        // Nothing but stars would allow, or take out of a deny, every path. No entry names a backslash.
        if !path.contains(char::is_alphanumeric) || path.contains('\\') {
            return None;
        }
        // Names of routes such as `[id]` stand for themselves. Stars are those of effects that cover more than one file.
        // Version 2 takes braces for alternatives.
        let braces = |text: String| if version >= 2 { text.replace('{', "?") } else { text };
        let entry = if self.is_pattern { path.to_owned() } else { braces(path.replace('[', "[[]")) };
        Some(match path.strip_prefix('/') {
            Some(_) if version >= 2 => format!("/{entry}"),
            None if version >= 2 && !is_anchored && !path.contains('/') => format!("/{entry}"),
            _ => entry,
        })
    }

    /// An entry that allowed the path would allow sensitive files: no entry is proposed, and people decide.
    pub fn is_for_people(&self) -> bool {
        self.path.is_some_and(|path| is_for_people(self.kind, path))
    }

    /// The rule that allows to start the sub-agent, which no list names.
    pub fn spawning_rule(&self) -> Option<String> {
        spawning_rule(self.agent.filter(|_| self.kind == "spawn")?)
    }

    /// The edit that allows the tool, behind "add": an entry of its own server, whichever list refused it. `None`: the log does
    /// not name the server, or an entry would name more.
    pub fn tool_edit(&self) -> Option<String> {
        let [server, tool] = [self.server, self.tool].map(|name| name.filter(|name| is_plain(name)));
        let (server, tool) = (server?, tool?);
        let is_of_word = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':');
        if server.chars().all(is_of_word) && !tool.contains('`') {
            return Some(format!("`{tool}` to mcp.servers.{server}.allow"));
        }
        let [server, tool] = [server, tool].map(|name| serde_json::to_string(name).ok());
        Some(format!("`\"mcp\": {{\"servers\": {{{}: {{\"allow\": [{}]}}}}}}`", server?, tool?))
    }

    /// The command with all words that an entry names. `None`: the log does not show one of them, or no entry holds it.
    fn exactly(&self) -> Option<String> {
        let is_held = |word: &&str| {
            // Advice stands between backticks.
            !word.is_empty() && *word != "--" && !word.contains("[REDACTED") && !word.contains(['`', '\n', '\r'])
        };
        let words = self.named_words();
        if self.has_unknown_words || words.is_empty() || !words.iter().all(is_held) {
            return None;
        }
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        Some(command_text(&words)).filter(|text| text.chars().count() <= LONGEST)
    }

    /// An entry for the program and its subcommand would allow commands that destroy, publish or give more rights.
    pub fn is_risky(&self) -> bool {
        self.kind == "execute" && self.wide().is_some_and(|entry| !risks_beside(without_directory(&entry)).is_empty())
    }

    /// The text of an entry for a command: all its words, where fewer would allow what only people allow.
    fn command(&self, version: u32) -> Option<String> {
        let is_risky = self.is_risky();
        let entry = if is_risky { self.exactly() } else { self.wide() }?;
        let is_sure = !is_risky && self.named_words().len() == self.argv.len();
        // Options before the subcommand are no part of an entry, and some of them keep it from allowing the command. Version 1
        // has no entry for every word.
        (is_sure || allows(&entry, &self.argv, version)).then_some(entry)
    }

    /// The program, and its subcommand where the next word is one.
    fn wide(&self) -> Option<String> {
        let words = self.named_words();
        let program = words.first().filter(|program| !program.is_empty() && is_plain(program))?;
        Some(match words.get(1).filter(|word| is_name(word)) {
            Some(subcommand) if form(program) == Form::Subcommands => format!("{program} {subcommand}"),
            _ => (*program).to_owned(),
        })
    }

    /// The words of the command without the options that stand before a subcommand (`git -C x status`).
    fn named_words(&self) -> Vec<&'a str> {
        let Some((program, mut rest)) = self.argv.split_first() else { return Vec::new() };
        while let Some((option, behind)) = rest.split_first().filter(|(option, _)| option.starts_with('-')) {
            rest = if takes_value(without_directory(program), option) {
                behind.get(1..).unwrap_or_default()
            } else {
                behind
            };
        }
        let has_subcommand = form(program) == Form::Subcommands && rest.first().is_some_and(|word| is_name(word));
        if has_subcommand { std::iter::once(*program).chain(rest.iter().copied()).collect() } else { self.argv.clone() }
    }

    /// The program of a command, without its directory, and how far an entry for it reaches.
    pub fn program(&self) -> Option<(&'a str, Form)> {
        let program = self.argv.first().copied().filter(|program| is_plain(program))?;
        Some((without_directory(program), form(program)))
    }

    /// The file that an interpreter is given, where it is the first word behind its name.
    pub fn script(&self) -> Option<&'a str> {
        let word = self.argv.get(1).copied()?;
        let is_file = !word.is_empty()
            && !word.starts_with('-')
            && word.contains(['.', '/'])
            && is_plain(word)
            // A part that the shell puts in is not known.
            && !word.contains(['$', '`'])
            && !word.contains(char::is_whitespace);
        is_file.then_some(word)
    }

    /// The section of a policy that speaks of such acts.
    pub fn section(&self) -> Option<&'static str> {
        Some(match self.kind {
            "read" | "list" => "files.read",
            "write" => "files.write",
            "delete" => "files.delete",
            "execute" => "commands",
            "connect" => "network",
            _ => return None,
        })
    }
}

/// The list of allowed commands that a place in a policy belongs to, as messages name it: that of the policy, or of its part for
/// some agents. `None`: the place is elsewhere. Where it decides about an act that is not resolved, the policy has that list.
pub fn list_of_commands(pointer: &str) -> Option<String> {
    let mut keys = pointer.split('/').skip(1);
    let part = match keys.next()? {
        "agents" => format!("/agents/{}", keys.next()?),
        "commands" => return Some("commands.allow".to_owned()),
        _ => return None,
    };
    (keys.next()? == "commands").then(|| dotted(&format!("{part}/commands/allow")))
}

/// Returns true if an entry of `commands.allow` allows the command.
fn allows(entry: &str, argv: &[&str], version: u32) -> bool {
    let entry = serde_json::json!([entry]);
    let document = match version {
        1 => serde_json::json!({"commands": {"allow": entry}}),
        _ => serde_json::json!({"version": 2, "commands": {"allow": entry}}),
    };
    let Ok(policy) = Policy::from_bytes("proposal", None, document.to_string().as_bytes()) else { return false };
    let argv = argv.iter().map(|word| Argument { text: (*word).to_owned(), known: true }).collect();
    let run = Kind::Execute(Execution { argv, inert: false, embeds: false });
    let judged = policy.judge(&Effect::new(run, Certainty::Exact, "proposal"), &Context::default());
    judged.decision == Decision::Allowed
}

/// The word looks like a subcommand.
fn is_name(word: &str) -> bool {
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':');
    word.starts_with(|first: char| first.is_ascii_lowercase()) && word.chars().all(is_of_name)
}

/// The entry or the rule that vouches for an act that is not resolved.
#[derive(Debug, PartialEq, Eq)]
pub enum Vouching {
    /// Nothing does, because the code is hidden.
    Hidden,
    /// Nothing does, because no words name the command.
    Unnamed,
    /// An entry of `commands.allow` with these words.
    Entry(String),
    /// An entry with `even_if_changed`, because the session changed what runs. `None`: an entry for the command itself.
    EvenIfChanged(Option<String>),
    /// A rule, because the policy has no allow list for commands: the first entry of one would refuse all other commands.
    Rule(String),
    /// Only an entry for this program would, and it would vouch for any code.
    AnyCode(String),
    /// Nothing that this policy can hold.
    Nothing,
}

impl Vouching {
    /// `class`: of the effect. `words`: those that vouch for it. `pointer`: the place in the policy that decided. `version`: of
    /// the policy.
    pub fn new(class: &str, words: &[&str], pointer: Option<&str>, version: u32) -> Self {
        let has_list = pointer.and_then(list_of_commands).is_some();
        match (class, words) {
            ("hidden", _) => Self::Hidden,
            ("changed", _) if !has_list => Self::Nothing,
            ("changed", []) => Self::EvenIfChanged(None),
            ("changed", words) => Self::EvenIfChanged(Some(words.join(" "))),
            (_, []) => Self::Unnamed,
            (_, [program]) if matches!(form(program), Form::Code | Form::Commands) => {
                Self::AnyCode(without_directory(program).to_owned())
            }
            (_, words) if has_list => Self::Entry(words.join(" ")),
            (_, words) => vouching_rule(words).filter(|_| version >= 2).map_or(Self::Nothing, Self::Rule),
        }
    }
}

/// The rule that vouches for a command, where an allow list would refuse all others. `None`: a name would be read as a pattern.
fn vouching_rule(words: &[&str]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    if program.is_empty() || !words.iter().all(|word| is_plain(word) && !word.contains(char::is_whitespace)) {
        return None;
    }
    let json = |text: &str| serde_json::to_string(text).ok();
    let subcommand =
        if rest.is_empty() { String::new() } else { format!(", \"subcommand\": {}", json(&rest.join(" "))?) };
    let program = json(program)?;
    Some(rule_that_allows(&words.join("-"), &format!("\"exec\": {{\"program\": {program}{subcommand}}}")))
}

/// The rule that allows a sub-agent, which no list names. `None`: its name would be read as a pattern.
fn spawning_rule(agent: &str) -> Option<String> {
    is_plain(agent).then(|| rule_that_allows(agent, &format!("\"spawn\": {}", serde_json::json!(agent))))
}

/// A rule with an id made of these words. `demand`: the member of `match`.
fn rule_that_allows(words: &str, demand: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let id: String = words.chars().map(plain).take(60).collect();
    let id = format!("allow-{}", id.trim_matches('-'));
    format!("{{\"id\": \"{id}\", \"effect\": \"allow\", \"reason\": \"reviewed\", \"match\": {{{demand}}}}}")
}

/// The name of a program without the directory that it is in.
fn without_directory(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Whether a name holds no wildcard. As an entry of a policy it covers nothing else then.
pub fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::{ProposedFor, Vouching, vouching_rule};
    use agent_strace_policy::Policy;

    #[test]
    fn a_rule_that_vouches_can_be_read() {
        for words in [&["frob"][..], &["npm", "test"], &["./scripts/a.sh"], &["npm", "run", "build:all"]] {
            let rule = vouching_rule(words).unwrap();
            let policy = format!("{{\"version\": 2, \"rules\": [{rule}]}}");
            assert!(Policy::from_bytes("p.json", None, policy.as_bytes()).is_ok(), "{rule}");
        }
        assert_eq!(vouching_rule(&["*"]), None);
        assert_eq!(vouching_rule(&[]), None);
    }

    #[test]
    fn what_vouches_fits_the_policy() {
        let listed = Some("/commands/allow");
        let [words, bash] = [&["npm", "test"][..], &["bash"]];
        for (class, words, pointer, version, expected) in [
            ("hidden", words, listed, 2, Vouching::Hidden),
            ("delegated", words, listed, 1, Vouching::Entry("npm test".to_owned())),
            ("delegated", words, Some("/network/deny_all"), 2, Vouching::Rule(vouching_rule(words).unwrap())),
            ("delegated", words, None, 1, Vouching::Nothing),
            ("delegated", bash, listed, 2, Vouching::AnyCode("bash".to_owned())),
            ("unknown", &[], listed, 2, Vouching::Unnamed),
            ("changed", words, listed, 2, Vouching::EvenIfChanged(Some("npm test".to_owned()))),
            ("changed", &[], listed, 2, Vouching::EvenIfChanged(None)),
            ("changed", words, None, 2, Vouching::Nothing),
        ] {
            assert_eq!(Vouching::new(class, words, pointer, version), expected, "{class} {words:?} {pointer:?}");
        }
    }

    #[test]
    fn an_entry_covers_the_act_and_no_more() {
        let path = |path| ProposedFor { kind: "read", path: Some(path), ..ProposedFor::default() };
        for (text, version, expected) in [
            ("x.txt", 1, Some("x.txt")),
            ("x.txt", 2, Some("/x.txt")),
            ("docs/x.md", 2, Some("docs/x.md")),
            ("/etc/x", 2, Some("//etc/x")),
            ("~/x", 2, Some("~/x")),
            ("app/[id]/x", 2, Some("app/[[]id]/x")),
            ("**", 2, None),
        ] {
            assert_eq!(path(text).entry(version).as_deref(), expected, "{text}");
        }
        let command =
            |argv: &[&'static str]| ProposedFor { kind: "execute", argv: argv.to_vec(), ..ProposedFor::default() };
        for (argv, expected) in [
            (&["cargo", "build", "--release"][..], Some("cargo build")),
            (&["grep", "entire", "x.txt"], Some("grep")),
            (&["*", "x"], None),
            (&[], None),
        ] {
            assert_eq!(command(argv).entry(2).as_deref(), expected, "{argv:?}");
        }
    }
}
