"""Kueue: Cohorts, ClusterQueues and LocalQueues, read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, model_validator

from ....core.advice import format_hint, kind_hint
from ....core.calls import taking
from ....core.errors import InputError
from ....core.files.json_files import in_words, shown, validated
from ....core.parameters import described, parameter
from ....core.wording import listed
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..nodes import walk
from ..quotas import ABOVE
from ..schedulers.amounts import name_in, quantity
from ..schedulers.demands import DemandOptions, Demands
from ..schedulers.markup import load_documents
from ..schedulers.queue_tree import Queue, hierarchy_of

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
    paths = [path] if isinstance(path, str | Path) else list(path)
    source = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    reader = _Reader(source, options)
    others = Counter(
        document["kind"] for document in _documents(paths) if not reader.takes(document)
    )
    if others:
        reader.notes.add(f"not read: {listed(f'{count} {kind}' for kind, count in others.items())}")
    made = reader.hierarchies()
    return made[0] if len(made) == 1 else made, reader.notes.lines


def _documents(paths: Sequence[str | Path]) -> Iterator[dict[str, Any]]:
    """All objects of files, and of the .yaml and .yml files of folders, sorted.

    In a folder there may be files of other things, whose documents have no kind.
    Raises `InputError` for a file that is not YAML, and for an object without a kind.
    """
    for path in paths:
        if not Path(path).is_dir():
            yield from _objects(path, load_documents(path))
            continue
        files = sorted(file for file in Path(path).iterdir() if file.suffix in (".yaml", ".yml"))
        if not files:
            raise InputError(f"{path}: no .yaml or .yml file in this folder")
        for file in files:
            documents = load_documents(file)
            if any(isinstance(one, dict) and isinstance(one.get("kind"), str) for one in documents):
                yield from _objects(file, documents)


def _objects(path: str | Path, documents: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The objects of a file, the items of lists one by one."""
    found: list[Any] = []
    for k, document in enumerate(documents):
        kind = document.get("kind") if isinstance(document, dict) else None
        if isinstance(kind, str) and kind.endswith("List") and document.get("items"):
            items = document["items"]
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise InputError(f"{path}: document {k}, items: need a list of mappings")
            found += items
        elif isinstance(document, dict):
            found.append(document)
        elif document is not None:
            hint = kind_hint(document + "\n", "kueue") if isinstance(document, str) else ""
            raise InputError(f"{path}: document {k}: need a mapping{hint}")
    for k, document in enumerate(found):
        if not isinstance(document.get("kind"), str):
            if "apiVersion" in document or {"spec", "resourceGroups"} & document.keys():
                raise InputError(
                    f"{path}: object {k}: has no kind: a fragment of a manifest; give the whole "
                    "object with apiVersion, kind, metadata and spec"
                )
            raise InputError(f"{path}: object {k}: has no kind{format_hint(document)}")
    yield from found


