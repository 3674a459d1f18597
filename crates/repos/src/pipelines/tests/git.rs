//! Files of git as git itself reads them.

use super::*;

fn found(path: &str, text: &[u8]) -> &'static str {
    let gate = step("uses: acme/agent-strace@v1");
    kind(part(&[(WORKFLOW, &gate)], path, Some(text)).as_ref())
}

#[test]
fn no_form_of_a_line_hides_that_sessions_are_ignored() {
    for (text, expected) in [
        (&b"# caf\xe9\n.agent-traces/\n"[..], "ignores"),
        (b"\xef\xbb\xbf.agent-traces/\n", "ignores"),
        (b"/.agent-traces\n!/.agent-trace{s,x}\n", "ignores"),
        (b"/.agent-traces\n!/.agent-traces{,x}\n", "ignores"),
        (b"/.agent-traces\n!/.agent-traces\t\n", "ignores"),
        (b"/.agent-traces\n!\"/.agent-traces\"\n", "ignores"),
        (b"/.agent-traces\n!//.agent-traces//\n", "ignores"),
        (b"/.agent-traces\n !/.agent-traces\n", "ignores"),
        (b"/.agent-traces\n!/.agent-traces\\ \n", "ignores"),
        (b"/.agent-traces\n!/.agent-traces  \r\n", "nothing"),
        (b"/.agent-traces\n!/.agent-traces\r\r\n", "ignores"),
        (b"/.agent-traces\n!/.agent-traces\r", "nothing"),
        (b"/.agent-traces\r", "ignores"),
        (b"/.agent-traces\r\r\n", "nothing"),
        (b"/.agent-trace[[:lower:]]\n", "ignores"),
        (b"/.agent-trace[^a]\n", "ignores"),
        (b".agent-traces/019*\n", "ignores"),
        (b".agent-traces/????????-????-7*\n", "ignores"),
        (b".agent-traces/2027*\n", "ignores"),
        (b".agent-traces/\n!.agent-traces/\n", "nothing"),
        (b"*.py[cod]\n!.env.example\n*.{log,tmp}\n", "nothing"),
    ] {
        assert_eq!(found(".gitignore", text), expected, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn no_form_of_a_line_hides_that_sessions_are_rewritten() {
    for (text, expected) in [
        (&b"# \xe9\n.agent-traces/** filter=x\n"[..], "rewrites"),
        (b"\xef\xbb\xbf.agent-traces/** filter=x\n", "rewrites"),
        (b"[attr]b filter=x\n[attr]a b\n.agent-traces/** a\n", "rewrites"),
        (b"[attr]a b\n[attr]b a\n.agent-traces/** a\n", "nothing"),
        (b"\".agent-traces/\\052\\052\" filter=x\n", "rewrites"),
        (b"\".agent-traces/**\" filter=x\n", "rewrites"),
        (b"{.agent-traces,x}/** filter=x\n", "nothing"),
        (b"* text=auto\n*.lock linguist-generated\n", "nothing"),
    ] {
        assert_eq!(found(".gitattributes", text), expected, "{}", String::from_utf8_lossy(text));
    }
}
