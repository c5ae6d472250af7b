"""A lower bound: some job's longest map task and longest reduce task run one after the other."""

from __future__ import annotations

import numpy as np

from slotwise import Entry, Instance


def longest_job(instance: Instance) -> float:
    """No schedule is shorter than the longest map and reduce task of one job together.

    No reduce task of a job starts before all its map tasks have ended. Setup times are left out,
    which can only make the bound smaller.
    """
    longest = np.zeros((2, instance.jobs))
    np.maximum.at(longest[0], instance.map_job, instance.map_processing)
    np.maximum.at(longest[1], instance.reduce_job, instance.reduce_processing)
    return float(longest.sum(axis=0).max(initial=0.0))


ENTRY = Entry(
    "longest-job",
    longest_job,
    source="example plug-in",
    summary="the longest map and the longest reduce task of one job",
    understands=frozenset({"security", "outages"}),
)
