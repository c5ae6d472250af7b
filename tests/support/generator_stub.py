"""Writes `instances/generator_calls.pyi`: what each generator takes, for type checkers.

Run it after a change of a generator's parameters: `python tests/support/generator_stub.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from slotwise.core.parameters import Parameter, parameters_of
from slotwise.instances.generators import GENERATORS

ROOT = Path(__file__).parents[2]
STUB = ROOT / "instances/generator_calls.pyi"

HEAD = """# Made by tests/support/generator_stub.py from the parameters of the generators.

from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from ..core.registry import Entry
from .datacenter.datacenter import Datacenter
from .hierarchy.hierarchy import Hierarchy
from .mapreduce.instance import Instance

P = ParamSpec("P")
T = TypeVar("T")

"""

TAIL = """@overload
def generate(generator: Callable[P, T], *arguments: P.args, **parameters: P.kwargs) -> T: ...
@overload
def generate(generator: Entry, *arguments: Any, **parameters: Any) -> Any: ...
"""

MADE = {"mapreduce": "Instance", "datacenter": "Datacenter", "hierarchy": "Hierarchy"}


def stub() -> str:
    """The stub as ruff formats it."""
    text = HEAD
    for entry in GENERATORS.own:
        taken = parameters_of(entry.load())
        places = [spelled(one) for one in taken if one.positional]
        words = [spelled(one) for one in taken if not one.positional]
        arguments = [
            f"generator: Literal[{entry.name!r}]",
            *places,
            *(["*"] if words else []),
            *words,
        ]
        text += f"@overload\ndef generate({', '.join(arguments)}) -> {MADE[entry.takes]}: ...\n"
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--config",
            "line-length=100",
            "--stdin-filename",
            "x.pyi",
            "-",
        ],
        input=text + TAIL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def spelled(one: Parameter) -> str:
    """`jobs: int = ...`."""
    members = get_args(one.type) if get_origin(one.type) in (Union, UnionType) else (one.type,)
    kinds = " | ".join(_name(member) for member in members)
    return f"{one.name}: {kinds}{'' if one.required else ' = ...'}"


def _name(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    text = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
