use super::*;

fn found(path: &str, text: &str) -> Vec<String> {
    let shown = |mention: &Mention| {
        let what = match &mention.named {
            Reference::Package(ecosystem, name) => format!("{ecosystem:?} {name}"),
            Reference::Extension(id) => format!("extension {id}"),
            Reference::Feature(name) => format!("feature {name}"),
            Reference::Action(name) => format!("action {name}"),
            Reference::Command(words) => format!("$ {}", words.join(" ")),
        };
        format!("{}: {what}", mention.line)
    };
    mentions(path, text).0.iter().map(shown).collect()
}

#[track_caller]
fn holds(path: &str, text: &str, wanted: &[&str]) {
    let found = found(path, text);
    for wanted in wanted {
        assert!(found.iter().any(|found| found == wanted), "{path}: no {wanted} in {found:#?}");
    }
}

#[test]
fn manifests_and_lockfiles_name_their_packages() {
    holds(
        "web/package.json",
        "{\n\"devDependencies\": {\n\"@openai/codex\": \"^1\"},\n\"scripts\": {\"ai\": \"npx -y opencode-ai@latest run\"}}",
        &["3: Npm @openai/codex", "4: Npm opencode-ai"],
    );
    holds(
        "package-lock.json",
        "{\"packages\": {\n\"node_modules/a/node_modules/@scope/b\": {}},\n\"dependencies\": {\"c\": {\"dependencies\": {\"d\": {}}}}}",
        &["2: Npm @scope/b", "3: Npm c", "3: Npm d"],
    );
    holds("yarn.lock", "\n\"@scope/b@^1.0.0\", \"@scope/b@npm:1\":\n  version \"1\"\n", &["2: Npm @scope/b"]);
    holds("pnpm-lock.yaml", "packages:\n  '@scope/b@1.0.0(react@18)':\n", &["2: Npm @scope/b"]);
    holds("requirements-dev.txt", "# x\nAider-Chat[browser]>=0.8 ; python_version > '3'\n", &["2: Pypi aider-chat"]);
    holds(
        "pyproject.toml",
        "[project]\ndependencies = [\"aider-chat>=1\"]\n[dependency-groups]\ndev = [\n'openhands-ai']\n[tool.poetry.group.dev.dependencies]\nx-y = '1'\n",
        &["2: Pypi aider-chat", "5: Pypi openhands-ai", "7: Pypi x-y"],
    );
    holds("uv.lock", "[[package]]\nname = 'aider-chat'\n", &["2: Pypi aider-chat"]);
    holds(
        "Cargo.toml",
        "[target.x.dependencies]\na = '1'\n[dependencies.b]\nversion = '1'\n",
        &["2: Cargo a", "3: Cargo b"],
    );
    holds("go.mod", "module x.y/z\nrequire (\n\tgithub.com/a/b v1.0.0 // indirect\n)\n", &["3: Go github.com/a/b"]);
    holds("Gemfile", "gem 'claude-on-rails', '~> 1'\n", &["1: Gem claude-on-rails"]);
    holds("Gemfile.lock", "GEM\n  specs:\n    claude-on-rails (0.1)\n", &["3: Gem claude-on-rails"]);
    holds("a/b.csproj", "<PackageReference Include=\"A.B\" Version=\"1\" />", &["1: Nuget a.b"]);
    holds("Brewfile", "brew \"aider\"\ncask 'claude-code'\n", &["1: Brew aider", "2: Brew claude-code"]);
    holds("mise.toml", "[tools]\n\"npm:@openai/codex\" = \"latest\"\n", &["2: Npm @openai/codex"]);
}

#[test]
fn a_manifest_that_is_broken_is_not_passed_over() {
    holds("package.json", "{\"dependencies\": {\n  \"@openai/codex\": \"1\"\n", &["2: Npm @openai/codex"]);
}

#[test]
fn steps_that_are_not_understood_are_a_fault() {
    for path in [".github/workflows/a.yml", ".gitlab-ci.yml", "compose.yaml", ".devcontainer/devcontainer.json"] {
        assert!(mentions(path, "{ a: [ \n").1.is_some(), "{path}");
    }
    assert!(mentions("package.json", "{").1.is_none());
    assert!(
        mentions(".gitlab-ci.yml", "a:\n  script:\n    - !reference [.b, script]\n    - claude -p x\n").1.is_none()
    );
}

#[test]
fn workflows_name_actions_images_and_commands() {
    let text = "\
jobs:
  a:
    container: ghcr.io/x/y:1
    steps:
      - uses: Anthropics/Claude-Code-Action@v1
      - name: run
        run: |
          set -e
          if true; then npm i -g @openai/codex@0.1 && codex exec \"${{ inputs.x }}\"; fi
      - run: pipx run aider-chat --yes
      - uses: docker://ghcr.io/a/b@sha256:00
";
    holds(
        ".github/workflows/x.yml",
        text,
        &[
            "3: Docker ghcr.io/x/y",
            "5: action anthropics/claude-code-action",
            "9: Npm @openai/codex",
            "9: $ codex exec EXPRESSION",
            "10: Pypi aider-chat",
            "11: Docker ghcr.io/a/b",
        ],
    );
    holds(".gitlab-ci.yml", "ai:\n  script:\n    - echo 'codex exec'\n    - claude -p hi\n", &["4: $ claude -p hi"]);
    assert!(
        !found(".gitlab-ci.yml", "ai:\n  script:\n    - echo 'codex exec'\n")
            .iter()
            .any(|line| line.contains("$ codex"))
    );
}

#[test]
fn containers_and_editors_name_theirs() {
    holds(
        "docker/Dockerfile.dev",
        "FROM --platform=x ghcr.io:5000/a/b:1@sha256:0 AS c\nRUN apt-get update && \\\n  # why\n  npm i -g @openai/codex\nCMD [\"claude\", \"-p\", \"a b\"]\n",
        &["1: Docker ghcr.io:5000/a/b", "2: Npm @openai/codex", "5: $ claude -p a b"],
    );
    holds("compose.yaml", "services:\n  a:\n    image: ollama/ollama:latest\n", &["3: Docker ollama/ollama"]);
    holds(
        ".devcontainer/devcontainer.json",
        "{// x\n\"features\": {\"ghcr.io/A/b:1\": {}},\n\"customizations\": {\"vscode\": {\"extensions\": [\"GitHub.copilot\", \"-x.y\"]}},\n\"postCreateCommand\": \"npm i -g @openai/codex\",}",
        &["2: feature ghcr.io/a/b", "3: extension github.copilot", "4: Npm @openai/codex"],
    );
    assert_eq!(
        found(".vscode/extensions.json", "{\"recommendations\": [\"a.b\"], \"unwantedRecommendations\": [\"c.d\"]}"),
        ["1: extension a.b"]
    );
}
