//! Terminals in terminals: `tmux`, `screen` and their kin start commands, and type into others.

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Keys that type no text, and that end no line which the session typed: a terminal's own keys.
const KEYS: &[&str] = &[
    "Tab", "BTab", "Escape", "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "PPage", "NPage",
    "BSpace", "DC", "IC", "C-c", "C-l", "C-z", "C-u", "C-a", "C-e", "C-k", "C-w", "^C", "^L", "^U",
];

impl Machine<'_> {
    /// `tmux COMMAND [';' COMMAND]…`: each command behind a `;` is one of its own.
    pub(super) fn tmux(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        if call.name != "tmux" {
            return self.session_command(call, io);
        }
        let mut commands = commands(call.rest).into_iter();
        let output = self.session_command(Call { rest: &commands.next().unwrap_or_default(), ..call }, io);
        for (program, command) in call.words.first().into_iter().cycle().zip(commands) {
            let words: Vec<Arg> = std::iter::once(program.clone()).chain(command).collect();
            self.command(&words, io);
        }
        output
    }

    fn session_command(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let program = call.words.first().map_or("tmux", |word| word.text.as_str());
        for format in call.rest.iter().filter(|word| word.text.contains("#(")) {
            self.embedded_commands(format, "#(", io);
        }
        let sub = call.rest.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
        let listing = matches!(
            sub,
            "ls" | "list-sessions"
                | "list-windows"
                | "list-panes"
                | "capture-pane"
                | "has-session"
                | "kill-session"
                | "kill-server"
                | "kill-window"
                | "kill-pane"
                | "display-message"
                | "show-options"
                | "wait-for"
                | "info"
                | "select-pane"
                | "select-window"
                | "rename-window"
                | "resize-pane"
        );
        if listing {
            return Stream::Unknown;
        }
        if matches!(sub, "send-keys" | "send") {
            if presses_keys_only(call.rest) {
                return Stream::nothing();
            }
            let mut targeted = false;
            for word in call.rest.iter().skip(1) {
                if !std::mem::replace(&mut targeted, word.text == "-t") && word.text.contains(' ') {
                    self.command_text(word, io);
                }
            }
            self.opaque(About::Anything, Reason::KeysTyped, &[program, sub]);
            return Stream::nothing();
        }
        if let Some(last) = call.rest.last().filter(|word| word.text.contains(' ')) {
            self.command_text(last, io);
        }
        self.opaque(About::Anything, Reason::AnotherSession, &[program, sub]);
        // `screen -dm COMMAND`, `dtach -n SOCKET COMMAND`: the command starts at one of the operands.
        let is_name = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| call.rest.get(at));
            before.is_some_and(|word| names_of(call.name).contains(&word.text.as_str()))
        };
        let operands = call.rest.iter().enumerate().filter(|(at, word)| !word.text.starts_with('-') && !is_name(*at));
        let operands = operands.take(3);
        for (at, _) in operands {
            self.guess_argv(call.rest.get(at..).unwrap_or_default());
        }
        Stream::nothing()
    }
}

/// The options that give a session or a window its name.
fn names_of(program: &str) -> &'static [&'static str] {
    match program {
        "tmux" => &["-n", "-s", "-t"],
        "screen" => &["-S", "-p", "-t"],
        _ => &[],
    }
}

/// The commands of a line. A `;` is a word, or the end of one.
fn commands(words: &[Arg]) -> Vec<Vec<Arg>> {
    let (mut all, mut own) = (Vec::new(), Vec::new());
    for word in words {
        let ended = word.text.strip_suffix(';').filter(|text| !text.ends_with('\\'));
        own.extend(
            Some(ended.map_or_else(|| word.clone(), |text| word.with(text))).filter(|word| !word.text.is_empty()),
        );
        if ended.is_some() {
            all.push(std::mem::take(&mut own));
        }
    }
    all.push(own);
    all.retain(|command| !command.is_empty());
    all
}

/// `tmux send-keys -t PANE Tab`: no text is typed.
fn presses_keys_only(words: &[Arg]) -> bool {
    let mut words = words.iter().skip(1);
    let mut keys = 0;
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-t") if words.next().is_some_and(Arg::is_exact) => {}
            Some(key) if KEYS.contains(&key) => keys += 1,
            _ => return false,
        }
    }
    keys > 0
}
