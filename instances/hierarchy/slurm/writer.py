"""Slurm's accounts: what `sacctmgr load` reads, written."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np

from ....core.wording import percent
from ..hierarchy import Hierarchy
from ..quotas import DOMINANT, EACH
from ..schedulers.not_written import not_written
from ..schedulers.queue_tree import check_distinct
from ..schedulers.weights import whole_weights
from .tres import BILLING, slurm_name

MOST_SHARES = 10_000


def slurm_accounts(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """A file for `sacctmgr load`: an account per group and leaf, with limits as GrpTRES.

    Accounts have one flat name space: a node whose name is not unique is called by its whole path.
    Users that were imported are written as users.

    Returns the file and notes for the operator. Raises `InputError` if two names collide.
    """
    paths = hierarchy.node_paths
    users = set(hierarchy.users)
    accounts = [n for n in range(1, hierarchy.nodes) if paths[n] not in users]
    lower = [name.lower() for name in hierarchy.names]
    taken = Counter(lower[n] for n in accounts)
    own = check_distinct(
        tuple(paths[n] for n in accounts),
        [
            lower[n] if taken[lower[n]] == 1 and lower[n] != "root" else _joined(paths[n])
            for n in accounts
        ],
    )
    names = [hierarchy.names[n] for n in range(hierarchy.nodes)]
    names[0] = "root"
    for n, name in zip(accounts, own, strict=True):
        names[n] = name
    rounded = whole_weights(hierarchy, MOST_SHARES)
    lines = [f"Cluster - '{_cluster(hierarchy)}':Fairshare=1"]
    children: list[list[int]] = [[] for _ in names]
    for n in range(1, hierarchy.nodes):
        children[hierarchy.parent[n]].append(n)
    sharing = _users_as_parent(hierarchy)
    for group, below in enumerate(children):
        extra = sharing.get(group, [])
        if below or extra:
            lines.append(f"Parent - '{names[group]}'")
        for n in below:
            if paths[n] in users:
                line = _user(names[n], paths[n].rpartition("/")[0], users)
                line += f":DefaultAccount='{names[group]}'"
            else:
                line = f"Account - '{names[n]}':Description='{paths[n]}':Organization='root'"
            lines.append(f"{line}:Fairshare={int(rounded.weight[n])}{_limit(hierarchy, n)}")
        lines += [
            f"User - '{user}':DefaultAccount='{names[group]}':Fairshare=parent" for user in extra
        ]
    return "\n".join([*lines, ""]), _notes(hierarchy, rounded.error)


def _user(name: str, account: str, users: set[str]) -> str:
    """`User - 'ann'`, and the partition of `ann@gpu` where there is `ann` too."""
    user, _, partition = name.partition("@")
    if partition and f"{account}/{user}" in users:
        return f"User - '{user}':Partition='{partition}'"
    return f"User - '{name}'"


def _users_as_parent(hierarchy: Hierarchy) -> dict[int, list[str]]:
    """Users that have no leaf of their own, by the number of their account."""
    found: dict[int, list[str]] = {}
    place = {path: n for n, path in enumerate(hierarchy.node_paths)}
    for path in hierarchy.users:
        account, _, user = path.rpartition("/")
        if path not in place and account in place:
            found.setdefault(place[account], []).append(user)
    return found


def _limit(hierarchy: Hierarchy, n: int) -> str:
    """`:GrpTRES='cpu=8,mem=4096'`; nothing without a limit."""
    limit = hierarchy.quota_of(n).get("limit", {})
    if not limit:
        return ""
    amounts = (f"{slurm_name(name)}={math.floor(amount)}" for name, amount in limit.items())
    return f":GrpTRES='{','.join(amounts)}'"


def _notes(hierarchy: Hierarchy, error: float) -> list[str]:
    notes = [f"whole shares change no leaf's share by more than {percent(error)}"]
    if not hierarchy.users:
        notes.append("users are to be added below the leaf accounts, with Fairshare=parent")
    notes += _what_counts(hierarchy)
    if hierarchy.quotas is not None:
        limits = hierarchy.quotas.limit[np.isfinite(hierarchy.quotas.limit)]
        if limits.size:
            notes.append(
                "Slurm keeps to GrpTRES only with AccountingStorageEnforce=limits in slurm.conf; "
                "it takes memory in MB"
            )
        if np.any(limits != np.floor(limits)):
            notes.append("amounts are rounded down to whole numbers")
    return notes + not_written(hierarchy, ("guarantee", "reserve", "priority"))


def _what_counts(hierarchy: Hierarchy) -> list[str]:
    """The lines of slurm.conf by which usage counts what the shares do."""
    shares = DOMINANT if hierarchy.quotas is None else hierarchy.quotas.shares
    resources = hierarchy.resources
    if len(resources) > 1 and shares in (DOMINANT, EACH):
        weights = (
            f"{slurm_name(name)}={1 / amount:.9g}"
            for name, amount in zip(resources, hierarchy.capacity.tolist(), strict=True)
        )
        notes = [
            "Slurm counts CPUs only, but with PriorityFlags=MAX_TRES and TRESBillingWeights="
            f'"{",".join(weights)}" for every partition in slurm.conf'
        ]
        if shares == EACH:
            notes.append("Slurm shares one number, here each resource is shared for itself")
        return notes
    counted = shares if shares in resources else resources[0]
    if slurm_name(counted) == "cpu":
        return []
    if counted == BILLING:
        return ["set the TRESBillingWeights that the billing is of, in slurm.conf"]
    return [
        f'Slurm counts CPUs only, but with TRESBillingWeights="{slurm_name(counted)}=1" for every '
        "partition in slurm.conf"
    ]


def _joined(path: str) -> str:
    return path.replace("/", "-").lower()


def _cluster(hierarchy: Hierarchy) -> str:
    return re.sub(r"[^a-z0-9_-]", "-", (hierarchy.name or "cluster").lower())
