"""On how many of the paper's machines runs are, and which verdicts that decides.

The more machines there are, the more room is somewhere at the same load: waits of all policies get
shorter, and not alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ....instances.datacenter.generators.lotes import google_2011
from ..experiment import Claim, Verdict
from .runs import TWENTIETH, WHOLE

if TYPE_CHECKING:
    import pandas as pd

DECIDED_BY_SCALE = ("lotes-08", "lotes-10", "lotes-12", "lotes-17", "lotes-18")
"""Claims on waits and queues: their verdicts on few machines are not those on all."""

ALL_MACHINES = int(google_2011().count.sum())

ON_ALL = f"all {ALL_MACHINES:,} machines"

AT_SCALE = "not testable at this scale: --full runs all machines"


def judged(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that verdicts are on: those on the most machines."""
    return frame[frame["scale"] == frame["scale"].max()]


def scale_of(frame: pd.DataFrame) -> str:
    """On how many machines these runs are, in words."""
    scale = float(frame["scale"].iloc[0])
    if scale == WHOLE:
        return ON_ALL
    return f"{int(google_2011(scale).count.sum()):,} of {ALL_MACHINES:,} machines"


def at_scale(claims: Iterable[Claim], frame: pd.DataFrame) -> list[Claim]:
    """The claims with the scale of their runs; what the scale decides is open below the paper's."""
    words = scale_of(frame)
    scaled = [replace(claim, scale=words) for claim in claims]
    if words == ON_ALL:
        return scaled
    return [_open(claim) if claim.id in DECIDED_BY_SCALE else claim for claim in scaled]


def elsewhere(
    frame: pd.DataFrame, claims: Callable[[pd.DataFrame], list[Claim]], said: Iterable[Claim]
) -> list[str]:
    """Verdicts that a twentieth of the machines would turn.

    Returns a sentence, or none.
    """
    if set(frame["scale"]) != {TWENTIETH, WHOLE}:
        return []
    few = frame[frame["scale"] == TWENTIETH]
    before = {claim.id: claim.verdict for claim in said}
    turned = [
        f"{claim.id} {claim.verdict.value}"
        for claim in claims(few)
        if claim.verdict != before[claim.id]
    ]
    others = ", ".join(turned) if turned else "all as on all machines"
    return [f"Verdicts on {scale_of(few)}: {others}."]


def _open(claim: Claim) -> Claim:
    note = "; ".join(filter(None, [AT_SCALE, f"here {claim.verdict.value}", claim.note]))
    return replace(claim, verdict=Verdict.NOT_TESTABLE, note=note)
