"""The plan that a service begins with: that of a file, or one made for the datacenter in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.files.json_files import JsonFile
from ...instances.datacenter.datacenter_file import FORMAT, read_datacenter
from ...instances.datacenter.guidance_file import guidance_document, read_guidance
from ..running import running


def plan_given(path: Path) -> dict[str, Any]:
    """The guidance document. Raises `InputError`."""
    file = JsonFile.read(path)
    if not isinstance(file.document, dict) or file.document.get("format") != FORMAT:
        read_guidance(file)
        return file.document
    from ...solvers.datacenter.guide import NoRate, guide

    problem = read_datacenter(file)
    try:
        plan = guide(problem)
    except NoRate as no:
        raise InputError(f"{path}: {no}") from None
    tell(
        f"{problem.name} is a datacenter: planned for it, up to {plan.arrival_rate:.6g} jobs per "
        f"{problem.time_unit}; `slotwise guide` keeps such a plan in a file"
    )
    return guidance_document(plan)


def tell(note: str) -> None:
    """A note for people, before the service begins."""
    if not running().hidden:
        running().tell([note])
