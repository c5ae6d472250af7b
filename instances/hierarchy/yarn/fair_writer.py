"""YARN's Fair Scheduler: fair-scheduler.xml, written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from ....core.errors import InputError
from ..hierarchy import Hierarchy
from ..quotas import ABOVE, DOMINANT, EACH
from ..schedulers.amounts import MEMORY_NAMES, yarn_name
from ..schedulers.markup import xml_text
from ..schedulers.not_written import not_written


def yarn_fair_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a fair-scheduler.xml; queues share by drf, or by fair if memory alone counts.

    YARN holds weights as 32-bit floats, and whole megabytes and vcores.

    Returns the file and notes for the operator. Raises `InputError` if a name has a `.`, or white
    space around it.
    """
    root = Element("allocations")
    quotas = hierarchy.quotas
    memory = quotas is not None and quotas.shares in MEMORY_NAMES
    SubElement(root, "defaultQueueSchedulingPolicy").text = "fair" if memory else "drf"
    leaf = set(hierarchy.leaf.tolist())
    elements = [root]
    rounded = False
    for n in range(1, hierarchy.nodes):
        name = hierarchy.names[n]
        if "." in name or name != name.strip():
            raise InputError(
                f"node {hierarchy.path(n)!r}: YARN queue names hold no '.' and no outer white space"
            )
        queue = SubElement(elements[hierarchy.parent[n]], "queue", {"name": name})
        if n not in leaf:
            queue.set("type", "parent")
        SubElement(queue, "weight").text = repr(float(hierarchy.weight[n]))
        quota: Mapping[str, Any] = hierarchy.quota_of(n)
        for what, tag in (("guarantee", "minResources"), ("limit", "maxResources")):
            if what in quota:
                SubElement(queue, tag).text = _resources(quota[what])
                rounded |= any(amount != math.floor(amount) for amount in quota[what].values())
        elements.append(queue)
    notes = [
        "yarn.resourcemanager.scheduler.class must be the FairScheduler",
        "YARN gives minimums and fair shares back to their queues only with "
        "yarn.scheduler.fair.preemption = true in yarn-site.xml",
    ]
    if quotas is not None:
        if quotas.shares != DOMINANT and not memory and len(hierarchy.resources) > 1:
            what = "each resource for itself" if quotas.shares == EACH else quotas.shares
            notes.append(f"YARN shares the dominant resource, or memory alone; here it is {what}")
        notes.append("amounts are numbers in the units of the hierarchy: YARN takes memory in MB")
        if rounded:
            notes.append("amounts are rounded down to whole numbers")
        if quotas.surplus == ABOVE and quotas.guarantee.any():
            notes.append(
                "YARN's weights divide everything and a minimum only lifts who would have less; "
                "here they divide what lies above the guarantees"
            )
        notes += not_written(hierarchy, ("reserve", "priority"))
    return xml_text(root), notes


def _resources(amounts: Mapping[str, float]) -> str:
    """`memory-mb=4096, vcores=4`."""
    return ", ".join(f"{yarn_name(name)}={math.floor(amount)}" for name, amount in amounts.items())
