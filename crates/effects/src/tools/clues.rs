//! Clues in the text of a command to the shell that it is written for.

use crate::command::is_of_windows;
use crate::world::spells_windows_path;

/// Returns whether a text spells a path of Windows, or names a command that only Windows has.
pub(super) fn may_be_of_windows(text: &str) -> bool {
    let is_separator = |c: char| c.is_whitespace() || ";|&(){}".contains(c);
    spells_windows_path(text) || text.split(is_separator).any(|word| is_of_windows(&word.to_lowercase()))
}

/// Returns whether the text holds a heredoc. To PowerShell and cmd all of such a text is an error, unless they see other
/// quotes, or a comment.
pub(super) fn has_heredoc(text: &str) -> bool {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (character, quote) {
            ('\\' | '`' | '^' | '#', _) => return false,
            ('"' | '\'', None) => quote = Some(character),
            ('<', None) => {
                let (before, rest) = text.split_at_checked(at).unwrap_or_default();
                let word = rest.strip_prefix("<<").unwrap_or_default();
                let word = word.trim_start_matches(['-', ' ', '"', '\'']);
                if word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
                    return !has_comment_of_cmd(before);
                }
            }
            _ => quote = quote.filter(|quote| *quote != character),
        }
    }
    false
}

fn has_comment_of_cmd(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || "&|(".contains(c));
    words
        .map(|word| word.trim_start_matches('@'))
        .any(|word| word.starts_with("::") || word.eq_ignore_ascii_case("rem"))
}

#[cfg(test)]
mod tests {
    use super::{has_heredoc, may_be_of_windows};

    #[test]
    fn a_text_may_be_of_windows() {
        for text in [
            "type .env",
            "cd x && del /q a.txt",
            "Get-Content .env",
            "gc x | % { $_ }",
            r"cat C:\x",
            "ri -r secrets",
            "gci .env; sl x",
        ] {
            assert!(may_be_of_windows(text), "{text}");
        }
        for text in ["cat .env", "git add -A", "ls -la | head", "npm run set-version", "sort a | more"] {
            assert!(!may_be_of_windows(text), "{text}");
        }
    }

    #[test]
    fn a_heredoc_is_no_comment() {
        for text in ["cat <<EOF\nx\nEOF", "python3 - <<'PY'\nprint(1)\nPY", "cat <<- \"E\"\nE"] {
            assert!(has_heredoc(text), "{text}");
        }
        for text in [
            "Remove-Item a # <<EOF",
            "rem <<EOF\ndel a",
            "@REM x <<EOF",
            ":: <<EOF",
            "del a & rem <<EOF",
            "echo '<<EOF'",
        ] {
            assert!(!has_heredoc(text), "{text}");
        }
    }
}
