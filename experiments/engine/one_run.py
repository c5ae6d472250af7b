"""One run in a process of its own: `python -m slotwise.experiments.engine.one_run`.

A unit is read as JSON from standard input, its records are written as JSON lines to standard
output. What the method itself prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys

from .backends.worker import begin
from .perform import perform
from .watchdog import Watchdog
from .wire import record_line, unit_of


def main() -> None:
    """Read a unit, carry it out, and write its records."""
    document = json.load(sys.stdin)
    out = os.dup(1)
    begin(document["driver"])
    guard = Watchdog(document["grace"], sys.stderr.fileno())
    for record in perform(unit_of(document["unit"]), guard):
        os.write(out, record_line(record))


if __name__ == "__main__":
    main()
