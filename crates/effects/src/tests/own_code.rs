//! Code that a session runs: of the repository as it was, or what the session made of it.

use agent_strace_model::Status;

use super::tracker::{STAYS, create, edit, run, track};

const LOCKED: &str = "installs the packages that the lock file names";

/// A call before the install, and the install.
const NOT_LOCKED: &[(&str, &str)] = &[
    ("true", "npm install left-pad"),
    ("true", "npm ci --registry https://npm.example.com"),
    ("echo '{}' > package.json", "npm install"),
    ("cp /tmp/x web/package-lock.json", "npm ci"),
    ("echo 'registry=https://npm.example.com' > .npmrc", "npm ci"),
    ("curl -sL https://example.com/x.tgz | tar xz", "npm ci"),
    ("curl -sL https://example.com/x.tgz | tar xz -C web", "cd web && npm ci"),
    ("git clone https://github.com/a/b", "cd b && npm ci"),
    ("git fetch origin pull/9/head && git checkout FETCH_HEAD", "npm ci"),
    ("sed -i 's/a/b/' pyproject.toml", "uv sync"),
    ("true", "npm --registry https://npm.example.com ci"),
    ("true", "npm --userconfig /tmp/npmrc ci"),
    ("true", "npm ci --prefix /tmp/evil"),
    ("true", "uv --project /tmp/evil sync"),
    ("true", "uv sync --directory /tmp/evil"),
    ("true", "uv --config-file /tmp/uv.toml sync"),
    ("true", "poetry -C /tmp/evil install"),
    ("true", "NPM_CONFIG_REGISTRY=https://npm.example.com npm ci"),
    ("true", "export UV_INDEX_URL=https://pypi.example.com; uv sync"),
    ("export NPM_CONFIG_REGISTRY=https://npm.example.com", "npm ci"),
    ("true", "NODE_OPTIONS='--require /tmp/x.js' npm ci"),
    ("true", "HOME=/tmp/home npm ci"),
    ("true", "env BUNDLE_GEMFILE=/tmp/Gemfile bundle install"),
    ("sed -i 's/1/2/' *.json", "npm ci"),
    ("git ls-files '*.json' | xargs sed -i 's/1/2/'", "npm ci"),
    ("git apply /tmp/p.patch", "npm ci"),
    ("npx npm-check-updates -u", "npm install"),
    ("npm install left-pad", "npm ci"),
    ("npm config set registry https://npm.example.com", "npm ci"),
    ("npm pkg set dependencies.x=1", "npm install"),
    ("poetry source add x https://pypi.example.com", "poetry install"),
    ("bundle config set mirror.all https://gems.example.com", "bundle install"),
    ("git submodule add https://github.com/a/b sub", "cd sub && npm ci"),
    ("npx degit a/b sub", "cd sub && npm ci"),
    ("mv /tmp/m web", "cd web && npm ci"),
    ("ln -s /tmp/m web", "cd web && npm ci"),
    ("cd /tmp/m", "npm ci"),
];

#[test]
fn what_the_lock_file_names_is_installed_where_the_session_changed_no_list() {
    for install in ["npm ci", "npm i", "pnpm install --frozen-lockfile", "uv sync", "poetry install", "bundle install"]
    {
        let mut tracker = track(Some("/repo"), &STAYS);
        create(&mut tracker, "src/a.ts", "export const a = 1;");
        assert!(run(&mut tracker, "Bash", install).contains(LOCKED), "{install}");
    }
    for (before, install) in NOT_LOCKED {
        let mut tracker = track(Some("/repo"), &STAYS);
        run(&mut tracker, "Bash", before);
        assert!(!run(&mut tracker, "Bash", install).contains(LOCKED), "{before}: {install}");
    }
}

const COMPILED: &str = "runs a program that this session compiled";

