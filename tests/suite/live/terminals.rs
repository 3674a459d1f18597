//! The hook denies programs that read typed commands where the agent runs no hook when it types them.

use serde_json::{Value, json};

use super::{before, hook};
use crate::world::World;

/// When a program that would take typed commands is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denied {
    Never,
    /// Where the call says that it keeps a terminal.
    Kept,
    /// Where the record does not say that it keeps none, too.
    Unsaid,
    /// Whatever the record says.
    Always,
}

#[test]
fn a_program_that_takes_typed_commands_is_not_let_through() {
    use Denied::{Always, Kept, Never, Unsaid};
    for (command, denied) in [
        ("bash", Always),
        ("python3", Always),
        ("docker exec -it c sh", Always),
        ("bash -c 'cd x; exec sh'", Always),
        ("python3 -i a.py", Unsaid),
        ("python3.12 -m pdb a.py", Unsaid),
        ("psql shop", Unsaid),
        ("psql -e shop", Unsaid),
        ("psql -U -l shop", Unsaid),
        ("psql -f - shop", Unsaid),
        ("psql \"$DATABASE_URL\"", Unsaid),
        ("psql shop < /dev/tty", Unsaid),
        ("ssh host psql shop", Unsaid),
        ("mysql -f shop", Unsaid),
        ("cd src && /usr/bin/vim a.py", Unsaid),
        ("vim.tiny a", Unsaid),
        ("vim -es a", Unsaid),
        ("sudo -u app sqlite3 a.db", Unsaid),
        ("docker exec -it db psql shop", Unsaid),
        ("docker exec -i db psql shop", Unsaid),
        ("kubectl exec p -it -- vim a", Unsaid),
        ("ssh -o RequestTTY=yes host vim a", Unsaid),
        ("docker compose exec web sh", Unsaid),
        ("su - app", Unsaid),
        ("gdb ./a", Unsaid),
        ("bundle exec rails console", Unsaid),
        ("git log | less", Unsaid),
        ("x=$(less a > /dev/tty)", Unsaid),
        ("git add -p", Unsaid),
        ("ssh host", Kept),
        ("git commit", Kept),
        ("git rebase -i HEAD~2", Kept),
        ("docker run -it ubuntu", Kept),
        ("GIT_PAGER=less git log", Kept),
        ("GIT_PAGER='sh -c less' git log", Kept),
        ("EDITOR=vim sops x", Kept),
        ("exec 3< /dev/tty; psql <&3", Kept),
        ("psql 0<&1", Kept),
        ("docker compose exec db psql -U app shop", Kept),
        ("man ls", Kept),
        ("psql shop < x.sql", Kept),
        ("cat x.sql | psql shop", Kept),
        ("vim -es -c '%s/a/b/' -c wq a", Kept),
        ("psql -c 'select 1' shop", Never),
        ("redis-cli get x", Never),
        ("gdb ./a core -batch -ex bt", Never),
        ("vim --version", Never),
        ("git log", Never),
        ("git stash show -p", Never),
        ("git -c core.pager='less -F' diff", Kept),
        ("gdb -ex run -ex quit ./a", Kept),
        ("cat x.sql | psql < /dev/stdin", Kept),
        ("kubectl exec p -- vim a", Kept),
        ("docker exec c psql shop", Kept),
        ("bash -ic 'nvm use'", Never),
        ("ruby -i -pe 'x' a", Never),
        ("git commit -m x", Never),
        ("git tag v1", Never),
        ("git checkout -bpip", Never),
        ("ssh host ls", Never),
        ("ssh host 'less x'", Never),
        ("python3 convert.py -i a", Never),
        ("docker exec c which bash", Never),
        ("docker compose exec web which python", Never),
        ("docker compose exec db mysql -e 'show tables' shop", Never),
        ("docker run -d --name db mysql", Never),
        ("npm init", Never),
        ("npm run dev", Never),
        ("terraform apply", Never),
        ("cat", Never),
        ("git config --global core.editor 'nano -w'", Never),
        ("perl -d:NYTProf a.pl", Never),
    ] {
        let rows = [
            ("claude-code", "Bash", json!({"command": command}), [Always].as_slice()),
            ("codex", "exec_command", json!({"cmd": command, "tty": false}), &[Always]),
            ("codex", "Bash", json!({"command": command}), &[Always, Unsaid]),
            ("codex", "exec_command", json!({"cmd": command, "tty": true}), &[Always, Unsaid, Kept]),
        ];
        for (agent, tool, arguments, denying) in rows {
            let expected = denying.contains(&denied);
            let is_denied = is_denied(agent, tool, &arguments);
            assert_eq!(is_denied, expected, "{agent} {tool} {arguments}");
        }
    }
}

/// Returns true if the hook denies the call.
fn is_denied(agent: &str, tool: &str, arguments: &Value) -> bool {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    let answer = hook(&world, &["pre-tool", "--agent", agent, "--enforce"], &before("t1", tool, arguments));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{arguments}");
    answer.stdout.contains("\"deny\"")
}
