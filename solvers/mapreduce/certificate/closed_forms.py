"""Proofs in closed form: the verifier computes them from the instance alone."""

from __future__ import annotations

from collections.abc import Iterator

from ...certificate import Proof
from .claim import Claim


def closed_forms(claim: Claim) -> Iterator[Proof]:
    """Waits of the slots, then Johnson's flow shop."""
    yield {"proof": "waits"}
    yield {"proof": "johnson"}
