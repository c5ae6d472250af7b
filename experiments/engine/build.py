"""What makes results: the sources of slotwise and the libraries below it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ...core.errors import InputError
from ..study.identity import own_version
from .record import Record

LIBRARIES = (
    "numpy", "numba", "llvmlite", "scipy", "networkx", "pyomo", "highspy", "ortools", "PuLP",
)  # fmt: skip

ONLY_SHOWS = (
    "commands/", "teaching/", "experiments/pages/", "experiments/statistics/", "verifier/",
)  # fmt: skip
"""How the paths begin of what no result depends on. All other sources count, `report` among them:
it reads instances."""


@cache
def build() -> dict[str, str]:
    """Which slotwise this is: its version, and a SHA-256 of the sources that make results."""
    package = Path(__file__).parents[2]
    rooms = [found.parent for found in package.glob("*/__init__.py")]
    files = [*package.glob("*.py"), *(file for room in rooms for file in room.rglob("*.py"))]
    digest = hashlib.sha256()
    for name, file in sorted((file.relative_to(package).as_posix(), file) for file in files):
        if not name.startswith(ONLY_SHOWS):
            content = file.read_bytes()
            digest.update(f"{name} {len(content)} ".encode())
            digest.update(content)
    return {"version": own_version(), "sources": digest.hexdigest()}


@cache
def fingerprint() -> dict[str, str]:
    """Versions of all that results depend on, by name: slotwise, Python, libraries."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"slotwise": _slotwise(), "python": python, **installed(LIBRARIES)}


@cache
def build_name() -> str:
    """The fingerprint in a few characters, which each run records."""
    text = json.dumps(fingerprint(), sort_keys=True)
    return f"{_slotwise()} {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def installed(names: tuple[str, ...]) -> dict[str, str]:
    """The versions of those packages that are there."""
    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def difference(theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """The first difference of two fingerprints in words.

    Returns what is different there, empty if nothing is.
    """
    for name in {**ours, **theirs}:
        if theirs.get(name) != ours.get(name):
            their_version, our_version = (versions.get(name, "none") for versions in (theirs, ours))
            return f"{name} {their_version}, here is {our_version}"
    return ""


def check_build(place: object, records: Mapping[str, Record]) -> None:
    """Refuse runs that another build of slotwise made.

    Raises `InputError` if there are such runs.
    """
    for record in records.values():
        theirs = record.build.rpartition(" ")[0]
        if theirs and theirs != _slotwise():
            version, _, sources = theirs.partition(" ")
            raise InputError(
                f"{place} holds runs of another build of slotwise ({version}, {sources}); "
                "--anyway goes on, a new folder starts afresh"
            )


def _slotwise() -> str:
    return f"{own_version()} {build()['sources'][:12]}"
