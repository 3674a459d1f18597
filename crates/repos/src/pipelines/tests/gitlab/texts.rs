//! Keys and texts that readers of YAML may read in different ways.

use super::*;

#[test]
fn only_plain_keys_of_ordinary_jobs_are_taken() {
    hold(
        &[(ROOT, ALONE)],
        ROOT,
        "runs",
        &[
            ("# Style.\n", ":agent-strace:\n  script: [date]\n\n"),
            ("# Style.\n", "\":agent-strace\":\n  script: [date]\n\n"),
            ("# Style.\n", "\"agent\\x2dstrace\":\n  script: [date]\n\n"),
            ("# Style.\n", "'agent-strace':\n  script: [date]\n\n"),
            ("# Style.\n", "? agent-strace\n: script: [date]\n\n"),
            ("# Style.\n", "!!str agent-strace:\n  script: [date]\n\n"),
            ("# Style.\n", "&a agent-strace:\n  script: [date]\n\n"),
            ("# Style.\n", "agent-strace :\n  script: [date]\n\n"),
            ("# Style.\n", "Agent-Strace:\n  script: [date]\n\n"),
            ("# Style.\n", "agent-strace 1/2:\n  script: [date]\n\n"),
            ("# Style.\n", "\"new\":\n  script: [date]\n\n"),
            ("# Style.\n", "new  job:\n  script: [date]\n\n"),
            ("# Style.\n", "new :\n  script: [date]\n\n"),
            ("# Style.\n", "néw:\n  script: [date]\n\n"),
            ("# Style.\n", ".new:\n  script: [date]\n\n"),
            ("# Style.\n", "1new:\n  script: [date]\n\n"),
            ("# Style.\n", "Yes:\n  script: [date]\n\n"),
            ("# Style.\n", "null:\n  script: [date]\n\n"),
            ("# Style.\n", "new: [date]\n\n"),
            ("# Style.\n", "new: date\n\n"),
            ("# Style.\n", "new:\n\n"),
            ("# Style.\n", "lint:\n  script: [date]\n\n"),
            ("# Style.\n", "agent-strace:\n  script: [date]\n\n"),
            ("# Style.\n", "<<: {agent-strace: {script: [date]}}\n\n"),
            ("# Style.\n", "\"<<\": {agent-strace: {script: [date]}}\n\n"),
            ("  before_script:\n    - date", "  before_script:\n    - exit 0"),
            (".base:\n  before_script:\n    - date", ".base: &base\n  before_script:\n    - exit 0"),
            ("make lint", "agent-strace check"),
            ("make lint", "\"agent\\x2dstrace check\""),
            ("  rules:\n", "  needs: [agent-strace]\n  rules:\n"),
            ("  rules:\n", "  environment: {name: x, on_stop: Agent-Strace}\n  rules:\n"),
            ("  rules:\n", "  trigger: acme/other\n  rules:\n"),
            ("  rules:\n", "  resource_group: x\n  rules:\n"),
            ("  rules:\n", "  id_tokens: {T: {aud: x}}\n  rules:\n"),
            // Ruby has other members than the data here.
            ("  rules:\n", "  :tags: [x]\n  rules:\n"),
            ("  rules:\n", "  \":trigger\": acme/other\n  rules:\n"),
            ("  rules:\n", "  :resource_group: x\n  rules:\n"),
            ("  rules:\n", "  environment: {name: x, :on_stop: y}\n  rules:\n"),
            ("  rules:\n", "  \"\\x3c<\": {tags: [x]}\n  rules:\n"),
            ("  rules:\n", "  ? <<\n  : {tags: [x]}\n  rules:\n"),
            ("  rules:\n", "  stage: build\n  rules:\n"),
            ("  rules:\n", "  variables: {A: b, A: c}\n  rules:\n"),
            ("deploy:\n", "new:\n  :trigger: acme/other\n\ndeploy:\n"),
            ("deploy:\n", "new:\n  \"\\x3c<\": {trigger: acme/other}\n\ndeploy:\n"),
        ],
    );
    hold(
        &[(ROOT, ALONE)],
        ROOT,
        "runs",
        &[(
            "agent-strace:\n  stage: test\n  needs: []\n",
            "deploy2:\n  script: x\n\nagent-strace:\n  needs: []\n  stage: test\n",
        )],
    );
}

