"""Heuristics: functions from an instance to a schedule, listed in `HEURISTICS`."""

from ...core.registry import Entry, Registry
from ...instances.mapreduce.parts import OUTAGES, SECURITY, SPEED_FACTORS

SPEEDS = frozenset({SPEED_FACTORS})
SPEEDS_AND_SECURITY = frozenset({SPEED_FACTORS, SECURITY})
SECURITY_AND_OUTAGES = frozenset({SECURITY, OUTAGES})


def _as_printed(name: str, function: str) -> Entry:
    """A heuristic of [LJR] whose choice of a reduce slot does not count the wait for the maps."""
    return Entry(
        f"{name}-as-printed",
        f"heuristics.mapreduce.list_scheduling.rules:{function}_as_printed",
        "LJR, Algorithm 1, statement 15 as printed in section 4.2",
        f"{name} whose choice of a reduce slot does not count the wait for the maps",
        understands=SPEEDS_AND_SECURITY,
        usual=False,
    )


HEURISTICS = Registry(
    "heuristic",
    "slotwise.heuristics",
    (
        Entry(
            "EASS",
            "heuristics.mapreduce.list_scheduling.rules:eass",
            "LJR, Algorithm 1",
            "earliest available slot",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "EFSS",
            "heuristics.mapreduce.list_scheduling.rules:efss",
            "LJR, section 4.2",
            "earliest finishing slot",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "EFSS-L",
            "heuristics.mapreduce.list_scheduling.rules:efss_local",
            "LJR, section 4.4",
            "EFSS with map tasks on their replica nodes only",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "TBS",
            "heuristics.mapreduce.list_scheduling.rules:tbs",
            "LJR, Algorithm 3",
            "longest map task of all jobs first, then regrouped by job",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "TBS-L",
            "heuristics.mapreduce.list_scheduling.rules:tbs_local",
            "LJR, section 4.4",
            "TBS with map tasks on their replica nodes only",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "HMHS",
            "heuristics.mapreduce.hmhs.min_min:hmhs",
            "HMHS, section 3.3",
            "Min-Min maps, sequenced by Pri, Dynamic-Min-Min reduces",
            understands=SPEEDS,
        ),
        Entry(
            "R-HMHS",
            "heuristics.mapreduce.hmhs.min_min:r_hmhs",
            "HMHS, section 4",
            "HMHS with the sequence reversed",
            understands=SPEEDS,
        ),
        Entry(
            "Min-Min",
            "heuristics.mapreduce.hmhs.min_min:min_min",
            "HMHS, section 3.2",
            "HMHS without sequencing",
            understands=SPEEDS,
        ),
        Entry(
            "FIFO",
            "heuristics.mapreduce.hmhs.fifo:fifo",
            "HMHS, section 4",
            "jobs in order to the first free slot",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "FIFO-Pri",
            "heuristics.mapreduce.hmhs.fifo:fifo_pri",
            "HMHS, section 4",
            "FIFO with the jobs by Pri",
            understands=SPEEDS_AND_SECURITY,
        ),
        Entry(
            "SMSO",
            "heuristics.mapreduce.smso.smso:smso",
            "SMSO, Algorithms 1-4",
            "near the data and evenly loaded, LPT, tasks of lost slots moved",
            understands=SECURITY_AND_OUTAGES,
        ),
        Entry(
            "SMSO-Johnson",
            "heuristics.mapreduce.smso.smso:smso_johnson",
            "SMSO with LJR's job order",
            "SMSO with the jobs of a slot in Johnson's order",
            understands=SECURITY_AND_OUTAGES,
        ),
        Entry(
            "SMSO as printed",
            "heuristics.mapreduce.smso.smso:smso_as_printed",
            "SMSO, Algorithms 1-4 as printed",
            "may use forbidden and lost slots, so its schedules need not be valid",
            understands=SECURITY_AND_OUTAGES,
            valid=False,
        ),
        Entry(
            "FIFO-path",
            "heuristics.mapreduce.hmhs.fifo:fifo_path",
            "slotwise",
            "FIFO with the jobs by their longest path, the longest first",
            understands=SPEEDS_AND_SECURITY,
            usual=False,
        ),
        _as_printed("EFSS", "efss"),
        _as_printed("EFSS-L", "efss_local"),
        _as_printed("TBS", "tbs"),
        _as_printed("TBS-L", "tbs_local"),
    ),
)
