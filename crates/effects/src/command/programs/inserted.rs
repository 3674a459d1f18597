//! Names that `xargs -I` and `find -exec` put into the text of a shell: `xargs -I{} sh -c 'cat {}'`.
//!
//! The text is read as if a parameter stood in the place of the name. Where the session made names that a shell reads as more
//! than one word, the text stays unknown.

use crate::command::argument::{Arg, Known};

const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Returns the command with the name as a parameter of the text, if the command is a shell with such a text.
pub(super) fn as_parameter(words: &[Arg], mark: &str, name: &Arg) -> Option<Vec<Arg>> {
    let program = words.first()?.literal()?;
    let is_shell = SHELLS.contains(&program.rsplit('/').next().unwrap_or(program));
    let flag = words.iter().position(|word| word.literal().is_some_and(is_text_flag))?;
    let word = words.get(flag + 1)?;
    let text = word.literal().filter(|text| is_shell && !mark.is_empty() && text.contains(mark))?;
    if name.known != Known::Glob || name.tilde {
        return None;
    }
    let mut all: Vec<Arg> = words.to_vec();
    // The first word behind the text is the name of the shell, `$0`.
    if all.len() == flag + 2 {
        all.push(Arg::exact(program));
    }
    let number = (all.len() - (flag + 2)).to_string();
    *all.get_mut(flag + 1)? = word.with(with_parameter(text, mark, &number));
    all.push(name.clone());
    Some(all)
}

/// `-c`, also among other letters.
fn is_text_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// The text with a parameter in the place of each mark, quoted as its place demands.
fn with_parameter(text: &str, mark: &str, number: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut quote = None;
    let mut left = text;
    while let Some(character) = left.chars().next() {
        if let Some(rest) = left.strip_prefix(mark) {
            let (open, close) = match quote {
                None => ("\"", "\""),
                Some('"') => ("", ""),
                Some(_) => ("'\"", "\"'"),
            };
            written.extend([open, "${", number, "}", close]);
            left = rest;
            continue;
        }
        let mut length = character.len_utf8();
        match (character, quote) {
            ('\\', None | Some('"')) => {
                let escaped = left.get(1..).and_then(|rest| rest.chars().next());
                length += escaped.map_or(0, char::len_utf8);
            }
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            _ => {}
        }
        let (taken, rest) = left.split_at_checked(length).unwrap_or((left, ""));
        written += taken;
        left = rest;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::with_parameter;

    #[test]
    fn a_parameter_is_quoted_as_its_place_demands() {
        for (text, expected) in [
            ("cat {}", "cat \"${1}\""),
            ("echo \"= {} =\"", "echo \"= ${1} =\""),
            ("cat '{}' {}", "cat ''\"${1}\"'' \"${1}\""),
            (r#"echo \"{}"#, r#"echo \""${1}""#),
        ] {
            assert_eq!(with_parameter(text, "{}", "1"), expected);
        }
    }
}
