//! What files name: packages, editor extensions, features, actions and commands.
//!
//! Of a manifest that is not understood what looks like a name counts. Of steps and containers only the grammar tells
//! commands from text: one that is not understood is a fault.

mod container;
mod editor;
mod lines;
mod manifest;
mod shell;
mod workflow;

use std::ops::Range;

use agent_strace_policy::json::Value;

use super::document::{Document, Fault, Language, line_at};
use super::tables::Ecosystem;
pub(super) use lines::without_version;

/// Something that a file names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reference {
    Package(Ecosystem, String),
    /// The id of an editor extension.
    Extension(String),
    /// A feature of a development container, without its version.
    Feature(String),
    /// A workflow's action, without its version.
    Action(String),
    /// The words of a command.
    Command(Vec<String>),
}

/// With its 1-based line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mention {
    pub(super) named: Reference,
    pub(super) line: u32,
}

/// What kind of file a name says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    PackageJson,
    PackageLock,
    /// Lockfiles of tokens: the language is not needed to see the names.
    Tokens(Ecosystem),
    Requirements,
    Python,
    Cargo,
    GoModule,
    Gems,
    DotNet,
    Brew,
    Versions,
    Workflow,
    Pipeline,
    Dockerfile,
    Compose,
    DevContainer,
    Extensions,
    Workspace,
}

/// By the name of a file, and where it lies.
fn content(path: &str) -> Option<Content> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let yaml = matches!(extension, "yml" | "yaml");
    Some(match name {
        "package.json" => Content::PackageJson,
        "package-lock.json" | "npm-shrinkwrap.json" => Content::PackageLock,
        "yarn.lock" | "pnpm-lock.yaml" | "bun.lock" | "deno.lock" => Content::Tokens(Ecosystem::Npm),
        "pyproject.toml" | "Pipfile" | "poetry.lock" | "uv.lock" | "pdm.lock" | "pylock.toml" => Content::Python,
        "Pipfile.lock" | "setup.cfg" | "environment.yml" => Content::Tokens(Ecosystem::Pypi),
        "Cargo.toml" | "Cargo.lock" => Content::Cargo,
        "go.mod" => Content::GoModule,
        "Gemfile" | "Gemfile.lock" => Content::Gems,
        "Brewfile" => Content::Brew,
        ".tool-versions" | "mise.toml" | ".mise.toml" => Content::Versions,
        "action.yml" | "action.yaml" => Content::Workflow,
        "devcontainer.json" | ".devcontainer.json" => Content::DevContainer,
        "extensions.json" if path.contains(".vscode/") => Content::Extensions,
        ".gitlab-ci.yml"
        | "azure-pipelines.yml"
        | "bitbucket-pipelines.yml"
        | ".travis.yml"
        | ".drone.yml"
        | ".woodpecker.yml"
        | "appveyor.yml"
        | "cloudbuild.yaml"
        | "buildspec.yml"
        | "codemagic.yaml" => Content::Pipeline,
        _ if yaml && path.contains(".github/workflows/") => Content::Workflow,
        _ if yaml && is_pipeline(path) => Content::Pipeline,
        _ if name.starts_with("requirements") && extension == "txt" || name == "constraints.txt" => {
            Content::Requirements
        }
        _ if extension == "txt" && path.contains("requirements/") => Content::Requirements,
        _ if matches!(extension, "csproj" | "fsproj") || name == "Directory.Packages.props" => Content::DotNet,
        _ if is_dockerfile(name) => Content::Dockerfile,
        _ if yaml && (name.starts_with("docker-compose") || name.starts_with("compose.")) => Content::Compose,
        _ if extension == "code-workspace" => Content::Workspace,
        _ => return None,
    })
}

fn is_pipeline(path: &str) -> bool {
    [".circleci/", ".buildkite/", ".gitlab/", ".woodpecker/", ".azure-pipelines/", ".azuredevops/", ".tekton/"]
        .iter()
        .any(|folder| path.contains(folder))
}

