//! The syntax tree the rest of the crate works on: what matters for effects, nothing else.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Problem, Span};

/// A parsed piece of shell text.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub nodes: Vec<Node>,
    /// What the parser could not make sense of. A script with problems still lists what was recovered, but it is
    /// never proof that nothing else runs.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub enum Node {
    Simple(Simple),
    /// Stages run in subshells; the output of one is the input of the next.
    Pipeline(Vec<Node>),
    /// `! …`: it succeeds where what it runs fails.
    Negated(Box<Node>),
    /// `( … )`: assignments and `cd` don't leave it.
    Subshell(Box<Script>),
    /// `{ …; }`: same shell.
    Group(Box<Script>),
    /// `a && b || c`: same shell. What is behind an operator may not run.
    AndOr {
        first: Box<Node>,
        rest: Vec<(Connector, Node)>,
    },
    /// `coproc [NAME] command`: a subshell in the background; the array `NAME` holds the descriptors of its ends.
    Coprocess {
        name: String,
        node: Box<Node>,
    },
    /// Background (`&`): a subshell that may outlive the text.
    Background(Box<Node>),
    /// `if`: conditions run in order, the first always, until one holds; then exactly one of the bodies runs. There is
    /// one more body than conditions: the last is that of `else`, and it is empty where there is none.
    Branches {
        conditions: Vec<Script>,
        bodies: Vec<Script>,
    },
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
        body: Arc<Script>,
    },
    /// `[[ … ]]` (operators among the words) and `(( … ))` (one word with an arithmetic part): words are expanded
    /// (substitutions run), nothing else happens.
    Test(Vec<Word>),
    /// A compound command with redirections of its own.
    Redirected {
        node: Box<Node>,
        redirects: Vec<Redirect>,
    },
}

impl Node {
    /// The piece of the text where its first command, or the first word of its loop, is.
    pub fn first_command(&self) -> Option<Span> {
        let of_script = |script: &Script| script.nodes.iter().find_map(Self::first_command);
        match self {
            Self::Simple(simple) => simple.span,
            Self::Pipeline(stages) => stages.iter().find_map(Self::first_command),
            Self::Negated(node)
            | Self::AndOr { first: node, .. }
            | Self::Coprocess { node, .. }
            | Self::Background(node)
            | Self::Redirected { node, .. } => node.first_command(),
            Self::Subshell(script) | Self::Group(script) => of_script(script),
            Self::Branches { conditions, bodies } => conditions.iter().chain(bodies).find_map(of_script),
            Self::Loop { variable, condition, body } => {
                let words = variable.iter().flat_map(|(_, words)| words);
                words.clone().find_map(|word| word.span).or_else(|| of_script(condition)).or_else(|| of_script(body))
            }
            Self::Case { word, .. } => word.span,
            Self::Test(words) => words.iter().find_map(|word| word.span),
            Self::Function { .. } => None,
        }
    }
}

/// Text stands between quotes, or it does not: then what it expands to is split into fields and searched for globs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    Unquoted,
    Quoted,
}

/// What joins the commands of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`: runs if what is before it succeeded.
    And,
    /// `||`: runs if it failed.
    Or,
}

/// A simple command. Without words it is assignments and redirections only (`> file` truncates `file`).
#[derive(Debug, Clone)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    /// The program and its arguments. An operand `a=(…)` of `declare` and its like is one literal word.
    pub words: Vec<Word>,
    /// The operands `a=(…)` of `declare`, `export`, `local`, `readonly` and `typeset`; scalar ones are plain words.
    pub declared: Vec<Assignment>,
    pub redirects: Vec<Redirect>,
    /// All of it but the bodies of its heredocs.
    pub span: Option<Span>,
}

/// Builtins whose operands are assignments.
const DECLARING: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

impl Simple {
    /// The program is a builtin that declares variables.
    pub fn declares(&self) -> bool {
        self.words.first().is_some_and(|word| match word.parts.as_slice() {
            [Part::Literal(name) | Part::Quoted(name)] => DECLARING.contains(&name.as_str()),
            _ => false,
        })
    }
}

