"""A second opinion: the job-order model as MPS, solved by CBC through PuLP.

CBC shares no code with HiGHS, and is not given the closed-form bounds that `solve` starts from.
Only a proof counts as an answer: without one of the result's bound it says nothing about it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from ...core.background import LOOK, OutOfTime, attempt
from ...core.calls import checked
from ...core.clock import Clock
from ...core.files.outputs import temporary_folder
from ...formulations.mapreduce.job_order import model as job_order
from ...formulations.model_files import write_model
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.usable_slots import with_rates_within
from ..backends import cbc_process
from ..backends.child_processes import start
from .relaxations.linear_programs import MOST_TERMS
from .result import OPTIMALITY_TOLERANCE, Result
from .time_unit import in_units_of, suitable_unit

METHOD = "job-order model as MPS, CBC"

GRACE = 1.5
"""Seconds after the time limit until a method without an answer is abandoned."""


@dataclass(frozen=True)
class Opinion:
    """What an independent method says: an interval for the optimum, and whether it fits the result.

    Parameters
    ----------
    method
        The method.
    makespan
        Upper end of the interval (s), None if the method found no schedule in time.
    lower_bound
        Lower end of the interval (s), None if the method proved none in time.
    agrees
        True if the method proved the result's lower bound as well, False if its interval and the
        result's own are disjoint, None if it gave no answer.
    seconds
        Wall time (s).
    note
        Remarks.
    """

    method: str
    makespan: float | None
    lower_bound: float | None
    agrees: bool | None
    seconds: float
    note: str

    @property
    def verdict(self) -> str:
        if self.agrees is None:
            return "no answer"
        return "agrees" if self.agrees else "DISAGREES"

    def document(self) -> dict[str, Any]:
        """The opinion for JSON, which has no infinity: the note says that no solution exists."""
        document = {"road": self.method, **asdict(self), "verdict": self.verdict.lower()}
        if self.lower_bound is not None and math.isinf(self.lower_bound):
            document["lower_bound"] = None
        return document

    def __str__(self) -> str:
        sides = {"best": self.makespan, "bound": self.lower_bound}
        known = ", ".join(f"{name} {side:.6g}" for name, side in sides.items() if side is not None)
        said = f"{self.note} ({known})" if known else self.note
        return f"{self.verdict}: {self.method}: {said}, {self.seconds:.2f} s"


@checked
def cross_check(result: Result, *, time_limit: float = 60.0, threads: int = 1) -> list[Opinion]:
    """Get independent opinions on a result.

    Parameters
    ----------
    result
        A result of `solve`.
    time_limit
        Wall time (s).
    threads
        Number of threads.

    Returns
    -------
    list[Opinion]
        The opinions.
    """
    instance, known = result.instance, result.makespan
    terms = job_order.estimated_terms(instance)
    if known is None or terms > MOST_TERMS:
        why = "no makespan" if known is None else f"model too large: about {terms:.2g} nonzeros"
        return [Opinion(METHOD, None, None, None, 0.0, f"not run: {why}")]
    clock, unit = Clock(time_limit), suitable_unit(known)
    # Half as long again as the known makespan: one that could only confirm proves little.
    horizon = 1.5 * known

    def work() -> tuple[float | None, float | None, str]:
        counted = in_units_of(with_rates_within(instance, horizon), unit)
        return _solved(counted, horizon / unit, clock, threads)

    try:
        makespan, bound, note = attempt(work, clock.until(time_limit + GRACE))
    except OutOfTime:
        makespan, bound, note = None, None, cbc_process.UNFINISHED
    finally:
        clock.stop.set()  # for work that is left behind
    if note == cbc_process.UNFINISHED:
        note = f"did not finish in {time_limit:.3g} s"
    makespan, bound = (None if side is None else side * unit for side in (makespan, bound))
    slack = OPTIMALITY_TOLERANCE * known
    agrees = True if bound is not None and bound >= result.lower_bound - slack else None
    too_good = makespan is not None and makespan < result.lower_bound - slack
    if too_good or (bound is not None and bound > known + slack):
        agrees = False
    return [Opinion(METHOD, makespan, bound, agrees, clock.elapsed, note)]


def _solved(
    instance: Instance, horizon: float, clock: Clock, threads: int
) -> tuple[float | None, float | None, str]:
    """Makespan, bound and remarks of CBC."""
    model = job_order.build(instance, horizon=horizon)
    with temporary_folder() as folder:
        path = folder / "model.mps"
        write_model(None, model, path)
        arguments = (path, max(1.0, clock.left), threads, OPTIMALITY_TOLERANCE / 10)
        with start(cbc_process.__name__, list(map(str, arguments))) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                while process.poll() is None and not clock.stop.wait(LOOK):
                    pass
            finally:
                process.stdin.close()
            said = process.stdout.read()
    makespan, bound, note = json.loads(said) if said else (None, None, cbc_process.UNFINISHED)
    return makespan, bound, note
