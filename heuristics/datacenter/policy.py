"""What a dispatching policy is to the simulator, and policies that are compiled.

`simulate` runs whatever is a `PolicyKind`: a `CompiledPolicy`, or an instance of `Policy` (see
`python_policy`), which asks Python for every decision. Neither knows the other, and the simulator
knows neither.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast

from ...core.advice import check_choice
from ...core.arrays import IntArray
from ...core.background import interruptible
from ...core.errors import InputError
from ...core.kernels.decorators import Kernel
from ...core.registry import Entry
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.job_file import SECONDS
from ...instances.datacenter.workload import Jobs
from . import GAMMA_UNITS, POLICIES
from .engine import event_loop as events
from .engine.columns import QUEUES_FULL, STOP_ASKED
from .engine.state import System
from .waiting.class_queues import with_more_places

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


@dataclass(frozen=True)
class Setting:
    """What a policy is made from, beside the state of the datacenter.

    Attributes
    ----------
    datacenter
        Machines and classes.
    demands : (jobs, R)
        A sample of what jobs need, in units. It decides how fast a policy is, not what it does.
    guidance
        The plan that it follows; None if there is none.
    seed
        Of the policy's own draws.
    gamma
        Weight of the remaining work in a policy's scores, in the datacenter's time unit; None if
        the policy is to choose it.
    sample
        How many machines an arriving job looks at; None for all.
    """

    datacenter: Datacenter
    demands: IntArray
    guidance: Guidance | None = None
    seed: int = 0
    gamma: float | None = None
    sample: int | None = None

    def required_guidance(self) -> Guidance:
        """Return the guidance.

        Raises `InputError` if there is none, or it is for other machines or classes.
        """
        guidance = self.guidance
        if guidance is None:
            raise InputError("this policy follows a plan: give it guidance")
        own, planned = self.datacenter, guidance.datacenter
        if (own.configurations, own.classes) != (planned.configurations, planned.classes) or (
            own.count != planned.count
        ).any():
            raise InputError(f"the guidance is for another datacenter: {guidance.datacenter!r}")
        return guidance


class RunningPolicy(Protocol):
    """A policy in the middle of a simulation."""

    def prepare(self, system: System, block: Jobs) -> None:
        """Compile what runs later. Nothing happens in the datacenter.

        Parameters
        ----------
        system
            The state of the datacenter.
        block
            The first jobs.
        """

    def advance(self, system: System, block: Jobs, last: bool) -> int:
        """Go through events as `event_loop.run` does.

        Parameters
        ----------
        system
            The state of the datacenter.
        block
            Jobs in order of arrival.
        last
            Whether no block follows.

        Returns
        -------
        int
            Why it came back: a constant of `event_loop`.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C ended it; the system is as after the last event.
        """

    def make_room(self, system: System) -> None:
        """Make room for more waiting jobs."""

    def renew(self, system: System) -> None:
        """Fit the index structures to what machines have free by now; decisions stay the same."""


class PolicyKind(Protocol):
    """A policy that can be simulated: what the entries of `POLICIES` load."""

    @property
    def name(self) -> str:
        """What it is called where it has no entry."""

    @property
    def follows_plan(self) -> bool:
        """Whether it needs guidance."""

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """Return the policy at work in an empty datacenter.

        Parameters
        ----------
        setting
            Datacenter, plan and seed.
        system
            The empty datacenter.

        Returns
        -------
        RunningPolicy
            The running policy.
        """


AnyPolicy = str | Entry | PolicyKind | Callable[[], PolicyKind]
"""A policy's name or entry, a policy, or a class or function that makes one."""


def policy_kind(policy: AnyPolicy) -> PolicyKind:
    """Return the policy that a name stands for, that a class makes, or that is given.

    `policy`: a name in `POLICIES`, or an entry of it; a subclass of `Policy`, an instance of one,
    or a `CompiledPolicy`; or a function without arguments that makes one.
    Raises `InputError` if there is no such policy, or it is none.
    """
    entry = POLICIES.lookup(policy) if isinstance(policy, str) else policy
    kind: Any = entry.load() if isinstance(entry, Entry) else entry
    if callable(kind) and (isinstance(kind, type) or not hasattr(kind, "begin_run")):
        kind = kind()
    if not hasattr(kind, "begin_run"):
        raise InputError(
            f"policy {policy!r}: need a name, a subclass of slotwise.Policy or a CompiledPolicy"
        )
    return cast(PolicyKind, kind)


def guarded(policy: AnyPolicy) -> AbstractContextManager[None]:
    """What turns failures of another package's policy into a `PluginError`."""
    entry = POLICIES.lookup(policy) if isinstance(policy, str) else policy
    return entry.guarded("policy") if isinstance(entry, Entry) else nullcontext()


