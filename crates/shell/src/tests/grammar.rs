//! Text → tree.

use super::render;
use crate::parse;

/// Text, and its tree in compact form.
const CASES: &[(&str, &str)] = &[
    // Lists.
    ("true", "true"),
    ("a; b & c\nd", "a; b &; c; d"),
    ("a && b || c", "a && b || c"),
    ("a &&\n b", "a && b"),
    ("a | b |& c", "a | b | c"),
    ("! a | b", "! a | b"),
    ("! ! a && time ! b", "a && ! b"),
    ("time -p a", "a"),
    ("time ! a", "! a"),
    ("a && b &", "a && b &"),
    ("# note; rm x\na # rm y\n", "a"),
    ("a#b c", "a#b c"),
    ("a\\\nb c", "ab c"),
    ("a\r\nb\r\n", "a\r; b\r"),
    ("", ""),
    // Quotes.
    ("r''m -rf \"a b\"", "r‹›m -rf ‹a b›"),
    ("r\\m 'a'\"b\"", "r‹m› ‹ab›"),
    (r"$'\x72\155\u0021\n' $'a\'b'", "‹rm!\n› ‹a'b›"),
    ("$\"hi\"", "‹hi›"),
    ("\"a\\$b\\q\"", "‹a$b\\q›"),
    ("echo \"$x\" '$y'", "echo ‹›$\"x ‹$y›"),
    // Redirections.
    ("> f", ">f"),
    ("a >f 2>&1 <g", "a >f 2>&1 <g"),
    ("a &>f; b &>>f; c >|f; d <>f; e >&f; f >>f", "a >f; b >>f; c >f; d <>f; e >f; f >>f"),
    ("a {fd}>f 3<&-", "a {fd}>f 3<&-"),
    ("2>err a <in b", "a b 2>err <in"),
    ("a >&$x; b >&\"$x\"", "a >&$x; b >&‹›$\"x"),
    ("cat <<<\"x y\" z", "cat z <<[‹x y›]"),
    ("{ a; } >f", "{a} >f"),
    ("echo hi > >(rm x)", "echo hi >>(rm x)"),
    // Heredocs.
    ("cat <<E\na $x\nE\nb", "cat <<[‹a ›$\"x‹↵›]; b"),
    ("cat <<'E' >f\n$(rm x)\nE", "cat <<Q[‹$(rm x)↵›] >f"),
    ("cat <<-E\n\ta\n\tE\n", "cat <<[‹a↵›]"),
    ("cat <<A <<B | bash\n1\nA\n$(id)\nB\n", "cat <<[‹1↵›] <<[$(\"id)‹↵›] | bash"),
    ("if cat <<E; then a; fi\nx\nE\n", "if cat <<[‹x↵›] then a /  fi"),
    ("x=$(cat <<E\ny\nE\n); b", "x=$(cat <<[‹y↵›]); b"),
    ("cat <<E\nx", "cat <<[‹x›] !a heredoc is not closed"),
    ("cat <<E", "cat <<[] !a heredoc has no body"),
    ("cat <<E\na\\\nE\nb\nE\nc", "cat <<[‹aE↵b↵›]; c"),
    ("cat <<E\na\n\\\nE\nc", "cat <<[‹a↵›]; c"),
    // Line continuations.
    ("a \"$\\\n\\\n(rm x)\" $\\\n(rm y) $a\\\nb", "a ‹›$(\"rm x) $(rm y) $ab"),
    ("cat <<E\n$\\\n(rm x)\nE", "cat <<[$(\"rm x)‹↵›]"),
    ("f\\\ng() { a; }", "fg() {a}"),
    // Substitutions.
    ("echo $(rm x) \"$(a; b)\"", "echo $(rm x) ‹›$(\"a; b)"),
    ("echo `rm \\`id\\``", "echo $(rm $(id))"),
    ("echo ${ rm x; } ${| a; }", "echo $(rm x) $(a)"),
    ("diff <(a) >(b)", "diff <(a) >(b)"),
    ("x=$(case a in a) rm y;; esac)", "x=$(case a a) rm y esac)"),
    ("x=$(echo case; echo ')' # )\n)", "x=$(echo case; echo ‹)›)"),
    ("echo $(( 1 + $(rm x) ))", "echo $(($(rm x)))"),
    ("echo $((5)) $[ $(rm x) ]", "echo $((5)) $(($(rm x)))"),
    ("echo $[ x='a[$(rm -rf ~)]', x ]", "echo $(($(rm -rf ~)))"),
    ("echo $((a) | (b))", "echo $((a) | (b))"),
    ("( ( rm -rf / ) )", "((rm -rf /))"),
    ("((x = $(rm y)))", "[[$(($(rm y)))]]"),
    ("((rm x); b)", "((rm x); b)"),
    // Parameters.
    ("a ${x} ${x:-$(rm y)} ${x-b}", "a $x $x:-($(rm y)) $x:-(b)"),
    ("a ${#x} ${!x} ${#} ${!x@}", "a $x:length $x:indirect $# $x:other !*()"),
    ("a ${x#*/} ${x%%.*}", "a $x#(*‹*›/) $x%%(.*‹*›)"),
    ("a ${x/b/c} ${x//b} ${x/#b/c}", "a $x/(b)(c) $x//(b)() $x:other /#(b c)"),
    ("a ${x:1:2} ${x^^} ${x@Q}", "a $x:slice(‹1›)(‹2›) $x:other ^^() $x:other @Q()"),
    ("a ${b[@]} \"${b[$(rm x)]}\"", "a $b[‹@›] ‹›$\"b[$(\"rm x)]"),
    ("a $1 $@ $$ $", "a $1 $@ $$ $"),
    ("a \"${x:-'$(rm y)'}\"", "a ‹›$\"x:-(‹'›$(\"rm y)‹'›)"),
    // Words.
    ("a *.c [a-c]? {b,c}{1..3}", "a *‹*›.c *‹[a-c]?› {b,c}{1,2,3}"),
    ("{rm,-rf,~}", "{rm,-rf,~}"),
    ("a {b {c} {d,e x{}y", "a {b {c} {d,e x{}y"),
    ("a {01..3} {c..a} {1..9..4}", "a {01,02,03} {c,b,a} {1,5,9}"),
    ("a @(b|c) !(d)", "a *‹@(›b*‹|›c*‹)› *‹!(›d*‹)›"),
    ("a ~ ~/b ~u/c x~ '~' of=~/d", "a ~ ~/b ~u/c x~ ‹~› of=~/d"),
    ("/bin/r[\"m\"] [", "/bin/r*‹[m]› ["),
    // Assignments.
    ("X=1 Y+=2 a Z=3", "X=1 Y+=2 a Z=3"),
    ("x=~/a:~/b", "x=~/a:~/b"),
    ("a=(b \"c d\" $(e))", "a=(b ‹c d› $(e))"),
    ("a[$(rm x)]=y", "a=[$(\"rm x)]y"),
    ("declare -a x=(rm y) z=1", "declare -a x=(rm y) z=1 declared:x=(rm y)"),
    // Compound commands.
    ("if a; then b; elif c; then d; else e; fi", "if a / c then b / d / e fi"),
    ("for x in a $b; do c; done", "for x in a $b do c done"),
    ("for x; do c; done; for y\ndo d\ndone", "for x in $\"@ do c done; for y in $\"@ do d done"),
    ("for ((i=0;i<3;i++)); do a; done", "while [[$(())]] do a done"),
    ("while a; do b; done <f", "while a do b done <f"),
    ("until a; do b; done", "while a do b done"),
    ("select x in a b; do c; done", "for x in a b do c done"),
    ("case $x in a|b) c;; (d) e;& *) f; esac", "case $x a b) c ;; d) e ;; *‹*›) f esac"),
    ("f() { a; }; function g { b; }; h() (c)", "f() {a}; g() {b}; h() (c)"),
    ("[[ $x == a* && -n $(rm y) ]] && b", "[[$x == a*‹*› && -n $(rm y)]] && b"),
    ("[[ $x =~ ^(a|b)$ ]]", "[[$x =~ ^(a|b)$]]"),
    ("coproc a b; coproc N { c; }", "COPROC:a b &; N:{c} &"),
    ("echo if then fi", "echo if then fi"),
    // Broken text: what is there is kept, and the problem with it.
    ("a; fi; b", "a; b !a closing word or bracket without its opening !a character that starts no command"),
    ("a ) b", "a; b !a closing word or bracket without its opening"),
    ("if a; then b", "if a then b /  fi !a compound command is not complete"),
    ("a 'b", "a ‹b› !a quote is not closed"),
    ("a \"$(rm x", "a ‹›$(\"rm x !a substitution is not closed) !a quote is not closed"),
    ("a ${x; rm y", "a $:other ?(; rm y) !a parameter expansion that is not understood"),
    ("a `rm x", "a $(rm x) !a backquote is not closed"),
    ("a | | b", "a | b !an operator without its command"),
    ("a \u{202e}b", "a \u{202e}b !an invisible control character outside quotes"),
    ("a\u{2028}rm x", "a\u{2028}rm x !an invisible control character outside quotes"),
    ("echo (rm x)", "echo $(rm x) !a parenthesis in the middle of a command"),
    ("a '\0'", "a ‹\0› !the text contains a NUL byte"),
];

#[test]
fn every_construct_has_its_tree() {
    let mut wrong = Vec::new();
    for (text, expected) in CASES {
        let actual = render::script(&parse(text));
        if actual != *expected {
            wrong.push(format!("{text:?}\n  expected {expected:?}\n  actual   {actual:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
