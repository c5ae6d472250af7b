"""Heuristics: functions from an instance to a schedule, listed in `HEURISTICS`."""

from ..instances.parts import SPEED_FACTORS
from ..instances.registry import Entry

SPEEDS = frozenset({SPEED_FACTORS})

HEURISTICS: tuple[Entry, ...] = (
    Entry(
        "EASS",
        "heuristics.list_scheduling:eass",
        "LJR, Algorithm 1",
        "earliest available slot",
        understands=SPEEDS,
    ),
    Entry(
        "EFSS",
        "heuristics.list_scheduling:efss",
        "LJR, section 4.2",
        "earliest finishing slot",
        understands=SPEEDS,
    ),
    Entry(
        "EFSS-L",
        "heuristics.list_scheduling:efss_local",
        "LJR, section 4.4",
        "EFSS with map tasks on their replica nodes only",
        understands=SPEEDS,
    ),
    Entry(
        "TBS",
        "heuristics.list_scheduling:tbs",
        "LJR, Algorithm 3",
        "longest map task of all jobs first, then regrouped by job",
        understands=SPEEDS,
    ),
    Entry(
        "TBS-L",
        "heuristics.list_scheduling:tbs_local",
        "LJR, section 4.4",
        "TBS with map tasks on their replica nodes only",
        understands=SPEEDS,
    ),
)
