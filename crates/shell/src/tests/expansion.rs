//! Words → fields.

use std::sync::Arc;

use crate::{
    Direction, Field, Knowledge, Node, Printed, RedirectKind, Runner, Scope, Script, Value, assign, expand_text,
    expand_word, parse,
};

/// Runs `echo` and `printf %s`, assignments, `set --` and little else; notes the commands of substitutions.
#[derive(Default)]
struct Toy {
    ran: Vec<String>,
}

impl Runner for Toy {
    fn substitute(&mut self, script: &Script, scope: &mut Scope) -> Printed {
        let mut scope = scope.clone();
        let fields = walk(script, &mut scope, self);
        let words: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
        self.ran.push(words.join(" "));
        let known = fields.iter().all(|field| field.knowledge == Knowledge::Exact);
        match words.split_first() {
            Some((&"echo", rest)) if known => Printed::Text(format!("{}\n", rest.join(" "))),
            _ => Printed::Unknown,
        }
    }

    fn process(&mut self, script: &Script, scope: &mut Scope, _direction: Direction) -> Field {
        self.substitute(script, scope);
        Field::exact("/dev/fd/63")
    }

    fn may_spend(&mut self, _steps: usize) -> bool {
        true
    }

    fn directory(&mut self) -> Option<String> {
        Some("/repo".to_owned())
    }
}

/// Walks simple commands; returns the fields of the last.
fn walk(script: &Script, scope: &mut Scope, toy: &mut Toy) -> Vec<Field> {
    let mut last = Vec::new();
    for node in &script.nodes {
        match node {
            Node::Simple(simple) => {
                let fields: Vec<Field> = simple.words.iter().flat_map(|word| expand_word(word, scope, toy)).collect();
                for assignment in simple.assignments.iter().chain(&simple.declared) {
                    assign(assignment, scope, toy);
                }
                for redirect in &simple.redirects {
                    if let RedirectKind::Here { body, .. } = &redirect.kind {
                        return vec![expand_text(body, scope, toy)];
                    }
                }
                let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
                match texts.as_slice() {
                    ["set", "--", ..] => scope.set_positional(fields.iter().skip(2).map(|f| match f.knowledge {
                        Knowledge::Exact => Value::known(f.text.clone()),
                        _ => Value::unknown(),
                    })),
                    ["shift"] => scope.shift(Some(1)),
                    ["unset", name] => scope.unset(name),
                    ["read", name] => scope.forget(name),
                    ["declare", "-n", pair] => {
                        if let Some((name, target)) = pair.split_once('=') {
                            scope.refer(name, Some(target));
                        }
                    }
                    _ => {}
                }
                last = fields;
            }
            Node::Loop { body, .. } => scope.forget_assigned(body),
            Node::Branches { bodies, .. } => {
                let before = scope.clone();
                for body in bodies {
                    let mut own = before.clone();
                    walk(body, &mut own, toy);
                    scope.merge(&own, crate::Ways::More);
                }
            }
            Node::Function { name, body } => scope.define(name, Arc::clone(body)),
            Node::Test(words) => words.iter().for_each(|word| {
                expand_text(word, scope, toy);
            }),
            _ => {}
        }
    }
    last
}

/// Exact text in `‹›`, `~` before it for an active tilde, patterns in `*‹›`, unknown words in `?‹›`; `=‹›` is what is
/// likely.
fn show(field: &Field) -> String {
    let mark = match field.knowledge {
        Knowledge::Exact => "",
        Knowledge::Pattern | Knowledge::Partly => "*",
        Knowledge::Unknown => "?",
    };
    let tilde = if field.tilde { "~" } else { "" };
    let likely = field.likely.as_ref().map_or_else(String::new, |likely| format!("=‹{likely}›"));
    format!("{mark}{tilde}‹{}›{likely}", field.text)
}

fn expand(text: &str) -> (String, Vec<String>) {
    let mut toy = Toy::default();
    let mut scope = Scope::default();
    let fields = walk(&parse(text), &mut scope, &mut toy);
    (fields.iter().map(show).collect::<Vec<_>>().join(" "), toy.ran)
}

