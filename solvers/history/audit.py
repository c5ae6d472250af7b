"""What an audit says of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from ...core.arrays import IntArray
from ...core.calls.objective import Objective
from ...formulations.history.makespan_bounds import Bound
from ...instances.history.plan_checker import violations
from ...instances.history.projection import BrokenRun, Projection
from ...instances.history.run import Run
from ...instances.history.stage_graph import Plan, StageGraph, timed
from .replay import EventGraph, Replay
from .steps import Cause, Step

Overheads = Literal["kept", "none", "both"]


@dataclass(frozen=True)
class AuditOptions:
    """What a user may say of an audit: the main objective, the heartbeat (s), by how much (s) a job
    may end later than it did, and whether the causes are told one by one."""

    objective: Objective | None = None
    heartbeat: float = 3.0
    max_loss: float | None = None
    detail: bool = False


@dataclass(frozen=True)
class Size:
    """What so many slots could have done at best (ms), and what no schedule on them can."""

    slots: int
    best: float
    bound: Bound


@dataclass(frozen=True)
class Sizes:
    """Clusters of other sizes, and on how many slots the run's own time stays possible.

    With `fewest` slots a plan is as good as the run was; with fewer than `least` none is.
    """

    asked: tuple[Size, ...]
    fewest: int
    least: int


@dataclass(frozen=True)
class Alone:
    """What one cause gives (ms) removed before all others, and after all others.

    None where it cannot be told: there is no plan to look for another order in before the run's own
    lags and failures are gone.
    """

    cause: str
    first: float | None
    last: float | None


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What work would have given if some tasks had taken no longer than others of their stage.

    `tasks` of them would have been shorter; `value` is what the goal gains and `jobs` what each
    job does (ms), with everything else as it ran.
    """

    name: str
    about: str
    tasks: int
    value: float
    jobs: IntArray


@dataclass(frozen=True)
class Detail:
    """What is told beside the sum of the causes.

    `areas` are slot-seconds by name and `spilled` bytes, of Spark; they do not add up.
    """

    causes: tuple[Alone, ...]
    what_if: tuple[WhatIf, ...]
    areas: Mapping[str, float]


@dataclass(frozen=True)
class Reference:
    """The best that was possible (ms; None if none is claimed) under something, and its bound.

    `plan` is the best, in `graph`. `likely` and `least` are values of plans with less overlap of
    shuffle and maps than is sure.
    """

    key: str
    under: str
    graph: StageGraph
    bound: Bound
    best: float | None = None
    plan: Plan | None = None
    likely: float | None = None
    least: float | None = None


class Replays(Protocol):
    """A run that can be replayed without some of its causes."""

    @property
    def nodes(self) -> EventGraph:
        """The run's event graph."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What can be taken away."""

    def replayed(self, gone: Collection[Cause] = ()) -> Replay:
        """The attempts without these causes."""

    def ends(self, gone: Collection[Cause] = ()) -> IntArray:
        """Ends of the jobs (ms) without these causes."""

    def with_time(self, time: IntArray) -> Replays:
        """The run with other times of the attempts (ms), none longer."""


@dataclass(frozen=True, eq=False)
class Audit:
    """How far a run was from the best that was possible, and where the time went (ms)."""

    run: Run
    """What was audited."""
    projection: Projection
    """The model that contains the run."""
    objective: Objective
    """What is compared."""
    steps: tuple[Step, ...]
    """From the run to the best without overheads; each takes one more cause away."""
    replays: Replays
    """The run again without some of the causes, in its own order."""
    kept: int
    """The step that is the best possible with the platform as it was."""
    references: tuple[Reference, ...]
    """What was possible, and what was not."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """Further figures, times in seconds."""
    assumptions: tuple[str, ...] = ()
    """What the figures rest on, in sentences."""
    other: Audit | None = None
    """The same run by the other objective."""
    detail: Detail | None = None
    """The causes each by itself, and figures beside the sum, if that was asked."""
    sizes: Sizes | None = None
    """The same arrivals on clusters of other sizes, if that was asked."""
    overheads: Overheads = "both"
    """Which references the verdict speaks of."""

    @property
    def actual(self) -> float:
        """What the run took (ms)."""
        return self.steps[0].value

    @property
    def graph(self) -> StageGraph:
        """The model with the platform as it was."""
        return self.reference("kept").graph

    @property
    def shown(self) -> Reference:
        """The reference whose plan is the best plan that is told of."""
        return self.reference("none" if self.overheads == "none" else "kept")

    def reference(self, key: str) -> Reference:
        """A reference by its key."""
        return next(reference for reference in self.references if reference.key == key)

    @property
    def causes(self) -> list[tuple[str, str, float]]:
        """Causes with what they mean and their time (ms), then what is not decided."""
        causes = [(b.cause, b.about, a.value - b.value) for a, b in pairwise(self.steps)]
        last = self.steps[-1]
        assert last.bound is not None
        return [
            *causes,
            ("not decided", "between the best plan and its bound", last.value - last.bound.value),
        ]


def checked_run(projection: Projection) -> Plan:
    """The run as a plan of its model. Raises `BrokenRun` where the model does not contain it."""
    plan = timed(projection.graph, projection.start, projection.slot)
    broken = violations(projection.graph, plan)
    if broken:
        raise BrokenRun(
            f"{projection.graph.name}: the run breaks the model in {len(broken)} places "
            f"({broken[0]}): no verdict"
        )
    return plan


def check_sum(steps: Sequence[Step]) -> None:
    """Raise if a replay delayed a job: causes are never negative."""
    for before, after in pairwise(steps):
        if after.bound is None and (after.job_end > before.job_end).any():
            raise AssertionError(f"{after.cause}: a replay delayed a job")
