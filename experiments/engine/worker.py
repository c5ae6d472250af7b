"""A process that carries out units for another: `python -m slotwise.experiments.engine.worker`."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from ..study.study import Run
from .perform import perform

FACTOR, GRACE = 1.5, 30.0
"""A run is ended after its time limit times `FACTOR` and `GRACE` more seconds."""

SHARE = 5.0
"""Seconds after which a unit is handed back with what has ended; the rest of it goes on as another
unit: so much work is lost if all is killed."""

IDLE = 60.0
"""Seconds without a unit after which the process ends."""

GUARD = """
import os, select, signal, sys
worker, driver, look = os.getppid(), int(sys.argv[1]), select.poll()
look.register(driver, 0)
while os.getppid() == worker and not look.poll(500):
    pass
os.killpg(int(sys.argv[2]), signal.SIGKILL)
"""
"""What a process beside the worker does: when the worker or its driver is gone, it ends the worker
with all that methods have started. No thread could do it while a method computes."""


def main() -> None:
    """Carry out units as they come, until the driver is gone or wants no more."""
    socket, log, grace = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    for handle in (socket, log):
        os.set_inheritable(handle, False)
    faulthandler.enable(log)
    subprocess.Popen(
        [sys.executable, "-ISc", GUARD, str(socket), str(os.getpid())],
        pass_fds=[socket],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    @contextmanager
    def limited(run: Run) -> Iterator[None]:
        """End the process if a run takes far longer than its limit, even in compiled code."""
        if run.method.time_limit is not None:
            seconds = FACTOR * run.method.time_limit + grace
            faulthandler.dump_traceback_later(seconds, exit=True, file=log)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    driver = Connection(socket)
    try:
        while driver.poll(IDLE):
            unit = driver.recv()
            until = time.monotonic() + SHARE
            for record in perform(unit, limited):
                driver.send(record)
                if time.monotonic() >= until:
                    break
            driver.send(None)
    except (EOFError, OSError):  # the driver is gone
        return


if __name__ == "__main__":
    main()
