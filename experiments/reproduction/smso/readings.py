"""The runs of [SMSO]'s experiments: the reading of Table I, and two of what reduce tasks do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...study.instance_sources import called, drawn
from ...study.study import InstanceSource, MethodCall
from ..experiment import Claim, Comparison, Verdict
from ..verdicts import not_testable

AGAIN, STAY = "again", "stay"
READINGS = (AGAIN, STAY)
"""What reduce tasks do after an outage. With the first, Table I grows as printed; the second is how
slotwise reads the paper."""

NODES = (10, 20, 50, 100, 150)
GAMMAS = (0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03)
SLOTS = 15

METHODS: Sequence[MethodCall] = [
    called("heuristic", "SMSO", load="seconds", data="ignored", reduces=reading)
    for reading in READINGS
]

SETUP = f"{SLOTS} + {SLOTS} slots a node, lost nodes, load in seconds, data ignored"

BOTH = (
    "The paper does not say what reduce tasks do after an outage. A claim has the verdict of the "
    "reading in which Table I grows as printed, all reduce tasks placed again; if it holds only in "
    "the other, reduce tasks on remaining slots stay, it holds partly."
)

LABELS = {
    AGAIN: "reduce tasks placed again",
    STAY: "reduce tasks stay",
}


def instances(
    seeds: int, jobs: Iterable[int], nodes: Iterable[int], gammas: Iterable[float]
) -> list[InstanceSource]:
    """Instances of section V, every combination.

    `seeds`: how many for each combination, from 0 on.
    """
    sweep: dict[str, list[float]] = {
        "jobs": list(jobs),
        "nodes": list(nodes),
        "gamma": list(gammas),
    }
    return drawn("smso", range(seeds), sweep=sweep, map_slots=SLOTS, reduce_slots=SLOTS)


def nothing(*identifiers: str) -> Comparison:
    """What runs say that all failed."""
    return Comparison([not_testable(identifier, "every run failed") for identifier in identifiers])


def of_readings(claims: Mapping[str, Claim]) -> Claim:
    """One verdict of two readings: that of Table I counts, the other alone makes it `partly`."""
    first, second = claims[AGAIN], claims[STAY]
    verdict = first.verdict
    if second.verdict is Verdict.HOLDS and verdict is Verdict.DOES_NOT:
        verdict = Verdict.PARTLY
    notes = [f"{reading}: {claims[reading].note}" for reading in READINGS if claims[reading].note]
    if first.verdict is not second.verdict:
        notes.append(f"with {STAY} it would be '{second.verdict.value}'")
    return replace(first, verdict=verdict, note="; ".join(notes))