/// Text, and the fields of its last command.
const CASES: &[(&str, &str)] = &[
    // Quotes and splitting.
    ("r''m -rf \"a b\"", "‹rm› ‹-rf› ‹a b›"),
    ("x='a b'; $x \"$x\" c$x", "‹a› ‹b› ‹a b› ‹ca› ‹b›"),
    ("IFS=:; T='rm:-rf:~'; $T", "‹rm› ‹-rf› ‹~›"),
    ("IFS=:; T='a::b'; $T", "‹a› ‹› ‹b›"),
    ("rm${IFS}-rf${IFS}~", "‹rm› ‹-rf› ‹~›"),
    ("/bin/r[m] [a][b]c", "*‹/bin/r[m]›=‹/bin/rm› *‹[a][b]c›"),
    ("'' \"\" a", "‹› ‹› ‹a›"),
    ("x=; $x a \"$x\"", "‹a› ‹›"),
    // Tildes.
    ("a ~ ~/b '~' \\~ ~u/c", "‹a› ~‹~› ~‹~/b› ‹~› ‹~› ~‹~u/c›"),
    ("x=~/a; b $x \"$x/c\" $HOME/d \"${HOME}\"", "‹b› ~‹~/a› ~‹~/a/c› ~‹~/d› ~‹~›"),
    ("HOME=/h; a ~ $HOME", "‹a› ‹/h› ‹/h›"),
    ("a $PWD/b ~+/c", "‹a› ‹/repo/b› ‹/repo/c›"),
    // Groups: the names that literal alternatives spell; any other may begin with a dot.
    ("a @(secrets)/key ?(.)env @(b|'c d')", "‹a› ‹secrets/key› ‹.env› ‹env› ‹b› ‹c d›"),
    ("a +(.)env", "‹a› ‹.env› *‹***env›"),
    ("a !(b) c/*(d)e x!(y) @(b|c*)", "‹a› *‹***› *‹c/***e› *‹x*› *‹***›"),
    // Globs.
    ("a *.c 'b*' x[ab]? [", "‹a› *‹*.c› ‹b*› *‹x[ab]?› ‹[›"),
    ("a 'x*'*", "‹a› *‹x[*]*›"),
    ("g='*.c'; a $g \"$g\"", "‹a› *‹*.c› ‹*.c›"),
    ("a **/b @(c|d)e", "‹a› *‹**/b› ‹ce› ‹de›"),
    ("a x@(c|!(d)|$(get))y+(z)*", "‹a› *‹x**yz*› *‹x**y*›"),
    // Braces.
    ("{rm,-rf,~}", "‹rm› ‹-rf› ~‹~›"),
    ("a{b,c}{1..2} x{y,\"z \"}", "‹ab1› ‹ab2› ‹ac1› ‹ac2› ‹xy› ‹xz ›"),
    ("x='b c'; {a,$x}", "‹a› ‹b› ‹c›"),
    (
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "?‹{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}›",
    ),
    // Unset variables.
    ("r${u}m $u \"$u\"", "*‹r**m›=‹rm› ?‹$u›=‹› ?‹\"$u\"›=‹›"),
    ("$(get) a$(get)", "?‹$(get)› *‹a**›"),
    ("x=$(get); $x/.env", "*‹**/.env›"),
    ("${u:-rm} ${u:=-rf} $u", "?‹${u:-rm}›=‹rm› ?‹${u:=-rf}›=‹-rf› ?‹$u›=‹-rf›"),
    ("a $RANDOM $? $0 $PATH", "‹a› ?‹$RANDOM› ?‹$?› ?‹$0› ?‹$PATH›"),
    ("x=a; read x; b $x", "‹b› ?‹$x›"),
    ("x=a; unset x; b $x ${x:-c}", "‹b› ‹c›"),
    // Parameters.
    ("x=rm; $x ${x} \"${x}\"", "‹rm› ‹rm› ‹rm›"),
    ("x=r; x+=m; $x", "‹rm›"),
    ("set -- rm -rf 'a b'; \"$@\" $# $1 $4", "‹rm› ‹-rf› ‹a b› ‹3› ‹rm›"),
    ("set -- rm -rf; \"x$@y\" $* \"$*\"", "‹xrm› ‹-rfy› ‹rm› ‹-rf› ‹rm -rf›"),
    ("set -- a b; shift; $1", "‹b›"),
    ("a \"$@\" $@ $1 \"\"", "‹a› ‹›"),
    ("set -- $(get) b; $2", "?‹$2›"),
    ("a=(rm -rf 'b c'); \"${a[@]}\" ${a[1]} ${#a[@]} $a", "‹rm› ‹-rf› ‹b c› ‹-rf› ‹3› ‹rm›"),
    ("declare a=(rm x); ${a[*]}", "‹rm› ‹x›"),
    ("a=(b); a+=(c); a[0]=d; ${a[@]}", "‹d› ‹c›"),
    ("a=(~ *.c); b \"${a[@]}\"", "‹b› ~‹~› ?‹\"${a[@]}\"›"),
    ("declare -n r=x; x=rm; $r", "‹rm›"),
    ("x=y; y=rm; ${!x}", "‹rm›"),
    (
        "x=/a/b.c.d; a ${x#*/} ${x##*/} ${x%.*} ${x%%.*} ${x/b/e} ${x//./}",
        "‹a› ‹a/b.c.d› ‹b.c.d› ‹/a/b.c› ‹/a/b› ‹/a/e.c.d› ‹/a/bcd›",
    ),
    ("x=xrmx; ${x:1:2} ${x: -1} ${x:1:-1} ${#x}", "‹rm› ‹x› ‹rm› ‹4›"),
    ("x=RM; ${x,,} ${x,} ${x@L}", "‹rm› ‹rM› ‹rm›"),
    ("x=a; b ${x:+c} ${x:-$(get)} ${x:?no}", "‹b› ‹c› ‹a› ‹a›"),
    ("p='?'; x=ab; a ${x#$p} ${x#\"$p\"}", "‹a› ‹b› ‹ab›"),
    // Substitutions.
    ("$(echo rm) \"$(echo a b)\" `echo c d`", "‹rm› ‹a b› ‹c› ‹d›"),
    ("a <(get)", "‹a› ‹/dev/fd/63›"),
    ("a $((5)) $((1+1)) x$((i))", "‹a› ‹5› ?‹$((1+1))› *‹x**›"),
    ("i=1; ((i++)); a $i", "‹a› ?‹$i›"),
    // Joins.
    ("x=a; while b; do x=c; done; d $x", "‹d› ?‹$x›=‹a›"),
    ("if a; then x=rm; fi; $x", "?‹$x›=‹rm›"),
    ("x=a; if b; then x=a; fi; c $x", "‹c› ‹a›"),
    // Bodies.
    ("x=1; cat <<E\n$x `echo \\$x` \\$x \"q\"\nE\n", "‹1 1 $x \"q\"\n›"),
    ("cat <<< \"a $u\"", "*‹a **›=‹a ›"),
];

