"""The `security` and `outages` parts of `slotwise/mapreduce/1`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.errors import InputError
from ...core.files.json_files import Strict
from .instance import Instance
from .security import Outages, Security

Positive = Annotated[float, Field(gt=0)]
Digits = Annotated[str, Field(pattern="^[01]*$")]


class SecurityDocument(Strict):
    """Levels per node and map slot; priorities per job and map task, one digit per map slot."""

    transfer_rate: Positive = 100.0
    encryption_rate: Positive = 50.0
    levels: list[list[Literal[-1, 0, 1]]]
    priorities: list[list[Digits]]


class OutageDocument(Strict):
    """A lost node, or one lost slot of it."""

    node: str
    phase: Literal["map", "reduce"] | None = None
    slot: Annotated[int, Field(ge=0)] | None = None


def read_security(instance: Instance, document: SecurityDocument) -> Security:
    """Make the security part from its document.

    Raises `InputError` if a row has the wrong length; the message names node, or job and map task.
    """
    cluster = instance.cluster
    slots = len(cluster.map_slot_node)
    _check_rows("levels", "nodes", document.levels, cluster.nodes)
    for name, row in zip(cluster.node_names, document.levels, strict=True):
        _check_slots(f"security, levels, node {name!r}", row, slots)
    _check_rows("priorities", "jobs", document.priorities, instance.jobs)
    for i, tasks in enumerate(document.priorities):
        if len(tasks) != instance.maps_of[i]:
            raise InputError(
                f"security, priorities, job {instance.job_names[i]!r}: "
                f"need {instance.maps_of[i]} map tasks, got {len(tasks)}"
            )
        for t, digits in enumerate(tasks):
            _check_slots(
                f"security, priorities, job {instance.job_names[i]!r}, map task {t}", digits, slots
            )
    bits = "".join(chain.from_iterable(document.priorities)).encode()
    return Security(
        priorities=(np.frombuffer(bits, dtype=np.uint8) == ord("1")).reshape(
            instance.map_tasks, slots
        ),
        levels=np.array(document.levels, dtype=np.int8).reshape(cluster.nodes, slots),
        transfer_rate=document.transfer_rate,
        encryption_rate=document.encryption_rate,
    )


def security_document(instance: Instance, security: Security) -> dict[str, Any]:
    """The `security` part of an instance's document."""
    rows = [row.tobytes().decode() for row in security.priorities.astype(np.uint8) + ord("0")]
    return {
        "transfer_rate": security.transfer_rate,
        "encryption_rate": security.encryption_rate,
        "levels": security.levels.tolist(),
        "priorities": [
            rows[instance.map_offsets[i] : instance.map_offsets[i + 1]]
            for i in range(instance.jobs)
        ],
    }


def read_outages(instance: Instance, documents: Sequence[OutageDocument]) -> Outages:
    """Make the outages from their documents.

    Raises `InputError` for an unknown node or slot.
    """
    cluster = instance.cluster
    slot_node = {phase.name: phase.slot_node for phase in instance.phases}
    lost = {phase: np.zeros(len(slots), dtype=bool) for phase, slots in slot_node.items()}
    for k, outage in enumerate(documents):
        if outage.node not in cluster.node_index:
            raise InputError(f"outages, entry {k}: unknown node {outage.node!r}")
        if outage.slot is not None and outage.phase is None:
            raise InputError(f"outages, entry {k}: a slot needs a phase, map or reduce")
        for phase in (outage.phase,) if outage.phase else ("map", "reduce"):
            slots = np.flatnonzero(slot_node[phase] == cluster.node_index[outage.node])
            if outage.slot is not None:
                if outage.slot >= len(slots):
                    raise InputError(
                        f"outages, entry {k}: node {outage.node!r} has {len(slots)} {phase} slots"
                    )
                slots = slots[outage.slot : outage.slot + 1]
            lost[phase][slots] = True
    return Outages(**lost)


def outage_documents(instance: Instance, outages: Outages) -> list[dict[str, Any]]:
    """The `outages` part of an instance's document: whole nodes, or single slots."""
    cluster = instance.cluster
    documents: list[dict[str, Any]] = []
    for node, name in enumerate(cluster.node_names):
        maps = outages.map[cluster.map_slot_node == node]
        reduces = outages.reduce[cluster.reduce_slot_node == node]
        if maps.all() and reduces.all() and maps.size + reduces.size:
            documents.append({"node": name})
            continue
        documents += [
            {"node": name, "phase": phase, "slot": int(slot)}
            for phase, lost in (("map", maps), ("reduce", reduces))
            for slot in np.flatnonzero(lost)
        ]
    return documents


def _check_rows(what: str, of: str, rows: Sequence[Any], count: int) -> None:
    if len(rows) != count:
        raise InputError(f"security, {what}: need {count} {of}, got {len(rows)}")


def _check_slots(where: str, row: Sequence[Any], slots: int) -> None:
    if len(row) != slots:
        raise InputError(f"{where}: need {slots} map slots, got {len(row)}")
