"""Small studies, a place for them to run, and what stands in a campaign's folder."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from slotwise.experiments.engine.perform import perform
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.tables import frame_of
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, MethodCall, Study, Unit
from slotwise.experiments.study.user_functions import find_function

TABLES = ("results.parquet", "results.csv")


def small_study(seeds: int = 3, methods: Iterable[MethodCall] | None = None) -> Study:
    """Tiny instances of LJR by a few heuristics."""
    instances = drawn("ljr", range(seeds), sweep={"jobs": [2, 3]}, nodes=3)
    given = [called("heuristic", name) for name in ("EASS", "EFSS")] if methods is None else methods
    return Study("small", [Block(instances, list(given))])


def own_function(folder: Path, body: str, time_limit: float = 60.0) -> MethodCall:
    """A function of the user's own, `mine.py:rule`, with this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = f"import os, signal, time\nimport slotwise\n\ndef rule(instance):\n{lines}\n"
    (folder / "mine.py").write_text(text)
    found = find_function("mine.py:rule", folder)
    return MethodCall(
        "function",
        "mine.py:rule",
        time_limit=time_limit,
        digest=found.digest,
        folder=found.folder,
        sources=found.sources,
    )


def run_here(study: Study) -> pd.DataFrame:
    """What `read_runs` gives of a study that runs in the present process, without a folder."""
    records = {record.run: record for unit in study.units for record in perform(unit)}
    return frame_of(study, records)


class Here:
    """Carries units out in the present process."""

    workers = 1

    def __init__(self) -> None:
        self.runs: list[str] = []

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """All records, in order."""
        for unit in units:
            for record in perform(unit):
                self.runs.append(record.run)
                yield record

    def close(self) -> None:
        """Nothing to end."""


def tables(folder: Path) -> dict[str, bytes]:
    """The tables that only depend on the study and its records."""
    return {name: (folder / name).read_bytes() for name in TABLES}
