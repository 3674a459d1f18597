//! A command entry as patterns over text, where `*` is any text.

use agent_strace_shell::{Home, Node};

/// The words of an entry; `None` where it holds what a pattern over text can't hold.
pub(super) fn words(entry: &str) -> Option<Vec<String>> {
    let script = agent_strace_shell::parse_at(entry, Home::piece(0, entry.len()));
    let [Node::Simple(simple)] = script.nodes.as_slice() else { return None };
    let plain = simple.assignments.is_empty() && simple.redirects.is_empty() && script.problems.is_empty();
    let words: Vec<String> = simple.words.iter().map(|word| word.source.clone()).collect();
    let is_plain = |word: &String| {
        !word.is_empty() && word.chars().all(|c| !c.is_control() && !c.is_whitespace() && !"()\"'`$\\".contains(c))
    };
    (plain && !words.is_empty() && words.iter().all(is_plain)).then_some(words)
}

/// An allow: these words and anything behind them.
pub(super) fn allowed(entry: &str) -> Option<String> {
    let words = words(entry)?;
    // A wildcard in an allow covers what nobody listed.
    (!words.iter().any(|word| word.contains(['*', '?', '[']))).then(|| format!("{} *", words.join(" ")))
}

/// A deny: as written, by a path, with options before the subcommand, and with its flags elsewhere.
pub(super) fn of(entry: &str) -> Option<Vec<String>> {
    let words = words(entry)?;
    let (program, rest) = words.split_first()?;
    // The engine knows no `?` and no classes: a star is wider.
    let program = program.rsplit('/').next().unwrap_or(program).replace('?', "*");
    let (flags, operands): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| is_flag(word));
    let operands = operands.iter().flat_map(|word| [" ", word.as_str()]).collect::<String>();
    let mut spellings = Vec::new();
    for flags in orders(&flags) {
        let flags = flags.iter().flat_map(|flag| [" ", flag.as_str()]).collect::<String>();
        for program in [program.clone(), format!("/*/{program}")] {
            spellings.push(format!("{program}{operands}{flags} *"));
            if !operands.is_empty() {
                spellings.push(format!("{program} -*{operands}{flags} *"));
            }
            if !flags.is_empty() {
                spellings.push(format!("{program}{operands} *{flags} *"));
                spellings.push(format!("{program}{flags}{operands} *"));
            }
        }
    }
    if rest.iter().any(|word| word.contains(['?', '['])) {
        return None;
    }
    spellings.push(words.join(" ") + " *");
    spellings.sort_unstable();
    spellings.dedup();
    Some(spellings)
}

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// One flag of two letters in both orders, joined and apart.
pub(super) fn orders(flags: &[&String]) -> Vec<Vec<String>> {
    let given: Vec<String> = flags.iter().map(|flag| (*flag).clone()).collect();
    let [only] = flags else { return vec![given] };
    let letters: Vec<char> = only.chars().skip(1).collect();
    match letters.as_slice() {
        [one, other] if one.is_ascii_alphabetic() && other.is_ascii_alphabetic() => vec![
            given,
            vec![format!("-{other}{one}")],
            vec![format!("-{one}"), format!("-{other}")],
            vec![format!("-{other}"), format!("-{one}")],
        ],
        _ => vec![given],
    }
}
