"""The argument `objective`, which functions of several families take."""

from __future__ import annotations

from typing import Literal

Objective = Literal["makespan", "mean"]
"""What is to be least: the last end, or the weighted mean of the jobs' times."""
