"""Kubernetes manifests: several YAML documents in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....core.advice import format_hint, kind_hint
from ....core.errors import InputError
from ....core.files.json_files import shown
from ..schedulers.markup import load_documents


def read_documents(path: str | Path) -> list[dict[str, Any]]:
    """All objects of a YAML file, the items of lists one by one.

    Raises `InputError` the file is not YAML, or an object in it has no kind.
    """
    documents: list[dict[str, Any]] = []
    for k, document in enumerate(load_documents(path)):
        if document is None:
            continue
        if not isinstance(document, dict):
            hint = kind_hint(document + "\n", "kueue") if isinstance(document, str) else ""
            raise InputError(f"{path}: document {k}: need a mapping{hint}")
        kind = document.get("kind")
        is_list = isinstance(kind, str) and kind.endswith("List") and document.get("items")
        documents += parts(document, "items", f"{path}: document {k}") if is_list else [document]
    for k, document in enumerate(documents):
        if not isinstance(document.get("kind"), str):
            if "apiVersion" in document or {"spec", "resourceGroups"} & document.keys():
                raise InputError(
                    f"{path}: object {k}: has no kind: a fragment of a manifest; give the whole "
                    "object with apiVersion, kind, metadata and spec"
                )
            raise InputError(f"{path}: object {k}: has no kind{format_hint(document)}")
    return documents


def read_manifests(paths: str | Path | Sequence[str | Path]) -> list[dict[str, Any]]:
    """All objects of files, and of the .yaml and .yml files of folders, sorted.

    In a folder there may be files of other things, whose documents have no kind.
    Raises `InputError` as `read_documents` does, and for a folder without such files.
    """
    found: list[dict[str, Any]] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        if not Path(path).is_dir():
            found += read_documents(path)
            continue
        files = sorted(file for file in Path(path).iterdir() if file.suffix in (".yaml", ".yml"))
        if not files:
            raise InputError(f"{path}: no .yaml or .yml file in this folder")
        for file in files:
            documents = [each for each in load_documents(file) if isinstance(each, dict)]
            if any(isinstance(each.get("kind"), str) for each in documents):
                found += read_documents(file)
    return found


def part(document: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """Empty if it is absent. Raises `InputError` if the field is no mapping."""
    value = document.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{where}, {name}: need a mapping")
    return value


def parts(document: Mapping[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    """Empty if it is absent. Raises `InputError` if the field is no list of mappings."""
    value = document.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InputError(f"{where}, {name}: need a list of mappings")
    return value


def word(document: Mapping[str, Any], name: str, where: str) -> str:
    """Empty if it is absent. Raises `InputError` if the field is no string."""
    value = document.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}, {name}: need a string, got {shown(value)}")
    return value