#[test]
fn text_that_readers_of_yaml_may_divide_otherwise_is_an_edit_of_the_gate() {
    hold(
        &[(ROOT, ALONE)],
        ROOT,
        "runs",
        &[
            ("# Style.", "# Style.\u{2028}agent-strace: {script: [date]}"),
            ("# Style.", "# Style.\u{2029}agent-strace: {script: [date]}"),
            ("# Style.", "# Style.\u{85}agent-strace: {script: [date]}"),
            ("# Style.", "# Style.\ragent-strace: {script: [date]}"),
            ("make lint", "make\u{2028}lint"),
            ("make lint", "make\rlint"),
            ("make lint", "make\u{0}lint"),
            ("make lint", "make\u{7f}lint"),
            ("# The", "\u{feff}# The\nnew: {script: [date]}"),
            ("make lint", "make lint\n  \tscript: x"),
            ("      echo one", "\t  echo one"),
            ("    - make lint\n", "    -\tmake lint all\n"),
            ("# The pipeline.\n", "%YAML 1.1\n---\nnew: {script: [date]}\n"),
            ("# Style.\n", "---\n"),
            ("deploy:\n", "...\ndeploy:\n"),
            ("[make deploy]\n", "[make deploy]\n---\nagent-strace: {script: [date]}\n"),
            ("make lint", "&a make style"),
            ("make lint", "*a"),
            ("make lint", "!reference [.base, before_script]"),
            ("make lint", "!%72eference [.base, before_script]"),
            ("make lint", "!<!reference> [.base, before_script]"),
            ("make lint", "!!str make style"),
            ("  rules:\n", "  <<: {needs: []}\n  rules:\n"),
            ("  rules:\n", "  << : {needs: []}\n  rules:\n"),
            ("  rules:\n", "  \"<<\" : {needs: []}\n  rules:\n"),
            ("    - make lint\n", "    - \"make style\n"),
            ("    - make lint\n", "    - 'make lint\n"),
            ("    - make lint\n", "    - \"make\n      style\"\n"),
            ("    - make lint\n", "    - \"make\nstyle\"\n"),
            ("    - make lint\n", "    - \"make lint\\\"\n"),
            ("    - make lint\n", "    - 'make lint''\n"),
            ("    - make lint\n", "    - [make,\n      lint]\n"),
            ("    - make lint\n", "    - [make, # ]\n      lint]\n"),
            ("# Style.\n", "pages:deploy:\n  script: [date]\n\n"),
            ("    - make lint\n", "    - {a: 'b}', c: [d}\n"),
            ("  script: [make deploy]\n", "  script: [make it\n  ]\n"),
            ("  script: [make deploy]\n", "  script:\n  - make deploy\n- x\n"),
            ("    - make lint\n", "    - make lint\nx y\n"),
            ("deploy:\n  stage: test\n", "deploy: {\n  stage: test,\n"),
        ],
    );
    // A text in quotes that holds the gate.
    let swallowing =
        with_gate("  rules:\n", "  variables:\n    A: \"\n  rules:\n").replacen("deploy:\n", "x: \"\ndeploy:\n", 1);
    assert_eq!(kind(part(&[(ROOT, ALONE)], ROOT, Some(swallowing.as_bytes())).as_ref()), "runs");
    let list = "a:\n- x\nlint:\n  script: [a]\nagent-strace:\n  needs: []\n  script: [agent-strace check]\n";
    hold(&[(ROOT, list)], ROOT, "runs", &[("- x", "- y"), ("a:\n- x\n", "")]);
    hold(&[(ROOT, list)], ROOT, "other jobs", &[("[a]", "[b]")]);
}

