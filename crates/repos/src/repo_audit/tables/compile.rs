//! Tables as they are compared: globs in one set, needles in one search, names in maps.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::Regex;

use super::{Ecosystem, Form, Role, Signal, Tool};

/// The index of a signal: that of its tool, and its own within.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SignalId {
    pub tool: usize,
    pub signal: usize,
}

/// Patterns over paths or names, with the signals they are of.
#[derive(Debug)]
pub struct Globs {
    set: GlobSet,
    of: Vec<SignalId>,
}

/// A pattern over text.
#[derive(Debug)]
pub enum Pattern {
    Trailer { key: Regex, value: Regex },
    Identity { email: Option<Regex>, name: Option<Regex>, role: Option<Role> },
    Line(Regex),
}

/// Patterns over text behind one search for their needles.
#[derive(Debug)]
pub struct Texts {
    needles: AhoCorasick,
    /// By the index of their needles.
    of: Vec<(SignalId, Pattern)>,
}

/// A key or value of configuration files.
#[derive(Debug)]
pub struct Setting {
    pub of: SignalId,
    pub key: Regex,
    pub value: Option<Regex>,
}

type SignalsByName = BTreeMap<String, Vec<SignalId>>;

/// All tools, ready to be compared with a repository.
#[derive(Debug)]
pub struct Tables {
    tools: Vec<Tool>,
    pub files: Globs,
    /// The globs of files with settings, each with those.
    pub(crate) setting_files: Globs,
    pub settings: Vec<Setting>,
    pub packages: BTreeMap<Ecosystem, SignalsByName>,
    pub extensions: SignalsByName,
    pub features: SignalsByName,
    pub actions: SignalsByName,
    /// By the program, with all words.
    pub commands: BTreeMap<String, Vec<(Vec<String>, SignalId)>>,
    pub commits: Texts,
    pub branches: Globs,
    pub references: Globs,
    pub ignored: Texts,
    /// Folded name → tool.
    names: BTreeMap<String, usize>,
}

impl Tables {
    pub(super) fn new(files: &[(&str, &str)]) -> Result<Self, String> {
        let mut tools = Vec::new();
        for (id, text) in files {
            let tool: Tool = serde_json::from_str(text).map_err(|error| format!("the table `{id}`: {error}"))?;
            if tool.id != *id {
                return Err(format!("the table `{id}` calls itself `{}`", tool.id));
            }
            tools.push(tool);
        }
        let names = names(&tools)?;
        Builder::default().with_all(&tools)?.finish(tools, names)
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool that somebody calls by its id, its name or an alias.
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.names.get(&folded(name)).and_then(|at| self.tools.get(*at))
    }

    /// Names that an approval may use.
    pub fn ids(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.id.as_str()).collect()
    }

    pub fn signal(&self, id: SignalId) -> Option<(&Tool, &Signal)> {
        let tool = self.tools.get(id.tool)?;
        Some((tool, tool.signals.get(id.signal)?))
    }
}

/// A name without case, blanks and marks: `GitHub Copilot`, `github-copilot` and `github_copilot` are the same.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn names(tools: &[Tool]) -> Result<BTreeMap<String, usize>, String> {
    let mut names = BTreeMap::new();
    for (at, tool) in tools.iter().enumerate() {
        let own = [&tool.id, &tool.name].into_iter().chain(&tool.aliases);
        for name in own {
            if names.insert(folded(name), at).is_some_and(|other| other != at) {
                return Err(format!("`{name}` is a name of two tools"));
            }
        }
    }
    Ok(names)
}

impl Globs {
    fn new(globs: &[(String, SignalId)]) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for (glob, _) in globs {
            let compiled = GlobBuilder::new(glob).literal_separator(true).empty_alternates(true).build();
            set.add(compiled.map_err(|error| format!("the glob `{glob}`: {error}"))?);
        }
        let set = set.build().map_err(|error| format!("globs of tools: {error}"))?;
        Ok(Self { set, of: globs.iter().map(|(_, of)| *of).collect() })
    }

    /// The signals that a path or a name is. `locations`: kept between calls, so that nothing is allocated for the many
    /// that are none.
    pub fn matching(&self, path: &str, locations: &mut Vec<usize>) -> impl Iterator<Item = SignalId> {
        self.set.matches_into(path, locations);
        locations.iter().filter_map(|at| self.of.get(*at).copied())
    }

    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

impl Texts {
    fn new(texts: Vec<(String, SignalId, Pattern)>) -> Result<Self, String> {
        let needles = texts.iter().map(|(needle, _, _)| needle);
        let built =
            AhoCorasickBuilder::new().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(needles);
        let needles = built.map_err(|error| format!("needles of tools: {error}"))?;
        Ok(Self { needles, of: texts.into_iter().map(|(_, of, pattern)| (of, pattern)).collect() })
    }

