//! Skills and commands of an agent: texts for the model, in which the host runs commands before the model reads them.

use super::registry::{Entry, REGISTRY};
use super::run::{Run, texts};
use super::{Given, UNJUDGEABLE};
use crate::{About, Certainty, Kind, PathTarget, Reason};

/// Commands of one text that are run: a text with more of them is no skill that anybody wrote.
const MOST: usize = 1_000;

/// What a skill does is what its text says, if the session wrote it.
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

/// What the session wrote into the file.
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
    let found = embedded(text);
    for command in found.into_iter().take(MOST) {
        run.shell_made(&with_arguments(&command, arguments));
    }
}

/// `$ARGUMENTS` and `$1` stand for what the call gives, and `{{args}}` does.
fn with_arguments(command: &str, arguments: &str) -> String {
    if arguments.is_empty() || arguments.len() > 4096 {
        return command.to_owned();
    }
    let mut command = command.replace("$ARGUMENTS", arguments).replace("{{args}}", arguments);
    for (at, word) in arguments.split_whitespace().take(9).enumerate() {
        command = command.replace(&format!("${}", at + 1), word);
    }
    command
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
