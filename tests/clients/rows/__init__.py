"""What is held against the ground truth: scenarios, each of which plays one or more scenes and answers rows.

A row is one thing that has to hold for one client. A scenario says which rows it has for a client before it plays, so
that a row that was not reached is a failure, and the matrix can be written without playing anything.
"""

from __future__ import annotations

from . import enforcement, failing, gaps, guard, hooks, reading, servers
from .stage import Scenario

SCENARIOS: list[Scenario] = [
    reading.READING,
    hooks.HOOKS,
    enforcement.ENFORCEMENT,
    failing.FAILING,
    gaps.GAPS,
    guard.GUARD,
    servers.SERVERS,
]
