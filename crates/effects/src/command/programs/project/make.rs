//! Makefiles: rules, variables and recipe lines; functions and conditionals are not evaluated, and said so.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::Reason;

use super::recipes::Recipes;

/// Variables within variables.
const DEPTH: usize = 8;
/// Characters one line may grow to.
const LENGTH: usize = 64 * 1024;

/// Bytes that the lines of a file may take for each of its own, and for the shortest file.
const A_BYTE: usize = 8;
const LEAST: usize = 64 * 1024;

const UNREAD: Reason = Reason::MakefileNotEvaluated;

pub(super) fn read(text: &str) -> Recipes {
    // Recipes see the variables that the whole file sets.
    let mut variables = BTreeMap::new();
    let limit = text.len().saturating_mul(A_BYTE).saturating_add(LEAST);
    read_with(text, &mut variables, &Cell::new(limit));
    read_with(text, &mut variables, &Cell::new(limit))
}

fn read_with(text: &str, variables: &mut BTreeMap<String, String>, left: &Cell<usize>) -> Recipes {
    let joined = text.replace("\\\r\n", "\\\n");
    let mut recipes = Recipes::default();
    let mut current: Vec<String> = Vec::new();
    let mut continued: Option<(bool, String)> = None;
    for line in joined.lines() {
        let is_recipe = continued.as_ref().map_or(line.starts_with('\t'), |(is_recipe, _)| *is_recipe);
        let mut whole = continued.take().map_or_else(String::new, |(_, before)| before);
        let part = if is_recipe { line.strip_prefix('\t').unwrap_or(line) } else { line };
        if let Some(part) = part.strip_suffix('\\') {
            whole.push_str(part);
            // In a recipe the shell sees the break; elsewhere it is a blank.
            whole.push_str(if is_recipe { "\\\n" } else { " " });
            continued = Some((is_recipe, whole));
            continue;
        }
        whole.push_str(part);
        if is_recipe {
            recipe_line(&mut recipes, &current, &whole, &Expansion { variables, left });
        } else {
            statement(&mut recipes, &mut current, &whole, variables, left);
        }
    }
    recipes
}

fn recipe_line(recipes: &mut Recipes, current: &[String], line: &str, expansion: &Expansion<'_>) {
    let plain = line.trim_start().trim_start_matches(['@', '-', '+', ' ']);
    if plain.is_empty() {
        return;
    }
    if expansion.left.get() == 0 {
        recipes.unread = Some(UNREAD);
        return;
    }
    // The part of a makefile that an edit put in may lack its target.
    let names = if current.is_empty() { vec![String::new()] } else { current.to_vec() };
    for name in names {
        let recipe = recipes.by_name.entry(name.clone()).or_default();
        let automatic = Automatic { target: &name, before: &recipe.before };
        let (expanded, whole) = expansion.expand(plain, automatic, DEPTH);
        if !expanded.is_empty() {
            recipe.lines.push(expanded);
        }
        if !whole {
            recipes.unread = Some(UNREAD);
        }
    }
}

fn statement(
    recipes: &mut Recipes,
    current: &mut Vec<String>,
    line: &str,
    variables: &mut BTreeMap<String, String>,
    left: &Cell<usize>,
) {
    let line = line.split('#').next().unwrap_or_default().trim_end();
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return;
    }
    let word = trimmed.split_whitespace().next().unwrap_or_default();
    let conditional = matches!(word, "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif");
    if conditional || matches!(word, "include" | "-include" | "sinclude" | "define" | "endef" | "load") {
        recipes.unread = Some(UNREAD);
        return;
    }
    let adds = trimmed.split_once('=').is_some_and(|(name, _)| name.ends_with('+'));
    if let Some((name, value)) = assignment(trimmed.strip_prefix("export ").unwrap_or(trimmed)) {
        if matches!(name.as_str(), "SHELL" | ".SHELLFLAGS" | "MAKEFLAGS") {
            recipes.unread = Some(UNREAD);
        }
        if let Some(command) = shell_function(&value) {
            recipes.always.push(command);
        }
        match variables.get_mut(&name).filter(|_| adds) {
            // The file is read twice: what the first time added is there already.
            Some(before) if ends_with_words(before.as_str(), &value) => {}
            Some(before) => before.extend([" ", &value]),
            None => {
                variables.insert(name, value);
            }
        }
        return;
    }
    let Some((targets, rest)) = trimmed.split_once(':') else { return };
    let (rest, inline) =
        rest.trim_start_matches(':').split_once(';').map_or((rest, None), |(rest, line)| (rest, Some(line)));
    let expansion = Expansion { variables, left };
    let automatic = Automatic { target: "", before: &[] };
    let (targets, targets_known) = expansion.expand(targets, automatic, DEPTH);
    let (before, before_known) = expansion.expand(rest.trim_start_matches(':'), automatic, DEPTH);
    if !targets_known || !before_known {
        recipes.unread = Some(UNREAD);
    }
    let before: Vec<String> = before.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect();
    *current = targets.split_whitespace().map(str::to_owned).collect();
    for target in current.iter() {
        recipes.by_name.entry(target.clone()).or_default().before.extend(before.iter().cloned());
        if !target.starts_with('.') && !target.contains('%') {
            recipes.default.get_or_insert_with(|| target.clone());
        }
    }
    if let Some(line) = inline {
        recipe_line(recipes, &current.clone(), line, &Expansion { variables, left });
    }
}

