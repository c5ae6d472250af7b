"""Inputs that come with the package: `example:five-jobs` stands wherever a file is read.

`examples/index.toml` says what each of them is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

from ..advice import did_you_mean
from ..errors import InputError

PREFIX = "example:"

FOLDER = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Example:
    """An input: its file in the package, what kind it is, what it shows, a command that reads it.

    Its name is that of the file without the ending.
    """

    file: str
    kind: str
    about: str
    command: str

    @property
    def name(self) -> str:
        """Its name after `example:`."""
        return PurePath(self.file).stem

    @property
    def path(self) -> Path:
        """Where its file is."""
        return FOLDER / self.file


@cache
def examples() -> tuple[Example, ...]:
    """All examples."""
    import tomllib

    index = tomllib.loads((FOLDER / "index.toml").read_text("utf-8"))
    return tuple(Example(file, **row) for file, row in index.items())


def is_example(path: object) -> bool:
    """Whether a path means an example. A file of that name is reached as `./example:…`."""
    return str(path).startswith(PREFIX)


def find(path: object) -> Example:
    """The example that `example:NAME` means. Raises `InputError` naming one that comes close."""
    name = str(path).removeprefix(PREFIX)
    for example in examples():
        if name in (example.name, example.file):
            return example
    guess = did_you_mean(name, [example.name for example in examples()])
    raise InputError(f"{path}: no such example: {guess}`slotwise list examples` lists them")


def instead_of(path: object) -> str:
    """`; did you mean example:five-jobs?` for a file `five-jobs.json` that is not there, or ``."""
    name = PurePath(str(path)).name
    for example in examples():
        if name in (example.name, example.file):
            return f"; did you mean {PREFIX}{example.name}?"
    return ""
