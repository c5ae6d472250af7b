"""Heuristics: functions from an instance to a schedule, listed in `HEURISTICS`."""

from __future__ import annotations

from typing import Any

from ...core.registry import Entry, Registry
from ...instances.mapreduce.parts import OUTAGES, SECURITY, SPEED_FACTORS

SPEEDS = frozenset({SPEED_FACTORS})
SPEEDS_AND_SECURITY = frozenset({SPEED_FACTORS, SECURITY})
SECURITY_AND_OUTAGES = frozenset({SECURITY, OUTAGES})


def _ljr(name: str, function: str, source: str, summary: str, **more: Any) -> Entry:
    target = f"heuristics.mapreduce.list_scheduling.rules:{function}"
    return Entry(name, target, f"LJR, {source}", summary, SPEEDS_AND_SECURITY, **more)


def _as_printed(name: str, function: str) -> Entry:
    """A heuristic of [LJR] whose choice of a reduce slot does not count the wait for the maps."""
    source = "Algorithm 1, statement 15 as printed in section 4.2"
    summary = f"{name} whose choice of a reduce slot does not count the wait for the maps"
    return _ljr(f"{name}-as-printed", f"{function}_as_printed", source, summary, usual=False)


def _hmhs(name: str, function: str, source: str, summary: str) -> Entry:
    target = f"heuristics.mapreduce.hmhs.min_min:{function}"
    return Entry(name, target, f"HMHS, {source}", summary, SPEEDS)


def _fifo(name: str, function: str, source: str, summary: str, **more: Any) -> Entry:
    target = f"heuristics.mapreduce.hmhs.fifo:{function}"
    return Entry(name, target, source, summary, SPEEDS_AND_SECURITY, **more)


def _smso(name: str, function: str, source: str, summary: str, **more: Any) -> Entry:
    target = f"heuristics.mapreduce.smso.smso:{function}"
    return Entry(name, target, source, summary, SECURITY_AND_OUTAGES, **more)


HEURISTICS = Registry(
    "heuristic",
    "slotwise.heuristics",
    (
        _ljr("EASS", "eass", "Algorithm 1", "earliest available slot"),
        _ljr("EFSS", "efss", "section 4.2", "earliest finishing slot"),
        _ljr(
            "EFSS-L", "efss_local", "section 4.4", "EFSS with map tasks on their replica nodes only"
        ),
        _ljr(
            "TBS", "tbs", "Algorithm 3", "longest map task of all jobs first, then regrouped by job"
        ),
        _ljr("TBS-L", "tbs_local", "section 4.4", "TBS with map tasks on their replica nodes only"),
        _hmhs(
            "HMHS", "hmhs", "section 3.3", "Min-Min maps, sequenced by Pri, Dynamic-Min-Min reduces"
        ),
        _hmhs("R-HMHS", "r_hmhs", "section 4", "HMHS with the sequence reversed"),
        _hmhs("Min-Min", "min_min", "section 3.2", "HMHS without sequencing"),
        _fifo("FIFO", "fifo", "HMHS, section 4", "jobs in order to the first free slot"),
        _fifo("FIFO-Pri", "fifo_pri", "HMHS, section 4", "FIFO with the jobs by Pri"),
        _smso(
            "SMSO",
            "smso",
            "SMSO, Algorithms 1-4",
            "near the data and evenly loaded, LPT, tasks of lost slots moved",
        ),
        _smso(
            "SMSO-Johnson",
            "smso_johnson",
            "SMSO with LJR's job order",
            "SMSO with the jobs of a slot in Johnson's order",
        ),
        _smso(
            "SMSO as printed",
            "smso_as_printed",
            "SMSO, Algorithms 1-4 as printed",
            "may use forbidden and lost slots, so its schedules need not be valid",
            valid=False,
        ),
        _fifo(
            "FIFO-path",
            "fifo_path",
            "slotwise",
            "FIFO with the jobs by their longest path, the longest first",
            usual=False,
        ),
        _as_printed("EFSS", "efss"),
        _as_printed("EFSS-L", "efss_local"),
        _as_printed("TBS", "tbs"),
        _as_printed("TBS-L", "tbs_local"),
    ),
)
