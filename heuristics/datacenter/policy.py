"""What a dispatching policy is to the simulator, and the policies that are compiled.

`simulate` runs whatever is a `PolicyKind`: a rule of `rules`, or an instance of `Policy` (see
`python_policy`), which asks Python for every decision. Neither knows the other, and the simulator
knows neither.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ...core.advice import check_choice
from ...core.background import interruptible
from ...core.errors import InputError
from ...core.kernels.references import Reference
from ...core.registry import Entry
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.job_file import SECONDS
from ...instances.datacenter.workload import Jobs
from . import GAMMA_UNITS, POLICIES, policy_state, rules
from . import event_loop as events
from .engine.columns import QUEUES_FULL, STOP_ASKED
from .engine.state import System
from .policy_state import PolicyState, Setting, state_of
from .waiting_jobs import with_room


class RunningPolicy(Protocol):
    """A policy in the middle of a simulation."""

    def prepare(self, system: System, block: Jobs) -> None:
        """Compile what runs later; `block` has the first jobs. No event happens."""

    def advance(self, system: System, block: Jobs, last: bool) -> int:
        """Go through events as `event_loop.run` does, and say why it came back, as that does.

        Raises `KeyboardInterrupt` if Ctrl-C ended it; the system is as after the last event.
        """

    def make_room(self, system: System) -> None:
        """Make room for more waiting jobs."""


class PolicyKind(Protocol):
    """A policy that can be simulated: what the entries of `POLICIES` load."""

    @property
    def name(self) -> str:
        """What it is called where it has no entry."""

    @property
    def follows_plan(self) -> bool:
        """Whether it needs guidance."""

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """The policy at work in an empty datacenter."""


AnyPolicy = str | Entry | PolicyKind | Callable[[], PolicyKind]
"""A policy's name or entry, a policy, or a class or function that makes one."""


def policy_kind(policy: AnyPolicy) -> PolicyKind:
    """Return the policy that a name stands for, that a class makes, or that is given.

    `policy`: a name in `POLICIES`, or an entry of it; a subclass of `Policy`, an instance of one,
    or a function without arguments that makes one.
    Raises `InputError` if there is no such policy, or it is none.
    """
    entry = POLICIES.lookup(policy) if isinstance(policy, str) else policy
    kind: Any = entry.load() if isinstance(entry, Entry) else entry
    if callable(kind) and (isinstance(kind, type) or not hasattr(kind, "begin_run")):
        kind = kind()
    if not hasattr(kind, "begin_run"):
        raise InputError(f"policy {policy!r}: need a name or a subclass of slotwise.Policy")
    return cast(PolicyKind, kind)


def guarded(policy: AnyPolicy) -> AbstractContextManager[None]:
    """What turns failures of another package's policy into a `PluginError`."""
    entry = POLICIES.lookup(policy) if isinstance(policy, str) else policy
    return entry.guarded("policy") if isinstance(entry, Entry) else nullcontext()


def can_sample(policy: PolicyKind) -> bool:
    return bool(getattr(policy, "samples", False))


class Loop:
    """The event loop of one run."""

    def __init__(self, state: PolicyState) -> None:
        self.state = state
        self._given: tuple[Any, ...] = ()
        self._references: list[Any] = []

    def compile(self, system: System, block: Jobs) -> None:
        """Compile what `run` runs: it is called, and stops before the first event."""
        system.tally[STOP_ASKED] = 1
        self.run(system, block, False)
        system.tally[STOP_ASKED] = 0

    def run(self, system: System, block: Jobs, last: bool) -> int:
        given = self.state, system, block
        if [*map(id, self._given)] != [*map(id, given)]:
            self._given = given
            self._references = [Reference(value) for value in given]
        state, datacenter, jobs = self._references
        return int(events.run(state, datacenter, jobs, last))


@dataclass(frozen=True)
class CompiledRule:
    """A rule of `rules`; `samples` says whether it heeds the setting's `sample`."""

    name: str
    rule: int
    follows_plan: bool = False
    samples: bool = False

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """Return the rule at work in an empty datacenter.

        Raises `InputError` if it needs a plan and there is none that will do.
        """
        return _CompiledRun(state_of(self.rule, setting, system), system)


FIRST_FIT = CompiledRule("first-fit", policy_state.FIRST_FIT, samples=True)
GREEDY = CompiledRule("greedy", policy_state.GREEDY)
BEST_FIT = CompiledRule("best-fit", policy_state.BEST_FIT, samples=True)
BF_JS = CompiledRule("bf-js", policy_state.BF_JS)
TETRIS = CompiledRule("tetris", policy_state.TETRIS)
FGD = CompiledRule("fgd", policy_state.FGD)
LOTES = CompiledRule("lotes", policy_state.LOTES, follows_plan=True, samples=True)
LOTES_UNRESTRICTED = CompiledRule(
    "lotes-unrestricted", policy_state.LOTES_UNRESTRICTED, follows_plan=True, samples=True
)
BID_PRICE = CompiledRule("bid-price", policy_state.BID_PRICE, follows_plan=True)


class _CompiledRun:
    def __init__(self, state: PolicyState, system: System) -> None:
        rules.note_all(state, system)
        self._loop = Loop(state)

    def prepare(self, system: System, block: Jobs) -> None:
        self._loop.compile(system, block)

    def advance(self, system: System, block: Jobs, last: bool) -> int:
        why: list[int] = []
        stop = system.tally[STOP_ASKED : STOP_ASKED + 1]

        def work() -> None:
            why.append(self._loop.run(system, block, last))

        try:
            if not interruptible(work, stop):
                raise KeyboardInterrupt
        finally:
            stop[0] = 0
        return why[0]

    def make_room(self, system: System) -> None:
        state = self._loop.state
        self._loop.state = state._replace(queues=with_room(state.queues))
        system.tally[QUEUES_FULL] = 0


def weight_of_work(unit: str, datacenter: Datacenter) -> float | None:
    """Tetris's weight for remaining work in a unit, None if it is scaled.

    `datacenter`: the datacenter, whose time unit has to be known unless the weight is scaled.
    Raises `InputError` for an unknown unit.
    """
    check_choice("gamma", unit, GAMMA_UNITS)
    if unit == "scaled":
        return None
    if datacenter.time_unit not in SECONDS:
        own = datacenter.time_unit
        raise InputError(f"gamma: the datacenter's time unit {own!r} is unknown")
    return SECONDS[datacenter.time_unit] / SECONDS[unit]
