"""YARN's Fair Scheduler: fair-scheduler.xml, written."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ....core.errors import InputError
from ..hierarchy import Hierarchy
from ..quotas import ABOVE
from ..schedulers.amounts import yarn_name
from ..schedulers.markup import xml_text
from ..schedulers.not_written import memory_alone, not_written, notes_of_yarn


def yarn_fair_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a fair-scheduler.xml; queues share by drf, or by fair if memory alone counts.

    YARN holds weights as 32-bit floats, and whole megabytes and vcores.

    Returns the file and notes for the operator. Raises `InputError` if a name has a `.`, or white
    space around it.
    """
    root, quotas = Element("allocations"), hierarchy.quotas
    policy = "fair" if memory_alone(hierarchy) else "drf"
    SubElement(root, "defaultQueueSchedulingPolicy").text = policy
    leaf = set(hierarchy.leaf.tolist())
    elements = [root]
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
        for what, tag in (("guarantee", "minResources"), ("limit", "maxResources")):
            amounts = hierarchy.quota_of(n).get(what, {}).items()
            if amounts:
                written = (f"{yarn_name(name)}={math.floor(amount)}" for name, amount in amounts)
                SubElement(queue, tag).text = ", ".join(written)
        elements.append(queue)
    notes = [
        "yarn.resourcemanager.scheduler.class must be the FairScheduler",
        "YARN gives minimums and fair shares back to their queues only with "
        "yarn.scheduler.fair.preemption = true in yarn-site.xml",
    ]
    if quotas is not None:
        notes += notes_of_yarn(hierarchy, np.stack([quotas.guarantee, quotas.limit]))
        if quotas.surplus == ABOVE and quotas.guarantee.any():
            notes.append(
                "YARN's weights divide everything and a minimum only lifts who would have less; "
                "here they divide what lies above the guarantees"
            )
        notes += not_written(hierarchy, ("reserve", "priority"))
    return xml_text(root), notes