#[test]
fn every_word_has_its_fields() {
    let mut wrong = Vec::new();
    for (text, expected) in CASES {
        let (actual, _) = expand(text);
        if actual != *expected {
            wrong.push(format!("{text:?}\n  expected {expected}\n  actual   {actual}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

/// Text, and what its substitutions ran, in order.
const RUNS: &[(&str, &[&str])] = &[
    ("a $(rm x) \"`rm y`\" <(rm z) ${u:-$(rm v)}", &["rm x", "rm y", "rm z", "rm v"]),
    ("echo $((1 + $(rm x))) $[ $(rm y) ]", &["rm x", "rm y"]),
    ("x='a[$(rm x)]'; echo $((x))", &["rm x"]),
    ("x='a[$(rm x)]'; (( x ))", &["rm x"]),
    ("x='$(rm x)'; echo ${x@P}", &["rm x"]),
    ("x='a[$(rm x)]'; [[ $x -eq 1 ]]", &["rm x"]),
    ("x='a[$(rm x)]'; [[ x -eq 1 || -n $x ]]", &["rm x"]),
    ("[[ 'a[$(rm x)]' -lt 1 ]]", &["rm x"]),
    ("[[ -v 'a[$(rm x)]' ]]", &["rm x"]),
    ("x='a[$(rm x)]'; [[ $x == 1 ]]", &[]),
    ("x='b[$(rm x)]'; echo ${a[x]}", &["rm x"]),
    ("a[$(rm x)]=1", &["rm x"]),
    ("echo ${a[$(rm x)]} ${x:$(rm y)} ${x/$(rm z)/$(rm w)} ${x#$(rm v)}", &["rm x", "rm y", "rm z", "rm w", "rm v"]),
    ("a=($(rm x) \"$(rm y)\")", &["rm x", "rm y"]),
    ("{a,$(rm x)}", &["rm x"]),
    ("echo [$(rm x)] @($(rm y)|z)", &["rm x", "rm y"]),
    ("x='$(rm x)'; echo $x \"$x\"", &[]),
    ("echo '$(rm x)' \\$x", &[]),
];

#[test]
fn every_substitution_runs() {
    for (text, expected) in RUNS {
        let (_, mut ran) = expand(text);
        // A value that is both expanded and evaluated may run what it holds twice.
        ran.dedup();
        assert_eq!(ran, *expected, "{text:?}");
    }
}

#[test]
fn values_stay_bounded() {
    let text = format!("x=0123456789; {} echo $x", "x=$x$x$x$x; ".repeat(200));
    let (fields, _) = expand(&text);
    assert_eq!(fields, "‹echo› ?‹$x›");
}
