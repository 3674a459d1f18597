//! Reads from the operands of a runner which recipes it is asked for.

pub(super) fn operands(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| !word.contains('=')).cloned().collect()
}

/// `nx run app:build` runs the goal `build`.
pub(super) fn parts(words: &[String]) -> Vec<String> {
    words.iter().flat_map(|word| word.split(':')).flat_map(around).collect()
}

/// The names behind `run`, or behind the subcommand.
pub(super) fn behind_run(words: &[String]) -> Vec<String> {
    let words = operands(words);
    let is_verb = |word: &String| matches!(word.as_str(), "run" | "r" | "task" | "poe" | "make");
    let verbs = words.iter().take(3).filter(|word| is_verb(word)).count();
    words.into_iter().skip(verbs).take(2).map(|name| name.rsplit(':').next().unwrap_or_default().to_owned()).collect()
}

/// `node --run script`
pub(super) fn node_goals(words: &[String]) -> Vec<String> {
    words.iter().filter_map(|word| word.strip_prefix('=')).map(str::to_owned).collect()
}

/// The scripts that a subcommand of `yarn` or `pnpm` runs.
pub(super) fn yarn_goals(words: &[String]) -> Vec<String> {
    match words {
        [workspace, _, rest @ ..] if workspace == "workspace" => yarn_goals(rest),
        [workspaces, rest @ ..] if workspaces == "workspaces" => {
            let behind = rest.iter().position(|word| word == "run").map_or(0, |at| at + 1);
            around(rest.get(behind).map_or("", String::as_str))
        }
        [script, ..] if script == "x" => around(script),
        _ => npm_goals(words),
    }
}

/// The scripts that a subcommand runs.
pub(super) fn npm_goals(words: &[String]) -> Vec<String> {
    let Some((sub, rest)) = words.split_first() else { return goals(&["preinstall install postinstall prepare"]) };
    match sub.as_str() {
        "run" | "run-script" | "rum" | "urn" => around(rest.first().map_or("", String::as_str)),
        "install" | "i" | "add" | "ci" | "update" | "up" | "upgrade" | "clean-install" | "rebuild" | "link" => {
            goals(&["preinstall install postinstall prepublish preprepare prepare postprepare dependencies"])
        }
        "install-test" | "it" => goals(&["preinstall install postinstall prepare pretest test posttest"]),
        "t" | "tst" => around("test"),
        "restart" => goals(&["prerestart restart prestop stop poststop prestart start poststart postrestart"]),
        "publish" | "pack" => goals(&["prepublish prepublishOnly prepack prepare postpack publish postpublish"]),
        "version" => goals(&["preversion version postversion"]),
        "uninstall" | "remove" | "rm" | "un" | "exec" | "x" | "dlx" | "create" | "init" => Vec::new(),
        other => around(other),
    }
}

fn around(script: &str) -> Vec<String> {
    vec![format!("pre{script}"), script.to_owned(), format!("post{script}")]
}

fn goals(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|names| names.split(' ')).map(str::to_owned).collect()
}

pub(super) fn composer_goals(words: &[String]) -> Vec<String> {
    let Some((sub, rest)) = words.split_first() else { return Vec::new() };
    let events = |name: &str| {
        ["pre", "post"]
            .map(|when| format!("{when}-{name}-cmd"))
            .into_iter()
            .chain(goals(&["pre-autoload-dump post-autoload-dump post-root-package-install post-create-project-cmd"]))
            .collect()
    };
    match sub.as_str() {
        "run" | "run-script" | "exec" => rest.first().cloned().into_iter().collect(),
        "install" | "i" => events("install"),
        "update" | "u" | "upgrade" | "require" | "remove" => events("update"),
        other => vec![other.to_owned()],
    }
}
