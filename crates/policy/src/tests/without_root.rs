//! Files of sessions whose logs do not say where they ran.

use super::*;
use agent_strace_effects::Roots;

#[test]
fn files_in_home_directories_may_be_of_the_workspace() {
    let policy = policy(r#"{"version": 2, "files": {"write": {"deny": ["~/**", ".github/**"]}}}"#);
    let roots = Roots::only(None);
    let context = Context { roots: Some(&roots), ..Context::default() };
    for (path, expected) in [
        ("/Users/x/app/src/a.ts", Decision::Unresolved),
        ("/home/x/work/app/a.ts", Decision::Unresolved),
        ("/Users/x/app/.github/a.yml", Decision::Denied),
        ("/Users/x/.config/a", Decision::Denied),
        ("/Users/x/Library/LaunchAgents/a.plist", Decision::Denied),
        ("/home/x/bin/a", Decision::Denied),
        ("/home/x/a.ts", Decision::Denied),
        ("~/app/src/a.ts", Decision::Denied),
    ] {
        let write = effect(Kind::Write(PathTarget::new(path)), Certainty::Exact);
        assert_eq!(policy.judge(&write, &context).decision, expected, "{path}");
        let rooted = Context { root: Some("/Users/y/app"), ..Context::default() };
        assert_eq!(policy.judge(&write, &rooted).decision, Decision::Denied, "{path}");
    }
}
