"""Proofs by one linear program: the work of a phase on slots of different speed."""

from __future__ import annotations

from collections.abc import Iterator

from ....verify import Refused
from ....verify_rows import Unrelated
from ...certificate import Proof
from .claim import Claim
from .linear import Relaxation


def unrelated_machines(claim: Claim) -> Iterator[Proof]:
    """A proof for each phase. It may prove less than the target."""
    for phase in ("map", "reduce"):
        if claim.stop():
            return
        try:
            program = Unrelated(claim.shop, phase, max(claim.target - 1, 0))
        except Refused:  # too large
            continue
        relaxation = Relaxation(program)
        solved = relaxation.solve({})
        if solved is not None:
            _, leaf = relaxation.leaf(solved, {}, claim.target)
            horizon = program.horizon
            yield {"proof": "unrelated machines", "phase": phase, "horizon": horizon, **leaf}
