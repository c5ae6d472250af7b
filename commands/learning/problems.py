"""The problem that a formulation is explained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.registry import Entry

if TYPE_CHECKING:
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.mapreduce.instance import Instance


def problem_of(entry: Entry, path: Path) -> Instance | Datacenter | Hierarchy:
    """The instance, of the kind that the model is for."""
    if entry.takes == "mapreduce":
        from ...instances.mapreduce.instance_file import read_instance

        return read_instance(path)
    if entry.takes == "datacenter":
        from ...instances.datacenter.datacenter_file import read_datacenter

        return read_datacenter(path)
    from ...instances.hierarchy.hierarchy_file import read_hierarchy

    return read_hierarchy(path)
