//! Packages that hold agents. What the agents themselves do is in `agents.json`.

const PACKAGES: &[(&str, &str)] = &[
    ("@anthropic-ai/claude-code", "claude"),
    ("@augmentcode/auggie", "auggie"),
    ("@github/copilot", "copilot"),
    ("@google/gemini-cli", "gemini"),
    ("@openai/codex", "codex"),
    ("@qwen-code/qwen-code", "qwen"),
    ("@sourcegraph/amp", "amp"),
    ("opencode-ai", "opencode"),
];

/// The agent in a package that is named with or without a version (`@openai/codex@0.46.0`).
pub fn agent_of_package(package: &str) -> Option<&'static str> {
    // The scope of a name begins with the sign that stands in front of a version.
    let version = package.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
    let name = version.and_then(|at| package.get(..at)).unwrap_or(package);
    PACKAGES.iter().find_map(|(known, agent)| (*known == name).then_some(*agent))
}

#[cfg(test)]
mod tests {
    use super::super::{Special, builtin};
    use super::{PACKAGES, agent_of_package};

    #[test]
    fn every_package_holds_an_agent_that_is_known() {
        for (package, agent) in PACKAGES {
            assert_eq!(builtin(agent).and_then(|entry| entry.special), Some(Special::Agent), "{agent}");
            assert_eq!(agent_of_package(package), Some(*agent));
            assert_eq!(agent_of_package(&format!("{package}@1.0")), Some(*agent));
        }
        assert_eq!(agent_of_package("é"), None);
        assert_eq!(agent_of_package(""), None);
    }
}
