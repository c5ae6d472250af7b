"""Slurm's accounts: what `sacctmgr dump` writes and `sacctmgr load` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ....core.advice import kind_hint
from ....core.errors import InputError
from ....core.files.inputs import read_bytes
from ....core.notices import ImportNotes
from ....core.parameters import importer
from ....core.wording import listed, percent, plural
from ..hierarchy import Hierarchy
from .amounts import MEBIBYTE
from .demands import DemandOptions, SchedulerFile
from .not_written import QUOTAS, not_written
from .queue_tree import Queue, check_distinct, hierarchy_of
from .weights import whole_weights

SHARES_OF_PARENT = 2147483647
"""How Fairshare=parent is dumped."""
MOST_SHARES = 10_000
ENTITY_LINE = re.compile(r"(\w+)\s*-\s*'([^']*)'(.*)")
ENTITY_OPTION = re.compile(r":(\w+)=('[^']*'|[^:]*)")
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass
class _Entity:
    line: int
    kind: str
    name: str
    options: dict[str, str] = field(default_factory=dict)


@importer(DemandOptions)
def read_slurm(path: SchedulerFile, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The accounts and users of a `sacctmgr dump`, and in words what does not count here.

    A user is a leaf below the account, named in quotes by the user's name. Users whose share is
    their account's (`Fairshare=parent`) leave the account itself as the leaf.

    Returns
    -------
    Hierarchy
        Accounts and users.
    list of str
        Notes, one sentence each.

    Raises
    ------
    InputError
        What `sacctmgr load` would refuse, with its line, and shares of 0.
    """
    text = read_bytes(path).decode("utf-8", "replace")
    accounts = _Accounts(str(path))
    for entity in _entities(text, path):
        accounts.add(entity)
    if not accounts.clusters:
        raise InputError(f"{path}: no Cluster line: not a sacctmgr dump{kind_hint(text, 'slurm')}")
    accounts.finish()
    return hierarchy_of(
        accounts.root, options.in_units(MEBIBYTE), str(path), accounts.notes
    ), accounts.notes.lines


