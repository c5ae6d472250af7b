"""A submission at work in a child process: started, asked, stopped, started again."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from ...core.errors import InputError
from ...core.files.outputs import temporary_folder
from .exercise import Answer, Document, Exercise, Limits

RUNNER = Path(__file__).parent / "child" / "runner.py"

LOADING = 30.0
"""Most seconds to load a file, on the clock."""

FIRST = 10.0
"""Seconds more for the first answer of a process, in which libraries are imported."""

CLOCK = 3.0
"""How many times its processor time an answer may take on the clock: machines are shared."""

GOODBYE = 10.0
"""Seconds in which the keeper has to end all that a submission has started."""

LONGEST_LINE = 2_000_000
LOOK = 0.02


class Submission:
    """A file that answers questions, as a context manager.

    Raises `InputError` if it cannot be loaded.

    `source`: its text.
    `name`: what it is called in messages.
    """

    def __init__(self, source: str, name: str, exercise: Exercise, limits: Limits) -> None:
        self.missing: tuple[str, ...] = ()
        self._source, self.name, self._exercise, self._limits = source, name, exercise, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._worker = 0
        self._buffer = b""
        self._number = 0
        self._fresh = True
        self._known: Document | None = None
        self._began = time.monotonic()

    def __enter__(self) -> Submission:
        self._folder = temporary_folder()
        self._place = self._folder.__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _value: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._folder.__exit__(None, None, None)

    def ask(self, document: Document, seconds: float) -> Answer:
        """Put a question, in a new process if the last one has ended.

        `seconds`: processor time (s) for the answer.
        """
        if self._process is None:
            self._start()
        if self._fresh and self._known is not None:
            # Libraries are imported by a question that was answered before.
            self._answer(self._known, FIRST)
            if self._process is None:
                self._start()
            self._fresh = False
        answer = self._answer(document, seconds + (FIRST if self._fresh else 0.0))
        if answer.how == "value":
            self._fresh, self._known = False, document
        return answer

    def ask_alone(self, document: Document, seconds: float) -> Answer:
        """Put a question as the first of a new process.

        `seconds`: processor time (s) for the answer.
        """
        self._stop()
        self._start()
        return self._answer(document, seconds)

    def _answer(self, document: Document, seconds: float) -> Answer:
        self._number += 1
        line = json.dumps({"number": self._number, "document": document}).encode() + b"\n"
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with suppress(OSError):  # it has ended: the answer says so
            process.stdin.write(line)
            process.stdin.flush()
        message = self._wait_for(self._number, seconds)
        if message is None:
            self._stop()
            return Answer("time-out", text=f"no answer in {seconds:g} s")
        if "ended" in message:
            self._stop()
            return Answer("ended", text=_ending(message["ended"]))
        if "unfit" in message:
            return Answer("unfit", text=str(message["unfit"]))
        if "error" in message:
            return Answer("error", error=str(message["error"]), text=str(message.get("text", "")))
        return Answer("value", message.get("value"))

    def _start(self) -> None:
        limits, exercise = self._limits, self._exercise
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", str(RUNNER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=self._place,
            env={"PYTHONHASHSEED": "0"},  # the order of a set is the same in every process
        )
        self._buffer, self._worker, self._fresh = b"", 0, True
        setup = {
            "source": self._source,
            "name": self.name,
            "names": exercise.defines,
            "sort": exercise.sort,
            "kind": exercise.child,
            "memory": limits.memory,
            "seconds": int(2 * limits.time + LOADING + 4 * FIRST),
            "slotwise": limits.slotwise,
            "folder": str(self._place),
            "path": [entry for entry in sys.path if os.path.isabs(entry) and entry != os.getcwd()],
            "environment": _environment(self._place),
        }
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(setup).encode() + b"\n")
            self._process.stdin.flush()
        message = self._wait_for(None, LOADING)
        if message is not None and message.get("loaded"):
            self.missing = tuple(message.get("missing", ()))
            return
        self._stop()
        if message is None:
            why = f"loading it took more than {LOADING:g} s"
        elif "ended" in message:
            why = f"it {_ending(message['ended'])} while it was loaded"
        else:
            why = str(message.get("problem"))
        raise InputError(f"{self.name}: {why}")

    def _wait_for(self, number: int | None, seconds: float) -> dict[str, Any] | None:
        """The message with this number, or the one about loading; None if it does not come."""
        began, before = time.monotonic(), self._processor_seconds()
        while True:
            message = self._next_message(began + seconds)
            if message is None:
                passed = time.monotonic() - began
                used = self._processor_seconds() - before
                if passed >= CLOCK * seconds or used >= seconds or not self._worker:
                    return None
                message = self._next_message(time.monotonic() + LOOK)
            if message is None:
                continue
            if "process" in message:
                self._worker = int(message["process"])
            elif "ended" in message or _is_wanted(message, number):
                return message

    def _next_message(self, until: float) -> dict[str, Any] | None:
        """The next line as data, None if none has come by then."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return None
            chunk = os.read(pipe, 65536)
            if not chunk or len(self._buffer) > LONGEST_LINE:
                return {"ended": None}
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            message = json.loads(line)
            # Halves of characters, which a submission can write, are in no text that is shown.
            message = json.loads(json.dumps(message, ensure_ascii=False).encode(errors="replace"))
        except (ValueError, RecursionError):
            return {}
        return message if isinstance(message, dict) else {}

    def _processor_seconds(self) -> float:
        """Processor time of the process that answers, infinity where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._worker}/stat").read_text().rpartition(")")[2].split()
            return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return float("inf") if self._worker else 0.0

    def _stop(self) -> None:
        """End the process and all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            for group in (self._worker, process.pid):
                with suppress(OSError):
                    os.killpg(group, signal.SIGKILL) if group else None
            process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()


def _is_wanted(message: dict[str, Any], number: int | None) -> bool:
    return "loaded" in message if number is None else message.get("number") == number


def _environment(folder: Path) -> dict[str, str]:
    """The few variables of a submission: its folder, and where compiled code is kept."""
    kept = {name: os.environ[name] for name in ("NUMBA_CACHE_DIR",) if name in os.environ}
    return {"HOME": str(folder), "TMPDIR": str(folder), "OMP_NUM_THREADS": "1", **kept}


def _ending(code: int | None) -> str:
    """How a process has ended, in words."""
    if code is None:
        return "was ended"
    if code >= 0:
        return f"left with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
