"""CP-SAT in a process of its own: a model's file and a document go in, lines of JSON come out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from ...core.background import LOOK, BackgroundWork

Json = dict[str, Any]

PROGRAM = Path(__file__).with_name("cp_sat_process.py")


def solve(models: Path, document: Json, stop: Event, told: Callable[[Json], None]) -> Json | None:
    """The last line of the process, None if it died without one; `told` hears the others.

    `stop`, and Ctrl-C, end the search with what it has.
    """

    def follow(lines: Iterable[str]) -> Json | None:
        for text in lines:
            line: Json = json.loads(text)
            if "status" in line:
                return line
            told(line)
        return None

    # A file and -P: neither the current folder nor the program's own can shadow a module. A session
    # of its own: Ctrl-C reaches this process only, and closing stdin ends the search gently.
    def listen(process: subprocess.Popen[str]) -> None:
        while process.poll() is None:
            if stop.wait(LOOK):
                close(process)
                return

    def close(process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()

    with subprocess.Popen(
        [sys.executable, "-P", str(PROGRAM), str(models)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(document) + "\n")
            process.stdin.flush()
            BackgroundWork(partial(listen, process))
            return follow(process.stdout)
        except BrokenPipeError:
            return None
        except KeyboardInterrupt:
            close(process)
            return follow(process.stdout)
        finally:
            process.kill()
