//! Nobody notices that there is somebody between.

use std::process::Stdio;

use proptest::prelude::*;

use super::{call, events, record, stored, talk};
use crate::guard::{is_gone, signal};
use crate::world::World;

fn chunks<'s>(stream: &'s [u8], cuts: &[usize]) -> Vec<&'s [u8]> {
    let (mut chunks, mut rest) = (Vec::new(), stream);
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks.push(rest);
    chunks
}

proptest! {
    // Each case runs two programs.
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_byte_passes_in_both_directions(
        parts in proptest::collection::vec(
            prop_oneof![
                Just(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}\n".to_vec()),
                Just(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n".to_vec()),
                Just(b"Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}".to_vec()),
                Just(b"Content-Length: 99\r\n\r\n{}".to_vec()),
                Just(b"[INFO] server is up\n\n\r\n".to_vec()),
                Just(b"{\"jsonrpc\": broken\n".to_vec()),
                proptest::collection::vec(any::<u8>(), 0..50),
            ], 0..10),
        cuts in proptest::collection::vec(1_usize..60, 0..20),
        enforced in any::<bool>(),
    ) {
        let stream = parts.concat();
        let world = World::empty();
        world.write(".agent-scope.json", "{}");
        let options: &[&str] = if enforced { &["--quiet", "--enforce"] } else { &["--quiet"] };
        let ran = record(&world, options, "cat", &chunks(&stream, &cuts));
        prop_assert_eq!(&ran.stdout, &stream);
        prop_assert_eq!(ran.code(), 0);
        if !enforced {
            prop_assert_eq!(&ran.stderr, "");
        }
        let recorded = events(&world);
        prop_assert_eq!(recorded.last().unwrap()["event_type"].as_str(), Some("session_end"));
        // What was recorded can be read, whatever it was.
        let answer = world.run(&["effects"]);
        prop_assert!(matches!(answer.code, 0 | 3), "{}", answer.stderr);
    }
}

#[test]
fn standard_error_passes_beside_it() {
    let world = World::empty();
    let ran = record(&world, &["--quiet"], "printf 'one\\ntwo' >&2; cat", &[]);
    assert_eq!((ran.stderr.as_str(), ran.code()), ("one\ntwo", 0));
}

#[test]
fn large_messages_pass_and_those_that_nobody_follows_are_gaps() {
    let world = World::empty();
    let large = super::call("1", "write", &format!("{{\"text\":\"{}\"}}", "x".repeat(3 << 20)));
    let ran = record(&world, &["--quiet", "--no-redact"], "cat", &[large.as_bytes()]);
    assert!(ran.stdout == large.as_bytes());
    let recorded = events(&world);
    assert_eq!(recorded[1]["data"]["arguments"]["text"].as_str().unwrap().len(), 3 << 20);

    let world = World::empty();
    let huge = super::call("1", "write", &format!("{{\"text\":\"{}\"}}", "x".repeat(65 << 20)));
    let ran = record(&world, &["--quiet"], "cat", &[huge.as_bytes(), b"{}\n"]);
    assert!(ran.stdout.starts_with(huge.as_bytes()) && ran.stdout.len() == huge.len() + 3);
    let answer = world.run(&["check", "--allow-no-policy"]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    let wanted = "the recorder missed something here: a message of the client is larger than the recorder follows";
    assert!(answer.stdout.contains(wanted), "{}", answer.stdout);
}

#[test]
fn the_end_of_the_client_is_the_end_of_the_server_and_its_exit_code_is_ours() {
    for code in [0, 1, 7, 255] {
        let world = World::empty();
        let ran = record(&world, &[], &format!("cat >/dev/null; exit {code}"), &[b"{}\n"]);
        assert_eq!(ran.code(), code);
        let recorded = events(&world);
        let end = &recorded.last().unwrap()["data"];
        assert_eq!((end["exit_code"].as_i64(), end["duration_ms"].is_number()), (Some(i64::from(code)), true));
        let meta: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(super::folder(&world).join("meta.json")).unwrap()).unwrap();
        assert!(meta["ended_at"].is_number());
    }
    // A server that reads nothing and ends by itself.
    let world = World::empty();
    let ran = record(&world, &["--quiet"], "exit 3", &[&vec![b'x'; 1 << 20]]);
    assert_eq!((ran.code(), ran.stderr.as_str()), (3, ""));
}

#[test]
fn what_a_server_leaves_behind_does_not_hold_us() {
    let world = World::empty();
    let ran = record(&world, &["--quiet"], "sleep 1000 2>/dev/null & echo $! >pid; printf done", &[]);
    assert_eq!((ran.stdout.as_slice(), ran.code()), (b"done".as_slice(), 0));
    let left = world.read("pid");
    assert!(!is_gone(&left), "the recorder waited for its end");
    signal("KILL", left.trim());
}

#[test]
fn a_store_that_can_not_be_written_stops_nothing() {
    let world = World::empty();
    world.write("store", "a file, not a folder");
    let ran = record(&world, &["--trace-dir", "store", "--quiet"], "cat", &[b"{}\n", b"more\n"]);
    assert_eq!((ran.stdout.as_slice(), ran.code()), (b"{}\nmore\n".as_slice(), 0));
    assert!(ran.stderr.starts_with("agent-strace: warning: this session is not recorded: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn a_disk_that_is_full_stops_nothing_and_is_never_a_pass() {
    let program = env!("CARGO_BIN_EXE_agent-strace");
    let said: Vec<String> = (0..200).map(|id| call(&id.to_string(), "read_file", r#"{"path":"src/a"}"#)).collect();
    let said = said.concat();
    for (options, passes) in [("", true), ("--enforce", true), ("--enforce --fail-closed", false)] {
        let world = World::empty();
        world.write(".agent-scope.json", "{}");
        // No file may be larger than a few kilobytes, which is an error like that of a full disk.
        let script = format!("trap '' XFSZ; ulimit -f 16; exec '{program}' record --quiet {options} -- cat");
        #[expect(clippy::disallowed_methods, reason = "a shell sets the limit")]
        let mut shell = std::process::Command::new("bash");
        shell.args(["-c", &script]).current_dir(world.path());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = talk(shell.spawn().unwrap(), &[said.as_bytes()]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        let warnings = ran.stderr.lines().filter(|line| line.contains("not recorded")).count();
        assert_eq!(warnings, 1, "{}", ran.stderr);
        assert_eq!(ran.stdout == said.as_bytes(), passes, "{options}");
        if !passes {
            let text = String::from_utf8(ran.stdout).unwrap();
            assert!(text.contains("refused: it could not be recorded") && text.contains("\"id\":0,"), "{text}");
        }
        let answer = world.run(&["check"]);
        assert_eq!(answer.code, 3, "{}", answer.stdout);
    }
}

#[test]
fn a_command_that_is_not_there_is_a_failure() {
    let world = World::empty();
    let answer = world.run(&["record", "--", "./no-such-server"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.starts_with("error: can't start the server `./no-such-server`: no such file"),
        "{}",
        answer.stderr
    );
    assert!(!world.path().join(".agent-traces").exists());
    assert_eq!(world.run(&["record"]).code, 2);
}

#[test]
fn nothing_secret_reaches_the_disk() {
    let token = format!("ghp_{}", "x7Kq2Lm9Zt4Rv8Wc1Yb6Nd3Fg5Hj0PsAeUiOo");
    let secret = super::call(
        "1",
        "a",
        &format!("{{\"password\":\"hunter2-{token}\",\"to\":\"ana.pereira@corp-mail.io\",\"k\":\"KEY=c0ffee\"}}"),
    );
    let echo = "cat";
    let options: [(&[&str], [bool; 3]); 5] = [
        (&[], [false, true, true]),
        (&["--redact"], [false, true, true]),
        (&["--mask"], [false, false, true]),
        (&["--redact-pattern", "KEY=[a-f0-9]+"], [false, true, false]),
        (&["--no-redact"], [true, true, true]),
    ];
    for (options, wanted) in options {
        let world = World::empty();
        let ran = record(&world, options, echo, &[secret.as_bytes()]);
        assert!(ran.stdout == secret.as_bytes());
        let text = stored(&world.path().join(".agent-traces"));
        let found = ["hunter2", "ana.pereira", "c0ffee"].map(|needle| text.contains(needle));
        assert_eq!(found, wanted, "{options:?}");
        assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
    // The command that starts the server is no exception.
    let world = World::empty();
    let child = super::command(&world, &["record", "--", "sh", "-c", "cat", "--api-key", &token]).spawn().unwrap();
    assert_eq!(talk(child, &[]).code(), 0);
    assert!(!stored(&world.path().join(".agent-traces")).contains(&token));
}
