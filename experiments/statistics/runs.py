"""The runs of a campaign as pages and ranks need them: methods, factors, gaps, outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...core.errors import InputError
from ..engine.record import FAILED
from ..engine.tables import TIME_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

SEEDS = ("seed", "instance.seed", "method.seed")
"""Columns that tell drawings apart and are no factors."""

PROVEN = 1e-6
"""A makespan within this of the best bound, relative to it, is proven optimal."""

OUTCOME = (
    "status", "makespan", "lower_bound", "gap", "error", "best_bound", "best_makespan",
)  # fmt: skip
NEEDED = ("run", "instance", "kind", "method", *OUTCOME)


@dataclass(frozen=True)
class Factor:
    """A parameter that varies."""

    column: str
    levels: tuple[Any, ...]
    """Its values: numbers ascending, others in the order of the study."""
    of_method: bool
    """Whether it is a parameter of methods, else of instances."""

    @property
    def labels(self) -> list[str]:
        return [shown(level) for level in self.levels]


class Runs:
    """The table of a campaign with what a page needs of each run.

    `frame`: what `read_runs` gives: a row for each run that has ended.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        for name in NEEDED:
            if name not in frame.columns:
                raise InputError(f"results.parquet: has no column {name!r}")
        self.frame = frame.reset_index(drop=True)
        columns = [str(name) for name in frame.columns]
        place = columns.index
        self.of_instance = columns[place("instance") + 1 : place("kind")]
        self.of_method = columns[place("method") + 1 : place("status")]

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def variant(self) -> pd.Series:
        """The method of each run, with those of its parameters that vary."""
        frame = self.frame
        label = frame["method"].astype(str)
        of_kinds = frame.groupby("method")["kind"].transform("nunique") > 1
        label = label.where(~of_kinds, frame["kind"].astype(str) + " " + label)
        for column in self.of_method:
            differs = frame.groupby(label)[column].transform("nunique", dropna=False) > 1
            said = frame[column].map(lambda value, name=column: f" {name}={shown(value)}")
            label = label.where(~differs | frame[column].isna(), label + said.astype(str))
        return label.rename("method")

    @cached_property
    def variants(self) -> list[str]:
        """The methods, in the order of the study."""
        return list(dict.fromkeys(self.variant))

    @cached_property
    def problem(self) -> pd.Series:
        """A number for each instance.

        Instances are told apart by name, parameters, and the best of what is known of them. Files
        that agree in all this are taken apart by the order of their runs.
        """
        names = ["instance", *self.of_instance, "best_bound", "best_makespan"]
        keys = self.frame[names].astype(dict.fromkeys(self.of_instance, str))
        group = keys.groupby(names, dropna=False, sort=False).ngroup()
        again = group.groupby([group, self.variant]).cumcount()
        return (group + again * (len(group) + 1)).rename("problem")

    @cached_property
    def factors(self) -> list[Factor]:
        """The parameters with more than one value, without seeds."""
        factors = []
        for names, of_method in ((self.of_instance, False), (self.of_method, True)):
            for name in names:
                levels = _levels(self.frame[name].dropna().unique())
                if len(levels) > 1 and name not in SEEDS:
                    factors.append(Factor(name, levels, of_method))
        return factors

    @cached_property
    def seeds(self) -> list[Any]:
        """The seeds of the instances, ascending."""
        names = [name for name in self.of_instance if name in SEEDS]
        values = [value for name in names for value in self.frame[name].dropna().unique()]
        return list(_levels(values))

    @cached_property
    def measures(self) -> list[str]:
        """Columns of what came of runs without a makespan, as far as they differ."""
        columns = [str(name) for name in self.frame.columns]
        names = columns[columns.index("best_makespan") + 1 :]
        return [
            name
            for name in names
            if not name.startswith("bound ")
            and name not in TIME_COLUMNS
            and self.frame[name].dtype.kind in "fiub"
            and np.isfinite(self._numbers(name)).any()
        ]

    @cached_property
    def failed(self) -> BoolArray:
        return np.asarray(self.frame["status"].isin(FAILED), dtype=bool)

    @cached_property
    def of_makespan(self) -> BoolArray:
        """Whether each run was to find a schedule; policies and allocators are not."""
        return np.asarray(~self.frame["kind"].isin(("policy", "allocator")), dtype=bool)

    @cached_property
    def scheduled(self) -> BoolArray:
        return np.isfinite(self.makespan) & ~self.failed

    @cached_property
    def makespan(self) -> FloatArray:
        """Makespans (s), NaN for none."""
        numbers = self._numbers("makespan")
        return np.where(np.isfinite(numbers) & (numbers >= 0), numbers, np.nan)

    @cached_property
    def gap(self) -> FloatArray:
        """Gaps of the makespans to the best bound known of their instances, NaN for none."""
        bound, makespan = self._numbers("best_bound"), self.makespan
        with np.errstate(all="ignore"):
            gap = np.maximum(makespan - bound, 0.0) / bound
        gap = np.where(np.isinf(gap), np.nan, gap)
        gap = np.where(bound > 0, gap, np.where((bound == 0) & (makespan == 0), 0.0, np.nan))
        return np.where(self.scheduled & np.isfinite(bound), gap, np.nan)

    @cached_property
    def own_gap(self) -> FloatArray:
        """Gaps that the runs proved by themselves, NaN for none."""
        gap = self._numbers("gap")
        return np.where(self.scheduled & np.isfinite(gap), gap, np.nan)

    @cached_property
    def optimal(self) -> BoolArray:
        """Whether each makespan is proven optimal, by the run itself or another one's bound."""
        said = np.asarray(self.frame["status"] == "optimal", dtype=bool)
        return np.asarray(said | (self.gap <= PROVEN), dtype=bool)

    @cached_property
    def best_makespan(self) -> FloatArray:
        """Least makespan (s) known of the instances, NaN for none."""
        return self._numbers("best_makespan")

    @cached_property
    def seconds(self) -> FloatArray:
        """Wall times (s), NaN where there are none above 0, or of runs that failed."""
        if "seconds" not in self.frame.columns:
            return np.full(len(self), np.nan)
        numbers = self._numbers("seconds")
        return np.where(np.isfinite(numbers) & (numbers > 0) & ~self.failed, numbers, np.nan)

    @cached_property
    def answered(self) -> BoolArray:
        """Whether each run has an answer: a schedule, a proof that there is none, or measures."""
        done = np.asarray(self.frame["status"].isin(("infeasible", "done")), dtype=bool)
        return np.asarray(self.scheduled | done, dtype=bool)

    def measure(self, name: str) -> FloatArray:
        """A measure of each run, NaN for none."""
        numbers = self._numbers(name)
        return np.where(np.isfinite(numbers) & ~self.failed, numbers, np.nan)

    def _numbers(self, name: str) -> FloatArray:
        import pandas as pd

        values = pd.to_numeric(self.frame[name], errors="coerce")
        return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))


def _levels(values: Iterable[Any]) -> tuple[Any, ...]:
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if all(isinstance(value, int | float) for value in plain):
        return tuple(sorted(plain))
    return tuple(plain)


def shown(value: Any) -> str:
    """A value of a parameter as text, other values as other texts: whole ones without a point."""
    if isinstance(value, np.generic):
        value = value.item()
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
