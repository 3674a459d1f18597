//! Names of models: the forms in which the same one is written, by whoever offers it.
//!
//! Every request of a log names its model, so names that are plain already are not copied.

use std::borrow::Cow;

/// A name as names are compared: lower case, with `-` for `.` (`claude-sonnet-4.5`, `claude-sonnet-4-5`).
pub fn plain(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    if name.bytes().any(|byte| byte == b'.' || byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase().replace('.', "-"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Regions that stand before a provider's name (`us.anthropic.claude-…`).
const REGIONS: &[&str] = &["us", "us-gov", "eu", "apac", "au", "jp", "global"];
/// Providers that stand before a name with a dot.
const PROVIDERS: &[&str] = &["anthropic", "openai", "google", "deepseek", "mistral", "qwen", "moonshot", "xai", "zai"];

/// The forms of a name that may have a row where the name itself has none, the fullest first. Only what surely is no part
/// of the model's own name is left out.
pub fn forms(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let bare = without_provider(without_size(name.trim()));
    let release = without_release(bare);
    [bare, release, without_day(release)].into_iter().map(plain).filter(|form| !form.is_empty())
}

/// The name that a model has whoever offers it.
pub fn canonical(name: &str) -> Cow<'_, str> {
    forms(name).last().unwrap_or_else(|| plain(name))
}

/// Without how much of a context was asked for (`claude-sonnet-4-5[1m]`).
pub fn without_size(name: &str) -> &str {
    name.split_once('[').filter(|(_, size)| size.ends_with(']')).map_or(name, |(name, _)| name)
}

/// `anthropic/…`, `models/…`, `openrouter/anthropic/…`, `us.anthropic.…`
fn without_provider(name: &str) -> &str {
    let mut rest = name.rsplit_once('/').map_or(name, |(_, rest)| rest);
    for known in [REGIONS, PROVIDERS] {
        if let Some((first, more)) = rest.split_once('.')
            && known.iter().any(|known| first.eq_ignore_ascii_case(known))
        {
            rest = more;
        }
    }
    rest
}

/// `…-v1:0`, `…-v2`: how a cloud numbers what it offers.
fn without_release(name: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = name.rsplit_once(':').filter(|(_, number)| digits(number)).map_or(name, |(name, _)| name);
    // A model may have a version of its own (`deepseek-v3`); those that clouds number do not.
    match name.rsplit_once("-v") {
        Some((numbered, number)) if digits(number) && numbered.starts_with("claude-") => numbered,
        _ => name,
    }
}

/// `…-20250929`, `…@20250929`, `…-2025-08-07`
fn without_day(name: &str) -> &str {
    let shapes = ["-########", "@########", "-####-##-##"];
    shapes.iter().find_map(|shape| without_end(name, shape)).unwrap_or(name)
}

/// Without an end of this shape, in which `#` is a digit, if it is a day of this century.
fn without_end<'n>(name: &'n str, shape: &str) -> Option<&'n str> {
    let at = name.len().checked_sub(shape.len()).filter(|at| *at > 0)?;
    let (start, end) = name.split_at_checked(at)?;
    let fits = end.bytes().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
        b'#' => byte.is_ascii_digit(),
        other => byte == other,
    });
    let century = end.get(1..).is_some_and(|day| day.starts_with("20"));
    (fits && century).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn words_around_a_name_are_left_out_and_nothing_else() {
        let cases = [
            ("claude-opus-4-6", "claude-opus-4-6"),
            ("claude-sonnet-4.5", "claude-sonnet-4-5"),
            ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
            ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "claude-sonnet-4-5"),
            ("glm-4.6", "glm-4-6"),
            ("x[1", "x[1"),
            ("openrouter/anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
            ("models/gemini-2.5-pro", "gemini-2-5-pro"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
            ("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
            ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
            ("gpt-5-2025-08-07", "gpt-5"),
            ("gpt-4.1", "gpt-4-1"),
            ("gpt-4o-mini", "gpt-4o-mini"),
            ("kimi-k2-0905-preview", "kimi-k2-0905-preview"),
            ("devstral-2512", "devstral-2512"),
            ("qwen3-coder:free", "qwen3-coder:free"),
            ("deepseek-v3", "deepseek-v3"),
            ("claude-opus-4-6-fast", "claude-opus-4-6-fast"),
            ("-20250929", "-20250929"),
        ];
        for (name, last) in cases {
            assert_eq!(canonical(name), last, "{name}");
        }
        assert_eq!(canonical("  "), "");
    }
}
