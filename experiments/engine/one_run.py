"""One run in a process of its own: `python -m slotwise.experiments.engine.one_run`.

A unit is read from standard input, its records are written to standard output, both pickled: this
process and the one that started it have the same sources. What the method itself prints goes to
standard error.
"""

from __future__ import annotations

import os
import pickle
import sys

from .backends.worker import begin
from .perform import perform
from .watchdog import Watchdog


def main() -> None:
    """Read a unit, carry it out, and write its records."""
    unit, grace, driver = pickle.load(sys.stdin.buffer)
    with os.fdopen(os.dup(1), "wb") as out:
        begin(driver)
        pickle.dump(list(perform(unit, Watchdog(grace, sys.stderr.fileno()))), out)


if __name__ == "__main__":
    main()
