//! `programs`: an entry changes what a program does, and never for the worse where it is known well.

use proptest::prelude::*;

use super::*;
use agent_strace_effects::Kind;

/// `programs` of a policy; each command with its effects besides executions.
const TOLD: &[(&str, &[(&str, &str)])] = &[
    (
        r#"{"deploy-tool dt": {"options": {"-c --config": "read", "-v": "flag", "--log": "write?"}, "operands": ["read", "write"],
            "connect": ["Deploy.example.com"]}}"#,
        &[
            ("deploy-tool a b", "read a, write b, connect deploy.example.com"),
            ("dt -c x --log=y a b", "read x, write y, read a, write b, connect deploy.example.com"),
            ("/usr/bin/deploy-tool -v --conf=x a b", "read x, read a, write b, connect deploy.example.com"),
            ("sudo dt a b", "read a, write b, connect deploy.example.com"),
            ("deploy-tool --help", ""),
            (
                "./deploy-tool a b",
                "opaque: runs a script that was not written in this session (vouched by `./deploy-tool`)",
            ),
            ("other a", "opaque: the program `other` is not known (vouched by `other`)"),
        ],
    ),
    (
        r#"{"release": {"always": ["read release.toml", "write-tree dist"], "connect": ["h.example.com"],
            "options": {"--dry-run": "harmless"},
            "subcommands": {"push up": {"operands": ["read*"], "unproven": "runs hooks"}, "log": {}},
            "otherwise": {"unproven": "is a plug-in"}}}"#,
        &[
            (
                "release up a b",
                "read a, read b, read release.toml, write dist/**, connect h.example.com, opaque: runs hooks (vouched by `release up`)",
            ),
            ("release log a", "read release.toml, write dist/**, connect h.example.com"),
            (
                "release x",
                "read release.toml, write dist/**, connect h.example.com, opaque: is a plug-in (vouched by `release x`)",
            ),
        ],
    ),
    (
        r#"{"only": {"subcommands": {"push": {}}}}"#,
        &[("only push", ""), ("only pull x", "opaque: the subcommand is not known (vouched by `only pull`)")],
    ),
    (r#"{"with": {"operands": ["value", "argv"]}}"#, &[("with 3 rm x", "delete x"), ("with 3 with 4 cat y", "read y")]),
    (
        r#"{"acme-sh ash2x": {"like": "bash"}}"#,
        &[("acme-sh -c 'rm x'", "delete x"), ("echo 'rm x' | ash2x", "delete x")],
    ),
    // Corrections of tools of projects: what is not said stays.
    (
        r#"{"black": {"options": {"--report": "write", "--line-length -l": "value"}}, "cpanm": {"operands": ["value"]}}"#,
        &[
            ("black --report r -l 9 src", "write r, write(check) src/**"),
            (
                "cpanm ./x",
                "connect registry:cpan, opaque: runs what the packages bring (vouched by `cpanm`), read(named) x, write(named) x",
            ),
        ],
    ),
    (
        r#"{"npm": {"subcommands": {"publish-docs": {"connect": ["docs.example.com"]}}}}"#,
        &[
            ("npm publish-docs", "connect docs.example.com"),
            (
                "npm install",
                "connect registry:npm, opaque: installs the packages that the lock file names (vouched by `npm install`)",
            ),
        ],
    ),
    // Additions to what is known well.
    (
        r#"{"rm": {"options": {"--log": "write"}}, "git": {"subcommands": {"send-mail": {"connect": ["mail.example.com"]}}},
            "sed": {"options": {"--trace": "write"}}, "sudo": {"connect": ["audit.example.com"]}}"#,
        &[
            ("rm -rf x", "delete x/**"),
            ("rm --log y x", "delete y, delete x, write y"),
            ("sed --trace=y p x", "read x, write y"),
            ("sudo rm x", "delete x, connect audit.example.com"),
        ],
    ),
];

