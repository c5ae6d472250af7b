"""What a rehearsal of dispatching policies has shown, and its field of `slotwise/guidance/1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from ...core.errors import InputError
from ...core.files.json_files import Strict

GUIDED = "guided"
"""Name of the policy that does what the winner of the rehearsal does."""

NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]


@dataclass(frozen=True)
class Candidate:
    """A policy with its parameters.

    Attributes
    ----------
    policy
        Its name.
    bonus
        For `bid-price`: the bonus, in parts of the median price; None for other policies.
    bars
        For `bid-price`: whether classes are kept from where they do not belong.
    """

    policy: str
    bonus: float | None = None
    bars: bool = True

    def __str__(self) -> str:
        if self.bonus is None:
            return self.policy
        return f"{self.policy}, bonus {self.bonus:.3g}{'' if self.bars else ', no bars'}"


@dataclass(frozen=True)
class Rehearsed:
    """A candidate and what it did.

    Attributes
    ----------
    candidate
        The policy.
    runs
        How many runs it was in.
    mean_wait
        Mean of the runs' mean waits (`time_unit`).
    standard_error
        Of that mean; None after a single run.
    """

    candidate: Candidate
    runs: int
    mean_wait: float
    standard_error: float | None


@dataclass(frozen=True)
class Rehearsal:
    """Policies on the same jobs, in the steady state.

    Attributes
    ----------
    winner
        The policy to follow.
    load
        Arrival rate in parts of the plan's bound; None if jobs were drawn from given ones.
    noise
        Coefficient of variation of the demands.
    seed
        Seed of the jobs.
    seeds
        Runs of each, the most if they were cut short.
    jobs
        Jobs of a run.
    rows
        The candidates, the least mean wait first.
    """

    winner: Candidate
    load: float | None
    noise: float
    seed: int
    seeds: int
    jobs: int
    rows: tuple[Rehearsed, ...]


class _Candidate(Strict):
    policy: Annotated[str, Field(min_length=1)]
    bonus: NonNegative | None = None
    bars: bool = True


class _Row(_Candidate):
    runs: Count
    mean_wait: NonNegative
    standard_error: NonNegative | None = None


class RehearsalDocument(Strict):
    """The field `rehearsal`."""

    winner: _Candidate
    load: Annotated[float, Field(gt=0, lt=1)] | None
    noise: NonNegative
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    seeds: Count
    jobs: Count
    candidates: Annotated[list[_Row], Field(min_length=1)]


def rehearsal_document(rehearsal: Rehearsal) -> dict[str, Any]:
    return {
        "winner": _parameters(rehearsal.winner),
        "load": rehearsal.load,
        "noise": rehearsal.noise,
        "seed": rehearsal.seed,
        "seeds": rehearsal.seeds,
        "jobs": rehearsal.jobs,
        "candidates": [
            {
                **_parameters(row.candidate),
                "runs": row.runs,
                "mean_wait": row.mean_wait,
                "standard_error": row.standard_error,
            }
            for row in rehearsal.rows
        ],
    }


def rehearsal_from(document: RehearsalDocument) -> Rehearsal:
    """The rehearsal of a field. Raises `InputError` if the winner has no row, or is no policy."""
    winner = _candidate(document.winner)
    rows = tuple(
        Rehearsed(_candidate(row), row.runs, row.mean_wait, row.standard_error)
        for row in document.candidates
    )
    if winner.policy == GUIDED:
        raise InputError(f"rehearsal, winner: {GUIDED!r} follows a winner and cannot be it")
    if winner not in {row.candidate for row in rows}:
        raise InputError(f"rehearsal, winner: {winner} is none of the candidates")
    return Rehearsal(
        winner=winner,
        load=document.load,
        noise=document.noise,
        seed=document.seed,
        seeds=document.seeds,
        jobs=document.jobs,
        rows=rows,
    )


def _parameters(candidate: Candidate) -> dict[str, Any]:
    if candidate.bonus is None:
        return {"policy": candidate.policy}
    return {"policy": candidate.policy, "bonus": candidate.bonus, "bars": candidate.bars}


def _candidate(entry: _Candidate) -> Candidate:
    return Candidate(entry.policy, entry.bonus, entry.bars)
