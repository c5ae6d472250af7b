"""Kueue: Cohorts and ClusterQueues with fair-sharing weights, read and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..arrays import FloatArray
from ..errors import InputError
from ..files.json_files import shown
from ..hierarchy.hierarchy import Hierarchy
from ..notices import ImportNotes
from ..parameters import importer
from ..wording import listed
from .demands import DemandOptions, SchedulerFile
from .kubernetes import (
    API_NAMES,
    documents_text,
    kubernetes_names,
    part,
    parts,
    quantity,
    read_documents,
    word,
)
from .queue_tree import Queue, group_paths, hierarchy_of
from .weights import weights_from_one

FLAVOR_NAME = "default"


@importer(DemandOptions)
def read_kueue(path: SchedulerFile, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The tree of Cohorts and ClusterQueues.

    The capacity is the sum of all nominal quotas, unless it is given. A cohort that is named but
    not defined has weight 1.

    Returns
    -------
    Hierarchy
        Queues, weights, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        A cycle, several trees, a weight of 0, or resources that do not match `coveredResources`.
    """
    reader = _ManifestReader(str(path))
    for document in read_documents(path):
        if document["kind"] in ("Cohort", "ClusterQueue"):
            reader.add(document)
    root = reader.tree()
    capacity = options.capacity or reader.quota
    if not capacity:
        raise InputError(f"{path}: no nominalQuota anywhere, so the capacity must be given")
    notes = reader.notes
    if reader.alone:
        notes.add(f"in no cohort, so sharing with nobody, left out: {listed(reader.alone)}")
    if reader.own_quota:
        notes.add(
            "Kueue's weights divide only what is borrowed, here they divide everything, quota of "
            f"their own included: {listed(reader.own_quota)}"
        )
    if len(reader.flavor_names) > 1:
        notes.add(
            f"{len(reader.flavor_names)} flavors are added up; Kueue lends each of them by itself"
        )
    notes.add("Kueue divides by weights only with fairSharing in its own configuration")
    if reader.never_reclaims:
        notes.add(
            "without preemption.reclaimWithinCohort: Any only admission is fair: "
            f"{listed(reader.never_reclaims)}"
        )
    options = replace(options, capacity=capacity)
    return hierarchy_of(root, options, str(path), notes), notes.lines


class _ManifestReader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.notes = ImportNotes()
        self.nodes: dict[tuple[str, str], Queue] = {}
        self.above: dict[tuple[str, str], str] = {}
        self.quota: dict[str, float] = {}
        self.alone: list[str] = []
        self.own_quota: list[str] = []
        self.never_reclaims: list[str] = []
        self.flavor_names: set[str] = set()

    def add(self, document: Mapping[str, Any]) -> None:
        kind = document["kind"]
        name = word(part(document, "metadata", self.file), "name", f"{self.file}: {kind}, metadata")
        if not name:
            raise InputError(f"{self.file}: a {kind} without a name")
        where = f"{self.file}: {kind} {name!r}"
        spec = part(document, "spec", where)
        if (kind, name) in self.nodes:
            raise InputError(f"{where}: defined twice")
        sharing = part(spec, "fairSharing", where)
        weight = quantity(sharing.get("weight", 1), f"{where}, fairSharing, weight")
        if weight <= 1e-9:
            raise InputError(
                f"{where}, fairSharing, weight: 0 (served last) has no share to compute"
            )
        if kind == "Cohort":
            above = word(spec, "parentName", where) or word(spec, "parent", where)
        else:
            above = word(spec, "cohortName", where) or word(spec, "cohort", where)
            if not above:
                self.alone.append(name)
                return
            if part(spec, "preemption", where).get("reclaimWithinCohort", "Never") == "Never":
                self.never_reclaims.append(name)
        queue = Queue(name, weight, group=kind == "Cohort")
        self.nodes[kind, name] = queue
        if above:
            self.above[kind, name] = above
        if spec.get("stopPolicy", "None") != "None":
            queue.limits.append(("stopPolicy", _amount(spec["stopPolicy"])))
        if self.add_quota(spec, where, queue.limits, of_root=not above) and above:
            self.own_quota.append(name)

    def add_quota(
        self,
        spec: Mapping[str, Any],
        where: str,
        limits: list[tuple[str, str]],
        *,
        of_root: bool,
    ) -> bool:
        """Add the nominal quotas to the capacity; whether there is any.

        The root's quota is the capacity itself; all other quotas, and every bound on borrowing and
        lending, are limits.
        """
        some = False
        for k, group in enumerate(parts(spec, "resourceGroups", where)):
            here = f"{where}, resourceGroups {k}"
            covered = group.get("coveredResources") or []
            if not isinstance(covered, list) or not all(isinstance(name, str) for name in covered):
                raise InputError(f"{here}, coveredResources: need a list of strings")
            for flavor in parts(group, "flavors", here):
                resources = parts(flavor, "resources", f"{here}, flavor")
                names = [word(resource, "name", f"{here}, flavor") for resource in resources]
                if names != covered:
                    raise InputError(
                        f"{here}, flavor {shown(flavor.get('name'))}: its resources must match "
                        f"coveredResources in number and order: {', '.join(covered)}"
                    )
                flavor_name = word(flavor, "name", f"{here}, flavor")
                self.flavor_names.add(flavor_name)
                for name, resource in zip(names, resources, strict=True):
                    of = f"{name}, flavor {flavor_name}"
                    limits += [
                        (f"{bound} of {of}", _amount(resource[bound]))
                        for bound in ("borrowingLimit", "lendingLimit")
                        if resource.get(bound) is not None
                    ]
                    amount = quantity(
                        resource.get("nominalQuota", 0), f"{here}, {name}, nominalQuota"
                    )
                    if amount:
                        self.quota[name] = self.quota.get(name, 0.0) + amount
                        some = True
                        if not of_root:
                            limits.append((f"nominalQuota of {of}", str(resource["nominalQuota"])))
        return some

    def tree(self) -> Queue:
        for above in list(self.above.values()):
            self.nodes.setdefault(("Cohort", above), Queue(above, group=True))
        roots = [self.nodes[key] for key in self.nodes if key not in self.above]
        for key, above in self.above.items():
            self.nodes["Cohort", above].children.append(self.nodes[key])
        for key in self.above:
            seen, step = {key}, key
            while step in self.above:
                step = ("Cohort", self.above[step])
                if step in seen:
                    raise InputError(f"{self.file}: cohort {step[1]!r} is its own ancestor")
                seen.add(step)
        if not roots:
            raise InputError(f"{self.file}: no Cohort, and no ClusterQueue in one")
        if len(roots) > 1:
            names = listed([root.name for root in roots])
            raise InputError(f"{self.file}: {len(roots)} trees that share nothing: {names}")
        return roots[0]


