"""Heuristics: functions from an instance to a schedule, listed in `HEURISTICS`."""

from ..instances.registry import Entry

HEURISTICS: tuple[Entry, ...] = (
    Entry(
        "EASS",
        "heuristics.list_scheduling:eass",
        "LJR, Algorithm 1",
        "earliest available slot",
    ),
    Entry(
        "EFSS",
        "heuristics.list_scheduling:efss",
        "LJR, section 4.2",
        "earliest finishing slot",
    ),
    Entry(
        "EFSS-L",
        "heuristics.list_scheduling:efss_local",
        "LJR, section 4.4",
        "EFSS with map tasks on their replica nodes only",
    ),
    Entry(
        "TBS",
        "heuristics.list_scheduling:tbs",
        "LJR, Algorithm 3",
        "longest map task of all jobs first, then regrouped by job",
    ),
    Entry(
        "TBS-L",
        "heuristics.list_scheduling:tbs_local",
        "LJR, section 4.4",
        "TBS with map tasks on their replica nodes only",
    ),
)
