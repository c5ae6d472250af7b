"""Verdicts on documents, as the verifier reads their text."""

import json
from collections.abc import Callable
from typing import Any

from slotwise.verify import Refused, confirmed, parsed, problem_of


def read_exactly(document: Any) -> Any:
    """A document as the verifier reads its text."""
    return parsed(json.dumps(document))


def lines(problem: Any, claim: Any, certificate: Any) -> tuple[bool, list[str]]:
    """The verdict, and what was said."""
    findings: list[str] = []
    try:
        holds = confirmed(
            problem_of(read_exactly(problem)),
            read_exactly(claim),
            read_exactly(certificate),
            say=findings.append,
        )
    except Refused as why:
        return False, [*findings, str(why)]
    return holds, findings


def changed(document: Any, change: Callable[[Any], None]) -> Any:
    """A changed copy."""
    copy = json.loads(json.dumps(document))
    change(copy)
    return copy
