"""Slurm's accounts: what `sacctmgr dump` writes, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ....core.advice import kind_hint
from ....core.errors import InputError
from ....core.files.inputs import read_bytes
from ....core.notices import ImportNotes
from ....core.parameters import described, importer, parameter
from ....core.wording import listed, plural
from ..hierarchy import Hierarchy
from ..plain_tree import Sharing
from ..quotas import DOMINANT, TOTAL
from ..schedulers.amounts import MEBIBYTE, name_in
from ..schedulers.demands import Amounts, DemandOptions, Demands, SchedulerFile
from ..schedulers.first_shares import difference_to_dominant, full_limits
from ..schedulers.queue_tree import Queue, capped, hierarchy_of, usual_demand
from .tres import BILLING, PLAIN_LIMITS, billing_weights, in_billing, tres_amounts

SHARES_OF_PARENT = 2147483647
"""How Fairshare=parent is dumped."""
ENTITY_LINE = re.compile(r"(\w+)\s*-\s*'([^']*)'(.*)")
OPTION_NAME = r"(?i:(?:default)?qos|fairshare|shares|grp\w+|max\w+)|[A-Z][a-z]\w*"
ENTITY_OPTION = re.compile(rf":({OPTION_NAME})[+-]?=('[^']*'|.*?)(?=:(?:{OPTION_NAME})[+-]?=|:?$)")
"""An option with its value, which may hold a colon: `GrpTRES=gres/gpu:A100=4`."""
KINDS = ("Cluster", "Parent", "Account", "User", "QOS")
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass
class _Entity:
    line: int
    kind: str
    name: str
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SlurmOptions(DemandOptions):
    """What slurm.conf says of the shares."""

    billing: Amounts = field(
        default_factory=dict,
        metadata=described("TRESBillingWeights: share the one resource billing, cpu=1,mem=0.25G."),
    )
    max_tres: bool = parameter(
        False,
        "As with MAX_TRES in PriorityFlags: the greatest weighted amount counts.",
    )


@importer(SlurmOptions)
def read_slurm(path: SchedulerFile, options: SlurmOptions) -> tuple[Hierarchy, list[str]]:
    """The accounts and users of a `sacctmgr dump`, and in words what does not count here.

    A user is a leaf below the account, named in quotes by the user's name. Users whose share is
    their account's (`Fairshare=parent`) leave the account itself as the leaf. GrpTRES is a limit.
    Usage counts CPUs only, unless `billing` or `max_tres` says otherwise.

    Returns
    -------
    Hierarchy
        Accounts, users, shares, limits.
    list of str
        Notes, one sentence each.

    Raises
    ------
    InputError
        What `sacctmgr load` would refuse, with its line.
    """
    text = read_bytes(path).decode("utf-8", "replace")
    given = options.in_units(MEBIBYTE)
    weights = billing_weights(options.billing, given.capacity) if options.billing else {}
    accounts = _Accounts(
        str(path), {**given.capacity, **({BILLING: 0.0} if options.billing else {})}
    )
    for entity in _entities(text, path):
        accounts.add(entity)
    if not accounts.clusters:
        raise InputError(f"{path}: no Cluster line: not a sacctmgr dump{kind_hint(text, 'slurm')}")
    accounts.finish()
    notes = accounts.notes
    most = accounts.root.limit
    accounts.root.limit = {}
    given = capped(given, most, notes, "GrpTRES of the cluster")
    sharing = Sharing(TOTAL)
    if weights:
        given = in_billing(accounts.root, given, weights, notes, max_tres=options.max_tres)
    elif not options.max_tres:
        sharing = Sharing(TOTAL, _what_counts(given, notes))
    made = hierarchy_of(accounts.root, given, str(path), notes, sharing=sharing)
    if sharing.shares != DOMINANT:
        told = difference_to_dominant(made)
        notes.add(
            "Slurm's usage counts CPUs only, and so do these shares (--billing and --max-tres say "
            "otherwise)" + (f"; with --max-tres it would be {told}" if told else "")
        )
    if full := full_limits(made):
        notes.add(f"binding while all are busy: {listed(full)}")
    return replace(made, name=accounts.cluster, users=tuple(accounts.users)), notes.lines


def _what_counts(given: Demands, notes: ImportNotes) -> str:
    """The CPU, if that makes a difference to the dominant resource."""
    cpu = name_in(given.capacity, "cpu")
    if cpu is None or len(given.capacity) == 1:
        return DOMINANT
    every = [usual_demand(given), *given.by_leaf.values()]
    if any(not wanted.get(cpu) for wanted in every):
        notes.add(
            "shares are by dominant resource since some tasks need no CPU, of which alone Slurm's "
            "usage takes account without TRESBillingWeights"
        )
        return DOMINANT
    for wanted in every:
        part = {name: wanted.get(name, 0.0) / whole for name, whole in given.capacity.items()}
        if part[cpu] < max(part.values()) * (1 - 1e-12):
            return cpu
    return DOMINANT


class _Accounts:
    """The tree of accounts and users, as the lines of a dump add to it."""

    def __init__(self, file: str, capacity: Mapping[str, float]) -> None:
        self.file = file
        self.cluster = ""
        self.users: list[str] = []
        """Paths of the users, below the root."""
        self._capacity = capacity
        self.notes = ImportNotes()
        self.root = Queue("root", group=True)
        self.clusters = 0
        self._accounts = {"root": self.root}
        self._path = {"root": ""}
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
            self.cluster = entity.name
            self._limit(self.root, entity, where)
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
            self._add_user(entity, self._parent, shares, where)

    def _add_account(
        self, entity: _Entity, parent: Queue, shares: float | None, where: str
    ) -> None:
        if entity.name == "root" and parent is self.root:
            self._limit(self.root, entity, where)
            return
        if entity.name in self._accounts:
            raise InputError(f"{where}: account {entity.name!r} is defined twice")
        if shares is None:
            raise InputError(f"{where}: account {entity.name!r}: Fairshare=parent is no share")
        account = Queue(entity.name, shares)
        self._limit(account, entity, where)
        self._accounts[entity.name] = account
        self._path[entity.name] = f"{self._path[parent.name]}{entity.name}/"
        parent.children.append(account)

    def _add_user(self, entity: _Entity, parent: Queue, shares: float | None, where: str) -> None:
        if parent is self.root and shares is not None:
            self._users_of_root.append(entity.name)
            return
        name = entity.name
        if any(child.name == name for child in parent.children):
            if "Partition" not in entity.options:
                raise InputError(f"{where}: user {name!r} is defined twice in {parent.name!r}")
            name = f"{name}@{entity.options['Partition']}"
        self.users.append(f"{self._path[parent.name]}{name}")
        if shares is None:
            self._users_as_parent[parent.name] = self._users_as_parent.get(parent.name, 0) + 1
            parent.limits += [
                (f"{name} of user {entity.name}", amount) for name, amount in _limits(entity)
            ]
            return
        user = Queue(name, shares)
        self._limit(user, entity, where)
        parent.children.append(user)

    def _limit(self, queue: Queue, entity: _Entity, where: str) -> None:
        """GrpTRES of resources that the capacity has are limits, the rest stays in words."""
        for option, amounts in _limits(entity):
            tres = PLAIN_LIMITS.get(option.lower())
            if tres is not None or option.lower() == "grptres":
                text = f"{tres}={amounts}" if tres else amounts
                place = f"{where}: {entity.kind} {entity.name!r}, {option}"
                most, unknown = tres_amounts(text, place, self._capacity)
                queue.limit.update(most)
                amounts = ",".join(unknown)
            if amounts:
                queue.limits.append((option, amounts))

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
        if entity is None or entity.group(1) not in KINDS:
            raise InputError(
                f"{path}: line {number}: need Cluster, Parent, Account or User - 'name'"
                f"{kind_hint(text, 'slurm')}"
            )
        options = {key: value.strip("'") for key, value in ENTITY_OPTION.findall(entity.group(3))}
        if entity.group(1) != "QOS":
            found.append(_Entity(number, entity.group(1), entity.group(2), options))
    return found


def _limits(entity: _Entity) -> list[tuple[str, str]]:
    """Names and amounts of the limits of a cluster, account or user; -1 takes a limit away."""
    found = []
    for name, text in entity.options.items():
        if name.lower().startswith(("grp", "max")):
            parts = [part for part in text.split(",") if part and part.split("=")[-1] != "-1"]
            found += [(name, ",".join(parts))] if parts else []
    return found


def _shares(entity: _Entity, where: str) -> float | None:
    """The shares of an account or user; None if they are the parent's."""
    named = {name.lower(): text for name, text in entity.options.items()}
    text = named.get("fairshare", named.get("shares", "1"))
    if text.lower() == "parent" or text == str(SHARES_OF_PARENT):
        return None
    if not WHOLE_NUMBER.fullmatch(text):
        raise InputError(f"{where}: Fairshare: need a whole number or 'parent', got {text!r}")
    return float(text)
