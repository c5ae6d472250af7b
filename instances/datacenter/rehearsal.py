"""What a rehearsal of dispatching policies has shown: the field `rehearsal` of guidance."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from ...core.errors import InputError
from ...core.files.json_files import Strict

GUIDED = "guided"
"""Name of the policy that does what the winner of the rehearsal does."""

NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]


class Candidate(Strict, frozen=True):
    """A policy with its parameters."""

    policy: Annotated[str, Field(min_length=1)]
    bonus: NonNegative | None = None
    """For `bid-price`: the bonus, in parts of the median price; None for other policies."""
    bars: bool = True
    """For `bid-price`: whether classes are kept from where they do not belong."""

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        left_out = ("bonus", "bars") if self.bonus is None else ()
        return {name: value for name, value in handler(self).items() if name not in left_out}

    def __str__(self) -> str:
        if self.bonus is None:
            return self.policy
        return f"{self.policy}, bonus {self.bonus:.3g}{'' if self.bars else ', no bars'}"


class Rehearsed(Candidate, frozen=True):
    """A candidate and what it did."""

    runs: Count
    mean_wait: NonNegative
    """Mean of the runs' mean waits (`time_unit`)."""
    standard_error: NonNegative | None = None
    """Of that mean; None after a single run."""

    @property
    def candidate(self) -> Candidate:
        return Candidate(policy=self.policy, bonus=self.bonus, bars=self.bars)


class Rehearsal(Strict, frozen=True):
    """Policies on the same jobs, in the steady state."""

    winner: Candidate
    """The policy to follow."""
    load: Annotated[float, Field(gt=0, lt=1)] | None
    """Arrival rate in parts of the plan's bound; None if jobs were drawn from given ones."""
    noise: NonNegative
    """Coefficient of variation of the demands."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    seeds: Count
    """Runs of each, the most if they were cut short."""
    jobs: Count
    """Jobs of a run."""
    candidates: Annotated[tuple[Rehearsed, ...], Field(min_length=1, strict=False)]
    """The least mean wait first."""

    def check_winner(self) -> None:
        """Raise `InputError` if the winner is none of the candidates, or no policy."""
        if self.winner.policy == GUIDED:
            raise InputError(f"rehearsal, winner: {GUIDED!r} follows a winner and cannot be it")
        if self.winner not in [row.candidate for row in self.candidates]:
            raise InputError(f"rehearsal, winner: {self.winner} is none of the candidates")
