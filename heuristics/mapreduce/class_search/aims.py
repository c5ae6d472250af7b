"""How much shorter than the best makespan repairs aim, and how many steps they have."""

from __future__ import annotations

MOST_CUT, LEAST_CUT, NEXT_CUT = 0.02, 0.0008, 0.006
"""Repairs aim at a makespan that is shorter by a share from the first to the second; below it they
begin again at the third with twice the steps."""


class Aims:
    """The aim of the next repair, as the last ones ended.

    `steps`: steps of the first repairs; `most_steps`: of any.
    """

    def __init__(self, cut: float, steps: int, most_steps: int) -> None:
        self.cut, self.steps, self.most_steps = cut, steps, most_steps

    def farther(self) -> None:
        """After a repair that succeeded."""
        self.cut = min(1.5 * self.cut, MOST_CUT)

    def nearer(self) -> None:
        """After one that failed."""
        self.cut /= 2
        if self.cut < LEAST_CUT:
            self.cut, self.steps = NEXT_CUT, min(2 * self.steps, self.most_steps)
