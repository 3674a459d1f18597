//! The effects that the gate reports for a text, and whether they cover the observed acts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ignored::in_template;
use super::jail::Jail;
use super::line::absolute;
use super::trace::{Act, ObservedAct};
use crate::world::in_process;

/// The effects that the gate reported for one text.
pub(super) struct ReportedEffects {
    effects: Vec<Effect>,
    pub(super) opaque: bool,
}

struct Effect {
    kind: String,
    target: Option<String>,
    certainty: String,
}

/// How sure a claim was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    Nothing,
    Possible,
    Pattern,
    Exact,
}

/// Names that `mktemp` makes up are shown as their templates.
fn made_up(target: &str) -> String {
    let mut shown = target.to_owned();
    while let Some(start) = shown.find("XXXXXX") {
        let length = shown[start..].chars().take_while(|letter| *letter == 'X').count();
        shown.replace_range(start..start + length, "*");
    }
    shown
}

impl ReportedEffects {
    /// Asks for the effects of `text` in `directory`.
    pub(super) fn of(text: &str, directory: &str) -> Self {
        let answer = in_process(&["effects", "--command", text, "--cwd", directory, "--format", "json"]);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("no report for `{text}`"));
        let all = report["sessions"][0]["events"][0]["effects"].as_array().cloned().unwrap_or_default();
        let effects: Vec<Effect> = all
            .iter()
            .map(|effect| Effect {
                kind: effect["kind"].as_str().unwrap().to_owned(),
                target: target(effect),
                certainty: effect["certainty"].as_str().unwrap_or_default().to_owned(),
            })
            .collect();
        let opaque = effects.iter().any(|effect| effect.kind == "opaque");
        Self { effects, opaque }
    }

    /// Whether an effect covers `observed`.
    pub(super) fn covers(&self, observed: &ObservedAct, around: &Surroundings<'_>) -> bool {
        match observed.act {
            Act::Connect => self.connects(&observed.target, around.names),
            Act::Execute => self.executes(&observed.target),
            act => {
                let through_known = around.links.iter().any(|link| below(&observed.target, link));
                let real = observed.real.as_ref().filter(|_| !through_known);
                self.touches(act, &observed.target, around) && real.is_none_or(|real| self.touches(act, real, around))
            }
        }
    }

    fn touches(&self, act: Act, path: &str, around: &Surroundings<'_>) -> bool {
        let forms = around.forms(path);
        // What was there before and is there again was written; so was what was never there before.
        let replaced = around.jail.exists(path) || !around.was_there(path);
        self.effects.iter().any(|effect| {
            let Some(target) = &effect.target else { return false };
            forms.iter().any(|form| {
                let same = target == form || matches(&made_up(target), form);
                match (act, effect.kind.as_str()) {
                    (Act::Read, "read") | (Act::Write, "write") | (Act::Delete, "delete") => same,
                    (Act::Delete, "write") => target == form || same && replaced,
                    // What is emptied was looked into; what runs is read.
                    (Act::Read, "delete") => target.strip_suffix("/**") == Some(form),
                    (Act::Read, "execute") => around.resolved(target) == path,
                    _ => false,
                }
            })
        }) || act == Act::Write && self.makes_way(path, around)
    }

    /// A directory that is made on the way to a file that is written.
    fn makes_way(&self, path: &str, around: &Surroundings<'_>) -> bool {
        let made = around.jail.host_path(path).is_dir() && !around.was_there(path);
        let forms = around.forms(path);
        let writes = || self.effects.iter().filter(|effect| effect.kind == "write");
        made && writes()
            .filter_map(|effect| effect.target.as_ref())
            .any(|target| forms.iter().any(|form| below(target, form)))
    }

    fn connects(&self, address: &str, names: &BTreeMap<String, String>) -> bool {
        // A remote as the repository is configured: the report names no host.
        let is_remote = |target: &String| target.starts_with("remote:");
        if self.effects.iter().any(|effect| effect.kind == "connect" && effect.target.as_ref().is_some_and(is_remote)) {
            return true;
        }
        let name = address.strip_prefix("name:").or_else(|| names.get(address).map(String::as_str)).unwrap_or(address);
        if name == "remote"
            && self
                .effects
                .iter()
                .any(|effect| effect.target.as_deref().is_some_and(|target| target.starts_with("/srv/remote.git")))
        {
            return true;
        }
        let local = address.starts_with("127.0.0.") || address == "::1";
        self.effects.iter().filter(|effect| effect.kind == "connect").any(|effect| match &effect.target {
            None => true,
            Some(host) => {
                host == name || matches(host, name) || host.starts_with("registry:") || local && is_local(host)
            }
        })
    }

    fn executes(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.effects.iter().filter(|effect| effect.kind == "execute").any(|effect| {
            let program = effect.target.as_deref().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or(program);
            program == name || is_version(name, program)
        })
    }

    /// The strongest claim that something was written or deleted.
    pub(super) fn claims_writing(&self) -> Claim {
        let writes = self.effects.iter().filter(|effect| effect.kind == "write" || effect.kind == "delete");
        let sure = writes.map(|effect| match effect.certainty.as_str() {
            "exact" => Claim::Exact,
            "pattern" => Claim::Pattern,
            _ => Claim::Possible,
        });
        sure.max().unwrap_or(Claim::Nothing)
    }

    /// Files that are expected to be there, as absolute paths.
    pub(super) fn wanted(&self, jail: &Jail) -> Vec<String> {
        let wanted = self
            .effects
            .iter()
            .filter(|effect| matches!(effect.kind.as_str(), "read" | "list") && effect.certainty == "exact");
        let paths = wanted.filter_map(|effect| effect.target.as_deref());
        let absolute = paths.map(|path| match (path.strip_prefix("~/"), path.starts_with('/')) {
            (Some(below), _) => format!("{}/{below}", jail.home()),
            (None, true) => path.to_owned(),
            (None, false) => format!("{}/{path}", jail.directory()),
        });
        absolute.filter(|path| !path.contains('*') && !path.ends_with('/')).collect()
    }
}

