"""The least makespan of independent tasks on equal machines, P||Cmax, for small sets of tasks."""

from __future__ import annotations

from collections.abc import Sequence

SEARCH_LIMIT = 20_000
MOST_TASKS = 100
"""Nodes of the search, and tasks: a set that needs more gets its closed-form bound."""


def least_makespan(durations: Sequence[float], machines: int) -> float:
    """A lower bound of the makespan of tasks (s) on `machines`, exact where the search ends."""
    tasks = sorted((d for d in durations if d > 0), reverse=True)
    if not tasks or not machines:
        return 0.0
    bound = _closed_form(tasks, machines)
    if len(tasks) > MOST_TASKS:
        return bound
    search = _Search(tasks, machines, bound)
    return search.best if search.run() else bound


def _closed_form(tasks: list[float], machines: int) -> float:
    """Area, longest task, and the pigeonhole: of q * machines + 1 tasks some q + 1 share one."""
    bound = max(tasks[0], sum(tasks) / machines)
    for q in range(1, (len(tasks) - 1) // machines + 1):
        bound = max(bound, sum(tasks[q * machines - q : q * machines + 1]))
    return bound


class _Search:
    """Depth first over the machine of each task, longest task first."""

    def __init__(self, tasks: list[float], machines: int, bound: float) -> None:
        self.tasks = tasks
        self.bound = bound * (1 + 1e-12)
        self.load = [0.0] * machines
        self.best = sum(tasks)
        self.left = SEARCH_LIMIT

    def run(self) -> bool:
        """Whether the search ended and `best` is the optimum."""
        self._place(0, 0.0)
        return self.left > 0

    def _place(self, task: int, longest: float) -> None:
        self.left -= 1
        if self.left <= 0 or self.best <= self.bound:
            return
        if task == len(self.tasks):
            self.best = longest
            return
        tried = set()
        for machine in sorted(range(len(self.load)), key=self.load.__getitem__):
            before = self.load[machine]
            after = before + self.tasks[task]
            if before in tried or after >= self.best:
                continue
            tried.add(before)
            self.load[machine] = after
            self._place(task + 1, max(longest, after))
            self.load[machine] = before
