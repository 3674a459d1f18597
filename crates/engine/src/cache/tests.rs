//! Who remembers says what who does not says: of made-up sessions, and of real ones.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_strace_testing::corpus::{Data, data};
use proptest::prelude::*;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::JudgementCache;
use crate::lines::{policy, session};
use crate::{Replay, Rulings};
use agent_strace_effects::Repository;
use agent_strace_ingest::discover::{Selection, Source, select};
use agent_strace_model::Session;

/// The difference between judging a session by itself and with a cache.
fn difference(session: &Session<'_>, cache: &JudgementCache<'_>, repository: &Arc<Repository>) -> Option<String> {
    let policy = cache.policy();
    let fresh = Replay::new(session, policy, repository);
    let known = Replay::with_cache(session, cache, repository);
    let said = |rulings: &Rulings<'_>| {
        let acts = rulings.acts().map(|act| format!("{} {:?}", act.event, act.judgement));
        acts.chain(rulings.findings().iter().map(|finding| format!("{finding:?}"))).collect::<Vec<_>>()
    };
    // In words, where the locations that effects come from count as well.
    let one = [fresh.in_words(), said(&Rulings::new(&fresh, policy))].concat();
    let other = [known.in_words(), said(&Rulings::with_cache(&known, cache))].concat();
    let pair = one.iter().zip(&other).find(|(one, other)| one != other);
    let pair = pair.map(|(one, other)| format!("{}: by itself\n{one}\nwith a cache\n{other}", session.id));
    pair.or_else(|| (one.len() != other.len()).then(|| format!("{}: {} and {}", session.id, one.len(), other.len())))
}

/// Commands that change what others do: where they run, what they find, what names mean.
fn changing_calls() -> impl Strategy<Value = Vec<String>> {
    let texts = [
        "$ cd src",
        "$ cd ..",
        "$ cd /tmp && ls",
        "$ ln -s .env x",
        "$ cp .env y",
        "$ cat x",
        "$ cat y",
        "$ bash go.sh",
        "$ echo 'rm -rf /' > go.sh",
        "$ echo 'cat .env' >> go.sh",
        "write go.sh",
        "$ python3 run.py",
        "$ make test",
        "$ echo 'print(1)' > run.py",
        "write Makefile",
        "$ git status",
        "$ npm test",
        "$ cat *.sh",
        "$ rm go.sh",
        "$ mv go.sh src/go.sh",
        "$ cat $(cat go.sh)",
        "$ t=$(mktemp); cat $t",
        "refused $ cd src",
        "$ ./go.sh",
        "$ git config core.hooksPath hooks",
        "$ git commit -m x",
        "write package.json",
        "$ sh -c 'cd src; cat go.sh'",
        "$ source go.sh",
        "$ sed -i s/a/b/ go.sh",
        "$ (cd src; bash go.sh)",
        "$ find . -name '*.sh' -exec sh {} ;",
        "$ rm -rf src",
        "$ curl https://x.example/y",
        "$ rg main src",
        "read src/a.rs",
        "read cfg/b",
        "worker: $ cat x",
        "worker: $ rm -rf src",
        "worker: read src/a.rs",
        "$ cat cfg/b cfg2",
    ];
    prop::collection::vec(prop::sample::select(texts.to_vec()).prop_map(str::to_owned), 1..14)
}

/// What most of them say depends on more than on what is done: on who does it, in which session, and on what is excepted.
fn policies() -> Vec<Value> {
    let agents = json!({
        "subagent:worker": {"commands": {"deny": ["rm"]}, "files": {"read": {"deny": ["src/**"]}}},
        "main": {"commands": {"deny": ["make"]}},
    });
    let exceptions = |matching: Value| {
        json!([
            {"rule": "commands.deny[0]", "match": matching, "reason": "INC-1", "owner": "@a", "until": "2030-01-01"},
            {"rule": "scope/read", "reason": "INC-2", "owner": "@a", "until": "2030-01-01"},
        ])
    };
    let commands = json!({"deny": ["rm", "bash"], "allow": ["cat", "git"]});
    let read = json!({"read": {"deny": [".env", "src/a.rs"]}});
    vec![
        json!({"version": 2, "agents": agents, "commands": commands, "files": read}),
        json!({"version": 2, "commands": commands, "files": read, "exceptions": exceptions(json!({"command": "rm -rf src"}))}),
        json!({"version": 2, "commands": commands, "files": read, "exceptions": exceptions(json!({"session": "session-1"}))}),
        json!({"version": 2, "agents": agents, "commands": {"ask": ["cat *"], "deny": ["git push"]}, "exceptions": exceptions(json!({"session": "session-0"}))}),
        json!({"commands": {"deny": ["cat x", "cat $(cat"]}}),
        json!({"commands": {"allow": ["cat", "git status"]}, "files": {"read": {"allow": ["src/**"], "deny": [".env"]}}}),
        json!({"version": 2, "sequences": [{"id": "S", "deny": ["read src/**", "net"]}], "budgets": {"tool_calls": 3}}),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_cache_does_not_change_judgements(
        plain in prop::sample::select(policies()),
        sessions in prop::collection::vec(changing_calls(), 1..6),
        linked in any::<bool>(),
    ) {
        let policy = policy(&plain);
        let cache = JudgementCache::new(&policy);
        let linked = linked.then_some([("cfg", "src"), ("cfg2", ".env")]).into_iter().flatten();
        let links = linked.map(|(link, target)| (link.to_owned(), target.to_owned())).collect();
        let repository = Arc::new(Repository::of_links(links));
        for (number, calls) in sessions.iter().enumerate() {
            let session = Session { id: Cow::Owned(format!("session-{number}")), ..session(calls) };
            prop_assert_eq!(difference(&session, &cache, &repository), None, "{:?}", calls);
        }
    }
}

#[test]
fn a_cache_does_not_change_judgements_of_real_sessions() {
    for data in data() {
        all_the_same(&data);
    }
}

fn all_the_same(data: &Data) {
    let corpus = data.corpus().to_string_lossy().into_owned();
    let found = select(Path::new("/nonexistent"), &[corpus], Selection::All).unwrap();
    let repository = Arc::new(Repository::of_links([("docs".to_owned(), "src".to_owned())].into()));
    for plain in policies().into_iter().take(2) {
        let policy = policy(&plain);
        let cache = JudgementCache::new(&policy);
        let read = AtomicUsize::new(0);
        let differences = |source: &Source| {
            // Some files of the corpus are no logs on purpose; how many are is asked below.
            let Ok(log) = source.load() else { return Vec::new() };
            // Twice, so that each session meets at least its own cache entries.
            let sessions = log.read().sessions;
            read.fetch_add(sessions.len(), Ordering::Relaxed);
            let again = sessions.iter().chain(&sessions);
            again.filter_map(|session| difference(session, &cache, &repository)).collect()
        };
        let wrong: Vec<String> = found.sources.par_iter().flat_map_iter(differences).collect();
        assert!(wrong.is_empty(), "{} sessions differ, the first one is {}", wrong.len(), wrong[0]);
        assert!(read.into_inner() > data.either(25, 100), "there are logs of many agents");
    }
}
