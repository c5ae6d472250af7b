"""Job classes of a trace by k-means on requests and durations ([LoTES], section 5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..datacenter.datacenter import Datacenter
from ..errors import InputError
from ..import_notes import ImportNotes, plural
from .job_table import JobTable

EXPLAINED_VARIANCE = 0.9
"""Classes are added until they explain this share of the variance of requests and durations."""
MOST_CLASSES = 12
"""Most classes of all jobs together; each group gets its share of them, rounded up."""
MOST_CLUSTERED_JOBS = 50_000
"""Most jobs on which the number of classes and their centres are found; all jobs are assigned
afterwards."""


@dataclass(frozen=True, eq=False)
class Machines:
    """Machine configurations: M configurations, R resources.

    Parameters
    ----------
    resources
        Names of the resources.
    names
        Names of the configurations.
    count
        Machines of each configuration, shape (M,).
    capacity
        Capacity of one machine, shape (M, R).
    """

    resources: tuple[str, ...]
    names: tuple[str, ...]
    count: IntArray
    capacity: FloatArray


def with_classes(
    name: str,
    machines: Machines,
    jobs: JobTable,
    notes: ImportNotes,
    *,
    classes: int | None = None,
    seed: int = 0,
    source: str = "",
) -> tuple[Datacenter, IntArray]:
    """Make the datacenter of machines and jobs, with job classes by k-means.

    Jobs that may run on different configurations are never in one class. Within such a group
    k-means (Lloyd's algorithm) works on the requests, as shares of the largest machine, and on the
    logarithm of the duration, each scaled to variance 1. A class requests the mean request of its
    jobs and takes their mean duration.

    Parameters
    ----------
    name
        Name of the datacenter.
    machines
        The machine configurations.
    jobs
        The jobs.
    notes
        Remarks; what was adjusted is added.
    classes
        Number of classes; by default the least that explains the share `EXPLAINED_VARIANCE` of the
        variance, at most the group's share of `MOST_CLASSES`.
    seed
        Seed of the random numbers.
    source
        Where the datacenter comes from.

    Returns
    -------
    tuple[Datacenter, IntArray]
        The datacenter and the class of each job, shape (jobs,).

    Raises
    ------
    InputError
        Without jobs, or if scikit-learn is not installed.
    """
    if not jobs.jobs:
        raise InputError(f"{name}: no job to make classes of")
    features = _features(machines, jobs)
    label = np.empty(jobs.jobs, dtype=np.int64)
    groups = [np.flatnonzero(jobs.wants == row) for row in np.unique(jobs.wants)]
    found = 0
    for members in groups:
        share = len(members) / jobs.jobs
        most = math.ceil(MOST_CLASSES * share)
        if classes is not None:
            most = max(1, round(classes * share))
        centres, explained = _clusters(
            features[members], 1 if classes is None else most, most, seed
        )
        label[members] = found + _nearest(features[members], centres)
        found += len(centres)
        which = "" if len(groups) == 1 else f" for {plural(len(members), 'job')} that may run on "
        if which:
            which += f"{int(jobs.allowed[jobs.wants[members[0]]].sum())} configurations"
        notes.add(
            f"{plural(len(centres), 'class')}{which} explain "
            f"{100 * explained:.1f} % of the variance of requests and log durations"
        )
    return _datacenter(name, machines, jobs, label, notes, source)


def _features(machines: Machines, jobs: JobTable) -> FloatArray:
    largest = machines.capacity.max(axis=0)
    share = jobs.request / np.where(largest > 0, largest, 1.0)
    features = np.column_stack((share, np.log(np.maximum(jobs.duration, 1e-6))))
    spread = features.std(axis=0)
    scaled: FloatArray = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled


def _clusters(features: FloatArray, least: int, most: int, seed: int) -> tuple[FloatArray, float]:
    """Centres of the clusters, and the share of the variance that they explain."""
    try:
        from sklearn.cluster import KMeans
    except ImportError:
        raise InputError("job classes need scikit-learn: pip install scikit-learn") from None
    sample = features
    if len(features) > MOST_CLUSTERED_JOBS:
        chosen = np.random.default_rng(seed).choice(
            len(features), MOST_CLUSTERED_JOBS, replace=False
        )
        sample = features[np.sort(chosen)]
    total = float(((sample - sample.mean(axis=0)) ** 2).sum())
    different = len(np.unique(sample, axis=0))
    for k in range(least, most + 1):
        means = KMeans(min(k, different), n_init=4, random_state=seed, algorithm="lloyd")
        means.fit(sample)
        explained = 1.0 - float(means.inertia_) / total if total > 0 else 1.0
        if explained >= EXPLAINED_VARIANCE or k >= different:
            break
    centres: FloatArray = means.cluster_centers_
    return centres, explained


def _nearest(features: FloatArray, centres: FloatArray) -> IntArray:
    distance = [((features - centre) ** 2).sum(axis=1) for centre in centres]
    nearest: IntArray = np.argmin(distance, axis=0)
    return nearest


def _datacenter(
    name: str,
    machines: Machines,
    jobs: JobTable,
    label: IntArray,
    notes: ImportNotes,
    source: str,
) -> tuple[Datacenter, IntArray]:
    used, label = np.unique(label, return_inverse=True)
    count = np.bincount(label)
    request = np.column_stack([np.bincount(label, column) / count for column in jobs.request.T])
    hours = np.bincount(label, jobs.duration) / count / 3600
    allowed = np.zeros((len(used), len(machines.names)), dtype=bool)
    allowed[label] = jobs.allowed[jobs.wants]
    idle = ~request.any(axis=1)
    if idle.any():
        notes.add(f"{plural(int(count[idle].sum()), 'job')} ask for nothing and are left out")
        count, request, hours, allowed = count[~idle], request[~idle], hours[~idle], allowed[~idle]
        number = np.where(idle, -1, np.cumsum(~idle) - 1)
        label = number[label]
    mean_time = np.where(allowed, np.maximum(hours, 1e-9)[:, None], np.inf)
    datacenter = Datacenter(
        name=name,
        time_unit="h",
        resources=machines.resources,
        configurations=machines.names,
        count=machines.count,
        capacity=machines.capacity,
        classes=tuple(f"k{k + 1}" for k in range(len(count))),
        share=count / count.sum(),
        mean_time=mean_time,
        request=request,
        source=source,
    )
    return datacenter, label


def configurations_of(
    resources: tuple[str, ...], machines: Sequence[tuple[str, tuple[float, ...]]]
) -> Machines:
    """Find the distinct configurations of single machines, the most frequent first.

    A configuration is called by its label if the label is unique, else by label and capacity.

    Parameters
    ----------
    resources
        Names of the resources.
    machines
        Label and capacity of each machine.

    Returns
    -------
    Machines
        The configurations.
    """
    counts: dict[tuple[str, tuple[float, ...]], int] = {}
    for machine in machines:
        counts[machine] = counts.get(machine, 0) + 1
    ranked = sorted(counts, key=lambda machine: (-counts[machine], machine))
    labels = [label for label, _ in ranked]
    names = []
    for label, capacity in ranked:
        amounts = "-".join(f"{amount:g}" for amount in capacity)
        names.append(label if label and labels.count(label) == 1 else f"{label or 'm'}-{amounts}")
    return Machines(
        resources,
        tuple(names),
        np.array([counts[machine] for machine in ranked], dtype=np.int64),
        np.array([capacity for _, capacity in ranked], dtype=float).reshape(-1, len(resources)),
    )