class _Part(BaseModel):
    """A part of a manifest: null is as if it were absent, and other fields are not read."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        return {name: value for name, value in raw.items() if value is not None}


class _Resource(_Part):
    name: str = ""
    nominalQuota: Any = 0
    borrowingLimit: Any = None
    lendingLimit: Any = None


class _Flavor(_Part):
    name: str = ""
    resources: list[_Resource] = []


class _ResourceGroup(_Part):
    coveredResources: list[str] = []
    flavors: list[_Flavor] = []


class _Sharing(_Part):
    weight: Any = 1


class _Preemption(_Part):
    reclaimWithinCohort: Any = "Never"


class _Spec(_Part):
    cohortName: str = ""
    cohort: str = ""
    parentName: str = ""
    parent: str = ""
    clusterQueue: str = ""
    fairSharing: _Sharing = _Sharing()
    preemption: _Preemption = _Preemption()
    admissionScope: dict[str, Any] = {}
    stopPolicy: Any = "None"
    resourceGroups: list[_ResourceGroup] = []


class _Metadata(_Part):
    name: str = ""
    namespace: str = "default"


class _Object(_Part):
    kind: str
    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()


@dataclass
class _Quota:
    """What a Cohort or ClusterQueue has of its own, flavors added up."""

    nominal: dict[str, float] = field(default_factory=dict)
    borrowing: dict[str, float] = field(default_factory=dict)
    """Sum of borrowingLimit, of resources where every flavor has one."""
    lending: dict[str, float] = field(default_factory=dict)
    """Sum of what can be lent, of resources where some flavor has a lendingLimit."""
    flavors: set[str] = field(default_factory=set)


def _quota(spec: _Spec, where: str, only: str) -> _Quota:
    """The quota of a spec, of the flavor `only` if that is not empty.

    Raises `InputError` for resources of a flavor that do not match coveredResources.
    """
    found, endless, limited = _Quota(), set(), set()
    for k, group in enumerate(spec.resourceGroups):
        here = f"{where}, resourceGroups {k}"
        for flavor in group.flavors:
            if [resource.name for resource in flavor.resources] != group.coveredResources:
                raise InputError(
                    f"{here}, flavor {shown(flavor.name)}: its resources must match "
                    f"coveredResources in number and order: {', '.join(group.coveredResources)}"
                )
            found.flavors.add(flavor.name)
            if only and flavor.name != only:
                continue
            for resource in flavor.resources:
                name, at = resource.name, f"{here}, {resource.name}"
                lent = nominal = quantity(resource.nominalQuota, f"{at}, nominalQuota")
                found.nominal[name] = found.nominal.get(name, 0.0) + nominal
                if resource.borrowingLimit is None:
                    endless.add(name)
                else:
                    most = quantity(resource.borrowingLimit, f"{at}, borrowingLimit")
                    found.borrowing[name] = found.borrowing.get(name, 0.0) + most
                if resource.lendingLimit is not None:
                    limited.add(name)
                    lent = quantity(resource.lendingLimit, f"{at}, lendingLimit")
                found.lending[name] = found.lending.get(name, 0.0) + lent
    found.borrowing = {n: a for n, a in found.borrowing.items() if n not in endless}
    found.lending = {n: a for n, a in found.lending.items() if n in limited}
    return found


class _Reader:
    """The queues of the manifests that were taken, by kind and name."""

    def __init__(self, file: str, options: KueueOptions) -> None:
        self.file, self.options, self.notes = file, options, ImportNotes()
        self.nodes: dict[tuple[str, str], Queue] = {}
        self.above: dict[tuple[str, str], str] = {}
        self.own: dict[int, _Quota] = {}
        self.locals: list[tuple[str, str, Queue]] = []
        self.by_usage: set[str] = set()
        self.admission_only: list[str] = []
        self.alone: set[int] = set()
        """Roots that were made for a ClusterQueue without a cohort."""

    def takes(self, document: Mapping[str, Any]) -> bool:
        """Take an object, unless it is of another kind."""
        kind = document["kind"]
        if kind not in KINDS:
            return False
        content = json.dumps(document, default=str, skipkeys=True).encode()
        metadata = document.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        where = f"{self.file}: {kind}" + (f" {name!r}" if isinstance(name, str) else "")
        here = where.removeprefix(f"{self.file}: ")
        made = validated(_Object, content, self.file, lambda place: in_words([here, *place]))
        name, spec = made.metadata.name, made.spec
        if not name:
            raise InputError(f"{self.file}: a {kind} without a name")
        weight = quantity(spec.fairSharing.weight, f"{where}, fairSharing, weight")
        queue = Queue(name, weight if weight > LEAST_WEIGHT else 0.0)
        if kind == "LocalQueue":
            self.locals.append((spec.clusterQueue, made.metadata.namespace, queue))
            return True
        if (kind, name) in self.nodes:
            raise InputError(f"{where}: defined twice")
        self.nodes[kind, name] = queue
        self.own[id(queue)] = own = _quota(spec, where, self.options.flavor)
        if kind == "Cohort":
            above, queue.children = spec.parentName or spec.parent, []
        else:
            above, queue.needs = spec.cohortName or spec.cohort, frozenset(own.nominal)
            if spec.admissionScope:
                self.by_usage.add(name)
            if above and spec.preemption.reclaimWithinCohort == "Never":
                self.admission_only.append(name)
        if above:
            self.above[kind, name] = above
        if spec.stopPolicy != "None":
            policy = spec.stopPolicy
            queue.limits.append(
                ("stopPolicy", policy if isinstance(policy, str) else shown(policy))
            )
        return True

    def hierarchies(self) -> list[Hierarchy]:
        """The trees that have something to share, the largest first."""
        roots, given = self._roots(), self.options.in_units()
        made, left_out = [], []
        for root in roots:
            usable = self._quota_below(root) or (given.capacity and id(root) not in self.alone)
            if len(roots) > 1 and not (usable and _leaves_below(root)):
                left_out.append(root.name)
            else:
                made.append(self._hierarchy(root, given))
        if left_out:
            self.notes.add(f"in no cohort, or without a quota in it, left out: {listed(left_out)}")
        if not made:
            raise InputError(
                f"{self.file}: no nominalQuota anywhere, so the capacity must be given"
            )
        flavors = set().union(*(own.flavors for own in self.own.values()))
        if len(flavors) > 1 and not self.options.flavor:
            lacks = [
                f"{queue.name} ({', '.join(sorted(flavors - own.flavors))})"
                for (kind, _), queue in self.nodes.items()
                if kind == "ClusterQueue"
                and (own := self.own[id(queue)]).flavors
                and flavors - own.flavors
            ]
            self.notes.add(
                f"{len(flavors)} flavors are added up; Kueue lends each of them by itself: "
                "--flavor reads one"
                + (f"; cannot use these flavors at all: {listed(lacks)}" if lacks else "")
            )
        if self.admission_only:
            self.notes.add(
                "without preemption.reclaimWithinCohort: Any only admission is fair: "
                f"{listed(self.admission_only)}"
            )
        return made

    def _roots(self) -> list[Queue]:
        """The roots, the largest tree first, or the one that is wanted. Raises `InputError`."""
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
        roots.sort(key=lambda root: (-_leaves_below(root), root.name))
        flavors = set().union(*(own.flavors for own in self.own.values()))
        if self.options.flavor and self.options.flavor not in flavors:
            known = listed(sorted(flavors))
            raise InputError(f"{self.file}: no flavor {self.options.flavor!r}: there is {known}")
        self._add_local_queues()
        chosen = [root for root in roots if self.options.tree in ("", root.name)]
        if not chosen:
            known = listed([root.name for root in roots])
            raise InputError(f"{self.file}: no tree {self.options.tree!r}: there is {known}")
        return chosen[:1] if self.options.tree else chosen

    def _add_local_queues(self) -> None:
        added = False
        for cluster_queue, space, queue in self.locals:
            if cluster_queue not in self.by_usage:
                continue
            above = self.nodes["ClusterQueue", cluster_queue]
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

    def _quota_below(self, root: Queue) -> dict[str, float]:
        """The nominal quotas of a subtree by resource, without those of 0."""
        total: Counter[str] = Counter()
        for queue, _, _ in walk(root):
            total.update(self.own.get(id(queue), _Quota()).nominal)
        return {name: amount for name, amount in total.items() if amount > 0}

    def _hierarchy(self, root: Queue, given: Demands) -> Hierarchy:
        """A tree with its quotas."""
        capacity = given.capacity or self._quota_below(root)
        if not capacity and _leaves_below(root):
            raise InputError(
                f"{self.file}: no nominalQuota anywhere, so the capacity must be given"
            )
        capacity = capacity or {"cpu": 1.0}
        total: dict[int, dict[str, float]] = {}
        for queue, _, _ in reversed(list(walk(root))):
            sums = dict(self.own.get(id(queue), _Quota()).nominal)
            for child in queue.children or ():
                for name, amount in total[id(child)].items():
                    sums[name] = sums.get(name, 0.0) + amount
            total[id(queue)] = sums
            if queue is root:
                continue
            self._set_quota(queue, sums, capacity)
            if id(root) in self.alone and queue in (root.children or ()):
                queue.limit = {name: queue.guarantee.get(name, 0.0) for name in capacity}
                queue.reserve = {}
            if queue.needs is not None:
                needs = frozenset(name_in(capacity, name) or "" for name in queue.needs)
                queue.needs = needs
                queue.limit = {**queue.limit, **dict.fromkeys(capacity.keys() - needs, 0.0)}
        demands = replace(given, capacity=capacity)
        return hierarchy_of(root, demands, self.file, self.notes, ABOVE)

    def _set_quota(
        self, queue: Queue, amounts: Mapping[str, float], capacity: Mapping[str, float]
    ) -> None:
        """Nominal amounts as guarantee, with what may be borrowed and what is not lent."""
        own = self.own.get(id(queue), _Quota())
        guarantee, limit, reserve = dict[str, float](), dict[str, float](), dict[str, float]()
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
            if kept > 0:
                reserve[here] = kept
        queue.guarantee, queue.limit, queue.reserve = guarantee, limit, reserve


def _add(group: Queue, queue: Queue) -> None:
    group.children = [*(group.children or ()), queue]


def _leaves_below(root: Queue) -> int:
    return sum(queue.children is None for queue, _, _ in walk(root))
