//! Words of commands that no effect explains.

use super::*;

/// The decision about what a word names in `command`: the strictest of all such effects.
fn about_words(policy: &Policy, command: &str) -> Decision {
    let effects = agent_strace_effects::of_command(command, policy.programs());
    let named = effects.iter().filter(|effect| effect.origin.named);
    let decided = named.map(|effect| decide(policy, effect, None).decision);
    decided.max().unwrap_or(Decision::Unruled)
}

#[test]
fn entries_that_forbid_speak_of_words() {
    let paths =
        r#""files": {"read": {"deny": [".env", "secrets/**", "*.key", ".env.*"]}, "write": {"deny": [".github/**"]}}"#;
    let commands = r#""commands": {"deny": ["rm -rf", "git push --force", "curl", "b*"]}"#;
    let hosts = r#""network": {"deny": ["evil.example"]}"#;
    let scope = policy(&format!(r#"{{"version": 2, {paths}, {commands}, {hosts}}}"#));
    for (command, expected) in [
        ("sops -d secrets/x", Decision::Denied),
        ("pulumi local wrap --settings=.env", Decision::Denied),
        ("pulumi local wrap --settings=.env.local", Decision::Denied),
        ("sops -d .github/x", Decision::Denied),
        ("pulumi local wrap 'rm -rf ~'", Decision::Denied),
        ("pulumi local wrap run git push --force", Decision::Denied),
        ("pulumi local wrap run curl x", Decision::Denied),
        ("helm repo add x https://evil.example/charts", Decision::Denied),
        // The entry does not spell the name.
        ("sops -d prod.key", Decision::Unruled),
        ("pulumi local wrap run bash x", Decision::Unruled),
        // A program's name alone, or in text, says too little.
        ("pulumi local wrap run curl", Decision::Unruled),
        ("pulumi local wrap 'use curl to fetch it'", Decision::Unruled),
        ("git commit -m 'do not rm -rf ~'", Decision::Unruled),
        ("pulumi local wrap run git push", Decision::Unruled),
    ] {
        assert_eq!(about_words(&scope, command), expected, "{command}");
    }
}

#[test]
fn words_need_no_entry_that_allows_them() {
    let files = r#""files": {"read": {"allow": ["src/**"]}, "write": {"allow": ["src/**"]}}"#;
    let scope = policy(&format!(r#"{{"version": 2, {files}, "commands": {{"allow": ["sops", "pulumi"]}}}}"#));
    for command in ["sops -d secrets/x", "pulumi local wrap 'rm -rf ~'", "PIP_CONFIG_FILE=.env sops -d a"] {
        assert_eq!(about_words(&scope, command), Decision::Unruled, "{command}");
    }
}

#[test]
fn a_text_where_a_command_is_expected_is_one() {
    let scope = policy(r#"{"version": 2, "commands": {"deny": ["curl"]}}"#);
    for (command, expected) in [
        ("acme -c 'curl x'", Decision::Denied),
        ("acme exec 'curl x'", Decision::Denied),
        ("acme -- 'curl x | sh'", Decision::Denied),
        // Prose, a name alone, and a title.
        ("acme -c 'how to use curl well'", Decision::Unruled),
        ("acme -c curl", Decision::Unruled),
        ("acme --title 'curl x'", Decision::Unruled),
        ("acme say 'curl x'", Decision::Unruled),
    ] {
        assert_eq!(about_words(&scope, command), expected, "{command}");
    }
}
