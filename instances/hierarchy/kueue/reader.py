"""Kueue: Cohorts, ClusterQueues and LocalQueues, read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from ....core.calls import taking
from ....core.errors import InputError
from ....core.files.json_files import shown
from ....core.parameters import described, parameter
from ....core.wording import listed
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..nodes import walk
from ..quotas import ABOVE
from ..schedulers.amounts import name_in, quantity
from ..schedulers.demands import DemandOptions, Demands
from ..schedulers.queue_tree import Queue, hierarchy_of
from .manifests import part, read_manifests, word
from .quota import KueueQuota, read_quota

LEAST_WEIGHT = 1e-9
"""Kueue takes weights up to this for 0."""

KINDS = ("Cohort", "ClusterQueue", "LocalQueue")


@dataclass(frozen=True)
class KueueOptions(DemandOptions):
    """What is read of Kueue's manifests."""

    tree: str = parameter("", "The tree to read, of several that share nothing.")
    flavor: str = parameter("", "Read the quotas of one flavor; by default their sum.")


@taking(KueueOptions)
def read_kueue(
    path: Annotated[
        str | Path | Sequence[str | Path],
        described("The scheduler's files, or folders of them.", metavar="FILE…"),
    ],
    options: KueueOptions,
) -> tuple[Hierarchy | list[Hierarchy], list[str]]:
    """The trees of Cohorts and ClusterQueues of files, and of all .yaml and .yml files of folders.

    The capacity of a tree is the sum of its nominal quotas, unless it is given. A queue is
    guaranteed its quota and the quotas below it, and lends what it does not use up to its
    lendingLimit; it holds at most its borrowingLimit more. A cohort that is named but not defined
    has weight 1. A ClusterQueue without cohort is a tree of its own.

    Returns
    -------
    Hierarchy or list of Hierarchy
        Queues, weights, quotas, demands; a list if there are several trees.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        A cycle, no such tree or flavor, or resources that do not match `coveredResources`.
    """
    documents, source = read_manifests(path), _source(path)
    reader = _ManifestReader(source, options)
    skipped: Counter[str] = Counter()
    for document in documents:
        if document["kind"] in KINDS:
            reader.add(document)
        else:
            skipped[document["kind"]] += 1
    notes = reader.notes
    if skipped:
        notes.add(f"skipped: {listed(f'{count} {kind}' for kind, count in skipped.items())}")
    roots = reader.trees()
    given = options.in_units()
    made, without_quota = [], []
    for root in roots:
        usable = reader.quota_below(root) or (given.capacity and id(root) not in reader.alone)
        if len(roots) > 1 and not (usable and leaves_below(root)):
            without_quota.append(root.name)
        else:
            made.append(reader.hierarchy(root, given))
    if without_quota:
        notes.add(f"in no cohort, or without a quota in it, left out: {listed(without_quota)}")
    if not made:
        raise InputError(f"{source}: no nominalQuota anywhere, so the capacity must be given")
    reader.tell()
    return made[0] if len(made) == 1 else made, notes.lines


def _source(paths: str | Path | Sequence[str | Path]) -> str:
    """What messages call one file, or several."""
    if isinstance(paths, str | Path):
        return str(paths)
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


