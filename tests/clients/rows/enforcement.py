"""Enforcement: what the policy denies does not run, what it allows does, and the model and the store hear why."""

from __future__ import annotations

from client import Client
from mock.scenes import Call
from play import POLICY, Play, Played

from .stage import Scenario, Stage, filesystem, hooked, patient, played, policy

ROWS = {
    "enforcement/stopped": "denied calls do not run",
    "enforcement/subagent": "denied calls of a sub-agent do not run",
    "enforcement/mcp": "denied calls of an MCP server do not run",
    "enforcement/allowed": "allowed calls run",
    "enforcement/reason": "the model gets the reason",
    "enforcement/decisions": "each denial is an entry of the store",
    "enforcement/store": "`check` of the store: attempts, no error",
    "enforcement/log": "`check` of its log: attempts, no error",
    "enforcement/gaps": "`gaps` finds no call that got past",
    "enforcement/ask": "a call that needs an approval does not run where no person can be asked, and is an attempt",
    "enforcement/typed": "what is typed into a shell that runs already is no way past a policy that only denies",
    "enforcement/worktree": "denied calls do not run in work trees that the client makes",
}
ASKS = '{"version": 2, "files": {"write": {"allow": ["src/**"], "ask": ["src/leak-asked.txt"]}}}\n'
ONLY_DENIES = '{"version": 2, "files": {"read": {"deny": [".env", "secrets/**"]}}}\n'
# The tools that some rows are about.
NEEDED = {"enforcement/subagent": "delegate", "enforcement/typed": "type", "enforcement/worktree": "worktree"}
# Rows with a play of their own.
APART = ("enforcement/ask", "enforcement/typed", "enforcement/worktree")
FINE = ("src/fine.py", "src/fine.txt", "src/sub.py")


def asks(client: Client, row: str) -> bool:
    return hooked(client, row) and (row not in NEEDED or client.has(NEEDED[row]))


def play(stage: Stage) -> None:
    with stage.answers(*(row for row in ROWS if row not in APART)):
        denied(stage)
    with stage.answers("enforcement/ask"):
        asked(stage)
    if stage.client.has("type"):
        with stage.answers("enforcement/typed"):
            typed(stage)
    if stage.client.has("worktree"):
        with stage.answers("enforcement/worktree"):
            apart(stage)


def denied(stage: Stage) -> None:
    play = stage.play("enforcement", filesystem)
    policy(play)
    stage.set(play, "--write", "--enforce", "--fail-closed")
    run = played(play.run("deny", flags=stage.flags(), before=patient))
    stopped(stage, play, run)
    denied = [call for call in run.truth.calls() if call.denied]
    logged = [decision for decision in play.product.decisions() if decision["decision"] == "deny"]
    stage.same("enforcement/decisions", len(logged), len(denied))
    for row, where in (("enforcement/store", []), ("enforcement/log", [play.logs()])):
        checked = play.product.report("check", *where)
        found = (checked["summary"]["attempts"], checked["summary"]["findings"]["error"], checked["summary"]["gaps"])
        summary = f"{found[0]} attempts, {found[1]} errors, {found[2]} gaps; {len(denied)} calls were denied"
        stage.hold(row, None if found == (len(denied), 0, 0) else summary)
    joined = play.product.report("gaps", play.logs())
    lapses = [f"{lapse['kind']} {lapse['tool']}" for session in joined["sessions"] for lapse in session["lapses"]]
    stage.same("enforcement/gaps", (joined["exit_code"], lapses), (0, []))


def asked(stage: Stage) -> None:
    play = stage.play("ask")
    play.write(".agent-scope.json", ASKS)
    stage.set(play, "--write", "--enforce", "--fail-closed")
    played(play.run("ask", flags=stage.flags(), before=patient))
    stage.same("enforcement/ask", play.leaks(), [])
    summary = play.product.report("check")["summary"]
    found = (summary["attempts"], summary["findings"]["error"])
    stage.hold("enforcement/ask", None if found == (1, 0) else f"the store: {found[0]} attempts, {found[1]} errors")


def typed(stage: Stage) -> None:
    play = stage.play("typed")
    play.write(".agent-scope.json", ONLY_DENIES)
    stage.set(play, "--write", "--enforce", "--fail-closed")
    played(play.run("typed", flags=stage.flags()))
    stage.same("enforcement/typed", play.leaks(), [])


def apart(stage: Stage) -> None:
    play = stage.play("worktree")
    policy(play)
    stage.set(play, "--write", "--enforce", "--fail-closed")
    # The hooks are those of the repository, in each of its work trees.
    play.commit()
    run = played(play.run("worktree", flags=stage.flags()))
    leaks = play.leaks()
    stage.hold("enforcement/worktree", f"ran: {', '.join(leaks)}" if leaks else None)
    stage.hold("enforcement/worktree", None if "worktree-sub" in run.truth.scenes() else "no sub-agent was started")
    inside = list(play.root.glob(".claude/worktrees/*/src/fine.txt"))
    stage.hold("enforcement/worktree", None if inside else "nothing ran in the work tree")


def stopped(stage: Stage, play: Play, run: Played) -> None:
    """The calls that the policy denies, and those that it allows."""
    leaks = play.leaks()
    stage.hold("enforcement/stopped", f"ran: {', '.join(leaks)}" if leaks else None)
    calls = [call for call in run.truth.calls() if call.denied]
    said = {call.id: run.truth.results.get(call.id, "") for call in calls}
    unsaid = [call for call in calls if "agent-strace" not in said[call.id]]
    stage.hold("enforcement/reason", f"no reason for {names(unsaid)}" if unsaid else None)
    groups = {
        "enforcement/subagent": [call for call in calls if call.scene == "deny-sub"],
        "enforcement/mcp": [call for call in calls if call.action == "mcp"],
    }
    for row, wanted in groups.items():
        if row == "enforcement/subagent" and not stage.client.has("delegate"):
            continue
        ran = [call for call in wanted if call.id not in said or "agent-strace" not in said[call.id]]
        stage.hold(row, f"not refused: {names(ran)}" if ran else None)
        stage.hold(row, None if wanted else "the model was never asked for them")
    missing = [path for path in FINE if not (play.root / path).exists()]
    stage.hold("enforcement/allowed", f"did not run: {', '.join(missing)}" if missing else None)
    changed = (play.root / ".agent-scope.json").read_text() != POLICY
    stage.hold("enforcement/allowed", "the policy was changed" if changed else None)


def names(calls: list[Call]) -> str:
    return ", ".join(f"{call.tool} ({call.id})" for call in calls)


ENFORCEMENT = Scenario("enforcement", ROWS, asks, play)
