//! The forges whose files are read.

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forge {
    Github,
    Gitlab,
}

impl Forge {
    /// Where it looks for code owners: the first file that is there counts.
    pub fn owners(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
            Self::Gitlab => &["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"],
        }
    }

    /// Patterns of code owners for what judges changes there, beside the file of the owners itself.
    pub fn guarded(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["/.agent-scope.json", "/.agent-strace.yaml", "/.agent-strace.yml", "/.github/"],
            Self::Gitlab => {
                &["/.agent-scope.json", "/.agent-strace.yaml", "/.agent-strace.yml", "/.gitlab/", "/.gitlab-ci.yml"]
            }
        }
    }
}
