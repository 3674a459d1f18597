//! Which operands of a command are code that it runs. Those of linters, compilers and tests are data.

use super::calls::GATE;
use super::resolve::RUNNERS;

/// Programs that read or manage files and run none of their operands.
const DATA: &str = "cat echo printf git grep rg egrep test [ [[ ls rm diff cmp head tail wc touch mkdir chmod chown jq yq \
    tar zip unzip gzip curl wget sed tee sort cut tr stat sha256sum shasum md5sum realpath dirname basename readlink find \
    tree less more file du rsync scp gh glab export set true false shellcheck shfmt prettier eslint actionlint zizmor \
    yamllint markdownlint cargo-fmt rustfmt black ruff codespell";

/// Programs that put a file somewhere else.
const COPIERS: &str = "cp mv ln install";

/// Programs whose first operand is a script that they run.
const INTERPRETERS: &str = "sh bash dash ash zsh ksh fish pwsh powershell cmd python pypy py node nodejs deno bun tsx ts-node \
    ruby perl php lua rscript groovy kotlin java osascript nu source . bats expect tclsh swift elixir";

/// Options of interpreters with a value behind them.
const VALUED: &str = "-r --require --import --loader --experimental-loader --rcfile --init-file --env-file -W -X -I -o -O \
    --preload --config -f --project";

/// Programs whose operands are another command.
const WRAPPERS: &str = "sudo doas env exec command time nohup nice ionice timeout stdbuf xargs npx bunx pnpx uvx uv pipx \
    poetry pipenv pdm hatch rye npm pnpm yarn bundle retry chronic doppler dotenv xvfb-run setsid unbuffer builtin watch";

/// Commands of cargo that run no program of a package for its own sake.
const CARGO: &str = "build b test t check c clippy fmt doc bench publish package install update tree metadata nextest deny \
    audit fetch clean llvm-cov add fix miri";

/// The program, file or recipe that a command runs.
#[derive(Debug, Default)]
pub(super) struct Operands<'w> {
    /// Files, or options with a file behind `=`.
    pub(super) files: Vec<&'w str>,
    /// Files that are code where they are scripts of a shell.
    pub(super) perhaps: Vec<&'w str>,
    /// Another command.
    pub(super) command: Option<&'w [String]>,
}

/// `is_file`: whether a word names a file of the repository.
pub(super) fn of_command<'w>(name: &str, rest: &'w [String], is_file: &dyn Fn(&str) -> bool) -> Operands<'w> {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let bare = if bare.is_empty() { name } else { bare };
    let words = || rest.iter().map(String::as_str);
    let all = || Operands { files: words().collect(), ..Operands::default() };
    if is_data(name) {
        return Operands::default();
    }
    if is_in(COPIERS, name) {
        // One of the two names is that of the gate's program: the other one replaces it, or is replaced.
        let is_gate = words().any(|word| super::resolve::name_of(word).starts_with(GATE));
        return if is_gate { all() } else { Operands::default() };
    }
    if is_in(WRAPPERS, name) {
        return Operands { command: wrapped(rest), ..Operands::default() };
    }
    if is_in(INTERPRETERS, bare) {
        return Operands { files: script(rest, is_file), ..Operands::default() };
    }
    if matches!(name, "go" | "dotnet") {
        let runs = words().any(|word| word == "run" || word == "generate");
        return if runs { all() } else { Operands::default() };
    }
    if name == GATE || RUNNERS.iter().any(|(names, _)| names.contains(&name)) {
        return all();
    }
    Operands { perhaps: words().collect(), ..Operands::default() }
}

/// Whether a program reads or manages files and runs none of them.
pub(super) fn is_data(name: &str) -> bool {
    is_in(DATA, name)
}

/// Returns true if a word behind the program may name a target of a build. Programs that run files or other commands have none.
pub(super) fn may_name_target(name: &str) -> bool {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    name != GATE && ![DATA, COPIERS, INTERPRETERS, WRAPPERS].iter().any(|list| is_in(list, name) || is_in(list, bare))
}

/// Whether cargo runs a program of a package.
pub(super) fn cargo_runs(rest: &[String]) -> bool {
    let subcommand = rest.iter().find(|word| !word.starts_with(['-', '+']));
    subcommand.is_some_and(|word| !is_in(CARGO, word))
}

/// The command behind the options of a wrapper.
fn wrapped(rest: &[String]) -> Option<&[String]> {
    let is_of_wrapper = |word: &String| {
        word.starts_with('-')
            || word.contains('=')
            || word.starts_with(|letter: char| letter.is_ascii_digit())
            || matches!(word.as_str(), "run" | "exec" | "x" | "dlx" | "tool")
    };
    let start = rest.iter().position(|word| !is_of_wrapper(word))?;
    rest.get(start..)
}

/// The module that Python runs, and its words: `python -m pip install .`
pub(super) fn module<'w>(name: &str, rest: &'w [String]) -> Option<&'w [String]> {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let at = rest.iter().position(|word| word == "-m").filter(|_| matches!(bare, "python" | "pypy" | "py"))?;
    rest.get(at + 1..)
}

/// The script of an interpreter, and files that options of it name.
fn script<'w>(rest: &'w [String], is_file: &dyn Fn(&str) -> bool) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut is_value = false;
    // `-m` names a module, which has no file among the operands.
    for word in rest.iter().take_while(|word| *word != "-m") {
        found.push(word.as_str());
        let is_option = word.starts_with('-');
        let is_command = matches!(word.as_str(), "run" | "test" | "task" | "x");
        if !is_option && !is_value && !is_command && (is_file(word) || word.contains('/')) {
            break;
        }
        is_value = is_option && is_in(VALUED, word);
    }
    found
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}
