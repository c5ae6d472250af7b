"""What a dispatching policy is made from."""

from __future__ import annotations

from dataclasses import dataclass

from ...instances.arrays import IntArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.errors import InputError


@dataclass(frozen=True)
class Setting:
    """What a policy is made from. `demands` (jobs, R), in units, are a sample of what jobs need;
    they decide how fast it is, not what it does. `seed` is that of the policy's own draws. `gamma`
    is Tetris's weight of the remaining work; None: scaled as it goes."""

    datacenter: Datacenter
    demands: IntArray
    guidance: Guidance | None = None
    seed: int = 0
    gamma: float | None = None

    def need_guidance(self) -> Guidance:
        """The guidance. Raises `InputError` if there is none, or for other machines or classes."""
        guidance = self.guidance
        if guidance is None:
            raise InputError("this policy follows a plan: give it guidance")
        own, planned = self.datacenter, guidance.datacenter
        if (own.configurations, own.classes) != (planned.configurations, planned.classes) or (
            own.count != planned.count
        ).any():
            raise InputError(f"the guidance is for another datacenter: {planned!r}")
        return guidance