fn is_dockerfile(name: &str) -> bool {
    matches!(name, "Dockerfile" | "Containerfile")
        || name.starts_with("Dockerfile.")
        || name.starts_with("Containerfile.")
        || name.to_ascii_lowercase().ends_with(".dockerfile")
}

/// Whether it is a step of continuous integration.
pub(super) fn is_ci(path: &str) -> bool {
    matches!(content(path), Some(Content::Workflow | Content::Pipeline))
}

/// Whether a file is read for what it names.
pub(super) fn is_read(path: &str) -> bool {
    content(path).is_some()
}

/// Everything a file names, each once, in the order of the file; and why it was not understood.
pub(super) fn mentions(path: &str, text: &str) -> (Vec<Mention>, Option<Fault>) {
    let Some(content) = content(path) else { return (Vec::new(), None) };
    let mut list = List { text, mentions: Vec::new(), fault: None };
    read(content, path, &mut list);
    let fault = list.fault.take().filter(|_| content.has_steps());
    let mut mentions = list.mentions;
    mentions.sort_by(|left, right| (left.line, &left.named).cmp(&(right.line, &right.named)));
    mentions.dedup();
    (mentions, fault)
}

impl Content {
    /// Names alone don't tell what it runs.
    fn has_steps(self) -> bool {
        matches!(self, Self::Workflow | Self::Pipeline | Self::Compose | Self::DevContainer)
    }
}

fn read(content: Content, path: &str, list: &mut List<'_>) {
    match content {
        Content::PackageJson => list.document(Language::Json, Ecosystem::Npm, manifest::package_json),
        Content::PackageLock => list.document(Language::Json, Ecosystem::Npm, manifest::package_lock),
        Content::Python => list.document_of(path, Ecosystem::Pypi, manifest::python),
        Content::Cargo => list.document(Language::Toml, Ecosystem::Cargo, manifest::cargo),
        Content::Tokens(ecosystem) => lines::tokens(ecosystem, list),
        Content::Requirements => lines::requirements(list),
        Content::GoModule => lines::go_module(list),
        Content::Gems => lines::quoted_after("gem", Ecosystem::Gem, list),
        Content::Brew => lines::brew(list),
        Content::DotNet => lines::dot_net(list),
        Content::Versions => lines::versions(list),
        Content::Workflow | Content::Pipeline => list.document(Language::Yaml, Ecosystem::Npm, workflow::read),
        Content::Dockerfile => container::dockerfile(list),
        Content::Compose => list.document(Language::Yaml, Ecosystem::Docker, container::compose),
        Content::DevContainer => list.document(Language::Json, Ecosystem::Docker, editor::devcontainer),
        Content::Extensions => list.document(Language::Json, Ecosystem::Npm, editor::extensions),
        Content::Workspace => list.document(Language::Json, Ecosystem::Npm, editor::workspace),
    }
}

/// What a file names, as it is found.
struct List<'t> {
    text: &'t str,
    mentions: Vec<Mention>,
    fault: Option<Fault>,
}

impl List<'_> {
    fn add(&mut self, named: Reference, at: usize) {
        let line = line_at(self.text, at);
        self.mentions.push(Mention { named, line });
    }

    fn add_at(&mut self, named: Reference, span: &Range<usize>) {
        self.add(named, span.start);
    }

    fn package(&mut self, ecosystem: Ecosystem, name: &str, at: usize) {
        self.add(Reference::Package(ecosystem, name.to_ascii_lowercase()), at);
    }

    fn document_of(&mut self, path: &str, ecosystem: Ecosystem, read: fn(&Value, &mut Self)) {
        // Lockfiles of Python are TOML whatever they are called.
        self.document(Language::of(path).unwrap_or(Language::Toml), ecosystem, read);
    }

    fn document(&mut self, language: Language, ecosystem: Ecosystem, read: fn(&Value, &mut Self)) {
        match Document::read(language, self.text) {
            Ok(document) => read(&document.root, self),
            Err(fault) => {
                self.fault = Some(fault);
                lines::tokens(ecosystem, self);
            }
        }
    }
}

#[cfg(test)]
mod tests;
