//! The syntax tree the rest of the crate works on: what matters for effects, nothing else.

use std::rc::Rc;

/// A parsed piece of shell text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) nodes: Vec<Node>,
    /// What the parser could not make sense of. A script with problems still lists what was recovered, but it is
    /// never proof that nothing else runs.
    pub(crate) problems: Vec<Problem>,
}

/// Why a script is not fully understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Lower case, one line, without text from the script.
    pub(crate) reason: String,
}

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Simple(Simple),
    /// Stages run in subshells; the output of one is the input of the next.
    Pipeline(Vec<Node>),
    /// `( … )`: assignments and `cd` don't leave it.
    Subshell(Box<Script>),
    /// `{ …; }` and the parts of `&&`/`||` lists: same shell.
    Group(Box<Script>),
    /// Background (`&`) and `coproc`: a subshell that may outlive the text.
    Background(Box<Node>),
    /// `if`, and anything else of which not every part must run. Conditions come first, in order.
    Branches(Vec<Script>),
    /// `for`/`select` (with a variable and its words), `while`, `until`, C-style `for` (scripts in arithmetic first).
    Loop {
        variable: Option<(String, Vec<Word>)>,
        condition: Box<Script>,
        body: Box<Script>,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    Function {
        name: String,
        body: Rc<Script>,
    },
    /// `[[ … ]]` and `(( … ))`: words are expanded (substitutions run), nothing else happens.
    Test(Vec<Word>),
    /// A compound command with redirections of its own.
    Redirected {
        node: Box<Node>,
        redirects: Vec<Redirect>,
    },
}

/// A simple command. Without words it is assignments and redirections only (`> file` truncates `file`).
#[derive(Debug, Clone)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    /// The text it was written as, for evidence.
    pub(crate) source: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) append: bool,
    pub(crate) value: AssignedValue,
}

#[derive(Debug, Clone)]
pub(crate) enum AssignedValue {
    Scalar(Word),
    /// `a=(…)`, elements in order.
    Array(Vec<Word>),
    /// `a[i]=…`: the subscript is arithmetic and can run substitutions.
    Element {
        index: Word,
        value: Word,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The descriptor before the operator, where written (`2>`); for `{fd}>` it is `None`.
    pub(crate) descriptor: Option<u32>,
}

#[derive(Debug, Clone)]
pub(crate) enum RedirectKind {
    /// `< target`
    Read(Word),
    /// `> target`, `>| target`, `&> target`, `>> target`, `&>> target`
    Write(Word),
    /// `<> target`
    ReadWrite(Word),
    /// `>& 2`, `<& 0`, `>&-`: moves descriptors, touches no file.
    Duplicate,
    /// A heredoc or here-string: text that becomes standard input. `quoted`: no expansion happens in it.
    Here { body: Word, quoted: bool },
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    /// As written.
    pub(crate) source: String,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Unquoted text after removal of escapes; it holds no active glob characters.
    Literal(String),
    /// Text from any kind of quotes or escapes: never split, never a glob.
    Quoted(String),
    /// Active glob text: `*`, `?`, `[…]`, `+(…)`.
    Glob(String),
    /// `~`, `~user`, at the start of a word or of an assignment's component.
    Tilde(Option<String>),
    Variable(Variable),
    /// `$( … )`, backquotes, `${ …; }`.
    Substitution {
        script: Script,
        quoted: bool,
    },
    /// `<( … )`, `>( … )`: stands for a path.
    Process {
        script: Script,
        writes: bool,
    },
    /// `$(( … ))`, `$[ … ]`: scripts of substitutions inside; the value is unknown unless it is a plain number.
    Arithmetic {
        scripts: Vec<Script>,
        value: Option<i64>,
        quoted: bool,
    },
    /// `{a,b}`, `{1..3}`: each alternative is a word.
    Brace(Vec<Word>),
    /// Syntax the tree has no name for. Its value is unknown and it may run anything it contains.
    Unknown(String),
}

/// `$name`, `${name…}`, `$1`, `$@`, `${!name}`.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) quoted: bool,
    pub(crate) operation: Operation,
    /// Array subscript: `@`/`*` expand to all elements; others are arithmetic.
    pub(crate) subscript: Option<Word>,
}

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Plain,
    /// `${x:-w}`, `${x-w}`: `w` where `x` is unset (or empty).
    Default(Word),
    /// `${x:=w}`
    Assign(Word),
    /// `${x:+w}`
    Alternative(Word),
    /// `${x:?w}`
    Required(Word),
    /// `${#x}`
    Length,
    /// `${!x}`
    Indirect,
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        pattern: Word,
        suffix: bool,
        longest: bool,
    },
    /// `${x/p/r}`, `${x//p/r}`
    Replace {
        pattern: Word,
        replacement: Word,
        all: bool,
    },
    /// `${x:o:l}`
    Slice {
        offset: Word,
        length: Option<Word>,
    },
    /// Case changes, `@Q` and others: the words inside are expanded, the value is unknown unless computed.
    Other {
        name: String,
        words: Vec<Word>,
    },
}
