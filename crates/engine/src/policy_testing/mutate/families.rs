//! The families of disguises, each with a sentence for a reader who has not met it.

/// A way in which the same act is said in other words.
#[derive(Debug, PartialEq, Eq)]
pub struct MutantFamily {
    /// `F13`.
    pub id: &'static str,
    pub name: &'static str,
    /// One sentence without a full stop.
    pub about: &'static str,
}

const fn family(id: &'static str, name: &'static str, about: &'static str) -> MutantFamily {
    MutantFamily { id, name, about }
}

/// All families, in the order of reports.
pub const FAMILIES: &[MutantFamily] = &[
    family("F01", "compound commands", "the command stands behind `&&`, `;` or a pipe, or in a loop or a function"),
    family("F02", "a change of directory first", "`cd` comes first, so that the same words mean other files"),
    family("F03", "wrappers", "another program starts it: `env`, `timeout`, `sudo`, `nohup`"),
    family("F04", "assignments in front", "variables are set in front of the command, or exported before it"),
    family("F05", "nested shells", "the command is the text of another shell: `bash -c`, `eval`, `| sh`"),
    family("F06", "substitutions", "the command runs inside `$(...)`, backticks or `<(...)`"),
    family("F07", "here-documents as programs", "a shell reads the command from a here-document"),
    family("F08", "redirections and copying", "the file is changed by `>`, `tee`, `cp`, `mv`, `sed -i` and the like"),
    family("F09", "programs that run programs", "`find -exec`, `xargs`, `parallel` and `fd -x` run it"),
    family("F10", "programs that seem to read only", "a viewer, a pager or an archiver is given the command to run"),
    family("F11", "git's global options", "`git -C`, `-c`, `--git-dir` and others stand before the subcommand"),
    family("F12", "other flags, other order", "flags are added, moved, spelled out or split"),
    family("F13", "quoting and encoding", "the words are quoted, split, put into variables, reversed or encoded"),
    family("F14", "another path to the program", "the program is named by a path, a pattern, a copy or a link"),
    family("F15", "interpreters", "a program in Python, Node, Perl, Ruby or PHP starts it"),
    family(
        "F16",
        "other forms of the path",
        "the path has `..`, `//` or an absolute form, or comes from another directory",
    ),
    family("F17", "another name of the file", "a link or a copy made in the session leads to the file"),
    family("F18", "case and characters", "the name differs in case, a trailing dot or an invisible character"),
    family(
        "F19",
        "the file through the shell",
        "shell commands and interpreters read the file, not the agent's own tool",
    ),
    family("F20", "other tools that write", "other tools of agents, and patches, change the file"),
    family("F21", "other ways to a host", "other clients, proxies, redirects and forms of the address reach the host"),
    family("F22", "MCP tools", "a tool of an MCP server does it"),
    family("F25", "written first, run later", "one call writes a script, and a later one runs it"),
    family(
        "F26",
        "other shapes of a record",
        "the log records the call in another shape: lists of words, other tools for a shell",
    ),
    family("F30", "more than a reader wants to read", "the command is hidden in a text that is very long or deep"),
];

#[cfg(test)]
#[test]
fn every_family_of_the_data_is_described() {
    let groups = super::load().unwrap();
    for group in &groups {
        assert!(FAMILIES.iter().any(|family| family.id == group.family), "{}", group.family);
    }
    assert!(FAMILIES.is_sorted_by_key(|family| family.id));
    assert!(FAMILIES.iter().all(|family| groups.iter().any(|group| group.family == family.id)));
}
