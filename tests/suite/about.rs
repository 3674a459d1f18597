//! What the program says about itself to shells and to `man`: loaded by them, not looked at.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use crate::world::{World, skipped, there};

/// The program that reads what we wrote; `None`, said loudly, where it is absent.
fn program(name: &str, otherwise: &str) -> Option<Command> {
    if !there(name) {
        skipped(&format!("{otherwise}: {name} is not there"));
        return None;
    }
    #[expect(clippy::disallowed_methods, reason = "shells and man are asked what they make of our text")]
    let mut command = Command::new(name);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    Some(command)
}

fn script(world: &World, shell: &str) -> String {
    let answer = world.run(&["completions", shell]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{shell}");
    world.write(&format!("agent-strace.{shell}"), &answer.stdout);
    format!("{}/agent-strace.{shell}", world.path().display())
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success() && stderr.is_empty(), "{}: {stderr}\n{stdout}", output.status);
    stdout
}

/// What bash offers for the last of these words.
fn bash_offers(script: &str, words: &[&str]) -> Option<Vec<String>> {
    let mut bash = program("bash", "completions of bash are not loaded")?;
    let ask = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
               line=$(complete -p agent-strace) || exit 3; [[ $line =~ ' -F '([^ ]+) ]] || exit 4; \
               \"${BASH_REMATCH[1]}\" agent-strace \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
               printf '%s\\n' \"${COMPREPLY[@]}\"";
    let asked = bash.args(["--norc", "--noprofile", "-c", ask, "bash", script, "agent-strace"]).args(words);
    Some(said(asked).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_values() {
    let world = World::empty();
    let script = script(&world, "bash");
    let cases: &[(&[&str], &[&str])] = &[
        (&["chec"], &["check"]),
        (&["check", "--for"], &["--force", "--format"]),
        (&["check", "--fail-on", "wa"], &["warning"]),
        (&["policy", "valid"], &["validate"]),
        (&["audit-tools", "--no-h"], &["--no-history"]),
        (&["audit-tools", "merge", "--form"], &["--format"]),
        (&["completions", "z"], &["zsh"]),
    ];
    for (words, wanted) in cases {
        let Some(offers) = bash_offers(&script, words) else { return };
        let offers: BTreeSet<&str> = offers.iter().map(String::as_str).collect();
        assert_eq!(offers, wanted.iter().copied().collect(), "{words:?}");
    }
}

#[test]
fn fish_completes_options() {
    let Some(mut fish) = program("fish", "completions of fish are not loaded") else { return };
    let world = World::empty();
    let script = script(&world, "fish");
    let home = world.path();
    let ask = format!("source {script}; complete --do-complete 'agent-strace check --form'");
    let offers = said(fish.env("HOME", home).args(["--no-config", "--command", &ask]));
    assert!(offers.starts_with("--format"), "{offers}");
}

#[test]
fn zsh_knows_the_command() {
    let Some(mut zsh) = program("zsh", "completions of zsh are not loaded") else { return };
    let world = World::empty();
    let script = script(&world, "zsh");
    let ask = format!(
        "autoload -Uz compinit && compinit -D -d {home}/dump; source {script}; print -r -- $_comps[agent-strace]",
        home = world.path().display()
    );
    let known = said(zsh.env("HOME", world.path()).args(["-f", "-c", &ask]));
    assert_eq!(known.trim(), "_agent-strace");
}

/// Every command of the help, with those below it, as its page is called.
fn commands(world: &World, above: &[&str], found: &mut BTreeSet<String>) {
    found.insert(["agent-strace"].iter().chain(above).copied().collect::<Vec<_>>().join("-"));
    let help = world.run(&[above, &["--help"]].concat()).stdout;
    let Some((_, rest)) = help.split_once("\nCommands:\n") else { return };
    for line in rest.lines().take_while(|line| !line.is_empty()) {
        // The name stands in the third column; what a summary needs more lines for stands further to the right.
        let Some(entry) = line.strip_prefix("  ").filter(|entry| !entry.starts_with(' ')) else { continue };
        commands(world, &[above, &[entry.split_whitespace().next().unwrap()]].concat(), found);
    }
}

/// Title, section, and a name that `apropos` finds; no page twice, none missing.
#[test]
fn every_command_has_a_page() {
    let world = World::empty();
    let answer = world.run(&["man", "--output", "pages"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let mut wanted = BTreeSet::new();
    commands(&world, &[], &mut wanted);
    assert!(wanted.contains("agent-strace-policy-test") && wanted.len() > 40, "{wanted:?}");
    let pages: BTreeSet<String> = fs::read_dir(world.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".1").expect("section 1").to_owned())
        .collect();
    assert_eq!(pages, wanted);
    let version = env!("CARGO_PKG_VERSION");
    for name in &pages {
        let page = world.read(&format!("pages/{name}.1"));
        assert!(page.contains(&format!(".TH {name} 1 \"\" \"agent-strace {version}\"")), "{page}");
        let escaped = name.replace('-', "\\-");
        assert!(page.contains(&format!(".SH NAME\n{escaped} \\- ")), "{page}");
        let words: Vec<&str> = name.split_once("agent-strace-").map_or(vec![], |(_, rest)| vec![rest]);
        assert!(words.is_empty() || page.contains(".SH \"SEE ALSO\"\n"), "{page}");
    }
    assert_eq!(world.run(&["man", "policy", "test"]).stdout, world.read("pages/agent-strace-policy-test.1"));
    assert_eq!(world.run(&["man"]).stdout, world.read("pages/agent-strace.1"));
    formatted(&world, &pages);
}

/// Neither of the two programs that format pages has anything to say about ours.
fn formatted(world: &World, pages: &BTreeSet<String>) {
    let paths: Vec<String> = pages.iter().map(|name| format!("pages/{name}.1")).collect();
    if let Some(mut mandoc) = program("mandoc", "manual pages are not read by mandoc") {
        let answer =
            mandoc.current_dir(world.path()).args(["-T", "lint", "-W", "error"]).args(&paths).output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stdout));
    }
    for path in &paths {
        let Some(mut groff) = program("groff", "manual pages are not read by groff") else { return };
        let text = said(groff.current_dir(world.path()).args(["-man", "-k", "-Tutf8", "-ww", "-P-cbou", path]));
        assert!(text.contains("\nOPTIONS\n"), "{path}\n{text}");
    }
}
