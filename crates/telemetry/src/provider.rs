//! Who answers: the well-known values of `gen_ai.provider.name`, by what models are called. The provider that a request
//! was really sent to may be another one, which no log says.

/// How models are called → whose they are.
const MODELS: &[(&str, &str)] = &[
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "gcp.gemini"),
    ("gemma", "gcp.gemini"),
    ("grok", "x_ai"),
    ("deepseek", "deepseek"),
    ("mistral", "mistral_ai"),
    ("devstral", "mistral_ai"),
    ("codestral", "mistral_ai"),
    ("magistral", "mistral_ai"),
    ("command-", "cohere"),
    ("kimi", "moonshot_ai"),
];

/// Agents that only ask models of one provider.
const AGENTS: &[(&str, &str)] = &[("claude-code", "anthropic"), ("codex", "openai"), ("gemini-cli", "gcp.gemini")];

/// `None`: nobody can tell.
pub(super) fn provider(model: Option<&str>, agent: &str) -> Option<&'static str> {
    let Some(model) = model else {
        return AGENTS.iter().find(|(name, _)| *name == agent).map(|(_, provider)| *provider);
    };
    // `us.anthropic.claude-…`, `openrouter/anthropic/claude-…`, `models/gemini-…`
    let name = model.rsplit(['/', ':']).find(|part| part.contains('-')).unwrap_or(model);
    let name = name.rsplit("anthropic.").next().unwrap_or(name).to_ascii_lowercase();
    MODELS.iter().find(|(begins, _)| name.starts_with(begins)).map(|(_, provider)| *provider)
}

#[cfg(test)]
mod tests {
    use super::provider;

    #[test]
    fn models_tell_whose_they_are() {
        for (model, agent, expected) in [
            (Some("claude-opus-4-6"), "codex", Some("anthropic")),
            (Some("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), "", Some("anthropic")),
            (Some("openrouter/google/gemini-3-pro"), "", Some("gcp.gemini")),
            (Some("gpt-5.2-codex"), "", Some("openai")),
            (Some("my-own"), "claude-code", None),
            (None, "claude-code", Some("anthropic")),
            (None, "cursor", None),
        ] {
            assert_eq!(provider(model, agent), expected, "{model:?}, {agent}");
        }
    }
}
