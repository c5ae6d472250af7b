"""Hybrid flow shops of two stages, in the field's text format.

Numbers separated by blanks: the number of jobs, the number of stages, the machines of each stage,
then a line for each job with its time in each stage. The benchmark files of [NRR2023] look so, and
those that PyJobShop reads.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.advice import kind_hint
from ....core.arrays import FloatArray
from ....core.calls import taking
from ....core.errors import InputError
from ....core.files.inputs import file_name, read_text
from ....core.parameters import described, parameter
from ....core.wording import plural
from ...importer_options import INSTANCE_NAME, ImportNotes, stem
from ...importers import Imported
from ...limits import MOST_TASKS
from ..generators.two_stage import two_stage_shop
from ..instance import Instance

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]*)?")
MOST_MACHINES = 1_000_000


@dataclass(frozen=True)
class ShopOptions:
    """What is taken of a hybrid flow shop."""

    _: KW_ONLY
    stages: tuple[int, int] | None = parameter(
        None, "Take these two of its stages, from 1.", metavar="FIRST SECOND"
    )
    jobs: int | None = parameter(None, "Take so many of its jobs, the first ones.")
    name: str | None = field(default=None, metadata=INSTANCE_NAME)


@taking(ShopOptions)
def read_shop(
    file: Annotated[
        str | Path, described("Hybrid flow shop as text, plain or gzip.", metavar="FILE")
    ],
    options: ShopOptions,
) -> Imported[Instance]:
    """The instance of a hybrid flow shop of two stages.

    Machines of a stage are slots of one node; a job is one map and one reduce task without data.
    Times are s, whatever the file's unit is.

    Returns
    -------
    Imported
        `made`: the shop; `notes` on what was left out.

    Raises
    ------
    InputError
        Names file and line; a shop of more than two stages, unless two are chosen.
    """
    machines, times = _read(file)
    notes = ImportNotes()
    jobs, stages = times.shape
    first, second = _chosen(file, stages, options.stages)
    if options.jobs is not None:
        if not 1 <= options.jobs <= jobs:
            raise InputError(f"jobs: need 1 to {jobs}, those of the file, got {options.jobs}")
        if options.jobs < jobs:
            notes.add(f"{plural(jobs - options.jobs, 'job')} left out")
            times = times[: options.jobs]
    if stages > 2:
        notes.add(f"{plural(stages - 2, 'stage')} left out")
    instance = two_stage_shop(
        options.name or stem(file, ".txt", otherwise="shop"),
        f"hybrid flow shop {file_name(file)}, stages {first} and {second} of {stages}, "
        f"{len(times)} of {jobs} jobs",
        (machines[first - 1], machines[second - 1]),
        (times[:, first - 1], times[:, second - 1]),
    )
    return Imported(instance, tuple(notes.lines))


def _chosen(path: str | Path, stages: int, asked: tuple[int, int] | None) -> tuple[int, int]:
    if asked is not None:
        if not 1 <= asked[0] < asked[1] <= stages:
            raise InputError(
                f"stages: need two of 1 to {stages}, ascending, got {asked[0]}, {asked[1]}"
            )
        return asked
    if stages != 2:
        cut = ", or take two of them (stages)" if stages > 2 else ""
        raise InputError(f"{path}: {plural(stages, 'stage')}: need a shop of two{cut}")
    return 1, 2


def _read(path: str | Path) -> tuple[list[int], FloatArray]:
    """Machines of each stage; times, a row for each job."""
    text = read_text(path)
    lines = [
        (number, line.split())
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if lines and len(lines[0][1]) == 2:  # both numbers on one line
        number, words = lines[0]
        lines[:1] = [(number, words[:1]), (number, words[1:])]
    if len(lines) < 3:
        raise InputError(
            f"{path}: need the number of jobs, that of stages, and the machines of each stage"
            f"{kind_hint(text, 'shop')}"
        )
    jobs = _count(path, lines[0], "number of jobs", MOST_TASKS // 2)
    stages = _count(path, lines[1], "number of stages", 1000)
    number, words = lines[2]
    _check_length(path, number, words, stages, "machines of each stage")
    machines = [
        _count(path, (number, [word]), "machines of a stage", MOST_MACHINES) for word in words
    ]
    if len(lines) - 3 != jobs:
        raise InputError(
            f"{path}: need a line for each of {plural(jobs, 'job')}, got {len(lines) - 3}"
        )
    times = np.empty((jobs, stages))
    for i, (number, words) in enumerate(lines[3:]):
        _check_length(path, number, words, stages, "a time for each stage")
        for k, word in enumerate(words):
            if not _NUMBER.fullmatch(word):
                raise InputError(
                    f"{path}:{number}, stage {k + 1}: need a number >= 0 (at most 15 digits), "
                    f"got {word[:40]!r}"
                )
            times[i, k] = float(word)
    return machines, times


def _check_length(path: str | Path, number: int, words: list[str], stages: int, what: str) -> None:
    if len(words) != stages:
        raise InputError(f"{path}:{number}: need {what}, {stages}, got {len(words)}")


def _count(path: str | Path, line: tuple[int, list[str]], what: str, most: int) -> int:
    number, words = line
    if (
        len(words) != 1
        or not re.fullmatch("[0-9]{1,9}", words[0])
        or not 1 <= int(words[0]) <= most
    ):
        got = " ".join(words)[:40]
        raise InputError(f"{path}:{number}: need the {what}, 1 to {most}, got {got!r}")
    return int(words[0])
