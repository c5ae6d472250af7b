"""Program of the child process: loads a submission and answers questions, one JSON line each.

It is started as a file in isolated mode, with an empty environment. The first line that it reads
is the setup; after it a keeper process watches, and a process below it loads the submission and
answers. What the submission prints goes nowhere near the answers, which leave by a pipe of their
own. The keeper ends everything that the submission has started.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import traceback
from contextlib import suppress
from types import ModuleType
from typing import Any, TextIO

SETUP, ANSWERS = 0, 1
"""Numbers of the pipes at the start: questions come in, answers go out."""

LONGEST_ANSWER = 1_000_000
LONGEST_TEXT = 300

OFTEN = 1.0
"""Seconds between two looks at the worker, if no signal tells of it."""


def beside(name: str) -> ModuleType:
    """Load a module that lies in the same folder, without the package around it."""
    package = sys.modules.setdefault("_grader", ModuleType("_grader"))
    package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    return importlib.import_module(f"_grader.{name}")


class Hidden:
    """Refuses to import the package, for exercises without it."""

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse the package and everything in it."""
        if name.partition(".")[0] == "slotwise":
            raise ModuleNotFoundError(f"{name} is hidden in this exercise (--no-slotwise)")


def main() -> None:
    """Read the setup, start the process that answers, and keep it until the end."""
    confinement = beside("confinement")
    questions = os.fdopen(os.dup(SETUP), "r", encoding="utf-8", buffering=1)
    answers = os.fdopen(os.dup(ANSWERS), "w", encoding="utf-8", buffering=1)
    line = questions.readline()
    if not line:
        os._exit(0)
    setup = json.loads(line)
    confinement.end_with_parent(signal.SIGTERM)
    confinement.adopt()
    worker = os.fork()
    if worker == 0:
        _work(setup, questions, answers, confinement)
        os._exit(0)
    questions.close()
    _put(answers, {"process": worker})
    _keep(worker, answers, confinement)


def _keep(worker: int, answers: TextIO, confinement: Any) -> None:
    """Wait until the worker ends or the grader sends SIGTERM, then end all that is left."""
    stop: list[int] = []
    bell, rope = os.pipe()
    os.set_blocking(rope, False)
    signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status: int | None = None
    while not stop:
        ended, code = os.waitpid(worker, os.WNOHANG)
        if ended == worker:
            status = os.waitstatus_to_exitcode(code)
            break
        select.select([bell], [], [], OFTEN)
    confinement.end_all(worker)
    with suppress(OSError):
        _put(answers, {"ended": status})


def _work(setup: dict[str, Any], questions: TextIO, answers: TextIO, confinement: Any) -> None:
    """Confine this process, load the submission, answer until the questions end."""
    os.setsid()
    confinement.end_with_parent(signal.SIGKILL)
    confinement.adopt()
    # Stdin is empty and what is printed is lost, before anything of the submission runs.
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    os.chdir(setup["folder"])
    os.environ.update(setup["environment"])
    sys.path[:] = [*dict.fromkeys([*sys.path, *setup["path"]])]
    missing = confinement.limit(setup["memory"], setup["seconds"])
    if not setup["slotwise"]:
        sys.meta_path.insert(0, Hidden())
    process = os.getpid()
    function, problem = _loaded(setup)
    _put(answers, {"loaded": problem is None, "problem": problem, "missing": missing})
    if function is None:
        return
    kind, values = beside(setup["kind"]), beside("functions")
    while line := questions.readline():
        question = json.loads(line)
        text = _answer(kind, values, function, question)
        if os.getpid() != process:
            os._exit(0)  # a copy that the submission made: only the original answers
        confinement.end_all()  # what the submission started and left
        answers.write(text + "\n")
        answers.flush()


def _loaded(setup: dict[str, Any]) -> tuple[Any, str | None]:
    """What the submission defines, or why it cannot be used."""
    module = ModuleType("submission")
    module.__file__ = setup["name"]
    sys.modules["submission"] = module
    try:
        exec(compile(setup["source"], setup["name"], "exec"), module.__dict__)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        return None, f"{where}{type(error).__name__}: {error.msg}"
    except BaseException as error:
        return None, f"{_line_of(error, setup['name'])}{_said(error)}"
    for name in setup["names"]:
        function = getattr(module, name, None)
        if callable(function):
            return (name, function), None
    return None, f"defines no {setup['sort']} {' or '.join(f'`{name}`' for name in setup['names'])}"


def _answer(kind: Any, values: Any, function: tuple[str, Any], question: Any) -> str:
    """A line with the value of the submission, or with the exception that it raised.

    The value becomes text once: a generator that is read is empty.
    """
    try:
        value = kind.answer(*function, question["document"])
        text = json.dumps({"number": question["number"], "value": value}, default=values.plain)
        if len(text) <= LONGEST_ANSWER:
            return text
        said = {"error": "TooLong", "text": f"the answer has more than {LONGEST_ANSWER} bytes"}
    except MemoryError:
        said = {"error": "MemoryError", "text": "it used more memory than is allowed"}
    except values.Unfit as problem:
        said = {"unfit": str(problem)}
    except BaseException as error:
        where = _line_of(error, sys.modules["submission"].__file__ or "")
        said = {"error": type(error).__name__, "text": f"{where}{_said(error)}"}
    return json.dumps({"number": question["number"], **said})


def _line_of(error: BaseException, name: str) -> str:
    """`line 12: `, the last line of the submission that led to an error."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
    return f"line {lines[-1]}: " if lines else ""


def _said(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    text = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _put(stream: TextIO, message: dict[str, Any]) -> None:
    stream.write(json.dumps(message) + "\n")
    stream.flush()


if __name__ == "__main__":
    main()
