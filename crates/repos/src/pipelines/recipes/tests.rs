use crate::pipelines::tests::{WORKFLOW, kind, part, step};

#[test]
fn a_recipe_that_the_gate_does_not_run_may_change_in_every_format() {
    let just = "set shell := ['bash', '-c']\nv := '1'\n\ngate: tools\n    agent-strace check\n\n# Builds it.\n[group('a')]\nbuild:\n    cc a.c\n\ntools:\n    true\n";
    let task = "version: '3'\nvars: {A: b}\ntasks:\n  gate:\n    deps: [tools]\n    cmds:\n      - agent-strace check\n  build:\n    cmds:\n      - cc a.c\n  tools:\n    cmds:\n      - 'true'\n";
    let poe = "[project]\nname = \"a\"\nversion = \"1\"\n\n[tool.ruff]\nline-length = 100\n\n[tool.poe]\nexecutor = \"uv\"\n\n[tool.poe.tasks]\ngate = \"agent-strace check\"\nbuild = \"cc a.c\"\n";
    let mise = "[env]\nA = \"b\"\n\n[tasks.gate]\nrun = \"agent-strace check\"\n\n[tasks.build]\nrun = \"cc a.c\"\n";
    let tox = "[tox]\nenvlist = gate, lint\n\n[testenv]\nskip_install = true\n\n[testenv:gate]\ncommands = agent-strace check\n\n[testenv:lint]\ncommands = ruff check a.c\n";
    let shared = "[testenv:gate]\ndeps = {[testenv:a]deps}\ncommands = agent-strace check\n\n[testenv:a]\ndeps = {[testenv:b]deps}\n\n[testenv:b]\ndeps = b=1\n\n[testenv:c]\ndeps = c=1\n";
    let composer = "{\"scripts\": {\"gate\": \"agent-strace check\", \"x\": \"y\"}, \"require\": {\"a\": \"1\"}}";
    let free = "beside";
    for (run, file, text, old, new, expected) in [
        ("just gate", "justfile", just, "cc a.c", "cc -O a.c", free),
        ("just gate", "justfile", just, "build:\n", "build: tools\n", free),
        ("just gate", "justfile", just, "[group('a')]", "[group('b')]", free),
        ("just gate", "justfile", just, "tools:\n    true\n", "tools:\n    true\n\nnew:\n    x\n", free),
        ("just gate", "justfile", just, "agent-strace check", "true", "called"),
        ("just gate", "justfile", just, "    true", "    false", "called"),
        ("just gate", "justfile", just, "'bash'", "'./x'", "called"),
        ("just gate", "justfile", just, "v := '1'", "v := '2'", "called"),
        ("just gate", "justfile", just, "gate: tools", "gate:", "called"),
        ("just gate", "justfile", just, "v := '1'", "v := '1'\nimport 'x.just'", "called"),
        ("just gate", "justfile", just, "[group('a')]\nbuild:", "[private]\ngate:\n    true\n\nbuild:", "called"),
        ("task gate", "Taskfile.yml", task, "cc a.c", "cc -O a.c", free),
        ("task gate", "Taskfile.yml", task, "  tools:", "  new:\n    cmds: [x]\n  tools:", free),
        ("task gate", "Taskfile.yml", task, "agent-strace check", "'true'", "called"),
        ("task gate", "Taskfile.yml", task, "- 'true'", "- 'false'", "called"),
        ("task gate", "Taskfile.yml", task, "{A: b}", "{A: c}", "called"),
        ("task gate", "Taskfile.yml", task, "deps: [tools]", "status: ['true']", "called"),
        ("task gate", "Taskfile.yml", task, "  gate:\n", "  gate:\n    dir: x\n", "called"),
        ("task gate", "Taskfile.yml", task, "tasks:", "includes: {gate: ./x.yml}\ntasks:", "called"),
        ("poe gate", "pyproject.toml", poe, "cc a.c", "cc -O a.c", free),
        ("poe gate", "pyproject.toml", poe, "version = \"1\"", "version = \"2\"", free),
        ("poe gate", "pyproject.toml", poe, "= 100", "= 120", free),
        ("poe gate", "pyproject.toml", poe, "agent-strace check", "true", "called"),
        ("poe gate", "pyproject.toml", poe, "\"uv\"", "\"simple\"", "called"),
        ("poe gate", "pyproject.toml", poe, "[tool.ruff]", "[project.scripts]\npoe = \"a:b\"\n\n[tool.ruff]", "called"),
        ("mise run gate", "mise.toml", mise, "cc a.c", "cc -O a.c", free),
        ("mise run gate", "mise.toml", mise, "\"b\"", "\"c\"", "called"),
        ("tox -e gate", "tox.ini", tox, "ruff check", "ruff", free),
        ("tox -e gate", "tox.ini", tox, "agent-strace check", "true", "called"),
        ("tox -e gate", "tox.ini", tox, "skip_install", "x", "called"),
        ("tox -e gate", "tox.ini", shared, "b=1", "b=2", "called"),
        ("tox -e gate", "tox.ini", shared, "c=1", "c=2", free),
        ("tox", "tox.ini", tox, "ruff check", "ruff", "called"),
        ("tox -e gate", "tox.ini", tox, "envlist = gate, lint", "envlist = lint", "called"),
        ("composer gate", "composer.json", composer, "\"1\"", "\"2\"", free),
        ("composer gate", "composer.json", composer, "agent-strace check", "true", "called"),
    ] {
        let workflow = step(&format!("run: {run}"));
        let base = [(WORKFLOW, workflow.as_str()), (file, text)];
        let replaced = text.replace(old, new);
        assert_ne!(replaced, text, "{run}: {old:?}");
        let found = part(&base, file, Some(replaced.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{run}: {old:?} → {new:?}");
    }
}

#[test]
fn a_build_before_the_gate_counts_by_the_commands_in_its_file() {
    let pom = "<project><version>1</version><exec executable=\"a\"><arg value=\"b\"/></exec></project>\n";
    let workflow = "jobs:\n  gate:\n    steps: [{run: mvn verify}, {uses: acme/agent-strace@v1}]\n";
    let base = [(WORKFLOW, workflow), ("pom.xml", pom)];
    for (old, new, expected) in [(">1<", ">2<", "beside"), ("value=\"b\"", "value=\"c\"", "called")] {
        let found = part(&base, "pom.xml", Some(pom.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{old} → {new}");
    }
}

#[test]
fn lines_of_a_makefile_that_only_look_like_rules_count() {
    let make = "include rules.mk\nbuild:\n\tcc a.c\ngate: tools\n\tagent-strace check\ntools:\n\ttrue\ndefine x\ny: z\nendef\nA = b\n";
    let workflow = step("run: make gate");
    let base = [(WORKFLOW, workflow.as_str()), ("Makefile", make), ("rules.mk", "x:\n")];
    for (old, new, expected) in [
        ("cc a.c", "cc b.c", "beside"),
        ("build:", "docs:\n\tmkdocs\nbuild:", "beside"),
        ("build:", "include /tmp/x:y.mk\nbuild:", "called"),
        ("build:", "ifdef A:B\nbuild:", "called"),
        ("build:", "else x:y\nbuild:", "called"),
        ("build:", "export a:b\nbuild:", "called"),
        ("build:", "vpath a:b\nbuild:", "called"),
        ("build:", "load a:b\nbuild:", "called"),
        ("build:", "Makefile: x\n\tcp x Makefile\nbuild:", "called"),
        ("build:", "rules.mk:\n\tcp x rules.mk\nbuild:", "called"),
        ("y: z", "y: w", "called"),
        ("A = b\n", "A = b\n\tinclude x\n", "called"),
    ] {
        let found = part(&base, "Makefile", Some(make.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{old:?} → {new:?}");
    }
}

#[test]
fn a_folder_that_keeps_make_from_the_gate_is_found() {
    let make = "gate: tools\n\tagent-strace check\ntools:\n\ttrue\nbuild:\n\tcc\n";
    let phony = format!(".PHONY: gate \\\n  tools\n{make}");
    let workflow = step("run: make gate");
    for (make, path, expected) in [
        (make, "gate/a.md", "would be called"),
        (make, "tools/b/a.md", "would be called"),
        (make, "build/a.md", "nothing"),
        (make, "other/gate/a.md", "nothing"),
        (&phony, "gate/a.md", "nothing"),
        (&phony, "tools/a.md", "nothing"),
    ] {
        let base = [(WORKFLOW, workflow.as_str()), ("Makefile", make)];
        assert_eq!(kind(part(&base, path, Some(b"x\n")).as_ref()), expected, "{path}");
    }
    let base = [(WORKFLOW, workflow.as_str()), ("Makefile", make), ("gate/b.md", "x\n")];
    assert_eq!(kind(part(&base, "gate/a.md", Some(b"x\n")).as_ref()), "nothing");
}

/// The part that a makefile has after an edit, for a gate that runs `make gate`.
fn made(make: &str, old: &str, new: &str) -> &'static str {
    let workflow = step("run: make gate");
    let base = [(WORKFLOW, workflow.as_str()), ("Makefile", make)];
    let head = make.replacen(old, new, 1);
    assert_ne!(head, make, "{old:?}");
    kind(part(&base, "Makefile", Some(head.as_bytes())).as_ref())
}

#[test]
fn comments_of_a_makefile_do_not_count_where_they_end_on_their_line() {
    let make = "# Top.\nA = b \\\n# c\nSHELL = /bin/sh\n\n# Gate.\ngate: tools\n\tagent-strace check\n# Tools.\ntools:\n\ttrue\n# d\ndefine x\n# e\nendef\n";
    for (old, new, expected) in [
        ("# Top.", "# Top!", "beside"),
        ("# Top.\n", "", "beside"),
        ("# Gate.", "# Gate.\n#\n# More: $(A)", "beside"),
        ("# Gate.", "# include x.mk", "beside"),
        ("# Tools.", "## Tools", "beside"),
        ("# d", "# define", "beside"),
        ("\nSHELL", "\n# The shell.\nSHELL", "beside"),
        ("# Top.", "# Top \\", "called"),
        ("# Gate.", "# Gate \\", "called"),
        ("# Tools.", "# Tools \\", "called"),
        ("\nSHELL", "\n# x \\\nSHELL", "called"),
        ("# c\n", "# c \\\n", "called"),
        ("# c\n", "# d\n", "called"),
        ("# Top.", "# Top \\\n# More.", "beside"),
        ("# Top.", "# Top \\\\\n# More.", "called"),
        ("# Top.", "# Top \\ \n# More.", "called"),
        ("# Top.", "# Top \\\nMore.", "called"),
        ("# Gate.", "# Gate \\\n# More \\\n  # and more", "called"),
        ("# Gate.", "# Gate \\\n# More \\\n# and more.", "beside"),
        ("# Gate.", "# Gate \\\n# More \\\n", "called"),
        ("# Gate.", "# Gate \\\n# More \\", "called"),
        ("# e", "# $(shell x)", "called"),
        ("# Top.", "# Top.\nB = c", "called"),
        ("A = b", "A = c", "called"),
        ("# Top.", ".RECIPEPREFIX = .\n# Top.", "called"),
    ] {
        assert_eq!(made(make, old, new), expected, "{old:?} → {new:?}");
    }
}

#[test]
fn a_recipe_that_takes_the_next_line_counts() {
    let make = "lint:\n\techo lint\n.PHONY: gate\n.SHELLFLAGS = -ec\nA = b\n# c\nx:\n\ta \\\n\tb\n\n.IGNORE: x\ngate:\n\tagent-strace check\n";
    for (old, new, expected) in [
        ("echo lint\n", "echo lint \\\n\t  all\n", "beside"),
        ("echo lint\n", "echo lint \\\n\n", "beside"),
        ("echo lint\n", "echo lint \\\\\n", "beside"),
        ("echo lint\n", "echo lint \\ \n", "beside"),
        ("\tb\n", "\tb \\\n\tc\n", "beside"),
        ("echo lint\n", "echo lint \\\n", "called"),
        ("echo lint\n", "echo lint \\\\\\\n", "called"),
        ("echo lint\n", "# lint \\\n", "called"),
        ("echo lint\n", "echo lint\n\t\\\n", "called"),
        ("echo lint\n", "echo lint \\\n# c\n", "called"),
        ("echo lint\n", "echo lint \\\n# c \\\n", "called"),
        ("\tb\n\n", "\tb \\\n", "called"),
        ("\tb\n", "\tb \\\n", "beside"),
        (
            ".PHONY: gate\n.SHELLFLAGS = -ec\nA = b\n# c\nx:\n\ta",
            "x:\n\ta \\\n.PHONY: gate\n.SHELLFLAGS = -ec\nA = b\n\ta",
            "called",
        ),
    ] {
        assert_eq!(made(make, old, new), expected, "{old:?} → {new:?}");
    }
}

#[test]
fn targets_that_are_no_files_count_where_the_gate_needs_them() {
    let make = ".PHONY: gate tools lint\n.PHONY: build\nA = b\nifdef CI\nB = c\nendif\n\ngate: tools\n\tagent-strace check\ntools: setup\n\ttrue\nlint:\n\tx\nsetup: ; true\nbuild: lint | setup\n\tcc a.c\n%.o: %.c\n\tcc $<\n";
    for (old, new, expected) in [
        ("tools lint", "tools lint docs", "beside"),
        ("tools lint", "tools", "beside"),
        ("tools lint", "docs tools lint", "beside"),
        (".PHONY: build\n", "", "beside"),
        (".PHONY: build", ".PHONY: build docs a/b x-y_z", "beside"),
        (".PHONY: build", ".PHONY:", "beside"),
        ("\ngate:", "\n.PHONY: docs\ndocs:\n\tmkdocs\ngate:", "beside"),
        ("lint:\n", ".PHONY: check\nlint:\n", "beside"),
        ("ifdef CI\n", "ifdef CI\n.PHONY: build docs\n", "beside"),
        (".PHONY: gate tools lint", ".PHONY: tools lint", "called"),
        (".PHONY: gate tools lint\n", "", "called"),
        ("gate tools lint", "gate lint", "called"),
        ("tools lint", "tools lint setup", "called"),
        (".PHONY: build", ".PHONY: setup", "called"),
        (".PHONY: gate tools lint\n", "ifdef CI\n.PHONY: gate tools lint\nendif\n", "called"),
        ("A = b\nifdef CI\n", "A = b\nifdef CI\n.PHONY: gate\n", "called"),
        ("tools lint", "tools lint $(MORE)", "called"),
        ("tools lint", "tools lint %", "called"),
        ("tools lint", "tools lint x.c", "called"),
        ("tools lint", "tools lint # x", "called"),
        ("tools lint", "tools lint ; x", "called"),
        ("tools lint", "tools lint .IGNORE", "called"),
        ("tools lint", "tools lint \\\n  docs", "beside"),
        ("gate tools lint", "\tgate \\\n\ttools \\\n  lint", "beside"),
        ("gate tools lint", "gate \\\n  lint", "called"),
        ("tools lint", "tools lint \\\n  setup", "called"),
        ("tools lint", "tools lint \\\n\n", "called"),
        ("tools lint", "tools lint \\ ", "called"),
        ("tools lint\n", "tools lint \\\n", "called"),
        ("tools lint\n", "tools lint \\\n  docs \\\n", "called"),
        ("tools lint\n", "tools lint \\\n\ninclude x\n", "called"),
        ("tools lint\n", "tools lint \\ \ninclude x\n", "called"),
        ("tools lint\n", "tools lint \\\n  # docs\n", "called"),
        ("lint:\n", "lint: ## Lint it.\n", "beside"),
        ("lint:\n", "lint: # $(A) = b; c\n", "beside"),
        ("lint:\n", "lint: # a \\\n", "called"),
        ("lint:\n", "lint: \\# a\n", "called"),
        ("lint:\n", "lint: A = b # a\n", "called"),
        ("gate: tools", "gate: tools # all", "beside"),
        ("gate: tools", "gate: # tools", "called"),
        (".PHONY: build", ".PHONY:\tbuild docs", "beside"),
        (".PHONY: build", ".PHONY: A = b", "called"),
        (".PHONY: build", ".PHONY:: build", "called"),
        (".PHONY: build", ".PHONY gate: build", "called"),
        (".PHONY: build", ".IGNORE: build", "called"),
        (".PHONY: build", ".SILENT: build", "called"),
        ("gate: tools\n", "gate: tools\n.PHONY: docs\n", "called"),
        ("tools: setup\n", "tools: setup\n.PHONY: docs\n", "called"),
        ("A = b", "A = b \\\n.PHONY: docs", "called"),
        (".PHONY: build", ".PHONY: docs\ngate: docs", "called"),
        ("tools: setup\n", "tools: \\\n  docs setup\n", "called"),
    ] {
        assert_eq!(made(make, old, new), expected, "{old:?} → {new:?}");
    }
    // Other makefiles and options, which an environment gives, and names in another form.
    for (old, new, edited, expected) in [
        ("A = b", "MAKEFLAGS += --no-builtin-rules -s", "build docs", "beside"),
        ("A = b", "MAKEFLAGS += --eval=gate:docs", "build docs", "called"),
        ("A = b", "MAKEFILES = x.mk", "build docs", "called"),
        ("tools: setup", "tools: ./setup", "build setup", "called"),
        ("gate: tools", "gate: ././/docs", "build docs", "called"),
        ("tools: setup", "./tools: docs", "build docs", "called"),
        ("tools: setup", "tools: ./setup", "build docs", "beside"),
    ] {
        let text = make.replacen(old, new, 1);
        assert_ne!(text, make, "{old}");
        assert_eq!(made(&text, ".PHONY: build", &format!(".PHONY: {edited}")), expected, "{new:?} {edited}");
    }
    for (workflow, expected) in [
        ("jobs:\n  gate:\n    steps: [{run: make gate, env: {MAKEFILES: ci/x.mk}}]\n", "called"),
        ("jobs:\n  gate:\n    env: {MAKEFLAGS: -r}\n    steps: [{run: make gate}]\n", "called"),
        ("env: {GNUMAKEFLAGS: -r}\njobs:\n  gate:\n    steps: [{run: make gate}]\n", "called"),
        ("jobs:\n  gate:\n    steps: [{run: 'export MAKEFILES=x.mk; make gate'}]\n", "called"),
        ("jobs:\n  gate:\n    steps: [{run: make gate, env: {A: ci/x.mk}}]\n", "beside"),
    ] {
        let base = [(WORKFLOW, workflow), ("Makefile", make)];
        let edited = make.replacen(".PHONY: build", ".PHONY: build docs", 1);
        assert_eq!(kind(part(&base, "Makefile", Some(edited.as_bytes())).as_ref()), expected, "{workflow}");
    }
    // Lines that go on.
    for (old, new, added, expected) in [
        ("tools: setup", "tools: \\\n  setup", "docs", "beside"),
        ("tools: setup", "tools: \\\n  setup", "setup", "called"),
        ("A = b", "A = b \\\n  c:d", "docs", "beside"),
    ] {
        let text = make.replacen(old, new, 1);
        assert_eq!(made(&text, ".PHONY: build", &format!(".PHONY: build {added}")), expected, "{new:?} {added}");
    }
    // What the gate needs is not known.
    for (old, new) in [
        ("gate: tools", "gate: $(TOOLS)"),
        ("tools: setup", "tools: $(A:b=c)"),
        ("tools: setup", "tools: set*"),
        ("lint:\n", "$(A):\n"),
        ("%.o: %.c", "%: %.c"),
        ("%.o: %.c", "%.o: %"),
        ("%.o: %.c", "too%: x.c"),
        ("A = b", "include x.mk"),
        ("A = b", "A = b \\\\\n  c"),
        ("A = b", "A = b\n\tgate: docs"),
        ("gate: tools", "gate: a\\# tools"),
        ("A = b", "$(eval gate: docs)"),
        ("A = b", "$(call rules)"),
        ("A = b", "define x\ngate: docs\nendef"),
        ("A = b", ".EXTRA_PREREQS = docs"),
        ("agent-strace check", "$(MAKE) docs && agent-strace check"),
    ] {
        let text = make.replacen(old, new, 1);
        assert_ne!(text, make, "{old:?}");
        assert_eq!(made(&text, ".PHONY: build", ".PHONY: build docs"), "called", "{old:?} → {new:?}");
        assert_eq!(made(&text, "cc a.c", "cc b.c"), "beside", "{old:?} → {new:?}");
    }
}