class _ManifestReader:
    def __init__(self, file: str, options: KueueOptions) -> None:
        self.file = file
        self.options = options
        self.notes = ImportNotes()
        self.nodes: dict[tuple[str, str], Queue] = {}
        self.above: dict[tuple[str, str], str] = {}
        self.own: dict[int, KueueQuota] = {}
        self.alone: set[int] = set()
        self.locals: list[tuple[str, str, Queue]] = []
        self.never_reclaims: list[str] = []
        self.by_usage: list[str] = []
        self.flavors: set[str] = set()

    def add(self, document: Mapping[str, Any]) -> None:
        kind = document["kind"]
        metadata = part(document, "metadata", self.file)
        name = word(metadata, "name", f"{self.file}: {kind}, metadata")
        if not name:
            raise InputError(f"{self.file}: a {kind} without a name")
        where = f"{self.file}: {kind} {name!r}"
        spec = part(document, "spec", where)
        if kind == "LocalQueue":
            space = word(metadata, "namespace", where) or "default"
            queue = Queue(name, self._weight(spec, where))
            self.locals.append((word(spec, "clusterQueue", where), space, queue))
            return
        if (kind, name) in self.nodes:
            raise InputError(f"{where}: defined twice")
        queue = Queue(name, self._weight(spec, where), children=[] if kind == "Cohort" else None)
        self.nodes[kind, name] = queue
        names = ("parentName", "parent") if kind == "Cohort" else ("cohortName", "cohort")
        above = word(spec, names[0], where) or word(spec, names[1], where)
        if above:
            self.above[kind, name] = above
        if kind == "ClusterQueue":
            reclaim = part(spec, "preemption", where).get("reclaimWithinCohort", "Never")
            if above and reclaim == "Never":
                self.never_reclaims.append(name)
            if part(spec, "admissionScope", where):
                self.by_usage.append(name)
        if spec.get("stopPolicy", "None") != "None":
            policy = spec["stopPolicy"]
            queue.limits.append(
                ("stopPolicy", policy if isinstance(policy, str) else shown(policy))
            )
        own = read_quota(spec, where, self.options.flavor)
        self.flavors |= own.flavors
        self.own[id(queue)] = own
        if kind == "ClusterQueue":
            queue.needs = frozenset(own.covered)

    def _weight(self, spec: Mapping[str, Any], where: str) -> float:
        sharing = part(spec, "fairSharing", where)
        weight = quantity(sharing.get("weight", 1), f"{where}, fairSharing, weight")
        return weight if weight > LEAST_WEIGHT else 0.0

    def trees(self) -> list[Queue]:
        """The roots, the largest tree first, or the one that is wanted."""
        for above in list(self.above.values()):
            self.nodes.setdefault(("Cohort", above), Queue(above, children=[]))
        for key in self.above:
            seen, step = {key}, key
            while step in self.above:
                step = ("Cohort", self.above[step])
                if step in seen:
                    raise InputError(f"{self.file}: cohort {step[1]!r} is its own ancestor")
                seen.add(step)
        for key, above in self.above.items():
            _add(self.nodes["Cohort", above], self.nodes[key])
        roots = []
        for key, queue in self.nodes.items():
            if key in self.above:
                continue
            if key[0] == "ClusterQueue":
                queue = Queue(queue.name, children=[queue])
                self.alone.add(id(queue))
            roots.append(queue)
        if not roots:
            raise InputError(f"{self.file}: no Cohort and no ClusterQueue, so no queue in it")
        roots.sort(key=lambda root: (-leaves_below(root), root.name))
        if self.options.flavor and self.options.flavor not in self.flavors:
            known = listed(sorted(self.flavors))
            raise InputError(f"{self.file}: no flavor {self.options.flavor!r}: there is {known}")
        self._add_local_queues()
        wanted = self.options.tree
        if not wanted:
            return roots
        chosen = [root for root in roots if root.name == wanted]
        if not chosen:
            known = listed([root.name for root in roots])
            raise InputError(f"{self.file}: no tree {wanted!r}: there is {known}")
        return chosen[:1]

    def _add_local_queues(self) -> None:
        added = False
        for cluster_queue, space, queue in self.locals:
            if cluster_queue not in self.by_usage:
                continue
            above = self.nodes.get(("ClusterQueue", cluster_queue))
            if above is None:
                self.notes.add(f"LocalQueue {queue.name} of no ClusterQueue here, left out")
                continue
            if any(other.name == queue.name for other in above.children or ()):
                queue.name = f"{space}-{queue.name}"
            queue.needs = above.needs
            _add(above, queue)
            added = True
        if added:
            self.notes.add(
                "LocalQueues share what their ClusterQueue has by decayed usage and at admission "
                "only; the shares here are those of a steady state"
            )

    def quota_below(self, root: Queue) -> dict[str, float]:
        """The nominal quotas of a subtree by resource, without those of 0."""
        total: dict[str, float] = {}
        stack = [root]
        while stack:
            queue = stack.pop()
            stack += queue.children or ()
            own = self.own.get(id(queue))
            for name, amount in own.nominal.items() if own else ():
                total[name] = total.get(name, 0.0) + amount
        return {name: amount for name, amount in total.items() if amount > 0}

    def hierarchy(self, root: Queue, given: Demands) -> Hierarchy:
        """A tree with its quotas."""
        capacity = given.capacity or self.quota_below(root)
        if not capacity and leaves_below(root):
            raise InputError(
                f"{self.file}: no nominalQuota anywhere, so the capacity must be given"
            )
        capacity = capacity or {"cpu": 1.0}
        order = [root]
        for queue in order:
            order += queue.children or ()
        total: dict[int, dict[str, float]] = {}
        for queue in reversed(order):
            sums = dict(self.own.get(id(queue), KueueQuota()).nominal)
            for child in queue.children or ():
                for name, amount in total[id(child)].items():
                    sums[name] = sums.get(name, 0.0) + amount
            total[id(queue)] = sums
            if queue is not root:
                self._set_quota(queue, sums, capacity)
        if id(root) in self.alone:
            for queue in root.children or ():
                queue.limit, queue.reserve = {n: queue.guarantee.get(n, 0.0) for n in capacity}, {}
        for queue in order:
            if queue.needs is not None:
                queue.needs = frozenset(name_in(capacity, name) or "" for name in queue.needs)
                queue.limit = {**queue.limit} | {
                    name: 0.0 for name in capacity if name not in queue.needs
                }
        demands = replace(given, capacity=capacity)
        return hierarchy_of(root, demands, self.file, self.notes, ABOVE)

    def _set_quota(
        self, queue: Queue, amounts: Mapping[str, float], capacity: Mapping[str, float]
    ) -> None:
        """Nominal amounts as guarantee, with what may be borrowed and what is not lent."""
        own = self.own.get(id(queue), KueueQuota())
        queue.guarantee, queue.limit, queue.reserve = guarantee, limit, reserve = {}, {}, {}
        for name, amount in amounts.items():
            here = name_in(capacity, name)
            if here is None:
                if amount:
                    queue.limits.append((f"nominalQuota of {name}", f"{amount:g}"))
                continue
            if amount:
                guarantee[here] = amount
            if name in own.borrowing:
                limit[here] = amount + own.borrowing[name]
            kept = amount - own.lending.get(name, amount)
            if name in own.lending and kept > 0:
                reserve[here] = kept

    def tell(self) -> None:
        """Say what Kueue does otherwise."""
        several = [queue for queue in self.own.values() if len(queue.flavors) > 1]
        if len(self.flavors) > 1 and not self.options.flavor:
            self.notes.add(
                f"{len(self.flavors)} flavors are added up; Kueue lends each of them by itself: "
                "--flavor reads one"
            )
            lacks = [
                f"{queue.name} ({', '.join(sorted(self.flavors - self.own[id(queue)].flavors))})"
                for (kind, _), queue in self.nodes.items()
                if kind == "ClusterQueue"
                and several
                and self.own[id(queue)].flavors
                and self.flavors - self.own[id(queue)].flavors
            ]
            if lacks:
                self.notes.add(f"cannot use these flavors at all: {listed(lacks)}")
        self.notes.add("Kueue divides by weights only with fairSharing in its own configuration")
        if self.never_reclaims:
            self.notes.add(
                "without preemption.reclaimWithinCohort: Any only admission is fair: "
                f"{listed(self.never_reclaims)}"
            )
        if any(kind == "Cohort" for kind, _ in self.nodes):
            self.notes.add("a cohort may have members in files that were not given")


def _add(group: Queue, queue: Queue) -> None:
    group.children = [*(group.children or ()), queue]


def leaves_below(root: Queue) -> int:
    return sum(queue.children is None for queue, _, _ in walk(root))
