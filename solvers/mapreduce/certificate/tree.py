"""Proofs by cases: trees over the variables of the verifier's job-order model."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from ....core.arrays import FloatArray
from ....core.stopping_rules import FirstOf, StoppingRule, TimeLimit
from ....verify import Refused
from ....verify_job_order import JobOrder
from ...certificate import Proof
from .claim import Claim
from .linear import Relaxation, Solved

CANDIDATES = 20
"""Variables among which a node chooses the one to branch on."""
TRUSTED = 8
"""So often both sides of a variable are tried; then their mean gain is believed."""
WHOLE = 1e-6
"""A value so close to a whole number counts as whole."""
MOST_NODES = 1_500
"""A tree with more nodes makes a certificate of more than 100 kB."""
SHARE_OF_SOME_JOBS = 0.1
"""Share of the time left that a tree over some of the jobs may take."""


def trees(claim: Claim) -> Iterator[Proof]:
    """Trees over ever more of the jobs, those with the longest head and tail first.

    The last is over all jobs; if the time does not suffice, it proves less than the target.
    """
    try:
        ranking = sorted(range(len(claim.shop.jobs)), key=lambda job: -_least_time(claim, job))
        for size in range(1, len(ranking) + 1):
            if claim.stop():
                return
            last, stop = size == len(ranking), claim.stop
            if not last:
                some = TimeLimit(SHARE_OF_SOME_JOBS * min(stop.left, 1e6))
                stop = FirstOf(stop, some)
            proof = _Growth(claim, sorted(ranking[:size]), stop, partial=last).proof()
            if proof is not None:
                yield proof
    except Refused:  # the model is too large
        return


def _least_time(claim: Claim, job: int) -> int:
    """Head and tail of a job (units)."""
    model = JobOrder(claim.shop, [job], max(claim.target - 1, 0))
    return int(model.head[job] + model.tail[job])


class _Case:
    """A node of the tree that is still open.

    `document` is its place in the certificate.
    """

    def __init__(self, fixed: dict[int, int], solved: Solved) -> None:
        self.fixed, self.solved = fixed, solved
        self.document: dict[str, Any] = {}


class _Growth:
    """A tree that grows until all its leaves prove the target.

    `partial`: whether a tree that is not finished is worth anything.
    """

    def __init__(self, claim: Claim, jobs: list[int], stop: StoppingRule, *, partial: bool) -> None:
        self.jobs, self.stop, self.partial = jobs, stop, partial
        self.target = claim.target
        self.model = JobOrder(claim.shop, jobs, max(claim.target - 1, 0))
        self.relaxation = Relaxation(self.model)
        self.name = {column: name for name, column in self.model.number.items()}
        free = [
            column
            for column, name in self.name.items()
            if name[0] in "xyp" and self.model.low[column] < self.model.high[column]
        ]
        self.free = np.array(free, dtype=np.int64)
        # Gains of the two sides per unit of distance, and how often they were tried.
        self.gain = np.zeros((2, len(self.name)))
        self.tries = np.zeros((2, len(self.name)))
        self.weight = np.zeros(len(self.name))
        self.weight[self.free] = [self._weight(column) for column in free]
        self.number = count()
        self.nodes = 0

    def proof(self) -> Proof | None:
        """The tree; None if it does not prove the target, nor as much as it can."""
        solved = self.relaxation.solve({})
        if solved is None:
            return None
        root = _Case({}, solved)
        cases = [] if self._closes(root) else [(self._urgency(root), next(self.number), root)]
        while cases:
            if self.stop() or self.nodes >= MOST_NODES:
                break
            case = heapq.heappop(cases)[2]
            children = self._branched(case)
            if children is None:
                if not self.partial:
                    return None
                heapq.heappush(cases, (0.0, next(self.number), case))
                break
            for child in children:
                if not self._closes(child):
                    heapq.heappush(cases, (self._urgency(child), next(self.number), child))
        if cases and not self.partial:
            return None
        for _, _, case in cases:
            case.document.update(self.relaxation.leaf(case.solved, case.fixed, self.target)[1])
        return {
            "proof": "tree",
            "jobs": self.jobs,
            "horizon": self.model.horizon,
            "tree": root.document,
        }

    def _urgency(self, case: _Case) -> float:
        """The least bound first; but a tree that may be impossible dives for a counterexample."""
        return case.solved.value - (0 if self.partial else len(case.fixed))

    def _closes(self, case: _Case) -> bool:
        """Whether the case proves the target; then it becomes a leaf."""
        self.nodes += 1
        if case.solved.value < 1 - 1e-9:
            return False
        bound, leaf = self.relaxation.leaf(case.solved, case.fixed, self.target)
        if bound >= self.target:
            case.document.update(leaf)
        return bound >= self.target

    def _branched(self, case: _Case) -> tuple[_Case, _Case] | None:
        """The two cases of a variable; None if there is none, or HiGHS fails."""
        best: tuple[float, int, list[Solved | None]] = -1.0, -1, []
        for column in self._candidates(case):
            sides: list[Solved | None] = []
            if self.tries[:, column].min() < TRUSTED:
                sides = self._sides(case, column)
                if None in sides:
                    continue
            gains = [
                min(side.value - case.solved.value, 1.01 - case.solved.value) if side else gain
                for side, gain in zip(
                    sides or [None, None], self._estimates(case, column), strict=True
                )
            ]
            score = max(gains[0], 1e-6) * max(gains[1], 1e-6)
            if score > best[0]:
                best = score, column, sides
            if sides and all(side and side.value > 1 for side in sides):
                break
        _, column, sides = best
        if column < 0:
            return None
        sides = sides or self._sides(case, column)
        no, yes = (
            _Case({**case.fixed, column: value}, side) if side else None
            for value, side in enumerate(sides)
        )
        if no is None or yes is None:
            return None
        case.document.update(on=list(self.name[column]), no=no.document, yes=yes.document)
        return no, yes

    def _sides(self, case: _Case, column: int) -> list[Solved | None]:
        """The two programs of a variable; what they gain is noted."""
        sides = [
            self.relaxation.solve({**case.fixed, column: value}, case.solved) for value in (0, 1)
        ]
        distance = case.solved.columns[column], 1 - case.solved.columns[column]
        for value, side in enumerate(sides):
            if side is not None and side.value < np.inf:
                gain = max(side.value - case.solved.value, 0.0)
                self.gain[value, column] += gain / max(distance[value], WHOLE)
                self.tries[value, column] += 1
        return sides

    def _candidates(self, case: _Case) -> list[int]:
        """Variables that are not whole, the most promising first."""
        if not len(case.solved.columns):
            return []
        value = case.solved.columns[self.free]
        split = self.free[np.minimum(value, 1 - value) > WHOLE].tolist()
        estimate = {column: float(np.prod(self._estimates(case, column))) for column in split}
        return sorted(split, key=lambda column: -estimate[column])[:CANDIDATES]

    def _estimates(self, case: _Case, column: int) -> FloatArray:
        """What the two sides of a variable may gain."""
        value = case.solved.columns[column]
        tries = self.tries[:, column]
        mean = np.where(tries > 0, self.gain[:, column] / np.maximum(tries, 1), self.weight[column])
        estimates: FloatArray = mean * np.array([value, 1 - value]) + 1e-6
        return estimates

    def _weight(self, column: int) -> float:
        """A variable's guess at its gain: the part of the horizon that it moves."""
        model, (letter, a, b) = self.model, self.name[column]
        if letter == "p":
            time = min(model.head[a], model.head[b]) + min(model.tail[a], model.tail[b])
        else:
            time = (model.map_time[a, b] or 0) if letter == "x" else model.reduce_time[a, b]
        return float(time / max(model.horizon, 1))
