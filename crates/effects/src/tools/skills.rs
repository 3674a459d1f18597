//! Skills and commands of an agent: texts for the model, in which the host runs commands before the model reads them.

use super::registry::{Entry, REGISTRY};
use super::run::{Access, Run, texts};
use super::{Given, UNJUDGEABLE};
use crate::{About, Certainty, Kind, PathTarget, Reach, Reason, command};

/// The most commands that a skill's text may run, and the most files that it may name. The gate does not judge longer ones.
const MOST: usize = 1_000;

/// Runs the commands of a skill that the session wrote.
pub(super) fn call(run: &mut Run<'_>, tool: &str, entry: &Entry, given: &Given) {
    run.emit(Kind::Tool { server: None, tool: tool.to_owned() }, Certainty::Exact);
    let Some(object) = given.object() else { return };
    let found = texts(object, entry, "skill");
    if found.malformed {
        run.opaque(About::Commands, UNJUDGEABLE);
    }
    let arguments = texts(object, entry, "arguments").texts.join(" ");
    for text in found.texts {
        let (name, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        if command::is_settings_command(name) {
            // The agent's own command of this name changes what the agent may do.
            run.path(Access::Write, ".claude/settings.json", Reach::Itself);
        }
        let name = name.trim_start_matches('/');
        if !name.is_empty() && name.len() <= 255 {
            named(run, name, format!("{} {arguments}", rest.trim()).trim());
        }
    }
}

fn named(run: &mut Run<'_>, name: &str, arguments: &str) {
    // `plugin:skill` is the plugin's, `folder:command` lies in the folder.
    let last = name.rsplit(':').next().unwrap_or(name);
    let mut names = vec![name.replace(':', "/")];
    if last != name {
        names.push(last.to_owned());
    }
    for template in &REGISTRY.vocabulary.skill_files {
        for name in &names {
            let (target, certainty) = run.world.locate(&template.replace('*', name), Certainty::Exact);
            if certainty == Certainty::Exact {
                written(run, &target, arguments);
            }
        }
    }
}

/// Runs the commands in a file that the session wrote.
fn written(run: &mut Run<'_>, target: &PathTarget, arguments: &str) {
    let Some(whole) = run.world.written(target).map(|whole| whole.map(str::to_owned)) else { return };
    let before = run.effects.len();
    if whole.is_none() {
        run.opaque(About::Anything, Reason::SkillContentUnknown);
    }
    let texts = match whole {
        Some(text) => vec![text],
        None => run.world.parts(target).to_vec(),
    };
    for text in &texts {
        commands(run, text, arguments);
    }
    let via = format!("script {}", target.shown());
    for effect in run.effects.to_mut().iter_mut().skip(before) {
        effect.via = via.clone().into();
    }
}

fn commands(run: &mut Run<'_>, text: &str, arguments: &str) {
    let mut found = embedded(text);
    found.extend(hooks(text));
    let filled = with_arguments(text, arguments);
    let mut files = references(&filled);
    for file in files.by_ref().take(MOST) {
        run.located(Access::Read, file, Reach::Itself, Certainty::Possible);
    }
    if found.len() > MOST || files.next().is_some() {
        run.opaque(About::Anything, Reason::TooManyItems);
    }
    for command in found.into_iter().take(MOST) {
        run.shell_made(&with_arguments(&command, arguments));
    }
}

/// `$ARGUMENTS`, `{{args}}` and `$1` stand for what the call gives. The result is a command, so it has an end: past that,
/// the names stay, and the shell knows no value for them.
fn with_arguments(command: &str, arguments: &str) -> String {
    const LONGEST: usize = 64 * 1024;
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let mut filled = String::new();
    let mut rest = command;
    while let Some(at) = rest.find(['$', '{']).filter(|_| !arguments.is_empty()) {
        let (before, name) = rest.split_at_checked(at).unwrap_or((rest, ""));
        filled.push_str(before);
        let whole = ["$ARGUMENTS", "{{args}}"].iter().find_map(|whole| name.strip_prefix(whole));
        let number = name.get(1..2).and_then(|digit| digit.parse::<usize>().ok()).filter(|_| name.starts_with('$'));
        let (value, behind) = match (whole, number.and_then(|number| number.checked_sub(1))) {
            (Some(behind), _) => (arguments, behind),
            (None, Some(at)) if at < words.len() => {
                (words.get(at).copied().unwrap_or_default(), name.get(2..).unwrap_or_default())
            }
            _ => name.split_at_checked(1).unwrap_or((name, "")),
        };
        filled.push_str(value);
        rest = behind;
        if filled.len() > LONGEST {
            return command.to_owned();
        }
    }
    filled.push_str(rest);
    filled
}

/// `@src/a.rs`: the host puts what the file holds in its place.
fn references(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '`' | '"' | '\'' | ','));
    let files =
        words.filter_map(|word| word.strip_prefix('@')).map(|file| file.trim_end_matches(['.', ':', ';', '!', '?']));
    files.filter(|file| file.contains(['.', '/']))
}

/// Commands that the front matter wants to run as hooks.
fn hooks(text: &str) -> Vec<String> {
    let Some((front, _)) = text.trim_start().strip_prefix("---").and_then(|text| text.split_once("\n---")) else {
        return Vec::new();
    };
    if !front.lines().any(|line| line.starts_with("hooks:")) {
        return Vec::new();
    }
    let lines = front.lines().map(|line| line.trim_start().trim_start_matches("- "));
    let commands = lines.filter_map(|line| line.strip_prefix("command:"));
    commands.map(|command| command.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// The commands in a text: `` !`…` ``, blocks that begin with ```` ```! ````, and `!{…}`.
fn embedded(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        match &mut block {
            Some(lines) if trimmed.starts_with("```") => {
                found.push(std::mem::take(lines));
                block = None;
            }
            Some(lines) => {
                lines.push_str(line);
                lines.push('\n');
            }
            None if trimmed.starts_with("```!") => block = Some(String::new()),
            None => {}
        }
    }
    found.extend(block);
    let mut rest = text;
    while let Some(at) = rest.find("!`") {
        rest = rest.get(at + 2..).unwrap_or_default();
        let Some((command, behind)) = rest.split_once('`') else { break };
        found.push(command.to_owned());
        rest = behind;
    }
    rest = text;
    while let Some(at) = rest.find("!{") {
        rest = rest.get(at + 2..).unwrap_or_default();
        let Some(end) = closing(rest) else { break };
        found.extend(rest.get(..end).map(str::to_owned));
        rest = rest.get(end..).unwrap_or_default();
    }
    found
}

/// Where the brace closes that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::with_arguments;

    #[test]
    fn arguments_are_filled_in_once() {
        assert_eq!(with_arguments("rm $1 $2 $9 {{args}}", "a b"), "rm a b $9 a b");
        assert_eq!(with_arguments("cat $ARGUMENTS ${x} é$1", "$1"), "cat $1 ${x} é$1");
        assert_eq!(with_arguments("rm $1", ""), "rm $1");
        let long = "$1".repeat(100_000);
        assert_eq!(with_arguments(&long, &"$2".repeat(1000)), long);
    }
}