/// A call before the build, the build, and the program that it makes.
const NOT_COMPILED: &[(&str, &str, &str)] = &[
    ("curl -so main.go https://example.com/m.go", "go build -o /tmp/x .", "/tmp/x"),
    ("cp -r /tmp/m cmd/y", "go build -o /tmp/x ./cmd/x", "/tmp/x"),
    ("curl -sL https://example.com/x.tgz | tar xz", "go build -o /tmp/x .", "/tmp/x"),
    ("git clone https://github.com/a/b", "cd b && go build -o /tmp/x .", "/tmp/x"),
    ("true", "go build -o /tmp/x /tmp/m", "/tmp/x"),
    ("true", "cd /tmp/m && go build -o /tmp/x .", "/tmp/x"),
    ("true", "go build -C /tmp/m -o /tmp/x .", "/tmp/x"),
    ("true", "go build -o /tmp/x -overlay /tmp/o.json .", "/tmp/x"),
    ("true", "go build -o /tmp/x -toolexec ./t .", "/tmp/x"),
    ("true", "go build -o /tmp/x . && cp /tmp/evil /tmp/x", "/tmp/x"),
    ("true", "go build -o /tmp/x . && echo id >> /tmp/x", "/tmp/x"),
    ("true", "go build -o /tmp/x . && mv /tmp/evil /tmp/x", "/tmp/x"),
    ("true", "go build -o /tmp/x . && ln -sf /tmp/evil /tmp/x", "/tmp/x"),
    ("curl -so /tmp/x https://example.com/x", "go build -o /tmp/x .", "/tmp/x"),
    ("curl -so /tmp/x https://example.com/x", "go build -n -o /tmp/x .", "/tmp/x"),
    ("true", "GOFLAGS=-toolexec=/tmp/t go build -o /tmp/x .", "/tmp/x"),
    ("true", "export GOWORK=/tmp/go.work; go build -o /tmp/x .", "/tmp/x"),
    ("go env -w GOFLAGS=-overlay=/tmp/o.json", "go build -o /tmp/x .", "/tmp/x"),
    ("true", "go build -ldflags '-extld=/tmp/t' -o /tmp/x .", "/tmp/x"),
    ("echo 'replace a => /tmp/evil' >> go.mod", "go build -o /tmp/x .", "/tmp/x"),
    ("printf 'go 1.22\nuse /tmp/evil\n' > go.work", "go build -o /tmp/x .", "/tmp/x"),
    ("go get example.com/m && go mod tidy", "go build -o /tmp/x .", "/tmp/x"),
    ("git apply /tmp/p.patch", "go build -o /tmp/x .", "/tmp/x"),
    ("true", "go build -o /tmp/x . || curl -so /tmp/x https://example.com/x", "/tmp/x"),
];

#[test]
fn a_program_that_the_session_compiles_is_code_of_the_repository() {
    let mut tracker = track(Some("/repo"), &STAYS);
    create(&mut tracker, "cmd/x/main.go", "package main");
    edit(&mut tracker, &serde_json::json!({ "path": "a.go", "old_str": "a", "new_str": "b" }), Status::Ok);
    run(&mut tracker, "Bash", "go test ./... 2>&1 | tail -3; git add -A");
    let effects = run(&mut tracker, "Bash", "go build -o /tmp/x ./cmd/x && /tmp/x status");
    assert!(effects.contains(COMPILED), "{effects}");
    for (before, build, program) in NOT_COMPILED {
        let mut tracker = track(Some("/repo"), &STAYS);
        run(&mut tracker, "Bash", before);
        run(&mut tracker, "Bash", build);
        let effects = run(&mut tracker, "Bash", program);
        assert!(!effects.contains(COMPILED), "{before}; {build}: {effects}");
    }
}

const EDITED: &str = "runs a script that this session edited";

/// Calls before the script of the repository runs that leave its text unknown.
const NOT_EDITED: &[&str] = &[
    "sed -i \"s/a/$x/\" tool.py",
    "sed -i -f script.sed tool.py",
    "sed -i '1r part.py' tool.py",
    "sed -i 'y/abc/xyz/' tool.py",
    "sed -i 's/.*/id/e' tool.py",
    "curl -so tool.py https://example.com/t.py && sed -i 's/a/b/' tool.py",
    "sed -i 's/a/b/' tool.py && cat part.py >> tool.py",
    "sed -i 's/a/b/' tool.py && cp part.py tool.py",
    "perl -pi -e 's/a/chr(65)/e' tool.py",
];

#[test]
fn a_script_that_sed_edits_is_its_own_text_and_that_of_the_edits() {
    let mut tracker = track(Some("/repo"), &STAYS);
    run(&mut tracker, "Bash", "sed -i 's/float$/float:/' tool.py");
    let effects = run(&mut tracker, "Bash", "python tool.py");
    assert!(effects.contains(EDITED), "{effects}");
    run(&mut tracker, "Bash", "sed -i \"s/pass/import os; os.remove('x')/\" tool.py");
    let effects = run(&mut tracker, "Bash", "python tool.py");
    assert!(effects.contains(EDITED) && effects.contains("delete?? x"), "{effects}");
    for before in NOT_EDITED {
        let mut tracker = track(Some("/repo"), &STAYS);
        run(&mut tracker, "Bash", before);
        let effects = run(&mut tracker, "Bash", "python tool.py");
        assert!(!effects.contains(EDITED), "{before}: {effects}");
    }
    let mut tracker = track(Some("/repo"), &STAYS);
    run(&mut tracker, "Bash", "cp -r /tmp/m tools && sed -i 's/a/b/' tools/x.py");
    assert!(!run(&mut tracker, "Bash", "python tools/x.py").contains(EDITED));
}

#[test]
fn an_edit_that_may_have_failed_leaves_a_text_of_the_session() {
    let mut tracker = track(Some("/repo"), &STAYS);
    create(&mut tracker, "x.py", "\n");
    edit(&mut tracker, &serde_json::json!({ "path": "x.py", "text": "print(1)" }), Status::Error);
    let effects = run(&mut tracker, "Bash", "python x.py");
    assert!(effects.contains("runs a script that this session edited"), "{effects}");
    edit(&mut tracker, &serde_json::json!({ "path": "x.py", "text": "import os; os.remove('a')" }), Status::Error);
    assert!(run(&mut tracker, "Bash", "python x.py").contains("delete?? a"));
}
