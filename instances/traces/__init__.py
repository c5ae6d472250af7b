"""Readers of cluster traces; each gives an instance and says what it left out or adjusted."""

from __future__ import annotations

from ..registry import Entry

IMPORTERS: tuple[Entry, ...] = (
    Entry(
        "rumen",
        "instances.traces.rumen.reader:read_rumen",
        "Apache Hadoop Rumen (TraceBuilder): job traces and cluster topologies",
        "Hadoop MapReduce jobs task by task, with replicas, racks and the real run",
    ),
    Entry(
        "swim",
        "instances.traces.swim:read_swim",
        "Chen, Ganapathi, Griffith, Katz: SWIM workload suite, Facebook 2009 and 2010",
        "Facebook jobs from a table of bytes; tasks as in SWIM's replay, durations modelled",
    ),
)
