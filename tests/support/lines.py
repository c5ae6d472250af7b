"""The command line called within the process of the tests."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import pytest

from slotwise.commands.app import run


class End(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def cli(*arguments) -> End:
    """Exit code, stdout and stderr of `slotwise ARGUMENTS…`."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return End(code, out.getvalue(), err.getvalue())


def refused(line: str, capfd: pytest.CaptureFixture[str]) -> str:
    """The one line with which a command is refused."""
    capfd.readouterr()
    assert run(line.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err
