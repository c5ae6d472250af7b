"""Finding proofs of a result that the verifier confirms; `certify.py` tries kind after kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ....core.clock import Clock
from ....instances.mapreduce.instance import Instance
from ....verifier.problem import Shop
from ...certificate import Proof


@dataclass(frozen=True)
class Claim:
    """A result of an instance, beside the problem as the verifier reads it."""

    instance: Instance
    shop: Shop
    target: int
    """The bound that has to be proved, in units of the shop."""
    exact: int
    """The bound at which makespan and bound are one number, or `target` if there is no optimum."""
    bound_name: str
    """What the result names as its proof."""
    stop: Clock
    """When to give up."""


Route = Callable[[Claim], Iterator[Proof]]
"""Proofs of one kind, the most promising first; whoever asks checks each, up to the target."""