#[derive(Debug, Clone)]
pub struct Assignment {
    pub name: String,
    pub operator: AssignmentOperator,
    pub value: AssignedValue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentOperator {
    /// `=`
    Set,
    /// `+=`
    Append,
}

#[derive(Debug, Clone)]
pub enum AssignedValue {
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
pub struct Redirect {
    pub kind: RedirectKind,
    /// The descriptor before the operator, where written (`2>`); for `{fd}>` it is `None`.
    pub descriptor: Option<u32>,
    /// `{fd}>`: the variable that gets the number of a new descriptor.
    pub variable: Option<String>,
    /// From the descriptor to the target; of a heredoc without its body.
    pub span: Option<Span>,
}

#[derive(Debug, Clone)]
pub enum RedirectKind {
    /// `< target`
    Read(Word),
    /// `> target`, `>| target`, `&> target`, `>& target`
    Write(Word),
    /// `>> target`, `&>> target`
    Append(Word),
    /// `<> target`
    ReadWrite(Word),
    /// `<& 0`, `<& $fd`, `<&-`: moves descriptors, touches no file.
    DuplicateInput(Word),
    /// `>& 2`, `>& $fd`, `>&-`: the same, unless a variable turns out to name a file.
    DuplicateOutput(Word),
    /// A heredoc or here-string: text that becomes standard input. `quoted`: no expansion happens in it. A here-string
    /// gets a newline at its end that the word does not hold.
    Here { body: Word, quoted: bool },
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub struct Word {
    pub parts: Vec<Part>,
    /// As written.
    pub source: String,
    /// With its quotes; `None` where the text does not hold it (`"$@"` of a `for` without `in`).
    pub span: Option<Span>,
}

impl Word {
    /// Its one field, where nothing in it is left to expand.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [Part::Literal(text)] if text.is_empty() => None,
            [Part::Literal(text) | Part::Quoted(text)] => Some(Cow::Borrowed(text)),
            [Part::Literal(_) | Part::Quoted(_), _, ..] => {
                let texts = self.parts.iter().map(|part| match part {
                    Part::Literal(text) | Part::Quoted(text) => Some(text.as_str()),
                    _ => None,
                });
                texts.collect::<Option<String>>().map(Cow::Owned)
            }
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Part {
    /// Unquoted text after removal of escapes; it holds no active glob characters.
    Literal(String),
    /// Text from any kind of quotes or escapes: never split, never a glob.
    Quoted(String),
    /// Active glob text: `*`, `?`, `[…]`, `+(…)`.
    Glob(String),
    /// `~`, `~user`, at the start of a word or of an assignment's component.
    Tilde(Option<String>),
    Variable(Box<Variable>),
    /// `$( … )`, backquotes, `${ …; }`.
    Substitution {
        script: Script,
        quoting: Quoting,
    },
    /// `<( … )`, `>( … )`: stands for a path.
    Process {
        script: Script,
        direction: Direction,
    },
    /// `$(( … ))`, `$[ … ]`, and all of `(( … ))`.
    Arithmetic {
        /// Those of substitutions inside.
        scripts: Vec<Script>,
        /// Variables and other expansions inside; their values are evaluated as expressions, too.
        words: Vec<Part>,
        /// Every name in the text, sorted: variables that are read.
        names: Vec<String>,
        /// Some of these names may get a value.
        assigns: bool,
        /// Known if it is a plain number.
        value: Option<i64>,
    },
    /// `{a,b}`, `{1..3}`: each alternative is a word.
    Brace(Vec<Word>),
    /// Syntax the tree has no name for. Its value is unknown and it may run anything it contains.
    Unknown(String),
}

/// The direction of a process substitution, seen from its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `<( … )`: the path holds what the commands print.
    Output,
    /// `>( … )`: what is written to the path is the commands' input.
    Input,
}

/// `$name`, `${name…}`, `$1`, `$@`, `${!name}`.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub quoting: Quoting,
    pub operation: Operation,
    /// Array subscript: `@`/`*` expand to all elements; others are arithmetic.
    pub subscript: Option<Word>,
}

#[derive(Debug, Clone)]
pub enum Operation {
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
        affix: Affix,
        length: MatchLength,
    },
    /// `${x/p/r}`, `${x//p/r}`
    Replace {
        pattern: Word,
        replacement: Word,
        matches: Matches,
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

/// The end of a value that a matching pattern is removed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affix {
    /// `#`
    Prefix,
    /// `%`
    Suffix,
}

/// The one of several matches at the same place that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchLength {
    /// `#`, `%`
    Shortest,
    /// `##`, `%%`
    Longest,
}

/// The matches of a pattern that are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matches {
    /// `/`
    First,
    /// `//`
    All,
}
