//! Files of CI systems that are not known.

use super::*;

#[test]
fn a_file_of_an_unknown_system_that_calls_the_gate_is_shown() {
    let pipeline = "jobs:\n  - name: gate\n    commands: [agent-strace check --policy-ref auto]\n  - name: test\n    commands: [make]\n";
    let nav = "nav:\n  - agent-strace check: check.md\n  - about: agent-strace checks sessions\n";
    // What can't be read may be a pipeline.
    let broken = "jobs: [\n  - run: agent-strace check\n  - run: make\n";
    let action = step("uses: acme/agent-strace@v1");
    let gate = (WORKFLOW, action.as_str());
    for (base, path, old, new, expected) in [
        (&[("ci/workflow.yaml", pipeline)][..], "ci/workflow.yaml", "agent-strace check", "true", "only gate"),
        (&[("ci/workflow.yaml", pipeline)], "ci/workflow.yaml", "make", "make test", "names gate"),
        (&[("ci/workflow.yaml", pipeline), gate], "ci/workflow.yaml", "agent-strace check", "true", "names gate"),
        (&[("ci/workflow.yaml", pipeline), gate], "ci/workflow.yaml", "make", "make test", "nothing"),
        (&[("ci/broken.yaml", broken)], "ci/broken.yaml", "agent-strace check", "true", "only gate"),
        (&[("ci/broken.yaml", broken), gate], "ci/broken.yaml", "agent-strace check", "true", "names gate"),
        (&[("mkdocs.yml", nav)], "mkdocs.yml", "about", "more", "nothing"),
    ] {
        let text = base[0].1.replace(old, new);
        assert_eq!(kind(part(base, path, Some(text.as_bytes())).as_ref()), expected, "{path}: {old} → {new}");
    }
}