#[test]
fn an_edit_is_unseen_only_where_every_reader_has_the_same_data() {
    let text = format!("{ALONE}\nlast:\n  script: date\n  allow_failure: \"no\"\n  timeout: \"010\"\n");
    let base = [(ROOT, text.as_str())];
    let unseen = [
        ("# Style.", "# Style, and\n# more."),
        ("\nlint", "\n\n\nlint"),
        ("    - make lint\n", "    - 'make lint' # all\n"),
        ("agent-strace:", "\"agent-strace\":"),
        ("agent-strace:", "\n# The gate!\nagent-strace:"),
    ];
    hold(&base, ROOT, "unseen", &unseen);
    // Ruby takes the last one of equal keys, and `no` for a truth value.
    let seen = [
        ("last:\n", "<<: {agent-strace: {script: [date]}}\nlast:\n"),
        ("last:\n", "\"<<\": {agent-strace: {script: [date]}}\nlast:\n"),
        ("last:\n", "\"\\x3c<\": {agent-strace: {script: [date]}}\nlast:\n"),
        ("last:\n", "? <<\n: {agent-strace: {script: [date]}}\nlast:\n"),
        ("  needs: []\n", "  needs: []\n  <<: {needs: [build]}\n"),
    ];
    hold(&base, ROOT, "runs", &seen);
    hold(&base, ROOT, "other jobs", &[("\"no\"", "no"), ("\"010\"", "010")]);
    hold(&base, ROOT, "unseen", &[("\"no\"", "'no'"), ("\"010\"", "'010'")]);
    hold(&base, ROOT, "other jobs", &[("\"010\"", ">-\n    010")]);
    let listed = text.replacen("paths: [out/]", "paths: [.out/]", 1);
    hold(&[(ROOT, &listed)], ROOT, "unseen", &[("[.out/]", "[\n      .out/]"), ("[.out/]", "\n      - .out/")]);
    let gate = with_gate("needs: []", "needs: []\n  allow_failure: \"yes\"\n  retry: &a \"1_0\"");
    hold(&[(ROOT, &gate)], ROOT, "runs", &[("\"yes\"", "yes"), ("\"1_0\"", "1_0")]);
    hold(&[(ROOT, &gate)], ROOT, "unseen", &[("\"yes\"", "'yes'")]);
    for block in ["|-\n    010", ">-\n\n    010", "|- # x\n    010", "|-2\n    010"] {
        let gate = with_gate("needs: []", &format!("needs: []\n  retry: {block}"));
        let bare = ["010", "\n    010", "# x\n    010"];
        hold(&[(ROOT, &gate)], ROOT, "runs", &bare.map(|bare| (block, bare)));
        hold(&[(ROOT, &gate)], ROOT, "unseen", &[("# The", "# A")]);
    }
}

#[test]
fn the_place_of_merged_keys_and_tags_counts() {
    let merging = "stages: [test]\n.d: &d\n  script: [make]\nlint:\n  <<: *d\n  stage: test\nother:\n  stage: test\n  script: [a]\n\
                   agent-strace:\n  <<: *d # all\n  needs: []\n  script: ['agent-strace check']\n";
    let base = [(ROOT, merging)];
    let seen = [
        ("  <<: *d # all\n  needs: []\n", "  needs: []\n  <<: *d # all\n"),
        (
            "  <<: *d # all\n  needs: []\n  script: ['agent-strace check']\n",
            "  needs: []\n  script: ['agent-strace check']\n  <<: *d\n",
        ),
        ("  <<: *d\n  stage: test\nother:\n  stage: test\n", "  stage: test\n  <<: *d\nother:\n  stage: test\n"),
    ];
    hold(&base, ROOT, "runs", &seen);
    let unseen = [
        ("*d # all", "*d"),
        ("*d\n", "*d # common\n"),
        ("*d # all", "*d # more"),
        ("lint:", "# Lint.\n\nlint: # it"),
        ("'agent-strace check'", "\"agent-strace check\""),
    ];
    hold(&base, ROOT, "unseen", &unseen);
    // The data do not have the tag.
    let tagged = "lint:\n  script: !reference [.a, script]\nagent-strace:\n  needs: []\n  before_script: [.a, script]\n  \
                  script: [agent-strace check]\n";
    let moved = tagged.replacen("!reference ", "", 1).replacen("before_script: [", "before_script: !reference [", 1);
    assert_eq!(kind(part(&[(ROOT, tagged)], ROOT, Some(moved.as_bytes())).as_ref()), "runs");
    hold(&[(ROOT, tagged)], ROOT, "unseen", &[("lint:", "# Lint.\nlint: # it")]);
}
