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
    Entry(
        "HMHS",
        "heuristics.min_min:hmhs",
        "HMHS, section 3.3",
        "Min-Min maps, sequenced by Pri, Dynamic-Min-Min reduces",
        understands=SPEEDS,
    ),
    Entry(
        "R-HMHS",
        "heuristics.min_min:r_hmhs",
        "HMHS, section 4",
        "HMHS with the sequence reversed",
        understands=SPEEDS,
    ),
    Entry(
        "Min-Min",
        "heuristics.min_min:min_min",
        "HMHS, section 3.2",
        "HMHS without sequencing",
        understands=SPEEDS,
    ),
    Entry(
        "FIFO",
        "heuristics.first_come:fifo",
        "HMHS, section 4",
        "jobs in order to the first free slot",
        understands=SPEEDS,
    ),
    Entry(
        "FIFO-Pri",
        "heuristics.first_come:fifo_pri",
        "HMHS, section 4",
        "FIFO with the jobs by Pri",
        understands=SPEEDS,
    ),
)
