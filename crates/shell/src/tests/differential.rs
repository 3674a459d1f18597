//! Two parsers, one truth: what an independent parser sees as a command, ours must see, or admit a problem.

#![allow(clippy::print_stderr, reason = "what is skipped or found is said aloud")]

use std::collections::BTreeMap;

use agent_strace_testing::corpus::commands as corpus_commands;
use proptest::prelude::*;

use super::super::*;

/// Program names of the text's own commands (not of substitutions, which the other parser keeps as text).
fn rable_heads(text: &str) -> Option<Vec<String>> {
    let nodes = rable::parse(text, true).ok()?;
    let printed = nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let heads =
        printed.split("(command (word \"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(head, _)| head);
    let plain = |head: &&str| head.chars().all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c)) && !head.is_empty();
    Some(heads.filter(plain).map(str::to_owned).collect())
}

fn our_heads(script: &Script) -> Vec<String> {
    let mut heads = Vec::new();
    script.nodes.iter().for_each(|node| visit(node, &mut heads));
    heads
}

fn visit(node: &Node, heads: &mut Vec<String>) {
    let mut scripts: Vec<&Script> = Vec::new();
    match node {
        Node::Simple(simple) => heads.extend(simple.words.first().map(|word| word.source.clone())),
        Node::Pipeline(stages) => stages.iter().for_each(|stage| visit(stage, heads)),
        Node::Background(inner)
        | Node::Coprocess { node: inner, .. }
        | Node::Negated(inner)
        | Node::Redirected { node: inner, .. } => visit(inner, heads),
        Node::AndOr { first, rest } => {
            visit(first, heads);
            for (_, next) in rest {
                visit(next, heads);
            }
        }
        Node::Subshell(inner) | Node::Group(inner) => scripts.push(inner),
        Node::Branches { conditions, bodies } => scripts.extend(conditions.iter().chain(bodies)),
        Node::Loop { condition, body, .. } => scripts.extend([&**condition, &**body]),
        Node::Case { arms, .. } => scripts.extend(arms.iter().map(|(_, body)| body)),
        Node::Function { body, .. } => scripts.push(body),
        Node::Test(_) => {}
    }
    scripts.iter().flat_map(|script| &script.nodes).for_each(|node| visit(node, heads));
}

fn counted(heads: Vec<String>) -> BTreeMap<String, usize> {
    heads.into_iter().fold(BTreeMap::new(), |mut counts, head| {
        *counts.entry(head).or_default() += 1;
        counts
    })
}

/// Heads the other parser saw more often than ours did, where ours claims to have understood the text.
fn lost(text: &str) -> Vec<String> {
    let Some(theirs) = rable_heads(text) else { return Vec::new() };
    let script = parse(text);
    if !script.problems.is_empty() {
        return Vec::new();
    }
    let ours = counted(our_heads(&script));
    counted(theirs)
        .into_iter()
        .filter(|(head, count)| ours.get(head).copied().unwrap_or_default() < *count)
        .map(|(head, _)| head)
        .collect()
}

#[test]
fn real_commands_lose_no_program() {
    let commands = corpus_commands();
    let missed: Vec<_> =
        commands.iter().map(|text| (text, lost(text))).filter(|(_, heads)| !heads.is_empty()).collect();
    let troubled = commands
        .iter()
        .filter(|text| rable::parse(text, true).is_ok())
        .map(|text| (text, parse(text).problems))
        .filter(|(_, problems)| !problems.is_empty())
        .collect::<Vec<_>>();
    eprintln!("{} real commands, {} with problems that the other parser accepts", commands.len(), troubled.len());
    for (text, problems) in troubled.iter().take(20) {
        eprintln!("{problems:?}: {text:.300}");
    }
    assert!(commands.len() >= 50, "the corpus has {} commands", commands.len());
    assert!(missed.is_empty(), "programs lost in {} of {} commands: {missed:#?}", missed.len(), commands.len());
    assert!(troubled.len() * 100 <= commands.len(), "more than one in a hundred valid commands has a problem");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soup_loses_no_program(tokens in proptest::collection::vec(token(), 1..14)) {
        let text = tokens.join(" ");
        prop_assert_eq!(lost(&text), Vec::<String>::new(), "{}", text);
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "a",
        "rm",
        "cat x",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        ")",
        "{",
        "}",
        "\n",
        "if",
        "then",
        "else",
        "fi",
        "for i in",
        "while",
        "do",
        "done",
        "case x in",
        "x)",
        ";;",
        "esac",
        "\"a b\"",
        "'c d'",
        "$(e f)",
        "`g`",
        "> o",
        "2>&1",
        "<<E\nh\nE\n",
        "<<<w",
        "!",
        "time",
        "[[ a ]]",
        "f()",
        "# c\n",
        "X=1",
        "a=(1 2)",
        "{a,b}",
        "\\\n",
        "$((1+2))",
        "${x:-y}",
        "<(p q)",
        "function g",
        "until",
        "in",
        "elif",
        "select s in",
    ])
}