class _Accounts:
    """The tree of accounts and users, as the lines of a dump add to it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.notes = ImportNotes()
        self.root = Queue("root", group=True)
        self.clusters = 0
        self._accounts = {"root": self.root}
        self._parent: Queue | None = None
        self._users_as_parent: dict[str, int] = {}
        self._users_of_root: list[str] = []

    def add(self, entity: _Entity) -> None:
        """Take in a line. Raises `InputError` naming it."""
        where = f"{self.file}: line {entity.line}"
        if entity.kind == "Cluster":
            self.clusters += 1
            if self.clusters > 1:
                raise InputError(f"{where}: a second cluster; one file holds one")
            self.root.limits += _limits(entity)
            return
        if entity.kind == "Parent":
            if entity.name not in self._accounts:
                raise InputError(
                    f"{where}: parent {entity.name!r} is not defined before it is used"
                )
            self._parent = self._accounts[entity.name]
            return
        if self._parent is None:
            raise InputError(f"{where}: {entity.kind} {entity.name!r} before any Parent line")
        if entity.name != entity.name.lower() or not entity.name:
            raise InputError(f"{where}: {entity.kind} name {entity.name!r} must be lower case")
        shares = _shares(entity, where)
        if entity.kind == "Account":
            self._add_account(entity, self._parent, shares, where)
        else:
            self._add_user(entity, self._parent, shares)

    def _add_account(
        self, entity: _Entity, parent: Queue, shares: float | None, where: str
    ) -> None:
        if entity.name in self._accounts:
            raise InputError(f"{where}: account {entity.name!r} is defined twice")
        if shares is None:
            raise InputError(f"{where}: account {entity.name!r}: Fairshare=parent is no share")
        account = Queue(entity.name, shares, limits=_limits(entity))
        self._accounts[entity.name] = account
        parent.children.append(account)

    def _add_user(self, entity: _Entity, parent: Queue, shares: float | None) -> None:
        if shares is None:
            self._users_as_parent[parent.name] = self._users_as_parent.get(parent.name, 0) + 1
            parent.limits += [
                (f"{name} of user {entity.name}", amount) for name, amount in _limits(entity)
            ]
        elif parent is self.root:
            self._users_of_root.append(entity.name)
        else:
            parent.children.append(Queue(entity.name, shares, limits=_limits(entity)))

    def finish(self) -> None:
        """Check the whole and add the notes. Raises `InputError` naming an account."""
        for name in self._users_as_parent:
            if self._accounts[name].children:
                raise InputError(
                    f"{self.file}: account {name!r}: some users have Fairshare=parent beside "
                    "others with shares of their own"
                )
        if self._users_as_parent:
            users = plural(sum(self._users_as_parent.values()), "user")
            self.notes.add(f"{users} with Fairshare=parent: their accounts are the leaves")
        if self._users_of_root:
            names = listed(self._users_of_root)
            self.notes.add(f"users of the root account are left out with their shares: {names}")
        self.notes.add(
            "Slurm's limits by QOS and partition are in no dump, so they are not in the shares "
            "either"
        )
        self.notes.add("Slurm ranks by decayed usage; the shares here are those of a steady state")


def _entities(text: str, path: str | Path) -> list[_Entity]:
    found = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        entity = ENTITY_LINE.fullmatch(line)
        if entity is None or entity.group(1) not in ("Cluster", "Parent", "Account", "User"):
            raise InputError(
                f"{path}: line {number}: need Cluster, Parent, Account or User - 'name'"
                f"{kind_hint(text, 'slurm')}"
            )
        options = {key: value.strip("'") for key, value in ENTITY_OPTION.findall(entity.group(3))}
        found.append(_Entity(number, entity.group(1), entity.group(2), options))
    return found


def _limits(entity: _Entity) -> list[tuple[str, str]]:
    """Names and amounts of the limits of a cluster, account or user; -1 takes a limit away."""
    found = []
    for name, text in entity.options.items():
        if name.startswith(("Grp", "Max")):
            parts = [part for part in text.split(",") if part and part.split("=")[-1] != "-1"]
            found += [(name, ",".join(parts))] if parts else []
    return found


def _shares(entity: _Entity, where: str) -> float | None:
    """The shares of an account or user; None if they are the parent's."""
    text = entity.options.get("Fairshare", entity.options.get("Shares", "1"))
    if text == "parent" or text == str(SHARES_OF_PARENT):
        return None
    if not WHOLE_NUMBER.fullmatch(text):
        raise InputError(f"{where}: Fairshare: need a whole number or 'parent', got {text!r}")
    if int(text) == 0:
        raise InputError(f"{where}: Fairshare=0 (served last) has no share to compute")
    return float(text)


def slurm_accounts(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """A file for `sacctmgr load`: an account per group and leaf.

    Accounts have one flat name space: a node whose name is not unique is called by its whole path.

    Parameters
    ----------
    hierarchy
        Queues and weights.

    Returns
    -------
    str
        The file.
    list of str
        Notes for the operator, one sentence each.

    Raises
    ------
    InputError
        Two names collide.
    """
    paths = hierarchy.node_paths
    lower = [name.lower() for name in hierarchy.names]
    names = [
        lower[n] if lower.count(lower[n]) == 1 and lower[n] != "root" else _joined(paths[n])
        for n in range(1, hierarchy.nodes)
    ]
    names = ["root", *check_distinct(paths[1:], names)]
    rounded = whole_weights(hierarchy, MOST_SHARES)
    lines = [f"Cluster - '{_cluster(hierarchy)}':Fairshare=1"]
    children: list[list[int]] = [[] for _ in names]
    for n in range(1, hierarchy.nodes):
        children[hierarchy.parent[n]].append(n)
    for group, below in enumerate(children):
        if below:
            lines.append(f"Parent - '{names[group]}'")
        lines += [
            f"Account - '{names[n]}':Description='{paths[n]}':Organization='{names[0]}'"
            f":Fairshare={int(rounded.weight[n])}"
            for n in below
        ]
    return "\n".join([*lines, ""]), [
        f"whole shares change no leaf's share by more than {percent(rounded.error)}",
        "users are to be added below the leaf accounts, with Fairshare=parent",
        *not_written(hierarchy, QUOTAS),
    ]


def _joined(path: str) -> str:
    return path.replace("/", "-").lower()


def _cluster(hierarchy: Hierarchy) -> str:
    return re.sub(r"[^a-z0-9_-]", "-", (hierarchy.name or "cluster").lower())