#[test]
fn entries_change_effects() {
    let mut wrong = Vec::new();
    for (programs, commands) in TOLD {
        let policy = policy(&format!("{{\"programs\": {programs}}}"));
        for (command, expected) in *commands {
            let effects = agent_strace_effects::of_command(command, policy.programs());
            let found: Vec<String> = effects
                .iter()
                .filter(|effect| !matches!(effect.kind, Kind::Execute(_)))
                .map(ToString::to_string)
                .collect();
            if found.join(", ") != *expected {
                wrong.push(format!("{command}\n  expected {expected}\n  found    {}", found.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands of programs that every system has.
const SYSTEM: &[&str] = &[
    "rm -rf x",
    "bash -c 'rm x'",
    "sudo rm x",
    "git push -f",
    "sed -i s/a/b/ x",
    "env rm x",
    "curl h.example.com",
    "find . -delete",
];

/// Whatever a policy that is accepted says about a program of the system: no effect is lost.
#[test]
fn nothing_makes_a_program_of_the_system_harmless() {
    let entries = [
        r#"{"operands": ["value*"]}"#,
        r#"{"operands": ["list"]}"#,
        r#"{"options": {"-rf -c -i -f": "flag"}}"#,
        r#"{"options": {"-c -i -f": "list"}}"#,
        r#"{"options": {"-rf": "harmless"}}"#,
        r#"{"like": "true"}"#,
        "{}",
        r#"{"stops": true}"#,
        r#"{"subcommands": {"push rm": {}}}"#,
        r#"{"subcommands": {"push": {"operands": ["read"]}}}"#,
        r#"{"otherwise": {}}"#,
        r#"{"connect": []}"#,
        r#"{"connect": ["h"]}"#,
    ];
    let before = policy("{}");
    let mut accepted = 0;
    for command in SYSTEM {
        let program = command.split(' ').next().unwrap();
        for entry in entries {
            let text = format!("{{\"programs\": {{\"{program}\": {entry}}}}}");
            let Ok(told) = Policy::from_bytes("scope.json", None, text.as_bytes()) else { continue };
            accepted += 1;
            let kept = agent_strace_effects::of_command(command, told.programs());
            for effect in agent_strace_effects::of_command(command, before.programs()) {
                assert!(kept.contains(&effect), "{text}: `{command}` lost `{effect}`");
            }
        }
    }
    assert!(accepted > 10, "too few entries are accepted to prove anything: {accepted}");
}

/// Words of the shell have no entries, and entries would be of no use to them.
#[test]
fn what_the_shell_does_itself_has_no_entry() {
    for name in ["cd", "eval", "export", ".", "unalias", "if", "time"] {
        let faults =
            Policy::from_bytes("s", None, format!("{{\"programs\": {{\"{name}\": {{}}}}}}").as_bytes()).unwrap_err();
        assert!(faults.to_string().contains("is part of the shell"), "{faults}");
    }
}

#[test]
fn programs_are_bounded() {
    let many = |count: usize, entry: &dyn Fn(usize) -> String| {
        let entries: Vec<String> = (0..count).map(entry).collect();
        let text = format!("{{\"programs\": {{{}}}}}", entries.join(","));
        Policy::from_bytes("s", None, text.as_bytes())
    };
    assert!(many(1_000, &|at| format!("\"p{at}\": {{}}")).is_ok());
    assert!(many(1_001, &|at| format!("\"p{at}\": {{}}")).unwrap_err().to_string().contains("more than 1000 programs"));
    let options = |count: usize| {
        let options: Vec<String> = (0..count).map(|at| format!("\"--o{at}\": \"read\"")).collect();
        many(1, &|_| format!("\"p\": {{\"options\": {{{}}}}}", options.join(",")))
    };
    assert!(options(200).is_ok());
    assert!(options(201).unwrap_err().to_string().contains("is one too many"));
    let examples = |count: usize| {
        let examples: Vec<String> = (0..count).map(|at| format!("\"p {at}\": []")).collect();
        many(1, &|_| format!("\"p\": {{\"examples\": {{{}}}}}", examples.join(",")))
    };
    assert!(examples(1_000).is_ok());
    assert!(examples(1_001).unwrap_err().to_string().contains("more than 1000 examples"));
}

/// Entries put together at random from words that mean something here.
fn any_entry() -> impl Strategy<Value = serde_json::Value> {
    const KEYS: &[&str] = &[
        "like",
        "options",
        "operands",
        "stops",
        "words",
        "always",
        "connect",
        "unproven",
        "subcommands",
        "otherwise",
        "examples",
    ];
    const TEXTS: &[&str] = &[
        "rm",
        "-r",
        "-rf",
        "-c",
        "-f --force",
        "push",
        "read",
        "write*",
        "value*",
        "value",
        "flag",
        "harmless",
        "argv",
        "tree",
        "in-place",
        "list",
        "command",
        "read x",
        "registry:npm",
        "h.example.com",
        "rm x",
        "true",
    ];
    let text = || proptest::sample::select(TEXTS);
    let leaf = prop_oneof![
        text().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        proptest::collection::vec(text(), 0..3).prop_map(serde_json::Value::from),
        proptest::collection::btree_map(text().prop_map(str::to_owned), text(), 0..3)
            .prop_map(|map| serde_json::json!(map)),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::btree_map(
                proptest::sample::select(KEYS).prop_map(str::to_owned),
                inner.clone(),
                0..4
            ),
            proptest::collection::btree_map(text().prop_map(str::to_owned), inner, 0..3),
        ]
        .prop_map(|map| serde_json::json!(map))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// No entry, however it is put together, makes a program of the system do less than it does.
    #[test]
    fn no_entry_takes_an_effect_away(entry in any_entry(), at in 0..SYSTEM.len()) {
        let command = SYSTEM[at];
        let program = command.split(' ').next().unwrap();
        let text = serde_json::json!({"programs": {program: entry}}).to_string();
        if let Ok(told) = Policy::from_bytes("scope.json", None, text.as_bytes()) {
            let kept = agent_strace_effects::of_command(command, told.programs());
            for effect in agent_strace_effects::of_command(command, policy("{}").programs()) {
                prop_assert!(kept.contains(&effect), "{text}: `{command}` lost `{effect}`");
            }
        }
    }

    /// Any entry of a program that nobody knows is read or refused, and what is read is followed.
    #[test]
    fn any_entry_is_read_or_refused(entry in any_entry()) {
        let text = serde_json::json!({"programs": {"acme": entry}}).to_string();
        match Policy::from_bytes("scope.json", None, text.as_bytes()) {
            Ok(told) => prop_assert!(!agent_strace_effects::of_command("acme -rf push x", told.programs()).is_empty()),
            Err(faults) => prop_assert!(!faults.fancy(Colour::Never, 80).is_empty()),
        }
    }
}
