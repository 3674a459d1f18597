//! Alternative spellings of one name, made equal for denies.

use unicode_normalization::UnicodeNormalization;

use super::resolve::drive_like;

/// One spelling for everything a file system or a reader may take for the same name. For denies only: it makes
/// different files equal on purpose. Works on paths and on path patterns.
pub fn fold_for_deny(path: &str) -> String {
    let lower = lower_and_normal(path);
    let folded: Vec<&str> = lower.split('/').map(fold_component).collect();
    let folded = folded.join("/");
    home_spelled_short(&folded).unwrap_or(folded)
}

fn lower_and_normal(path: &str) -> String {
    // Almost all paths are ASCII, which has one normal form and no invisible characters.
    if path.is_ascii() { path.to_ascii_lowercase() } else { normalized(path) }
}

fn normalized(path: &str) -> String {
    let visible: String = path.chars().filter(|character| !is_invisible(*character)).collect();
    visible.nfkc().flat_map(char::to_lowercase).nfc().collect()
}

/// Windows drops trailing dots and spaces and opens `x::$data` as `x`.
fn fold_component(component: &str) -> &str {
    if matches!(component, "." | "..") {
        return component;
    }
    let component = component.strip_suffix("::$data").unwrap_or(component);
    let trimmed = component.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { component } else { trimmed }
}

fn home_spelled_short(folded: &str) -> Option<String> {
    let mut parts = folded.split('/');
    let home = match (parts.next()?, parts.next()?) {
        ("", "root") => true,
        ("", "home" | "users") => parts.next().is_some_and(|user| !user.is_empty()),
        // FreeBSD and some systems with read-only roots link `/home` there.
        ("", "usr" | "var") => parts.next() == Some("home") && parts.next().is_some_and(|user| !user.is_empty()),
        (drive, "users") if drive_like(drive) => parts.next().is_some_and(|user| !user.is_empty()),
        _ => false,
    };
    let below: Vec<&str> = parts.collect();
    match (home, below.is_empty()) {
        (false, _) => None,
        (true, true) => Some("~".to_owned()),
        (true, false) => Some(format!("~/{}", below.join("/"))),
    }
}

/// Format characters (general category Cf and relatives) that change how a name looks, not what it says.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{lower_and_normal, normalized};

    #[test]
    fn ascii_needs_no_normalization() {
        let ascii = || (0..=0x7f_u8).map(char::from);
        for pair in ascii().flat_map(|first| ascii().map(move |second| String::from_iter([first, second]))) {
            assert_eq!(lower_and_normal(&pair), normalized(&pair), "{pair:?}");
        }
    }
}
