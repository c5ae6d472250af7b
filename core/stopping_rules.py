"""Stopping rules of searches: one small class per rule, and one for the first of several."""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class StoppingRule:
    """Decides when a search has to end; this one never ends it.

    A search calls the rule often, and reads `left`, `target` and `iterations` to plan its stages.
    """

    target: float = 0.0
    """A makespan (s) that is good enough; 0 if none is."""

    iterations: int | None = None
    """Number of iterations that the search makes, None for no limit."""

    @property
    def left(self) -> float:
        """Seconds until the rule ends the search at the latest."""
        return math.inf

    def __call__(self, best: float = math.inf) -> bool:
        """Whether to end now; `best` is the shortest makespan (s) so far, infinite if unknown."""
        return False


class TimeLimit(StoppingRule):
    """Ends `seconds` s after the rule was made."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.began = time.perf_counter()
        self.seconds = seconds

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds until the limit, 0 from then on."""
        return max(0.0, self.seconds - self.elapsed)

    def __call__(self, best: float = math.inf) -> bool:
        return self.elapsed >= self.seconds


class Iterations(StoppingRule):
    """Ends after so many iterations, which the search counts itself, in compiled code."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations


class TargetReached(StoppingRule):
    """Ends when a makespan is at most `target` s, such as a lower bound."""

    def __init__(self, target: float) -> None:
        self.target = target

    def __call__(self, best: float = math.inf) -> bool:
        return best <= self.target


class NoImprovement(StoppingRule):
    """Ends after `seconds` s without a shorter schedule, counted from the first known makespan."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._best, self._since = math.inf, math.inf

    def __call__(self, best: float = math.inf) -> bool:
        now = time.perf_counter()
        if best < self._best:
            self._best, self._since = best, now
        return now - self._since > self.seconds


class Asked(StoppingRule):
    """Ends when somebody asks for it: when `asked()` is true, such as `Event.is_set`."""

    def __init__(self, asked: Callable[[], bool]) -> None:
        self._asked = asked

    def __call__(self, best: float = math.inf) -> bool:
        return self._asked()


class FirstOf(StoppingRule):
    """Ends when the first of several rules does."""

    def __init__(self, *rules: StoppingRule) -> None:
        self.rules = rules
        self.target = max((rule.target for rule in rules), default=0.0)
        limits = [rule.iterations for rule in rules if rule.iterations is not None]
        self.iterations = min(limits, default=None)

    @property
    def left(self) -> float:
        """Seconds until the first rule ends the search at the latest."""
        return min((rule.left for rule in self.rules), default=math.inf)

    def __call__(self, best: float = math.inf) -> bool:
        # Every rule is called: some remember what they were told.
        said = [rule(best) for rule in self.rules]
        return any(said)
