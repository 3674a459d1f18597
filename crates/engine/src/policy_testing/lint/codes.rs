//! The codes: what each is, and why it matters.

/// One kind of finding about a policy.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    pub id: &'static str,
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it means, why it matters, what to do.
    pub text: &'static str,
}

/// All of them, also those that are refused when a policy is read and never get as far as here.
pub const CODES: &[&Code] = &[
    &UNKNOWN_KEY,
    &WITHOUT_EFFECT,
    &BROAD_ALLOW,
    &FRAGILE_DENY,
    &OPEN_NETWORK,
    &OTHER_MACHINE,
    &OPENED_FLOOR,
    &ENDLESS_EXCEPTION,
    &WRONG_EXAMPLE,
    &ONLY_HERE,
    &UNUSED_LABEL,
    &EVIDENCE_BY_PLACE,
];

static UNKNOWN_KEY: Code = Code {
    id: "POL001",
    name: "unknown-key",
    summary: "a key that nothing reads",
    text: "A misspelt key protects nothing. This is no lint but a fault: a policy with one can't be used, and\n\
           `policy validate` shows it with the key that was meant.",
};

pub(super) static WITHOUT_EFFECT: Code = Code {
    id: "POL002",
    name: "without-effect",
    summary: "an entry that changes no verdict",
    text: "It stands twice, or everything it allows is denied elsewhere (a deny wins, wherever it stands), or not even\n\
           what it says in plain words is refused. Remove it, or say what was meant.",
};

pub(super) static BROAD_ALLOW: Code = Code {
    id: "POL003",
    name: "broad-allow",
    summary: "an allow that grants more than it seems to",
    text: "`git` allows `git push --force`, `python3` any program in Python, `xargs` and `env` start other programs, `docker`\n\
           and `npx` bring their own. Here every command inside another one is judged by itself, so a wrapper grants\n\
           less than elsewhere; what an interpreter does in code that can't be read is not seen. Name the subcommand\n\
           (`git status`) or the script (`python3 tools/gen.py`).",
};

pub(super) static FRAGILE_DENY: Code = Code {
    id: "POL004",
    name: "fragile-deny",
    summary: "a deny that can be disguised",
    text: "For each deny an example of what it forbids is made and said in other words, in the ways that agents and\n\
           attackers have been seen to: joined to other commands, behind wrappers and assignments, in nested shells,\n\
           substitutions and here-documents, quoted, encoded, through interpreters, other tools, other forms of a\n\
           path, links, case, other clients and proxies. What the whole policy lets through is listed. Refused means\n\
           denied, asked, or not resolved at a level that fails; what is only warned about is told apart.",
};

pub(super) static OPEN_NETWORK: Code = Code {
    id: "POL005",
    name: "open-network",
    summary: "`network.allow` without `deny_all`",
    text: "Without `\"deny_all\": true` every host may be contacted, and the list of allowed hosts decides nothing.",
};

pub(super) static OTHER_MACHINE: Code = Code {
    id: "POL006",
    name: "other-machine",
    summary: "a path that means another file than it seems, or one machine only",
    text: "In version 1 `/home/ana/x` is a file of one machine: name it relative to the repository. In version 2 a leading\n\
           `/` is the root of the repository, so `/etc/passwd` is a file `etc/passwd` in it; `//etc/passwd` is the\n\
           file of the system, and `~/` the home directory. `**` is all of these, `/**` what is in the repository.",
};

pub(super) static OPENED_FLOOR: Code = Code {
    id: "POL007",
    name: "opened-floor",
    summary: "an exception from the built-in floor",
    text: "That agents may not change the policy, their own settings, hooks, the gate and the traces is built in. An\n\
           exception can open it for a time; while it holds, an agent can lift every other entry.",
};

pub(super) static ENDLESS_EXCEPTION: Code = Code {
    id: "POL008",
    name: "endless-exception",
    summary: "an exception without an end, or with one that is far away",
    text: "An exception is a debt: with `until` it is looked at again. More than 180 days away it will be forgotten.",
};

static WRONG_EXAMPLE: Code = Code {
    id: "POL009",
    name: "wrong-example",
    summary: "an example that contradicts its rule",
    text: "Examples are worked out when a policy is read, and one that does not hold is a fault: such a policy can't be\n\
           used, and `policy validate` shows which one.",
};

static ONLY_HERE: Code = Code {
    id: "POL010",
    name: "only-here",
    summary: "a read deny that an agent's own settings can't express",
    text: "This gate sees a denied file in `cat`, `git show` or a program's code. Many agents' own rules see their file\n\
           tool only. `policy export` lists what the exported rules do not cover.",
};

pub(super) static UNUSED_LABEL: Code = Code {
    id: "POL011",
    name: "unused-label",
    summary: "a label that no entry names",
    text: "A label alone judges nothing: write `label:NAME` where a path pattern may stand, or remove it.",
};

pub(super) static EVIDENCE_BY_PLACE: Code = Code {
    id: "POL012",
    name: "evidence-by-place",
    summary: "evidence for entries by their places in lists",
    text: "An entry that is inserted moves the others, and then `provenance` shows the evidence of one entry at another.\n\
           Nothing reads the key: `agent-strace policy` writes `.agent-scope.provenance.json` instead, which goes by text.",
};