def can_sample(policy: PolicyKind) -> bool:
    return bool(getattr(policy, "samples", False))


@dataclass(frozen=True)
class CompiledPolicy(Generic[Arrays]):
    """A policy that the compiled event loop calls.

    Attributes
    ----------
    arrays
        The named tuple that holds what the policy keeps: index structures of the machines, queues,
        constants.
    make
        Returns these arrays for an empty datacenter.
    arrive
        Compiled function of (arrays, system, slot): the job in `slot` arrives. It calls
        `event_loop.start`, or keeps the slot and lets the job wait.
    depart
        Compiled function of (arrays, system, slot, m): the job has left machine m.
    make_room
        Returns the arrays with room for more waiting jobs. It is called before the next arrival
        after the policy has set `QUEUES_FULL` of the tally. None: their `queues` are those of
        `waiting/class_queues`, and get more places.
    renew
        Returns the arrays with index structures that fit what machines have free now. It is called
        after 1 to 7 blocks of jobs, then whenever their number has doubled. None: `make` makes all
        arrays anew but those that stay; if none are named, they never age.
    follows_plan
        Whether it needs guidance.
    samples
        Whether it heeds the setting's `sample`.
    stay
        Names of the arrays that stay as they are when the others are made anew.
    """

    arrays: type[Arrays]
    make: Callable[[Setting, System], Arrays]
    arrive: Callable[..., None]
    depart: Callable[..., None]
    make_room: Callable[[Arrays, System], Arrays] | None = None
    renew: Callable[[Arrays, Setting, System], Arrays] | None = None
    follows_plan: bool = False
    samples: bool = False
    stay: tuple[str, ...] = ()

    @cached_property
    def handler(self) -> Kernel:
        """Its two functions as the loop calls them."""
        return events.handler(self.arrive, self.depart)

    @property
    def name(self) -> str:
        """What the named tuple is called."""
        return self.arrays.__name__

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """Return the policy at work in an empty datacenter.

        Parameters
        ----------
        setting
            Datacenter, plan and seed.
        system
            The empty datacenter.

        Returns
        -------
        RunningPolicy
            The running policy.
        """
        return _CompiledRun(self, setting, self.make(setting, system))


class _CompiledRun(Generic[Arrays]):
    def __init__(self, kind: CompiledPolicy[Arrays], setting: Setting, arrays: Arrays) -> None:
        self._kind, self._setting, self._arrays = kind, setting, arrays
        self._loop = events.Loop(kind.handler)

    def prepare(self, system: System, block: Jobs) -> None:
        self._loop.compile(self._arrays, system, block)
        # Its kernels are compiled, too: Ctrl-C in the middle of that would be an error.
        self._with_room(system)

    def advance(self, system: System, block: Jobs, last: bool) -> int:
        why: list[int] = []
        stop = system.tally[STOP_ASKED : STOP_ASKED + 1]

        def work() -> None:
            why.append(self._loop.run(self._arrays, system, block, last))

        try:
            if not interruptible(work, stop):
                raise KeyboardInterrupt
        finally:
            stop[0] = 0
        return why[0]

    def make_room(self, system: System) -> None:
        self._arrays = self._with_room(system)
        system.tally[QUEUES_FULL] = 0

    def _with_room(self, system: System) -> Arrays:
        if self._kind.make_room is not None:
            return self._kind.make_room(self._arrays, system)
        arrays: Any = self._arrays
        return cast(Arrays, arrays._replace(queues=with_more_places(arrays.queues, system.info)))

    def renew(self, system: System) -> None:
        if self._kind.renew is not None:
            self._arrays = self._kind.renew(self._arrays, self._setting, system)
        elif self._kind.stay:
            anew: Any = self._kind.make(self._setting, system)
            staying = {name: getattr(self._arrays, name) for name in self._kind.stay}
            self._arrays = anew._replace(**staying)


def weight_of_work(unit: str, datacenter: Datacenter, option: str = "gamma") -> float | None:
    """Tetris's weight for remaining work in a unit, None if it is scaled.

    `datacenter`: the datacenter, whose time unit has to be known unless the weight is scaled.
    `option`: what the unit is called in messages.
    Raises `InputError` for an unknown unit.
    """
    check_choice(option, unit, GAMMA_UNITS)
    if unit == "scaled":
        return None
    if datacenter.time_unit not in SECONDS:
        own = datacenter.time_unit
        raise InputError(f"{option}: the datacenter's time unit {own!r} is unknown")
    return SECONDS[datacenter.time_unit] / SECONDS[unit]
