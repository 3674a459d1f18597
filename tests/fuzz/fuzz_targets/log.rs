//! Any bytes as a log of any agent: read, listed, put together as a session.
#![no_main]

use std::ffi::OsString;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|log: &[u8]| {
    for args in [["agent-strace", "list", "-"].as_slice(), &["agent-strace", "inspect", "-", "--view", "session"]] {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        agent_strace::run(args.iter().map(OsString::from), &mut &*log, &mut stdout, &mut stderr);
        assert!(!stdout.is_empty() || !stderr.is_empty(), "neither a session nor a reason");
    }
});
