//! How a deny compares text: so that no spelling of the same file slips past.

use unicode_normalization::UnicodeNormalization;

/// Lower case, composed, without invisible characters and trailing dots; home directories are `~`.
pub(super) fn fold(path: &str) -> String {
    let plain = path.is_ascii();
    let lower: String = if plain {
        path.to_ascii_lowercase()
    } else {
        path.chars()
            .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}'))
            .nfc()
            .flat_map(char::to_lowercase)
            .nfc()
            .collect()
    };
    let trimmed: Vec<&str> = lower.split('/').map(without_trailing_dots).collect();
    let joined = trimmed.join("/");
    for home in ["/home/", "/users/", "c:/users/"] {
        if let Some(rest) = joined.strip_prefix(home)
            && let Some((user, below)) = rest.split_once('/')
            && !user.contains(['*', '?', '['])
        {
            return format!("~/{below}");
        }
    }
    match joined.strip_prefix("/root") {
        Some("") => "~".to_owned(),
        Some(below) if below.starts_with('/') => format!("~{below}"),
        _ => joined,
    }
}

/// Windows ignores dots and spaces at the end of a name.
fn without_trailing_dots(component: &str) -> &str {
    let trimmed = component.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() || trimmed.ends_with(['*', '?']) { component } else { trimmed }
}
