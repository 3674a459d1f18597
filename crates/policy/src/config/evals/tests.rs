use super::*;

fn read_text(text: &str) -> Result<Evals, String> {
    read(".agent-evals.yaml", text.as_bytes()).map_err(|faults| faults.to_string())
}

/// What the other tool's README shows, and every other type.
const WHOLE: &str = "\
scorers:
  - type: no_errors
    threshold: 1.0   # strict
  - type: cost_under
    max_dollars: 0.10
    threshold: 1.0
  - type: files_scoped
    allowed_paths: [\"src/\", \"tests/\"]
    threshold: 0.90
  - type: duration_under
    max_seconds: 120
  - {type: regex, pattern: 'all \\d+ tests passed', weight: 2}
  - {type: regex, name: apology, pattern: sorry, event_type: user_prompt}
  - {type: max_findings, max: 3, level: warning, rules: [scope/, lint/tool-loop]}
  - {type: writes_within, allowed_paths: [docs]}
  - {type: commands_matching, patterns: [cargo test, make test], min: 1}
  - type: tests_ran
  - {type: llm_judge, prompt: 'was it polite?', model: small, base_url: 'https://x.example'}
thresholds:
  pass: 0.85
  warn: 0.70
evals:
  - name: cost-ceiling
    scorer: cost_usd
    fail_on: above
    threshold: 0.5
  - {name: finished, scorer: session_status, fail_on: not-equal, expected: completed}
  - {name: context, scorer: max_context_fill_ratio, fail_on: at_or_above, threshold: 0.8, context_window: 100000}
";

#[test]
fn a_whole_file_is_read_with_its_places() {
    let evals = read_text(WHOLE).unwrap();
    let names: Vec<&str> = evals.names().collect();
    assert_eq!(
        names.join(" "),
        "no_errors cost_under files_scoped duration_under regex apology max_findings writes_within commands_matching \
         tests_ran llm_judge cost-ceiling finished context"
    );
    let shares: Vec<(f64, f64)> =
        evals.scorers.iter().take(5).map(|scorer| (scorer.threshold, scorer.weight)).collect();
    assert_eq!(shares, [(1.0, 1.0), (1.0, 1.0), (0.9, 1.0), (1.0, 1.0), (1.0, 2.0)]);
    let Some(Thresholds { pass: Some((pass, at)), warn: Some((warn, _)) }) = &evals.thresholds else { panic!() };
    assert_eq!((*pass, *warn, at.pointer.as_str(), at.line), (0.85, 0.7, "/thresholds/pass", 20));
    let [cost, finished, context] = evals.criteria.as_slice() else { panic!("three criteria") };
    assert_eq!((cost.metric, cost.fail_on, &cost.bound), (Metric::CostUsd, FailOn::Above, &Bound::Number(0.5)));
    assert_eq!((cost.location.pointer.as_str(), cost.location.line), ("/evals/0", 23));
    assert_eq!(finished.bound, Bound::Text("completed".to_owned()));
    assert_eq!((context.metric, context.context_window), (Metric::ContextFillRatio, Some(100_000)));
}

/// Rows eval-readme-list, eval-block-list and eval-scalar-list: a list is a list however it is written, and a text is
/// none.
#[test]
fn lists_are_lists_however_they_are_written() {
    let scope = |text: &str| {
        let evals = read_text(text).unwrap();
        let Some(Scorer { test: Test::FilesScoped(policy), .. }) = evals.scorers.into_iter().next() else { panic!() };
        policy.entries().map(|entry| entry.text.clone()).collect::<Vec<_>>()
    };
    let flow = scope("scorers:\n  - type: files_scoped\n    allowed_paths: [\"src/\", \"tests\"]\n");
    let block = scope("scorers:\n  - type: files_scoped\n    allowed_paths:\n      - src/\n      - tests\n");
    assert_eq!(flow, block);
    assert!(flow.contains(&"/src/**".to_owned()) && flow.contains(&"/tests".to_owned()), "{flow:?}");
    // Twice the same, and what is left out again, are patterns like in a policy.
    for list in ["[src/, ./src]", "[src/, '!src/secret/**']", "['**/*.md', ~/notes/, //opt/x]", "[.]"] {
        assert!(!scope(&format!("scorers: [{{type: files_scoped, allowed_paths: {list}}}]")).is_empty(), "{list}");
    }
    let said = read_text("scorers:\n  - type: files_scoped\n    allowed_paths: src/\n").unwrap_err();
    assert!(said.contains("3:20: `scorers[0].allowed_paths` is a string, not a list of texts"), "{said}");
}

/// Each fault with its location, and what to do about it. Rows eval-malformed, gate-code-exec, eval-weight-threshold,
/// eval-baseline-collide and eval-redos are among them.
#[test]
fn faults_say_where_and_what() {
    let scorer = |lines: &str| format!("scorers:\n  - {lines}\n");
    let eval = |lines: &str| format!("evals:\n  - {{name: a, {lines}}}\n");
    let cases = [
        (String::new(), "1:1: the evals are null, not an object"),
        ("a: [1\n".to_owned(), "1:4: this is not YAML: unclosed bracket"),
        ("scorer: []\n".to_owned(), "1:1: unknown key `scorer`; did you mean `scorers`?"),
        ("thresholds: {pass: 0.5}\n".to_owned(), "nothing here judges anything"),
        ("scorers: []\n".to_owned(), "1:10: this list is empty: nothing would be judged"),
        ("scorers: {type: no_errors}\n".to_owned(), "1:10: `scorers` is an object, not a list of objects"),
        (scorer("no_errors"), "2:5: `scorers[0]` is a string, not an object"),
        (scorer("{weight: 1}"), "2:5: `type` is missing; write `type: no_errors`"),
        (scorer("{type: no_error}"), "2:12: `no_error` is no scorer; did you mean `no_errors`?"),
        (scorer("{type: no_errors, max_dollars: 1}"), "2:23: unknown key `max_dollars`"),
        (scorer("{type: no_errors, threshold: 0}"), "2:34: `0` is no score that can be demanded"),
        (scorer("{type: no_errors, threshold: '1'}"), "2:34: `scorers[0].threshold` is a string, not a number"),
        (scorer("{type: no_errors, threshold: .nan}"), "2:34: this is not YAML: non-finite float"),
        (scorer("{type: no_errors, weight: -1}"), "2:31: `-1` is no amount; write a number from 0 on"),
        (scorer("{type: cost_under}"), "2:5: `max_dollars` is missing"),
        (scorer("{type: files_scoped}"), "2:5: `allowed_paths` is missing"),
        (scorer("{type: files_scoped, allowed_paths: []}"), "this list is empty"),
        (scorer("{type: files_scoped, allowed_paths: [src/, ../x/]}"), "2:48: `/../x/**` can never match"),
        (scorer("{type: files_scoped, allowed_paths: [1]}"), "`scorers[0].allowed_paths[0]` is a number, not a text"),
        (scorer("{type: regex, pattern: '(?=a)'}"), "2:28: this is no pattern: look-around"),
        (scorer("{type: regex, pattern: a, event_type: tool_call}"), "`tool_call` is no type of event with a text"),
        (
            scorer("{type: max_findings, rules: [lint/tool-lop]}"),
            "2:34: there is no rule `lint/tool-lop`; did you mean `lint/tool-loop`?",
        ),
        (scorer("{type: max_findings, rules: [lint]}"), "there is no rule `lint`"),
        (scorer("{type: max_findings, rules: [lints/]}"), "there is no rule `lints/`"),
        (scorer("{type: no_errors, name: thresholds}"), "the name `thresholds` is taken"),
        (scorer("{type: no_errors, weight: 1e308}"), "2:31: this weight is too high"),
        (scorer("{type: max_findings, level: warn}"), "2:33: `warn` is no level; did you mean `warning`?"),
        (scorer("{type: commands_matching, patterns: [ls]}"), "it says neither how often they have to run"),
        (scorer("{type: commands_matching, patterns: [ls], min: 2, max: 1}"), "`min` (2) is above `max` (1)"),
        (scorer("{type: tests_ran, commands: cargo test}"), "`scorers[0].commands` is a string, not a list of texts"),
        (scorer("{type: llm_judge, api_key: x}"), "unknown key `api_key`"),
        (
            scorer("{type: regex, pattern: a}\n  - {type: regex, pattern: b}"),
            "3:5: two are called `regex`; give each a `name` of its own",
        ),
        (scorer("{type: no_errors}\nthresholds: {pass: 0.5, warn: 0.9}"), "3:31: `warn` (0.9) is above `pass` (0.5)"),
        (scorer("{type: no_errors, weight: 0}\nthresholds: {pass: 0.5}"), "none of them weighs anything"),
        (eval("scorer: evilmod:run, fail_on: above, threshold: 1"), "2:23: `evilmod:run` names code, and no code is"),
        (eval("scorer: a.b, fail_on: above, threshold: 1"), "`a.b` names code"),
        (eval("scorer: costs_usd, fail_on: above, threshold: 1"), "`costs_usd` is no metric; did you mean `cost_usd`?"),
        (eval("scorer: cost_usd, fail_on: abov, threshold: 1"), "`abov` is no comparison; did you mean `above`?"),
        (eval("scorer: cost_usd, fail_on: above"), "2:5: `threshold` is missing"),
        (eval("scorer: cost_usd, fail_on: above, expected: 1"), "compares with `threshold`, not with `expected`"),
        (eval("scorer: cost_usd, fail_on: above, threshold: cheap"), "`cost_usd` is a number, and this is a text"),
        (eval("scorer: session_status, fail_on: above, threshold: 1"), "`session_status` is a word"),
        (
            eval("scorer: session_status, fail_on: not_equal, expected: complete"),
            "`complete` is no status of a session; did you mean `completed`?",
        ),
        (eval("scorer: error_count, fail_on: above, threshold: 0, limit: 3"), "unknown key `limit`"),
    ];
    for (text, wanted) in cases {
        let said = read_text(&text).map_or_else(|faults| faults, |_| String::new());
        assert!(said.contains(wanted), "{text}\n{said}\nwanted: {wanted}");
    }
    assert!(read(".agent-evals.yaml", b"a: \xff\n").is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(text in ".{0,200}") {
        let _ = read_text(&text);
        let _ = read_text(&format!("scorers:\n  - {text}"));
        let _ = read_text(&format!("evals:\n  - {text}"));
    }
}
