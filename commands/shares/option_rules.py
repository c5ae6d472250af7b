"""Which options of `slotwise fair` go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.errors import InputError

QUESTIONS = ("why", "what_if", "admit", "compare", "events", "export")
"""Each of these is answered alone."""

GOES_WITH = {"flat": "export", "use": "admit", "leaf_map": "compare"}
"""Options that mean something with another one only."""

SPOKEN = {
    ("why", "events"): "--why explains one allocation: leave out --events",
    ("why", "export"): "--export writes a scheduler's file: leave out --why and --events",
    ("events", "export"): "--export writes a scheduler's file: leave out --why and --events",
}


def check_together(values: Mapping[str, Any]) -> None:
    """Raise `InputError` if options were given that do not go together."""
    given = {name for name, value in values.items() if value not in (None, False, [])}
    for name, other in GOES_WITH.items():
        if name in given and other not in given:
            raise InputError(f"{option(name)} goes with {option(other)}")
    asked = [name for name in QUESTIONS if name in given]
    if len(asked) > 1:
        pair = asked[0], asked[1]
        text = f"{option(pair[0])} and {option(pair[1])} are two questions: ask one at a time"
        raise InputError(SPOKEN.get(pair, text))
    if "on" in given and asked and asked != ["why"]:
        raise InputError(f"--on shows the shares of all: leave out {option(asked[0])}")
    if "certificate" in given and [name for name in asked if name != "why"]:
        raise InputError(f"--certificate is of the shares: leave out {option(asked[0])}")
    if "compare" in given and "hierarchy" in given:
        raise InputError("--compare A B names both hierarchies: leave out HIERARCHY")
    for name in ("what_if", "admit", "compare"):
        if name in given and values["method"] != "exact":
            raise InputError(f"{option(name)} is for method exact, not {values['method']}")


def option(name: str) -> str:
    """The option as it is typed."""
    return "--" + name.replace("_", "-")
