"""Amounts of resources as YARN's files spell them, and Kubernetes quantities."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite

from ....core.errors import InputError

MEBIBYTE = 2.0**20

MEMORY_NAMES = ("memory", "memory-mb", "mem", "mb")
CPU_NAMES = ("cpu", "vcores", "vcore", "cpus", "cores")
SYNONYMS = (MEMORY_NAMES, CPU_NAMES, ("gpu", "gpus", "nvidia.com/gpu", "yarn.io/gpu"))
"""Names of one resource in files and capacities."""

NAMED = re.compile(r"([\w./-]+)\s*=\s*(-?[\d.]+)\s*(%?)")
COUNTED = re.compile(r"(-?[\d.]+)\s*(mb|vcores?)")
SHARE_OF_ONE = re.compile(r"(-?[\d.]+)\s*%\s*(cpu|vcores?|memory|mb)")
SHARE_OF_ALL = re.compile(r"(-?[\d.]+)\s*%")

QUANTITY_PATTERN = re.compile(
    r"([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([-+]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)"
)
SUFFIX_FACTORS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3}
SUFFIX_FACTORS |= {letter: 10.0 ** (3 * k) for k, letter in enumerate("MGTPE", 2)}
SUFFIX_FACTORS |= {letter + "i": 1024.0**k for k, letter in enumerate("KMGTPE", 1)}


def name_in(names: Mapping[str, float], resource: str) -> str | None:
    """The name of a file's resource among those of the capacity, None if it is not there."""
    if resource in names:
        return resource
    for synonyms in SYNONYMS:
        if resource in synonyms:
            return next((name for name in synonyms if name in names), None)
    return None


def yarn_name(resource: str) -> str:
    for yarn, names in (("memory-mb", MEMORY_NAMES), ("vcores", CPU_NAMES)):
        if resource in names:
            return yarn
    return resource


def yarn_amounts(
    text: str, where: str, capacity: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    """Amounts by resource in the units of the capacity, and the resources that it does not have.

    `4096 mb, 4 vcores`, `memory-mb=4096, vcores=4`, and shares of the cluster: `50%`, `50% memory,
    40% cpu`, `memory-mb=50%, vcores=40%`.
    Raises `InputError` for what is none of these, and for negative amounts.
    """
    found: dict[str, float] = {}
    unknown = []
    for part in text.strip().strip("[]").split(","):
        entry = part.strip().lower()
        if not entry:
            continue
        name, number, share = _entry(entry)
        try:
            amount = float(number)
        except ValueError:
            raise InputError(f"{where}: cannot read {part.strip()!r}") from None
        if amount < 0:
            raise InputError(f"{where}, {name or 'all'}: must be >= 0, got {number}")
        if not name:
            found |= {each: whole * amount / 100 for each, whole in capacity.items()}
            continue
        known = name_in(capacity, name)
        if known is None:
            unknown.append(entry)
        else:
            found[known] = capacity[known] * amount / 100 if share else amount
    return found, unknown


def _entry(entry: str) -> tuple[str, str, bool]:
    """Resource (none for all), number, and whether it is a percentage."""
    if match := NAMED.fullmatch(entry):
        return match[1], match[2], bool(match[3])
    if match := COUNTED.fullmatch(entry):
        return match[2], match[1], False
    if match := SHARE_OF_ONE.fullmatch(entry):
        return match[2], match[1], True
    if match := SHARE_OF_ALL.fullmatch(entry):
        return "", match[1], True
    return "", "", False


def quantity(value: object, where: str) -> float:
    """Convert a Kubernetes quantity, `500m` or `4Gi`, to a number.

    Raises `InputError` if it is no quantity.
    """
    text = str(value) if isinstance(value, int | float) else value
    found = QUANTITY_PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or isinstance(value, bool):
        from ....core.files.json_files import shown  # late: commands import this module at once

        raise InputError(f"{where}: need a quantity such as 3, 500m or 4Gi, got {shown(value)}")
    number, exponent, suffix = found.groups()
    amount = float(f"{number}e{exponent or 0}") * SUFFIX_FACTORS.get(suffix or "", 1.0)
    if not isfinite(amount):
        raise InputError(f"{where}: too large: {value}")
    return amount


def is_quantity(text: str) -> bool:
    """Whether it is a Kubernetes quantity."""
    return QUANTITY_PATTERN.fullmatch(text) is not None