    /// Patterns whose needle stands in a text, in their order, each once. `found`: kept between calls.
    pub fn candidates<'t>(
        &'t self,
        text: &[u8],
        found: &'t mut Vec<usize>,
    ) -> impl Iterator<Item = &'t (SignalId, Pattern)> {
        found.clear();
        found.extend(self.needles.find_overlapping_iter(text).map(|hit| hit.pattern().as_usize()));
        found.sort_unstable();
        found.dedup();
        found.iter().filter_map(|at| self.of.get(*at))
    }
}

#[derive(Default)]
struct Builder {
    files: Vec<(String, SignalId)>,
    setting_files: Vec<(String, SignalId)>,
    settings: Vec<Setting>,
    packages: BTreeMap<Ecosystem, SignalsByName>,
    extensions: SignalsByName,
    features: SignalsByName,
    actions: SignalsByName,
    commands: BTreeMap<String, Vec<(Vec<String>, SignalId)>>,
    commits: Vec<(String, SignalId, Pattern)>,
    branches: Vec<(String, SignalId)>,
    references: Vec<(String, SignalId)>,
    ignored: Vec<(String, SignalId, Pattern)>,
}

impl Builder {
    fn with_all(mut self, tools: &[Tool]) -> Result<Self, String> {
        for (tool, table) in tools.iter().enumerate() {
            for (signal, described) in table.signals.iter().enumerate() {
                self.add(SignalId { tool, signal }, &described.form).map_err(|why| format!("`{}`: {why}", table.id))?;
            }
        }
        Ok(self)
    }

    fn add(&mut self, id: SignalId, form: &Form) -> Result<(), String> {
        match form {
            Form::File { glob } => self.files.push((glob.clone(), id)),
            Form::Setting { r#in, key, value } => {
                self.setting_files.push((r#in.clone(), id));
                let value = value.as_deref().map(compiled).transpose()?;
                self.settings.push(Setting { of: id, key: compiled(key)?, value });
            }
            Form::Package { ecosystem, name } => {
                let names = self.packages.entry(*ecosystem).or_default();
                names.entry(name.to_ascii_lowercase()).or_default().push(id);
            }
            Form::Extension { name } => self.extensions.entry(name.to_ascii_lowercase()).or_default().push(id),
            Form::Feature { name } => self.features.entry(name.to_ascii_lowercase()).or_default().push(id),
            Form::Action { name } => self.actions.entry(name.to_ascii_lowercase()).or_default().push(id),
            Form::Command { words } => {
                let program = words.first().ok_or("a command without words")?;
                self.commands.entry(program.clone()).or_default().push((words.clone(), id));
            }
            Form::Branch { glob } => self.branches.push((glob.clone(), id)),
            Form::Ref { glob } => self.references.push((glob.clone(), id)),
            Form::Trailer { .. } | Form::Identity { .. } | Form::Message { .. } | Form::Ignored { .. } => {
                self.add_text(id, form)?;
            }
        }
        Ok(())
    }

    fn add_text(&mut self, id: SignalId, form: &Form) -> Result<(), String> {
        let (list, needle, pattern) = match form {
            Form::Trailer { key, value, needle } => {
                let key = compiled(&format!("(?i)^(?:{key})$"))?;
                let pattern = Pattern::Trailer { key, value: compiled(value)? };
                (&mut self.commits, needle, pattern)
            }
            Form::Identity { email, name, needle, role } => {
                let email = email.as_deref().map(compiled).transpose()?;
                let name = name.as_deref().map(compiled).transpose()?;
                if email.is_none() && name.is_none() {
                    return Err("an identity needs a name or an e-mail".to_owned());
                }
                (&mut self.commits, needle, Pattern::Identity { email, name, role: *role })
            }
            Form::Message { pattern, needle } => (&mut self.commits, needle, Pattern::Line(compiled(pattern)?)),
            Form::Ignored { pattern, needle } => (&mut self.ignored, needle, Pattern::Line(compiled(pattern)?)),
            _ => return Ok(()),
        };
        list.push((needle.clone(), id, pattern));
        Ok(())
    }

    fn finish(self, tools: Vec<Tool>, names: BTreeMap<String, usize>) -> Result<Tables, String> {
        Ok(Tables {
            files: Globs::new(&self.files)?,
            setting_files: Globs::new(&self.setting_files)?,
            settings: self.settings,
            packages: self.packages,
            extensions: self.extensions,
            features: self.features,
            actions: self.actions,
            commands: self.commands,
            commits: Texts::new(self.commits)?,
            branches: Globs::new(&self.branches)?,
            references: Globs::new(&self.references)?,
            ignored: Texts::new(self.ignored)?,
            tools,
            names,
        })
    }
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|_| format!("the pattern `{pattern}` is no regular expression"))
}