def _amount(value: object) -> str:
    return value if isinstance(value, str) else shown(value)


def kueue_manifests(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """A Cohort per group and a ClusterQueue per leaf.

    Weights count only above the nominal quota, so the root has all of it and the leaves have none.

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
    paths = group_paths(hierarchy)
    root = kubernetes_names((hierarchy.names[0],))[0]
    names = [root, *kubernetes_names(paths[1:])]
    if root in names[1:]:
        path = paths[names.index(root, 1)]
        raise InputError(f"names: the root and {path!r} would both be called {root!r}")
    leaf = set(hierarchy.leaf.tolist())
    api = API_NAMES["kueue"]
    documents: list[dict[str, Any]] = [
        {"apiVersion": api, "kind": "ResourceFlavor", "metadata": {"name": FLAVOR_NAME}}
    ]
    nothing = 0.0 * hierarchy.capacity
    # Kueue takes a weight near 0 for one that is served last.
    weights = weights_from_one(hierarchy).weight
    for n, name in enumerate(names):
        sharing = {"weight": f"{weights[n]:.9f}".rstrip("0").rstrip(".")}
        above = names[hierarchy.parent[n]]
        spec: dict[str, Any]
        if n in leaf:
            spec = {
                "cohortName": above,
                "namespaceSelector": {},
                "fairSharing": sharing,
                "preemption": {"reclaimWithinCohort": "Any"},
                "resourceGroups": _quota(hierarchy, nothing),
            }
        elif n == 0:
            spec = {"resourceGroups": _quota(hierarchy, hierarchy.capacity)}
        else:
            spec = {"parentName": above, "fairSharing": sharing}
        kind = "ClusterQueue" if n in leaf else "Cohort"
        documents.append(
            {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}
        )
    return documents_text(documents), [
        "switch fair sharing on in Kueue's configuration: fairSharing: {preemptionStrategies: "
        "[LessThanOrEqualToFinalShare, LessThanInitialShare]}",
        "quotas are numbers in the units of the hierarchy: cpu counts cores, memory bytes",
    ]


def _quota(hierarchy: Hierarchy, amounts: FloatArray) -> list[dict[str, Any]]:
    resources = [
        {"name": name, "nominalQuota": f"{amount:.3f}".rstrip("0").rstrip(".")}
        for name, amount in zip(hierarchy.resources, amounts.tolist(), strict=True)
    ]
    return [
        {
            "coveredResources": list(hierarchy.resources),
            "flavors": [{"name": FLAVOR_NAME, "resources": resources}],
        }
    ]
