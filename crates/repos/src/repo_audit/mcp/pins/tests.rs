use super::*;
use agent_strace_policy::words_of;

fn pin(line: &str) -> Pin {
    Pin::of(&Launch::of(&words_of(line).unwrap_or_default()))
}

/// `name version`, `name ~ why`, `image name ~ why`, `local path`, `none`.
fn in_words(pin: &Pin) -> String {
    match pin {
        Pin::Pinned { package, version } => format!("{package} {version}"),
        Pin::Floating { package, why } => format!("{package} ~ {why}"),
        Pin::Image { image, why: None } => format!("image {image}"),
        Pin::Image { image, why: Some(why) } => format!("image {image} ~ {why}"),
        Pin::Local(path) => format!("local {path}"),
        Pin::Remote => "remote".to_owned(),
        Pin::NotAPackage => "none".to_owned(),
    }
}

#[test]
fn packages_of_node() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    for (line, expected) in [
        ("npx -y server-files", "server-files ~ without a version"),
        ("npx -y @scope/server@1.2.3", "@scope/server 1.2.3"),
        ("npx --yes @scope/server@1.2.3-beta.1 --port 3", "@scope/server 1.2.3-beta.1"),
        ("npx -y server@latest", "server ~ by a tag, which can be moved"),
        ("npx -y server@next", "server ~ by a tag, which can be moved"),
        ("npx -y server@^1.2.3", "server ~ by a range of versions"),
        ("npx -y server@1", "server ~ by a range of versions"),
        ("npx -y server@1.x", "server ~ by a range of versions"),
        ("npx -y 'server@>=1.2.3'", "server ~ by a range of versions"),
        ("npx -y 'server@${input:version}'", "server ~ by a version that is not written there"),
        ("npx -y --package=server@2.0.0 run-it", "server 2.0.0"),
        ("npx -p server -p other@1.0.0 run-it", "server ~ without a version"),
        ("npx -c 'uvx server'", "server ~ without a version"),
        ("npx --no-install server", "none"),
        ("npx ./packages/server", "local ./packages/server"),
        ("npx -y owner/repository", "owner/repository ~ by a branch or a tag of git, which can be moved"),
        (
            "npx -y github:owner/repository#v1",
            "github:owner/repository ~ by a branch or a tag of git, which can be moved",
        ),
        ("npx -y alias@npm:server@1.2.3", "server 1.2.3"),
        (
            "npx -y https://example.com/server.tgz",
            "https://example.com/server.tgz ~ from an archive, which can be replaced at its address",
        ),
        ("bunx --bun server@1.2.3", "server 1.2.3"),
        ("bun x server", "server ~ without a version"),
        ("bun run ./src/index.ts", "local ./src/index.ts"),
        ("bun server.ts", "local server.ts"),
        ("pnpm dlx server@1.2.3", "server 1.2.3"),
        ("pnpm --package=server dlx run-it", "server ~ without a version"),
        ("pnpm start", "none"),
        ("yarn dlx -q server", "server ~ without a version"),
        ("npm exec --yes -- server@1.2.3", "server 1.2.3"),
        ("npm exec -y server", "server ~ without a version"),
        ("npm run serve", "none"),
        ("cmd /c npx -y server", "server ~ without a version"),
        ("node ./dist/index.js --stdio", "local ./dist/index.js"),
        ("node --enable-source-maps dist/index.js", "local dist/index.js"),
    ] {
        assert_eq!(in_words(&pin(line)), expected, "{line}");
    }
    let of_git = pin(&format!("npx -y git+https://example.com/o/r.git#{commit}"));
    assert_eq!(in_words(&of_git), format!("git+https://example.com/o/r.git {commit}"));
    let short = pin("npx -y git+https://example.com/o/r.git#0123456");
    assert!(matches!(short, Pin::Floating { .. }), "{short:?}");
}

#[test]
fn packages_of_python() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    for (line, expected) in [
        ("uvx server-git", "server-git ~ without a version"),
        ("uvx server-git==1.2", "server-git 1.2"),
        ("uvx server-git@1.2.3", "server-git 1.2.3"),
        ("uvx server-git@latest", "server-git ~ by a tag, which can be moved"),
        ("uvx 'server-git>=1.2'", "server-git ~ by a range of versions"),
        ("uvx 'server-git==1.*'", "server-git ~ by a range of versions"),
        ("uvx --from 'server[cli]==1.2.0' serve", "server[cli] 1.2.0"),
        ("uvx --python 3.12 --from server serve", "server ~ without a version"),
        (
            "uvx --from git+https://example.com/o/r serve",
            "git+https://example.com/o/r ~ by a branch or a tag of git, which can be moved",
        ),
        (
            "uvx --from git+https://example.com/o/r@main serve",
            "git+https://example.com/o/r ~ by a branch or a tag of git, which can be moved",
        ),
        ("uv tool run server==3", "server 3"),
        ("uv run --with mcp[cli] mcp run server.py", "mcp[cli] ~ without a version"),
        ("uv run --with mcp==1.2.0 server.py", "local server.py"),
        ("uv --directory /srv/x run server.py", "local server.py"),
        ("pipx run server==1.0", "server 1.0"),
        ("pipx run --spec server==1.0 serve", "server 1.0"),
        ("pipx run server", "server ~ without a version"),
        ("python -m server", "none"),
        ("python3.12 server.py", "local server.py"),
        ("python3 -u ./server.py", "local ./server.py"),
    ] {
        assert_eq!(in_words(&pin(line)), expected, "{line}");
    }
    let of_git = pin(&format!("uvx --from git+https://example.com/o/r@{commit}#subdirectory=x serve"));
    assert_eq!(in_words(&of_git), format!("git+https://example.com/o/r {commit}"));
    let named = pin(&format!("uvx --from 'server @ git+https://example.com/o/r@{commit}' serve"));
    assert_eq!(in_words(&named), format!("server {commit}"));
}