fn target(effect: &Value) -> Option<String> {
    let value = match effect["kind"].as_str()? {
        "execute" => &effect["argv"][0],
        "connect" => &effect["host"],
        _ => &effect["path"],
    };
    Some(value.as_str()?.to_owned())
}

/// What a text ran among.
pub(super) struct Surroundings<'a> {
    pub(super) jail: &'a Jail,
    pub(super) template: &'a Jail,
    /// The hosts behind addresses.
    pub(super) names: &'a BTreeMap<String, String>,
    /// Symlinks that were there before: nobody told the gate where they lead.
    pub(super) links: &'a [String],
}

impl Surroundings<'_> {
    /// How reports name a file.
    fn forms(&self, path: &str) -> Vec<String> {
        let (directory, home) = (self.jail.directory(), self.jail.home());
        let mut paths = vec![path.to_owned()];
        // A process that went through a link knows only where it is.
        paths.extend(path.strip_prefix(&format!("{directory}/src")).map(|rest| format!("{directory}/linked{rest}")));
        let mut forms = paths.clone();
        for path in paths {
            match path.strip_prefix(directory) {
                Some("") => forms.push(".".to_owned()),
                Some(below) => forms.extend(below.strip_prefix('/').map(str::to_owned)),
                None => {}
            }
            forms.extend(path.strip_prefix(home).map(|rest| format!("~{rest}")));
            forms.extend(path.strip_prefix(home).map(|rest| format!("~agent{rest}")));
        }
        forms
    }

    fn was_there(&self, path: &str) -> bool {
        self.template.exists(&in_template(path, self.jail))
    }

    fn resolved(&self, program: &str) -> String {
        absolute(self.jail.directory(), program)
    }
}

fn below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host == "::1" || host.starts_with("127.") || host == "0.0.0.0"
}

/// `python3` runs `python3.11`: the name that a link leads to.
fn is_version(name: &str, program: &str) -> bool {
    name.strip_prefix(program).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-'))
}

/// The pattern dialect of reports: `*` within a component, `**` across, `?`, `[…]`; a subtree covers its directory.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (pattern_text, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    fits(&pattern_text, &text) || pattern_text.strip_suffix(&['/', '*', '*']).is_some_and(|itself| fits(itself, &text))
}

fn fits(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', '*', '/', rest @ ..] if fits(rest, text) => true,
        ['*', '*', rest @ ..] => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        ['*', rest @ ..] => {
            let end = text.iter().position(|character| *character == '/').unwrap_or(text.len());
            (0..=end).any(|at| fits(rest, &text[at..]))
        }
        ['?', rest @ ..] => text.first().is_some_and(|character| *character != '/') && fits(rest, &text[1..]),
        ['[', rest @ ..] => {
            let Some(end) = rest.iter().skip(1).position(|character| *character == ']') else { return false };
            let class = &rest[..=end];
            text.first().is_some_and(|character| class_holds(class, *character)) && fits(&rest[end + 2..], &text[1..])
        }
        [literal, rest @ ..] => text.first() == Some(literal) && fits(rest, &text[1..]),
    }
}

fn class_holds(class: &[char], character: char) -> bool {
    let (negated, class) = match class {
        ['!' | '^', rest @ ..] if !rest.is_empty() => (true, rest),
        class => (false, class),
    };
    let ranged = class.windows(3).any(|range| range[1] == '-' && (range[0]..=range[2]).contains(&character));
    (ranged || class.contains(&character)) != negated
}
