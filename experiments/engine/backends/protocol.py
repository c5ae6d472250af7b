"""What the driver of a campaign asks of a place where units run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from ....core.errors import SlotwiseError
from ...study.study import Unit
from ..record import Record

KEPT = "what is finished is kept, run again to go on"
"""What is told of a session that ends before its runs do."""


class LostCluster(SlotwiseError):
    """The scheduler is gone: no run has failed, and what is finished is kept."""


class Backend(Protocol):
    """A place where units run."""

    workers: int

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """The records of all units, in any order, each as soon as it is known.

        The units are taken one by one, only a few ahead of what runs. A run whose worker died or
        was ended by its time limit comes as a record with the status `crashed`, found by running
        the units in doubt run by run; the other runs of its unit come as they end.

        Raises
        ------
        LostCluster
            If the cluster is gone.
        """

    def close(self) -> None:
        """End all workers, also after Ctrl-C, and leave no process behind."""