#[test]
fn images_and_what_others_bring() {
    let digest = format!("@sha256:{}", "ab".repeat(32));
    let commit = "0123456789abcdef0123456789abcdef01234567";
    for (line, expected) in [
        ("docker run -i --rm mcp/fetch", "image mcp/fetch ~ without a version".to_owned()),
        (
            "docker run -i --rm -e TOKEN mcp/fetch:latest",
            "image mcp/fetch:latest ~ by a tag, which can be moved".to_owned(),
        ),
        (
            "docker run -it --env-file .env images.example.com:5000/a/b:1.2.3 serve",
            "image images.example.com:5000/a/b:1.2.3 ~ by a tag, which can be moved".to_owned(),
        ),
        (
            "docker run -ie TOKEN --network none --mount type=bind,src=a,dst=/b a/b",
            "image a/b ~ without a version".to_owned(),
        ),
        ("docker exec -i running serve", "none".to_owned()),
        ("docker compose run x", "none".to_owned()),
        ("docker mcp gateway run", "none".to_owned()),
        ("deno run -A npm:server@1.2.3", "server 1.2.3".to_owned()),
        ("deno run -A jsr:@scope/server", "@scope/server ~ without a version".to_owned()),
        (
            "deno run --allow-net https://example.com/x@v1.2.3/mod.ts",
            "https://example.com/x@v1.2.3/mod.ts v1.2.3".to_owned(),
        ),
        (
            "deno run https://example.com/mod.ts",
            "https://example.com/mod.ts ~ from an archive, which can be replaced at its address".to_owned(),
        ),
        ("deno run ./main.ts", "local ./main.ts".to_owned()),
        ("go run example.com/server@v1.2.3", "example.com/server v1.2.3".to_owned()),
        ("go run example.com/server@latest", "example.com/server ~ by a tag, which can be moved".to_owned()),
        ("go run example.com/server", "none".to_owned()),
        ("go run ./cmd/server", "local ./cmd/server".to_owned()),
        ("cargo run --manifest-path a/Cargo.toml", "local a/Cargo.toml".to_owned()),
        ("nix run nixpkgs#server", "nixpkgs#server ~ by a branch or a tag of git, which can be moved".to_owned()),
        ("nix run .#server", "local .#server".to_owned()),
        ("dnx Server@1.2.3 --yes", "Server 1.2.3".to_owned()),
        ("dnx Server --version 1.2.3 --yes", "Server 1.2.3".to_owned()),
        ("dnx Server --yes", "Server ~ without a version".to_owned()),
        ("dotnet run --project x", "local .".to_owned()),
        ("/usr/local/bin/server", "local /usr/local/bin/server".to_owned()),
        ("server --stdio", "none".to_owned()),
    ] {
        assert_eq!(in_words(&pin(line)), expected, "{line}");
    }
    let image = pin(&format!("podman run --rm a/b:1{digest}"));
    assert_eq!(in_words(&image), format!("image a/b:1{digest}"));
    let flake = pin(&format!("nix run github:owner/name/{commit}#server"));
    assert_eq!(in_words(&flake), format!("github:owner/name/{commit} {commit}"));
}

#[test]
fn containers_that_get_the_machine() {
    let risks_of = |line: &str| risks(&words_of(line).unwrap()).len();
    for line in [
        "docker run --privileged a/b",
        "docker run -v /:/host a/b",
        "docker run -v/:/host a/b",
        "docker run -iv //:/host a/b",
        "docker run -v /var/run/docker.sock:/var/run/docker.sock a/b",
        "podman run --mount type=bind,source=/,target=/host a/b",
        "docker run --pid=host a/b",
        "docker run --cap-add SYS_ADMIN a/b",
    ] {
        assert_eq!(risks_of(line), 1, "{line}");
    }
    for line in [
        "docker run -v ./data:/data a/b",
        "docker run -v /srv/x:/x a/b",
        "docker run a/b --privileged",
        "npx --privileged a",
    ] {
        assert_eq!(risks_of(line), 0, "{line}");
    }
}
