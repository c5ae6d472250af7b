"""Slurm's trackable resources: amounts as its files spell them, and what a job is billed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ....core.errors import InputError
from ....core.files.quantities import QUANTITY_PATTERN
from ....core.notices import ImportNotes
from ....core.wording import listed
from ..schedulers.amounts import CPU_NAMES, GPU_NAMES, MEMORY_NAMES, NODE_NAMES, name_in
from ..schedulers.demands import Demands
from ..schedulers.queue_tree import Queue, check_known, usual_demand, walk

BILLING = "billing"
"""The one resource that billing weights make of all."""

SLURM_NAMES = (("cpu", CPU_NAMES), ("mem", MEMORY_NAMES), ("node", NODE_NAMES))
NUMBERS = {"1": "cpu", "2": "mem", "4": "node", "5": BILLING}
"""Trackable resources that dumps may call by their number."""

PLAIN_LIMITS = {
    "grpcpus": "cpu",
    "grpmem": "mem",
    "grpmemory": "mem",
    "grpnodes": "node",
}
"""How older dumps limit one resource, in lower case."""

DIFFERENT = 2
"""Tasks of a group that show that not all are billed alike."""

MEGABYTES = {"K": 1 / 1024, "M": 1.0, "": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}
AMOUNT = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTP]?)", re.IGNORECASE)


def tres_in(names: Mapping[str, float], resource: str) -> str | None:
    """The name of a trackable resource among those of the capacity, None if it is not there.

    `gres/gpu` may be called gpu there, and `license/matlab` matlab.
    """
    name = NUMBERS.get(resource, resource)
    known = name_in(names, name)
    if known is None and "/" in name:
        known = name_in(names, name.split("/", 1)[1])
    return known


def slurm_name(resource: str) -> str:
    """What Slurm calls a resource of the capacity."""
    for name, synonyms in SLURM_NAMES:
        if resource in synonyms:
            return name
    if resource in GPU_NAMES:
        return "gres/gpu"
    return resource if "/" in resource or resource == BILLING else f"gres/{resource}"


def tres_amounts(
    text: str, where: str, capacity: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    """Amounts by resource in the units of the capacity, and the entries that it does not have.

    `cpu=100,mem=400G,gres/gpu=8`; -1 takes a limit away. Raises `InputError` for other amounts.
    """
    found: dict[str, float] = {}
    unknown = []
    for part in text.split(","):
        entry = part.strip()
        name, equals, amount = (piece.strip() for piece in entry.rpartition("="))
        if not entry or amount == "-1":
            continue
        read = AMOUNT.fullmatch(amount)
        if not (equals and name and read):
            raise InputError(f"{where}: need amounts such as cpu=100,mem=400G, got {entry!r}")
        known = tres_in(capacity, name.lower())
        if known is None:
            unknown.append(entry)
        else:
            memory = known in MEMORY_NAMES
            unit = read[2].upper()
            found[known] = float(read[1]) * MEGABYTES[unit] / (1.0 if memory else MEGABYTES["M"])
            if unit and not memory:
                raise InputError(f"{where}: {entry!r}: only memory has units")
    return found, unknown


def billing_weights(
    weights: Mapping[str, float | str], capacity: Mapping[str, float]
) -> dict[str, float]:
    """TRESBillingWeights by the names of the capacity, per unit of it.

    `mem=0.25G` weighs a gigabyte, `mem=0.25` a megabyte, as in slurm.conf.
    Raises `InputError` for resources that the capacity does not have.
    """
    found = {}
    for resource, weight in weights.items():
        name = tres_in(capacity, resource.lower())
        if name is None:
            known = ", ".join(capacity)
            raise InputError(f"billing: unknown resource {resource!r}: capacity has {known}")
        if isinstance(weight, str):
            read = QUANTITY_PATTERN.fullmatch(weight.strip())
            unit = ((read[3] if read else None) or "").removesuffix("i").upper()
            if read is None or name not in MEMORY_NAMES or unit not in MEGABYTES:
                raise InputError(f"billing, {resource}: need a weight, got {weight!r}")
            weight = float(read[1]) / MEGABYTES[unit]
        found[name] = float(weight)
    if not any(found.values()):
        raise InputError("billing: need a weight above 0")
    return found


def billing(
    amounts: Mapping[str, float], weights: Mapping[str, float], *, max_tres: bool = False
) -> float:
    """What a job of these amounts is billed: the weighted sum.

    With `max_tres`, as by PriorityFlags=MAX_TRES, the greatest weighted amount, and all licences
    besides.
    """
    weighted = {name: weight * amounts.get(name, 0.0) for name, weight in weights.items()}
    if not max_tres:
        return sum(weighted.values())
    everywhere = {name for name in weighted if name.startswith("license")}
    local = (amount for name, amount in weighted.items() if name not in everywhere)
    return max(local, default=0.0) + sum(weighted[name] for name in everywhere)


def in_billing(
    root: Queue,
    given: Demands,
    weights: Mapping[str, float],
    notes: ImportNotes,
    *,
    max_tres: bool,
) -> Demands:
    """Capacity, demands and limits of queues in the one resource `billing`.

    A limit of another resource becomes one of billing where all tasks below it are billed alike;
    else it stays in words. Raises `InputError` for tasks that are billed nothing.
    """

    def bill(amounts: Mapping[str, float]) -> float:
        return billing(amounts, weights, max_tres=max_tres)

    usual = usual_demand(given)
    whole = bill(given.capacity)
    if not whole > 0:
        raise InputError("billing: the capacity is billed nothing")
    rows = list(walk(root))
    used: list[list[dict[str, float]]] = [[] for _ in rows]
    overfull = []
    for place in range(len(rows) - 1, 0, -1):
        queue, parent, path = rows[place]
        if queue.is_leaf:
            wanted = given.by_leaf.get(path, usual)
            check_known(wanted, path, given)
            billed = bill(wanted)
            if not billed > 0:
                raise InputError(f"{given.source}: {path!r}: its tasks are billed nothing")
            used[place] = [{name: amount / billed for name, amount in wanted.items() if amount}]
            for name, amount in used[place][0].items():
                if amount * whole > given.capacity.get(name, 0.0) * (1 + 1e-9):
                    overfull.append(f"{path} ({name})")
        _limit_in_billing(queue, used[place])
        for one in used[place]:
            if len(used[parent]) < DIFFERENT and not _among(one, used[parent]):
                used[parent].append(one)
    if overfull:
        notes.add(
            "billing alone is shared: alone in the cluster their tasks fill a resource before they "
            f"are billed for all of it: {listed(overfull[::-1])}"
        )
    return replace(
        given,
        capacity={BILLING: whole},
        demand={BILLING: bill(usual)},
        by_leaf={path: {BILLING: bill(wanted)} for path, wanted in given.by_leaf.items()},
    )


def _limit_in_billing(queue: Queue, used: list[dict[str, float]]) -> None:
    """Turn the limits of a queue into one of billing; `used`: amounts per billing of its tasks."""
    most = [queue.limit[BILLING]] if BILLING in queue.limit else []
    for name, amount in queue.limit.items():
        if name == BILLING:
            continue
        if len(used) == 1:
            most += [amount / used[0][name]] if used[0].get(name) else []
        else:
            queue.limits.append(("GrpTRES", f"{slurm_name(name)}={amount:g}"))
    queue.limit = {BILLING: min(most)} if most else {}


def _among(one: Mapping[str, float], others: list[dict[str, float]]) -> bool:
    return any(
        one.keys() == other.keys() and all(abs(one[n] - other[n]) <= 1e-12 * one[n] for n in one)
        for other in others
    )