/// `NAME = value`, `:=`, `?=`, `+=`, `!=`.
fn assignment(line: &str) -> Option<(String, String)> {
    let at = line.find('=')?;
    let (name, value) = (line.get(..at)?, line.get(at + 1..)?);
    let runs = name.ends_with('!');
    let name = name.trim_end_matches([':', '?', '+', '!']).trim();
    let plain = !name.is_empty() && !name.contains([' ', '\t', ':', '$', '(']);
    let value = if runs { format!("$(shell {})", value.trim()) } else { value.trim().to_owned() };
    plain.then(|| (name.to_owned(), value))
}

fn ends_with_words(text: &str, words: &str) -> bool {
    text.strip_suffix(words).is_some_and(|head| head.is_empty() || words.is_empty() || head.ends_with(' '))
}

fn shell_function(value: &str) -> Option<String> {
    value.trim().strip_prefix("$(shell ").and_then(|text| text.strip_suffix(')')).map(|text| text.replace("$$", "$"))
}

/// Replaces the variables of one file.
struct Expansion<'v> {
    variables: &'v BTreeMap<String, String>,
    /// Bytes that all lines together may still take, and variables that may still be replaced.
    left: &'v Cell<usize>,
}

/// What an expansion speaks of besides variables.
#[derive(Clone, Copy)]
struct Automatic<'t> {
    target: &'t str,
    before: &'t [String],
}

impl Expansion<'_> {
    /// Variables replaced; `false` where a function or an unknown construct stood, or the file asks for too much text. A
    /// variable without a value becomes one of the shell's, whose value is not known either.
    fn expand(&self, text: &str, automatic: Automatic<'_>, depth: usize) -> (String, bool) {
        if !self.spend(1 + text.len()) {
            return (String::new(), false);
        }
        let mut out = String::with_capacity(text.len());
        let mut whole = true;
        let mut rest = text;
        while let Some((head, after)) = rest.split_once('$') {
            out.push_str(head);
            let Some(next) = after.chars().next() else { break };
            let close = match next {
                '(' => Some(')'),
                '{' => Some('}'),
                _ => None,
            };
            let (name, tail) = match close {
                None => after.split_at_checked(next.len_utf8()).unwrap_or((after, "")),
                Some(close) => match closed(after, next, close) {
                    Some(pair) => pair,
                    None => return (out, false),
                },
            };
            rest = tail;
            whole &= self.name(name, automatic, depth, &mut out);
        }
        out.push_str(rest);
        (out, whole)
    }

    /// Appends what a name stands for.
    fn name(&self, name: &str, automatic: Automatic<'_>, depth: usize, out: &mut String) -> bool {
        match name {
            "$" => out.push('$'),
            "@" => out.push_str(automatic.target),
            "<" => out.push_str(automatic.before.first().map_or("", String::as_str)),
            "^" | "+" | "?" => {
                if !self.spend(automatic.before.iter().map(|word| 1 + word.len()).sum()) {
                    return false;
                }
                out.push_str(&automatic.before.join(" "));
            }
            "*" | "%" => out.push_str("${STEM}"),
            "MAKE" => out.push_str("make"),
            name => match (self.variables.get(name), depth) {
                (Some(value), 1..) if out.len() < LENGTH => {
                    let (value, known) = self.expand(value, automatic, depth - 1);
                    out.push_str(&value);
                    return known;
                }
                (None, _) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                    out.extend(["${", name, "}"]);
                }
                _ => {
                    let Some(command) = name.strip_prefix("shell ") else {
                        out.push_str("${FUNCTION}");
                        return false;
                    };
                    // It runs, and what it prints is put here.
                    out.extend(["$(", &command.replace("$$", "$"), ")"]);
                }
            },
        }
        true
    }

    fn spend(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The text between a bracket and its partner, and what follows.
fn closed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return Some((text.get(1..at)?, text.get(at + 1..)?));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    fn lines(text: &str, goals: &[&str]) -> (Vec<String>, bool) {
        let recipes = super::read(text);
        let goals: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
        (recipes.lines_of(&goals), recipes.unread.is_none())
    }

    #[test]
    fn rules_and_variables() {
        let text =
            "D = out\nall: clean $(D)/x\n\t@echo $@ $$HOME\nclean:\n\t-rm -rf $(D) ; \\\n\tls\nout/x: ; touch $@\n";
        let expected = ["rm -rf out ; \\\nls", "touch out/x", "echo all $HOME"];
        assert_eq!(lines(text, &[]), (expected.map(str::to_owned).to_vec(), true));
        assert_eq!(lines(text, &["out/x"]).0, ["touch out/x"]);
        assert_eq!(lines("A != id -u\nx:\n\techo $(A)\n", &["x"]).0, ["id -u", "echo $(id -u)"]);
        assert_eq!(lines("%.o: %.c\n\tcc -o $@\n", &["a.o"]).0, ["cc -o %.o"]);
        assert!(!lines("include a.mk\nx:\n\tls\n", &[]).1);
        assert_eq!(lines("\trm x\n", &[""]).0, ["rm x"]);
        assert_eq!(lines("X = rm a.env\nX += .env\nX += .env\nX +=\nx:\n\t$(X)\n", &[]).0, ["rm a.env .env"]);
    }

    #[test]
    fn hostile_variables_end() {
        let nested = "a = $(a)$(a)$(a)$(a)\nx:\n\techo $(a)\n";
        assert!(lines(nested, &[]).0.len() == 1);
        assert!(!lines("x:\n\techo $(a\n", &[]).1);
    }
}
