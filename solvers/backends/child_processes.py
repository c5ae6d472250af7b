"""Child processes that end when the process that started them ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress


def start(module: str, arguments: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE` in a process group of its own.

    It imports the package from where the caller does. The end of its stdin ends it: that comes when
    the caller closes it or dies.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def die_with_parent(seconds: float = threading.TIMEOUT_MAX, folder: str | None = None) -> None:
    """In a child process: end it, and all that it starts, when its stdin ends or the time is up.

    `seconds`: time (s) after which it ends in any case.
    """

    def end() -> None:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(ProcessLookupError):
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)  # was started some other way, in a group of others

    def watch_input() -> None:
        # Not `sys.stdin`: at the end Python would wait for its lock.
        while os.read(0, 1):
            pass
        end()

    def watch_clock() -> None:
        time.sleep(seconds)
        end()

    threading.Thread(target=watch_input, daemon=True).start()
    if seconds < threading.TIMEOUT_MAX:
        threading.Thread(target=watch_clock, daemon=True).start()
