"""Kubernetes manifests: names, quantities, several YAML documents in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from ..advice import format_hint, kind_hint
from ..errors import InputError
from ..files.json_files import shown
from .queue_tree import need_distinct
from .yaml_file import load_documents

API_NAMES = {
    "kueue": "kueue.x-k8s.io/v1beta2",
    "volcano": "scheduling.volcano.sh/v1beta1",
}
LONGEST_NAME = 253
QUANTITY_PATTERN = re.compile(
    r"([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([-+]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)"
)
SUFFIX_FACTORS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3}
SUFFIX_FACTORS |= {letter: 10.0 ** (3 * k) for k, letter in enumerate("MGTPE", 2)}
SUFFIX_FACTORS |= {letter + "i": 1024.0**k for k, letter in enumerate("KMGTPE", 1)}


def kubernetes_names(paths: tuple[str, ...]) -> list[str]:
    """`Eng/dev` as `eng-dev` (RFC 1123, at most 253 characters).

    Raises `InputError` two paths become one name, or one becomes none.
    """
    names = []
    for path in paths:
        name = re.sub(r"[^a-z0-9.-]+", "-", path.replace("/", "-").lower()).strip("-.")
        if not name or len(name) > LONGEST_NAME:
            raise InputError(f"names: {path!r} makes no Kubernetes name of 1 to 253 characters")
        names.append(name)
    return need_distinct(paths, names)


def quantity(value: object, where: str) -> float:
    """Convert a Kubernetes quantity, `500m` or `4Gi`, to a number.

    Raises `InputError` if it is no quantity.
    """
    text = str(value) if isinstance(value, int | float) else value
    found = QUANTITY_PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or isinstance(value, bool):
        raise InputError(f"{where}: need a quantity such as 3, 500m or 4Gi, got {shown(value)}")
    number, exponent, suffix = found.groups()
    amount = float(f"{number}e{exponent or 0}") * SUFFIX_FACTORS.get(suffix or "", 1.0)
    if not isfinite(amount):
        raise InputError(f"{where}: too large: {shown(value)}")
    return amount


def read_documents(path: str | Path) -> list[dict[str, Any]]:
    """All objects of a YAML file, the items of lists one by one.

    Raises `InputError` the file is not YAML, or an object in it has no kind.
    """
    found: list[dict[str, Any]] = []
    for k, document in enumerate(load_documents(path)):
        if document is None:
            continue
        if not isinstance(document, dict):
            raise InputError(f"{path}: document {k}: need a mapping{_other(document)}")
        kind = document.get("kind")
        is_list = isinstance(kind, str) and kind.endswith("List") and document.get("items")
        found += parts(document, "items", f"{path}: document {k}") if is_list else [document]
    for k, document in enumerate(found):
        if not isinstance(document.get("kind"), str):
            raise InputError(f"{path}: object {k}: has no kind{format_hint(document)}")
    return found


def _other(document: object) -> str:
    return kind_hint(document + "\n", "kueue") if isinstance(document, str) else ""


def part(document: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """A mapping within an object, empty if it is absent.

    Raises `InputError` if the field is no mapping.
    """
    value = document.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{where}, {name}: need a mapping")
    return value


def parts(document: Mapping[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    """A list of mappings within an object, empty if it is absent.

    Raises `InputError` if the field is no list of mappings.
    """
    value = document.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InputError(f"{where}, {name}: need a list of mappings")
    return value


def word(document: Mapping[str, Any], name: str, where: str) -> str:
    """A string within an object, empty if it is absent.

    Raises `InputError` if the field is no string.
    """
    value = document.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}, {name}: need a string, got {shown(value)}")
    return value


def documents_text(documents: Sequence[Mapping[str, Any]]) -> str:
    """Objects as YAML documents in one text."""
    import yaml

    text: str = yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True)
    return text
